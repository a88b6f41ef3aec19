//! Runs of training.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gammon_core::nn::{Inputs, Network, Shape, WIDEST, Weights};
use gammon_core::train::{CheckpointError, RanAway, Seen, Stage, Trainer};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{Kind, os_error};
use crate::evaluate::objective_from;
use crate::long_work;

/// A stage as Python gives it: a dict of its fields.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct StageFields {
    games: u64,
    games_per_step: u64,
    changes: u64,
    rate: [f32; 2],
    lambda_: [f32; 2],
    look_ahead: f32,
    tables: bool,
    keep: u64,
    stray: f32,
    steady: u64,
    memory: u64,
    taught: bool,
    objective: String,
    equity: [f32; 2],
    average: f32,
}

fn stages_from(py: Python<'_>, stages: Vec<StageFields>) -> PyResult<Vec<Stage>> {
    let stage = |(place, fields): (usize, StageFields)| {
        let stage = Stage {
            games: fields.games,
            games_per_step: fields.games_per_step,
            changes: fields.changes,
            rate: fields.rate,
            lambda: fields.lambda_,
            look_ahead: fields.look_ahead,
            tables: fields.tables,
            keep: fields.keep,
            stray: fields.stray,
            steady: fields.steady,
            memory: fields.memory,
            taught: fields.taught,
            objective: objective_from(py, &fields.objective)?,
            equity: fields.equity,
            average: fields.average,
        };
        let wrong = |error| Kind::InvalidArgument.error(py, format!("stage {}: {error}", place + 1));
        stage.validate().map_err(wrong).map(|()| stage)
    };
    stages.into_iter().enumerate().map(stage).collect()
}

/// The network of a model file's bytes.
fn network(py: Python<'_>, content: &[u8]) -> PyResult<Arc<Network>> {
    let weights = Weights::from_bytes(content).map_err(|error| Kind::ModelFormat.error(py, error))?;
    Ok(Arc::new(Network::new(weights)))
}

/// A run of training, at some step of its recipe.
#[pyclass(name = "Trainer", module = "gammon._core", frozen)]
pub struct PyTrainer(Mutex<Trainer>);

impl PyTrainer {
    /// A panic in a step is a fault of this library; what it left can still be asked for.
    fn lock(&self) -> MutexGuard<'_, Trainer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn shape_from(py: Python<'_>, layers: (usize, usize), inputs: &str) -> PyResult<Shape> {
    let shape = Shape::new(layers.0, layers.1).ok_or_else(|| {
        let message = format!(
            "layers are a multiple of 64 up to {} and one of 16 up to {}, not {} and {}",
            WIDEST[0], WIDEST[1], layers.0, layers.1
        );
        Kind::InvalidArgument.error(py, message)
    })?;
    let inputs = Inputs::from_name(inputs)
        .ok_or_else(|| Kind::InvalidArgument.error(py, format!("inputs is \"raw\" or \"contact\", not {inputs:?}")))?;
    Ok(shape.with_inputs(inputs))
}

#[pymethods]
impl PyTrainer {
    /// A run from random weights, or from those of a model file's bytes, which may have fewer units.
    #[new]
    #[pyo3(signature = (layers, stages, seed, content, inputs, /))]
    fn new(
        py: Python<'_>,
        layers: (usize, usize),
        stages: Vec<StageFields>,
        seed: &Bound<'_, PyAny>,
        content: Option<&[u8]>,
        inputs: &str,
    ) -> PyResult<PyTrainer> {
        let seed = long_work::seed(seed)?;
        let stages = stages_from(py, stages)?;
        let shape = shape_from(py, layers, inputs)?;
        let Some(content) = content else { return Ok(PyTrainer(Mutex::new(Trainer::new(shape, stages, seed)))) };
        let weights = Weights::from_bytes(content).map_err(|error| Kind::ModelFormat.error(py, error))?;
        let Some(weights) = weights.widened(shape, seed) else {
            let its = weights.shape();
            let message = format!(
                "the start has {} inputs and layers of {} and {}, more than {} inputs and {} and {}",
                its.inputs().name(),
                its.first(),
                its.second(),
                shape.inputs().name(),
                layers.0,
                layers.1
            );
            return Err(Kind::InvalidArgument.error(py, message));
        };
        Ok(PyTrainer(Mutex::new(Trainer::from_weights(weights, stages, seed))))
    }

    /// The run of a checkpoint.
    #[staticmethod]
    #[pyo3(signature = (path, layers, inputs, stages, seed, /))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        layers: (usize, usize),
        inputs: &str,
        stages: Vec<StageFields>,
        seed: &Bound<'_, PyAny>,
    ) -> PyResult<PyTrainer> {
        let seed = long_work::seed(seed)?;
        let stages = stages_from(py, stages)?;
        let shape = shape_from(py, layers, inputs)?;
        let place = path.display().to_string();
        match py.detach(|| Trainer::open(&path, shape, stages, seed)) {
            Ok(trainer) => Ok(PyTrainer(Mutex::new(trainer))),
            Err(CheckpointError::Io(error)) => Err(os_error(&error, &path)),
            Err(error @ CheckpointError::Damaged(_)) => Err(Kind::FileFormat.error(py, format!("{place}: {error}"))),
            Err(error @ CheckpointError::Other(_)) => Err(Kind::InvalidArgument.error(py, format!("{place}: {error}"))),
        }
    }

    /// Sets the quicker network that sifts candidates in the stages that keep few, from the bytes of its model file.
    #[pyo3(signature = (content, /))]
    fn set_quick(&self, py: Python<'_>, content: &[u8]) -> PyResult<()> {
        let network = network(py, content)?;
        py.detach(|| self.lock().set_quick(network));
        Ok(())
    }

    /// Sets the network that teaches in the stages that are taught, from the bytes of its model file.
    #[pyo3(signature = (content, /))]
    fn set_teacher(&self, py: Python<'_>, content: &[u8]) -> PyResult<()> {
        let network = network(py, content)?;
        py.detach(|| self.lock().set_teacher(network));
        Ok(())
    }

    /// Makes steps until these seconds are over or the recipe is: games, their positions, positions learnt from, sum of
    /// losses, sum of squared errors of the equity, and the error that cut it short. `progress` is called with the games of the whole run.
    #[pyo3(signature = (seconds, threads, progress, /))]
    fn run(
        &self,
        py: Python<'_>,
        seconds: f64,
        threads: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u64, u64, u64, f64, f64, Option<PyErr>)> {
        let threads = long_work::threads(threads)?;
        let seconds = Duration::try_from_secs_f64(seconds)
            .map_err(|_| Kind::InvalidArgument.error(py, format!("seconds is a number above 0, not {seconds}")))?;
        let total = py.detach(|| self.lock().total_games());
        let (seen, error) = long_work::run(py, progress, total, |control| {
            let mut trainer = self.lock();
            let start = Instant::now();
            let mut seen = Seen::default();
            control.advance(trainer.games());
            while !control.is_cancelled() && (start.elapsed() < seconds || seen.games == 0) {
                let Some(step) = trainer.step(threads, control)? else { break };
                control.advance(step.games);
                seen.add(&step);
            }
            Ok(seen)
        });
        let seen = seen.map_err(|error: RanAway| Kind::InvalidArgument.error(py, error))?;
        Ok((seen.games, seen.plies, seen.positions, seen.loss, seen.squares, error))
    }

    /// Writes a checkpoint, whole or not at all.
    #[pyo3(signature = (path, /))]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.lock().save(&path)).map_err(|error| os_error(&error, &path))
    }

    /// The bytes of a model file with the averaged weights.
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.lock().averaged().map(|weights| weights.to_bytes()));
        let bytes = bytes.map_err(|error| Kind::InvalidArgument.error(py, error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The stage that is next, from 0; None if the recipe is over.
    #[getter]
    fn stage(&self, py: Python<'_>) -> Option<usize> {
        py.detach(|| self.lock().stage())
    }

    /// Games and changes so far, and games of the whole recipe.
    #[getter]
    fn done(&self, py: Python<'_>) -> (u64, u64, u64) {
        py.detach(|| {
            let trainer = self.lock();
            (trainer.games(), trainer.steps(), trainer.total_games())
        })
    }

    /// How far weights change in the next step.
    #[getter]
    fn rate(&self, py: Python<'_>) -> f32 {
        py.detach(|| self.lock().rate())
    }
}
