//! Text from Python, which may hold what is no Unicode.

use std::ops::Deref;

use pyo3::prelude::*;
use pyo3::types::PyString;

/// A text. A lone surrogate, as in an argument of the command line that is not UTF-8, is read as U+FFFD: no name, ID or
/// play has it, so the reader refuses it with its own error.
pub struct Text(String);

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Text> {
        Ok(Text(value.cast::<PyString>()?.to_string_lossy().into_owned()))
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.to_owned())
    }
}
