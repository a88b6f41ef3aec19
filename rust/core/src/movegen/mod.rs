//! Legal plays: whole rolls, each result once (rules 3 to 5).
//!
//! # How no result arises twice
//!
//! A play is enumerated in its canonical order: steps by descending starting place, and from one place the smaller die
//! first. Every result of a roll has such an order that is legal step by step: a step from a higher place never needs
//! one from a lower place first (entering and coming home start higher than what waits for them).
//!
//! *Doubles.* All steps have one length, so a result fixes how many steps leave each place: one canonical order each.
//! Every legal sequence of steps of a double has the same greatest length, so the number to play is found greedily.
//!
//! *Two different dice.* The starting place of the first step is the highest place that loses a checker, so it is the
//! same in every order of a result. Comparing the low die first from it with the high die first, two orders lead to one
//! result only if
//! 1. one checker makes both steps (s, s - low, s - low - high against s, s - high, s - high - low) and neither landing
//!    in between hits: the order with the smaller die first stays;
//! 2. both dice bear off from s: then s is the rearmost place and at most the high die's point is above it, and the rest
//!    is equal in either order: the order with the smaller die first stays.
//!
//! So neither sorting nor a set of results is needed, and what comes out is in canonical order, highest first. The twin
//! in the tests knows nothing of this.

mod board;

use crate::dice::Roll;
use crate::play::{MAX_STEPS, Step};
use crate::position::{BAR, CELLS, Position};
use board::{Board, Places};

/// The most distinct results that one roll could have: how many of four equal steps each of 15 checkers takes,
/// C(18, 4). The most that is known is 2,226, for `RCCQACWllFIKAA` with 1-1.
pub const MAX_PLAYS: usize = 3060;

/// Whose view results are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The player who made the play.
    Mover,
    /// The player who rolls next.
    Next,
}

/// Takes results as they are found, in canonical order.
///
/// They come in bundles that differ in the last step only, so that counting is counting bits.
trait Sink {
    /// The results of one more step with `die` from each of `sources`, after `line`.
    fn take(&mut self, line: &Line, die: usize, sources: Places);
}

/// The steps made so far and the board that they lead to.
#[derive(Clone)]
struct Line {
    board: Board,
    steps: [Step; MAX_STEPS],
    len: usize,
}

impl Line {
    fn start(position: &Position) -> Line {
        Line { board: Board::new(position), steps: [Step::NONE; MAX_STEPS], len: 0 }
    }

    #[inline(always)]
    fn with(&self, from: usize, die: usize) -> Line {
        let mut line = self.clone();
        line.steps[line.len] = Step::with_die(from, die);
        line.len += 1;
        line.board.step(from, die);
        line
    }
}

/// Finds every distinct result of a roll; none if the player cannot move or the game is over.
#[inline(always)]
fn generate(position: &Position, roll: Roll, sink: &mut impl Sink) {
    let line = Line::start(position);
    if line.board.is_over() {
        return;
    }
    if roll.is_double() {
        double(&line, usize::from(roll.high()), sink);
    } else {
        two_dice(&line, usize::from(roll.high()), usize::from(roll.low()), sink);
    }
}

fn two_dice(start: &Line, high: usize, low: usize, sink: &mut impl Sink) {
    let board = &start.board;
    let (own, open) = (board.own(), board.open());
    let low_first = own.sources(low, open);
    let high_first = own.sources(high, open);
    let mut found = false;
    for from in low_first.union(high_first).descending() {
        let mut chain_by_low = false;
        if low_first.contains(from) {
            let after = own.after_step(from, low, board.count(from));
            let seconds = after.sources(high, open).up_to(from);
            if !seconds.is_empty() {
                found = true;
                chain_by_low = from > low && seconds.contains(from - low) && !board.is_blot(from - low);
                sink.take(&start.with(from, low), high, seconds);
            }
        }
        let both_bear_off = from <= low && low_first.contains(from);
        if high_first.contains(from) && !both_bear_off {
            let after = own.after_step(from, high, board.count(from));
            let mut seconds = after.sources(low, open).below(from);
            if chain_by_low && from > high && !board.is_blot(from - high) {
                seconds = seconds.without(from - high);
            }
            if !seconds.is_empty() {
                found = true;
                sink.take(&start.with(from, high), low, seconds);
            }
        }
    }
    if !found {
        // Only one number can be played: the higher if possible (rule 3.5).
        if !high_first.is_empty() {
            sink.take(start, high, high_first);
        } else if !low_first.is_empty() {
            sink.take(start, low, low_first);
        }
    }
}

fn double(start: &Line, die: usize, sink: &mut impl Sink) {
    let open = start.board.open();
    let steps = longest_double(start.board.clone(), die, open);
    if steps > 0 {
        descend(start, start.board.own(), open, die, BAR, steps, sink);
    }
}

/// How many steps of a double can be made: any order of legal steps gets this far.
fn longest_double(mut board: Board, die: usize, open: Places) -> usize {
    for made in 0..MAX_STEPS {
        match board.own().sources(die, open).highest() {
            Some(from) => board.step(from, die),
            None => return made,
        }
    }
    MAX_STEPS
}

fn descend(line: &Line, own: Places, open: Places, die: usize, limit: usize, left: usize, sink: &mut impl Sink) {
    let sources = own.sources(die, open).up_to(limit);
    if left == 1 {
        if !sources.is_empty() {
            sink.take(line, die, sources);
        }
        return;
    }
    for from in sources.descending() {
        let after = own.after_step(from, die, line.board.count(from));
        descend(&line.with(from, die), after, open, die, from, left - 1, sink);
    }
}

/// Results alone, as flat cells.
struct Results<'a, const NEXT: bool> {
    cells: &'a mut Vec<[i8; CELLS]>,
}

impl<const NEXT: bool> Sink for Results<'_, NEXT> {
    #[inline(always)]
    fn take(&mut self, line: &Line, die: usize, sources: Places) {
        for from in sources.descending() {
            let mut board = line.board.clone();
            board.step(from, die);
            self.cells.push(if NEXT { *board.position().flip().cells() } else { *board.cells() });
        }
    }
}

struct Count(usize);

impl Sink for Count {
    #[inline(always)]
    fn take(&mut self, _: &Line, _: usize, sources: Places) {
        self.0 += sources.len();
    }
}

/// One result by its place in the order.
struct Nth {
    left: usize,
    found: Option<Position>,
}

impl Sink for Nth {
    #[inline(always)]
    fn take(&mut self, line: &Line, die: usize, sources: Places) {
        if self.found.is_none() {
            if let Some(from) = sources.descending().nth(self.left) {
                let mut board = line.board.clone();
                board.step(from, die);
                self.found = Some(board.position());
            } else {
                self.left -= sources.len();
            }
        }
    }
}

/// Plays with their steps.
struct Steps<F>(F);

impl<F: FnMut(Position, &[Step])> Sink for Steps<F> {
    fn take(&mut self, line: &Line, die: usize, sources: Places) {
        for from in sources.descending() {
            let line = line.with(from, die);
            (self.0)(line.board.position(), &line.steps[..line.len]);
        }
    }
}

/// Appends the distinct results of a roll, in canonical order. A dance appends nothing.
pub fn results(position: &Position, roll: Roll, view: View, cells: &mut Vec<[i8; CELLS]>) {
    match view {
        View::Mover => generate(position, roll, &mut Results::<false> { cells }),
        View::Next => generate(position, roll, &mut Results::<true> { cells }),
    }
}

/// How many distinct results a roll has; 0 for a dance.
pub fn count(position: &Position, roll: Roll) -> usize {
    let mut sink = Count(0);
    generate(position, roll, &mut sink);
    sink.0
}

/// The result at a place of the canonical order, in the mover's view.
pub fn nth(position: &Position, roll: Roll, place: usize) -> Option<Position> {
    let mut sink = Nth { left: place, found: None };
    generate(position, roll, &mut sink);
    sink.found
}

/// Calls `each` with every distinct result, in the mover's view, and its canonical steps.
pub fn steps(position: &Position, roll: Roll, each: impl FnMut(Position, &[Step])) {
    generate(position, roll, &mut Steps(each));
}
