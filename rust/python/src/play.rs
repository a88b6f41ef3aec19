//! Plays of a roll.

use gammon_core::{Play, PlayError, Position, Roll};
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;

use crate::dice::PyRoll;
use crate::errors::Raise;
use crate::notebook::picture;
use crate::numbers::whole;
use crate::position::PyPosition;
use crate::text::Text;

/// A legal play of a roll: up to four steps, and the position they lead to.
///
/// >>> play = Position.start().play("24/20", Roll(3, 1))
/// >>> play.steps, str(play), play.next.pips
/// (((24, 23), (23, 20)), '24/20', 167)
#[pyclass(name = "Play", module = "gammon", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PyPlay(pub Play);

#[pymethods]
impl PyPlay {
    /// Its steps (from, to) in canonical order: 25 is the bar, 0 is off. Empty for a dance.
    ///
    /// >>> Position.start().play("24/20", Roll(3, 1)).steps
    /// ((24, 23), (23, 20))
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        pyo3::types::PyTuple::new(py, self.0.steps().iter().map(|step| (step.from, step.to)))
    }

    /// For each step whether it hits.
    ///
    /// >>> position = Position.from_points({6: 2, 8: 2}, opponent={20: 1, 6: 2})
    /// >>> position.play("8/5* 6/5", Roll(3, 1)).hits
    /// (True, False)
    #[getter]
    fn hits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        pyo3::types::PyTuple::new(py, self.0.hits().map(|(_, hit)| hit).collect::<Vec<_>>())
    }

    /// The position it is made in.
    ///
    /// >>> Position.start().play("8/5 6/5", Roll(3, 1)).before == Position.start()
    /// True
    #[getter]
    fn before(&self) -> PyPosition {
        PyPosition(*self.0.before())
    }

    /// The position it leads to, in the view of the player who made it.
    ///
    /// >>> after = Position.start().play("8/5 6/5", Roll(3, 1)).after
    /// >>> after.pips, after[5]
    /// (163, 2)
    #[getter]
    fn after(&self) -> PyPosition {
        PyPosition(*self.0.after())
    }

    /// The position it leads to, in the opponent's view: the position they roll in.
    ///
    /// >>> play = Position.start().play("8/5 6/5", Roll(3, 1))
    /// >>> play.next.opponent_pips, play.next == play.after.flip()
    /// (163, True)
    #[getter]
    fn next(&self) -> PyPosition {
        PyPosition(self.0.next())
    }

    /// The roll it plays.
    ///
    /// >>> Position.start().play("8/5 6/5", Roll(3, 1)).roll
    /// Roll(3, 1)
    #[getter]
    fn roll(&self) -> PyRoll {
        PyRoll(self.0.roll())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    /// The board with the play as arrows, for notebooks.
    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        picture(slf.as_any())
    }

    fn __repr__(&self) -> String {
        let before = PyPosition(*self.0.before());
        format!("{}.play('{}', {:?})", before.__repr__(), self.0, self.0.roll())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, PyRoll))> {
        let before = Bound::new(py, self.before())?;
        Ok((before.getattr("play")?, (self.0.to_string(), self.roll())))
    }
}

/// The distinct legal plays of a roll in canonical order, highest first: a sequence.
///
/// >>> plays = Position.start().plays(Roll(6, 5))
/// >>> len(plays), str(plays[0]), "24/13" in plays
/// (7, '24/13', True)
#[pyclass(name = "Plays", module = "gammon", frozen, sequence, eq)]
#[derive(PartialEq, Eq)]
pub struct PyPlays {
    position: Position,
    roll: Roll,
    plays: Vec<Play>,
}

impl PyPlays {
    pub fn of(position: &Position, roll: Roll) -> PyPlays {
        PyPlays { position: *position, roll, plays: position.plays(roll) }
    }
}

#[pymethods]
impl PyPlays {
    /// The position they are plays of.
    ///
    /// >>> Position.start().plays("31").position == Position.start()
    /// True
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(self.position)
    }

    /// The roll they play.
    ///
    /// >>> Position.start().plays("31").roll
    /// Roll(3, 1)
    #[getter]
    fn roll(&self) -> PyRoll {
        PyRoll(self.roll)
    }

    fn __len__(&self) -> usize {
        self.plays.len()
    }

    fn __getitem__(&self, index: &Bound<'_, PyAny>) -> PyResult<PyPlay> {
        let given = whole(index)?;
        let place = if given < 0 { given + self.plays.len() as i64 } else { given };
        let play = usize::try_from(place).ok().and_then(|place| self.plays.get(place));
        play.copied()
            .map(PyPlay)
            .ok_or_else(|| PyIndexError::new_err(format!("there are {} plays, no number {index}", self.plays.len())))
    }

    fn __iter__(slf: Bound<'_, Self>) -> PlayIterator {
        PlayIterator { plays: slf.unbind(), next: 0 }
    }

    /// Whether a Play, a text or a resulting Position (in the mover's view) is one of them.
    fn __contains__(&self, item: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(play) = item.cast::<PyPlay>() {
            Ok(self.plays.contains(&play.get().0))
        } else if let Ok(position) = item.cast::<PyPosition>() {
            Ok(self.plays.iter().any(|play| *play.after() == position.get().0))
        } else if let Ok(text) = item.extract::<Text>() {
            match self.position.play(&text, self.roll) {
                // The empty play of a dance is not in the list.
                Ok(play) => Ok(self.plays.contains(&play)),
                Err(error @ PlayError::Notation { .. }) => Err(error.raise(item.py())),
                Err(_) => Ok(false),
            }
        } else {
            Err(PyTypeError::new_err(format!("a Play, a text or a Position, not {}", item.get_type().name()?)))
        }
    }

    fn __repr__(&self) -> String {
        format!("{}.plays({:?})", PyPosition(self.position).__repr__(), self.roll)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PyRoll,))> {
        Ok((Bound::new(py, self.position())?.getattr("plays")?, (self.roll(),)))
    }
}

/// Goes through plays.
#[pyclass(module = "gammon._core")]
pub struct PlayIterator {
    plays: Py<PyPlays>,
    next: usize,
}

#[pymethods]
impl PlayIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> Option<PyPlay> {
        let play = self.plays.get().plays.get(self.next).copied().map(PyPlay);
        self.next += 1;
        play
    }
}
