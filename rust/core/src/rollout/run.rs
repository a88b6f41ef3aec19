//! Playing the trials.

use super::Plan;
use super::dice::THROWS;
use super::tally::{Sample, Standing, Tally};
use super::trial::Table;
use crate::parallel::{self, Control};

/// Whether to stop is looked at after so many trials each: whole blocks of the stratified dice.
const CHECK: u64 = THROWS as u64;

/// Trials that are handed out before their samples are added up.
const BATCH: u64 = 720;
/// The same for each thread, where the trials may stop early and what was played beyond is lost.
const SHORT_BATCH: u64 = 72;

/// What the starts are to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contest {
    /// The best of them is looked for.
    Best,
    /// The first is not to double, the second to double and be taken. A drop is worth this.
    Cube {
        /// What the player has if the opponent drops.
        drop: f64,
    },
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// After so many trials in all.
    pub trials: u64,
    /// Not before so many.
    pub minimum: u64,
    /// When the standard errors of the worths of all that are alive are at most this.
    pub standard_error: Option<f64>,
    /// A start is left behind when the best is worth more by this many standard errors of the difference, and the rest is
    /// not played when only the best is left; of a cube decision, when both parts of it are as clear.
    pub clear: Option<f64>,
    /// What the starts are to each other.
    pub contest: Contest,
}

impl Limits {
    /// Leaves behind what is clearly worse, and says whether to stop.
    fn settle(&self, standing: &mut Standing, seed: u64) -> bool {
        let done = standing.done();
        if done < self.minimum || !done.is_multiple_of(CHECK) || done == 0 {
            return false;
        }
        if let Some(errors) = self.clear {
            match self.contest {
                Contest::Cube { drop } => {
                    if is_clear(standing, seed, errors, drop) {
                        return true;
                    }
                }
                Contest::Best => {
                    let best = standing.best();
                    for start in 0..standing.tallies.len() {
                        if start != best && standing.alive[start] {
                            let (more, error) = standing.difference(seed, best, start);
                            standing.alive[start] = more.is_nan() || more <= errors * error;
                        }
                    }
                    if standing.alive.len() > 1 && standing.alive.iter().filter(|&&alive| alive).count() == 1 {
                        return true;
                    }
                }
            }
        }
        let exact = |tally: &Tally, most: f64| tally.standard_errors(seed).last().is_some_and(|&error| error <= most);
        self.standard_error.is_some_and(|most| {
            standing.tallies.iter().zip(&standing.alive).all(|(tally, &alive)| !alive || exact(tally, most))
        })
    }
}

/// Whether it is clear both whether to double and whether to take.
fn is_clear(standing: &Standing, seed: u64, errors: f64, drop: f64) -> bool {
    let worth = |start: usize| standing.tallies[start].means().last().copied().unwrap_or(f64::NAN);
    let error = |start: usize| standing.tallies[start].standard_errors(seed).last().copied().unwrap_or(f64::NAN);
    let (rolling, taken) = (worth(0), worth(1));
    let answer = (taken - drop).abs() > errors * error(1);
    let doubling = if taken < drop {
        let (more, error) = standing.difference(seed, 0, 1);
        more.abs() > errors * error
    } else {
        (rolling - drop).abs() > errors * error(0)
    };
    answer && doubling
}

/// Adds trials that [`play`] has played, one by one until a limit is reached, as [`run`] does; says whether one is.
///
/// # Panics
/// If a trial lacks a start that still gets trials.
pub fn add(seed: u64, limits: &Limits, standing: &mut Standing, trials: &[Vec<Option<Sample>>]) -> bool {
    let over = |standing: &mut Standing| standing.done() >= limits.trials || limits.settle(standing, seed);
    for samples in trials {
        if over(standing) {
            return true;
        }
        standing.add(samples);
    }
    over(standing)
}

/// Plays trials until a limit is reached, and adds them to what there is. A cancelled run keeps whole trials only; it can
/// be gone on with. Progress counts trials, those included that were there before.
///
/// # Panics
/// If the standing is that of another number of starts.
pub fn run(plan: &Plan<'_>, limits: &Limits, standing: &mut Standing, threads: usize, control: &Control) {
    assert_eq!(standing.tallies.len(), plan.starts.len(), "the standing of these starts");
    if plan.starts.is_empty() {
        return;
    }
    control.advance(standing.done());
    let may_stop = limits.standard_error.is_some() || limits.clear.is_some();
    let batch = if may_stop { SHORT_BATCH * threads as u64 } else { BATCH.max(SHORT_BATCH * threads as u64) };
    while !control.is_cancelled() {
        let done = standing.done();
        if done >= limits.trials || limits.settle(standing, plan.seed) {
            return;
        }
        let until = limits.trials.min((done / CHECK * CHECK).saturating_add(batch));
        for (trial, samples) in play(plan, &standing.alive, done..until, threads, control) {
            if trial != standing.done() {
                return;
            }
            standing.add(&samples);
            if trial + 1 < until && limits.settle(standing, plan.seed) {
                return;
            }
        }
    }
}

/// A trial with the samples of the starts that had it.
pub type Played = (u64, Vec<Option<Sample>>);

/// The samples of some trials, in their order; a cancelled run has gaps.
pub fn play(
    plan: &Plan<'_>,
    alive: &[bool],
    trials: std::ops::Range<u64>,
    threads: usize,
    control: &Control,
) -> Vec<Played> {
    let parts = parallel::gather(
        trials.end - trials.start,
        threads,
        control,
        |(table, samples): &mut (Option<Table<'_, '_>>, Vec<Played>), chunk| {
            let trial = trials.start + chunk;
            let table = table.get_or_insert_with(|| Table::new(plan));
            let mut all = Vec::with_capacity(plan.starts.len());
            for (start, &alive) in plan.starts.iter().zip(alive) {
                match alive.then(|| table.play(start, trial, control)) {
                    None => all.push(None),
                    Some(Some(sample)) => all.push(Some(sample)),
                    Some(None) => return,
                }
            }
            samples.push((trial, all));
            control.advance(1);
        },
    );
    let mut samples: Vec<_> = parts.into_iter().flat_map(|(_, samples)| samples).collect();
    samples.sort_unstable_by_key(|sample| sample.0);
    samples
}
