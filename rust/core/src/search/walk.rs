//! Looking ahead: all rolls, the best reply to each, and what follows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::cube;
use crate::dice::Roll;
use crate::judge::{Judge, Room, widen};
use crate::ladder::Ladder;
use crate::nn::{Outputs, Widths};
use crate::outcome::Probabilities;
use crate::parallel::Control;
use crate::position::{CELLS, Position};
use crate::search::cache::{Cache, Key};
use crate::search::game::{CubePlan, CubeState, Game, MOST_STATES, Plan};

/// More plans than this are forgotten, with the answers that belong to them.
const MOST_PLANS: usize = 64;

/// The work was cut short: by a limit, or because somebody asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

/// How much may still be done.
pub(super) struct Budget<'a> {
    pub nodes: AtomicU64,
    pub limit: Option<u64>,
    pub deadline: Option<Instant>,
    pub control: &'a Control,
}

impl Budget<'_> {
    fn charge(&self, nodes: u64) -> Result<(), Stopped> {
        let spent = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        let over = self.limit.is_some_and(|limit| spent > limit)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.control.is_cancelled();
        if over { Err(Stopped) } else { Ok(()) }
    }
}

/// What a position comes to, for its player on roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Answer {
    pub chances: [f64; 5],
    /// The worth with the first cube of the layer, if it is not turned now.
    pub rolling: f64,
    /// The worth with each cube of the layer, turned now if that is best.
    pub values: [f64; MOST_STATES],
    /// How many positions were evaluated for it.
    pub nodes: u64,
}

/// What stays the same while one tree is walked.
#[derive(Clone, Copy)]
pub(super) struct Tree<'a> {
    pub judge: Judge<'a>,
    pub plan: &'a Arc<Plan>,
    pub budget: &'a Budget<'a>,
}

/// The best reply to a roll, in the view of the player who rolls next, and what is known of it at 0-ply.
#[derive(Clone, Copy)]
pub(super) struct Reply {
    pub next: Position,
    pub outputs: Outputs,
}

/// One thread's room, and its memory.
pub(super) struct Worker {
    pub room: Room,
    cells: Vec<[i8; CELLS]>,
    outputs: Vec<Outputs>,
    plans: Vec<Arc<Plan>>,
    cache: Cache,
}

impl Worker {
    pub fn new(cache_entries: usize) -> Worker {
        Worker {
            room: Room::default(),
            cells: Vec::new(),
            outputs: Vec::new(),
            plans: Vec::new(),
            cache: Cache::new(cache_entries),
        }
    }

    /// The number that the cache knows a plan by: equal games have the same.
    fn number(&mut self, plan: &Arc<Plan>) -> u32 {
        let same = |known: &Arc<Plan>| Arc::ptr_eq(known, plan) || known.is_like(plan);
        if let Some(number) = self.plans.iter().position(same) {
            return number as u32;
        }
        if self.plans.len() == MOST_PLANS {
            self.plans.clear();
            self.cache.clear();
        }
        self.plans.push(Arc::clone(plan));
        (self.plans.len() - 1) as u32
    }

    /// Looks `plies` ahead from a position that stands at a depth of the plan.
    pub fn walk(&mut self, tree: Tree, position: &Position, plies: usize, layer: usize) -> Result<Answer, Stopped> {
        let number = self.number(tree.plan);
        self.descend(tree, number, position, plies, layer, None)
    }

    fn descend(
        &mut self,
        tree: Tree,
        number: u32,
        position: &Position,
        plies: usize,
        layer: usize,
        outputs: Option<Outputs>,
    ) -> Result<Answer, Stopped> {
        if plies == 0 {
            let chances = match outputs {
                // What tables know has more digits than the outputs that replies are compared by.
                Some(outputs) => tree.judge.known(position).unwrap_or_else(|| widen(outputs)),
                None => tree.judge.evaluate(&mut self.room, position),
            };
            return Ok(tree.leaf(position, chances, layer));
        }
        if let Some(answer) = tree.certain(position, layer) {
            return Ok(answer);
        }
        let key = Key { position: *position, plan: number, layer: layer as u8, plies: plies as u8 };
        if let Some(&answer) = self.cache.get(&key) {
            tree.budget.charge(answer.nodes)?;
            return Ok(answer);
        }
        let (replies, evaluated) = self.replies(tree, position, layer)?;
        let mut sum = Sum::new(evaluated);
        for (roll, reply) in Roll::ALL.into_iter().zip(&replies) {
            let child = self.descend(tree, number, &reply.next, plies - 1, layer + 1, Some(reply.outputs))?;
            sum.add(roll, &child);
        }
        let answer = tree.combine(position, &sum, layer);
        self.cache.set(key, answer);
        Ok(answer)
    }

    /// The best reply to each roll at 0-ply, and how many positions were evaluated to find them.
    pub fn replies(&mut self, tree: Tree, position: &Position, layer: usize) -> Result<([Reply; 21], u64), Stopped> {
        self.cells.clear();
        self.outputs.clear();
        let preference = tree.plan.preferences[(layer + 1) % 2];
        let most = tree.plan.replies.unwrap_or(usize::MAX);
        let ends =
            tree.judge.replies(&mut self.room, position, preference.gains(), (most, Widths::Sure), &mut self.cells);
        tree.budget.charge(self.cells.len() as u64)?;
        tree.judge.evaluate_near(&mut self.room, position.flip().cells(), &self.cells, &mut self.outputs);
        let mut start = 0;
        let replies = ends.map(|end| {
            let mut best = start;
            let mut least = f32::INFINITY;
            for place in start..end {
                let value = preference.value(self.outputs[place]);
                if value < least {
                    (best, least) = (place, value);
                }
            }
            start = end;
            Reply { next: Position::from_cells_unchecked(self.cells[best]), outputs: self.outputs[best] }
        });
        Ok((replies, self.cells.len() as u64))
    }
}

/// Children put together, each by its weight in 36, in the order of the rolls.
pub(super) struct Sum {
    chances: [f64; 5],
    values: [f64; MOST_STATES],
    nodes: u64,
}

impl Sum {
    pub fn new(nodes: u64) -> Sum {
        Sum { chances: [0.0; 5], values: [0.0; MOST_STATES], nodes }
    }

    pub fn add(&mut self, roll: Roll, child: &Answer) {
        let weight = f64::from(roll.weight());
        let chances = Probabilities::new_unchecked(child.chances).flip().values();
        for (sum, chance) in self.chances.iter_mut().zip(chances) {
            *sum += weight * chance;
        }
        for (sum, value) in self.values.iter_mut().zip(child.values) {
            *sum += weight * value;
        }
        self.nodes += child.nodes;
    }
}

impl Tree<'_> {
    fn cube(&self, layer: usize) -> Option<(&CubePlan, &Ladder, &[CubeState])> {
        let cube = self.plan.cube.as_ref()?;
        Some((cube, &cube.ladders[layer % 2], &cube.layers[layer]))
    }

    /// What a position comes to without looking further.
    pub fn leaf(&self, position: &Position, chances: [f64; 5], layer: usize) -> Answer {
        let mut answer = Answer { chances, rolling: 0.0, values: [0.0; MOST_STATES], nodes: 0 };
        let Some((cube, ladder, states)) = self.cube(layer) else { return answer };
        let probabilities = Probabilities::new_unchecked(chances);
        let over = position.is_over();
        let efficiency = if over { 0.0 } else { cube::efficiency(position) };
        for (place, state) in states.iter().enumerate() {
            let worth = |no_double: bool| {
                if let Some(exact) = self.exact(position, cube, state, no_double) {
                    exact
                } else if no_double || over || state.waits {
                    cube::value(probabilities, ladder, state.level, state.owner, efficiency)
                } else {
                    cube::best(probabilities, ladder, state.level, state.owner, efficiency)
                }
            };
            answer.values[place] = worth(false);
            if place == 0 && layer == 0 {
                answer.rolling = worth(true);
            }
        }
        answer
    }

    /// What a position comes to, if looking ahead could not tell more.
    fn certain(&self, position: &Position, layer: usize) -> Option<Answer> {
        let chances = self.judge.known(position)?;
        let certain = position.is_over()
            || self.cube(layer).is_none_or(|(cube, _, states)| {
                states.iter().all(|state| self.exact(position, cube, state, false).is_some())
            });
        certain.then(|| self.leaf(position, chances, layer))
    }

    /// The exact worth of a position of the two-sided table with a cube there.
    fn exact(&self, position: &Position, cube: &CubePlan, state: &CubeState, no_double: bool) -> Option<f64> {
        // Money is seen alike from both sides.
        let equity = self.judge.equity(position, &cube.ladders[0], state.level, state.owner, no_double)?;
        Some(equity * cube.unit? * (state.level as f64).exp2())
    }

    /// What a position comes to by what its rolls come to.
    pub fn combine(&self, position: &Position, sum: &Sum, layer: usize) -> Answer {
        let chances = self.judge.known(position).unwrap_or(sum.chances.map(|chance| chance / 36.0));
        let mut answer = Answer { chances, rolling: 0.0, values: [0.0; MOST_STATES], nodes: sum.nodes };
        let Some((_, ladder, states)) = self.cube(layer) else { return answer };
        let worth = |next: usize| ladder.total() - sum.values[next] / 36.0;
        for (value, state) in answer.values.iter_mut().zip(states) {
            let rolling = worth(state.next);
            *value = match state.double {
                Some((taken, drop)) => rolling.max(worth(taken).min(drop)),
                None => rolling,
            };
        }
        answer.rolling = worth(states[0].next);
        answer
    }

    /// The worth of an answer to the player on roll: turned now if that is best, or not.
    pub fn worth(&self, answer: &Answer, no_double: bool) -> f64 {
        let probabilities = Probabilities::new_unchecked(answer.chances);
        match &self.plan.game {
            Game::Cubeless(crate::eval::Objective::Win) => probabilities.win(),
            Game::Cubeless(crate::eval::Objective::Points) => probabilities.equity(),
            Game::Cubeful(_) if no_double => answer.rolling,
            Game::Cubeful(_) => answer.values[0],
        }
    }
}
