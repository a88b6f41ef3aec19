//! A run of training as a file, so that it can go on after a break as if there had been none.
//!
//! Little-endian: `GAMMONCK`, version 2, first and second layer, inputs (u32; 0 for raw, 1 for contact), fingerprint of
//! the recipe, seed, stage, steps of the stage, changes and games in all, 1 if a network stays the same for some
//! steps, remembered lessons and the place of the oldest (u64), then as floats the weights, their average, momentum and
//! squares and that network's weights if there is one, for each lesson its position in array form and five floats, and the
//! XXH3-64 of all bytes before it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::files;
use crate::nn::{Inputs, Network, OUTPUTS, Outputs, Shape, Weights};
use crate::position::{CELLS, Position};
use crate::train::memory::Memory;
use crate::train::{Lesson, Stage, Trainer, tables_for};

const MAGIC: [u8; 8] = *b"GAMMONCK";
const VERSION: u32 = 2;
const HEADER: usize = 8 + 4 * 4 + 9 * 8;
/// Bytes of a lesson.
const LESSON: usize = CELLS + 4 * OUTPUTS;

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
        for number in [stage.keep, stage.steady, stage.memory] {
            bytes.extend(number.to_le_bytes());
        }
        let single = [&stage.look_ahead, &stage.average, &stage.stray];
        for number in stage.rate.iter().chain(&stage.lambda).chain(&stage.equity).chain(single) {
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

    /// The run of a file, of a network of this shape, this recipe and seed.
    pub fn open(path: &Path, shape: Shape, stages: Vec<Stage>, seed: u64) -> Result<Trainer, CheckpointError> {
        let most = HEADER + 20 * shape.len() + LESSON * Stage::MOST_REMEMBERED as usize + 8;
        let mut bytes = Vec::new();
        File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > most {
            return Err(CheckpointError::Damaged("it is longer than one of this shape can be"));
        }
        Trainer::from_bytes(&bytes, shape, stages, seed)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let shape = self.weights.shape();
        let mut bytes = Vec::with_capacity(HEADER + 20 * shape.len() + LESSON * self.memory.lessons().len() + 8);
        bytes.extend(MAGIC);
        let inputs = shape.inputs() as u32;
        for number in [VERSION, shape.first() as u32, shape.second() as u32, inputs] {
            bytes.extend(number.to_le_bytes());
        }
        let done = [self.stage as u64, self.stage_step, self.steps, self.games];
        let kept = [usize::from(self.steady.is_some()), self.memory.lessons().len(), self.memory.oldest()];
        let kept = kept.map(|number| number as u64);
        for number in [fingerprint(&self.stages), self.seed].into_iter().chain(done).chain(kept) {
            bytes.extend(number.to_le_bytes());
        }
        let steady = self.steady.as_deref().map(|network| network.weights().values());
        for values in [self.weights.values(), &self.average, &self.momentum, &self.squares].into_iter().chain(steady) {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        for lesson in self.memory.lessons() {
            bytes.extend(lesson.cells.map(|cell| cell as u8));
            bytes.extend(lesson.target.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    pub(super) fn from_bytes(
        bytes: &[u8],
        expected: Shape,
        stages: Vec<Stage>,
        seed: u64,
    ) -> Result<Trainer, CheckpointError> {
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
        let [recipe, its_seed, stage, stage_step, steps, games, steady, remembered, oldest] =
            std::array::from_fn(|at| u64::from_le_bytes(large[at]));
        if version != VERSION {
            return damaged("its version is unknown");
        }
        let Some(shape) = Shape::new(first as usize, second as usize) else { return damaged("its layers cannot be") };
        let Some(&inputs) = Inputs::ALL.get(inputs as usize) else { return damaged("its inputs are unknown") };
        let shape = shape.with_inputs(inputs);
        if shape != expected {
            return Err(CheckpointError::Other("its layers or inputs are not these"));
        }
        let steady = steady == 1;
        let weights = HEADER + (16 + 4 * usize::from(steady)) * shape.len();
        if remembered > Stage::MOST_REMEMBERED || content.len() != weights + LESSON * remembered as usize {
            return damaged("its length is wrong");
        }
        let (content, lessons) = content.split_at(weights);
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
        let stages_so_far = stages.iter().take(stage as usize).map(|stage| (stage, stage.steps()));
        let stages_so_far = stages_so_far.chain(stages.get(stage as usize).map(|stage| (stage, stage_step)));
        let games_so_far: u64 = stages_so_far.clone().map(|(stage, steps)| steps * stage.games_per_step).sum();
        let most_changes: u64 = stages_so_far.map(|(stage, steps)| steps * stage.changes).sum();
        if games != games_so_far || steps > most_changes {
            return damaged("its games and changes are not those of its place in the recipe");
        }
        let values: Vec<f32> =
            content[HEADER..].as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect();
        if !values.iter().all(|value| value.is_finite()) {
            return damaged("a number is not finite");
        }
        let part = |part: usize| values[part * shape.len()..][..shape.len()].to_vec();
        let whole = |values: Vec<f32>| Weights::from_values(shape, values);
        let Some(weights) = whole(part(0)) else { return damaged("its weights cannot be") };
        let steady = if steady { whole(part(4)).map(|weights| Arc::new(Network::new(weights))) } else { None };
        if fits && stages[stage as usize].steady > 0 && stage_step > 0 && steady.is_none() {
            return damaged("the network that stays the same is missing");
        }
        if remembered > if fits { stages[stage as usize].memory } else { 0 } {
            return damaged("it remembers too much");
        }
        let lessons: Option<Vec<_>> = lessons.as_chunks::<LESSON>().0.iter().map(lesson).collect();
        let Some(lessons) = lessons else { return damaged("a lesson is no position or no number") };
        let Some(memory) = Memory::from_parts(lessons, oldest as usize) else {
            return damaged("the place of its oldest lesson is outside");
        };
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
            memory,
            steady,
        })
    }
}

/// A lesson from its bytes.
fn lesson(bytes: &[u8; LESSON]) -> Option<Lesson> {
    let (cells, target) = bytes.split_at(CELLS);
    let cells: [i8; CELLS] = std::array::from_fn(|cell| cells[cell] as i8);
    let numbers = target.as_chunks::<4>().0;
    let target: Outputs = std::array::from_fn(|output| f32::from_le_bytes(numbers[output]));
    // With lambda a target may lie beyond 0 and 1: it is a chance and errors of later ones.
    (Position::from_cells(&cells).is_ok() && target.iter().all(|value| value.is_finite()))
        .then_some(Lesson { cells, target })
}
