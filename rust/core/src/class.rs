//! Classes of positions, by which evaluators and tables are chosen.

use crate::position::{BAR, Position};

/// What kind of position it is, for both sides together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A side has borne off its last checker.
    Over,
    /// No contact, and every checker in its home board.
    BearOff,
    /// No contact.
    Race,
    /// Contact, and a side has at most [`CRASHED_CHECKERS`] checkers left that are not deep on its ace or deuce point.
    Crashed,
    /// Every other position.
    Contact,
}

/// A side with this many live checkers or fewer can no longer hold its board.
pub const CRASHED_CHECKERS: i32 = 6;

impl Class {
    /// All classes, from the end of a game to its start.
    pub const ALL: [Class; 5] = [Class::Over, Class::BearOff, Class::Race, Class::Crashed, Class::Contact];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Over => "over",
            Class::BearOff => "bearoff",
            Class::Race => "race",
            Class::Crashed => "crashed",
            Class::Contact => "contact",
        }
    }
}

impl Position {
    /// The class of the position.
    pub fn class(&self) -> Class {
        if self.is_over() {
            Class::Over
        } else if self.is_contact() {
            let live = |position: &Position| (3..=BAR).map(|point| i32::from(position.cell(point).max(0))).sum::<i32>();
            if live(self) <= CRASHED_CHECKERS || live(&self.flip()) <= CRASHED_CHECKERS {
                Class::Crashed
            } else {
                Class::Contact
            }
        } else if self.highest() <= 6 && self.flip().highest() <= 6 {
            Class::BearOff
        } else {
            Class::Race
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Variant;

    #[test]
    fn examples_of_each_class() {
        assert_eq!(Position::start(Variant::Standard).class(), Class::Contact);
        let class = |own, opponent| Position::from_points(own, opponent).unwrap().class();
        assert_eq!(class(&[(6, 3)], &[(6, 3)]), Class::BearOff);
        assert_eq!(class(&[(6, 3)], &[]), Class::Over);
        assert_eq!(class(&[(7, 3)], &[(6, 3)]), Class::Race);
        let crashed = Position::from_points(&[(24, 1), (1, 8), (2, 6)], &[(13, 5), (6, 10)]).unwrap();
        assert_eq!(crashed.class(), Class::Crashed);
        assert_eq!(crashed.flip().class(), Class::Crashed);
    }

    /// Twelve on one point with opposing checkers on 20 and 2 is contact (case R17).
    #[test]
    fn a_stack_behind_a_checker_is_contact_r17() {
        let position = Position::from_points(&[(10, 12)], &[(5, 1), (23, 1)]).unwrap();
        assert!(position.is_contact());
        assert!(position.flip().is_contact());
    }
}
