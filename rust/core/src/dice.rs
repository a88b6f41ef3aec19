//! Two dice: the 21 rolls, their weights, and the openings.

use std::fmt;
use std::str::FromStr;

/// Two dice without an order; the larger is first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Roll {
    high: u8,
    low: u8,
}

/// Dice that are not two numbers from 1 to 6.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollError(String);

impl Roll {
    /// The 21 rolls in the order of [`Roll::index`]: 11, 21, 22, 31, ..., 66.
    pub const ALL: [Roll; 21] = {
        let mut all = [Roll { high: 1, low: 1 }; 21];
        let mut index = 0;
        let mut high = 1;
        while high <= 6 {
            let mut low = 1;
            while low <= high {
                all[index] = Roll { high, low };
                index += 1;
                low += 1;
            }
            high += 1;
        }
        all
    };

    /// The roll of two dice, in any order.
    pub const fn new(first: u8, second: u8) -> Option<Roll> {
        if first < 1 || first > 6 || second < 1 || second > 6 {
            return None;
        }
        Some(if first >= second { Roll { high: first, low: second } } else { Roll { high: second, low: first } })
    }

    /// The larger die.
    pub const fn high(self) -> u8 {
        self.high
    }

    /// The smaller die.
    pub const fn low(self) -> u8 {
        self.low
    }

    /// Whether both dice are equal, which gives four steps (rule 3.3).
    pub const fn is_double(self) -> bool {
        self.high == self.low
    }

    /// The place in [`Roll::ALL`], 0 to 20.
    pub const fn index(self) -> usize {
        self.high as usize * (self.high as usize - 1) / 2 + self.low as usize - 1
    }

    /// How many of the 36 throws give this roll: 1 for a double, else 2.
    pub const fn weight(self) -> u8 {
        if self.is_double() { 1 } else { 2 }
    }

    /// The 15 rolls that can open a game (rule 2.1), each equally likely.
    pub fn openings() -> impl Iterator<Item = Roll> {
        Roll::ALL.into_iter().filter(|roll| !roll.is_double())
    }

    /// The 36 ordered throws.
    pub fn throws() -> impl Iterator<Item = (u8, u8)> {
        (1..=6).flat_map(|first| (1..=6).map(move |second| (first, second)))
    }
}

impl fmt::Display for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.high, self.low)
    }
}

impl fmt::Debug for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Roll({}, {})", self.high, self.low)
    }
}

impl FromStr for Roll {
    type Err = RollError;

    /// Two digits, `31`, or two numbers with `-`, `,` or a space between them.
    fn from_str(text: &str) -> Result<Roll, RollError> {
        let dice: Vec<u8> = text.bytes().filter(|b| !matches!(b, b'-' | b',' | b' ')).collect();
        let separators = text.len() - dice.len();
        match dice[..] {
            [first @ b'1'..=b'6', second @ b'1'..=b'6'] if separators <= 2 => {
                Roll::new(first - b'0', second - b'0').ok_or_else(|| RollError(text.to_owned()))
            }
            _ => Err(RollError(text.chars().take(40).collect())),
        }
    }
}

impl fmt::Display for RollError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a roll is two dice from 1 to 6, for example 31, not {:?}", self.0)
    }
}

impl std::error::Error for RollError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_is_the_place_in_all() {
        for (index, roll) in Roll::ALL.into_iter().enumerate() {
            assert_eq!(roll.index(), index);
            assert!(roll.high() >= roll.low());
        }
        assert_eq!(size_of::<Roll>(), 2);
    }

    #[test]
    fn weights_add_up_to_36_rule_2_3() {
        assert_eq!(Roll::ALL.iter().map(|roll| u32::from(roll.weight())).sum::<u32>(), 36);
        for roll in Roll::ALL {
            let throws = Roll::throws().filter(|&(a, b)| Roll::new(a, b) == Some(roll)).count();
            assert_eq!(throws, usize::from(roll.weight()));
        }
    }

    #[test]
    fn fifteen_openings_rule_2_1() {
        assert_eq!(Roll::openings().count(), 15);
        assert!(Roll::openings().all(|roll| !roll.is_double()));
    }

    #[test]
    fn parses_what_people_write() {
        for text in ["31", "13", "3-1", "1,3", "3 1", "3, 1"] {
            assert_eq!(text.parse::<Roll>(), Ok(Roll { high: 3, low: 1 }), "{text}");
        }
        for text in ["", "3", "37", "03", "311", "3--- 1", "three"] {
            assert!(text.parse::<Roll>().is_err(), "{text}");
        }
    }
}
