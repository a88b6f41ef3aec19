//! One-sided bear-off tables: how many rolls a side needs, as exact distributions.
//!
//! # Policy
//!
//! The distribution until *all* checkers are off is that of the plays that minimise its mean, at every roll. The
//! distribution until the *first* checker is off, which decides gammons, is that of the plays that minimise that mean;
//! it starts from positions with all checkers of the table on the board. Of plays with equal means the one that leads to
//! the lowest number (GNU Backgammon's order, see [`Index`]) is made; at 6 points and 15 checkers no exact tie changes a
//! distribution.
//!
//! All is f64. What is less likely than 2^-64 is left out at both ends of a distribution, which no sum in f64 can see.

mod build;
mod file;
mod store;
#[cfg(test)]
mod tests;

use super::index::{self, Counts, Index};
use crate::position::Position;

pub use build::BuildError;
pub(super) use build::pip_layers;
pub use file::Precision;
pub(super) use store::Distributions;

/// The most positions a table can have: 13 points and 15 checkers have 37,442,160.
pub const MOST_POSITIONS: usize = 40_000_000;

/// More probabilities than so many positions have, whose distributions are a few dozen long.
const MOST_VALUES: u64 = 1 << 31;

/// Mean pips of a roll: 294 in 36 throws.
pub const PIPS_PER_ROLL: f64 = 49.0 / 6.0;

/// A distribution of a number of rolls: `probabilities[k]` belongs to `first + k` rolls, all others are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distribution<'a> {
    /// The least number of rolls.
    pub first: usize,
    /// What each number from there on has.
    pub probabilities: &'a [f64],
}

impl Distribution<'_> {
    /// Certainly no roll at all.
    pub const DONE: Distribution<'static> = Distribution { first: 0, probabilities: &[1.0] };

    /// The numbers of rolls with their probabilities.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.probabilities.iter().enumerate().map(|(k, &p)| (self.first + k, p))
    }

    /// The mean number of rolls.
    pub fn mean(&self) -> f64 {
        self.iter().map(|(rolls, p)| rolls as f64 * p).sum()
    }

    /// The variance of the number of rolls.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        self.iter().map(|(rolls, p)| (rolls as f64 - mean).powi(2) * p).sum()
    }

    /// The probabilities of needing more than `rolls`, and of needing no more.
    fn split(&self, rolls: usize) -> [f64; 2] {
        let place = (rolls + 1).saturating_sub(self.first).min(self.probabilities.len());
        let (up_to, above) = self.probabilities.split_at(place);
        // From the far end: the small ones first lose nothing.
        [above.iter().rev().sum(), up_to.iter().sum()]
    }
}

/// The chance that another side still needs rolls when this side is done: the other has then made as many, or one fewer
/// if this side rolls first.
///
/// Exactly 0 and 1 where it is impossible and certain.
fn comes_first(side: Distribution<'_>, other: Distribution<'_>, rolls_first: bool) -> f64 {
    let mut chances = [0.0; 2];
    for (rolls, p) in side.iter().collect::<Vec<_>>().into_iter().rev() {
        let other_has_made = rolls.saturating_sub(usize::from(rolls_first));
        for (chance, part) in chances.iter_mut().zip(other.split(other_has_made)) {
            *chance += p * part;
        }
    }
    chances[0] / (chances[0] + chances[1])
}

/// The distributions of all positions of one side.
#[derive(Debug, PartialEq)]
pub struct OneSided {
    index: Index,
    finish: Distributions,
    /// Of the positions with all checkers on, in order; none if the table was read from a file without them.
    first_off: Option<Distributions>,
}

/// The chances of a race, for the player on roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceChances {
    /// Winning at all.
    pub win: f64,
    /// Winning a gammon.
    pub win_gammon: f64,
    /// Losing a gammon.
    pub lose_gammon: f64,
}

impl OneSided {
    /// The table of so many distributions; their numbers must fit the index.
    pub(super) fn from_parts(index: Index, finish: Distributions, first_off: Option<Distributions>) -> OneSided {
        OneSided { index, finish, first_off }
    }

    /// The positions it holds.
    pub fn index(&self) -> Index {
        self.index
    }

    /// Whether it knows how long the first checker takes.
    pub fn has_gammons(&self) -> bool {
        self.first_off.is_some()
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> usize {
        self.finish.bytes() + self.first_off.as_ref().map_or(0, Distributions::bytes)
    }

    /// Whether the position with this number has all the checkers that the table goes up to.
    pub fn is_full(&self, rank: usize) -> bool {
        rank >= self.index.len_up_to(self.index.checkers() - 1)
    }

    /// Rolls until all checkers of the position with this number are off.
    ///
    /// # Panics
    /// If the number is not below the length of the index.
    pub fn distribution(&self, rank: usize) -> Distribution<'_> {
        self.finish.get(rank)
    }

    /// Rolls until the first checker of the position with this number is off; none if the table does not know.
    ///
    /// A position with fewer checkers than the table goes up to has one off already.
    pub fn first_off(&self, rank: usize) -> Option<Distribution<'_>> {
        let first_off = self.first_off.as_ref()?;
        let fewer = self.index.len_up_to(self.index.checkers() - 1);
        Some(if self.is_full(rank) { first_off.get(rank - fewer) } else { Distribution::DONE })
    }

    /// The numbers of both sides of a position, the player on roll first.
    ///
    /// None if there is contact, or a side is outside of the table.
    pub fn ranks(&self, position: &Position) -> Option<[usize; 2]> {
        let [own, opponent] = index::sides(position)?;
        Some([self.index.rank(&own)?, self.index.rank(&opponent)?])
    }

    /// The chance that the first of two sides, which rolls, bears off first.
    pub fn win_probability(&self, player: usize, opponent: usize) -> f64 {
        if player == 0 {
            return 1.0;
        }
        comes_first(self.distribution(player), self.distribution(opponent), true)
    }

    /// The chance that the side that bears off first does so before the other has a checker off.
    fn gammon_probability(&self, winner: usize, loser: usize, rolls_first: bool) -> Option<f64> {
        if !self.is_full(loser) {
            return Some(0.0);
        }
        Some(comes_first(self.distribution(winner), self.first_off(loser)?, rolls_first))
    }

    /// The chances of a race when each side plays to finish soon, and the loser to save the gammon; none for a table
    /// without first checkers.
    pub fn race_chances(&self, player: usize, opponent: usize) -> Option<RaceChances> {
        Some(RaceChances {
            win: self.win_probability(player, opponent),
            win_gammon: self.gammon_probability(player, opponent, true)?,
            lose_gammon: if player == 0 { 0.0 } else { self.gammon_probability(opponent, player, false)? },
        })
    }
}

/// The effective pip count of a mean number of rolls.
pub fn effective_pips(mean: f64) -> f64 {
    mean * PIPS_PER_ROLL
}

/// Effective minus real pips of a position.
pub fn wastage(counts: &Counts, mean: f64) -> f64 {
    effective_pips(mean) - index::pips(counts) as f64
}
