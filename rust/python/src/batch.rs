//! Batches: arrays in, arrays out, the GIL released in between.

use gammon_core::batch::{self, Plays, Ragged};
use gammon_core::features::Encoding;
use gammon_core::movegen::View;
use gammon_core::parallel::Control;
use gammon_core::position::CELLS;
use gammon_core::simulate;
use gammon_core::{Position, Variant};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyFixedUnicode, PyReadwriteArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::arrays;
use crate::errors::Kind;
use crate::long_work;
use crate::position::checkers_from;
use crate::text::Text;

pub fn view_from(py: Python<'_>, view: &str) -> PyResult<View> {
    match view {
        "mover" => Ok(View::Mover),
        "next" => Ok(View::Next),
        other => Err(Kind::InvalidArgument.error(py, format!("view is \"mover\" or \"next\", not {other:?}"))),
    }
}

type Positions<'py> = Bound<'py, PyArray2<i8>>;
type Offsets<'py> = Bound<'py, PyArray1<i64>>;

/// The place of each position's class among all classes.
#[pyfunction]
#[pyo3(signature = (positions, /))]
pub fn classes<'py>(positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let py = positions.py();
    let positions = arrays::positions("positions", positions)?;
    Ok(PyArray1::from_vec(py, py.detach(|| positions.iter().map(|position| position.class() as u8).collect())))
}

#[pyfunction]
#[pyo3(signature = (positions, rolls, view, out, threads, /))]
pub fn legal_positions<'py>(
    positions: &Bound<'py, PyAny>,
    rolls: &Bound<'py, PyAny>,
    view: Text,
    out: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Option<Positions<'py>>, Offsets<'py>)> {
    let py = positions.py();
    let view = view_from(py, &view)?;
    let threads = long_work::threads(threads)?;
    let positions = arrays::positions("positions", positions)?;
    let rolls = arrays::rolls("rolls", rolls, positions.len())?;
    let Some(out) = out else {
        let answers = py.detach(|| batch::legal_positions(&positions, &rolls, view, threads));
        return Ok((Some(arrays::from_cells(py, answers.values)?), PyArray1::from_vec(py, answers.offsets)));
    };
    let wrong = |reason: &str| Kind::Array.error(py, format!("out: {reason}"));
    let mut out: PyReadwriteArray2<'_, i8> =
        out.extract().map_err(|_| wrong("a writeable int8 array of shape (M, 28) that nothing else borrows"))?;
    if out.shape()[1] != CELLS {
        return Err(wrong("its shape is (M, 28)"));
    }
    if !out.is_c_contiguous() {
        return Err(wrong("its rows lie one after the other in memory"));
    }
    let flat = out.as_slice_mut().map_err(|error| wrong(&error.to_string()))?;
    let (rows, _) = flat.as_chunks_mut::<CELLS>();
    let offsets = py.detach(|| batch::legal_positions_into(&positions, &rolls, view, threads, rows));
    let offsets = offsets.map_err(|needed| wrong(&format!("it has {} rows, {needed} are needed", rows.len())))?;
    Ok((None, PyArray1::from_vec(py, offsets)))
}

#[pyfunction]
#[pyo3(signature = (positions, rolls, view, threads, /))]
#[allow(clippy::type_complexity, reason = "a tuple for Python")]
pub fn legal_plays<'py>(
    positions: &Bound<'py, PyAny>,
    rolls: &Bound<'py, PyAny>,
    view: Text,
    threads: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Positions<'py>, Bound<'py, PyArray3<i8>>, Offsets<'py>)> {
    let py = positions.py();
    let view = view_from(py, &view)?;
    let threads = long_work::threads(threads)?;
    let positions = arrays::positions("positions", positions)?;
    let rolls = arrays::rolls("rolls", rolls, positions.len())?;
    let Ragged { values: Plays { cells, steps }, offsets } =
        py.detach(|| batch::legal_plays(&positions, &rolls, view, threads));
    let plays = steps.len();
    let steps = PyArray1::from_vec(py, steps.into_flattened().into_flattened()).reshape([plays, 4, 2])?;
    Ok((arrays::from_cells(py, cells)?, steps, PyArray1::from_vec(py, offsets)))
}

#[pyfunction]
#[pyo3(signature = (positions, rolls, threads, /))]
pub fn count_plays<'py>(
    positions: &Bound<'py, PyAny>,
    rolls: &Bound<'py, PyAny>,
    threads: Option<&Bound<'_, PyAny>>,
) -> PyResult<Offsets<'py>> {
    let py = positions.py();
    let threads = long_work::threads(threads)?;
    let positions = arrays::positions("positions", positions)?;
    let rolls = arrays::rolls("rolls", rolls, positions.len())?;
    Ok(PyArray1::from_vec(py, py.detach(|| batch::count_plays(&positions, &rolls, threads))))
}

#[pyfunction]
#[pyo3(signature = (positions, /))]
pub fn flip<'py>(positions: &Bound<'py, PyAny>) -> PyResult<Positions<'py>> {
    let py = positions.py();
    let positions = arrays::positions("positions", positions)?;
    let cells = py.detach(|| positions.iter().map(|position| *position.flip().cells()).collect());
    arrays::from_cells(py, cells)
}

#[pyfunction]
#[pyo3(signature = (positions, /))]
pub fn pips<'py>(positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u16>>> {
    let py = positions.py();
    let positions = arrays::positions("positions", positions)?;
    let counts: Vec<_> =
        py.detach(|| positions.iter().flat_map(|position| [position.pips(), position.opponent_pips()]).collect());
    PyArray1::from_vec(py, counts).reshape([positions.len(), 2])
}

#[pyfunction]
#[pyo3(signature = (ids, checkers, /))]
pub fn from_ids<'py>(py: Python<'py>, ids: Vec<Text>, checkers: &Bound<'_, PyAny>) -> PyResult<Positions<'py>> {
    let positions = arrays::ids(py, &ids, checkers_from(checkers)?)?;
    arrays::from_positions(py, &positions)
}

#[pyfunction]
#[pyo3(signature = (positions, /))]
pub fn to_ids<'py>(positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<PyFixedUnicode<14>>>> {
    let py = positions.py();
    let positions = arrays::positions("positions", positions)?;
    let ids: Vec<_> = py.detach(|| {
        positions.iter().map(|position| PyFixedUnicode::from(position.id_letters().map(u32::from))).collect()
    });
    Ok(PyArray1::from_vec(py, ids))
}

#[pyfunction]
#[pyo3(signature = (keys, checkers, /))]
pub fn from_keys<'py>(keys: &Bound<'py, PyAny>, checkers: &Bound<'_, PyAny>) -> PyResult<Positions<'py>> {
    let positions = arrays::keys("keys", keys, checkers_from(checkers)?)?;
    arrays::from_positions(keys.py(), &positions)
}

#[pyfunction]
#[pyo3(signature = (positions, /))]
pub fn to_keys<'py>(positions: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let py = positions.py();
    let positions = arrays::positions("positions", positions)?;
    arrays::from_keys(py, py.detach(|| positions.iter().map(Position::key).collect()))
}

#[pyfunction]
#[pyo3(signature = (n, seed, /))]
pub fn random_positions<'py>(n: &Bound<'py, PyAny>, seed: &Bound<'_, PyAny>) -> PyResult<Positions<'py>> {
    let py = n.py();
    // 2^26 rows are 1.9 GB, and as much again while they become an array.
    let n = long_work::unsigned(n, "n", 1 << 26)?;
    let seed = long_work::seed(seed)?;
    let start = Position::start(Variant::Standard);
    let work = |control: &Control| simulate::random_positions(&start, n as usize, seed, control);
    match long_work::run(py, None, n, work) {
        (_, Some(error)) => Err(error),
        (positions, None) => arrays::from_positions(py, &positions),
    }
}

#[pyfunction]
#[pyo3(signature = (positions, encoding, /))]
pub fn features<'py>(positions: &Bound<'py, PyAny>, encoding: Text) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let py = positions.py();
    let encoding = Encoding::from_name(&encoding).ok_or_else(|| {
        let names: Vec<_> = Encoding::ALL.iter().map(|encoding| encoding.name()).collect();
        Kind::InvalidArgument.error(py, format!("encoding is one of {}, not {:?}", names.join(", "), &*encoding))
    })?;
    let positions = arrays::positions("positions", positions)?;
    let inputs = py.detach(|| {
        let mut inputs = vec![0.0; positions.len() * encoding.inputs()];
        for (position, row) in positions.iter().zip(inputs.chunks_exact_mut(encoding.inputs())) {
            encoding.write(position, row);
        }
        inputs
    });
    PyArray1::from_vec(py, inputs).reshape([positions.len(), encoding.inputs()])
}
