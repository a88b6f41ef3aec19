//! Questions to tables of money equities: hypergammon, and two-sided databases of GNU Backgammon.

use std::path::Path;

use gammon_core::files::FileError;
use gammon_core::money::{LookupError, MoneyTable, Question};
use gammon_core::parallel;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::arrays;
use crate::cube::owner_from;
use crate::dice::RollLike;
use crate::errors::{Kind, os_error};
use crate::long_work;
use crate::play::PyPlay;
use crate::position::PyPosition;

/// Rows that a thread looks up at a time.
const CHUNK: usize = 4096;

/// A file that was not read or written.
pub fn raise_file(py: Python<'_>, error: &FileError, path: &Path) -> PyErr {
    match error {
        FileError::Io(error) => os_error(error, path),
        FileError::Foreign(_) | FileError::Damaged(_) | FileError::CannotHold(_) => {
            Kind::FileFormat.error(py, format!("{}: {error}", path.display()))
        }
    }
}

fn raise(py: Python<'_>, error: &LookupError) -> PyErr {
    match error {
        LookupError::NotInDatabase(_) => Kind::NotInDatabase.error(py, error),
        LookupError::Cubeless => Kind::InvalidArgument.error(py, error),
        LookupError::Io(error) => os_error(error, Path::new("table")),
    }
}

/// A cube as (owner, level), or None for a game in which nobody doubles; for money the level does not matter.
pub type Cube<'a> = Option<(Option<&'a str>, usize)>;

fn question(py: Python<'_>, cube: Cube<'_>, jacoby: bool, no_double: bool) -> PyResult<Question> {
    let cube = cube.map(|(owner, _)| owner_from(py, owner)).transpose()?;
    Ok(Question { cube, jacoby, no_double })
}

pub fn value(
    py: Python<'_>,
    table: &impl MoneyTable,
    position: &PyPosition,
    cube: Cube<'_>,
    jacoby: bool,
    no_double: bool,
) -> PyResult<f64> {
    table.value(&position.0, question(py, cube, jacoby, no_double)?).map_err(|error| raise(py, &error))
}

/// The numbers of all values of a position.
pub fn looked_up<T>(py: Python<'_>, answer: Result<T, LookupError>) -> PyResult<T> {
    answer.map_err(|error| raise(py, &error))
}

pub type Column<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<bool>>);

/// float64[N] and bool[N]: NaN and False where the table has no answer.
pub fn lookup<'py>(
    table: &(impl MoneyTable + Sync),
    positions: &Bound<'py, PyAny>,
    cube: Cube<'_>,
    jacoby: bool,
    no_double: bool,
    threads: Option<&Bound<'_, PyAny>>,
) -> PyResult<Column<'py>> {
    let py = positions.py();
    let threads = long_work::threads(threads)?;
    let positions = arrays::positions("positions", positions)?;
    let question = question(py, cube, jacoby, no_double)?;
    let answers = py.detach(|| {
        let chunks = positions.len().div_ceil(CHUNK) as u64;
        let parts = parallel::map_chunks(chunks, threads, &parallel::Control::default(), |chunk| {
            let start = chunk as usize * CHUNK;
            let answer = |position| match table.value(position, question) {
                Ok(value) => Ok(value),
                Err(LookupError::NotInDatabase(_)) => Ok(f64::NAN),
                Err(error) => Err(error),
            };
            positions[start..positions.len().min(start + CHUNK)].iter().map(answer).collect::<Result<Vec<_>, _>>()
        });
        parts.into_iter().map(|(_, part)| part).collect::<Result<Vec<_>, _>>()
    });
    Ok(column(py, looked_up(py, answers)?.concat()))
}

/// Values with NaN where there is none, and which there are.
pub fn column(py: Python<'_>, values: Vec<f64>) -> Column<'_> {
    let found = values.iter().map(|value| !value.is_nan()).collect();
    (PyArray1::from_vec(py, values), PyArray1::from_vec(py, found))
}

pub fn best_play(
    py: Python<'_>,
    table: &impl MoneyTable,
    position: &PyPosition,
    roll: RollLike,
    cube: Cube<'_>,
    jacoby: bool,
) -> PyResult<Option<(PyPlay, f64)>> {
    let question = question(py, cube, jacoby, false)?;
    let best = looked_up(py, table.best_play(&position.0, roll.0, question))?;
    Ok(best.map(|(play, value)| (PyPlay(play), value)))
}

/// No double, double and take, double and drop, the best of them, and the number of the action.
pub fn cube_action(
    py: Python<'_>,
    table: &impl MoneyTable,
    position: &PyPosition,
    cube: Cube<'_>,
    jacoby: bool,
) -> PyResult<([f64; 4], u8)> {
    let question = question(py, cube, jacoby, false)?;
    let action = looked_up(py, table.cube_action(&position.0, question))?;
    Ok(([action.no_double, action.double_take, action.double_drop, action.best], action.action as u8))
}
