//! Search: what positions are worth and which plays and turns of the cube are best, some plies ahead.
//!
//! # What is worked out
//!
//! The value of a position at 0-ply is what the judge says of it. At n plies it is the mean over the 21 rolls, by weight,
//! of the value at n - 1 plies of the position that the best reply leads to, which is then the other player's to roll.
//! The best reply is the one that is best at 0-ply: deeper looks are kept for the candidates at the root. Replies are
//! compared by the mean worth of the six ends at the cube of the root, as if nobody turned it again, gammons counted.
//!
//! With a live cube the same tree is worked out for every cube that could lie there. Who may double does so if it is
//! best: the worth is the larger of rolling and of what the opponent's better answer, take or drop, leaves. At the leaves
//! [`cube::best`] says what a cube is worth. Beavers are thought of at the root and at the leaves only.
//!
//! Tables end the search: what they hold is worth what they say, at any depth.
//!
//! # What changes nothing
//!
//! The number of threads, and the cache. A limit of nodes or time gives the deepest search that was finished within it.

mod cache;
mod filter;
mod game;
mod walk;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::cube::{self, Worths};
use crate::dice::Roll;
use crate::judge;
use crate::ladder::Owner;
use crate::movegen::{self, View};
use crate::outcome::Probabilities;
use crate::parallel::{self, Control};
use crate::position::{CELLS, Position};

pub use crate::judge::{Evaluate, Evaluator, Judge};
pub use filter::{Filter, Filters, Passes};
pub use game::{CubeGame, Game, LATER};

pub(crate) use game::money_unit;

use game::Plan;
use walk::{Answer, Budget, Stopped, Sum, Tree, Worker};

/// The deepest search.
pub const MAX_PLIES: usize = 3;

/// How many answers each thread remembers if nothing else is said: about 5 MB.
pub const CACHE_ENTRIES: usize = 1 << 15;

/// When to stop before the depth that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The most positions to evaluate; the result is the same for any number of threads.
    pub nodes: Option<u64>,
    /// The most time; what is reached in it is a matter of luck.
    pub time: Option<Duration>,
}

/// How many replies to each roll are evaluated if nothing else is asked for.
pub const REPLIES: usize = 16;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How far to look ahead, 0 to [`MAX_PLIES`].
    pub plies: usize,
    /// Which candidates are judged deeper.
    pub filters: Filters,
    /// How many replies to each roll are evaluated, at least one: those that look best when the network is taken for a
    /// straight line around the position. None: all of them.
    pub replies: Option<usize>,
    /// When to stop before.
    pub limits: Limits,
    /// How many threads.
    pub threads: usize,
}

/// The memory of an engine's threads, kept from search to search. It belongs to one judge.
pub struct Memory {
    workers: Mutex<Vec<Worker>>,
    cache_entries: usize,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new(CACHE_ENTRIES)
    }
}

impl Memory {
    /// Each thread remembers so many answers; none is slower and gives the same.
    pub fn new(cache_entries: usize) -> Memory {
        Memory { workers: Mutex::new(Vec::new()), cache_entries }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Worker) -> T) -> T {
        let lock = || self.workers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let taken = lock().pop();
        let mut worker = taken.unwrap_or_else(|| Worker::new(self.cache_entries));
        let answer = work(&mut worker);
        lock().push(worker);
        answer
    }
}

/// An answer, and how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    /// The answer of the deepest search that was finished.
    pub answer: T,
    /// How deep that was.
    pub plies: usize,
    /// Whether that is as deep as was asked for.
    pub complete: bool,
    /// How many positions were evaluated for the depths that were finished.
    pub nodes: u64,
}

/// What a position is worth to its player on roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluation {
    /// How likely each end of the game is.
    pub probabilities: Probabilities,
    /// In the unit of the game, if the cube is not turned now: points, or the chance to win the game or the match.
    pub rolling: f64,
    /// The same if it is turned now where that is best.
    pub best: f64,
}

/// A play and what it is worth to the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Its place among the legal plays in canonical order.
    pub place: usize,
    /// The position that it leads to, seen by the player who rolls next.
    pub next: Position,
    /// How likely each end of the game is after it.
    pub probabilities: Probabilities,
    /// In the unit of the game.
    pub worth: f64,
    /// As equity: a single game won with the cube as it lies is 1.
    pub equity: f64,
    /// How far was looked ahead for it.
    pub plies: usize,
}

/// A search, set up.
pub struct Search<'a> {
    /// What is known at 0-ply.
    pub judge: Judge<'a>,
    /// How to search.
    pub settings: Settings,
    /// What is kept from search to search.
    pub memory: &'a Memory,
    /// Stops it: the answer is then that of the deepest search that was finished.
    pub control: &'a Control,
}

impl Search<'_> {
    /// Searches deeper and deeper within the limits; without limits, at once as deep as asked for.
    fn deepen<T>(&self, mut search: impl FnMut(usize, &Budget) -> Result<T, Stopped>) -> Found<T> {
        let Settings { plies, limits, .. } = self.settings;
        assert!(self.settings.replies != Some(0), "a search looks at one reply at least");
        assert!(plies <= MAX_PLIES, "no search looks {plies} plies ahead");
        let deadline = limits.time.map(|time| Instant::now() + time);
        let control = Control::default();
        let free = Budget { nodes: 0.into(), limit: None, deadline: None, control: &control };
        let budget = Budget { nodes: 0.into(), limit: limits.nodes, deadline, control: self.control };
        let unlimited = limits == Limits::default();
        if unlimited && let Ok(answer) = search(plies, &budget) {
            return Found { answer, plies, complete: true, nodes: budget.nodes.into_inner() };
        }
        let answer = search(0, &free).expect("nothing stops a search without limits");
        let mut found = Found { answer, plies: 0, complete: plies == 0, nodes: free.nodes.into_inner() };
        budget.nodes.store(found.nodes, std::sync::atomic::Ordering::Relaxed);
        for plies in 1..=if unlimited { 0 } else { plies } {
            let Ok(answer) = search(plies, &budget) else { break };
            let nodes = budget.nodes.load(std::sync::atomic::Ordering::Relaxed);
            found = Found { answer, plies, complete: plies == self.settings.plies, nodes };
        }
        found
    }

    fn plan(&self, game: &Game) -> Plan {
        Plan::new(game, self.settings.replies)
    }

    /// Threads pay from two plies on.
    fn threads(&self, plies: usize) -> usize {
        if plies < 2 { 1 } else { self.settings.threads }
    }

    /// The answer for a position at the root of a plan, the rolls shared out among the threads.
    fn root(&self, tree: Tree, position: &Position, plies: usize) -> Result<Answer, Stopped> {
        let threads = self.threads(plies);
        if threads == 1 || self.judge.known(position).is_some() {
            return self.memory.with(|worker| worker.walk(tree, position, plies, 0));
        }
        let (replies, evaluated) = self.memory.with(|worker| worker.replies(tree, position, 0))?;
        let children = parallel::map_chunks(replies.len() as u64, threads, &Control::default(), |roll| {
            self.memory.with(|worker| worker.walk(tree, &replies[roll as usize].next, plies - 1, 1))
        });
        let mut sum = Sum::new(evaluated);
        for (roll, (_, child)) in Roll::ALL.into_iter().zip(children) {
            sum.add(roll, &child?);
        }
        Ok(tree.combine(position, &sum, 0))
    }

    fn evaluate_at(
        &self,
        plan: &Arc<Plan>,
        position: &Position,
        plies: usize,
        budget: &Budget,
    ) -> Result<Evaluation, Stopped> {
        let tree = Tree { judge: self.judge, plan, budget };
        let answer = self.root(tree, position, plies)?;
        Ok(Evaluation {
            probabilities: Probabilities::new_unchecked(answer.chances),
            rolling: tree.worth(&answer, true),
            best: tree.worth(&answer, false),
        })
    }

    /// What a position is worth to the player on roll.
    pub fn evaluate(&self, position: &Position, game: &Game) -> Found<Evaluation> {
        let plan = Arc::new(self.plan(game));
        self.deepen(|plies, budget| self.evaluate_at(&plan, position, plies, budget))
    }

    /// The plays of a roll: those that were judged deepest first, each of them best first, and in canonical order among
    /// equals. None for a dance or a finished game.
    ///
    /// `only_best` says that nobody looks at the others: a single candidate that is left is not judged deeper.
    pub fn rank(&self, position: &Position, roll: Roll, game: &Game, only_best: bool) -> Found<Vec<Candidate>> {
        let mut cells = Vec::new();
        movegen::results(position, roll, View::Next, &mut cells);
        // What a play leads to is the opponent's to roll.
        let plan = Arc::new(self.plan(&game.next()));
        self.deepen(|plies, budget| {
            let tree = Tree { judge: self.judge, plan: &plan, budget };
            self.rank_at(tree, position, &cells, game, plies, only_best)
        })
    }

    fn rank_at(
        &self,
        tree: Tree,
        position: &Position,
        cells: &[[i8; CELLS]],
        game: &Game,
        plies: usize,
        only_best: bool,
    ) -> Result<Vec<Candidate>, Stopped> {
        let mut candidates = self.first_pass(tree, position, cells, game);
        sort(&mut candidates);
        let mut left = candidates.len();
        for pass in 0..plies {
            let filters = &self.settings.filters.0[plies - 1];
            if let Some(filter) = filters[pass] {
                let equities: Vec<f64> = candidates[..left].iter().map(|candidate| candidate.equity).collect();
                left = filter.keeps(&equities);
            }
            if only_best && left <= 1 {
                break;
            }
            // A pass that nothing is chosen by would be work for nothing.
            if pass + 1 == plies || filters[pass + 1].is_some() {
                self.judge_again(tree, &mut candidates[..left], game, pass + 1)?;
                sort(&mut candidates[..left]);
            }
        }
        Ok(candidates)
    }

    fn first_pass(&self, tree: Tree, position: &Position, cells: &[[i8; CELLS]], game: &Game) -> Vec<Candidate> {
        let outputs = self.memory.with(|worker| {
            let mut outputs = Vec::with_capacity(cells.len());
            self.judge.evaluate_near(&mut worker.room, position.flip().cells(), cells, &mut outputs);
            outputs
        });
        let judged = cells.iter().zip(outputs).enumerate().map(|(place, (cells, outputs))| {
            let next = Position::from_cells_unchecked(*cells);
            let chances = self.judge.known(&next).unwrap_or_else(|| judge::widen(outputs));
            candidate(tree, game, place, next, &tree.leaf(&next, chances, 0), 0)
        });
        judged.collect()
    }

    fn judge_again(&self, tree: Tree, candidates: &mut [Candidate], game: &Game, plies: usize) -> Result<(), Stopped> {
        let threads = self.threads(plies);
        let answers = parallel::map_chunks(candidates.len() as u64, threads, &Control::default(), |place| {
            self.memory.with(|worker| worker.walk(tree, &candidates[place as usize].next, plies, 0))
        });
        for (known, (_, answer)) in candidates.iter_mut().zip(answers) {
            *known = candidate(tree, game, known.place, known.next, &answer?, plies);
        }
        Ok(())
    }

    /// What each action of the cube is worth to the player on roll, and what the chances are if the cube stays.
    ///
    /// The rolls after a double are walked again with the doubled cube: replies may differ. Where the rules forbid a double
    /// it has its worths too, for one that was made nevertheless, and the action is not available.
    pub fn decide(&self, position: &Position, game: &CubeGame) -> Found<(cube::Decision, Probabilities)> {
        let CubeGame { ref ladder, level, owner, turn } = *game;
        let plan = |turns: usize, owner| {
            Arc::new(self.plan(&Game::Cubeful(Box::new(CubeGame { level: level + turns, owner, ..*game }))))
        };
        let there = |turns: usize| owner != Owner::Opponent && ladder.has_level(level + turns) && !position.is_over();
        let plans = [
            Some(plan(0, owner)),
            there(1).then(|| plan(1, Owner::Opponent)),
            (there(2) && ladder.beavers() > 0).then(|| plan(2, Owner::Opponent)),
        ];
        self.deepen(|plies, budget| {
            let mut worths = [f64::NAN; 3];
            let mut chances = Probabilities::new_unchecked([0.0; 5]);
            for (place, plan) in plans.iter().enumerate() {
                if let Some(plan) = plan {
                    let evaluation = self.evaluate_at(plan, position, plies, budget)?;
                    worths[place] = evaluation.rolling;
                    if place == 0 {
                        chances = evaluation.probabilities;
                    }
                }
            }
            let [rolling, taken, beaver] = worths;
            let worths = Worths { rolling, taken, beaver };
            let mut decision = cube::Decision::of(chances, ladder, level, owner, worths);
            if !ladder.may_double_on(level, owner, turn) {
                (decision.action, decision.best) = (cube::Action::Unavailable, decision.no_double);
            }
            Ok((decision, chances))
        })
    }
}

fn candidate(tree: Tree, game: &Game, place: usize, next: Position, answer: &Answer, plies: usize) -> Candidate {
    let worth = game.other(tree.worth(answer, false));
    let probabilities = Probabilities::new_unchecked(answer.chances).flip();
    Candidate { place, next, probabilities, worth, equity: game.to_equity(worth), plies }
}

/// Best first; those of equal worth in canonical order.
fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.worth.total_cmp(&a.worth).then(a.place.cmp(&b.place)));
}
