//! Hypergammon.

use std::path::PathBuf;

use gammon_core::hyper::{Hypergammon, PROGRESS, SolveError};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::dice::RollLike;
use crate::errors::Kind;
use crate::long_work;
use crate::money_table::{self, Column, Cube, looked_up, raise_file};
use crate::play::PyPlay;
use crate::position::PyPosition;

/// A solved game of one to three checkers a side.
#[pyclass(name = "Hypergammon", module = "gammon._core", frozen)]
pub struct PyHypergammon(Hypergammon);

#[pymethods]
impl PyHypergammon {
    #[staticmethod]
    #[pyo3(signature = (checkers, tolerance, threads, progress, /))]
    fn solve(
        py: Python<'_>,
        checkers: u8,
        tolerance: f64,
        threads: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyHypergammon> {
        let threads = long_work::threads(threads)?;
        let (answer, error) =
            long_work::run(py, progress, PROGRESS, |control| Hypergammon::solve(checkers, tolerance, threads, control));
        match (answer, error) {
            (_, Some(error)) => Err(error),
            (Ok(solution), None) => Ok(PyHypergammon(solution)),
            (Err(SolveError::Cancelled), None) => Err(PyKeyboardInterrupt::new_err("cancelled")),
            (Err(SolveError::NotConverged { bound }), None) => {
                let message =
                    format!("tolerance {tolerance:e} is too small: the bounds stopped closing at {bound:.1e}");
                Err(Kind::InvalidArgument.error(py, message))
            }
        }
    }

    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<PyHypergammon> {
        py.detach(|| Hypergammon::open(&path)).map(PyHypergammon).map_err(|error| raise_file(py, &error, &path))
    }

    #[pyo3(signature = (path, /))]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(&path)).map_err(|error| raise_file(py, &error, &path))
    }

    #[pyo3(signature = (path, /))]
    fn verify(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.verify()).map_err(|error| raise_file(py, &error, &path))
    }

    #[getter]
    fn checkers(&self) -> u8 {
        self.0.checkers()
    }

    #[getter]
    fn positions(&self) -> usize {
        self.0.positions()
    }

    #[getter]
    fn error_bound(&self) -> f64 {
        self.0.error_bound()
    }

    #[getter]
    fn sweeps(&self) -> u32 {
        self.0.sweeps()
    }

    /// The five probabilities, cubeless, owned, centred, centred with Jacoby, owned by the opponent.
    #[pyo3(signature = (position, /))]
    fn values(&self, py: Python<'_>, position: &PyPosition) -> PyResult<[f64; 10]> {
        looked_up(py, self.0.values(&position.0)).map(gammon_core::hyper::Values::to_array)
    }

    #[pyo3(signature = (position, cube, jacoby, no_double, /))]
    fn value(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        cube: Cube<'_>,
        jacoby: bool,
        no_double: bool,
    ) -> PyResult<f64> {
        money_table::value(py, &self.0, position, cube, jacoby, no_double)
    }

    #[pyo3(signature = (positions, cube, jacoby, no_double, threads, /))]
    fn lookup<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        cube: Cube<'_>,
        jacoby: bool,
        no_double: bool,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Column<'py>> {
        money_table::lookup(&self.0, positions, cube, jacoby, no_double, threads)
    }

    #[pyo3(signature = (position, roll, cube, jacoby, /))]
    fn best_play(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        roll: RollLike,
        cube: Cube<'_>,
        jacoby: bool,
    ) -> PyResult<Option<(PyPlay, f64)>> {
        money_table::best_play(py, &self.0, position, roll, cube, jacoby)
    }

    #[pyo3(signature = (position, cube, jacoby, /))]
    fn cube_action(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        cube: Cube<'_>,
        jacoby: bool,
    ) -> PyResult<([f64; 4], u8)> {
        money_table::cube_action(py, &self.0, position, cube, jacoby)
    }
}
