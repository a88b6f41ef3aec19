//! Counting the tree of plays: the number that shows whether a generator is right.

use crate::dice::Roll;
use crate::movegen::{self, View};
use crate::parallel::{self, Control};
use crate::position::Position;

/// Distinct results summed over the 21 rolls at each level, `depth` levels deep. A dance is one successor, a finished
/// position has none; depth 0 is 1.
pub fn perft(position: &Position, depth: u32) -> u64 {
    position.perft(depth, &Control::default())
}

/// [`perft`] on several threads; `None` if it was cancelled. Progress counts the positions after the first roll.
pub fn perft_parallel(position: &Position, depth: u32, threads: usize, control: &Control) -> Option<u64> {
    if depth < 2 || position.is_over() {
        return Some(perft(position, depth));
    }
    let next = successors(position);
    let parts = parallel::gather(next.len() as u64, threads, control, |sum: &mut u64, place| {
        *sum += next[place as usize].perft(depth - 1, control);
        control.advance(1);
    });
    (!control.is_cancelled()).then(|| parts.iter().sum())
}

/// Every successor over the 21 rolls, in the view of the player who rolls next.
fn successors(position: &Position) -> Vec<Position> {
    let mut all = Vec::new();
    for roll in Roll::ALL {
        let before = all.len();
        movegen::results(position, roll, View::Next, &mut all);
        if all.len() == before {
            all.push(*position.flip().cells());
        }
    }
    all.into_iter().map(Position::from_cells_unchecked).collect()
}

impl Position {
    fn perft(&self, depth: u32, control: &Control) -> u64 {
        match depth {
            0 => 1,
            _ if self.is_over() || control.is_cancelled() => 0,
            1 => Roll::ALL.into_iter().map(|roll| movegen::count(self, roll).max(1) as u64).sum(),
            _ => successors(self).iter().map(|next| next.perft(depth - 1, control)).sum(),
        }
    }
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
        for threads in [1, 2, 8] {
            assert_eq!(perft_parallel(&start, 2, threads, &Control::default()), Some(202_782));
        }
        let control = Control::default();
        control.cancel();
        assert_eq!(perft_parallel(&start, 2, 1, &control), None);
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
