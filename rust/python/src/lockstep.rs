//! Games in lockstep: questions out as columns, answers in as columns.

use gammon_core::ladder::{MAX_LEVELS, Node, ScoreGraph};
use gammon_core::lockstep::{
    self, Arena, Chooser, CubeAnswer, Keep, Kind as Question, Plan, Player, Questions, Results, Stake, Sums,
};
use gammon_core::player::Baseline;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays;
use crate::cube::PyLadder;
use crate::dice::PyRoll;
use crate::errors::Kind;
use crate::evaluate::{PyNetwork, skill_from};
use crate::long_work;
use crate::position::PyPosition;
use crate::text::Text;

/// A node of the score graph: ladder of player 0, where each winner's points lead, points needed, Crawford phase.
type NodeParts<'py> = (PyRef<'py, PyLadder>, Vec<Option<usize>>, Vec<Option<usize>>, [i16; 2], i8);
/// A player: slot, who chooses, the fixed answers to double and take (`None` asks), and the network that makes all
/// decisions if it is "network" who chooses, with how far it looks ahead and its noise.
type PlayerParts<'py> = (usize, Text, Option<bool>, Option<bool>, Option<PyRef<'py, PyNetwork>>, usize, f64);

/// What is played.
#[pyclass(name = "Plan", module = "gammon._core", frozen)]
pub struct PyPlan(pub Plan);

#[pymethods]
impl PyPlan {
    #[new]
    #[pyo3(signature = (start, seed, nodes, first, stakes, matches, paired, /))]
    #[allow(clippy::too_many_arguments, reason = "the parts of a plan")]
    fn new(
        start: &Bound<'_, PyPosition>,
        seed: &Bound<'_, PyAny>,
        nodes: Vec<NodeParts<'_>>,
        first: usize,
        stakes: Vec<(u32, usize, [usize; 6])>,
        matches: bool,
        paired: bool,
    ) -> PyResult<PyPlan> {
        let py = start.py();
        let scores = nodes.iter().map(|(_, _, _, away, phase)| (*away, *phase)).collect();
        let nodes = nodes
            .into_iter()
            .map(|(ladder, own, other, ..)| Node { ladders: [ladder.0, ladder.0.flip()], next: [own, other] })
            .collect();
        let graph = ScoreGraph::new(nodes, first).map_err(|error| Kind::InvalidArgument.error(py, error))?;
        if stakes.is_empty() || stakes.iter().any(|(_, _, next)| next.iter().any(|&next| next >= stakes.len())) {
            return Err(Kind::InvalidArgument.error(py, "stakes lead to a stake that does not exist"));
        }
        if let Some((_, top, _)) = stakes.iter().find(|(_, top, _)| *top >= MAX_LEVELS) {
            let message = format!("a cube has {MAX_LEVELS} levels from 0 on, not one of {top}");
            return Err(Kind::InvalidArgument.error(py, message));
        }
        let stakes = stakes.into_iter().map(|(stake, top, after_tie)| Stake { stake, top, after_tie });
        let (start, seed) = (start.get().0, long_work::seed(seed)?);
        Ok(PyPlan(Plan { start, seed, graph, scores, stakes: stakes.collect(), matches, paired }))
    }
}

/// What is kept: games, actions, and whether positions are kept as the bits of their IDs.
type KeepParts = (bool, bool, bool);

fn keep_from((games, acts, keys): KeepParts) -> Keep {
    Keep { games, acts, keys }
}

fn player_from(
    py: Python<'_>,
    (slot, choose, double, take, network, plies, noise): PlayerParts<'_>,
) -> PyResult<Player> {
    let skill = skill_from(py, plies, noise)?;
    let choose = match (&*choose, network) {
        ("network", Some(network)) => return Ok(Player::of_network(network.0.clone(), skill)),
        ("asked", _) => Chooser::Asked,
        ("random", _) => Chooser::Random,
        ("baseline", _) => Chooser::Baseline,
        (other, _) => return Err(Kind::InvalidArgument.error(py, format!("there is no player {other:?}"))),
    };
    if slot > 1 {
        return Err(Kind::InvalidArgument.error(py, format!("a slot is 0 or 1, not {slot}")));
    }
    let cube = |answer: Option<bool>| match answer {
        None => CubeAnswer::Asked,
        Some(true) => CubeAnswer::Always,
        Some(false) => CubeAnswer::Never,
    };
    Ok(Player { slot, choose, double: cube(double), take: cube(take), network: None, skill })
}

fn players_from(py: Python<'_>, [first, second]: [PlayerParts<'_>; 2]) -> PyResult<[Player; 2]> {
    Ok([player_from(py, first)?, player_from(py, second)?])
}

pub fn pairs<'py, T: numpy::Element>(py: Python<'py>, rows: Vec<[T; 2]>) -> PyResult<Bound<'py, PyAny>> {
    let len = rows.len();
    Ok(PyArray1::from_vec(py, rows.into_flattened()).reshape([len, 2])?.into_any())
}

/// A column of numbers.
fn column<T: numpy::Element>(py: Python<'_>, values: impl ExactSizeIterator<Item = T>) -> Bound<'_, PyAny> {
    PyArray1::from_iter(py, values).into_any()
}

fn columns_of<'py>(py: Python<'py>, kind: Question, questions: Questions) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    columns.set_item("positions", arrays::from_cells(py, questions.positions)?)?;
    if kind == Question::Choose {
        columns.set_item("rolls", pairs(py, questions.rolls)?)?;
        columns.set_item("candidates", arrays::from_cells(py, questions.candidates)?)?;
        let mut offsets = questions.ends;
        offsets.insert(0, 0);
        columns.set_item("offsets", PyArray1::from_vec(py, offsets))?;
    }
    columns.set_item("away", pairs(py, questions.away)?)?;
    columns.set_item("cube", pairs(py, questions.cube)?)?;
    columns.set_item("phase", PyArray1::from_vec(py, questions.phase))?;
    columns.set_item("stake", PyArray1::from_vec(py, questions.stake))?;
    columns.set_item("noise", PyArray1::from_vec(py, questions.noise))?;
    Ok(columns)
}

fn sums_of<'py>(py: Python<'py>, sums: &Sums) -> PyResult<Bound<'py, PyDict>> {
    let parts = PyDict::new(py);
    parts.set_item("samples", sums.samples)?;
    parts.set_item("games", sums.games)?;
    parts.set_item("plies", sums.plies)?;
    parts.set_item("plies_squared", sums.plies_squared)?;
    parts.set_item("wins", sums.wins)?;
    parts.set_item("points", sums.points)?;
    parts.set_item("points_squared", sums.points_squared)?;
    parts.set_item("match_wins", sums.match_wins)?;
    parts.set_item("match_wins_squared", sums.match_wins_squared)?;
    parts.set_item("cube", sums.cube)?;
    parts.set_item("levels", sums.levels)?;
    Ok(parts)
}

fn results_of<'py>(py: Python<'py>, keep: Keep, results: Results) -> PyResult<Bound<'py, PyDict>> {
    let answer = PyDict::new(py);
    let results = py.detach(|| results.in_order());
    answer.set_item("sums", sums_of(py, &results.sums)?)?;
    let rows = &results.games;
    let games = PyDict::new(py);
    games.set_item("game", column(py, rows.iter().map(|row| row.unit)))?;
    games.set_item("number", column(py, rows.iter().map(|row| row.number)))?;
    games.set_item("starter", column(py, rows.iter().map(|row| row.starter)))?;
    games.set_item("seat", column(py, rows.iter().map(|row| row.seat)))?;
    games.set_item("points", column(py, rows.iter().map(|row| row.points)))?;
    games.set_item("plies", column(py, rows.iter().map(|row| row.plies)))?;
    games.set_item("stake", column(py, rows.iter().map(|row| row.stake)))?;
    games.set_item("cube", column(py, rows.iter().map(|row| 1_u32 << row.level)))?;
    games.set_item("dropped", column(py, rows.iter().map(|row| row.dropped)))?;
    if keep.acts {
        let last = match keep.keys {
            true => arrays::from_keys(py, rows.iter().map(|row| row.last.key()).collect())?.into_any(),
            false => arrays::from_cells(py, rows.iter().map(|row| *row.last.cells()).collect())?.into_any(),
        };
        games.set_item("last", last)?;
    }
    answer.set_item("games", games)?;
    let columns = results.acts;
    let acts = PyDict::new(py);
    acts.set_item("game", PyArray1::from_vec(py, columns.unit))?;
    acts.set_item("number", PyArray1::from_vec(py, columns.number))?;
    acts.set_item("turn", PyArray1::from_vec(py, columns.turn))?;
    acts.set_item("player", PyArray1::from_vec(py, columns.player))?;
    acts.set_item("action", PyArray1::from_vec(py, columns.act))?;
    acts.set_item("cube", PyArray1::from_vec(py, columns.cube))?;
    acts.set_item("owner", PyArray1::from_vec(py, columns.owner))?;
    acts.set_item("rolls", pairs(py, columns.rolls)?)?;
    let before = match keep.keys {
        true => arrays::from_keys(py, columns.keys)?.into_any(),
        false => arrays::from_cells(py, columns.before)?.into_any(),
    };
    acts.set_item("positions", before)?;
    answer.set_item("acts", acts)?;
    Ok(answer)
}

/// Games that are played decision by decision.
#[pyclass(name = "Arena", module = "gammon._core")]
pub struct PyArena(Arena, Keep);

fn slot_from(py: Python<'_>, slot: usize) -> PyResult<usize> {
    if slot < 2 { Ok(slot) } else { Err(Kind::InvalidArgument.error(py, format!("slot is 0 or 1, not {slot}"))) }
}

#[pymethods]
impl PyArena {
    #[new]
    #[pyo3(signature = (plan, players, keep, first, end, lanes, threads, /))]
    #[allow(clippy::too_many_arguments, reason = "the parts of an arena")]
    fn new(
        plan: &Bound<'_, PyPlan>,
        players: [PlayerParts<'_>; 2],
        keep: KeepParts,
        first: u64,
        end: u64,
        lanes: usize,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyArena> {
        let players = players_from(plan.py(), players)?;
        let threads = long_work::threads(threads)?;
        let keep = keep_from(keep);
        let lanes = lanes.min(1 << 20);
        Ok(PyArena(Arena::new(plan.get().0.clone(), players, keep, first..end, lanes, threads), keep))
    }

    /// Finished games or matches.
    #[getter]
    fn done(&self) -> u64 {
        self.0.done()
    }

    /// Plays on until somebody is asked: a list of (slot, kind, columns), empty when all games are over.
    fn advance<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let asked = py.detach(|| self.0.advance());
        let list = PyList::empty(py);
        for (slot, kinds) in asked.into_iter().enumerate() {
            for (kind, questions) in Question::ALL.into_iter().zip(kinds) {
                if !questions.is_empty() {
                    list.append((slot, kind as usize, columns_of(py, kind, questions)?))?;
                }
            }
        }
        Ok(list)
    }

    /// Answers choices of play.
    #[pyo3(signature = (slot, answers, /))]
    fn choose(&mut self, py: Python<'_>, slot: usize, answers: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let (slot, answers) = (slot_from(py, slot)?, answers.as_array().to_vec());
        let done = py.detach(|| self.0.choose(slot, &answers));
        done.map_err(|error| Kind::InvalidArgument.error(py, error))
    }

    /// Answers whether to double (kind 1) or to take (kind 2).
    #[pyo3(signature = (slot, kind, answers, /))]
    fn decide(
        &mut self,
        py: Python<'_>,
        slot: usize,
        kind: usize,
        answers: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let (slot, answers) = (slot_from(py, slot)?, answers.as_array().to_vec());
        let cube = [Question::Double, Question::Take];
        let kind = cube.into_iter().find(|&question| question as usize == kind);
        let kind = kind.ok_or_else(|| Kind::InvalidArgument.error(py, "kind is 1, to double, or 2, to take"))?;
        let done = py.detach(|| self.0.decide(slot, kind, &answers));
        done.map_err(|error| Kind::InvalidArgument.error(py, error))
    }

    /// What finished games left since the last call.
    fn results<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let results = self.0.take_results();
        results_of(py, self.1, results)
    }
}

/// Plays games between players of whom nobody is asked: what they left, and the error that cut the run short.
#[pyfunction]
#[pyo3(signature = (plan, players, keep, first, end, threads, progress, /))]
#[allow(clippy::too_many_arguments, reason = "the parts of a run")]
pub fn play_out<'py>(
    plan: &Bound<'py, PyPlan>,
    players: [PlayerParts<'_>; 2],
    keep: KeepParts,
    first: u64,
    end: u64,
    threads: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Option<PyErr>)> {
    let py = plan.py();
    let players = players_from(py, players)?;
    if players.iter().any(Player::is_asked) {
        return Err(Kind::InvalidArgument.error(py, "nobody is there to be asked"));
    }
    let threads = long_work::threads(threads)?;
    let keep = keep_from(keep);
    let plan = &plan.get().0;
    let (results, error) = long_work::run(py, progress, end.saturating_sub(first), |control| {
        lockstep::play_out(plan, &players, keep, first..end, threads, control)
    });
    Ok((results_of(py, keep, results)?, error))
}

/// The position after the built-in baseline player's play of a roll, as who made it sees it.
#[pyfunction]
#[pyo3(signature = (position, roll, /))]
pub fn baseline_play(position: &PyPosition, roll: &PyRoll) -> PyPosition {
    PyPosition(Baseline::default().play(&position.0, roll.0))
}
