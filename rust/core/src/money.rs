//! What any table of money equities can be asked, once it says what rolling is worth.

use std::fmt;
use std::io;

use crate::bearoff::two_sided::CubeAction;
use crate::cube::{Action, choose};
use crate::dice::Roll;
use crate::ladder::Owner;
use crate::play::Play;
use crate::position::Position;

/// Why a table has no answer.
#[derive(Debug)]
pub enum LookupError {
    /// The position is not one of the table's; the text says why.
    NotInDatabase(String),
    /// A cube was asked of a table without one.
    Cubeless,
    /// The file could not be read.
    Io(io::Error),
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LookupError::NotInDatabase(reason) => f.write_str(reason),
            LookupError::Cubeless => f.write_str("the table has no equities with a cube"),
            LookupError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LookupError {}

/// What is asked about a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// Who owns the cube, seen by the player on roll; `None`: nobody ever doubles.
    pub cube: Option<Owner>,
    /// Whether gammons count single while the cube is centred (rule 7.6).
    pub jacoby: bool,
    /// The player on roll does not double this turn.
    pub no_double: bool,
}

impl Question {
    /// The same for the opponent, who may double.
    fn flip(self) -> Question {
        Question { cube: self.cube.map(Owner::flip), no_double: false, ..self }
    }

    fn may_double(self) -> bool {
        matches!(self.cube, Some(Owner::Player | Owner::Centred))
    }
}

/// A table of money equities, per unit of the cube as it lies, for the player on roll.
pub trait MoneyTable {
    /// The equity when the player on roll rolls now, without a double; what a finished game pays.
    ///
    /// # Errors
    /// [`LookupError`] for what the table does not hold.
    fn rolling(&self, position: &Position, cube: Option<Owner>, jacoby: bool) -> Result<f64, LookupError>;

    /// The equity with the best cube action from now on.
    ///
    /// # Errors
    /// As for [`MoneyTable::rolling`].
    fn value(&self, position: &Position, question: Question) -> Result<f64, LookupError> {
        let rolling = self.rolling(position, question.cube, question.jacoby)?;
        if question.no_double || !question.may_double() || position.is_over() {
            return Ok(rolling);
        }
        Ok(rolling.max(self.double_take(position, question)?.min(1.0)))
    }

    /// The equity after a double that is taken.
    ///
    /// # Errors
    /// As for [`MoneyTable::rolling`].
    fn double_take(&self, position: &Position, question: Question) -> Result<f64, LookupError> {
        Ok(2.0 * self.rolling(position, Some(Owner::Opponent), question.jacoby)?)
    }

    /// The best play of a roll and what it is worth; of equal plays the first. `None` for a dance or a finished game.
    ///
    /// # Errors
    /// As for [`MoneyTable::rolling`].
    fn best_play(
        &self,
        position: &Position,
        roll: Roll,
        question: Question,
    ) -> Result<Option<(Play, f64)>, LookupError> {
        self.rolling(position, question.cube, question.jacoby)?;
        let mut best: Option<(Play, f64)> = None;
        for play in position.plays(roll) {
            let worth = -self.value(&play.next(), question.flip())?;
            if best.is_none_or(|(_, highest)| worth > highest) {
                best = Some((play, worth));
            }
        }
        Ok(best)
    }

    /// What to do with a cube before rolling. Equal equities: double, and take.
    ///
    /// # Errors
    /// As for [`MoneyTable::rolling`], and [`LookupError::Cubeless`] without a cube.
    fn cube_action(&self, position: &Position, question: Question) -> Result<CubeAction, LookupError> {
        if question.cube.is_none() {
            return Err(LookupError::Cubeless);
        }
        let no_double = self.rolling(position, question.cube, question.jacoby)?;
        if !question.may_double() || position.is_over() {
            let none = f64::NAN;
            let action = Action::Unavailable;
            return Ok(CubeAction { no_double, double_take: none, double_drop: none, best: no_double, action });
        }
        let take = self.double_take(position, question)?;
        let drop = 1.0;
        let (action, best) = choose(no_double, take, drop, f64::NAN);
        Ok(CubeAction { no_double, double_take: take, double_drop: drop, best, action })
    }
}
