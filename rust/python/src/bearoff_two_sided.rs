//! Two-sided bear-off databases.

use std::path::PathBuf;

use gammon_core::bearoff::two_sided::{Access, Ask, Build, Jacoby, Scoring, Spec, TwoSided, TwoSidedError, Values};
use gammon_core::parallel;
use numpy::PyArray1;
use pyo3::exceptions::{PyMemoryError, PyOSError};
use pyo3::prelude::*;

use crate::arrays;
use crate::cube::{PyLadder, owner_from};
use crate::dice::RollLike;
use crate::errors::{Kind, os_error};
use crate::long_work;
use crate::play::PyPlay;
use crate::position::PyPosition;

/// `errno` for a full disk and for a file in use.
const ENOSPC: i32 = 28;
const EBUSY: i32 = 16;

fn raise(py: Python<'_>, error: &TwoSidedError) -> PyErr {
    match error {
        TwoSidedError::Size { .. }
        | TwoSidedError::TooManyPositions { .. }
        | TwoSidedError::NeedsPath { .. }
        | TwoSidedError::Ladder(_)
        | TwoSidedError::Cubeless => Kind::InvalidArgument.error(py, error),
        TwoSidedError::NotInDatabase(_) => Kind::NotInDatabase.error(py, error),
        TwoSidedError::Format { .. } => Kind::FileFormat.error(py, error),
        TwoSidedError::Memory(_) | TwoSidedError::NoMemory { .. } => PyMemoryError::new_err(error.to_string()),
        TwoSidedError::NoSpace { .. } => PyOSError::new_err((ENOSPC, error.to_string())),
        TwoSidedError::Unfinished { .. } => PyOSError::new_err((EBUSY, error.to_string())),
        TwoSidedError::Io { path, error } => os_error(error, path),
        TwoSidedError::Cancelled => pyo3::exceptions::PyKeyboardInterrupt::new_err(error.to_string()),
    }
}

/// Runs long work whose result is all or nothing.
fn long<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    total: u64,
    work: impl FnOnce(&parallel::Control) -> Result<T, TwoSidedError> + Send,
) -> PyResult<T> {
    let (answer, error) = long_work::run(py, progress, total, work);
    match (answer, error) {
        (_, Some(error)) => Err(error),
        (Ok(answer), None) => Ok(answer),
        (Err(error), None) => Err(raise(py, &error)),
    }
}

fn spec_from(
    py: Python<'_>,
    points: usize,
    checkers: [usize; 2],
    values: usize,
    ladder: Option<&PyLadder>,
) -> PyResult<Spec> {
    let spec = match ladder {
        Some(ladder) => Spec::at_score(points, checkers, &ladder.0),
        None => {
            let unknown = || Kind::InvalidArgument.error(py, format!("a pair has no {values} values"));
            Spec::new(points, checkers, Values::from_count(values).ok_or_else(unknown)?)
        }
    };
    spec.map_err(|error| raise(py, &error))
}

/// A cube as (owner, level), or None for a game in which nobody doubles.
type Cube<'a> = Option<(Option<&'a str>, usize)>;

fn ask_from(py: Python<'_>, cube: Cube<'_>, jacoby: Option<bool>, player: usize, no_double: bool) -> PyResult<Ask> {
    let cube = match cube {
        None => None,
        Some((owner, level)) => Some((owner_from(py, owner)?, level)),
    };
    let jacoby = match jacoby {
        None => Jacoby::OfTable,
        Some(true) => Jacoby::On,
        Some(false) => Jacoby::Off,
    };
    if player > 1 {
        return Err(Kind::InvalidArgument.error(py, format!("player is 0 or 1, not {player}")));
    }
    Ok(Ask { cube, jacoby, player, no_double })
}

/// A two-sided bear-off database.
#[pyclass(name = "TwoSided", module = "gammon._core", frozen)]
pub struct PyTwoSided(pub TwoSided);

/// Rows that a thread looks up at a time.
const CHUNK: usize = 4096;

#[pymethods]
impl PyTwoSided {
    #[staticmethod]
    #[pyo3(signature = (points, checkers, values, ladder, path, threads, progress, /))]
    #[allow(clippy::too_many_arguments, reason = "what Python passes")]
    fn build(
        py: Python<'_>,
        points: usize,
        checkers: [usize; 2],
        values: usize,
        ladder: Option<PyRef<'_, PyLadder>>,
        path: Option<PathBuf>,
        threads: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyTwoSided> {
        let threads = long_work::threads(threads)?;
        let spec = spec_from(py, points, checkers, values, ladder.as_deref())?;
        let pairs = spec.pairs();
        long(py, progress, pairs, |control| {
            TwoSided::build(spec, Build { path: path.as_deref(), threads, ..Build::default() }, control)
        })
        .map(PyTwoSided)
    }

    #[staticmethod]
    #[pyo3(signature = (path, mmap, /))]
    fn open(py: Python<'_>, path: PathBuf, mmap: bool) -> PyResult<PyTwoSided> {
        let access = if mmap { Access::Map } else { Access::Read };
        py.detach(|| TwoSided::open(&path, access)).map(PyTwoSided).map_err(|error| raise(py, &error))
    }

    #[pyo3(signature = (path, progress, /))]
    fn save(&self, py: Python<'_>, path: PathBuf, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        long(py, progress, self.0.spec().pairs(), |control| self.0.save(&path, control))
    }

    #[pyo3(signature = (progress, /))]
    fn verify(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        long(py, progress, self.0.spec().pairs(), |control| self.0.verify(control))
    }

    #[getter]
    fn points(&self) -> usize {
        self.0.spec().points()
    }

    #[getter]
    fn checkers(&self) -> [usize; 2] {
        self.0.spec().checkers()
    }

    /// The numbers for each pair.
    #[getter]
    fn values(&self) -> usize {
        self.0.spec().scoring().count()
    }

    #[getter]
    fn is_at_score(&self) -> bool {
        matches!(self.0.spec().scoring(), Scoring::Score(_))
    }

    #[getter]
    fn is_exact(&self) -> bool {
        self.0.spec().is_exact()
    }

    #[getter]
    fn pairs(&self) -> u64 {
        self.0.spec().pairs()
    }

    #[getter]
    fn path(&self) -> Option<PathBuf> {
        self.0.path().map(Into::into)
    }

    #[pyo3(signature = (position, cube, jacoby, player, no_double, /))]
    fn value(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        cube: Cube<'_>,
        jacoby: Option<bool>,
        player: usize,
        no_double: bool,
    ) -> PyResult<f64> {
        let ask = ask_from(py, cube, jacoby, player, no_double)?;
        self.0.value(&position.0, ask).map_err(|error| raise(py, &error))
    }

    /// float64[N] and bool[N]: NaN and False where the table has no answer.
    #[pyo3(signature = (positions, cube, jacoby, player, no_double, threads, /))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity, reason = "what Python passes and gets")]
    fn lookup<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        cube: Cube<'_>,
        jacoby: Option<bool>,
        player: usize,
        no_double: bool,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<bool>>)> {
        let py = positions.py();
        let threads = long_work::threads(threads)?;
        let positions = arrays::positions("positions", positions)?;
        let ask = ask_from(py, cube, jacoby, player, no_double)?;
        let answers = py.detach(|| {
            let chunks = positions.len().div_ceil(CHUNK) as u64;
            let parts = parallel::map_chunks(chunks, threads, &parallel::Control::default(), |chunk| {
                let start = chunk as usize * CHUNK;
                let rows = &positions[start..positions.len().min(start + CHUNK)];
                let answer = |position| match self.0.value(position, ask) {
                    Ok(value) => Ok(value),
                    Err(TwoSidedError::NotInDatabase(_)) => Ok(f64::NAN),
                    Err(error) => Err(error),
                };
                rows.iter().map(answer).collect::<Result<Vec<_>, _>>()
            });
            parts.into_iter().map(|(_, part)| part).collect::<Result<Vec<_>, _>>()
        });
        let values = answers.map_err(|error| raise(py, &error))?.concat();
        let found = values.iter().map(|value| !value.is_nan()).collect();
        Ok((PyArray1::from_vec(py, values), PyArray1::from_vec(py, found)))
    }

    #[pyo3(signature = (position, roll, cube, jacoby, player, /))]
    fn best_play(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        roll: RollLike,
        cube: Cube<'_>,
        jacoby: Option<bool>,
        player: usize,
    ) -> PyResult<Option<(PyPlay, f64)>> {
        let ask = ask_from(py, cube, jacoby, player, false)?;
        let best = self.0.best_play(&position.0, roll.0, ask).map_err(|error| raise(py, &error))?;
        Ok(best.map(|(play, value)| (PyPlay(play), value)))
    }

    /// No double, double and take, double and drop, the best of them, and the number of the action.
    #[pyo3(signature = (position, cube, jacoby, player, /))]
    fn cube_action(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        cube: Cube<'_>,
        jacoby: Option<bool>,
        player: usize,
    ) -> PyResult<([f64; 4], u8)> {
        let ask = ask_from(py, cube, jacoby, player, false)?;
        let action = self.0.cube_action(&position.0, ask).map_err(|error| raise(py, &error))?;
        Ok(([action.no_double, action.double_take, action.double_drop, action.best], action.action as u8))
    }
}

/// The positions of each side, pairs, bytes of the file, and memory with and without a path.
#[pyfunction]
#[pyo3(signature = (points, checkers, values, ladder, /))]
pub fn two_sided_size(
    py: Python<'_>,
    points: usize,
    checkers: [usize; 2],
    values: usize,
    ladder: Option<PyRef<'_, PyLadder>>,
) -> PyResult<([usize; 2], u64, u64, u64, u64)> {
    let spec = spec_from(py, points, checkers, values, ladder.as_deref())?;
    let size = py.detach(|| spec.size());
    Ok((size.positions, size.pairs, size.file_bytes, size.memory_with_path, size.memory_without_path))
}
