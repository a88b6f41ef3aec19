//! The GNU Position ID: 80 bits in 14 letters of base64.
//!
//! Bits from the lowest: for the opponent, then for the player on roll, their points 1 to 24 and their bar, each as
//! that many ones and a zero. Borne-off checkers are not stored: they are what is missing from `checkers`.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::position::{BAR, CELLS, CHECKERS, OFF, OPPONENT_OFF, Position, PositionError, Setup, Side};

/// The length of a Position ID.
pub const ID_LENGTH: usize = 14;

/// The 80 bits of a Position ID as bytes, the lowest first: what the letters stand for.
pub type Key = [u8; 10];

/// Places of a side that a key has: 24 points and the bar.
const PLACES: usize = BAR;

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
        Setup::from_bits(u128::from_le_bytes(bytes), checkers).map_err(malformed)
    }

    /// Reads 80 bits, or says what is wrong with them.
    fn from_bits(mut bits: u128, checkers: u8) -> Result<Setup, &'static str> {
        let mut left = 80;
        let mut sides = [Side::default(); 2];
        for side in &mut sides {
            for point in 1..=BAR {
                let count = bits.trailing_ones();
                if count >= left {
                    return Err("its 80 bits end before the last point");
                }
                bits >>= count + 1;
                left -= count + 1;
                side.points[point] = count as i32;
            }
            side.off = side.others(checkers);
        }
        if bits != 0 {
            return Err("there are bits after the last point");
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
        let mut letters = [0; ID_LENGTH];
        STANDARD_NO_PAD.encode_slice(self.key(), &mut letters).expect("10 bytes are 14 letters");
        letters
    }

    /// The bits of the ID.
    pub fn key(&self) -> Key {
        let cells = self.cells();
        let (mut own, mut opponent) = ([0; PLACES], [0; PLACES]);
        for place in 0..PLACES {
            own[place] = cells[place + 1].max(0) as u8;
            opponent[place] = cells[BAR - 1 - place].min(0).unsigned_abs();
        }
        let (first, length) = bits_of(&opponent);
        let (second, _) = bits_of(&own);
        let bits = u128::from(first) | u128::from(second) << length;
        let mut key = [0; 10];
        key.copy_from_slice(&bits.to_le_bytes()[..10]);
        key
    }

    /// The position of such bits; a side's checkers that are not on the board are off.
    pub fn from_key(key: &Key, checkers: u8) -> Result<Position, IdError> {
        let mut bytes = [0; 16];
        bytes[..10].copy_from_slice(key);
        let bits = u128::from_le_bytes(bytes);
        if let Some(position) = plainly_read(bits, checkers) {
            return Ok(position);
        }
        let id = STANDARD_NO_PAD.encode(key);
        match Setup::from_bits(bits, checkers) {
            Ok(setup) => setup.validate_for(checkers).map_err(|error| IdError::Position { id, error }),
            Err(reason) => Err(IdError::Malformed { id, reason }),
        }
    }
}

/// The bits of a side, and how many they are: 40 at most.
fn bits_of(counts: &[u8; PLACES]) -> (u64, u32) {
    /// The same number in every byte.
    const ONES: u64 = u64::MAX / 0xFF;
    let (mut zeros, mut end) = (0_u64, 0_u64);
    let (eights, last) = counts.as_chunks();
    for &eight in eights {
        // Each byte becomes the sum of those up to it, for multiplying adds all shifted copies: so no place waits for
        // the one before it. A place's zero comes after all ones and zeros up to it.
        let ends = u64::from_le_bytes(eight).wrapping_add(ONES).wrapping_mul(ONES);
        let places = ends.wrapping_add(end.wrapping_sub(1).wrapping_mul(ONES));
        for byte in 0..8 {
            zeros |= 1 << (places >> (8 * byte) & 0x3F);
        }
        end += ends >> 56;
    }
    for &count in last {
        end += u64::from(count) + 1;
        zeros |= 1 << (end - 1);
    }
    (((1 << end) - 1) & !zeros, end as u32)
}

/// The position of bits that are one without a closer look: enough for nearly all, and fast.
fn plainly_read(bits: u128, checkers: u8) -> Option<Position> {
    let mut cells = [0_i8; CELLS];
    let (length, opponent_off) = take_side(bits as u64, checkers, |place, count| cells[BAR - 1 - place] = -count)?;
    let mut apart = true;
    let rest = bits >> length;
    let (own_length, off) = take_side(rest as u64, checkers, |place, count| {
        apart &= count == 0 || cells[place + 1] == 0;
        cells[place + 1] += count;
    })?;
    cells[OPPONENT_OFF] = opponent_off;
    cells[OFF] = off;
    let whole = length + own_length <= 80 && rest >> own_length == 0;
    (whole && apart).then(|| Position::from_cells(&cells).ok()).flatten()
}

/// Shows the count at each place of the side that the lowest bits are: how many bits it has, and how many checkers are
/// off.
fn take_side(bits: u64, checkers: u8, mut see: impl FnMut(usize, i8)) -> Option<(u32, i8)> {
    let mut zeros = !bits;
    let mut next = 0;
    for place in 0..PLACES {
        let zero = zeros.trailing_zeros();
        let count = zero.checked_sub(next).filter(|&count| count <= u32::from(CHECKERS))?;
        see(place, count as i8);
        next = zero + 1;
        zeros &= zeros.wrapping_sub(1);
    }
    let off = (i32::from(checkers) + PLACES as i32).checked_sub(next as i32).filter(|off| (0..=15).contains(off))?;
    Some((next, off as i8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen;
    use crate::position::Variant;
    use crate::rng::{Purpose, Stream};
    use crate::simulate;

    #[test]
    fn the_start() {
        assert_eq!(Position::start(Variant::Standard).id(), "4HPwATDgc/ABMA");
    }

    /// The slow way of writing and reading a key, place by place.
    fn slow_key(position: &Position) -> Key {
        let (mut bits, mut place) = (0_u128, 0);
        let mut write = |count: i8| {
            bits |= ((1 << count) - 1) << place;
            place += u32::from(count.unsigned_abs()) + 1;
        };
        (0..BAR).rev().for_each(|point| write((-position.cell(point)).max(0)));
        (1..=BAR).for_each(|point| write(position.cell(point).max(0)));
        bits.to_le_bytes()[..10].try_into().unwrap()
    }

    #[test]
    fn keys_are_as_the_slow_way_writes_them() {
        for variant in Variant::ALL {
            let (start, checkers) = (Position::start(variant), variant.checkers());
            for game in 0..20 {
                let mut last = start;
                simulate::random_game(&start, 4, game, |position, roll| {
                    assert_eq!(position.key(), slow_key(position));
                    assert_eq!(Position::from_key(&position.key(), checkers), Ok(*position));
                    last = movegen::nth(position, roll, 0).unwrap_or(last);
                });
                assert_eq!(Position::from_key(&last.key(), checkers), Ok(last));
            }
        }
    }

    /// Whatever the bits are, they are read as their letters are.
    #[test]
    fn any_bits_are_read_like_their_letters() {
        let mut read = 0;
        for game in 0..200_000 {
            let mut stream = Stream::new(1, Purpose::Player, game, 0, 0);
            let mut key = Position::start(Variant::Standard).key();
            match game % 3 {
                // Anything, nearly all of it nonsense.
                0 => key[..8].copy_from_slice(&stream.word().to_le_bytes()),
                // A bit or two of a position turned.
                shape => {
                    for _ in 0..shape {
                        let bit = stream.word() as usize % 80;
                        key[bit / 8] ^= 1 << (bit % 8);
                    }
                }
            }
            for checkers in [15, 3] {
                let letters = STANDARD_NO_PAD.encode(key);
                let found = Position::from_key(&key, checkers);
                assert_eq!(found, Position::from_id(&letters, checkers), "{letters}");
                if let Ok(position) = found {
                    assert_eq!(position.key(), key);
                    read += 1;
                }
            }
        }
        assert!(read > 1000, "{read}");
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
