//! Rollouts: what is rolled out comes in as plain data, and how it stands goes out as plain data.

use gammon_core::Ladder;
use gammon_core::judge::{Evaluator, Judge};
use gammon_core::ladder::Owner;
use gammon_core::rollout::{
    self, Ahead, Contest, Difference, Limits, Plan, Player, Players, STATISTICS, Sample, Standing, Start, Tally,
    TrialDice,
};
use gammon_core::search::{self, Settings};
use numpy::{PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray3};
use pyo3::prelude::*;

use crate::bearoff_one_sided::PyOneSided;
use crate::bearoff_two_sided::PyTwoSided;
use crate::cube::{PyLadder, owner_from};
use crate::errors::Kind;
use crate::evaluate::PyNetwork;
use crate::long_work;
use crate::position::PyPosition;
use crate::search::{FilterParts, filters_from, plies_from, replies_from};
use crate::text::Text;

/// More candidates than a roll has plays are none.
const MOST_STARTS: usize = 4096;
/// Their samples are held together.
const MOST_TRIALS_AT_ONCE: u64 = 1 << 16;

/// A start: position, level of the cube, its owner, the turn of the game if somebody may have to wait with a double, whether
/// the first turn is without one, whether the numbers are for the player who is not on roll.
type StartParts<'py> = (PyRef<'py, PyPosition>, usize, Option<Text>, Option<u32>, bool, bool);
/// The trials of a start: how many, whether it still gets more, and its sums.
type TallyParts = (u64, bool, Vec<f64>);
/// The trials of a pair of starts, and sums.
type DifferenceParts = (u64, f64, f64);
/// Trials in all, trials at least, standard error and difference in standard errors to stop at, and for a cube decision
/// what a drop is worth.
type LimitParts = (u64, u64, Option<f64>, Option<f64>, Option<f64>);
type StandingParts = (Vec<TallyParts>, Vec<DifferenceParts>);
/// How the players search: plies, filters, how many replies to each roll.
type PlayerParts = (usize, FilterParts, Option<usize>);

fn start_from(py: Python<'_>, ladder: &Ladder, parts: &StartParts<'_>) -> PyResult<Start> {
    let (position, level, owner, turn, no_double, mirrored) = parts;
    if !ladder.has_level(*level) || *level >= 64 {
        return Err(Kind::InvalidArgument.error(py, format!("the ladder has no level {level}")));
    }
    let owner: Owner = owner_from(py, owner.as_deref())?;
    let turn = turn.unwrap_or(rollout::LATER);
    Ok(Start { position: position.0, level: *level, owner, turn, no_double: *no_double, mirrored: *mirrored })
}

fn standing_from(py: Python<'_>, (tallies, differences): StandingParts) -> PyResult<Standing> {
    let alive = tallies.iter().map(|tally| tally.1).collect();
    let tallies = tallies.into_iter().map(|(trials, _, numbers)| Tally::from_numbers(trials, &numbers)).collect();
    let differences =
        differences.into_iter().map(|(trials, sum, squares)| Difference { trials, sum, squares }).collect();
    let standing = |tallies: Option<Vec<Tally>>| Standing::from_parts(tallies?, differences, alive);
    standing(tallies).ok_or_else(|| Kind::InvalidArgument.error(py, "the sums of a rollout do not belong together"))
}

fn parts_of(standing: &Standing) -> StandingParts {
    let tallies = standing.tallies().iter().zip(standing.alive());
    (
        tallies.map(|(tally, &alive)| (tally.trials(), alive, tally.numbers())).collect(),
        standing.differences().iter().map(|pair| (pair.trials, pair.sum, pair.squares)).collect(),
    )
}

fn player<'a>(judge: Judge<'a>, settings: Settings) -> Box<dyn Player + 'a> {
    Box::new(Ahead::new(judge, settings))
}

type Tables<'a> = (Option<&'a PyOneSided>, Option<&'a PyTwoSided>);

/// What is rolled out, and how.
#[pyclass(name = "Rollout", module = "gammon._core", frozen)]
pub struct PyRollout {
    ladder: Ladder,
    starts: Vec<Start>,
    seed: u64,
    truncate: Option<u32>,
    luck: bool,
    /// How the players search; none at 0-ply.
    settings: Option<Settings>,
}

impl PyRollout {
    fn standing_from(&self, py: Python<'_>, parts: StandingParts) -> PyResult<Standing> {
        let standing = standing_from(py, parts)?;
        if standing.tallies().len() != self.starts.len() {
            return Err(Kind::InvalidArgument.error(py, "the sums are those of another rollout"));
        }
        Ok(standing)
    }

    fn limits_from(&self, py: Python<'_>, parts: LimitParts) -> PyResult<Limits> {
        let (trials, minimum, standard_error, clear, drop) = parts;
        if drop.is_some() && self.starts.len() != 2 {
            return Err(Kind::InvalidArgument.error(py, "a cube decision has two starts"));
        }
        let contest = drop.map_or(Contest::Best, |drop| Contest::Cube { drop });
        Ok(Limits { trials, minimum, standard_error, clear, contest })
    }

    fn with_plan<T>(&self, network: &PyNetwork, (races, exact): Tables<'_>, work: impl FnOnce(&Plan<'_>) -> T) -> T {
        let judge = Judge {
            evaluator: Evaluator::Network(&network.0),
            one_sided: races.map(|races| &races.0),
            two_sided: exact.map(|table| &table.0),
        };
        let ahead = self.settings.map(|settings| move || player(judge, settings));
        let players = ahead.as_ref().map(|make| make as &Players<'_>);
        work(&Plan {
            judge,
            players,
            ladder: self.ladder,
            starts: &self.starts,
            seed: self.seed,
            truncate: self.truncate,
            luck: self.luck,
        })
    }
}

#[pymethods]
impl PyRollout {
    #[new]
    #[pyo3(signature = (ladder, starts, seed, truncate, luck, player, /))]
    fn new(
        py: Python<'_>,
        ladder: PyRef<'_, PyLadder>,
        starts: Vec<StartParts<'_>>,
        seed: &Bound<'_, PyAny>,
        truncate: Option<u32>,
        luck: bool,
        player: PlayerParts,
    ) -> PyResult<PyRollout> {
        if starts.is_empty() || starts.len() > MOST_STARTS {
            let message = format!("a rollout has 1 to {MOST_STARTS} starts, not {}", starts.len());
            return Err(Kind::InvalidArgument.error(py, message));
        }
        let starts = starts.iter().map(|start| start_from(py, &ladder.0, start)).collect::<PyResult<_>>()?;
        let seed = long_work::seed(seed)?;
        let (plies, filters, replies) = player;
        let settings = Settings {
            plies: plies_from(py, plies)?,
            filters: filters_from(py, &filters)?,
            replies: replies_from(py, replies)?,
            limits: search::Limits::default(),
            threads: 1,
        };
        let settings = (plies > 0).then_some(settings);
        Ok(PyRollout { ladder: ladder.0, starts, seed, truncate, luck, settings })
    }

    /// Nothing played yet.
    fn standing(&self) -> StandingParts {
        parts_of(&Standing::new(self.starts.len()))
    }

    /// Plays on from a standing: the new one, and the error that cut the run short.
    #[pyo3(signature = (network, races, exact, standing, limits, threads, progress, /))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity, reason = "what Python passes")]
    fn run(
        &self,
        py: Python<'_>,
        network: PyRef<'_, PyNetwork>,
        races: Option<PyRef<'_, PyOneSided>>,
        exact: Option<PyRef<'_, PyTwoSided>>,
        standing: StandingParts,
        limits: LimitParts,
        threads: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(StandingParts, Option<PyErr>)> {
        let threads = long_work::threads(threads)?;
        let mut standing = self.standing_from(py, standing)?;
        let limits = self.limits_from(py, limits)?;
        let tables = (races.as_deref(), exact.as_deref());
        let ((), error) = self.with_plan(&network, tables, |plan| {
            long_work::run(py, progress, limits.trials, |control| {
                rollout::run(plan, &limits, &mut standing, threads, control);
            })
        });
        Ok((parts_of(&standing), error))
    }

    /// Plays the trials `first` to `end` - 1 of the starts that are alive: what each came to, float64 of shape
    /// (trials, starts, statistics), NaN where a start is not alive; trials that were not finished before an error are
    /// missing at the end, and the error comes with them.
    #[pyo3(signature = (network, races, exact, alive, first, end, threads, /))]
    #[allow(clippy::too_many_arguments, clippy::type_complexity, reason = "what Python passes")]
    fn play<'py>(
        &self,
        py: Python<'py>,
        network: PyRef<'_, PyNetwork>,
        races: Option<PyRef<'_, PyOneSided>>,
        exact: Option<PyRef<'_, PyTwoSided>>,
        alive: Vec<bool>,
        first: u64,
        end: u64,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Bound<'py, PyArray3<f64>>, Option<PyErr>)> {
        let threads = long_work::threads(threads)?;
        if alive.len() != self.starts.len() || end.saturating_sub(first) > MOST_TRIALS_AT_ONCE {
            let message = format!("{} starts and {MOST_TRIALS_AT_ONCE} trials at most", self.starts.len());
            return Err(Kind::InvalidArgument.error(py, message));
        }
        let tables = (races.as_deref(), exact.as_deref());
        let trials = first..end.max(first);
        let (played, error) = self.with_plan(&network, tables, |plan| {
            long_work::run(py, None, trials.end - trials.start, |control| {
                rollout::play(plan, &alive, trials.clone(), threads, control)
            })
        });
        let whole: Vec<_> = played.into_iter().zip(first..).take_while(|((trial, _), place)| trial == place).collect();
        let shape = [whole.len(), self.starts.len(), STATISTICS];
        let nothing = [f64::NAN; STATISTICS];
        let samples = whole.iter().flat_map(|((_, samples), _)| samples);
        let values: Vec<_> = samples.flat_map(|sample| sample.map_or(nothing, |sample| sample.values())).collect();
        Ok((PyArray1::from_vec(py, values).reshape(shape)?, error))
    }

    /// Adds the samples of the trials from `first` on, as [`PyRollout::play`] gave them, to a standing until a limit is
    /// reached: the new one, and whether one is.
    #[pyo3(signature = (standing, limits, first, samples, /))]
    fn add(
        &self,
        py: Python<'_>,
        standing: StandingParts,
        limits: LimitParts,
        first: u64,
        samples: PyReadonlyArray3<'_, f64>,
    ) -> PyResult<(StandingParts, bool)> {
        let mut standing = self.standing_from(py, standing)?;
        let limits = self.limits_from(py, limits)?;
        let samples = samples.as_array();
        if samples.shape()[1..] != [self.starts.len(), STATISTICS] || first != standing.done() {
            return Err(Kind::InvalidArgument.error(py, "the samples are those of other trials"));
        }
        let mut trials = Vec::with_capacity(samples.shape()[0]);
        for (rows, trial) in samples.outer_iter().zip(first..) {
            let mut starts = Vec::with_capacity(self.starts.len());
            for (row, &alive) in rows.outer_iter().zip(standing.alive()) {
                let values = std::array::from_fn(|place| row[place]);
                if alive && !values.iter().all(|value: &f64| value.is_finite()) {
                    return Err(Kind::InvalidArgument.error(py, format!("trial {trial} lacks a start")));
                }
                starts.push(alive.then(|| Sample::from_values(values, self.seed, trial)));
            }
            trials.push(starts);
        }
        let over = rollout::add(self.seed, &limits, &mut standing, &trials);
        Ok((parts_of(&standing), over))
    }

    /// What a standing says: for each start the means and the standard errors of the five probabilities, the equity
    /// without a cube and the worth; the best start; and for each start by how much the best is worth more, with the
    /// standard error of that.
    #[pyo3(signature = (standing, /))]
    #[allow(clippy::type_complexity, reason = "a tuple for Python")]
    fn estimates(
        &self,
        py: Python<'_>,
        standing: StandingParts,
    ) -> PyResult<(Vec<([f64; 7], [f64; 7])>, usize, Vec<(f64, f64)>)> {
        let standing = standing_from(py, standing)?;
        let rows = standing.tallies().iter().map(|tally| (tally.means(), tally.standard_errors(self.seed))).collect();
        let best = standing.best();
        let behind = (0..standing.tallies().len()).map(|start| standing.difference(self.seed, best, start)).collect();
        Ok((rows, best, behind))
    }
}

/// The rolls of the first turns of a trial, as two dice each.
#[pyfunction]
#[pyo3(signature = (seed, trial, turns, /))]
pub fn rollout_dice(seed: &Bound<'_, PyAny>, trial: u64, turns: u32) -> PyResult<Vec<(u8, u8)>> {
    let dice = TrialDice::new(long_work::seed(seed)?, trial);
    Ok((0..turns).map(|turn| dice.roll(turn)).map(|roll| (roll.high(), roll.low())).collect())
}
