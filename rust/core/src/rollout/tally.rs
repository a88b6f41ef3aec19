//! Sums over trials, and what they say.

use super::dice::{STRATIFIED, THROWS, TrialDice};
use crate::outcome::Probabilities;

/// What is summed up of each trial: the five probabilities, the equity without a cube, and the worth.
pub const STATISTICS: usize = 7;

/// The place of the worth among them.
const WORTH: usize = STATISTICS - 1;

/// From so many trials on, what the stratified throws of all three turns explain is taken off the error.
const ALL_TURNS: u64 = (THROWS * THROWS) as u64;
/// From so many on, that of the first turn.
const FIRST_TURN: u64 = 2 * THROWS as u64;

/// What one trial came to, seen by the player whom the numbers are for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    values: [f64; STATISTICS],
    strata: [usize; STRATIFIED],
}

impl Sample {
    /// A trial with these probabilities, luck taken off, this worth, and these first throws.
    pub fn new(chances: [f64; 5], worth: f64, strata: [usize; STRATIFIED]) -> Sample {
        let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = chances;
        let equity = Probabilities::new_unchecked(chances).equity();
        Sample { values: [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon, equity, worth], strata }
    }

    /// The sample of a trial with these [`Sample::values`].
    pub fn from_values(values: [f64; STATISTICS], seed: u64, trial: u64) -> Sample {
        let dice = TrialDice::new(seed, trial);
        Sample { values, strata: std::array::from_fn(|turn| dice.stratum(turn)) }
    }

    /// The worth.
    pub fn worth(&self) -> f64 {
        self.values[WORTH]
    }

    /// All of it.
    pub fn values(&self) -> [f64; STATISTICS] {
        self.values
    }
}

/// The trials of one start, added up in their order.
///
/// Sums are of what differs from the first trial: so they lose nothing where all trials are nearly equal.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    trials: u64,
    first: [f64; STATISTICS],
    sums: [f64; STATISTICS],
    squares: [f64; STATISTICS],
    /// Sums by the throw of each stratified turn.
    strata: Vec<[f64; STATISTICS]>,
}

/// Numbers that [`Tally::numbers`] has.
const NUMBERS: usize = (3 + STRATIFIED * THROWS) * STATISTICS;

impl Default for Tally {
    fn default() -> Tally {
        let nothing = [0.0; STATISTICS];
        let strata = vec![nothing; STRATIFIED * THROWS];
        Tally { trials: 0, first: nothing, sums: nothing, squares: nothing, strata }
    }
}

impl Tally {
    /// How many trials there are.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// Adds the next trial.
    fn add(&mut self, sample: &Sample) {
        if self.trials == 0 {
            self.first = sample.values;
        }
        self.trials += 1;
        for place in 0..STATISTICS {
            let value = sample.values[place] - self.first[place];
            self.sums[place] += value;
            self.squares[place] += value * value;
            for (turn, stratum) in sample.strata.iter().enumerate() {
                self.strata[turn * THROWS + stratum][place] += value;
            }
        }
    }

    /// The means; NaN without trials.
    pub fn means(&self) -> [f64; STATISTICS] {
        std::array::from_fn(|place| self.first[place] + self.sums[place] / self.trials as f64)
    }

    /// The standard errors of the means; NaN with fewer than two trials.
    pub fn standard_errors(&self, seed: u64) -> [f64; STATISTICS] {
        let counts = Counts::new(seed, self.trials);
        std::array::from_fn(|place| {
            let strata = |turn: usize, stratum: usize| self.strata[turn * THROWS + stratum][place];
            counts.standard_error(self.sums[place], self.squares[place], strata)
        })
    }

    /// Everything but the number of trials, as numbers that [`Tally::from_numbers`] takes.
    pub fn numbers(&self) -> Vec<f64> {
        let head = [self.first, self.sums, self.squares];
        head.iter().chain(&self.strata).flatten().copied().collect()
    }

    /// The tally of these numbers; none if they are not as many, or not finite.
    pub fn from_numbers(trials: u64, numbers: &[f64]) -> Option<Tally> {
        if numbers.len() != NUMBERS || numbers.iter().any(|number| !number.is_finite()) {
            return None;
        }
        let (rows, _) = numbers.as_chunks();
        Some(Tally { trials, first: rows[0], sums: rows[1], squares: rows[2], strata: rows[3..].to_vec() })
    }
}

/// How often each stratum came up.
struct Counts {
    trials: u64,
    turns: usize,
    counts: [[u64; THROWS]; STRATIFIED],
}

impl Counts {
    fn new(seed: u64, trials: u64) -> Counts {
        let block = THROWS as u64;
        let mut counts = [[trials / block; THROWS]; STRATIFIED];
        for trial in trials / block * block..trials {
            let dice = TrialDice::new(seed, trial);
            for (turn, counts) in counts.iter_mut().enumerate() {
                counts[dice.stratum(turn)] += 1;
            }
        }
        let turns = match trials {
            ALL_TURNS.. => STRATIFIED,
            FIRST_TURN.. => 1,
            _ => 0,
        };
        Counts { trials, turns, counts }
    }

    /// The standard error of a mean over balanced strata: what differs between them does not scatter. What pairs of
    /// throws explain is not taken off, so the error is rather too large than too small.
    fn standard_error(&self, sum: f64, squares: f64, strata: impl Fn(usize, usize) -> f64) -> f64 {
        let trials = self.trials as f64;
        let between = |turn: usize| {
            let parts = (0..THROWS).filter(|&stratum| self.counts[turn][stratum] > 0);
            parts.map(|stratum| strata(turn, stratum).powi(2) / self.counts[turn][stratum] as f64).sum::<f64>()
                - sum * sum / trials
        };
        let within = squares - sum * sum / trials - (0..self.turns).map(between).sum::<f64>();
        let freedom = trials - 1.0 - (self.turns * (THROWS - 1)) as f64;
        if freedom < 1.0 { f64::NAN } else { (within.max(0.0) / freedom / trials).sqrt() }
    }
}

/// By how much one start is worth more than another, over the trials that both had.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// The trials.
    pub trials: u64,
    /// The sum of the differences of the worths.
    pub sum: f64,
    /// The sum of their squares.
    pub squares: f64,
}

/// How a rollout stands: all that is needed to go on with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    pub(super) tallies: Vec<Tally>,
    /// Of start i and j > i, in the order (0, 1), (0, 2), ..., (1, 2), ...
    pub(super) differences: Vec<Difference>,
    /// Which starts still get trials.
    pub(super) alive: Vec<bool>,
}

impl Standing {
    /// Nothing has been played of so many starts.
    pub fn new(starts: usize) -> Standing {
        Standing {
            tallies: vec![Tally::default(); starts],
            differences: vec![Difference::default(); starts * starts.saturating_sub(1) / 2],
            alive: vec![true; starts],
        }
    }

    /// A standing of parts that [`Standing::tallies`], [`Standing::differences`] and [`Standing::alive`] gave; none if
    /// they do not belong together.
    pub fn from_parts(tallies: Vec<Tally>, differences: Vec<Difference>, alive: Vec<bool>) -> Option<Standing> {
        let starts = tallies.len();
        let standing = Standing { tallies, differences, alive };
        let done = standing.done();
        let fits = standing.alive.len() == starts
            && standing.differences.len() == starts * starts.saturating_sub(1) / 2
            && standing.tallies.iter().zip(&standing.alive).all(|(tally, &alive)| !alive || tally.trials == done)
            && (starts == 0 || standing.alive.contains(&true))
            && (0..starts).all(|j| {
                (0..j).all(|i| {
                    let both = standing.tallies[i].trials.min(standing.tallies[j].trials);
                    standing.differences[standing.pair(i, j)].trials == both
                })
            });
        fits.then_some(standing)
    }

    /// The sums of each start.
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// The differences of each two starts.
    pub fn differences(&self) -> &[Difference] {
        &self.differences
    }

    /// Which starts have not been left behind.
    pub fn alive(&self) -> &[bool] {
        &self.alive
    }

    /// The most trials that a start has.
    pub fn done(&self) -> u64 {
        self.tallies.iter().map(Tally::trials).max().unwrap_or(0)
    }

    fn pair(&self, i: usize, j: usize) -> usize {
        debug_assert!(i < j);
        i * (2 * self.tallies.len() - i - 1) / 2 + j - i - 1
    }

    /// By how much start `i` is worth more than start `j`, and the standard error of that.
    pub fn difference(&self, seed: u64, i: usize, j: usize) -> (f64, f64) {
        if i == j {
            return (0.0, 0.0);
        }
        let Difference { trials, sum, squares } = self.differences[self.pair(i.min(j), i.max(j))];
        let mean = sum / trials as f64;
        let (one, other) = (&self.tallies[i.min(j)], &self.tallies[i.max(j)]);
        let mut counts = Counts::new(seed, trials);
        let apart = one.first[WORTH] - other.first[WORTH];
        if one.trials != other.trials {
            // The strata of the one that has more trials are not those of the trials that both had.
            counts.turns = 0;
        }
        // Again counted from the difference of the first trials.
        let shifted = sum - trials as f64 * apart;
        let shifted_squares = squares - apart * (2.0 * sum - trials as f64 * apart);
        let strata = |turn: usize, stratum: usize| {
            let place = turn * THROWS + stratum;
            one.strata[place][WORTH] - other.strata[place][WORTH]
        };
        let error = counts.standard_error(shifted, shifted_squares, strata);
        (if i < j { mean } else { -mean }, error)
    }

    /// The start of those that are still alive with the greatest mean worth; the first among equals.
    pub fn best(&self) -> usize {
        let mut best: Option<(usize, f64)> = None;
        for (start, tally) in self.tallies.iter().enumerate() {
            let worth = tally.means()[WORTH];
            if self.alive[start] && best.is_none_or(|(_, most)| worth > most) {
                best = Some((start, worth));
            }
        }
        best.map_or(0, |(start, _)| start)
    }

    /// Adds the next trial: the samples of all that are alive.
    pub(super) fn add(&mut self, samples: &[Option<Sample>]) {
        for (j, sample) in samples.iter().enumerate().filter(|&(j, _)| self.alive[j]) {
            let sample = sample.as_ref().expect("every start that is alive was played");
            self.tallies[j].add(sample);
            for i in (0..j).filter(|&i| self.alive[i]) {
                let other = samples[i].as_ref().expect("as above");
                let pair = self.pair(i, j);
                let difference = &mut self.differences[pair];
                let apart = other.worth() - sample.worth();
                difference.trials += 1;
                difference.sum += apart;
                difference.squares += apart * apart;
            }
        }
    }
}
