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

mod dice;
mod judge;
mod run;
mod tally;
#[cfg(test)]
mod tests;
mod trial;

use crate::bearoff::one_sided::OneSided;
use crate::dice::Roll;
use crate::ladder::{Ladder, Owner};
use crate::nn::Network;
use crate::outcome::Probabilities;
use crate::position::Position;

pub use dice::{STRATIFIED, THROWS, TrialDice};
pub use run::{Contest, Limits, run};
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
    /// The player on roll does not double on the first turn.
    pub no_double: bool,
    /// The numbers are wanted by the player who is not on roll: who has just made a play.
    pub mirrored: bool,
}

/// What an exact table says of a position: the worth to the player on roll in units of the cube as it lies, with a cube
/// of this owner, with gammons counting while it is centred or not, and without a double on this turn or with one.
pub type Exact<'a> = dyn Fn(&Position, Owner, bool, bool) -> Option<f64> + Sync + 'a;

/// The stakes at which a player decides.
#[derive(Clone, Copy, Debug)]
pub struct Stakes<'a> {
    /// What the game is worth to the player on roll.
    pub ladder: &'a Ladder,
    /// The level of the cube.
    pub level: usize,
    /// Who has it, seen by the player on roll.
    pub owner: Owner,
}

/// Decides in the trials, for both sides. What it answers must depend on its arguments only.
pub trait Player: Send {
    /// The position after its play, seen by the player who rolls next.
    fn choose(&mut self, position: &Position, roll: Roll, stakes: Stakes<'_>) -> Position;

    /// The chances by which it decides about the cube.
    fn chances(&mut self, position: &Position) -> Probabilities;
}

/// Makes a player for each thread.
pub type Players<'a> = dyn Fn() -> Box<dyn Player + 'a> + Sync + 'a;

/// What is rolled out, and how.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// Evaluates at 0-ply: for luck, for truncated trials and, without `players`, for all decisions.
    pub network: &'a Network,
    /// Who plays; the network at 0-ply if none.
    pub players: Option<&'a Players<'a>>,
    /// What the game is worth to the player whom the numbers are for.
    pub ladder: Ladder,
    /// What is compared, on common dice.
    pub starts: &'a [Start],
    /// The seed of the dice.
    pub seed: u64,
    /// Trials end after so many turns and are worth what the network says.
    pub truncate: Option<u32>,
    /// Whether the luck of the rolls is taken off.
    pub luck: bool,
    /// Knows races: trials without a cube that can be turned end in it; cube decisions are made by it.
    pub races: Option<&'a OneSided>,
    /// Knows the worth with a cube that can be turned for ever: trials end in it.
    pub exact: Option<&'a Exact<'a>>,
}
