//! Positions and how games end.

use gammon_core::parallel::Control;
use gammon_core::position::{BAR, CELLS, OPPONENT_BAR};
use gammon_core::{Outcome, Position, Setup, Side, Variant};
use numpy::{PyArray1, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::dice::RollLike;
use crate::errors::{Kind, Raise};
use crate::long_work;
use crate::notebook::picture;
use crate::numbers::whole;
use crate::play::{PyPlay, PyPlays};
use crate::text::Text;

/// The checkers of both sides, seen by the player on roll. Immutable and always valid.
///
/// Points are numbered 1 to 24 from the player's own side; own checkers count above 0, the opponent's below.
/// Make one with `start`, `from_id`, `from_points` or `from_array`.
///
/// >>> position = Position.start()
/// >>> position.id, position.pips, position[6], position[1]
/// ('4HPwATDgc/ABMA', 167, 5, -2)
#[pyclass(name = "Position", module = "gammon", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PyPosition(pub Position);

/// Checks how many checkers a side has.
pub fn checkers_from(value: &Bound<'_, PyAny>) -> PyResult<u8> {
    match whole(value)? {
        n @ 1..=15 => Ok(n as u8),
        _ => Err(Kind::InvalidArgument.error(value.py(), format!("checkers is 1 to 15, not {value}"))),
    }
}

/// Reads a count that may be wrong, but has to be told apart from nonsense.
fn count_from(value: &Bound<'_, PyAny>, place: &str) -> PyResult<i32> {
    match value.extract::<i16>() {
        Ok(count) => Ok(i32::from(count)),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => Err(error),
        Err(_) => Err(Kind::InvalidPosition.error(value.py(), format!("not a position: {value} checkers {place}"))),
    }
}

fn side_from(
    points: Option<&Bound<'_, PyDict>>,
    bar: &Bound<'_, PyAny>,
    off: Option<&Bound<'_, PyAny>>,
    checkers: u8,
) -> PyResult<Side> {
    let mut side = Side::default();
    for (point, count) in points.into_iter().flatten() {
        let Some(place) = usize::try_from(whole(&point)?).ok().filter(|&place| (1..BAR).contains(&place)) else {
            let message = format!("not a position: points are 1 to 24, not {point}");
            return Err(Kind::InvalidPosition.error(count.py(), message));
        };
        side.points[place] = count_from(&count, &format!("on point {place}"))?;
    }
    side.points[BAR] = count_from(bar, "on the bar")?;
    side.off = match off {
        Some(off) => count_from(off, "off")?,
        None => side.others(checkers),
    };
    Ok(side)
}

#[pymethods]
impl PyPosition {
    /// The start of a game: "standard", "nackgammon", "hypergammon" or "longgammon".
    ///
    /// Raises InvalidArgumentError for another name.
    ///
    /// >>> Position.start("hypergammon").pips
    /// 69
    #[staticmethod]
    #[pyo3(signature = (variant = Text::from("standard")), text_signature = "(variant='standard')")]
    fn start(py: Python<'_>, variant: Text) -> PyResult<PyPosition> {
        variant_from(py, &variant).map(|variant| PyPosition(Position::start(variant)))
    }

    /// The position of a GNU Position ID; a side's checkers that are not on the board are off.
    ///
    /// `checkers`, 1 to 15, is what each side has in all. Raises NotationError if it cannot be read,
    /// InvalidPositionError if it is no position, InvalidArgumentError for another number of checkers.
    ///
    /// >>> Position.from_id("4HPwATDgc/ABMA") == Position.start()
    /// True
    #[staticmethod]
    #[pyo3(signature = (id, *, checkers = None))]
    fn from_id(py: Python<'_>, id: Text, checkers: Option<&Bound<'_, PyAny>>) -> PyResult<PyPosition> {
        let checkers = checkers.map_or(Ok(15), checkers_from)?;
        Position::from_id(&id, checkers).map(PyPosition).map_err(|error| error.raise(py))
    }

    /// The position of counts by point, each side in its own numbering.
    ///
    /// `off=None` means those of `checkers` that are not on the board; a smaller number means missing checkers.
    /// Raises InvalidPositionError with all faults together, InvalidArgumentError for `checkers` outside 1 to 15.
    ///
    /// >>> Position.from_points({24: 2, 13: 5, 8: 3, 6: 5}, opponent={24: 2, 13: 5, 8: 3, 6: 5}) == Position.start()
    /// True
    #[staticmethod]
    #[pyo3(signature = (
        points, /, opponent = None, bar = None, opponent_bar = None, off = None, opponent_off = None, checkers = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn from_points(
        py: Python<'_>,
        points: &Bound<'_, PyDict>,
        opponent: Option<&Bound<'_, PyDict>>,
        bar: Option<&Bound<'_, PyAny>>,
        opponent_bar: Option<&Bound<'_, PyAny>>,
        off: Option<&Bound<'_, PyAny>>,
        opponent_off: Option<&Bound<'_, PyAny>>,
        checkers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPosition> {
        let checkers = checkers.map_or(Ok(15), checkers_from)?;
        let zero = 0i32.into_pyobject(py)?.into_any();
        let own = side_from(Some(points), bar.unwrap_or(&zero), off, checkers)?;
        let opponent = side_from(opponent, opponent_bar.unwrap_or(&zero), opponent_off, checkers)?;
        Setup { own, opponent }.validate_for(checkers).map(PyPosition).map_err(|error| error.raise(py))
    }

    /// The position of an int8 array of shape (28,), or of 28 whole numbers.
    ///
    /// Raises ArrayError for anything else, InvalidPositionError for numbers that are no position.
    ///
    /// >>> Position.from_array(Position.start().to_array()) == Position.start()
    /// True
    #[staticmethod]
    #[pyo3(signature = (array, /))]
    fn from_array(array: &Bound<'_, PyAny>) -> PyResult<PyPosition> {
        let py = array.py();
        let cells: Vec<i8> = if let Ok(array) = array.extract::<PyReadonlyArray1<'_, i8>>() {
            if array.len() == CELLS { array.as_array().to_vec() } else { Vec::new() }
        } else if array.is_instance_of::<pyo3::types::PyList>() || array.is_instance_of::<pyo3::types::PyTuple>() {
            array.extract().map_err(|_| Kind::Array.error(py, format!("not 28 whole numbers of 8 bits: {array}")))?
        } else {
            let message = format!("a position is an int8 array of shape (28,), not {}", array.get_type().name()?);
            return Err(Kind::Array.error(py, message));
        };
        let cells: [i8; CELLS] =
            cells.try_into().map_err(|_| Kind::Array.error(py, "a position is an array of shape (28,)"))?;
        Position::from_cells(&cells).map(PyPosition).map_err(|error| error.raise(py))
    }

    #[allow(clippy::wrong_self_convention, reason = "a method of Python")]
    /// The array form, int8 of shape (28,): opponent's bar (<= 0), points 1 to 24, bar, off, opponent's off.
    ///
    /// >>> cells = Position.start().to_array()
    /// >>> cells.dtype.name, cells.shape, int(cells[24])
    /// ('int8', (28,), 2)
    fn to_array<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i8>> {
        PyArray1::from_slice(py, self.0.cells())
    }

    /// The GNU Position ID. It does not hold how many checkers are off.
    ///
    /// >>> Position.start().id
    /// '4HPwATDgc/ABMA'
    #[getter]
    fn id(&self) -> String {
        self.0.id()
    }

    /// The same checkers as the opponent sees them.
    ///
    /// >>> race = Position.from_points({6: 2}, opponent={1: 1})
    /// >>> race.flip().pips, race.flip().flip() == race
    /// (1, True)
    fn flip(&self) -> PyPosition {
        PyPosition(self.0.flip())
    }

    /// Checkers on point 1 to 24: own above 0, the opponent's below.
    fn __getitem__(&self, point: &Bound<'_, PyAny>) -> PyResult<i8> {
        match usize::try_from(whole(point)?) {
            Ok(place @ 1..BAR) => Ok(self.0.cell(place)),
            _ => Err(PyIndexError::new_err(format!("points are 1 to 24, not {point}; see also .bar and .off"))),
        }
    }

    fn __iter__(&self) -> PyResult<Py<PyAny>> {
        Err(PyTypeError::new_err("a Position is not iterable: use to_array()"))
    }

    /// Own checkers on the bar.
    ///
    /// >>> Position.from_points({6: 2}, opponent={6: 2}, bar=1).bar
    /// 1
    #[getter]
    fn bar(&self) -> u8 {
        self.0.bar()
    }

    /// Own checkers borne off.
    ///
    /// >>> Position.from_points({6: 2}, opponent={6: 3}).off
    /// 13
    #[getter]
    fn off(&self) -> u8 {
        self.0.off()
    }

    /// The opponent's checkers on the bar.
    ///
    /// >>> Position.from_points({6: 2}, opponent={6: 2}, opponent_bar=1).opponent_bar
    /// 1
    #[getter]
    fn opponent_bar(&self) -> u8 {
        self.0.opponent_bar()
    }

    /// The opponent's checkers borne off.
    ///
    /// >>> Position.from_points({6: 2}, opponent={6: 3}).opponent_off
    /// 12
    #[getter]
    fn opponent_off(&self) -> u8 {
        self.0.opponent_off()
    }

    /// The player's pip count.
    ///
    /// >>> Position.from_points({6: 2, 5: 1}, opponent={6: 3}, bar=1).pips
    /// 42
    #[getter]
    fn pips(&self) -> u16 {
        self.0.pips()
    }

    /// The opponent's pip count.
    ///
    /// >>> Position.from_points({6: 2}, opponent={6: 3}).opponent_pips
    /// 18
    #[getter]
    fn opponent_pips(&self) -> u16 {
        self.0.opponent_pips()
    }

    /// Whether a side has no checker left in play.
    ///
    /// >>> Position.from_points({}, opponent={6: 3}).is_over
    /// True
    #[getter]
    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// Whether some checkers still have to pass each other.
    ///
    /// >>> Position.start().is_contact, Position.from_points({6: 2}, opponent={6: 3}).is_contact
    /// (True, False)
    #[getter]
    fn is_contact(&self) -> bool {
        self.0.is_contact()
    }

    /// "over", "bearoff", "race", "crashed" or "contact".
    ///
    /// >>> Position.start().class_
    /// 'contact'
    #[getter]
    fn class_(&self) -> &'static str {
        self.0.class().name()
    }

    /// How the game ended for the player on roll; None while it goes on.
    ///
    /// >>> Position.from_points({}, opponent={6: 15}).outcome
    /// Outcome(2)
    /// >>> Position.start().outcome is None
    /// True
    #[getter]
    fn outcome(&self) -> Option<PyOutcome> {
        self.0.outcome().map(PyOutcome)
    }

    /// The distinct legal plays of a roll: a sequence, empty for a dance or a finished game.
    ///
    /// Raises NotationError for a text that is no roll.
    ///
    /// >>> plays = Position.start().plays(Roll(3, 1))
    /// >>> len(plays), str(plays[0]), "8/5 6/5" in plays
    /// (16, '24/23 24/21', True)
    /// >>> len(Position.start().plays("66"))
    /// 11
    #[pyo3(signature = (roll, /))]
    fn plays(&self, roll: RollLike) -> PyPlays {
        PyPlays::of(&self.0, roll.0)
    }

    /// The legal play that a text says; "" is the empty play of a dance.
    ///
    /// Raises NotationError, IllegalPlayError with the reason, or AmbiguousPlayError if it means plays that hit
    /// differently.
    ///
    /// >>> Position.start().play("8/5 6/5", Roll(3, 1)).after.bar
    /// 0
    #[pyo3(signature = (text, roll, /))]
    fn play(&self, py: Python<'_>, text: Text, roll: RollLike) -> PyResult<PyPlay> {
        self.0.play(&text, roll.0).map(PyPlay).map_err(|error| error.raise(py))
    }

    fn __str__(&self) -> String {
        self.0.id()
    }

    /// The board, for notebooks.
    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        picture(slf.as_any())
    }

    pub fn __repr__(&self) -> String {
        let position = &self.0;
        let ids = [15, 3].into_iter().filter(|&n| Position::from_id(&position.id(), n).as_ref() == Ok(position));
        match ids.into_iter().next() {
            Some(15) => format!("Position.from_id('{}')", position.id()),
            Some(checkers) => format!("Position.from_id('{}', checkers={checkers})", position.id()),
            None => format!("Position.from_array({:?})", position.cells()),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Vec<i8>,))> {
        let rebuild = py.get_type::<PyPosition>().getattr("from_array")?;
        Ok((rebuild, (self.0.cells().to_vec(),)))
    }
}

/// The variant of a name.
pub fn variant_from(py: Python<'_>, name: &str) -> PyResult<Variant> {
    Variant::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Variant::ALL.iter().map(|variant| variant.name()).collect();
        Kind::InvalidArgument.error(py, format!("variant is one of {}, not {name:?}", names.join(", ")))
    })
}

/// How a game ended, as the player on roll sees it: points -3 to 3 without 0.
///
/// Raises InvalidArgumentError for another number.
///
/// >>> Outcome(2)
/// Outcome(2)
/// >>> Outcome(2).level, Outcome(2).is_win, Outcome(2).flip().points
/// ('gammon', True, -2)
#[pyclass(name = "Outcome", module = "gammon", frozen, eq, ord, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PyOutcome(pub Outcome);

#[pymethods]
impl PyOutcome {
    #[new]
    #[pyo3(signature = (points, /))]
    fn new(points: &Bound<'_, PyAny>) -> PyResult<PyOutcome> {
        let value = i8::try_from(whole(points)?).unwrap_or(0);
        Outcome::from_points(value).map(PyOutcome).ok_or_else(|| {
            Kind::InvalidArgument.error(points.py(), format!("points are -3 to 3 without 0, not {points}"))
        })
    }

    /// Points for the player before stake and cube: -3 to 3.
    ///
    /// >>> Outcome(-3).points
    /// -3
    #[getter]
    fn points(&self) -> i8 {
        self.0.points()
    }

    /// "single", "gammon" or "backgammon".
    ///
    /// >>> Outcome(-3).level
    /// 'backgammon'
    #[getter]
    fn level(&self) -> &'static str {
        self.0.level()
    }

    /// Whether the player won.
    ///
    /// >>> Outcome(2).is_win, Outcome(-2).is_win
    /// (True, False)
    #[getter]
    fn is_win(&self) -> bool {
        self.0.is_win()
    }

    /// The same game as the other player sees it.
    ///
    /// >>> Outcome(2).flip()
    /// Outcome(-2)
    fn flip(&self) -> PyOutcome {
        PyOutcome(self.0.flip())
    }

    fn __repr__(&self) -> String {
        format!("Outcome({})", self.0.points())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (i8,)) {
        (py.get_type::<PyOutcome>(), (self.0.points(),))
    }
}

/// Distinct results, summed over the 21 rolls at each level.
/// The points of the end that comes whatever is thrown, if it is certain.
#[pyfunction]
#[pyo3(signature = (position, /))]
pub fn certain_points(position: &PyPosition) -> Option<i8> {
    gammon_core::certain::certain_end(&position.0).map(gammon_core::Outcome::points)
}

#[pyfunction]
#[pyo3(signature = (position, depth, *, threads = None, progress = None))]
pub fn perft(
    py: Python<'_>,
    position: &Bound<'_, PyPosition>,
    depth: &Bound<'_, PyAny>,
    threads: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<u64> {
    let position = position.get().0;
    let depth = long_work::unsigned(depth, "depth", 20)? as u32;
    let threads = long_work::threads(threads)?;
    let total: usize =
        gammon_core::Roll::ALL.into_iter().map(|roll| gammon_core::movegen::count(&position, roll).max(1)).sum();
    let work = |control: &Control| gammon_core::perft::perft_parallel(&position, depth, threads, control);
    match long_work::run(py, progress, total as u64, work) {
        (_, Some(error)) => Err(error),
        (count, None) => Ok(count.expect("only an error cancels")),
    }
}

const _: () = assert!(OPPONENT_BAR == 0, "documented in to_array");
