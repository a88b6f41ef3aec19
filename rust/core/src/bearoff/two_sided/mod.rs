//! Two-sided databases: the exact equity of every pair of positions of both sides, with and without the cube.
//!
//! # What the numbers are
//!
//! All are seen by the player on roll and are multiples of the stake times the cube as it lies. With V' the values of
//! the opponent, who is on roll after a play, and max the best play of a roll, mean the mean of the 36 throws:
//!
//! - cubeless = mean max -cubeless'
//! - the player owns the cube and does not double now = mean max -(opponent owns)'
//! - centred, the player does not double now = mean max -(best of centred and a double)'
//! - the opponent owns it = mean max -(best of owned and a double)'
//! - a double is worth min(2 x opponent owns, 1): the opponent takes, or drops and loses 1.
//!
//! A gammon is won where the loser has all 15 checkers left when the other bears off the last: only a side of 15 can
//! lose one, and a backgammon is out of reach past each other. [`Values::MoneyJacoby`] adds the centred cube of rule
//! 7.6: the same recurrence, but a game that ends with the cube centred counts 1.
//!
//! # How exact
//!
//! A number is kept in 16 bits. Up to [`EXACT_PAIRS`] pairs the table is solved in double precision and rounded once;
//! larger ones are solved on the rounded numbers.

mod build;
mod file;
mod kernel;
mod layout;
mod score;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::bearoff::index::{Index, MAX_POINTS};
use crate::ladder::Ladder;
use crate::position::CHECKERS;
use layout::{LANES, Layout};

pub use kernel::Isa;
pub use score::{Score, Scoring};
pub use table::{Access, Ask, Build, CubeAction, Jacoby, Number, TwoSided};

/// Tables of up to so many pairs (6 points by 8 checkers) are solved in double precision and rounded once.
pub const EXACT_PAIRS: u64 = 3003 * 3003;

/// A table that is kept in memory has at most so many bytes; a larger one needs a file.
pub const MOST_IN_MEMORY: u64 = 8 << 30;

/// No side of a table has more positions.
pub const MOST_POSITIONS: usize = 1 << 24;

/// Which numbers a table holds for each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Values {
    /// The cubeless equity.
    Cubeless,
    /// Also with the cube: owned and centred (both without doubling this turn), and owned by the opponent.
    Money,
    /// Also with the cube centred where gammons count only once it is turned (rule 7.6).
    MoneyJacoby,
}

impl Values {
    const CUBELESS: usize = 0;
    const OWNED: usize = 1;
    const CENTRED: usize = 2;
    const OPPONENT: usize = 3;
    const JACOBY: usize = 4;

    /// How many they are.
    pub const fn count(self) -> usize {
        match self {
            Values::Cubeless => 1,
            Values::Money => 4,
            Values::MoneyJacoby => 5,
        }
    }

    /// The numbers that a table of so many values holds.
    pub const fn from_count(count: usize) -> Option<Values> {
        match count {
            1 => Some(Values::Cubeless),
            4 => Some(Values::Money),
            5 => Some(Values::MoneyJacoby),
            _ => None,
        }
    }

    /// Whether a cube can be asked for.
    pub const fn is_cubeful(self) -> bool {
        !matches!(self, Values::Cubeless)
    }
}

/// What a table covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    sides: [Index; 2],
    scoring: Scoring,
}

impl Spec {
    /// A table for one side with up to `checkers[0]` checkers and one with up to `checkers[1]`, on the first `points`
    /// points each; either of them may be on roll.
    ///
    /// # Errors
    /// [`TwoSidedError::Size`] for sizes that no table can have.
    pub fn new(points: usize, checkers: [usize; 2], values: Values) -> Result<Spec, TwoSidedError> {
        Spec::with(points, checkers, Scoring::Money(values))
    }

    /// The same at the score of a ladder. The first side is that of the player whose ladder it is.
    ///
    /// # Errors
    /// Also [`TwoSidedError::Ladder`] for the ladder of money.
    pub fn at_score(points: usize, checkers: [usize; 2], ladder: &Ladder) -> Result<Spec, TwoSidedError> {
        Spec::with(points, checkers, Scoring::Score(Box::new(Score::new(ladder)?)))
    }

    fn with(points: usize, checkers: [usize; 2], scoring: Scoring) -> Result<Spec, TwoSidedError> {
        let index = |checkers| Index::new(points, checkers).ok_or(TwoSidedError::Size { points, checkers });
        let sides = [index(checkers[0])?, index(checkers[1])?];
        match sides.into_iter().find(|side| side.len() > MOST_POSITIONS) {
            Some(side) => Err(TwoSidedError::TooManyPositions { points, checkers: side.checkers(), count: side.len() }),
            None => Ok(Spec { sides, scoring }),
        }
    }

    /// How many points it covers.
    pub fn points(&self) -> usize {
        self.sides[0].points()
    }

    /// The most checkers of the two sides.
    pub fn checkers(&self) -> [usize; 2] {
        self.sides.map(Index::checkers)
    }

    /// The numbering of each side.
    pub fn sides(&self) -> [Index; 2] {
        self.sides
    }

    /// What its numbers mean.
    pub fn scoring(&self) -> &Scoring {
        &self.scoring
    }

    /// Whether the numbers of a pair depend on which of the two players is on roll.
    fn is_seated(&self) -> bool {
        self.sides[0] != self.sides[1] || matches!(self.scoring, Scoring::Score(_))
    }

    fn positions_squared(&self) -> u64 {
        self.sides[0].len() as u64 * self.sides[1].len() as u64
    }

    /// The pairs that it answers.
    pub fn pairs(&self) -> u64 {
        self.positions_squared() * if self.is_seated() { 2 } else { 1 }
    }

    /// Whether it is solved in double precision.
    pub fn is_exact(&self) -> bool {
        self.positions_squared() <= EXACT_PAIRS
    }

    /// The bytes of its numbers alone: known before anything is laid out.
    fn least_bytes(&self) -> u64 {
        self.pairs() * (self.scoring.count() * size_of::<i16>()) as u64
    }

    /// What building it takes.
    pub fn size(&self) -> Size {
        let layout = self.layout();
        let line = (LANES * size_of::<i16>()) as u64;
        let file_bytes = file::file_bytes(&layout);
        // Positions, plays and the tables of blocks: about 170 plays of 4 bytes for a position.
        let plays: u64 = self.sides.iter().map(|side| side.len() as u64 * 800).sum();
        // Doubles take four times the room of 16 bits, beside which they are then held rounded. Two layers more than
        // the window can be there: one that is not yet written, one whose memory waits to be used again.
        let factor = if self.is_exact() { 5 } else { 1 };
        let window_bytes = layout.window_lines() * line * factor / 25 * 27 + plays;
        Size {
            positions: self.sides.map(Index::len),
            pairs: self.pairs(),
            file_bytes,
            memory_with_path: window_bytes,
            memory_without_path: layout.lines() * line + plays + if self.is_exact() { window_bytes } else { 0 },
        }
    }

    fn layout(&self) -> Layout {
        Layout::new(self.sides[0], self.sides[1], self.is_seated(), self.scoring.count())
    }
}

/// What building a table takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The positions of each side.
    pub positions: [usize; 2],
    /// The pairs that are solved.
    pub pairs: u64,
    /// The bytes of the file.
    pub file_bytes: u64,
    /// About how many bytes of memory a build into a file takes.
    pub memory_with_path: u64,
    /// About how many bytes of memory a build without a file takes.
    pub memory_without_path: u64,
}

/// Why a table cannot be built, opened or asked.
#[derive(Debug)]
pub enum TwoSidedError {
    /// No such size.
    Size {
        /// Points asked for.
        points: usize,
        /// Checkers asked for.
        checkers: usize,
    },
    /// A side has too many positions.
    TooManyPositions {
        /// Points asked for.
        points: usize,
        /// Checkers asked for.
        checkers: usize,
        /// Its positions.
        count: usize,
    },
    /// A table of this size needs a file.
    NeedsPath {
        /// Its bytes.
        bytes: u64,
    },
    /// The disk has too little room.
    NoSpace {
        /// Where.
        path: PathBuf,
        /// Bytes needed.
        needed: u64,
        /// Bytes free.
        free: u64,
    },
    /// The machine has too little memory.
    NoMemory {
        /// Bytes needed.
        needed: u64,
        /// Bytes that can be had.
        available: u64,
    },
    /// The system gives no memory.
    Memory(io::Error),
    /// Stopped on request.
    Cancelled,
    /// Reading or writing failed.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The file is not what it should be.
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another build works on the file, or one of another table was left unfinished there.
    Unfinished {
        /// The unfinished file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The table does not hold the answer.
    NotInDatabase(String),
    /// A cube was asked of a table without cube values.
    Cubeless,
    /// The ladder is none that a table can be built for.
    Ladder(String),
}

fn gigabytes(bytes: u64) -> String {
    if bytes >= 1 << 30 { format!("{:.1} GB", bytes as f64 / 1e9) } else { format!("{:.1} MB", bytes as f64 / 1e6) }
}

impl fmt::Display for TwoSidedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TwoSidedError::Size { points, checkers } => write!(
                f,
                "a two-sided table has 1 to {MAX_POINTS} points and 1 to {CHECKERS} checkers, not {points} and {checkers}"
            ),
            TwoSidedError::TooManyPositions { points, checkers, count } => write!(
                f,
                "{checkers} checkers on {points} points have {count} positions, a side of a two-sided table has at most \
                 {MOST_POSITIONS}"
            ),
            TwoSidedError::NeedsPath { bytes } => write!(
                f,
                "the table takes {} ({bytes} bytes); without a path it is kept in memory, which is for up to {}: give a \
                 path",
                gigabytes(*bytes),
                gigabytes(MOST_IN_MEMORY)
            ),
            TwoSidedError::NoSpace { path, needed, free } => write!(
                f,
                "{}: {} ({needed} bytes) are needed and {} ({free} bytes) are free",
                path.display(),
                gigabytes(*needed),
                gigabytes(*free)
            ),
            TwoSidedError::NoMemory { needed, available } => write!(
                f,
                "building the table takes {} of memory ({needed} bytes) and {} can be had",
                gigabytes(*needed),
                gigabytes(*available)
            ),
            TwoSidedError::Memory(error) => write!(f, "no memory for the table: {error}"),
            TwoSidedError::Cancelled => f.write_str("the build was stopped"),
            TwoSidedError::Io { path, error } => write!(f, "{}: {error}", path.display()),
            TwoSidedError::Format { path, reason } | TwoSidedError::Unfinished { path, reason } => {
                write!(f, "{}: {reason}", path.display())
            }
            TwoSidedError::NotInDatabase(reason) | TwoSidedError::Ladder(reason) => f.write_str(reason),
            TwoSidedError::Cubeless => f.write_str("the table is cubeless: it knows no equity with a cube"),
        }
    }
}

impl std::error::Error for TwoSidedError {}
