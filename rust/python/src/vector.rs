//! Games side by side for learning.

use gammon_core::vector::Vector;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::errors::Kind;
use crate::long_work;
use crate::position::PyPosition;

/// Games side by side.
#[pyclass(name = "Vector", module = "gammon._core")]
pub struct PyVector {
    games: Vector,
    len: usize,
}

#[pymethods]
impl PyVector {
    #[new]
    #[pyo3(signature = (start, seed, games, /))]
    fn new(start: &Bound<'_, PyPosition>, seed: &Bound<'_, PyAny>, games: &Bound<'_, PyAny>) -> PyResult<PyVector> {
        // 2^20 games show 29 MB of positions at every step.
        let len = long_work::unsigned(games, "n", 1 << 20)? as usize;
        Ok(PyVector { games: Vector::new(start.get().0, long_work::seed(seed)?, len), len })
    }

    /// The first row whose action there is not, with how many actions it has.
    #[pyo3(signature = (actions, /))]
    fn first_illegal(&self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<Option<(usize, usize)>> {
        let actions = self.read(py, &actions)?;
        Ok(self.games.first_illegal(&actions))
    }

    /// Plays an action in each game: rewards, whether it ended, whether by an illegal action, last positions.
    #[pyo3(signature = (actions, /))]
    fn step<'py>(&mut self, py: Python<'py>, actions: PyReadonlyArray1<'py, i64>) -> PyResult<Bound<'py, PyDict>> {
        let actions = self.read(py, &actions)?;
        let stepped = py.detach(|| self.games.step(&actions));
        let columns = PyDict::new(py);
        let rewards = PyArray1::from_vec(py, stepped.rewards.into_flattened()).reshape([self.len, 2])?;
        columns.set_item("rewards", rewards)?;
        columns.set_item("ended", PyArray1::from_vec(py, stepped.ended))?;
        columns.set_item("illegal", PyArray1::from_vec(py, stepped.illegal))?;
        columns.set_item("last", arrays::from_cells(py, stepped.last)?)?;
        Ok(columns)
    }

    /// How all games stand.
    #[pyo3(signature = (candidates, /))]
    fn see<'py>(&self, py: Python<'py>, candidates: bool) -> PyResult<Bound<'py, PyDict>> {
        let seen = py.detach(|| self.games.see(candidates));
        let columns = PyDict::new(py);
        columns.set_item("positions", arrays::from_cells(py, seen.positions)?)?;
        let rolls = PyArray1::from_vec(py, seen.rolls.into_flattened()).reshape([self.len, 2])?;
        columns.set_item("rolls", rolls)?;
        columns.set_item("seats", PyArray1::from_vec(py, seen.seats))?;
        columns.set_item("counts", PyArray1::from_vec(py, seen.counts))?;
        columns.set_item("offsets", PyArray1::from_vec(py, seen.offsets))?;
        if candidates {
            columns.set_item("candidates", arrays::from_cells(py, seen.candidates)?)?;
        }
        Ok(columns)
    }
}

impl PyVector {
    fn read(&self, py: Python<'_>, actions: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<i64>> {
        let actions = actions.as_array().to_vec();
        if actions.len() != self.len {
            let message = format!("actions: {} rows, but there are {} games", actions.len(), self.len);
            return Err(Kind::Array.error(py, message));
        }
        Ok(actions)
    }
}
