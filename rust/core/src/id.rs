//! The GNU Position ID: 80 bits in 14 letters of base64.
//!
//! Bits from the lowest: for the opponent, then for the player on roll, their points 1 to 24 and their bar, each as
//! that many ones and a zero. Borne-off checkers are not stored: they are what is missing from `checkers`.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::position::{BAR, Position, PositionError, Setup, Side};

/// The length of a Position ID.
pub const ID_LENGTH: usize = 14;

/// Why an ID is not a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdError {
    /// Not 14 letters of base64 with 80 bits that close every point.
    Malformed {
        /// The beginning of what was given.
        id: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Well written, but no position.
    Position {
        /// The ID.
        id: String,
        /// Its faults.
        error: PositionError,
    },
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdError::Malformed { id, reason } => write!(f, "not a Position ID: {reason}: {id:?}"),
            IdError::Position { id, error } => write!(f, "Position ID {id:?}: {error}"),
        }
    }
}

impl std::error::Error for IdError {}

impl Setup {
    /// Decodes an ID without asking whether it is a position; a side has `checkers` in all.
    pub fn from_id(id: &str, checkers: u8) -> Result<Setup, IdError> {
        let malformed = |reason| IdError::Malformed { id: id.chars().take(40).collect(), reason };
        if id.len() != ID_LENGTH {
            return Err(malformed("it has 14 characters"));
        }
        let mut bytes = [0; 16];
        let mut decoded = [0; 12];
        match STANDARD_NO_PAD.decode_slice(id, &mut decoded) {
            Ok(10) => bytes[..10].copy_from_slice(&decoded[..10]),
            _ => return Err(malformed("it is base64 of 80 bits")),
        }
        let mut bits = u128::from_le_bytes(bytes);
        let mut left = 80;
        let mut sides = [Side::default(); 2];
        for side in &mut sides {
            for point in 1..=BAR {
                let count = bits.trailing_ones();
                if count >= left {
                    return Err(malformed("its 80 bits end before the last point"));
                }
                bits >>= count + 1;
                left -= count + 1;
                side.points[point] = count as i32;
            }
            side.off = side.others(checkers);
        }
        if bits != 0 {
            return Err(malformed("there are bits after the last point"));
        }
        let [opponent, own] = sides;
        Ok(Setup { own, opponent })
    }
}

impl Position {
    /// The position of an ID; a side's checkers that are not on the board are off.
    ///
    /// ```
    /// # use gammon_core::{Position, Variant};
    /// assert_eq!(Position::from_id("4HPwATDgc/ABMA", 15), Ok(Position::start(Variant::Standard)));
    /// ```
    pub fn from_id(id: &str, checkers: u8) -> Result<Position, IdError> {
        let setup = Setup::from_id(id, checkers)?;
        setup.validate_for(checkers).map_err(|error| IdError::Position { id: id.to_owned(), error })
    }

    /// The ID. It does not hold how many checkers are off.
    pub fn id(&self) -> String {
        self.id_letters().iter().map(|&letter| char::from(letter)).collect()
    }

    /// The ID as ASCII letters.
    pub fn id_letters(&self) -> [u8; ID_LENGTH] {
        let mut bits: u128 = 0;
        let mut place = 0;
        let mut write = |count: i8| {
            bits |= ((1 << count) - 1) << place;
            place += u32::from(count.unsigned_abs()) + 1;
        };
        (0..BAR).rev().for_each(|point| write((-self.cell(point)).max(0)));
        (1..=BAR).for_each(|point| write(self.cell(point).max(0)));
        let mut letters = [0; ID_LENGTH];
        STANDARD_NO_PAD.encode_slice(&bits.to_le_bytes()[..10], &mut letters).expect("10 bytes are 14 letters");
        letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Variant;

    #[test]
    fn the_start() {
        assert_eq!(Position::start(Variant::Standard).id(), "4HPwATDgc/ABMA");
    }

    /// Checkers of the side that is not on roll on the bar survive (case P01).
    #[test]
    fn both_on_the_bar_p01() {
        let position = Position::from_id("AACAewAAgAYAAA", 15).unwrap();
        let own: Vec<_> = (1..=BAR).filter(|&p| position.cell(p) > 0).map(|p| (p, position.cell(p))).collect();
        assert_eq!(own, [(24, 1), (25, 2)], "{position:?}");
        assert_eq!(position.id(), "AACAewAAgAYAAA");
    }

    /// The opponent is written first (case P02).
    #[test]
    fn opponent_first_p02() {
        let position = Position::from_id("BwAAAAYAAAAAAA", 15).unwrap();
        assert_eq!((position.cell(6), position.cell(24)), (2, -3), "{position:?}");
    }

    /// Case P03 and its kind.
    #[test]
    fn what_is_no_position_is_refused_p03() {
        assert!(matches!(Position::from_id("/78AAPD/AwAAAA", 15), Err(IdError::Position { .. })));
        assert!(matches!(Position::from_id("AAAAAAAAAAAAAA", 15), Err(IdError::Position { .. })));
        assert!(Setup::from_id("AAAAAAAAAAAAAA", 15).is_ok());
        for id in
            ["//////////////AA", "//////////////", "4HPwATDgc/ABM", "", "4HPwATDgc/ABMB", "4HPwATDgc_ABMA", "ééééééé"]
        {
            assert!(matches!(Position::from_id(id, 15), Err(IdError::Malformed { .. })), "{id}");
        }
    }
}
