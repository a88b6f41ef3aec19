//! The dice of trials.

use crate::dice::Roll;
use crate::rng::{Purpose, Stream};

/// Ordered throws of two dice.
pub const THROWS: usize = 36;
/// Turns whose throws are stratified.
pub const STRATIFIED: usize = 3;

/// Trials over which every triple of first throws comes up once.
const CYCLE: u64 = (THROWS * THROWS * THROWS) as u64;

/// The dice of one trial: a function of seed, trial and turn.
///
/// The first three throws of the trials are an orthogonal array with its symbols permuted at random: among trials 36 k
/// to 36 k + 35 every throw comes up once on each of the three turns, among 1,296 k to 1,296 k + 1,295 every pair of
/// throws once on each two of them, and among 46,656 every triple once. The permutations depend on the seed and are
/// independent, so the throws of any one trial are independent and uniform, and any number of trials has an unbiased
/// mean.
///
/// ```
/// use gammon_core::rollout::TrialDice;
///
/// let mut first: Vec<usize> = (0..36).map(|trial| TrialDice::new(7, trial).stratum(0)).collect();
/// first.sort();
/// assert_eq!(first, (0..36).collect::<Vec<_>>());
/// ```
#[derive(Clone, Debug)]
pub struct TrialDice {
    seed: u64,
    trial: u64,
    first: [u8; STRATIFIED],
}

impl TrialDice {
    /// The dice of a trial.
    pub fn new(seed: u64, trial: u64) -> TrialDice {
        let (cycle, place) = (trial / CYCLE, (trial % CYCLE) as usize);
        let (i, j, l) = (place % THROWS, place / THROWS % THROWS, place / (THROWS * THROWS));
        // Over a field, (i, i + j, i + c j + l) has each two of its places independent if c is neither 0 nor 1.
        let symbols = [i, add(i, j), add(add(i, times_c(j)), l)];
        let first = std::array::from_fn(|turn| permutation(seed, cycle, turn)[symbols[turn]]);
        TrialDice { seed, trial, first }
    }

    /// Which of the 36 throws the first turns have.
    pub fn stratum(&self, turn: usize) -> usize {
        self.first[turn].into()
    }

    /// The first roll of a trial that is an opening, which is never a double: the first throw, or, where that is a double,
    /// one of the others. So each of the 30 comes up once in 36 trials, and six of them once more.
    pub fn opening(&self) -> Roll {
        let mut stream = Stream::new(self.seed, Purpose::Rollout, self.trial, 0, 2);
        let first = self.roll(0);
        if !first.is_double() {
            return first;
        }
        let (high, low) = (stream.below(6) as u8 + 1, stream.below(5) as u8 + 1);
        Roll::new(high, low + u8::from(low >= high)).expect("a die is 1 to 6")
    }

    /// The roll of a turn, counted from 0.
    pub fn roll(&self, turn: u32) -> Roll {
        let (first, second) = match self.first.get(turn as usize) {
            Some(throw) => (throw / 6 + 1, throw % 6 + 1),
            None => Stream::new(self.seed, Purpose::Rollout, self.trial, turn.into(), 0).throw(),
        };
        Roll::new(first, second).expect("a die is 1 to 6")
    }
}

/// A random order of the throws: draws of turns 0 to 2 that no trial's dice use.
fn permutation(seed: u64, cycle: u64, turn: usize) -> [u8; THROWS] {
    let mut stream = Stream::new(seed, Purpose::Rollout, cycle, turn as u64, 1);
    let mut order = std::array::from_fn(|throw| throw as u8);
    for last in (1..THROWS).rev() {
        order.swap(last, stream.below(last as u64 + 1) as usize);
    }
    order
}

/// The sum in GF(4) x GF(9): the number is 9 times an element of the first plus one of the second.
fn add(a: usize, b: usize) -> usize {
    let ninth = |a: usize, b: usize| (a % 3 + b % 3) % 3 + (a / 3 + b / 3) % 3 * 3;
    ((a / 9) ^ (b / 9)) * 9 + ninth(a % 9, b % 9)
}

/// The product with an element of which neither part is 0 or 1.
fn times_c(a: usize) -> usize {
    [0, 2, 3, 1][a / 9] * 9 + (a % 3 * 2) % 3 + (a % 9 / 3 * 2) % 3 * 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn blocks_are_balanced() {
        for seed in [0, 1, u64::MAX] {
            let strata = |trial| {
                let dice = TrialDice::new(seed, trial);
                [dice.stratum(0), dice.stratum(1), dice.stratum(2)]
            };
            for block in [0, 36, 46_620, 46_656, 36 * 70_000] {
                for turn in 0..STRATIFIED {
                    let seen: HashSet<_> = (block..block + 36).map(|trial| strata(trial)[turn]).collect();
                    assert_eq!(seen.len(), 36);
                }
            }
            for block in [0, 1296, 1296 * 36] {
                for (one, other) in [(0, 1), (0, 2), (1, 2)] {
                    let seen: HashSet<_> =
                        (block..block + 1296).map(|trial| [strata(trial)[one], strata(trial)[other]]).collect();
                    assert_eq!(seen.len(), 1296);
                }
            }
            assert_eq!((0..CYCLE).map(strata).collect::<HashSet<_>>().len(), CYCLE as usize);
        }
    }

    /// Over the seeds the throws of one trial are uniform and independent of each other, wherever the trial stands (case R03).
    #[test]
    fn each_trial_is_uniform() {
        for trial in [0, 5, 1000, 50_000] {
            let mut single = [[0u32; THROWS]; STRATIFIED];
            let mut pairs = vec![0u32; 3 * 1296];
            for seed in 0..64_800 {
                let dice = TrialDice::new(seed, trial);
                for turn in 0..STRATIFIED {
                    single[turn][dice.stratum(turn)] += 1;
                    let next = (turn + 1) % STRATIFIED;
                    pairs[turn * 1296 + dice.stratum(turn) * 36 + dice.stratum(next)] += 1;
                }
            }
            let chi2 = |counts: &[u32], mean: f64| {
                counts.iter().map(|&count| (f64::from(count) - mean).powi(2) / mean).sum::<f64>()
            };
            for turn in 0..STRATIFIED {
                // 35 and 1,295 degrees of freedom: five standard deviations; the seeds are fixed.
                assert!(chi2(&single[turn], 1800.0) < 35.0 + 5.0 * 70f64.sqrt());
                assert!((chi2(&pairs[turn * 1296..][..1296], 50.0) - 1295.0).abs() < 5.0 * 2590f64.sqrt());
            }
        }
    }

    /// Over blocks of 36 trials (case R04).
    #[test]
    fn an_opening_is_no_double_and_even() {
        let mut counts = [0u32; 21];
        for trial in 0..3600 {
            let dice = TrialDice::new(5, trial);
            let roll = dice.opening();
            assert!(!roll.is_double() && (dice.roll(0).is_double() || roll == dice.roll(0)));
            counts[roll.index()] += 1;
        }
        let opening = counts.into_iter().filter(|&count| count > 0);
        let chi2: f64 = opening.clone().map(|count| (f64::from(count) - 240.0).powi(2) / 240.0).sum();
        // A sixth of the throws is left to chance, the rest is even by itself.
        assert!(opening.count() == 15 && chi2 < 14.0 + 5.0 * 28f64.sqrt(), "{chi2}");
    }

    #[test]
    fn later_throws_are_even() {
        let mut counts = [0u32; 36];
        for trial in 0..3600 {
            let dice = TrialDice::new(3, trial);
            for turn in 3..13 {
                let roll = dice.roll(turn);
                counts[usize::from(roll.high() - 1) * 6 + usize::from(roll.low() - 1)] += 1;
            }
        }
        let chi2: f64 = Roll::ALL
            .iter()
            .map(|roll| {
                let mean = 1000.0 * f64::from(roll.weight());
                let count = counts[usize::from(roll.high() - 1) * 6 + usize::from(roll.low() - 1)];
                (f64::from(count) - mean).powi(2) / mean
            })
            .sum();
        assert!(chi2 < 20.0 + 5.0 * 40f64.sqrt(), "{chi2}");
    }
}
