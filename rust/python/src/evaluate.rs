//! Networks: evaluating batches and choosing plays by them.

use std::sync::Arc;

use gammon_core::eval::{self, Objective};
use gammon_core::movegen::View;
use gammon_core::nn::{Network, OUTPUTS, Weights};
use gammon_core::player::{NetworkPlayer, Skill};
use gammon_core::search::MAX_PLIES;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays;
use crate::batch::view_from;
use crate::cube::{PyLadder, owner_from};
use crate::dice::PyRoll;
use crate::errors::{Kind, Raise};
use crate::long_work;
use crate::position::PyPosition;

/// A network that is ready to evaluate.
#[pyclass(name = "Network", module = "gammon._core", frozen)]
pub struct PyNetwork(pub Arc<Network>);

pub fn objective_from(py: Python<'_>, objective: &str) -> PyResult<Objective> {
    Objective::from_name(objective).ok_or_else(|| {
        Kind::InvalidArgument.error(py, format!("objective is \"win\" or \"points\", not {objective:?}"))
    })
}

#[pymethods]
impl PyNetwork {
    /// The network of a model file's bytes.
    #[new]
    #[pyo3(signature = (content, /))]
    fn new(py: Python<'_>, content: &[u8]) -> PyResult<PyNetwork> {
        let weights = Weights::from_bytes(content).map_err(|error| error.raise(py))?;
        Ok(PyNetwork(py.detach(|| Arc::new(Network::new(weights)))))
    }

    /// The bytes of its model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.weights().to_bytes())
    }

    /// Units of the two hidden layers.
    #[getter]
    fn layers(&self) -> (usize, usize) {
        let shape = self.0.weights().shape();
        (shape.first(), shape.second())
    }

    /// What it sees: "raw" or "contact".
    #[getter]
    fn inputs(&self) -> &'static str {
        self.0.weights().shape().inputs().name()
    }

    /// How many weights it has.
    #[getter]
    fn parameters(&self) -> usize {
        self.0.weights().values().len()
    }

    /// The kernel that runs on this processor.
    #[getter]
    fn kernel(&self) -> &'static str {
        self.0.kernel().name()
    }

    /// The five probabilities of one position.
    #[pyo3(signature = (position, /))]
    fn evaluate_one(&self, position: &PyPosition) -> (f64, f64, f64, f64, f64) {
        eval::evaluate(&self.0, &position.0).values().into()
    }

    /// The position after the network's play of a roll, as who made it sees it. `theirs` is the ladder of the player who
    /// rolls next, and the owner of the cube is as that player sees it.
    /// `skill` is how far it looks ahead and its noise, and the word by which that is drawn.
    #[pyo3(signature = (position, roll, theirs, level, owner, skill, /))]
    #[allow(clippy::too_many_arguments, reason = "the parts of a decision")]
    fn play(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        roll: &PyRoll,
        theirs: &PyLadder,
        level: usize,
        owner: Option<&str>,
        skill: (usize, f64, u64),
    ) -> PyResult<PyPosition> {
        let (level, owner) = (theirs.level(py, level)?, owner_from(py, owner)?);
        let mut player = NetworkPlayer::new(&self.0, skill_from(py, skill.0, skill.1)?);
        Ok(PyPosition(player.play(&position.0, roll.0, &theirs.0, level, owner, skill.2)))
    }

    /// Whether to double a cube that the player on roll may turn, and whether the other one takes it.
    #[pyo3(signature = (position, ladder, level, owner, skill, /))]
    fn cube(
        &self,
        py: Python<'_>,
        position: &PyPosition,
        ladder: &PyLadder,
        level: usize,
        owner: Option<&str>,
        skill: (usize, f64, u64),
    ) -> PyResult<(bool, bool)> {
        let (level, owner) = (ladder.level(py, level)?, owner_from(py, owner)?);
        let mut player = NetworkPlayer::new(&self.0, skill_from(py, skill.0, skill.1)?);
        let doubles = player.doubles(&position.0, &ladder.0, level, owner, skill.2);
        Ok((doubles, player.takes(&position.0, &ladder.0, level, owner, skill.2)))
    }

    #[pyo3(signature = (positions, threads, /))]
    fn evaluate<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let py = positions.py();
        let threads = long_work::threads(threads)?;
        let positions = arrays::positions("positions", positions)?;
        let outputs = py.detach(|| eval::evaluate_all(&self.0, &positions, threads));
        PyArray1::from_vec(py, outputs.into_flattened()).reshape([positions.len(), OUTPUTS])
    }

    #[pyo3(signature = (positions, rolls, objective, view, threads, /))]
    fn best_positions<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        rolls: &Bound<'py, PyAny>,
        objective: &str,
        view: &str,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let py = positions.py();
        let objective = objective_from(py, objective)?;
        let view: View = view_from(py, view)?;
        let threads = long_work::threads(threads)?;
        let positions = arrays::positions("positions", positions)?;
        let rolls = arrays::rolls("rolls", rolls, positions.len())?;
        let best = py.detach(|| eval::best_positions(&self.0, &positions, &rolls, objective, view, threads));
        arrays::from_cells(py, best)
    }

    /// What each of the 21 rolls is worth.
    #[pyo3(signature = (positions, objective, threads, /))]
    #[allow(clippy::type_complexity, reason = "a tuple for Python")]
    fn roll_values<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        objective: &str,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let py = positions.py();
        let objective = objective_from(py, objective)?;
        let threads = long_work::threads(threads)?;
        let positions = arrays::positions("positions", positions)?;
        let (values, error) = long_work::run(py, None, positions.len() as u64, |control| {
            eval::roll_values(&self.0, &positions, objective, threads, control)
        });
        if let Some(error) = error {
            return Err(error);
        }
        PyArray1::from_vec(py, values.into_flattened()).reshape([positions.len(), 21])
    }
}

/// How a network plays.
pub fn skill_from(py: Python<'_>, plies: usize, noise: f64) -> PyResult<Skill> {
    if plies > MAX_PLIES || !(0.0..=1000.0).contains(&noise) {
        let message =
            format!("a player looks 0 to {MAX_PLIES} plies ahead, with a noise of 0 to 1000, not {plies}, {noise}");
        return Err(Kind::InvalidArgument.error(py, message));
    }
    Ok(Skill { plies, noise })
}
