//! The checkers of one side of hypergammon, numbered.

use crate::position::{BAR, OFF, OPPONENT_OFF, Position};

/// The most checkers a side of a solved game can have.
pub const MOST_CHECKERS: u8 = 3;

/// Places of a checker: off, 24 points and the bar.
const PLACES: usize = BAR + 1;
/// Marks what is not a side.
const NONE: u16 = u16::MAX;

/// The checkers of one side, in that side's numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    /// Where the checkers are, highest first: 25 is the bar, 0 is off (and fills up a side of fewer than three).
    pub places: [u8; MOST_CHECKERS as usize],
    /// Steps of one point until all are off.
    pub pips: u8,
    /// The occupied points, 1 to 24, as bits.
    pub points: u32,
    /// The point with two or more checkers, where the other side may not land; 0 if there is none.
    ///
    /// Three checkers cannot hold two points: that is what makes the lists of plays small.
    pub block: u8,
}

impl Side {
    fn new(places: [u8; 3]) -> Side {
        let mut points = 0u32;
        let mut block = 0;
        for &place in places.iter().filter(|&&place| (1..BAR as u8).contains(&place)) {
            if points >> place & 1 == 1 {
                block = place;
            }
            points |= 1 << place;
        }
        Side { places, pips: places.iter().sum(), points, block }
    }

    /// The rearmost place, 0 if all are off.
    pub fn highest(&self) -> u8 {
        self.places[0]
    }

    /// Checkers in play.
    pub fn in_play(&self) -> u8 {
        self.places.iter().filter(|&&place| place > 0).count() as u8
    }

    /// For each of the three checkers the point where it can be hit, in the other side's numbering; 0 where it cannot.
    pub fn blots(&self) -> [u8; 3] {
        self.places.map(|place| {
            let is_blot = place > 0 && usize::from(place) < BAR && place != self.block;
            if is_blot { BAR as u8 - place } else { 0 }
        })
    }
}

/// All sides of a number of checkers, ordered by pips, then by places; side 0 has borne off everything.
#[derive(Debug)]
pub(super) struct Sides {
    checkers: u8,
    all: Vec<Side>,
    /// By three places in any order.
    index: Vec<u16>,
    /// Where the sides of each pip count start.
    by_pips: Vec<usize>,
}

impl Sides {
    pub fn new(checkers: u8) -> Sides {
        assert!((1..=MOST_CHECKERS).contains(&checkers), "1 to 3 checkers");
        let most = |checker: u8| if checker < checkers { BAR as u8 } else { 0 };
        let mut all = Vec::new();
        for first in 0..=most(0) {
            for second in 0..=most(1).min(first) {
                all.extend((0..=most(2).min(second)).map(|third| Side::new([first, second, third])));
            }
        }
        all.sort_unstable_by_key(|side| (side.pips, side.places));
        let mut index = vec![NONE; PLACES * PLACES * PLACES];
        for (number, side) in all.iter().enumerate() {
            let [a, b, c] = side.places;
            for places in [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
                index[key(places)] = number as u16;
            }
        }
        let pips = usize::from(checkers) * BAR;
        let by_pips = (0..=pips + 1).map(|pips| all.partition_point(|side| usize::from(side.pips) < pips)).collect();
        Sides { checkers, all, index, by_pips }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn checkers(&self) -> u8 {
        self.checkers
    }

    pub fn get(&self, index: usize) -> &Side {
        &self.all[index]
    }

    pub fn iter(&self) -> impl Iterator<Item = &Side> {
        self.all.iter()
    }

    /// The most pips a side can have.
    pub fn most_pips(&self) -> usize {
        self.by_pips.len() - 2
    }

    /// The sides with so many pips.
    pub fn with_pips(&self, pips: usize) -> std::ops::Range<usize> {
        match self.by_pips.get(pips..pips + 2) {
            Some(&[start, end]) => start..end,
            _ => 0..0,
        }
    }

    /// The number of a side by the places of its checkers, in any order.
    pub fn index(&self, places: [u8; 3]) -> usize {
        usize::from(self.index[key(places)])
    }

    /// The number of the side after some of its checkers were hit: bit i of `hit` is the i-th of its places.
    pub fn after_hits(&self, side: &Side, hit: usize) -> usize {
        let mut places = side.places;
        for (checker, place) in places.iter_mut().enumerate() {
            if hit >> checker & 1 == 1 {
                *place = BAR as u8;
            }
        }
        self.index(places)
    }

    /// The two sides of a position, the player on roll first; none if a side has another number of checkers.
    pub fn of_position(&self, position: &Position) -> Option<(usize, usize)> {
        let own = self.side_of(|point| position.cell(point).max(0), position.cell(OFF))?;
        let opponent = self.side_of(|point| (-position.cell(BAR - point)).max(0), position.cell(OPPONENT_OFF))?;
        Some((own, opponent))
    }

    fn side_of(&self, count: impl Fn(usize) -> i8, off: i8) -> Option<usize> {
        let mut places = [0; 3];
        let mut found = 0;
        for point in 1..=BAR {
            for _ in 0..count(point) {
                *places.get_mut(found)? = point as u8;
                found += 1;
            }
        }
        (found as i8 + off == self.checkers as i8).then(|| self.index(places))
    }

    /// Whether both can stand on one board: not on one point, and not both borne off.
    pub fn is_valid(&self, player: usize, opponent: usize) -> bool {
        // The opponent's point p is the player's 25 - p: bit 31 - (p + 6) after reversing and shifting by 6.
        let mirrored = self.all[opponent].points.reverse_bits() >> (31 - BAR);
        self.all[player].points & mirrored == 0 && (player != 0 || opponent != 0)
    }
}

fn key(places: [u8; 3]) -> usize {
    places.into_iter().fold(0, |key, place| key * PLACES + usize::from(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Variant;

    #[test]
    fn counts() {
        // Multisets of 26 places: C(25 + n, n).
        for (checkers, count) in [(1, 26), (2, 351), (3, 3276)] {
            let sides = Sides::new(checkers);
            assert_eq!(sides.len(), count);
            assert_eq!(sides.most_pips(), 25 * usize::from(checkers));
            let listed: usize = (0..=sides.most_pips()).map(|pips| sides.with_pips(pips).len()).sum();
            assert_eq!(listed, count);
            assert_eq!(sides.get(0).pips, 0);
            for (number, side) in sides.iter().enumerate() {
                assert_eq!(sides.index(side.places), number);
                assert!(sides.with_pips(usize::from(side.pips)).contains(&number));
            }
        }
    }

    #[test]
    fn the_start_of_hypergammon() {
        let sides = Sides::new(3);
        let start = Position::start(Variant::Hypergammon);
        let (own, opponent) = sides.of_position(&start).unwrap();
        assert_eq!(own, opponent);
        assert_eq!(sides.get(own).places, [24, 23, 22]);
        assert!(sides.is_valid(own, opponent));
        assert_eq!(sides.of_position(&Position::start(Variant::Standard)), None);
        assert!(!sides.is_valid(sides.index([24, 0, 0]), sides.index([1, 0, 0])));
        assert!(sides.is_valid(sides.index([24, 0, 0]), sides.index([2, 0, 0])));
        assert!(!sides.is_valid(sides.index([1, 0, 0]), sides.index([24, 0, 0])));
    }

    #[test]
    fn blots_and_blocks() {
        let sides = Sides::new(3);
        let side = sides.get(sides.index([25, 24, 3]));
        assert_eq!((side.blots(), side.block), ([0, 1, 22], 0));
        let side = sides.get(sides.index([6, 6, 0]));
        assert_eq!((side.blots(), side.block), ([0, 0, 0], 6));
        let side = sides.get(sides.index([9, 6, 0]));
        assert_eq!(sides.get(sides.after_hits(side, 0b10)).places, [25, 9, 0]);
    }
}
