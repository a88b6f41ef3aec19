//! Search: positions, plays and turns of the cube, some plies ahead.

use std::sync::Mutex;
use std::time::Duration;

use gammon_core::nn::Outputs;
use gammon_core::parallel::Control;
use gammon_core::position::CELLS;
use gammon_core::search::{
    CubeGame, Evaluate, Evaluator, Filter, Filters, Found, Game, Judge, LATER, Limits, MAX_PLIES, Memory, Search,
    Settings,
};
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::arrays;
use crate::bearoff_one_sided::PyOneSided;
use crate::bearoff_two_sided::PyTwoSided;
use crate::cube::{PyLadder, numbers, owner_from};
use crate::dice::PyRoll;
use crate::errors::Kind;
use crate::evaluate::{PyNetwork, objective_from};
use crate::long_work;
use crate::play::PyPlay;
use crate::position::PyPosition;

/// What is played for: an objective without a cube, or a ladder with the level and the owner of the cube; the turn of the
/// game, none if it is past its first turns.
type GameParts<'py> = (Option<String>, Option<PyRef<'py, PyLadder>>, usize, Option<String>, Option<u32>);

/// For each depth, what is kept after each pass: how many in any case, how many more, within what.
pub type FilterParts = Vec<Vec<Option<(usize, usize, f64)>>>;

/// Plies, filters, how many replies to each roll, most nodes, most seconds, threads.
type SettingParts<'py> = (usize, FilterParts, Option<usize>, Option<u64>, Option<f64>, Option<Bound<'py, PyAny>>);

/// How deep the search got, whether that is all that was asked for, and the positions that it evaluated.
type Reached = (usize, bool, u64);

fn game_from(py: Python<'_>, (objective, ladder, level, owner, turn): GameParts<'_>) -> PyResult<Game> {
    match (objective, ladder) {
        (Some(objective), None) => Ok(Game::Cubeless(objective_from(py, &objective)?)),
        (None, Some(ladder)) => {
            let level = ladder.level(py, level)?;
            let game = CubeGame::new(ladder.0, level, owner_from(py, owner.as_deref())?);
            Ok(Game::Cubeful(Box::new(game.on_turn(turn.unwrap_or(LATER)))))
        }
        _ => Err(Kind::InvalidArgument.error(py, "a game has an objective or a ladder")),
    }
}

pub fn filters_from(py: Python<'_>, parts: &FilterParts) -> PyResult<Filters> {
    let mut filters = Filters::NONE;
    let refused = |message: String| Err(Kind::InvalidArgument.error(py, message));
    if parts.len() > MAX_PLIES {
        return refused(format!("filters are for searches of 1 to {MAX_PLIES} plies, not {}", parts.len()));
    }
    for (depth, passes) in parts.iter().enumerate() {
        if passes.len() > depth + 1 {
            return refused(format!(
                "a search of {} plies has no more passes before it, not {}",
                depth + 1,
                passes.len()
            ));
        }
        for (pass, &filter) in passes.iter().enumerate() {
            filters.0[depth][pass] = filter.map(|(accept, extra, threshold)| Filter { accept, extra, threshold });
        }
    }
    Ok(filters)
}

pub fn plies_from(py: Python<'_>, plies: usize) -> PyResult<usize> {
    if plies > MAX_PLIES {
        return Err(Kind::InvalidArgument.error(py, format!("plies is 0 to {MAX_PLIES}, not {plies}")));
    }
    Ok(plies)
}

pub fn replies_from(py: Python<'_>, replies: Option<usize>) -> PyResult<Option<usize>> {
    if replies == Some(0) {
        return Err(Kind::InvalidArgument.error(py, "replies is at least 1, not 0"));
    }
    Ok(replies)
}

fn settings_from(py: Python<'_>, parts: SettingParts<'_>) -> PyResult<Settings> {
    let (plies, filters, replies, nodes, seconds, threads) = parts;
    let time = match seconds {
        None => None,
        Some(seconds) => Some(Duration::try_from_secs_f64(seconds).map_err(|_| {
            Kind::InvalidArgument.error(py, format!("seconds is a number of at least 0, not {seconds}"))
        })?),
    };
    Ok(Settings {
        plies: plies_from(py, plies)?,
        filters: filters_from(py, &filters)?,
        replies: replies_from(py, replies)?,
        limits: Limits { nodes, time },
        threads: long_work::threads(threads.as_ref())?,
    })
}

/// A user's evaluator, which is asked with the GIL. What goes wrong is kept, and stops the search.
struct Asked<'a> {
    callable: &'a Py<PyAny>,
    control: &'a Control,
    error: Mutex<Option<PyErr>>,
}

impl Evaluate for Asked<'_> {
    fn evaluate(&self, positions: &[[i8; CELLS]], outputs: &mut Vec<Outputs>) {
        let answer = Python::attach(|py| -> PyResult<Vec<Outputs>> {
            let rows = arrays::from_cells(py, positions.to_vec())?;
            let answer = self.callable.bind(py).call1((rows,))?;
            let answer = answer.extract::<PyReadonlyArray2<'_, f32>>()?;
            if answer.shape() != [positions.len(), 5] {
                let message = format!("an evaluator answers {} rows, not {:?}", positions.len(), answer.shape());
                return Err(Kind::Array.error(py, message));
            }
            Ok(answer.as_array().rows().into_iter().map(|row| std::array::from_fn(|place| row[place])).collect())
        });
        match answer {
            Ok(answer) => outputs.extend(answer),
            Err(error) => {
                self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
                self.control.cancel();
                outputs.extend(positions.iter().map(|_| [0.5, 0.0, 0.0, 0.0, 0.0]));
            }
        }
    }
}

enum Source {
    Network(Py<PyNetwork>),
    Callable(Py<PyAny>),
}

/// An evaluator with its tables, and what it remembers.
#[pyclass(name = "Searcher", module = "gammon._core", frozen)]
pub struct PySearcher {
    source: Source,
    one_sided: Option<Py<PyOneSided>>,
    two_sided: Option<Py<PyTwoSided>>,
    memory: Memory,
}

impl PySearcher {
    /// Runs a search without the GIL; a long one on another thread, so that Ctrl-C is heard.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        settings: Settings,
        search: impl FnOnce(&Search<'_>) -> Found<T> + Send,
    ) -> PyResult<Found<T>> {
        let with = |control: &Control| {
            let asked = match &self.source {
                Source::Network(_) => None,
                Source::Callable(callable) => Some(Asked { callable, control, error: Mutex::new(None) }),
            };
            let evaluator = match (&self.source, &asked) {
                (_, Some(asked)) => Evaluator::Other(asked),
                (Source::Network(network), None) => Evaluator::Network(&network.get().0),
                (Source::Callable(_), None) => unreachable!("a callable is asked"),
            };
            let judge = Judge {
                evaluator,
                one_sided: self.one_sided.as_ref().map(|table| &table.get().0),
                two_sided: self.two_sided.as_ref().map(|table| &table.get().0),
            };
            let found = search(&Search { judge, settings, memory: &self.memory, control });
            let error =
                asked.and_then(|asked| asked.error.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()));
            (found, error)
        };
        let ((found, raised), interrupted) = if settings.plies < 2 {
            (py.detach(|| with(&Control::default())), None)
        } else {
            long_work::run(py, None, 0, with)
        };
        match raised.or(interrupted) {
            Some(error) => Err(error),
            None => Ok(found),
        }
    }
}

fn reached<T>(found: &Found<T>) -> Reached {
    (found.plies, found.complete, found.nodes)
}

#[pymethods]
impl PySearcher {
    /// `evaluator` is a Network, or a callable from int8[N, 28] to float32[N, 5].
    #[new]
    #[pyo3(signature = (evaluator, one_sided, two_sided, cache_entries, /))]
    fn new(
        evaluator: Bound<'_, PyAny>,
        one_sided: Option<Py<PyOneSided>>,
        two_sided: Option<Py<PyTwoSided>>,
        cache_entries: usize,
    ) -> PyResult<PySearcher> {
        let source = match evaluator.cast::<PyNetwork>() {
            Ok(network) => Source::Network(network.clone().unbind()),
            Err(_) => Source::Callable(evaluator.clone().unbind()),
        };
        if cache_entries > 1 << 24 {
            let message = format!("a cache has at most 2^24 entries, not {cache_entries}");
            return Err(Kind::InvalidArgument.error(evaluator.py(), message));
        }
        Ok(PySearcher { source, one_sided, two_sided, memory: Memory::new(cache_entries) })
    }

    /// The five probabilities, the worth without and with a turn of the cube now, and how the search went.
    #[pyo3(signature = (position, game, settings, /))]
    fn evaluate(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        game: GameParts<'_>,
        settings: SettingParts<'_>,
    ) -> PyResult<([f64; 5], f64, f64, Reached)> {
        let (game, settings) = (game_from(py, game)?, settings_from(py, settings)?);
        let found = self.run(py, settings, |search| search.evaluate(&position.0, &game))?;
        let answer = found.answer;
        Ok((answer.probabilities.values(), answer.rolling, answer.best, reached(&found)))
    }

    /// The plays best first: place, the five probabilities, worth, equity, plies; and how the search went.
    #[pyo3(signature = (position, roll, game, settings, only_best, /))]
    #[allow(clippy::type_complexity, reason = "a tuple for Python")]
    fn rank(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        roll: &PyRoll,
        game: GameParts<'_>,
        settings: SettingParts<'_>,
        only_best: bool,
    ) -> PyResult<(Vec<(PyPlay, [f64; 5], f64, f64, usize)>, Reached)> {
        let (game, settings) = (game_from(py, game)?, settings_from(py, settings)?);
        let found = self.run(py, settings, |search| search.rank(&position.0, roll.0, &game, only_best))?;
        let plays = position.0.plays(roll.0);
        let row = |candidate: &gammon_core::search::Candidate| {
            let chances = candidate.probabilities.values();
            (PyPlay(plays[candidate.place]), chances, candidate.worth, candidate.equity, candidate.plies)
        };
        Ok((found.answer.iter().map(row).collect(), reached(&found)))
    }

    /// The numbers of a decision, the number of its action, the five probabilities, and how the search went.
    #[pyo3(signature = (position, game, settings, /))]
    fn decide(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        game: GameParts<'_>,
        settings: SettingParts<'_>,
    ) -> PyResult<([f64; 11], u8, [f64; 5], Reached)> {
        let (game, settings) = (game_from(py, game)?, settings_from(py, settings)?);
        let Game::Cubeful(game) = game else {
            return Err(Kind::InvalidArgument.error(py, "a decision about the cube needs a ladder"));
        };
        let game: CubeGame = *game;
        let found = self.run(py, settings, |search| search.decide(&position.0, &game))?;
        let (decision, chances) = found.answer;
        Ok((numbers(&decision), decision.action as u8, chances.values(), reached(&found)))
    }
}

/// The default filters, as [`FilterParts`].
#[pyfunction]
pub fn default_filters() -> FilterParts {
    let parts = |(depth, passes): (usize, gammon_core::search::Passes)| {
        let part = |filter: Option<Filter>| filter.map(|f| (f.accept, f.extra, f.threshold));
        passes[..=depth].iter().copied().map(part).collect()
    };
    Filters::default().0.into_iter().enumerate().map(parts).collect()
}
