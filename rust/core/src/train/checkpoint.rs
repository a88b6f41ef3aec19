//! A run of training as a file, so that it can go on after a break as if there had been none.
//!
//! Little-endian: `GAMMONCK`, version 1, first and second layer, inputs (u32; 0 for raw, 1 for contact), fingerprint of
//! the recipe, seed, stage, steps of the stage, changes and games in all (u64), then as floats the weights, their average,
//! momentum and squares, and the XXH3-64 of all bytes before it.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::files;
use crate::nn::{Inputs, Shape, Weights};
use crate::train::{Stage, Trainer, tables_for};

const MAGIC: [u8; 8] = *b"GAMMONCK";
const VERSION: u32 = 1;
const HEADER: usize = 8 + 4 * 4 + 6 * 8;

/// Why a file is not a checkpoint that a run can go on from.
#[derive(Debug)]
pub enum CheckpointError {
    /// It cannot be read.
    Io(io::Error),
    /// It is not a checkpoint, or a damaged one.
    Damaged(&'static str),
    /// It is one of another recipe or seed.
    Other(&'static str),
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointError::Io(error) => write!(f, "{error}"),
            CheckpointError::Damaged(what) => write!(f, "not a checkpoint, or a damaged one: {what}"),
            CheckpointError::Other(what) => write!(f, "a checkpoint of another run: {what}"),
        }
    }
}

impl std::error::Error for CheckpointError {}

impl From<io::Error> for CheckpointError {
    fn from(error: io::Error) -> CheckpointError {
        CheckpointError::Io(error)
    }
}

/// The same only for equal recipes.
fn fingerprint(stages: &[Stage]) -> u64 {
    let mut bytes = Vec::new();
    for stage in stages {
        bytes.extend(stage.games.to_le_bytes());
        bytes.extend(stage.games_per_step.to_le_bytes());
        bytes.extend(stage.changes.to_le_bytes());
        bytes.extend([stage.tables, stage.taught].map(u8::from));
        bytes.extend(stage.keep.to_le_bytes());
        for number in stage.rate.iter().chain(&stage.lambda).chain([&stage.look_ahead, &stage.average]) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(stage.objective.name().as_bytes());
    }
    xxh3_64(&bytes)
}

impl Trainer {
    /// Writes the run to a file, whole or not at all.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        files::write_whole(path, |writer| writer.write_all(&self.to_bytes()))
    }

    /// The run of a file, of this recipe and seed.
    pub fn open(path: &Path, stages: Vec<Stage>, seed: u64) -> Result<Trainer, CheckpointError> {
        Trainer::from_bytes(&fs::read(path)?, stages, seed)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let shape = self.weights.shape();
        let mut bytes = Vec::with_capacity(HEADER + 16 * shape.len() + 8);
        bytes.extend(MAGIC);
        let inputs = shape.inputs() as u32;
        for number in [VERSION, shape.first() as u32, shape.second() as u32, inputs] {
            bytes.extend(number.to_le_bytes());
        }
        for number in [fingerprint(&self.stages), self.seed, self.stage as u64, self.stage_step, self.steps, self.games]
        {
            bytes.extend(number.to_le_bytes());
        }
        for values in [self.weights.values(), &self.average, &self.momentum, &self.squares] {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8], stages: Vec<Stage>, seed: u64) -> Result<Trainer, CheckpointError> {
        let damaged = |what| Err(CheckpointError::Damaged(what));
        if bytes.len() < HEADER + 8 || !bytes.starts_with(&MAGIC) {
            return damaged("it does not start as one");
        }
        let (content, checksum) = bytes.split_at(bytes.len() - 8);
        if xxh3_64(content).to_le_bytes() != checksum {
            return damaged("its checksum is wrong");
        }
        let small = content[8..24].as_chunks::<4>().0;
        let [version, first, second, inputs] = std::array::from_fn(|at| u32::from_le_bytes(small[at]));
        let large = content[24..HEADER].as_chunks::<8>().0;
        let [recipe, its_seed, stage, stage_step, steps, games] =
            std::array::from_fn(|at| u64::from_le_bytes(large[at]));
        if version != VERSION {
            return damaged("its version is unknown");
        }
        let Some(shape) = Shape::new(first as usize, second as usize) else { return damaged("its layers cannot be") };
        let Some(&inputs) = Inputs::ALL.get(inputs as usize) else { return damaged("its inputs are unknown") };
        let shape = shape.with_inputs(inputs);
        if content.len() != HEADER + 16 * shape.len() {
            return damaged("its length is wrong");
        }
        if recipe != fingerprint(&stages) {
            return Err(CheckpointError::Other("its recipe is not this one"));
        }
        if its_seed != seed {
            return Err(CheckpointError::Other("its seed is not this one"));
        }
        let fits = stage < stages.len() as u64 && stage_step < stages[stage as usize].steps();
        if !fits && (stage, stage_step) != (stages.len() as u64, 0) {
            return damaged("it is beyond its recipe");
        }
        let values: Vec<f32> =
            content[HEADER..].as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect();
        let part = |part: usize| values[part * shape.len()..][..shape.len()].to_vec();
        let Some(weights) = Weights::from_values(shape, part(0)) else { return damaged("a weight is not finite") };
        Ok(Trainer {
            weights,
            average: part(1),
            momentum: part(2),
            squares: part(3),
            tables: tables_for(&stages),
            quick: None,
            teacher: None,
            stages,
            seed,
            stage: stage as usize,
            stage_step,
            steps,
            games,
        })
    }
}
