//! Rollouts: a position played out many times, and what it comes to on average.
//!
//! A [`Plan`] says what is played: the [`Start`]s that are compared, all of them on the same dice; what the game is
//! worth, as a [`Ladder`]; how the trials end. [`run`] plays trials and adds them up in a [`Standing`], in the order of
//! their numbers and one by one, so that the sums are the same to the last bit for any number of threads and for a run
//! that was cut and went on.
//!
//! # What makes the error small
//!
//! *Dice.* The first throws are stratified ([`TrialDice`]): all 36 first throws come up equally often.
//!
//! *Luck.* Before a throw the expected worth of the position is the mean of what the 21 rolls lead to, so what a roll
//! leads to minus that mean is zero on average, whoever plays and however wrong the evaluator is. Taking the luck of all
//! rolls off what the trial came to leaves its mean where it was and, as far as the evaluator is right, takes the noise
//! away.

mod ahead;
mod dice;
mod judge;
mod run;
mod tally;
#[cfg(test)]
mod tests;
mod trial;

use crate::cube::Action;
use crate::dice::Roll;
use crate::judge::Judge;
use crate::ladder::{Ladder, Owner};
use crate::position::Position;

pub use crate::search::LATER;
pub use ahead::Ahead;
pub use dice::{STRATIFIED, THROWS, TrialDice};
pub use run::{Contest, Limits, Played, add, play, run};
pub use tally::{Difference, STATISTICS, Sample, Standing, Tally};
pub use trial::MOST_TURNS;

/// A position that is rolled out, seen by the player on roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The position.
    pub position: Position,
    /// The level of the cube.
    pub level: usize,
    /// Who has it.
    pub owner: Owner,
    /// The turn of the game on which it is rolled, counted from 1 over both sides; [`LATER`] once nobody has to wait
    /// with a double. The roll of turn 1, the opening, is no double.
    pub turn: u32,
    /// The player on roll does not double on the first turn.
    pub no_double: bool,
    /// The numbers are wanted by the player who is not on roll: who has just made a play.
    pub mirrored: bool,
}

/// The stakes at which a player decides.
#[derive(Clone, Copy, Debug)]
pub struct Stakes<'a> {
    /// What the game is worth to the player on roll.
    pub ladder: &'a Ladder,
    /// The level of the cube.
    pub level: usize,
    /// Who has it, seen by the player on roll.
    pub owner: Owner,
    /// The turn of the game, as in [`Start`].
    pub turn: u32,
}

/// Decides in the trials, for both sides. What it answers must depend on its arguments only.
pub trait Player: Send {
    /// The position after its play, seen by the player who rolls next.
    fn choose(&mut self, position: &Position, roll: Roll, stakes: Stakes<'_>) -> Position;

    /// What it does before its roll, and what the other player answers, where it may double.
    fn decide(&mut self, position: &Position, stakes: Stakes<'_>) -> Action;
}

/// Makes a player for each thread.
pub type Players<'a> = dyn Fn() -> Box<dyn Player + 'a> + Sync + 'a;

/// What is rolled out, and how.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// Evaluates at 0-ply: for luck, for truncated trials and, without `players`, for all decisions. Trials end in what
    /// its tables know: where the cube cannot be turned any more in either of them, for money with a live cube in the
    /// two-sided one.
    pub judge: Judge<'a>,
    /// Who plays; the judge at 0-ply if none.
    pub players: Option<&'a Players<'a>>,
    /// What the game is worth to the player whom the numbers are for.
    pub ladder: Ladder,
    /// What is compared, on common dice.
    pub starts: &'a [Start],
    /// The seed of the dice.
    pub seed: u64,
    /// Trials end after so many turns and are worth what the judge says.
    pub truncate: Option<u32>,
    /// Whether the luck of the rolls is taken off.
    pub luck: bool,
}
