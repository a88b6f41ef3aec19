//! Training by self-play: temporal differences on the games that the network plays against itself.
//!
//! A step plays a number of games, cuts their positions into shares, and changes the weights by each, by Adam (Kingma,
//! Ba, 2015). The games of a step are cut into a fixed number of shards and the positions of a change into
//! a fixed number of parts whose gradients are added in order, and every game's dice are a function of (seed, game): so
//! the weights do not depend on the number of threads, and a run that goes on from a checkpoint ends where one without a
//! break does.

mod checkpoint;
mod game;
mod gradient;
mod memory;

pub use checkpoint::CheckpointError;
pub use game::{Lesson, Player, Teaching};
pub use gradient::Gradient;

use std::fmt;
use std::sync::{Arc, Mutex};

use crate::bearoff::Index;
use crate::bearoff::one_sided::OneSided;
use crate::eval::Objective;
use crate::nn::{Kernel, Network, Shape, Weights};
use crate::parallel::{self, Control};
use crate::position::{CHECKERS, Position, Variant};
use crate::rng::{GameDice, Purpose, Stream};
use memory::Memory;

/// Games of a step are cut into this many shards.
const SHARDS: u64 = 8;
/// Positions of a change are cut into this many parts: few, since every part sums a gradient of all weights.
const PARTS: u64 = 4;
/// Adam's memory of gradients and of their squares, and what keeps it from dividing by zero.
/// A step of so many lessons or fewer is a fraction of a second: it need not be undone when it is cancelled.
const SHORT: usize = 20_000;
/// Lessons after which a part looks whether it was cancelled. Pieces add up to the same sums as the whole.
const PIECE: usize = 2048;
const MEMORY: f32 = 0.9;
const SQUARE_MEMORY: f32 = 0.999;
const EPSILON: f32 = 1e-6;

/// A part of a recipe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// How many games it has; whole steps are played.
    pub games: u64,
    /// Games that are played with the same weights, a multiple of 8.
    pub games_per_step: u64,
    /// Changes of the weights in a step: each learns from an equal share of its positions, but see `memory`.
    pub changes: u64,
    /// How far weights change at a time, at the start of the stage and at its end; geometric in between.
    pub rate: [f32; 2],
    /// The weight of later positions at the start of the stage and at its end; linear in between.
    pub lambda: [f32; 2],
    /// The share of positions with the mean over 21 rolls as their target.
    pub look_ahead: f32,
    /// Whether bear-offs are taught from exact tables, and most games end where one starts.
    pub tables: bool,
    /// How many candidates of a roll a quicker network leaves to this one; 0 for all.
    pub keep: u64,
    /// How far plays may stray from the best, in what is played for: each is valued with up to this much of noise.
    pub stray: f32,
    /// For how many steps the same network plays and teaches, the average of the weights when they begin; with 0 it is
    /// the weights as they are.
    pub steady: u64,
    /// How many positions are remembered, up to [`Stage::MOST_REMEMBERED`]. Until there are as many nothing is learnt; then
    /// each change learns from as many of them as a step has, drawn evenly. With 0 a step learns from its own.
    pub memory: u64,
    /// Whether another network says what positions should have been worth.
    pub taught: bool,
    /// What is played for.
    pub objective: Objective,
    /// The weights of the squared errors of the equity with gammons and without, beside the cross entropy; the first of them
    /// only when points are played for.
    pub equity: [f32; 2],
    /// Changes that the average of the weights remembers.
    pub average: f32,
}

/// Why a stage makes no sense.
#[derive(Clone, Debug, PartialEq)]
pub struct StageError {
    /// The name of the field.
    pub field: &'static str,
    /// What it should be.
    pub expected: &'static str,
}

impl std::fmt::Display for StageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is {}", self.field, self.expected)
    }
}

impl std::error::Error for StageError {}

impl Stage {
    /// Remembered positions take 48 bytes each, in memory and in a checkpoint.
    pub const MOST_REMEMBERED: u64 = 4_000_000;

    /// Checks every field.
    pub fn validate(&self) -> Result<(), StageError> {
        let wrong = |field, expected| Err(StageError { field, expected });
        if self.games == 0 || self.games > 1 << 48 {
            return wrong("games", "1 to 2**48");
        }
        if self.games_per_step == 0 || !self.games_per_step.is_multiple_of(SHARDS) || self.games_per_step > 1 << 16 {
            return wrong("games_per_step", "a multiple of 8 up to 65536");
        }
        let most = if self.memory > 0 { 1000 } else { self.games_per_step };
        if self.changes == 0 || self.changes > most {
            return wrong("changes", "1 to games_per_step, or to 1000 with memory");
        }
        if self.keep > 1000 {
            return wrong("keep", "0 to 1000");
        }
        if !self.rate.iter().all(|rate| (1e-8..=1.0).contains(rate)) {
            return wrong("rate", "two numbers from 1e-8 to 1");
        }
        if !self.lambda.iter().all(|lambda| (0.0..=1.0).contains(lambda)) {
            return wrong("lambda", "two numbers from 0 to 1");
        }
        if !(0.0..=1.0).contains(&self.look_ahead) {
            return wrong("look_ahead", "0 to 1");
        }
        if !(0.0..=1.0).contains(&self.stray) {
            return wrong("stray", "0 to 1");
        }
        // A game has about 50 positions: a memory that does not fill would mean that nothing is learnt.
        if self.memory > Stage::MOST_REMEMBERED || self.memory > 40 * self.games {
            return wrong("memory", "0 to 4000000, and at most 40 for each game");
        }
        if self.taught && (self.look_ahead > 0.0 || self.lambda != [0.0; 2]) {
            return wrong("taught", "for stages without lambda and look_ahead");
        }
        if !self.equity.iter().all(|weight| (0.0..=1000.0).contains(weight)) {
            return wrong("equity", "two numbers from 0 to 1000");
        }
        if self.equity[0] > 0.0 && self.objective != Objective::Points {
            return wrong("equity", "0 and a number for stages that do not play for points");
        }
        if !(1.0..=1e9).contains(&self.average) {
            return wrong("average", "1 to 1e9 changes");
        }
        Ok(())
    }

    /// How many steps it has.
    pub fn steps(&self) -> u64 {
        self.games.div_ceil(self.games_per_step)
    }

    /// How much of it is over at a step, 0 to 1.
    fn progress(&self, step: u64) -> f32 {
        step as f32 / self.steps().max(2).saturating_sub(1) as f32
    }
}

/// The weights are not finite any more. Rates that a recipe may have do not lead there from weights of a sane size; a
/// network from elsewhere to start from may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RanAway;

impl fmt::Display for RanAway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the weights ran away and are not finite any more: start from another network, or with a lower rate",
        )
    }
}

impl std::error::Error for RanAway {}

/// What a step has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// Games played.
    pub games: u64,
    /// Positions in them.
    pub plies: u64,
    /// Positions learnt from.
    pub positions: u64,
    /// Sum over positions of the cross entropy.
    pub loss: f64,
    /// Sum over positions of the squared error of the equity.
    pub squares: f64,
}

impl Seen {
    /// Adds another's.
    pub fn add(&mut self, other: &Seen) {
        self.games += other.games;
        self.plies += other.plies;
        self.positions += other.positions;
        self.loss += other.loss;
        self.squares += other.squares;
    }
}

/// A run of training, at some step of its recipe.
#[derive(Clone, Debug)]
pub struct Trainer {
    weights: Weights,
    average: Vec<f32>,
    momentum: Vec<f32>,
    squares: Vec<f32>,
    stages: Vec<Stage>,
    seed: u64,
    /// All bear-offs, if a stage asks for them.
    tables: Option<Arc<OneSided>>,
    /// The quicker network of stages that keep few candidates.
    quick: Option<Arc<Network>>,
    /// The network that teaches in the stages that are taught.
    teacher: Option<Arc<Network>>,
    /// Stages that are over, steps of the current one, and changes and games in all.
    stage: usize,
    stage_step: u64,
    steps: u64,
    games: u64,
    /// What the current stage remembers.
    memory: Memory,
    /// The network that plays and teaches, where it stays the same for some steps.
    steady: Option<Arc<Network>>,
}

impl Trainer {
    /// A run from random weights, a function of the seed.
    pub fn new(shape: Shape, stages: Vec<Stage>, seed: u64) -> Trainer {
        Trainer::from_weights(Weights::random(shape, seed), stages, seed)
    }

    /// A run from given weights.
    pub fn from_weights(weights: Weights, stages: Vec<Stage>, seed: u64) -> Trainer {
        let zeros = vec![0.0; weights.values().len()];
        let average = weights.values().to_vec();
        Trainer {
            weights,
            average,
            momentum: zeros.clone(),
            squares: zeros,
            tables: tables_for(&stages),
            quick: None,
            teacher: None,
            stages,
            seed,
            stage: 0,
            stage_step: 0,
            steps: 0,
            games: 0,
            memory: Memory::default(),
            steady: None,
        }
    }

    /// Sets the quicker network of the stages that keep few candidates; without one they keep all. It is the same for
    /// the whole run and not in its checkpoints.
    pub fn set_quick(&mut self, quick: Arc<Network>) {
        self.quick = Some(quick);
    }

    /// Sets the network that teaches in the stages that are taught; without one they are as others. It too is not in
    /// the checkpoints.
    pub fn set_teacher(&mut self, teacher: Arc<Network>) {
        self.teacher = Some(teacher);
    }

    /// The weights as they are.
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The weights averaged over the last steps: what is worth keeping.
    pub fn averaged(&self) -> Result<Weights, RanAway> {
        Weights::from_values(self.weights.shape(), self.average.clone()).ok_or(RanAway)
    }

    /// The stage that is next, if the recipe is not over.
    pub fn stage(&self) -> Option<usize> {
        (self.stage < self.stages.len()).then_some(self.stage)
    }

    /// Games played so far.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Changes of the weights made so far.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Games of the whole recipe.
    pub fn total_games(&self) -> u64 {
        self.stages.iter().map(|stage| stage.steps() * stage.games_per_step).sum()
    }

    /// How far weights change at a time in the next step; 0 after the last.
    pub fn rate(&self) -> f32 {
        self.stages.get(self.stage).map_or(0.0, |stage| {
            let [from, to] = stage.rate;
            // In doubles, so that the last bit of a library's power does not reach the weights.
            let (from, to) = (f64::from(from), f64::from(to));
            (from * (to / from).powf(stage.progress(self.stage_step).into())) as f32
        })
    }

    /// Makes one step; none if the recipe is over, or the step was cancelled, which leaves everything as it was before.
    ///
    /// A step that learns from a few thousand lessons only goes to its end once its games are played.
    pub fn step(&mut self, threads: usize, control: &Control) -> Result<Option<Seen>, RanAway> {
        let Some(&stage) = self.stages.get(self.stage) else { return Ok(None) };
        let network = self.network(&stage)?;
        let lambda = stage.lambda[0] + (stage.lambda[1] - stage.lambda[0]) * stage.progress(self.stage_step);
        let tables = if stage.tables { self.tables.as_deref() } else { None };
        let teacher = self.teacher.as_deref().filter(|_| stage.taught);
        let teaching = Teaching {
            objective: stage.objective,
            lambda,
            look_ahead: stage.look_ahead,
            tables,
            teacher,
            stray: stage.stray,
        };
        let quick = self.quick.as_deref().filter(|_| stage.keep > 0).map(|quick| (quick, stage.keep as usize));
        let start = Position::start(Variant::Standard);
        let games = stage.games_per_step / SHARDS;
        let lessons = parallel::map_chunks(SHARDS, threads, control, |shard| {
            let mut player = Player::new(&network, quick);
            let mut lessons = Vec::new();
            for game in (0..games).take_while(|_| !control.is_cancelled()) {
                let dice = GameDice { seed: self.seed, game: self.games + shard * games + game };
                game::play(&mut player, &teaching, &start, dice, &mut lessons);
            }
            lessons
        });
        if control.is_cancelled() {
            return Ok(None);
        }
        let lessons: Vec<_> = lessons.into_iter().flat_map(|(_, lessons)| lessons).collect();
        let each = if stage.memory == 0 { 1 } else { stage.changes as usize };
        let before = (lessons.len() * each > SHORT).then(|| self.clone());
        let control = if before.is_some() { control } else { &Control::default() };
        let mut seen = Seen { games: stage.games_per_step, plies: lessons.len() as u64, ..Seen::default() };
        let learning = Learning::new(&self.weights, network.kernel(), threads, self.rate(), &stage);
        if stage.memory == 0 {
            // Each change has its own games. Dealt out like cards, every change would see the same luck, and all of them
            // would follow it.
            for change in 0..stage.changes {
                seen.add(&self.learn(&learning, cut(&lessons, change, stage.changes), control));
            }
        } else {
            self.memory.add(&lessons, stage.memory as usize);
            let changes = if self.memory.lessons().len() as u64 == stage.memory { stage.changes } else { 0 };
            for _ in 0..changes {
                let draws = Stream::new(self.seed, Purpose::Training, self.steps, 0, 1);
                let drawn = self.memory.draw(lessons.len(), draws);
                seen.add(&self.learn(&learning, &drawn, control));
                if control.is_cancelled() {
                    break;
                }
            }
        }
        if let Some(before) = before
            && control.is_cancelled()
        {
            *self = before;
            return Ok(None);
        }
        self.games += stage.games_per_step;
        self.stage_step += 1;
        if self.stage_step == stage.steps() {
            self.stage += 1;
            self.stage_step = 0;
            self.memory = Memory::default();
            self.steady = None;
        }
        let finite = self.weights.values().iter().chain(&self.average).all(|value| value.is_finite());
        if finite { Ok(Some(seen)) } else { Err(RanAway) }
    }

    /// The network that plays and teaches in the next step.
    fn network(&mut self, stage: &Stage) -> Result<Arc<Network>, RanAway> {
        if stage.steady == 0 {
            return Ok(Arc::new(Network::new(self.weights.clone())));
        }
        if self.stage_step.is_multiple_of(stage.steady) {
            self.steady = Some(Arc::new(Network::new(self.averaged()?)));
        }
        Ok(self.steady.clone().expect("kept since its first step"))
    }

    /// Learns from some lessons by one change of the weights.
    fn learn(&mut self, learning: &Learning, lessons: &[Lesson], control: &Control) -> Seen {
        let gradient = |part: u64| learning.gradients[part as usize].lock().expect("no part has panicked");
        parallel::map_chunks(PARTS, learning.threads, control, |part| {
            let mut gradient = gradient(part);
            gradient.clear();
            for lessons in cut(lessons, part, PARTS).chunks(PIECE).take_while(|_| !control.is_cancelled()) {
                gradient.learn(&self.weights, learning.kernel, learning.equity, lessons);
            }
        });
        let mut sum = gradient(0);
        (1..PARTS).for_each(|part| sum.add(&gradient(part)));
        self.change(&sum, learning.rate, learning.average);
        Seen { positions: sum.lessons, loss: sum.loss, squares: sum.squares[0], ..Seen::default() }
    }

    /// One change of the weights, by the mean gradient.
    fn change(&mut self, gradient: &Gradient, rate: f32, average: f32) {
        self.steps += 1;
        let scale = 1.0 / gradient.lessons.max(1) as f32;
        let power = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let unbias = 1.0 / (1.0 - MEMORY.powi(power));
        let square_unbias = 1.0 / (1.0 - SQUARE_MEMORY.powi(power));
        let follow = 1.0 / average.min(self.steps as f32);
        let state = self.weights.values_mut().iter_mut().zip(&mut self.average);
        let memory = self.momentum.iter_mut().zip(&mut self.squares);
        for (((weight, mean), (momentum, square)), &value) in state.zip(memory).zip(&gradient.values) {
            let value = value * scale;
            *momentum += (1.0 - MEMORY) * (value - *momentum);
            *square += (1.0 - SQUARE_MEMORY) * (value * value - *square);
            *weight -= rate * (*momentum * unbias) / ((*square * square_unbias).sqrt() + EPSILON);
            *mean += follow * (*weight - *mean);
        }
    }
}

/// How the changes of a step are made.
struct Learning {
    /// One for each part of a change.
    gradients: Vec<Mutex<Gradient>>,
    kernel: Kernel,
    threads: usize,
    rate: f32,
    average: f32,
    equity: [f32; 2],
}

impl Learning {
    fn new(weights: &Weights, kernel: Kernel, threads: usize, rate: f32, stage: &Stage) -> Learning {
        let gradients = (0..PARTS).map(|_| Mutex::new(Gradient::zero(weights))).collect();
        Learning { gradients, kernel, threads, rate, average: stage.average, equity: stage.equity }
    }
}

/// One of so many parts of a list, as equal as can be.
fn cut<T>(list: &[T], part: u64, parts: u64) -> &[T] {
    let place = |part| (list.len() as u64 * part / parts) as usize;
    &list[place(part)..place(part + 1)]
}

/// The table of all bear-offs, if a stage asks for it.
fn tables_for(stages: &[Stage]) -> Option<Arc<OneSided>> {
    let build = || {
        let index = Index::new(6, usize::from(CHECKERS)).expect("the home board");
        Arc::new(OneSided::build(index, 1, &Control::default()).expect("a small table, not cancelled"))
    };
    stages.iter().any(|stage| stage.tables).then(build)
}

#[cfg(test)]
mod tests;
