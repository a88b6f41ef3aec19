//! Checkers on a board, seen by the player on roll.

use std::fmt;

use crate::board::Board;
use crate::outcome::Outcome;

/// The bar, as the place a step starts from.
pub const BAR: usize = 25;
/// The most checkers a side can have (rule 1.2).
pub const CHECKERS: u8 = 15;
/// The cells of a position in array form.
pub const CELLS: usize = 28;
/// The cell with the opponent's bar, as a count <= 0.
pub const OPPONENT_BAR: usize = 0;
/// The cell with the player's own checkers off.
pub const OFF: usize = 26;
/// The cell with the opponent's checkers off.
pub const OPPONENT_OFF: usize = 27;

/// The checkers of both sides, seen by the player on roll; always valid (rule 1.6).
///
/// Its 28 cells are the array form that batches use: 0 the opponent's bar (<= 0), 1 to 24 the points as the player on
/// roll numbers them (own checkers > 0, the opponent's < 0), 25 own bar, 26 own off, 27 the opponent's off (>= 0).
/// A side may have fewer than 15 checkers; what is neither on the board nor off is missing (rules 1.4, 9.6).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Position([i8; CELLS]);

/// Starting positions of the variants (rule 1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// 24:2 13:5 8:3 6:5.
    Standard,
    /// 24:2 23:2 13:4 8:3 6:4.
    Nackgammon,
    /// Three checkers, one each on 24, 23 and 22.
    Hypergammon,
    /// All fifteen on 24.
    Longgammon,
}

impl Variant {
    /// All variants.
    pub const ALL: [Variant; 4] = [Variant::Standard, Variant::Nackgammon, Variant::Hypergammon, Variant::Longgammon];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Standard => "standard",
            Variant::Nackgammon => "nackgammon",
            Variant::Hypergammon => "hypergammon",
            Variant::Longgammon => "longgammon",
        }
    }

    /// The variant of a name.
    pub fn from_name(name: &str) -> Option<Variant> {
        Variant::ALL.into_iter().find(|variant| variant.name() == name)
    }

    /// How many checkers a side has.
    pub const fn checkers(self) -> u8 {
        match self {
            Variant::Hypergammon => 3,
            _ => CHECKERS,
        }
    }

    const fn points(self) -> &'static [(usize, i32)] {
        match self {
            Variant::Standard => &[(24, 2), (13, 5), (8, 3), (6, 5)],
            Variant::Nackgammon => &[(24, 2), (23, 2), (13, 4), (8, 3), (6, 4)],
            Variant::Hypergammon => &[(24, 1), (23, 1), (22, 1)],
            Variant::Longgammon => &[(24, 15)],
        }
    }
}

/// One side of a [`Setup`], in that side's own numbering. Nothing is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Checkers on the points 1 to 24 and, at 25, on the bar. Place 0 is not used.
    pub points: [i32; BAR + 1],
    /// Checkers borne off.
    pub off: i32,
}

impl Default for Side {
    fn default() -> Side {
        Side { points: [0; BAR + 1], off: 0 }
    }
}

impl Side {
    /// A side with these checkers; the others of `checkers`, if there are any, are off.
    pub fn new(points: &[(usize, i32)], checkers: u8) -> Side {
        let mut side = Side::default();
        for &(point, count) in points {
            side.points[point] += count;
        }
        side.off = side.others(checkers);
        side
    }

    /// How many of `checkers` are not on points or bar.
    pub fn others(&self, checkers: u8) -> i32 {
        let on_board = self.points[1..].iter().fold(0, |sum: i32, &count| sum.saturating_add(count.max(0)));
        (i32::from(checkers) - on_board).max(0)
    }
}

/// Checkers as somebody gives them, before anything is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setup {
    /// The player on roll.
    pub own: Side,
    /// The opponent, in the opponent's own numbering.
    pub opponent: Side,
}

/// The side that a fault is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The player on roll.
    Player,
    /// The other one.
    Opponent,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Who::Player => "the player",
            Who::Opponent => "the opponent",
        })
    }
}

/// One reason why checkers are not a position (rule 1.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// More checkers than a side has, those off included.
    TooMany {
        /// Whose.
        who: Who,
        /// How many.
        count: i32,
        /// How many there can be.
        most: u8,
    },
    /// A negative count.
    Negative {
        /// Whose.
        who: Who,
        /// 1 to 24, 25 for the bar, 0 for off, in that side's numbering.
        place: usize,
        /// How many.
        count: i32,
    },
    /// Both sides stand on one point.
    BothOnPoint {
        /// The point as the player on roll numbers it.
        point: usize,
    },
    /// Neither side has a checker left to bear off.
    BothFinished,
    /// Both have a checker on the bar against six blocked points: nobody could ever move.
    BothShutOut,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Fault::TooMany { who, count, most } => {
                write!(f, "{who} has {count} checkers, more than {most}")
            }
            Fault::Negative { who, place, count } => {
                write!(f, "{who} has {count} checkers ")?;
                match place {
                    0 => write!(f, "off"),
                    BAR => write!(f, "on the bar"),
                    point => write!(f, "on point {point}"),
                }
            }
            Fault::BothOnPoint { point } => write!(f, "both sides have checkers on point {point}"),
            Fault::BothFinished => write!(f, "neither side has a checker in play"),
            Fault::BothShutOut => write!(f, "both sides are on the bar against closed boards"),
        }
    }
}

/// Every reason why checkers are not a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionError {
    /// At least one.
    pub faults: Vec<Fault>,
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a position: ")?;
        for (place, fault) in self.faults.iter().enumerate() {
            write!(f, "{}{fault}", if place == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for PositionError {}

impl Setup {
    /// The position, or every fault that the checkers have.
    pub fn validate(&self) -> Result<Position, PositionError> {
        self.validate_for(CHECKERS)
    }

    /// The same where a side has at most this many checkers, no more than 15.
    pub fn validate_for(&self, checkers: u8) -> Result<Position, PositionError> {
        let most = checkers.min(CHECKERS);
        let mut faults = Vec::new();
        for (who, side) in [(Who::Player, &self.own), (Who::Opponent, &self.opponent)] {
            let places = (1..=BAR).map(|point| (point, side.points[point])).chain([(0, side.off)]);
            let negative = |&(_, count): &(usize, i32)| count < 0;
            faults.extend(places.filter(negative).map(|(place, count)| Fault::Negative { who, place, count }));
            // A negative count is named by itself: it must not hide that the rest is too many.
            let count = side.points[1..].iter().chain([&side.off]).fold(0, |sum: i32, &n| sum.saturating_add(n.max(0)));
            if count > i32::from(most) {
                faults.push(Fault::TooMany { who, count, most });
            }
        }
        for point in 1..BAR {
            if self.own.points[point] != 0 && self.opponent.points[BAR - point] != 0 {
                faults.push(Fault::BothOnPoint { point });
            }
        }
        let in_play = |side: &Side| side.points[1..].iter().any(|&n| n != 0);
        if !in_play(&self.own) && !in_play(&self.opponent) {
            faults.push(Fault::BothFinished);
        }
        let on_bar_against = |side: &Side, other: &Side| side.points[BAR] > 0 && (1..=6).all(|p| other.points[p] >= 2);
        if on_bar_against(&self.own, &self.opponent) && on_bar_against(&self.opponent, &self.own) {
            faults.push(Fault::BothShutOut);
        }
        if !faults.is_empty() {
            return Err(PositionError { faults });
        }
        let mut cells = [0; CELLS];
        for point in 1..=BAR {
            cells[point] += self.own.points[point] as i8;
            cells[BAR - point] -= self.opponent.points[point] as i8;
        }
        cells[OFF] = self.own.off as i8;
        cells[OPPONENT_OFF] = self.opponent.off as i8;
        Ok(Position(cells))
    }
}

impl From<Position> for Setup {
    fn from(position: Position) -> Setup {
        Setup::from_cells(&position.0)
    }
}

impl Setup {
    /// The checkers of an array. A cell with the wrong sign becomes a negative count, which `validate` reports.
    pub fn from_cells(cells: &[i8; CELLS]) -> Setup {
        let mut setup = Setup::default();
        for point in 1..BAR {
            let count = i32::from(cells[point]);
            setup.own.points[point] = count.max(0);
            setup.opponent.points[BAR - point] = (-count).max(0);
        }
        setup.own.points[BAR] = i32::from(cells[BAR]);
        setup.opponent.points[BAR] = -i32::from(cells[OPPONENT_BAR]);
        setup.own.off = i32::from(cells[OFF]);
        setup.opponent.off = i32::from(cells[OPPONENT_OFF]);
        setup
    }
}

impl Position {
    /// The start of a game.
    pub fn start(variant: Variant) -> Position {
        let side = Side::new(variant.points(), variant.checkers());
        Setup { own: side, opponent: side }.validate().expect("a variant starts from a position")
    }

    /// A position of 15 checkers a side from points (25 is the bar), each side in its own numbering; the rest is off.
    pub fn from_points(own: &[(usize, i32)], opponent: &[(usize, i32)]) -> Result<Position, PositionError> {
        Setup { own: Side::new(own, CHECKERS), opponent: Side::new(opponent, CHECKERS) }.validate()
    }

    /// The position of an array.
    pub fn from_cells(cells: &[i8; CELLS]) -> Result<Position, PositionError> {
        if Position::is_plainly_valid(cells) { Ok(Position(*cells)) } else { Setup::from_cells(cells).validate() }
    }

    /// Whether an array is valid without a closer look: enough for nearly all, and fast.
    fn is_plainly_valid(cells: &[i8; CELLS]) -> bool {
        let (mut own, mut opponent) = (0i16, 0i16);
        for &cell in &cells[..OFF] {
            own += i16::from(cell.max(0));
            opponent -= i16::from(cell.min(0));
        }
        let (off, opponent_off) = (i16::from(cells[OFF]), i16::from(cells[OPPONENT_OFF]));
        let most = i16::from(CHECKERS);
        own + opponent > 0
            && own + off <= most
            && opponent + opponent_off <= most
            && off >= 0
            && opponent_off >= 0
            && cells[OPPONENT_BAR] <= 0
            && cells[BAR] >= 0
            && (cells[OPPONENT_BAR] == 0 || cells[BAR] == 0)
    }

    /// A position from cells that are known to be valid: those that a legal play leads to.
    pub(crate) const fn from_cells_unchecked(cells: [i8; CELLS]) -> Position {
        Position(cells)
    }

    /// The array form.
    pub const fn cells(&self) -> &[i8; CELLS] {
        &self.0
    }

    /// One cell of the array form: for points 1 to 24, own checkers > 0 and the opponent's < 0.
    pub const fn cell(&self, place: usize) -> i8 {
        self.0[place]
    }

    /// Own checkers on the bar.
    pub const fn bar(&self) -> u8 {
        self.0[BAR] as u8
    }

    /// Own checkers borne off.
    pub const fn off(&self) -> u8 {
        self.0[OFF] as u8
    }

    /// The opponent's checkers on the bar.
    pub const fn opponent_bar(&self) -> u8 {
        self.0[OPPONENT_BAR].unsigned_abs()
    }

    /// The opponent's checkers borne off.
    pub const fn opponent_off(&self) -> u8 {
        self.0[OPPONENT_OFF] as u8
    }

    /// The same checkers as the opponent sees them.
    pub fn flip(&self) -> Position {
        let mut cells = [0; CELLS];
        for place in 0..=BAR {
            cells[place] = -self.0[BAR - place];
        }
        cells[OFF] = self.0[OPPONENT_OFF];
        cells[OPPONENT_OFF] = self.0[OFF];
        Position(cells)
    }

    /// The player's pip count: steps of one point until all are off.
    pub fn pips(&self) -> u16 {
        (1..=BAR).map(|point| point as u16 * self.0[point].max(0) as u16).sum()
    }

    /// The opponent's pip count.
    pub fn opponent_pips(&self) -> u16 {
        (0..BAR).map(|point| (BAR - point) as u16 * u16::from(self.0[point].min(0).unsigned_abs())).sum()
    }

    /// The player's rearmost place, 25 for the bar; 0 if no checker is left.
    pub fn highest(&self) -> usize {
        Board::new(self).own().highest().unwrap_or(0)
    }

    /// Where the opponent's rearmost checker is in the player's numbering, 0 for their bar; 25 if none is left.
    fn opponent_rearmost(&self) -> usize {
        Board::new(self).opponent().lowest().unwrap_or(BAR)
    }

    /// Whether some checkers still have to pass each other.
    pub fn is_contact(&self) -> bool {
        self.highest() > self.opponent_rearmost()
    }

    /// Whether a side has no checker left in play (rules 6.1, 9.6).
    pub fn is_over(&self) -> bool {
        self.highest() == 0 || self.opponent_rearmost() == BAR
    }

    /// How the game ended for the player on roll, if it did (rule 6.2).
    pub fn outcome(&self) -> Option<Outcome> {
        if self.highest() == 0 {
            // The loser's rearmost checker is in the winner's home board, or on the bar.
            let backgammon = self.opponent_rearmost() <= 6;
            Some(match (self.opponent_off(), backgammon) {
                (0, true) => Outcome::WinBackgammon,
                (0, false) => Outcome::WinGammon,
                _ => Outcome::Win,
            })
        } else if self.opponent_rearmost() == BAR {
            self.flip().outcome().map(Outcome::flip)
        } else {
            None
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({}, off {}-{})", self.id(), self.off(), self.opponent_off())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_28_bytes() {
        assert_eq!(size_of::<Position>(), 28);
        assert_eq!(align_of::<Position>(), 1);
    }

    #[test]
    fn starts_rule_1_5() {
        for (variant, pips) in [
            (Variant::Standard, 167),
            (Variant::Nackgammon, 194),
            (Variant::Hypergammon, 69),
            (Variant::Longgammon, 360),
        ] {
            let position = Position::start(variant);
            assert_eq!((position.pips(), position.opponent_pips()), (pips, pips));
            assert_eq!((position.off(), position.opponent_off()), (0, 0));
            assert_eq!(position.flip(), position);
            assert_eq!(Variant::from_name(variant.name()), Some(variant));
        }
    }

    #[test]
    fn all_faults_are_reported_together_rule_1_6() {
        let mut setup = Setup::default();
        setup.own.points[6] = 16;
        setup.own.points[3] = -1;
        setup.opponent.points[19] = 2;
        setup.opponent.off = -4;
        let error = setup.validate().unwrap_err();
        assert_eq!(
            error.faults,
            [
                Fault::Negative { who: Who::Player, place: 3, count: -1 },
                Fault::TooMany { who: Who::Player, count: 16, most: 15 },
                Fault::Negative { who: Who::Opponent, place: 0, count: -4 },
                Fault::BothOnPoint { point: 6 },
            ]
        );
        let text = error.to_string();
        assert!(text.contains("the player has -1 checkers on point 3"), "{text}");
        assert!(text.contains("the opponent has -4 checkers off"), "{text}");
    }

    #[test]
    fn both_finished_rule_1_6() {
        assert_eq!(Position::from_points(&[], &[]).unwrap_err().faults, [Fault::BothFinished]);
        let mut cells = [0; CELLS];
        assert_eq!(Position::from_cells(&cells).unwrap_err().faults, [Fault::BothFinished]);
        cells[6] = 1;
        assert!(Position::from_cells(&cells).is_ok());
    }

    /// Both on the bar against closed boards (case L27).
    #[test]
    fn both_shut_out_l27() {
        let closed: Vec<_> = (1..=6).map(|point| (point, 2)).chain([(BAR, 1)]).collect();
        assert_eq!(Position::from_points(&closed, &closed).unwrap_err().faults, [Fault::BothShutOut]);
        assert!(Position::from_points(&closed, &closed[1..]).is_ok());
    }

    #[test]
    fn wrong_signs_in_an_array() {
        let mut cells = *Position::start(Variant::Standard).cells();
        cells[OPPONENT_BAR] = 1;
        cells[BAR] = -1;
        let faults = Position::from_cells(&cells).unwrap_err().faults;
        assert!(faults.contains(&Fault::Negative { who: Who::Player, place: BAR, count: -1 }));
        assert!(faults.contains(&Fault::Negative { who: Who::Opponent, place: BAR, count: -1 }));
        for value in [i8::MIN, i8::MAX] {
            assert!(Position::from_cells(&[value; CELLS]).is_err());
        }
    }

    #[test]
    fn outcomes_rule_6_2() {
        let outcome = |own: &[(usize, i32)], opponent: &[(usize, i32)]| {
            let position = Position::from_points(own, opponent).unwrap();
            let seen = position.outcome().map(Outcome::points);
            assert_eq!(position.flip().outcome().map(Outcome::points), seen.map(|points| -points));
            seen
        };
        assert_eq!(outcome(&[(1, 1)], &[(1, 1)]), None);
        assert_eq!(outcome(&[], &[(24, 14)]), Some(1));
        assert_eq!(outcome(&[], &[(18, 15)]), Some(2));
        assert_eq!(outcome(&[], &[(19, 1), (1, 14)]), Some(3));
        assert_eq!(outcome(&[], &[(BAR, 1), (1, 14)]), Some(3));
    }

    /// A missing checker is not off: it does not save a gammon (rule 9.6).
    #[test]
    fn a_missing_checker_saves_nothing_rule_9_6() {
        let mut setup = Setup { own: Side::new(&[], 15), opponent: Side::new(&[(6, 14)], 14) };
        assert_eq!(setup.validate().unwrap().outcome(), Some(Outcome::WinGammon));
        setup.opponent.off = 1;
        assert_eq!(setup.validate().unwrap().outcome(), Some(Outcome::Win));
    }
}
