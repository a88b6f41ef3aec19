//! Whole numbers from Python, of any size.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

/// A whole number. One beyond 64 bits is as far out of every range as the last of them, so its caller refuses it.
pub fn whole(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    match value.extract::<i64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            Ok(if value.lt(0)? { i64::MIN } else { i64::MAX })
        }
        answer => answer,
    }
}
