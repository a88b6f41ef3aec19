//! Many games at once, decision by decision: whoever plays them answers for all of them together.
//!
//! An [`Arena`] holds lanes. [`Arena::advance`] takes every lane on until somebody outside has to decide something, and
//! gathers what is asked in columns; the answers come back as columns too. What is played depends on the number of a
//! game and on the answers alone, so neither the number of lanes nor that of threads changes anything.
//!
//! What games are worth and who may double are data: a [`ScoreGraph`] and the [`Stake`]s that an opening can lead to.

mod acts;
mod lane;
mod players;
mod questions;
mod results;
mod tables;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::ladder::ScoreGraph;
use crate::parallel::{self, Control};
use crate::position::Position;

use lane::Lane;
use players::Minds;

pub use acts::{Act, ActColumns, ActRecord};
pub use players::{Chooser, CubeAnswer, Player};
pub use questions::{Asked, Kind, Questions};
pub use results::{GameRow, Keep, Results, Sums};
pub use tables::{Tables, TablesSeen};

/// Games of match k are numbered from k times this: more than any match has games.
pub const GAMES_PER_MATCH: u64 = 1 << 16;

/// How the starting stake of a game goes on from here (rule 7.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stake {
    /// What multiplies the cube.
    pub stake: u32,
    /// The cube's highest level at this stake.
    pub top: usize,
    /// The stake after a tie of each number in the opening throw.
    pub after_tie: [usize; 6],
}

/// What is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The position that player 0 sees at the start of each game.
    pub start: Position,
    /// The seed of all dice.
    pub seed: u64,
    /// What games are worth.
    pub graph: ScoreGraph,
    /// What both players still need at each node of the graph, and its Crawford phase, as the players are shown them.
    pub scores: Vec<([i16; 2], i8)>,
    /// Stakes; a game starts at the first.
    pub stakes: Vec<Stake>,
    /// Whole matches along the graph, or single games at its start.
    pub matches: bool,
    /// Units 2k and 2k + 1 have the same dice, and the players have swapped seats in the second.
    pub paired: bool,
}

/// What all lanes of a run share.
struct Shared<'a> {
    plan: &'a Plan,
    players: &'a [Player; 2],
    keep: Keep,
    control: &'a Control,
    next: &'a AtomicU64,
    end: u64,
}

impl Shared<'_> {
    /// The first and last unit of the next sample; none if they are all played or the work was cancelled.
    fn next_sample(&self) -> Option<(u64, u64)> {
        if self.control.is_cancelled() {
            return None;
        }
        let step = 1 + u64::from(self.plan.paired);
        let first = self.next.fetch_add(step, Ordering::Relaxed);
        (first < self.end).then(|| (first, first + step - 1))
    }
}

/// Lanes that one thread takes on.
#[derive(Debug)]
struct Shard {
    lanes: Vec<Lane>,
    first: u32,
    results: Results,
}

/// Why an answer does not fit what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerError {
    /// Not one answer for each row.
    Rows {
        /// How many there are.
        given: usize,
        /// How many were asked.
        asked: usize,
    },
    /// An index that the row's candidates do not have.
    Index {
        /// The row.
        row: usize,
        /// The index.
        index: i64,
        /// How many candidates the row has.
        candidates: usize,
    },
}

impl std::fmt::Display for AnswerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AnswerError::Rows { given, asked } => write!(f, "{asked} rows were asked, and {given} answered"),
            AnswerError::Index { row, index, candidates } => {
                write!(f, "row {row}: index {index}, but the row has {candidates} candidates")
            }
        }
    }
}

impl std::error::Error for AnswerError {}

/// Lanes of games that are played decision by decision.
#[derive(Debug)]
pub struct Arena {
    plan: Plan,
    players: [Player; 2],
    keep: Keep,
    shards: Vec<Shard>,
    next: AtomicU64,
    end: u64,
    control: Control,
    /// The lanes of the rows that were asked, by slot and kind, and how many candidates each has.
    waiting: [[Vec<(u32, u32)>; 3]; 2],
}

impl Arena {
    /// An arena for the units `first` to `end` - 1 with at most so many lanes. Paired units start at an even number and
    /// are even in number.
    pub fn new(
        plan: Plan,
        players: [Player; 2],
        keep: Keep,
        units: std::ops::Range<u64>,
        lanes: usize,
        threads: usize,
    ) -> Arena {
        debug_assert!(!plan.paired || (units.start.is_multiple_of(2) && units.end.is_multiple_of(2)));
        let wanted = units.end.saturating_sub(units.start).min(lanes.max(1) as u64) as usize;
        let each = wanted.div_ceil(threads.max(1)).max(1);
        let shards = (0..wanted.div_ceil(each))
            .map(|shard| {
                let first = shard * each;
                let lanes = vec![Lane::new(&plan); each.min(wanted - first)];
                Shard { lanes, first: first as u32, results: Results::default() }
            })
            .collect();
        let (next, end) = (AtomicU64::new(units.start), units.end);
        let (control, waiting) = (Control::default(), Default::default());
        Arena { plan, players, keep, shards, next, end, control, waiting }
    }

    /// Finished games or matches.
    pub fn done(&self) -> u64 {
        self.control.done()
    }

    /// Takes all lanes on that wait for nothing and returns what is asked; nothing is asked when all games are over.
    ///
    /// Everything asked before has to be answered first.
    pub fn advance(&mut self) -> Asked {
        debug_assert!(self.waiting.iter().flatten().all(Vec::is_empty), "a question is still open");
        let shared = Shared {
            plan: &self.plan,
            players: &self.players,
            keep: self.keep,
            control: &self.control,
            next: &self.next,
            end: self.end,
        };
        let work = |shard: &mut Shard| {
            let mut asked = Asked::default();
            let mut minds = Minds::new(shared.players);
            for (place, lane) in shard.lanes.iter_mut().enumerate() {
                lane.advance(&shared, &mut minds, &mut shard.results, &mut asked, shard.first + place as u32);
            }
            asked
        };
        let mut all = Asked::default();
        let mut gather = |more: Asked| {
            for (mine, more) in all.iter_mut().flatten().zip(more.into_iter().flatten()) {
                mine.append(more);
            }
        };
        match self.shards.split_first_mut() {
            None => {}
            Some((first, [])) => gather(work(first)),
            Some((first, rest)) => thread::scope(|scope| {
                let work = &work;
                let others: Vec<_> = rest.iter_mut().map(|shard| scope.spawn(move || work(shard))).collect();
                gather(work(first));
                for other in others {
                    gather(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                }
            }),
        }
        for (waiting, questions) in self.waiting.iter_mut().flatten().zip(all.iter().flatten()) {
            let mut begin = 0;
            waiting.extend(questions.lanes.iter().enumerate().map(|(row, &lane)| {
                let end = questions.ends.get(row).map_or(begin, |&end| end);
                let count = (end - begin) as u32;
                begin = end;
                (lane, count)
            }));
        }
        all
    }

    fn take_waiting(&mut self, slot: usize, kind: Kind, given: usize) -> Result<Vec<(u32, u32)>, AnswerError> {
        let asked = self.waiting[slot][kind as usize].len();
        if given != asked {
            return Err(AnswerError::Rows { given, asked });
        }
        Ok(std::mem::take(&mut self.waiting[slot][kind as usize]))
    }

    /// Answers choices: each is an index among the candidates of its row. A refused answer changes nothing.
    pub fn choose(&mut self, slot: usize, answers: &[i64]) -> Result<(), AnswerError> {
        let waiting = &self.waiting[slot][Kind::Choose as usize];
        for (row, (&index, &(_, count))) in answers.iter().zip(waiting).enumerate() {
            if !(0..i64::from(count)).contains(&index) {
                return Err(AnswerError::Index { row, index, candidates: count as usize });
            }
        }
        let waiting = self.take_waiting(slot, Kind::Choose, answers.len())?;
        self.answer(&waiting, |row, lane, shared, results| {
            let after = lane.result(answers[row] as usize);
            lane.play(shared, results, after);
        });
        Ok(())
    }

    /// Answers whether to double ([`Kind::Double`]) or to take ([`Kind::Take`]).
    pub fn decide(&mut self, slot: usize, kind: Kind, answers: &[bool]) -> Result<(), AnswerError> {
        assert!(kind != Kind::Choose, "a choice is answered by an index");
        let waiting = self.take_waiting(slot, kind, answers.len())?;
        self.answer(&waiting, |row, lane, shared, results| match kind {
            Kind::Take => lane.answer_take(shared, results, answers[row]),
            _ => lane.answer_double(shared, answers[row]),
        });
        Ok(())
    }

    fn answer(&mut self, rows: &[(u32, u32)], apply: impl Fn(usize, &mut Lane, &Shared, &mut Results)) {
        let shared = Shared {
            plan: &self.plan,
            players: &self.players,
            keep: self.keep,
            control: &self.control,
            next: &self.next,
            end: self.end,
        };
        let each = self.shards.first().map_or(1, |shard| shard.lanes.len());
        for (row, &(lane, _)) in rows.iter().enumerate() {
            let shard = &mut self.shards[lane as usize / each];
            let lane = &mut shard.lanes[lane as usize % each];
            apply(row, lane, &shared, &mut shard.results);
        }
    }

    /// What finished samples left since the last call.
    pub fn take_results(&mut self) -> Results {
        let mut all = Results::default();
        self.shards.iter_mut().for_each(|shard| all.append(std::mem::take(&mut shard.results)));
        all
    }
}

/// Samples are handed to threads this many at a time.
const CHUNK: u64 = 64;

/// Plays units between players of whom nobody has to be asked. A cancelled run holds the samples that were finished.
pub fn play_out(
    plan: &Plan,
    players: &[Player; 2],
    keep: Keep,
    units: std::ops::Range<u64>,
    threads: usize,
    control: &Control,
) -> Results {
    let step = CHUNK * (1 + u64::from(plan.paired));
    let chunks = units.end.saturating_sub(units.start).div_ceil(step);
    let parts = parallel::gather(chunks, threads, control, |results: &mut Results, chunk| {
        let first = units.start + chunk * step;
        let next = AtomicU64::new(first);
        let end = units.end.min(first.saturating_add(step));
        let shared = Shared { plan, players, keep, control, next: &next, end };
        let mut asked = Asked::default();
        Lane::new(plan).advance(&shared, &mut Minds::new(players), results, &mut asked, 0);
        assert!(asked.iter().flatten().all(Questions::is_empty), "nobody is there to be asked");
    });
    let mut all = Results::default();
    parts.into_iter().for_each(|part| all.append(part));
    all
}
