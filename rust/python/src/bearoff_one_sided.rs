//! One-sided bear-off tables, and the formats of GNU Backgammon.

use std::path::PathBuf;

use gammon_core::bearoff::gnu::{self, Database, OneSidedForm};
use gammon_core::bearoff::one_sided::{self, BuildError, Distribution, OneSided, Precision};
use gammon_core::bearoff::{Counts, Index, MAX_POINTS};
use gammon_core::parallel::Control;
use numpy::PyArray1;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::arrays;
use crate::bearoff_two_sided::PyTwoSided;
use crate::dice::RollLike;
use crate::errors::Kind;
use crate::long_work;
use crate::money_table::{self, Column, Cube, column, raise_file};
use crate::play::PyPlay;
use crate::position::PyPosition;

fn index_from(py: Python<'_>, points: usize, checkers: usize) -> PyResult<Index> {
    Index::new(points, checkers).ok_or_else(|| {
        let message = format!("a table has 1 to {MAX_POINTS} points and 1 to 15 checkers, not {points} and {checkers}");
        Kind::InvalidArgument.error(py, message)
    })
}

fn cancelled() -> PyErr {
    PyKeyboardInterrupt::new_err("cancelled")
}

/// How many rolls a side needs to bear off.
#[pyclass(name = "OneSided", module = "gammon._core", frozen)]
pub struct PyOneSided(pub OneSided);

impl PyOneSided {
    fn rank(&self, py: Python<'_>, counts: &[u8]) -> PyResult<(usize, Counts)> {
        let index = self.0.index();
        let mut padded = [0; MAX_POINTS];
        let fits = counts.len() <= MAX_POINTS || counts[MAX_POINTS..].iter().all(|&count| count == 0);
        padded.iter_mut().zip(counts).for_each(|(place, &count)| *place = count);
        index.rank(&padded).filter(|_| fits).map(|rank| (rank, padded)).ok_or_else(|| {
            let (points, checkers) = (index.points(), index.checkers());
            let message = format!("the table holds up to {checkers} checkers on {points} points, not {counts:?}");
            Kind::NotInDatabase.error(py, message)
        })
    }

    fn lacking(py: Python<'_>) -> PyErr {
        Kind::NotInDatabase.error(py, "the table does not know how long the first checker takes")
    }

    fn first_off(&self, py: Python<'_>, counts: &[u8]) -> PyResult<Distribution<'_>> {
        let (rank, _) = self.rank(py, counts)?;
        self.0.first_off(rank).ok_or_else(|| PyOneSided::lacking(py))
    }

    fn ranks(&self, py: Python<'_>, position: &PyPosition) -> PyResult<[usize; 2]> {
        self.0.ranks(&position.0).ok_or_else(|| {
            let message = if position.0.is_contact() {
                "the sides are not past each other".to_owned()
            } else {
                let index = self.0.index();
                format!("the table holds up to {} checkers on {} points", index.checkers(), index.points())
            };
            Kind::NotInDatabase.error(py, message)
        })
    }
}

/// The probabilities of 0, 1, 2, ... rolls.
fn from_zero<'py>(py: Python<'py>, distribution: Distribution<'_>) -> Bound<'py, PyArray1<f64>> {
    let mut values = vec![0.0; distribution.first];
    values.extend_from_slice(distribution.probabilities);
    PyArray1::from_vec(py, values)
}

#[pymethods]
impl PyOneSided {
    #[staticmethod]
    #[pyo3(signature = (points, checkers, threads, progress, /))]
    fn build(
        py: Python<'_>,
        points: usize,
        checkers: usize,
        threads: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyOneSided> {
        let threads = long_work::threads(threads)?;
        let index = index_from(py, points, checkers)?;
        // Position 0 is known beforehand.
        let total = index.len() as u64 - 1;
        let build = |control: &Control| OneSided::build(index, threads, control);
        match long_work::run(py, progress, total, build) {
            (_, Some(error)) => Err(error),
            (Ok(table), None) => Ok(PyOneSided(table)),
            (Err(BuildError::Cancelled), None) => Err(cancelled()),
            (Err(error), None) => Err(Kind::InvalidArgument.error(py, error)),
        }
    }

    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<PyOneSided> {
        py.detach(|| OneSided::open(&path)).map(PyOneSided).map_err(|error| raise_file(py, &error, &path))
    }

    #[pyo3(signature = (path, single, /))]
    fn save(&self, py: Python<'_>, path: PathBuf, single: bool) -> PyResult<()> {
        let precision = if single { Precision::Float32 } else { Precision::Float64 };
        py.detach(|| self.0.save(&path, precision)).map_err(|error| raise_file(py, &error, &path))
    }

    #[pyo3(signature = (path, compressed, gammons, /))]
    fn save_gnubg(&self, py: Python<'_>, path: PathBuf, compressed: bool, gammons: bool) -> PyResult<()> {
        let form = OneSidedForm { is_compressed: compressed, has_gammons: gammons };
        py.detach(|| gnu::write_one_sided(&path, &self.0, form)).map_err(|error| raise_file(py, &error, &path))
    }

    #[getter]
    fn points(&self) -> usize {
        self.0.index().points()
    }

    #[getter]
    fn checkers(&self) -> usize {
        self.0.index().checkers()
    }

    #[getter]
    fn positions(&self) -> usize {
        self.0.index().len()
    }

    #[getter]
    fn has_gammons(&self) -> bool {
        self.0.has_gammons()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.0.bytes()
    }

    #[pyo3(signature = (counts, /))]
    fn index(&self, py: Python<'_>, counts: Vec<u8>) -> PyResult<usize> {
        self.rank(py, &counts).map(|(rank, _)| rank)
    }

    #[pyo3(signature = (index, /))]
    fn counts(&self, py: Python<'_>, index: usize) -> PyResult<Vec<u8>> {
        if index >= self.0.index().len() {
            let message = format!("positions have numbers 0 to {}, not {index}", self.0.index().len() - 1);
            return Err(Kind::InvalidArgument.error(py, message));
        }
        Ok(self.0.index().unrank(index)[..self.0.index().points()].to_vec())
    }

    #[pyo3(signature = (counts, /))]
    fn distribution<'py>(&self, py: Python<'py>, counts: Vec<u8>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (rank, _) = self.rank(py, &counts)?;
        Ok(from_zero(py, self.0.distribution(rank)))
    }

    #[pyo3(signature = (counts, /))]
    fn first_off_distribution<'py>(&self, py: Python<'py>, counts: Vec<u8>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(from_zero(py, self.first_off(py, &counts)?))
    }

    /// Mean, variance, effective pips and wastage.
    #[pyo3(signature = (counts, /))]
    fn moments(&self, py: Python<'_>, counts: Vec<u8>) -> PyResult<(f64, f64, f64, f64)> {
        let (rank, counts) = self.rank(py, &counts)?;
        let distribution = self.0.distribution(rank);
        let mean = distribution.mean();
        Ok((mean, distribution.variance(), one_sided::effective_pips(mean), one_sided::wastage(&counts, mean)))
    }

    #[pyo3(signature = (position, /))]
    fn win_probability(&self, py: Python<'_>, position: &PyPosition) -> PyResult<f64> {
        let [player, opponent] = self.ranks(py, position)?;
        Ok(self.0.win_probability(player, opponent))
    }

    /// Win, win gammon, lose gammon.
    #[pyo3(signature = (position, /))]
    fn race_chances(&self, py: Python<'_>, position: &PyPosition) -> PyResult<(f64, f64, f64)> {
        let [player, opponent] = self.ranks(py, position)?;
        let known = |off: u8, rank: usize| off > 0 || self.0.is_full(rank) || rank == 0;
        let position = &position.0;
        if !known(position.off(), player) || !known(position.opponent_off(), opponent) {
            let n = self.0.index().checkers();
            let message =
                format!("a side with none off has other than the table's {n} checkers: its gammon is not known");
            return Err(Kind::NotInDatabase.error(py, message));
        }
        // A checker off saves the gammon even where the table takes all of a side's checkers to be on the board.
        let chances = self.0.race_chances(player, opponent).ok_or_else(|| PyOneSided::lacking(py))?;
        let saved = |off: u8, chance: f64| if off > 0 { 0.0 } else { chance };
        let win_gammon = saved(position.opponent_off(), chances.win_gammon);
        Ok((chances.win, win_gammon, saved(position.off(), chances.lose_gammon)))
    }

    /// float64[N] and bool[N]: NaN and False where the table has no answer.
    #[pyo3(signature = (positions, /))]
    fn win_probabilities<'py>(&self, positions: &Bound<'py, PyAny>) -> PyResult<Column<'py>> {
        let py = positions.py();
        let positions = arrays::positions("positions", positions)?;
        let chance = |position| match self.0.ranks(position) {
            Some([player, opponent]) => self.0.win_probability(player, opponent),
            None => f64::NAN,
        };
        Ok(column(py, py.detach(|| positions.iter().map(chance).collect())))
    }
}

/// The positions of a table and about how many bytes it takes in memory.
#[pyfunction]
#[pyo3(signature = (points, checkers, /))]
pub fn one_sided_size(py: Python<'_>, points: usize, checkers: usize) -> PyResult<(usize, usize)> {
    let index = index_from(py, points, checkers)?;
    Ok((index.len(), OneSided::estimated_bytes(index)))
}

/// Writes a one-sided table in GNU Backgammon's own arithmetic.
#[pyfunction]
#[pyo3(signature = (path, points, checkers, compressed, gammons, threads, progress, /))]
#[allow(clippy::too_many_arguments, reason = "what Python passes")]
pub fn save_one_sided_like_gnubg(
    py: Python<'_>,
    path: PathBuf,
    points: usize,
    checkers: usize,
    compressed: bool,
    gammons: bool,
    threads: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let threads = long_work::threads(threads)?;
    let index = index_from(py, points, checkers)?;
    let form = OneSidedForm { is_compressed: compressed, has_gammons: gammons };
    let work = |control: &Control| gnu::write_one_sided_like_gnu(&path, index, form, threads, control);
    match long_work::run(py, progress, index.len() as u64 - 1, work) {
        (_, Some(error)) => Err(error),
        (Ok(true), None) => Ok(()),
        (Ok(false), None) => Err(cancelled()),
        (Err(error), None) => Err(raise_file(py, &error, &path)),
    }
}

/// Writes a two-sided table for GNU Backgammon: its values rounded, or made again in its own arithmetic.
#[pyfunction]
#[pyo3(signature = (table, path, like_gnu, threads, progress, /))]
pub fn save_two_sided_gnubg(
    py: Python<'_>,
    table: &PyTwoSided,
    path: PathBuf,
    like_gnu: bool,
    threads: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let threads = long_work::threads(threads)?;
    let pairs = table.0.spec().pairs();
    let work = |control: &Control| gnu::write_two_sided(&path, &table.0, like_gnu, threads, control);
    match long_work::run(py, progress, pairs, work) {
        (_, Some(error)) => Err(error),
        (Ok(true), None) => Ok(()),
        (Ok(false), None) => Err(cancelled()),
        (Err(error), None) => Err(raise_file(py, &error, &path)),
    }
}

/// Reads a database of GNU Backgammon: one of the two is not None.
#[pyfunction]
#[pyo3(signature = (path, /))]
pub fn open_gnubg(py: Python<'_>, path: PathBuf) -> PyResult<(Option<PyOneSided>, Option<PyGnubgTwoSided>)> {
    match py.detach(|| gnu::read(&path)).map_err(|error| raise_file(py, &error, &path))? {
        Database::OneSided(table) => Ok((Some(PyOneSided(table)), None)),
        Database::TwoSided(table) => Ok((None, Some(PyGnubgTwoSided(table)))),
    }
}

/// A two-sided database of GNU Backgammon.
#[pyclass(name = "GnubgTwoSided", module = "gammon._core", frozen)]
pub struct PyGnubgTwoSided(gnu::TwoSided);

#[pymethods]
impl PyGnubgTwoSided {
    #[getter]
    fn points(&self) -> usize {
        self.0.index().points()
    }

    #[getter]
    fn checkers(&self) -> usize {
        self.0.index().checkers()
    }

    #[getter]
    fn cubeful(&self) -> bool {
        self.0.is_cubeful()
    }

    #[pyo3(signature = (path, /))]
    fn save_gnubg(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.write(&path)).map_err(|error| raise_file(py, &error, &path))
    }

    #[pyo3(signature = (position, cube, no_double, /))]
    fn value(&self, py: Python<'_>, position: &PyPosition, cube: Cube<'_>, no_double: bool) -> PyResult<f64> {
        money_table::value(py, &self.0, position, cube, false, no_double)
    }

    #[pyo3(signature = (positions, cube, no_double, threads, /))]
    fn lookup<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        cube: Cube<'_>,
        no_double: bool,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Column<'py>> {
        money_table::lookup(&self.0, positions, cube, false, no_double, threads)
    }

    #[pyo3(signature = (position, roll, cube, /))]
    fn best_play(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        roll: RollLike,
        cube: Cube<'_>,
    ) -> PyResult<Option<(PyPlay, f64)>> {
        money_table::best_play(py, &self.0, position, roll, cube, false)
    }

    #[pyo3(signature = (position, cube, /))]
    fn cube_action(&self, py: Python<'_>, position: &PyPosition, cube: Cube<'_>) -> PyResult<([f64; 4], u8)> {
        money_table::cube_action(py, &self.0, position, cube, false)
    }
}
