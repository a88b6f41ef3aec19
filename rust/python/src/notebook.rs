//! Pictures for notebooks. Python draws them: the binding only knows the door.

use pyo3::prelude::*;

/// The SVG of a value, from `gammon._notebook`.
pub fn picture<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    value.py().import("gammon._notebook")?.getattr("picture")?.call1((value,))
}
