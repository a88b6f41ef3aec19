//! Random numbers by counter: Philox4x64-10, so that every throw is a function of its seed and place.
//!
//! Algorithm and constants: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
//! The tests hold the published known answers; `numpy.random.Philox` is the twin in the Python tests.
//!
//! Key = (seed, [`Purpose`]), counter = (game or trial, turn, draw, block). A number below n is the high half of
//! word x n, rejected where the low half would bias it, which takes the next word of the stream.

use crate::dice::Roll;

/// What a stream is for: streams of different purposes never meet, so a rollout cannot disturb a game's dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// The dice of games.
    Dice = 0,
    /// The choices of players that play at random.
    Player = 1,
    /// The dice of rollouts.
    Rollout = 2,
    /// Cards drawn in place of dice (rule 8.2).
    Cards = 3,
    /// Weights before training, and which remembered lessons are learnt from.
    Training = 4,
}

/// One Philox4x64-10 block: 256 random bits for a counter and a key.
pub fn philox(mut counter: [u64; 4], mut key: [u64; 2]) -> [u64; 4] {
    for round in 0..10 {
        if round > 0 {
            key[0] = key[0].wrapping_add(0x9E37_79B9_7F4A_7C15);
            key[1] = key[1].wrapping_add(0xBB67_AE85_84CA_A73B);
        }
        let first = u128::from(counter[0]) * 0xD2E7_470E_E14C_6C93;
        let second = u128::from(counter[2]) * 0xCA5A_8263_9512_1157;
        counter = [
            (second >> 64) as u64 ^ counter[1] ^ key[0],
            second as u64,
            (first >> 64) as u64 ^ counter[3] ^ key[1],
            first as u64,
        ];
    }
    counter
}

/// The random words that belong to one place (game, turn, draw) of one purpose.
#[derive(Clone, Debug)]
pub struct Stream {
    key: [u64; 2],
    counter: [u64; 4],
    block: [u64; 4],
    used: usize,
}

impl Stream {
    /// The stream at a place.
    pub fn new(seed: u64, purpose: Purpose, game: u64, turn: u64, draw: u64) -> Stream {
        let key = [seed, purpose as u64];
        let counter = [game, turn, draw, 0];
        Stream { key, counter, block: philox(counter, key), used: 0 }
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        if self.used == self.block.len() {
            self.counter[3] += 1;
            self.block = philox(self.counter, self.key);
            self.used = 0;
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    /// A number from 0 to `n` - 1, each exactly equally likely. Lemire, "Fast random integer generation in an
    /// interval" (2019).
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a number below zero was asked for");
        loop {
            let product = u128::from(self.word()) * u128::from(n);
            // 2^64 mod n words would be one too many for the lowest results.
            if product as u64 >= n || product as u64 >= n.wrapping_neg() % n {
                return (product >> 64) as u64;
            }
        }
    }

    /// Two dice in the order thrown: player 0's and player 1's in an opening throw.
    pub fn throw(&mut self) -> (u8, u8) {
        (self.below(6) as u8 + 1, self.below(6) as u8 + 1)
    }
}

/// The dice of one game as a function of (seed, game, turn).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameDice {
    /// The seed of the run.
    pub seed: u64,
    /// The number of the game in the run.
    pub game: u64,
}

impl GameDice {
    /// The `draw`-th throw of a turn; ties of the opening throw are draws of turn 0.
    pub fn throw(self, turn: u64, draw: u64) -> (u8, u8) {
        Stream::new(self.seed, Purpose::Dice, self.game, turn, draw).throw()
    }

    /// Who starts (0 or 1) and the roll that they play (rules 2.1, 2.2).
    pub fn opening(self) -> (usize, Roll) {
        for draw in 0.. {
            let (first, second) = self.throw(0, draw);
            if first != second {
                let roll = Roll::new(first, second).expect("a die is 1 to 6");
                return (usize::from(second > first), roll);
            }
        }
        unreachable!("2^64 ties")
    }

    /// The roll of a turn after the opening.
    pub fn roll(self, turn: u64) -> Roll {
        let (first, second) = self.throw(turn, 0);
        Roll::new(first, second).expect("a die is 1 to 6")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers that Random123 publishes for philox4x64-10 (`kat_vectors`).
    #[test]
    fn published_answers() {
        assert_eq!(
            philox([0; 4], [0; 2]),
            [0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b]
        );
        assert_eq!(
            philox([u64::MAX; 4], [u64::MAX; 2]),
            [0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0]
        );
    }

    #[test]
    fn dice_are_even_r01() {
        let mut counts = [0u32; 36];
        for turn in 0..360_000 {
            let (a, b) = GameDice { seed: 7, game: 1 }.throw(turn, 0);
            counts[usize::from(a - 1) * 6 + usize::from(b - 1)] += 1;
        }
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 10_000.0).powi(2) / 10_000.0).sum();
        // 35 degrees of freedom: above 70 is a chance of 4 in 10,000; the seed is fixed.
        assert!(chi2 < 70.0, "{chi2}");
    }

    #[test]
    fn rejection_takes_the_next_word() {
        // With n = 2^63 + 1 nearly half of all words are rejected, and every answer stays in range.
        let n = (1 << 63) + 1;
        let mut stream = Stream::new(1, Purpose::Player, 0, 0, 0);
        let answers: Vec<u64> = (0..1000).map(|_| stream.below(n)).collect();
        assert!(answers.iter().all(|&a| a < n));
        assert!(stream.counter[3] > 300, "no word was rejected");
    }

    #[test]
    fn opening_is_never_a_double_and_has_30_outcomes_s27() {
        let mut seen = std::collections::HashSet::new();
        for game in 0..2000 {
            let (starter, roll) = GameDice { seed: 3, game }.opening();
            assert!(!roll.is_double());
            seen.insert((starter, roll));
        }
        assert_eq!(seen.len(), 30);
    }
}
