//! Rolls and random throws.

use gammon_core::Roll;
use gammon_core::rng::{Purpose, Stream};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::errors::Kind;
use crate::numbers::whole;
use crate::text::Text;

/// Two dice without an order; the larger is first.
///
/// Raises InvalidArgumentError for dice outside 1 to 6.
///
/// >>> roll = Roll(1, 3)
/// >>> str(roll), roll.high, roll.low, roll.weight, roll.is_double, roll.index
/// ('31', 3, 1, 2, False, 3)
#[pyclass(name = "Roll", module = "gammon", frozen, eq, ord, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PyRoll(pub Roll);

#[pymethods]
impl PyRoll {
    #[new]
    #[pyo3(signature = (first, second, /))]
    fn new(first: &Bound<'_, PyAny>, second: &Bound<'_, PyAny>) -> PyResult<PyRoll> {
        let die = |value: &Bound<'_, PyAny>| whole(value).map(|die| u8::try_from(die).unwrap_or(0));
        Roll::new(die(first)?, die(second)?).map(PyRoll).ok_or_else(|| {
            Kind::InvalidArgument.error(first.py(), format!("dice are 1 to 6, not {first} and {second}"))
        })
    }

    /// The roll of a text such as "31", "3-1" or "3 1". Raises NotationError.
    ///
    /// >>> Roll.parse("31")
    /// Roll(3, 1)
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn parse(py: Python<'_>, text: Text) -> PyResult<PyRoll> {
        text.parse().map(PyRoll).map_err(|error| Kind::Notation.error(py, error))
    }

    /// The 21 rolls in the order of `index`.
    ///
    /// >>> [str(roll) for roll in Roll.all()[:4]], sum(roll.weight for roll in Roll.all())
    /// (['11', '21', '22', '31'], 36)
    #[staticmethod]
    fn all() -> Vec<PyRoll> {
        Roll::ALL.into_iter().map(PyRoll).collect()
    }

    /// The 15 rolls that can open a game (rule 2.1), each equally likely.
    ///
    /// >>> len(Roll.openings())
    /// 15
    #[staticmethod]
    fn openings() -> Vec<PyRoll> {
        Roll::openings().map(PyRoll).collect()
    }

    /// The 36 ordered throws as pairs of dice.
    ///
    /// >>> len(Roll.throws()), Roll.throws()[:2]
    /// (36, [(1, 1), (1, 2)])
    #[staticmethod]
    fn throws() -> Vec<(u8, u8)> {
        Roll::throws().collect()
    }

    /// The larger die.
    ///
    /// >>> Roll(1, 3).high
    /// 3
    #[getter]
    fn high(&self) -> u8 {
        self.0.high()
    }

    /// The smaller die.
    ///
    /// >>> Roll(1, 3).low
    /// 1
    #[getter]
    fn low(&self) -> u8 {
        self.0.low()
    }

    /// How many of the 36 throws give this roll: 1 for a double, else 2.
    ///
    /// >>> Roll(3, 1).weight, Roll(3, 3).weight
    /// (2, 1)
    #[getter]
    fn weight(&self) -> u8 {
        self.0.weight()
    }

    /// Whether both dice are equal, which gives four steps.
    ///
    /// >>> Roll(3, 3).is_double
    /// True
    #[getter]
    fn is_double(&self) -> bool {
        self.0.is_double()
    }

    /// The place in `Roll.all()`, 0 to 20.
    ///
    /// >>> Roll(3, 1).index, Roll.all()[3]
    /// (3, Roll(3, 1))
    #[getter]
    fn index(&self) -> usize {
        self.0.index()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (u8, u8)) {
        (py.get_type::<PyRoll>(), (self.0.high(), self.0.low()))
    }
}

/// What every function that asks for a roll takes: a `Roll`, or a text of one.
pub struct RollLike(pub Roll);

impl<'a, 'py> FromPyObject<'a, 'py> for RollLike {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<RollLike> {
        if let Ok(roll) = value.cast::<PyRoll>() {
            return Ok(RollLike(roll.get().0));
        }
        if value.is_instance_of::<PyString>() {
            let text: Text = value.extract()?;
            return PyRoll::parse(value.py(), text).map(|roll| RollLike(roll.0));
        }
        let what = format!("a roll is a Roll or a text such as '31', not {}", value.repr()?);
        Err(Kind::InvalidArgument.error(value.py(), what))
    }
}

fn stream(purpose: &Bound<'_, PyAny>, seed: u64, game: u64, turn: u64, draw: u64) -> PyResult<Stream> {
    let purpose = match purpose.extract::<&str>()? {
        "dice" => Purpose::Dice,
        "player" => Purpose::Player,
        "rollout" => Purpose::Rollout,
        "cards" => Purpose::Cards,
        other => {
            return Err(Kind::InvalidArgument.error(purpose.py(), format!("no random stream is called {other:?}")));
        }
    };
    Ok(Stream::new(seed, purpose, game, turn, draw))
}

/// Two dice in the order thrown, from the place (game, turn, draw) of a stream.
#[pyfunction]
#[pyo3(signature = (purpose, seed, game, turn, draw, /))]
pub fn throw(purpose: &Bound<'_, PyAny>, seed: u64, game: u64, turn: u64, draw: u64) -> PyResult<(u8, u8)> {
    Ok(stream(purpose, seed, game, turn, draw)?.throw())
}

/// A number from 0 to n - 1 without bias, from the place (game, turn, draw) of a stream.
#[pyfunction]
#[pyo3(signature = (purpose, seed, game, turn, draw, n, /))]
pub fn below(purpose: &Bound<'_, PyAny>, seed: u64, game: u64, turn: u64, draw: u64, n: u64) -> PyResult<u64> {
    if n == 0 {
        return Err(Kind::InvalidArgument.error(purpose.py(), "n is at least 1, not 0"));
    }
    Ok(stream(purpose, seed, game, turn, draw)?.below(n))
}
