//! Arrays from Python: checked for dtype, shape and content, and copied, so that no thread can change them meanwhile.

use gammon_core::id::Key;
use gammon_core::position::CELLS;
use gammon_core::{Position, Roll};
use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::{Kind, Raise};
use crate::text::Text;

/// How an array looks, for messages.
fn describe(value: &Bound<'_, PyAny>) -> String {
    match value.cast::<PyUntypedArray>() {
        Ok(array) => {
            format!("{} of shape {}", array.dtype(), value.getattr("shape").map_or(String::new(), |s| s.to_string()))
        }
        Err(_) => value.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string()),
    }
}

/// Reads an int8 array of shape (N, 28).
pub fn positions(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<Position>> {
    let py = value.py();
    let array = value
        .extract::<PyReadonlyArray2<'_, i8>>()
        .ok()
        .filter(|array| array.shape()[1] == CELLS)
        .ok_or_else(|| Kind::Array.error(py, format!("{name}: int8 of shape (N, 28), not {}", describe(value))))?;
    let check = |row: usize, cells: &[i8; CELLS]| {
        Position::from_cells(cells).map_err(|error| error.raise_at(py, &format!("{name}: row {row}")))
    };
    let view = array.as_array();
    // Of the view, not of the array: that one also calls columns after columns (Fortran order) a slice.
    if let Some(flat) = view.as_slice() {
        let (rows, _) = flat.as_chunks::<CELLS>();
        return rows.iter().enumerate().map(|(row, cells)| check(row, cells)).collect();
    }
    let mut cells = [0; CELLS];
    view.rows()
        .into_iter()
        .enumerate()
        .map(|(row, values)| {
            cells.iter_mut().zip(values).for_each(|(cell, &value)| *cell = value);
            check(row, &cells)
        })
        .collect()
}

/// Reads a uint8 array of shape (N, 2) with the rolls of N rows.
pub fn rolls(name: &str, value: &Bound<'_, PyAny>, rows: usize) -> PyResult<Vec<Roll>> {
    let py = value.py();
    let array = value
        .extract::<PyReadonlyArray2<'_, u8>>()
        .ok()
        .filter(|array| array.shape()[1] == 2)
        .ok_or_else(|| Kind::Array.error(py, format!("{name}: uint8 of shape (N, 2), not {}", describe(value))))?;
    if array.shape()[0] != rows {
        let message = format!("{name}: {} rows, but there are {rows} positions", array.shape()[0]);
        return Err(Kind::Array.error(py, message));
    }
    array
        .as_array()
        .rows()
        .into_iter()
        .enumerate()
        .map(|(row, dice)| {
            Roll::new(dice[0], dice[1]).ok_or_else(|| {
                Kind::Array.error(py, format!("{name}: row {row}: dice are 1 to 6, not {} and {}", dice[0], dice[1]))
            })
        })
        .collect()
}

/// Reads Position IDs.
pub fn ids(py: Python<'_>, ids: &[Text], checkers: u8) -> PyResult<Vec<Position>> {
    let read = |(row, id): (usize, &Text)| {
        Position::from_id(id, checkers).map_err(|error| error.raise_at(py, &format!("row {row}")))
    };
    ids.iter().enumerate().map(read).collect()
}

/// Reads a uint8 array of shape (N, 10) with the bits of Position IDs.
pub fn keys(name: &str, value: &Bound<'_, PyAny>, checkers: u8) -> PyResult<Vec<Position>> {
    let py = value.py();
    let array =
        value
            .extract::<PyReadonlyArray2<'_, u8>>()
            .ok()
            .filter(|array| array.shape()[1] == size_of::<Key>())
            .ok_or_else(|| Kind::Array.error(py, format!("{name}: uint8 of shape (N, 10), not {}", describe(value))))?;
    let mut key = Key::default();
    let read = |(row, bytes): (usize, ArrayView1<'_, u8>)| {
        key.iter_mut().zip(bytes).for_each(|(byte, &value)| *byte = value);
        Position::from_key(&key, checkers).map_err(|error| error.raise_at(py, &format!("{name}: row {row}")))
    };
    array.as_array().rows().into_iter().enumerate().map(read).collect()
}

/// The bits of Position IDs as a uint8 array of shape (N, 10), without a copy.
pub fn from_keys(py: Python<'_>, keys: Vec<Key>) -> PyResult<Bound<'_, PyArray2<u8>>> {
    let rows = keys.len();
    PyArray1::from_vec(py, keys.into_flattened()).reshape([rows, size_of::<Key>()])
}

/// Positions as an int8 array of shape (N, 28), without a copy.
pub fn from_cells(py: Python<'_>, cells: Vec<[i8; CELLS]>) -> PyResult<Bound<'_, PyArray2<i8>>> {
    let rows = cells.len();
    PyArray1::from_vec(py, cells.into_flattened()).reshape([rows, CELLS])
}

/// Positions as an int8 array of shape (N, 28).
pub fn from_positions<'py>(py: Python<'py>, positions: &[Position]) -> PyResult<Bound<'py, PyArray2<i8>>> {
    from_cells(py, positions.iter().map(|position| *position.cells()).collect())
}
