//! How a game ended, and how likely it is to end so.

use std::fmt;

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

/// How far numbers may lie outside what they must be and still be taken for rounding: 32-bit sums and files with six
/// decimals stay well within.
pub const TOLERANCE: f64 = 1e-5;

/// How likely each end of a game is, for the player on roll: five nested probabilities, each from 0 to 1.
///
/// `win_gammon` includes backgammons, and so does `lose_gammon`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probabilities([f64; 5]);

/// Five numbers that are not nested probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbabilitiesError {
    /// Not a number from 0 to 1.
    Range {
        /// Which of [`Probabilities::NAMES`].
        name: &'static str,
        /// The number.
        value: f64,
    },
    /// More likely than what includes it.
    Nested {
        /// Which of [`Probabilities::NAMES`].
        name: &'static str,
        /// The number.
        value: f64,
        /// What includes it.
        limit_name: &'static str,
        /// How likely that is.
        limit: f64,
    },
}

impl fmt::Display for ProbabilitiesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProbabilitiesError::Range { name, value } => {
                write!(f, "a probability is a number from 0 to 1, not {name} = {value}")
            }
            ProbabilitiesError::Nested { name, value, limit_name, limit } => {
                write!(f, "{name} = {value} is more than {limit_name} = {limit}, which includes it")
            }
        }
    }
}

impl std::error::Error for ProbabilitiesError {}

impl Probabilities {
    /// The five in their order everywhere.
    pub const NAMES: [&'static str; 5] = ["win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon"];

    /// Checks the five; what is out of place by at most [`TOLERANCE`] is put in place.
    ///
    /// ```
    /// # use gammon_core::Probabilities;
    /// let probabilities = Probabilities::new([0.5, 0.125, 0.0, 0.25, 0.0]).unwrap();
    /// assert_eq!(probabilities.equity(), -0.125);
    /// assert!(Probabilities::new([0.5, 0.625, 0.0, 0.0, 0.0]).is_err());
    /// ```
    pub fn new(values: [f64; 5]) -> Result<Probabilities, ProbabilitiesError> {
        for (name, value) in Probabilities::NAMES.into_iter().zip(values) {
            if !(-TOLERANCE..=1.0 + TOLERANCE).contains(&value) {
                return Err(ProbabilitiesError::Range { name, value });
            }
        }
        let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = values;
        let within = |place: usize, value: f64, limit_name, limit: f64| {
            if value > limit + TOLERANCE {
                return Err(ProbabilitiesError::Nested { name: Probabilities::NAMES[place], value, limit_name, limit });
            }
            Ok(value.clamp(0.0, limit))
        };
        let win = win.clamp(0.0, 1.0);
        let win_gammon = within(1, win_gammon, "win", win)?;
        let win_backgammon = within(2, win_backgammon, "win_gammon", win_gammon)?;
        let lose_gammon = within(3, lose_gammon, "the chance to lose", 1.0 - win)?;
        let lose_backgammon = within(4, lose_backgammon, "lose_gammon", lose_gammon)?;
        Ok(Probabilities([win, win_gammon, win_backgammon, lose_gammon, lose_backgammon]))
    }

    /// Takes five numbers that are known to be nested, for example those of an evaluator.
    pub const fn new_unchecked(values: [f64; 5]) -> Probabilities {
        Probabilities(values)
    }

    /// A finished game.
    pub fn certain(outcome: Outcome) -> Probabilities {
        let points = outcome.points();
        Probabilities([1, 2, 3, -2, -3].map(|end: i8| {
            let reached = points.signum() == end.signum() && points.abs() >= end.abs();
            f64::from(u8::from(reached))
        }))
    }

    /// The five numbers, in the order of [`Probabilities::NAMES`].
    pub const fn values(self) -> [f64; 5] {
        self.0
    }

    /// The chance to win.
    pub const fn win(self) -> f64 {
        self.0[0]
    }

    /// The chances of the six ends, in the order of [`Outcome::ALL`]; they add up to 1.
    pub fn outcomes(self) -> [f64; 6] {
        let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = self.0;
        [
            lose_backgammon,
            lose_gammon - lose_backgammon,
            1.0 - win - lose_gammon,
            win - win_gammon,
            win_gammon - win_backgammon,
            win_backgammon,
        ]
    }

    /// Points for the player with a cube of 1 that nobody turns: cubeless equity, -3 to 3.
    pub fn equity(self) -> f64 {
        let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = self.0;
        2.0 * win - 1.0 + win_gammon + win_backgammon - lose_gammon - lose_backgammon
    }

    /// The same game as the other player sees it.
    pub fn flip(self) -> Probabilities {
        let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = self.0;
        Probabilities([1.0 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_nested_or_refused() {
        let good = [0.6, 0.2, 0.01, 0.1, 0.0];
        assert_eq!(Probabilities::new(good).unwrap().values(), good);
        for (place, value) in
            [(0, 1.01), (0, f64::NAN), (1, 0.61), (2, 0.21), (3, 0.41), (4, 0.11), (4, -0.1), (3, f64::INFINITY)]
        {
            let mut bad = good;
            bad[place] = value;
            let error = Probabilities::new(bad).unwrap_err().to_string();
            assert!(error.contains(Probabilities::NAMES[place]), "{error}");
        }
        let nearly = Probabilities::new([1.000001, 1.000002, -0.000001, 0.000001, 0.0]).unwrap();
        assert_eq!(nearly.values(), [1.0, 1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn six_ends_add_up_and_flip() {
        let probabilities = Probabilities::new([0.6, 0.2, 0.01, 0.1, 0.05]).unwrap();
        let ends = probabilities.outcomes();
        assert!((ends.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        let points: f64 = Outcome::ALL.iter().zip(ends).map(|(end, chance)| f64::from(end.points()) * chance).sum();
        assert!((points - probabilities.equity()).abs() < 1e-15);
        let mut flipped = probabilities.flip().outcomes();
        flipped.reverse();
        assert!(ends.iter().zip(flipped).all(|(a, b)| (a - b).abs() < 1e-15));
        for outcome in Outcome::ALL {
            assert_eq!(Probabilities::certain(outcome).equity(), f64::from(outcome.points()));
            assert_eq!(Probabilities::certain(outcome).flip(), Probabilities::certain(outcome.flip()));
        }
    }

    #[test]
    fn flip_is_an_involution() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.flip().flip(), outcome);
            assert_eq!(outcome.flip().points(), -outcome.points());
        }
        assert_eq!(Outcome::from_points(0), None);
    }
}
