//! Games side by side for learning.

use gammon_core::lockstep::Tables;
use gammon_core::vector::{Seen, Stepped, Vector};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::errors::Kind;
use crate::lockstep::{PyPlan, pairs};
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
        stepped_of(py, stepped)
    }

    /// How all games stand.
    #[pyo3(signature = (candidates, /))]
    fn see<'py>(&self, py: Python<'py>, candidates: bool) -> PyResult<Bound<'py, PyDict>> {
        let seen = py.detach(|| self.games.see(candidates));
        columns_of(py, seen, candidates)
    }
}

impl PyVector {
    fn read(&self, py: Python<'_>, actions: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<i64>> {
        read(py, actions, self.len)
    }
}

fn read(py: Python<'_>, actions: &PyReadonlyArray1<'_, i64>, games: usize) -> PyResult<Vec<i64>> {
    let actions = actions.as_array().to_vec();
    if actions.len() != games {
        let message = format!("actions: {} rows, but there are {games} games", actions.len());
        return Err(Kind::Array.error(py, message));
    }
    Ok(actions)
}

/// How games stand, by the names of the columns.
fn columns_of<'py>(py: Python<'py>, seen: Seen, candidates: bool) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("positions", arrays::from_cells(py, seen.positions)?)?;
    columns.set_item("rolls", pairs(py, seen.rolls)?)?;
    columns.set_item("seats", PyArray1::from_vec(py, seen.seats))?;
    columns.set_item("counts", PyArray1::from_vec(py, seen.counts))?;
    columns.set_item("offsets", PyArray1::from_vec(py, seen.offsets))?;
    if candidates {
        columns.set_item("candidates", arrays::from_cells(py, seen.candidates)?)?;
    }
    Ok(columns)
}

fn stepped_of<'py>(py: Python<'py>, stepped: Stepped) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("rewards", pairs(py, stepped.rewards)?)?;
    columns.set_item("ended", PyArray1::from_vec(py, stepped.ended))?;
    columns.set_item("illegal", PyArray1::from_vec(py, stepped.illegal))?;
    columns.set_item("last", arrays::from_cells(py, stepped.last)?)?;
    Ok(columns)
}

/// Games or matches with the cube side by side.
#[pyclass(name = "Tables", module = "gammon._core")]
pub struct PyTables {
    tables: Tables,
    len: usize,
}

#[pymethods]
impl PyTables {
    #[new]
    #[pyo3(signature = (plan, games, /))]
    fn new(plan: &Bound<'_, PyPlan>, games: &Bound<'_, PyAny>) -> PyResult<PyTables> {
        let len = long_work::unsigned(games, "n", 1 << 20)? as usize;
        Ok(PyTables { tables: Tables::new(plan.get().0.clone(), len), len })
    }

    /// The first row whose action there is not, with how many actions it has.
    #[pyo3(signature = (actions, /))]
    fn first_illegal(&self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<Option<(usize, usize)>> {
        let actions = read(py, &actions, self.len)?;
        Ok(self.tables.first_illegal(&actions))
    }

    /// Takes an action in each game: rewards, whether it ended, whether by an illegal action, last positions.
    #[pyo3(signature = (actions, /))]
    fn step<'py>(&mut self, py: Python<'py>, actions: PyReadonlyArray1<'py, i64>) -> PyResult<Bound<'py, PyDict>> {
        let actions = read(py, &actions, self.len)?;
        let stepped = py.detach(|| self.tables.step(&actions));
        stepped_of(py, stepped)
    }

    /// How all games stand.
    #[pyo3(signature = (candidates, /))]
    fn see<'py>(&self, py: Python<'py>, candidates: bool) -> PyResult<Bound<'py, PyDict>> {
        let seen = py.detach(|| self.tables.see(candidates));
        let columns = columns_of(py, seen.games, candidates)?;
        columns.set_item("kinds", PyArray1::from_vec(py, seen.kinds))?;
        columns.set_item("away", pairs(py, seen.away)?)?;
        columns.set_item("cube", pairs(py, seen.cube)?)?;
        columns.set_item("phase", PyArray1::from_vec(py, seen.phase))?;
        columns.set_item("stake", PyArray1::from_vec(py, seen.stake))?;
        Ok(columns)
    }
}
