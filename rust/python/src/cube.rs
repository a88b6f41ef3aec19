//! Ladders and the decisions on them.

use gammon_core::cube::{self, Action, Decision};
use gammon_core::ladder::{Level, Node, Owner, ScoreGraph, Terms};
use gammon_core::{Ladder, Probabilities};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::errors::Kind;
use crate::position::PyPosition;

/// What a game is worth at each level of the cube, compiled.
#[pyclass(name = "Ladder", module = "gammon._core", frozen)]
pub struct PyLadder(pub Ladder);

/// The numbers of a decision, one of each for every row.
type Columns<'py> = (Vec<Bound<'py, PyArray1<f64>>>, Bound<'py, PyArray1<u8>>);

pub fn owner_from(py: Python<'_>, owner: Option<&str>) -> PyResult<Owner> {
    match owner {
        None => Ok(Owner::Centred),
        Some("player") => Ok(Owner::Player),
        Some("opponent") => Ok(Owner::Opponent),
        Some(other) => {
            Err(Kind::InvalidArgument.error(py, format!("owner is None, 'player' or 'opponent', not {other:?}")))
        }
    }
}

fn efficiency_from(py: Python<'_>, efficiency: f64) -> PyResult<f64> {
    if (0.0..=1.0).contains(&efficiency) {
        return Ok(efficiency);
    }
    Err(Kind::InvalidArgument.error(py, format!("efficiency is a number from 0 to 1, not {efficiency}")))
}

/// The equities and turning points in the order of the fields of `Decision`.
pub fn numbers(decision: &Decision) -> [f64; 11] {
    let Decision { no_double, double_take, double_drop, beaver, best, .. } = *decision;
    let turnings = [decision.take_point, decision.cash_point, decision.double_point];
    let [take, cash, double] = turnings.map(|turning| [turning.dead, turning.live]);
    [no_double, double_take, double_drop, beaver, best, take[0], take[1], cash[0], cash[1], double[0], double[1]]
}

impl PyLadder {
    /// A level that the ladder has.
    pub fn level(&self, py: Python<'_>, level: usize) -> PyResult<usize> {
        if self.0.has_level(level) && level < 64 {
            return Ok(level);
        }
        let message = format!("the ladder ends at level {}, there is no level {level}", self.0.len() - 1);
        Err(Kind::InvalidArgument.error(py, message))
    }

    fn rows(
        &self,
        py: Python<'_>,
        probabilities: &PyReadonlyArray2<'_, f64>,
        efficiency: &PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Vec<(Probabilities, f64)>> {
        let [rows, columns] = [probabilities.shape()[0], probabilities.shape()[1]];
        if columns != 5 {
            return Err(Kind::Array.error(py, format!("probabilities: shape (N, 5), not ({rows}, {columns})")));
        }
        let efficiencies = efficiency.as_array();
        if efficiencies.len() != rows && efficiencies.len() != 1 {
            let message = format!("efficiency: one number or {rows}, not {}", efficiencies.len());
            return Err(Kind::Array.error(py, message));
        }
        let read = |(row, values): (usize, numpy::ndarray::ArrayView1<'_, f64>)| {
            let values = std::array::from_fn(|column| values[column]);
            let probabilities = Probabilities::new(values)
                .map_err(|error| Kind::InvalidArgument.error(py, format!("probabilities: row {row}: {error}")))?;
            let efficiency = efficiencies[if efficiencies.len() == 1 { 0 } else { row }];
            Ok((probabilities, efficiency_from(py, efficiency)?))
        };
        probabilities.as_array().rows().into_iter().enumerate().map(read).collect()
    }
}

#[pymethods]
impl PyLadder {
    #[new]
    #[pyo3(signature = (levels, endless, gammons_while_centred, beavers, first_double_turn, total, /))]
    fn new(
        py: Python<'_>,
        levels: Vec<([f64; 6], [bool; 2], bool)>,
        endless: bool,
        gammons_while_centred: bool,
        beavers: u8,
        first_double_turn: [u32; 2],
        total: f64,
    ) -> PyResult<PyLadder> {
        let terms = Terms { gammons_while_centred, beavers, first_double_turn, total };
        let level = |&(worth, may_double, dead): &([f64; 6], [bool; 2], bool)| Level { worth, may_double, dead };
        let ladder = match levels[..] {
            [(worth, ..)] if endless => Ladder::endless(worth, terms),
            _ => Ladder::new(&levels.iter().map(level).collect::<Vec<_>>(), terms),
        };
        ladder.map(PyLadder).map_err(|error| Kind::InvalidArgument.error(py, error))
    }

    /// The worth to the player on roll, who does not double now.
    #[pyo3(signature = (probabilities, level, owner, efficiency, /))]
    fn value(
        &self,
        py: Python<'_>,
        probabilities: [f64; 5],
        level: usize,
        owner: Option<&str>,
        efficiency: f64,
    ) -> PyResult<f64> {
        let level = self.level(py, level)?;
        let probabilities = probabilities_from(py, probabilities)?;
        Ok(cube::value(probabilities, &self.0, level, owner_from(py, owner)?, efficiency_from(py, efficiency)?))
    }

    /// The worth of each row of float64[N, 5]; efficiency is float64[N] or float64[1].
    #[pyo3(signature = (probabilities, level, owner, efficiency, /))]
    fn values<'py>(
        &self,
        py: Python<'py>,
        probabilities: PyReadonlyArray2<'py, f64>,
        level: usize,
        owner: Option<&str>,
        efficiency: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let level = self.level(py, level)?;
        let owner = owner_from(py, owner)?;
        let rows = self.rows(py, &probabilities, &efficiency)?;
        let values: Vec<f64> =
            py.detach(|| rows.into_iter().map(|(p, x)| cube::value(p, &self.0, level, owner, x)).collect());
        Ok(PyArray1::from_vec(py, values))
    }

    /// The numbers of the decision and of its action.
    #[pyo3(signature = (probabilities, level, owner, efficiency, /))]
    fn decide(
        &self,
        py: Python<'_>,
        probabilities: [f64; 5],
        level: usize,
        owner: Option<&str>,
        efficiency: f64,
    ) -> PyResult<([f64; 11], u8)> {
        let level = self.level(py, level)?;
        let probabilities = probabilities_from(py, probabilities)?;
        let efficiency = efficiency_from(py, efficiency)?;
        let decision = cube::decide(probabilities, &self.0, level, owner_from(py, owner)?, efficiency);
        Ok((numbers(&decision), decision.action as u8))
    }

    /// The decision on each row of float64[N, 5], as columns; efficiency is float64[N] or float64[1].
    #[pyo3(signature = (probabilities, level, owner, efficiency, /))]
    fn decisions<'py>(
        &self,
        py: Python<'py>,
        probabilities: PyReadonlyArray2<'py, f64>,
        level: usize,
        owner: Option<&str>,
        efficiency: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Columns<'py>> {
        let level = self.level(py, level)?;
        let owner = owner_from(py, owner)?;
        let rows = self.rows(py, &probabilities, &efficiency)?;
        let decide = |(p, x): (Probabilities, f64)| {
            let decision = cube::decide(p, &self.0, level, owner, x);
            (numbers(&decision), decision.action)
        };
        let decisions: Vec<([f64; 11], Action)> = py.detach(|| rows.into_iter().map(decide).collect());
        let column = |place: usize| PyArray1::from_iter(py, decisions.iter().map(|(numbers, _)| numbers[place]));
        let actions = PyArray1::from_iter(py, decisions.iter().map(|(_, action)| *action as u8));
        Ok(((0..11).map(column).collect(), actions))
    }
}

/// A node as Python gives it: its ladder seen by player 0, and where the points of each player lead.
type NodeParts<'py> = (PyRef<'py, PyLadder>, Vec<Option<usize>>, Vec<Option<usize>>);

/// The scores of a match and how one leads to the next, compiled.
#[pyclass(name = "ScoreGraph", module = "gammon._core", frozen)]
pub struct PyScoreGraph(pub ScoreGraph);

#[pymethods]
impl PyScoreGraph {
    #[new]
    #[pyo3(signature = (nodes, start, /))]
    fn new(py: Python<'_>, nodes: Vec<NodeParts<'_>>, start: usize) -> PyResult<PyScoreGraph> {
        let node =
            |(ladder, own, other): NodeParts<'_>| Node { ladders: [ladder.0, ladder.0.flip()], next: [own, other] };
        let nodes = nodes.into_iter().map(node).collect();
        ScoreGraph::new(nodes, start).map(PyScoreGraph).map_err(|error| Kind::InvalidArgument.error(py, error))
    }

    /// How many scores there are.
    fn __len__(&self) -> usize {
        self.0.nodes().len()
    }

    /// The node after `winner` has won so many points; None when that ends the match.
    #[pyo3(signature = (node, winner, points, /))]
    fn next(&self, py: Python<'_>, node: usize, winner: usize, points: u32) -> PyResult<Option<usize>> {
        if node >= self.0.nodes().len() || winner > 1 {
            return Err(Kind::InvalidArgument.error(py, format!("there is no score {node} or no player {winner}")));
        }
        Ok(self.0.next(node, winner, points))
    }
}

fn probabilities_from(py: Python<'_>, values: [f64; 5]) -> PyResult<Probabilities> {
    Probabilities::new(values).map_err(|error| Kind::InvalidArgument.error(py, format!("probabilities: {error}")))
}

/// The efficiency of the cube for the class of a position.
#[pyfunction]
#[pyo3(signature = (position, /))]
pub fn cube_efficiency(position: &PyPosition) -> f64 {
    cube::efficiency(&position.0)
}
