//! Games that a network plays against itself, and what they teach.

use crate::dice::Roll;
use crate::movegen::{self, View};
use crate::nn::{Network, Outputs, Scratch, equity, flip};
use crate::outcome::Probabilities;
use crate::position::{CELLS, Position};
use crate::rng::GameDice;

/// What a player plays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// To win: gammons count as much as single games (double match point).
    Win,
    /// Points with gammons, without a cube.
    Points,
}

impl Objective {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Objective::Win => "win",
            Objective::Points => "points",
        }
    }

    /// The objective of a name.
    pub fn from_name(name: &str) -> Option<Objective> {
        [Objective::Win, Objective::Points].into_iter().find(|objective| objective.name() == name)
    }

    /// How good outputs are for the player on roll.
    #[inline(always)]
    pub fn value(self, outputs: Outputs) -> f32 {
        match self {
            Objective::Win => outputs[0],
            Objective::Points => equity(outputs),
        }
    }
}

/// Finds the best play of a roll by what a network says of the positions it leads to.
pub struct Chooser<'a> {
    network: &'a Network,
    scratch: Scratch,
    candidates: Vec<[i8; CELLS]>,
    outputs: Vec<Outputs>,
}

impl<'a> Chooser<'a> {
    /// A chooser for a network.
    pub fn new(network: &'a Network) -> Chooser<'a> {
        Chooser { network, scratch: Scratch::new(network), candidates: Vec::new(), outputs: Vec::new() }
    }

    /// What the network says of a position.
    pub fn evaluate(&mut self, position: &Position) -> Outputs {
        self.outputs.clear();
        self.network.evaluate(&mut self.scratch, &[*position.cells()], &mut self.outputs);
        self.outputs[0]
    }

    /// The position after the best play, in the view of the player who rolls next, and what the network says of it; the
    /// first in canonical order among equals. A dance leaves the checkers as they are.
    pub fn best(&mut self, position: &Position, roll: Roll, objective: Objective) -> (Position, Outputs) {
        self.candidates.clear();
        self.outputs.clear();
        movegen::results(position, roll, View::Next, &mut self.candidates);
        let near = position.flip();
        if self.candidates.is_empty() {
            self.candidates.push(*near.cells());
        }
        self.network.evaluate_near(&mut self.scratch, near.cells(), &self.candidates, &mut self.outputs);
        let mut best = 0;
        let mut least = f32::INFINITY;
        for (place, &outputs) in self.outputs.iter().enumerate() {
            let value = objective.value(outputs);
            if value < least {
                (best, least) = (place, value);
            }
        }
        (Position::from_cells_unchecked(self.candidates[best]), self.outputs[best])
    }

    /// The mean over the 21 rolls, by weight, of what the best play of each leads to: for the player on roll.
    pub fn look_ahead(&mut self, position: &Position, objective: Objective) -> Outputs {
        let mut sum = [0.0f32; 5];
        for roll in Roll::ALL {
            let (_, outputs) = self.best(position, roll, objective);
            for (sum, value) in sum.iter_mut().zip(flip(outputs)) {
                *sum += f32::from(roll.weight()) * value;
            }
        }
        sum.map(|sum| sum / 36.0)
    }
}

/// A position before its roll and what its outputs should have been.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lesson {
    /// The player on roll's view.
    pub cells: [i8; CELLS],
    /// Five nested probabilities.
    pub target: Outputs,
}

/// How games are turned into lessons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Teaching {
    /// What both players play for.
    pub objective: Objective,
    /// The weight of later positions against the next one, 0 to 1.
    pub lambda: f32,
    /// The share of positions whose target is the mean over the 21 rolls in place of the roll that came.
    pub look_ahead: f32,
}

/// Plays one game and appends its lessons; returns how many turns it took.
pub fn play(
    chooser: &mut Chooser<'_>,
    teaching: &Teaching,
    start: &Position,
    dice: GameDice,
    lessons: &mut Vec<Lesson>,
) -> u64 {
    let first = lessons.len();
    let (_, mut roll) = dice.opening();
    let mut position = *start;
    let mut turn = 0;
    let end = loop {
        let (next, outputs) = chooser.best(&position, roll, teaching.objective);
        turn += 1;
        // The opening roll is no double, so the position before it is worth something else than what is taught here.
        if turn > 1 {
            lessons.push(Lesson { cells: *position.cells(), target: flip(outputs) });
        }
        if let Some(outcome) = next.outcome() {
            break Probabilities::certain(outcome).values().map(|value| value as f32);
        }
        position = next;
        roll = dice.roll(turn);
    };
    let mut later = flip(end);
    for lesson in lessons[first..].iter_mut().rev() {
        for (target, later) in lesson.target.iter_mut().zip(later) {
            *target += teaching.lambda * (later - *target);
        }
        later = flip(lesson.target);
    }
    if teaching.look_ahead > 0.0 {
        let limit = (f64::from(teaching.look_ahead) * 2f64.powi(32)) as u64;
        for (place, lesson) in lessons[first..].iter_mut().enumerate() {
            // Scrambled by a golden section, places are spread evenly over each game.
            let mark = (place as u64 + dice.game).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            if mark < limit {
                let position = Position::from_cells_unchecked(lesson.cells);
                lesson.target = chooser.look_ahead(&position, teaching.objective);
            }
        }
    }
    turn
}
