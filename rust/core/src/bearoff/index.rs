//! One side's checkers on its first few points, as a number, and what its rolls can lead to.
//!
//! With s(k) checkers on the k highest points, the index is the sum over k of binom(s(k) + k - 1, k): the order that GNU
//! Backgammon's databases use. The empty side is 0, a checker on point p alone is p, and every play lowers the index.
//! Positions with at most c checkers are the first binom(points + c, points), so the order does not depend on how many
//! checkers a database goes up to.

use crate::dice::Roll;
use crate::play::MAX_STEPS;
use crate::position::{BAR, CHECKERS, Position};

/// The most points a database can cover. A loser further back could lose a backgammon, which no database here knows.
pub const MAX_POINTS: usize = 18;

/// The points of the home board, where all checkers must be before one is borne off (rule 5.1).
const HOME: usize = 6;

/// One side's checkers on its points 1, 2, 3, ...; those above an index's points must be 0.
pub type Counts = [u8; MAX_POINTS];

const MOST: usize = CHECKERS as usize;

/// `WAYS[k][s]` = binom(s + k - 1, k): how many positions of k points come before the first that has s checkers.
const WAYS: [[u32; MOST + 2]; MAX_POINTS + 1] = {
    let mut ways = [[0; MOST + 2]; MAX_POINTS + 1];
    let mut k = 1;
    while k <= MAX_POINTS {
        let mut s = 1;
        while s <= MOST + 1 {
            let fewer_points = if k == 1 { 1 } else { ways[k - 1][s] };
            ways[k][s] = ways[k][s - 1] + fewer_points;
            s += 1;
        }
        k += 1;
    }
    ways
};

/// The numbering of the positions of up to `checkers` checkers on `points` points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    points: u8,
    checkers: u8,
}

impl Index {
    /// The numbering for 1 to [`MAX_POINTS`] points and 1 to 15 checkers; `None` outside.
    pub fn new(points: usize, checkers: usize) -> Option<Index> {
        let fits = (1..=MAX_POINTS).contains(&points) && (1..=MOST).contains(&checkers);
        fits.then_some(Index { points: points as u8, checkers: checkers as u8 })
    }

    /// How many points it covers.
    pub fn points(self) -> usize {
        usize::from(self.points)
    }

    /// The most checkers it covers.
    pub fn checkers(self) -> usize {
        usize::from(self.checkers)
    }

    /// How many positions there are, the empty one included: binom(points + checkers, points).
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(self) -> usize {
        WAYS[self.points()][self.checkers() + 1] as usize
    }

    /// How many positions have at most this many checkers: they are the first ones.
    pub fn len_up_to(self, checkers: usize) -> usize {
        WAYS[self.points()][checkers.min(self.checkers()) + 1] as usize
    }

    /// The number of a position; `None` if it has too many checkers, or one above the points.
    pub fn rank(self, counts: &Counts) -> Option<usize> {
        let total: u32 = counts.iter().map(|&count| u32::from(count)).sum();
        let fits = total <= u32::from(self.checkers) && counts[self.points()..].iter().all(|&count| count == 0);
        fits.then(|| self.rank_unchecked(counts))
    }

    /// [`Index::rank`] of a position that is known to fit.
    #[inline]
    fn rank_unchecked(self, counts: &Counts) -> usize {
        let (mut rank, mut on_highest) = (0, 0);
        for (k, &count) in counts[..self.points()].iter().rev().enumerate() {
            on_highest += usize::from(count);
            rank += WAYS[k + 1][on_highest];
        }
        rank as usize
    }

    /// The position of a number.
    ///
    /// # Panics
    /// If the number is not below [`Index::len`].
    pub fn unrank(self, index: usize) -> Counts {
        assert!(index < self.len(), "position {index} of {}", self.len());
        let mut counts = [0; MAX_POINTS];
        let (mut rest, mut above) = (index as u32, None);
        for k in (1..=self.points()).rev() {
            let on_highest = WAYS[k].partition_point(|&first| first <= rest) - 1;
            rest -= WAYS[k][on_highest];
            if let Some(above) = above {
                // Point `points - k` is the lowest of the k + 1 highest but not one of the k highest.
                counts[self.points() - k - 1] = (above - on_highest) as u8;
            }
            above = Some(on_highest);
        }
        counts[self.points() - 1] = above.expect("an index has points") as u8;
        counts
    }

    /// The numbers of the distinct positions that a roll can lead to, lowest first; none if no checker is left.
    ///
    /// # Panics
    /// If the number is not below [`Index::len`].
    pub fn plays(self, index: usize, roll: Roll) -> Vec<usize> {
        let mut results = Vec::new();
        self.plays_from(&self.unrank(index), roll, &mut results);
        results.iter().map(|&result| result as usize).collect()
    }

    /// Replaces `results` by the numbers of the distinct positions that a roll can lead to, lowest first.
    ///
    /// Past each other no step is ever blocked, so both dice (four steps of a double) can always be played until no
    /// checker is left, and rules 3.4 and 3.5 leave every choice of steps free.
    pub fn plays_from(self, counts: &Counts, roll: Roll, results: &mut Vec<u32>) {
        self.plays_in_order(counts, roll, results);
        results.sort_unstable();
        results.dedup();
    }

    /// Like [`Index::plays_from`], but as they are found, some several times: the larger die first, then the smaller,
    /// and each from the rearmost point on.
    pub(super) fn plays_in_order(self, counts: &Counts, roll: Roll, results: &mut Vec<u32>) {
        results.clear();
        let (high, low) = (usize::from(roll.high()), usize::from(roll.low()));
        let start = Side { counts: *counts, highest: highest(counts, self.points()) };
        if start.highest == 0 {
            return;
        }
        if roll.is_double() {
            self.double(&start, high, start.highest, MAX_STEPS, results);
        } else {
            for (first, second) in [(high, low), (low, high)] {
                start.each_step(first, start.highest, |_, after| match after.highest {
                    0 => results.push(0),
                    highest => after.each_step(second, highest, |_, end| self.push(&end, results)),
                });
            }
        }
    }

    /// What single steps from a position lead to, by number.
    pub(super) fn single_steps(self, rank: usize) -> SingleSteps {
        let counts = self.unrank(rank);
        let mut saved = [0; MAX_POINTS + 1];
        let mut on_highest = 0;
        for k in 1..=self.points() {
            on_highest += usize::from(counts[self.points() - k]);
            // One checker fewer on the k highest points lowers the number by so much.
            let by_one = if on_highest == 0 { 0 } else { WAYS[k][on_highest] - WAYS[k][on_highest - 1] };
            saved[k] = saved[k - 1] + by_one;
        }
        SingleSteps {
            counts,
            points: self.points(),
            highest: highest(&counts, self.points()),
            rank: rank as u32,
            saved,
        }
    }

    /// Steps of a double by descending starting point: each choice of steps once.
    fn double(self, side: &Side, die: usize, limit: usize, left: usize, results: &mut Vec<u32>) {
        side.each_step(die, limit, |from, after| {
            if left == 1 || after.highest == 0 {
                self.push(&after, results);
            } else {
                self.double(&after, die, from, left - 1, results);
            }
        });
    }

    #[inline]
    fn push(self, side: &Side, results: &mut Vec<u32>) {
        results.push(self.rank_unchecked(&side.counts) as u32);
    }
}

/// The single steps of a position: a step from one point to another takes a checker off the k highest points for each k
/// in between, so differences of sums over k give the numbers after it.
pub(super) struct SingleSteps {
    counts: Counts,
    points: usize,
    highest: usize,
    rank: u32,
    saved: [u32; MAX_POINTS + 1],
}

impl SingleSteps {
    /// Calls `each` with the number of the position after every step of a die, and the pips it takes (rules 5.1 to 5.3).
    #[inline(always)]
    pub fn each(&self, die: usize, mut each: impl FnMut(u32, usize)) {
        for from in (1..=self.highest).rev() {
            let bears_off = from <= die;
            let may_bear_off = self.highest <= HOME && (from == die || from == self.highest);
            if self.counts[from - 1] == 0 || (bears_off && !may_bear_off) {
                continue;
            }
            let to = from.saturating_sub(die);
            each(self.rank - (self.saved[self.points - to] - self.saved[self.points - from]), from - to);
        }
    }
}

/// How many pips a side has left.
pub fn pips(counts: &Counts) -> usize {
    counts.iter().enumerate().map(|(below, &count)| (below + 1) * usize::from(count)).sum()
}

/// How many checkers a side has on its points.
pub fn checkers(counts: &Counts) -> usize {
    counts.iter().map(|&count| usize::from(count)).sum()
}

/// The checkers of both sides, the player on roll first, each on its own points.
///
/// `None` if there is contact or a checker on the bar or beyond [`MAX_POINTS`].
pub fn sides(position: &Position) -> Option<[Counts; 2]> {
    let mut sides = [[0; MAX_POINTS]; 2];
    if position.is_contact() || position.bar() > 0 || position.opponent_bar() > 0 {
        return None;
    }
    for point in 1..BAR {
        let count = position.cell(point);
        if count > 0 {
            *sides[0].get_mut(point - 1)? = count as u8;
        } else if count < 0 {
            *sides[1].get_mut(BAR - point - 1)? = count.unsigned_abs();
        }
    }
    Some(sides)
}

/// The rearmost point, 0 if no checker is left.
fn highest(counts: &Counts, limit: usize) -> usize {
    (1..=limit).rev().find(|&point| counts[point - 1] > 0).unwrap_or(0)
}

#[derive(Clone, Copy)]
struct Side {
    counts: Counts,
    highest: usize,
}

impl Side {
    /// Calls `each` with every step of a die from a point up to `limit`, rearmost first (rules 5.1 to 5.3).
    #[inline(always)]
    fn each_step(&self, die: usize, limit: usize, mut each: impl FnMut(usize, Side)) {
        for from in (1..=limit).rev() {
            let bears_off = from <= die;
            let may_bear_off = self.highest <= HOME && (from == die || from == self.highest);
            if self.counts[from - 1] == 0 || (bears_off && !may_bear_off) {
                continue;
            }
            let mut after = *self;
            after.counts[from - 1] -= 1;
            if !bears_off {
                after.counts[from - die - 1] += 1;
            }
            if from == self.highest && after.counts[from - 1] == 0 {
                after.highest = highest(&after.counts, from);
            }
            each(from, after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::{Setup, Side as Checkers};
    use std::collections::BTreeSet;

    fn on(places: &[(usize, u8)]) -> Counts {
        let mut counts = [0; MAX_POINTS];
        for &(point, count) in places {
            counts[point - 1] = count;
        }
        counts
    }

    #[test]
    fn numbers_of_gnu_backgammon() {
        let six = Index::new(6, 15).unwrap();
        assert_eq!(six.len(), 54_264);
        assert_eq!(six.rank(&on(&[])), Some(0));
        for point in 1..=6 {
            assert_eq!(six.rank(&on(&[(point, 1)])), Some(point));
        }
        assert_eq!(six.rank(&on(&[(1, 2)])), Some(7));
        assert_eq!(six.rank(&on(&[(6, 15)])), Some(54_263));
        for (checkers, len) in [(4, 210), (6, 924), (7, 1716), (14, 38_760)] {
            assert_eq!(Index::new(6, checkers).unwrap().len(), len);
            assert_eq!(six.len_up_to(checkers), len);
        }
        assert_eq!(Index::new(18, 15).unwrap().len(), 1_037_158_320);
    }

    #[test]
    fn ranks_and_positions_are_inverse() {
        for (points, checkers) in [(1, 15), (2, 3), (6, 15), (9, 6), (18, 3)] {
            let index = Index::new(points, checkers).unwrap();
            for rank in 0..index.len() {
                assert_eq!(index.rank(&index.unrank(rank)), Some(rank));
            }
        }
        let largest = Index::new(18, 15).unwrap();
        assert_eq!(largest.rank(&largest.unrank(largest.len() - 1)), Some(largest.len() - 1));
    }

    #[test]
    fn outside_is_refused() {
        let index = Index::new(6, 3).unwrap();
        assert_eq!(index.rank(&on(&[(6, 4)])), None);
        assert_eq!(index.rank(&on(&[(7, 1)])), None);
        for (points, checkers) in [(0, 3), (19, 3), (6, 0), (6, 16)] {
            assert_eq!(Index::new(points, checkers), None);
        }
    }

    /// Against the general generator, with an opponent far behind who is never met.
    fn agrees_with_movegen(points: usize, checkers: usize) {
        let index = Index::new(points, checkers).unwrap();
        for rank in 1..index.len() {
            let counts = index.unrank(rank);
            let own: Vec<_> = (1..=points).map(|point| (point, i32::from(counts[point - 1]))).collect();
            let setup = Setup { own: Checkers::new(&own, 15), opponent: Checkers::new(&[(1, 1)], 15) };
            let position = setup.validate().unwrap();
            for roll in Roll::ALL {
                let expected: BTreeSet<_> = position
                    .plays(roll)
                    .iter()
                    .map(|play| index.rank(&sides(play.after()).unwrap()[0]).unwrap())
                    .collect();
                let plays = index.plays(rank, roll);
                assert!(plays.iter().copied().eq(expected), "{counts:?} {roll} {plays:?}");
                assert!(plays.iter().all(|&play| play < rank && pips(&index.unrank(play)) < pips(&counts)));
            }
        }
    }

    #[test]
    fn plays_agree_with_the_general_generator() {
        for (points, checkers) in [(6, 5), (3, 9), (8, 4), (18, 2)] {
            agrees_with_movegen(points, checkers);
        }
    }

    #[test]
    fn single_steps_agree_with_those_of_plays() {
        for (points, checkers) in [(6, 5), (9, 3), (18, 2)] {
            let index = Index::new(points, checkers).unwrap();
            for rank in 0..index.len() {
                let start = Side { counts: index.unrank(rank), highest: highest(&index.unrank(rank), points) };
                for die in 1..=6 {
                    let (mut seen, mut expected) = (Vec::new(), Vec::new());
                    index.single_steps(rank).each(die, |after, _| seen.push(after as usize));
                    start.each_step(die, start.highest, |_, after| expected.push(index.rank(&after.counts).unwrap()));
                    assert_eq!(seen, expected, "{:?} {die}", start.counts);
                }
            }
        }
    }

    #[test]
    fn plays_of_no_checkers() {
        assert!(Index::new(6, 3).unwrap().plays(0, Roll::ALL[0]).is_empty());
    }

    #[test]
    fn both_sides_of_a_position() {
        let position = Position::from_points(&[(6, 2), (1, 1)], &[(3, 4)]).unwrap();
        assert_eq!(sides(&position), Some([on(&[(6, 2), (1, 1)]), on(&[(3, 4)])]));
        let contact = Position::from_points(&[(24, 2)], &[(3, 4)]).unwrap();
        assert_eq!(sides(&contact), None);
    }
}
