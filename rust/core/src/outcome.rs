//! How a game ended.

/// A finished game as one player sees it (rule 6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i8)]
pub enum Outcome {
    /// The opponent won three times the value.
    LoseBackgammon = -3,
    /// The opponent won twice the value.
    LoseGammon = -2,
    /// The opponent won the value.
    Lose = -1,
    /// The player won the value.
    Win = 1,
    /// The player won twice the value.
    WinGammon = 2,
    /// The player won three times the value.
    WinBackgammon = 3,
}

impl Outcome {
    /// All six, worst first.
    pub const ALL: [Outcome; 6] = [
        Outcome::LoseBackgammon,
        Outcome::LoseGammon,
        Outcome::Lose,
        Outcome::Win,
        Outcome::WinGammon,
        Outcome::WinBackgammon,
    ];

    /// The outcome worth these points, -3 to 3 without 0.
    pub fn from_points(points: i8) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|outcome| outcome.points() == points)
    }

    /// Points for the player, before stake and cube: -3 to 3.
    pub const fn points(self) -> i8 {
        self as i8
    }

    /// The same game as the other player sees it.
    pub fn flip(self) -> Outcome {
        Outcome::from_points(-self.points()).expect("the mirror of an outcome is one")
    }

    /// Whether the player won.
    pub const fn is_win(self) -> bool {
        self.points() > 0
    }

    /// `single`, `gammon` or `backgammon`.
    pub const fn level(self) -> &'static str {
        match self.points().abs() {
            1 => "single",
            2 => "gammon",
            _ => "backgammon",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flip_is_an_involution() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.flip().flip(), outcome);
            assert_eq!(outcome.flip().points(), -outcome.points());
        }
        assert_eq!(Outcome::from_points(0), None);
    }
}
