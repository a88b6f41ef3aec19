//! Hypergammon solved: the exact value of every position of up to three checkers a side, contact included.
//!
//! ```
//! use gammon_core::Position;
//! use gammon_core::hyper::Hypergammon;
//!
//! let solution = Hypergammon::solve(1, 1e-9, 1, &Default::default()).unwrap();
//! let position = gammon_core::Setup {
//!     own: gammon_core::Side::new(&[(6, 1)], 1),
//!     opponent: gammon_core::Side::new(&[(1, 1)], 1),
//! };
//! let values = solution.values(&position.validate().unwrap()).unwrap();
//! // 27 of 36 throws bear off from the six point; each game is a gammon.
//! assert!((values.cubeless - 1.0).abs() < 1e-9);
//! ```

mod file;
mod plays;
mod sides;
mod solve;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::ladder::Owner;
use crate::money::{LookupError, MoneyTable};
use crate::parallel::Control;
use crate::position::Position;
use file::Records;
use sides::Sides;

pub use sides::MOST_CHECKERS;
pub use solve::{SolveError, Values};

/// Units in which the progress of [`Hypergammon::solve`] is counted.
pub const PROGRESS: u64 = 2 * solve::STAGE_UNITS;

/// The values of all positions of a game with one, two or three checkers a side.
#[derive(Debug)]
pub struct Hypergammon {
    sides: Sides,
    pairs: Pairs,
    store: Store,
    error_bound: f64,
    sweeps: u32,
}

#[derive(Debug)]
enum Store {
    Memory(Vec<[f64; Values::COUNT]>),
    File(Records),
}

/// The numbers of the pairs of sides that are positions: row by row of the player's side.
#[derive(Debug)]
struct Pairs {
    sides: usize,
    /// How many come before each word of `valid`, and at the end how many there are.
    before: Vec<u32>,
    /// A bit for each pair, in whole words for each row.
    valid: Vec<u64>,
}

impl Pairs {
    fn new(sides: &Sides) -> Pairs {
        let words = sides.len().div_ceil(64);
        let mut valid = vec![0u64; sides.len() * words];
        for player in 0..sides.len() {
            for opponent in 0..sides.len() {
                let bit = u64::from(sides.is_valid(player, opponent));
                valid[player * words + opponent / 64] |= bit << (opponent % 64);
            }
        }
        let mut before = vec![0];
        let mut count = 0;
        for word in &valid {
            count += word.count_ones();
            before.push(count);
        }
        Pairs { sides: sides.len(), before, valid }
    }

    fn words(&self) -> usize {
        self.sides.div_ceil(64)
    }

    fn len(&self) -> usize {
        *self.before.last().expect("at least one") as usize
    }

    /// The numbers of a row.
    fn row(&self, player: usize) -> Range<usize> {
        let words = self.words();
        self.before[player * words] as usize..self.before[(player + 1) * words] as usize
    }

    /// The number of a pair that is a position.
    fn number(&self, player: usize, opponent: usize) -> usize {
        let word = player * self.words() + opponent / 64;
        let below = self.valid[word] & ((1 << (opponent % 64)) - 1);
        (self.before[word] + below.count_ones()) as usize
    }
}

impl Hypergammon {
    /// Solves the game of 1 to 3 checkers a side, until every value is within `tolerance` of the exact one.
    ///
    /// Takes about 3 GB of memory for three checkers. Progress is counted up to [`PROGRESS`].
    ///
    /// # Errors
    /// [`SolveError`] if it was cancelled, or for a tolerance finer than the rounding of f64 allows.
    ///
    /// # Panics
    /// For another number of checkers.
    pub fn solve(checkers: u8, tolerance: f64, threads: usize, control: &Control) -> Result<Hypergammon, SolveError> {
        let solved = solve::solve(checkers, tolerance, threads, control)?;
        let sides = Sides::new(checkers);
        let pairs = Pairs::new(&sides);
        let mut records = solved.values;
        records.retain(|record| !record[0].is_nan());
        let (error_bound, sweeps) = (solved.error_bound, solved.sweeps as u32);
        Ok(Hypergammon { sides, pairs, store: Store::Memory(records), error_bound, sweeps })
    }

    /// How many checkers each side has.
    pub fn checkers(&self) -> u8 {
        self.sides.checkers()
    }

    /// How many positions there are.
    pub fn positions(&self) -> usize {
        self.pairs.len()
    }

    /// No value is further from the exact one, but for the rounding of f64 (below 1e-13).
    pub fn error_bound(&self) -> f64 {
        self.error_bound
    }

    /// How many sweeps over all positions it took.
    pub fn sweeps(&self) -> u32 {
        self.sweeps
    }

    /// All values of a position.
    ///
    /// # Errors
    /// [`LookupError::NotInDatabase`] unless each side has this game's number of checkers, those off included.
    pub fn values(&self, position: &Position) -> Result<Values, LookupError> {
        let Some((player, opponent)) = self.sides.of_position(position) else {
            let n = self.checkers();
            let reason =
                format!("the solution is of {n} checkers a side, those off included, and this is another game");
            return Err(LookupError::NotInDatabase(reason));
        };
        let number = self.pairs.number(player, opponent);
        let numbers = match &self.store {
            Store::Memory(records) => records[number],
            Store::File(records) => records.get(number).map_err(LookupError::Io)?,
        };
        Ok(Values::from_array(numbers))
    }
}

impl MoneyTable for Hypergammon {
    fn rolling(&self, position: &Position, cube: Option<Owner>, jacoby: bool) -> Result<f64, LookupError> {
        let values = self.values(position)?;
        Ok(match cube {
            None => values.cubeless,
            Some(Owner::Player) => values.owned,
            Some(Owner::Opponent) => values.opponent_owned,
            Some(Owner::Centred) if jacoby => values.centred_jacoby,
            Some(Owner::Centred) => values.centred,
        })
    }
}
