//! Ends of races that no dice can change any more.

use crate::outcome::Outcome;
use crate::position::{BAR, OFF, Position};

/// The end that comes whatever is thrown, for the player on roll, as long as the winner does not give it away; none while
/// there is hope, or doubt how much is lost.
///
/// Bounds, not a search: a side that is home ends the game by a pip with each die at the slowest, and the other has no
/// more than 6-6 after 6-6. What it finds is certain; it does not find all that is.
///
/// ```
/// use gammon_core::certain::certain_end;
/// use gammon_core::{Outcome, Position, Variant};
///
/// assert_eq!(certain_end(&Position::start(Variant::Standard)), None);
/// ```
pub fn certain_end(position: &Position) -> Option<Outcome> {
    if let Some(outcome) = position.outcome() {
        return Some(outcome);
    }
    if position.is_contact() {
        return None;
    }
    let (own, other) = (Side::of(position), Side::of(&position.flip()));
    // The player rolls first, so the opponent has a turn less before the player is done.
    let lost = other.most_turns().and_then(|turns| own.loses_in(turns)).map(|points| -points);
    let won = || other.loses_in(own.most_turns()? - 1);
    lost.or_else(won).and_then(Outcome::from_points)
}

/// What a side has to do yet.
struct Side {
    /// Whether a checker is off, which saves the gammon.
    has_borne_off: bool,
    checkers: u32,
    pips: u32,
    /// Pips until all are home, and until all have left the other home board.
    to_home: u32,
    to_leave: u32,
}

impl Side {
    fn of(position: &Position) -> Side {
        let cells = position.cells();
        let mut side = Side { has_borne_off: cells[OFF] > 0, checkers: 0, pips: 0, to_home: 0, to_leave: 0 };
        for point in 1..=BAR {
            let (count, point) = (cells[point].max(0) as u32, point as u32);
            side.checkers += count;
            side.pips += count * point;
            side.to_home += count * point.saturating_sub(6);
            side.to_leave += count * point.saturating_sub(18);
        }
        side
    }

    /// The turns after which all checkers are off, with the worst dice; none if some are not home.
    fn most_turns(&self) -> Option<u32> {
        (self.to_home == 0).then(|| self.pips.div_ceil(2))
    }

    /// The points that are lost when the other side is done before this one's turn after `turns`.
    fn loses_in(&self, turns: u32) -> Option<i8> {
        // With 6-6 a turn takes 24 pips, and four checkers off.
        let is_done = |pips: u32, checkers: u32| pips.div_ceil(24).max(checkers.div_ceil(4)) <= turns;
        if is_done(self.pips, self.checkers) {
            return None;
        }
        if self.has_borne_off {
            return Some(1);
        }
        // The first checker off takes a pip beyond those that bring all home.
        if is_done(self.to_home + 1, 1) {
            return None;
        }
        match self.to_leave {
            0 => Some(2),
            pips => (!is_done(pips, 1)).then_some(3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearoff::Index;
    use crate::bearoff::one_sided::OneSided;
    use crate::parallel::Control;
    use crate::position::Variant;
    use crate::simulate;

    /// The exact chances of the same races are 0 and 1, gammons too.
    #[test]
    fn what_is_certain_is_so_by_the_exact_table() {
        let table = OneSided::build(Index::new(6, 15).unwrap(), 2, &Control::default()).unwrap();
        let start = Position::start(Variant::Standard);
        let (mut won, mut lost) = (0, 0);
        for position in simulate::random_positions(&start, 60_000, 4, &Control::default()) {
            let Some(end) = certain_end(&position).filter(|_| !position.is_over()) else { continue };
            let Some([own, other]) = table.ranks(&position) else { continue };
            let chances = table.race_chances(own, other).unwrap();
            assert_eq!(chances.win, f64::from(u8::from(end.is_win())), "{position:?}");
            let gammon = if end.is_win() { chances.win_gammon } else { chances.lose_gammon };
            assert_eq!(gammon, f64::from(u8::from(end.points().abs() > 1)), "{position:?}");
            won += u32::from(end.is_win());
            lost += u32::from(!end.is_win());
        }
        assert!(won > 100 && lost > 100, "{won} {lost}");
    }

    #[test]
    fn by_hand() {
        let end = |own: &[(usize, i8)], other: &[(usize, i8)]| {
            let mut cells = [0; crate::position::CELLS];
            for &(point, count) in own {
                cells[point] = count;
            }
            for &(point, count) in other {
                cells[25 - point] = -count;
            }
            cells[OFF] = 15 - own.iter().map(|place| place.1).sum::<i8>();
            cells[crate::position::OPPONENT_OFF] = 15 - other.iter().map(|place| place.1).sum::<i8>();
            certain_end(&Position::from_cells(&cells).unwrap()).map(Outcome::points)
        };
        assert_eq!(end(&[(6, 8), (5, 6)], &[(1, 2)]), Some(-1));
        assert_eq!(end(&[(13, 8), (12, 7)], &[(1, 2)]), Some(-2));
        assert_eq!(end(&[(20, 15)], &[(1, 2)]), Some(-3));
        // Two rolls of 6-6 win the first; the others are lost, but nobody knows at how much.
        assert_eq!(end(&[(6, 8)], &[(1, 3)]), None);
        assert_eq!(end(&[(19, 1), (13, 14)], &[(1, 2)]), None);
        assert_eq!(end(&[(6, 15)], &[(1, 2)]), None);
        assert_eq!(end(&[(1, 2)], &[(6, 8), (5, 6)]), Some(1));
        assert_eq!(end(&[(1, 2)], &[(13, 8), (12, 7)]), Some(2));
        assert_eq!(end(&[(1, 4)], &[(6, 8)]), Some(1));
        assert_eq!(end(&[(1, 5)], &[(1, 5)]), None);
    }
}
