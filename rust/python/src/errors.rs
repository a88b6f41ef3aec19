//! From the core's errors to the exceptions of `gammon.errors`.

use std::path::Path;

use gammon_core::id::IdError;
use gammon_core::nn::ModelError;
use gammon_core::{PlayError, PositionError};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

/// An error of the system, as the kind of OSError that its number means.
pub fn os_error(error: &std::io::Error, path: &Path) -> PyErr {
    match error.raw_os_error() {
        Some(code) => PyOSError::new_err((code, error.to_string(), path.to_owned())),
        None => PyOSError::new_err(format!("{}: {error}", path.display())),
    }
}

/// The classes of `gammon.errors` that the binding raises.
#[derive(Clone, Copy)]
pub enum Kind {
    Array,
    InvalidArgument,
    InvalidPosition,
    Notation,
    AmbiguousPlay,
    IllegalPlay,
    ModelFormat,
    NotInDatabase,
    FileFormat,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Kind::Array => "ArrayError",
            Kind::InvalidArgument => "InvalidArgumentError",
            Kind::InvalidPosition => "InvalidPositionError",
            Kind::Notation => "NotationError",
            Kind::AmbiguousPlay => "AmbiguousPlayError",
            Kind::IllegalPlay => "IllegalPlayError",
            Kind::ModelFormat => "ModelFormatError",
            Kind::NotInDatabase => "NotInDatabaseError",
            Kind::FileFormat => "FileFormatError",
        }
    }

    /// An exception of this class.
    pub fn error(self, py: Python<'_>, message: impl ToString) -> PyErr {
        let make = || py.import("gammon.errors")?.getattr(self.class())?.call1((message.to_string(),));
        match make() {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    }
}

/// What the core found wrong, as an exception.
pub trait Raise: std::fmt::Display {
    /// The class of the exception.
    fn kind(&self) -> Kind;

    /// The exception.
    fn raise(&self, py: Python<'_>) -> PyErr {
        self.kind().error(py, self)
    }

    /// The exception with the place of what is wrong.
    fn raise_at(&self, py: Python<'_>, place: &str) -> PyErr {
        self.kind().error(py, format!("{place}: {self}"))
    }
}

impl Raise for PositionError {
    fn kind(&self) -> Kind {
        Kind::InvalidPosition
    }
}

impl Raise for IdError {
    fn kind(&self) -> Kind {
        match self {
            IdError::Malformed { .. } => Kind::Notation,
            IdError::Position { .. } => Kind::InvalidPosition,
        }
    }
}

impl Raise for PlayError {
    fn kind(&self) -> Kind {
        match self {
            PlayError::Notation { .. } => Kind::Notation,
            PlayError::Illegal { .. } => Kind::IllegalPlay,
            PlayError::Ambiguous { .. } => Kind::AmbiguousPlay,
        }
    }
}

impl Raise for ModelError {
    fn kind(&self) -> Kind {
        Kind::ModelFormat
    }
}
