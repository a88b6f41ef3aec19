//! Counting the tree of plays: the number that shows whether a generator is right.

use crate::dice::Roll;
use crate::movegen::{self, View};
use crate::position::Position;

/// Distinct results summed over the 21 rolls at each level, `depth` levels deep. A dance is one successor, a finished
/// position has none; depth 0 is 1.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.is_over() {
        return 0;
    }
    Roll::ALL.into_iter().map(|roll| perft_roll(position, roll, depth)).sum()
}

/// The part of [`perft`] that starts with one roll; `depth` counts it.
pub fn perft_roll(position: &Position, roll: Roll, depth: u32) -> u64 {
    if position.is_over() {
        return 0;
    }
    if depth <= 1 {
        return movegen::count(position, roll).max(1) as u64;
    }
    let mut results = Vec::new();
    movegen::results(position, roll, View::Next, &mut results);
    if results.is_empty() {
        return perft(&position.flip(), depth - 1);
    }
    results.into_iter().map(|cells| perft(&Position::from_cells_unchecked(cells), depth - 1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Variant;

    #[test]
    fn golden_counts() {
        let start = Position::start(Variant::Standard);
        assert_eq!(perft(&start, 0), 1);
        assert_eq!(perft(&start, 1), 447);
        assert_eq!(perft(&start, 2), 202_782);
    }

    #[test]
    fn the_largest_lists() {
        for (id, results) in [("AACAkCRJqqoAAA", 2220), ("RCCQACWllFIKAA", 2226)] {
            let position = Position::from_id(id, 15).unwrap();
            assert_eq!(movegen::count(&position, Roll::new(1, 1).unwrap()), results);
        }
    }

    #[test]
    fn a_dance_is_one_successor_and_an_end_none() {
        let closed: Vec<_> = (1..=6).map(|point| (point, 2)).collect();
        let shut_out = Position::from_points(&[(25, 1)], &closed).unwrap();
        assert_eq!(perft(&shut_out, 1), 21);
        let over = Position::from_points(&[], &closed).unwrap();
        assert_eq!(perft(&over, 1), 0);
        let last = Position::from_points(&[(1, 1)], &closed).unwrap();
        assert_eq!((perft(&last, 1), perft(&last, 2)), (21, 0));
    }
}
