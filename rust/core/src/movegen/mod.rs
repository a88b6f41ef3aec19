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

use std::marker::PhantomData;

use crate::board::{Board, Made, Places};
use crate::dice::Roll;
use crate::play::MAX_STEPS;
use crate::position::{BAR, CELLS, Position};

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
    /// What the sink has to know of the steps that were made.
    type Trail: Trail;

    /// The results of one more step with `die` from each of `sources`, after `line`, which is made only if asked for.
    fn take(&mut self, line: impl FnOnce() -> Line<Self::Trail>, die: usize, sources: Places);
}

/// Follows the steps of a line.
trait Trail: Clone {
    fn add(&mut self, made: Made);
}

/// For a sink that wants the board alone.
impl Trail for () {
    #[inline(always)]
    fn add(&mut self, _: Made) {}
}

/// The board in the view of the player who rolls next.
impl Trail for Board {
    #[inline(always)]
    fn add(&mut self, made: Made) {
        *self = self.after::<true>(made);
    }
}

/// The steps of a play as from and to, padded with -1.
pub type StepCells = [[i8; 2]; MAX_STEPS];

/// The steps themselves.
#[derive(Clone)]
struct Walked {
    steps: StepCells,
    len: usize,
}

impl Walked {
    const NOTHING: Walked = Walked { steps: [[-1; 2]; MAX_STEPS], len: 0 };
}

impl Trail for Walked {
    #[inline(always)]
    fn add(&mut self, made: Made) {
        self.steps[self.len] = [made.from as i8, made.from.saturating_sub(made.die) as i8];
        self.len += 1;
    }
}

impl<A: Trail, B: Trail> Trail for (A, B) {
    #[inline(always)]
    fn add(&mut self, made: Made) {
        self.0.add(made);
        self.1.add(made);
    }
}

/// The board that some steps lead to.
#[derive(Clone)]
struct Line<T> {
    board: Board,
    trail: T,
}

impl<T: Trail> Line<T> {
    #[inline(always)]
    fn after(&self, made: Made) -> Line<T> {
        let mut trail = self.trail.clone();
        trail.add(made);
        Line { board: self.board.after::<false>(made), trail }
    }
}

/// Finds every distinct result of a roll; none if the player cannot move or the game is over.
#[inline(always)]
fn generate<S: Sink>(position: &Position, roll: Roll, trail: S::Trail, sink: &mut S) {
    let line = Line { board: Board::new(position), trail };
    if line.board.own().is_empty() || line.board.opponent().is_empty() {
        return;
    }
    if roll.is_double() {
        double(&line, usize::from(roll.high()), sink);
    } else {
        two_dice(&line, usize::from(roll.high()), usize::from(roll.low()), sink);
    }
}

#[inline(always)]
fn two_dice<S: Sink>(start: &Line<S::Trail>, high: usize, low: usize, sink: &mut S) {
    let board = start.board;
    let (own, single, open, blots) = (board.own(), board.single(), board.open(), board.blots());
    let low_first = own.sources(low, open);
    let high_first = own.sources(high, open);
    let mut found = false;
    for from in low_first.union(high_first).descending() {
        let mut chain_by_low = false;
        if low_first.contains(from) {
            let seconds = own.after_step(single, from, low).sources(high, open).up_to(from);
            if !seconds.is_empty() {
                found = true;
                chain_by_low = from > low && seconds.contains(from - low) && !blots.contains(from - low);
                sink.take(|| start.after(Made::new(from, low, blots)), high, seconds);
            }
        }
        let both_bear_off = from <= low && low_first.contains(from);
        if high_first.contains(from) && !both_bear_off {
            let mut seconds = own.after_step(single, from, high).sources(low, open).below(from);
            if chain_by_low && from > high && !blots.contains(from - high) {
                seconds = seconds.without(from - high);
            }
            if !seconds.is_empty() {
                found = true;
                sink.take(|| start.after(Made::new(from, high, blots)), low, seconds);
            }
        }
    }
    if !found {
        // Only one number can be played: the higher if possible (rule 3.5).
        if !high_first.is_empty() {
            sink.take(|| start.clone(), high, high_first);
        } else if !low_first.is_empty() {
            sink.take(|| start.clone(), low, low_first);
        }
    }
}

#[inline(always)]
fn double<S: Sink>(start: &Line<S::Trail>, die: usize, sink: &mut S) {
    let open = start.board.open();
    match longest_double(start.board, die, open) {
        0 => {}
        1 => sink.take(|| start.clone(), die, start.board.own().sources(die, open)),
        steps => descend(start, open, die, BAR, steps, sink),
    }
}

/// How many steps of a double can be made: any order of legal steps gets this far.
fn longest_double(mut board: Board, die: usize, open: Places) -> usize {
    for made in 0..MAX_STEPS {
        match board.own().sources(die, open).highest() {
            Some(from) => board = board.after::<false>(Made::new(from, die, board.blots())),
            None => return made,
        }
    }
    MAX_STEPS
}

/// The results of `left` more steps of a double, at least two, each from `limit` or below it.
fn descend<S: Sink>(line: &Line<S::Trail>, open: Places, die: usize, limit: usize, left: usize, sink: &mut S) {
    let (own, single, blots) = (line.board.own(), line.board.single(), line.board.blots());
    for from in own.sources(die, open).up_to(limit).descending() {
        if left > 2 {
            descend(&line.after(Made::new(from, die, blots)), open, die, from, left - 1, sink);
        } else {
            let last = own.after_step(single, from, die).sources(die, open).up_to(from);
            if !last.is_empty() {
                sink.take(|| line.after(Made::new(from, die, blots)), die, last);
            }
        }
    }
}

/// Appends the cells of `board` after each last step.
#[inline(always)]
fn append<const NEXT: bool>(cells: &mut Vec<[i8; CELLS]>, board: Board, blots: Places, die: usize, sources: Places) {
    let first = cells.len();
    cells.resize(first + sources.len(), [0; CELLS]);
    for (cells, from) in cells[first..].iter_mut().zip(sources.descending()) {
        board.after::<NEXT>(Made::new(from, die, blots)).store(cells);
    }
}

/// Results alone, in the mover's view.
struct MoverCells<'a>(&'a mut Vec<[i8; CELLS]>);

impl Sink for MoverCells<'_> {
    type Trail = ();

    #[inline(always)]
    fn take(&mut self, line: impl FnOnce() -> Line<()>, die: usize, sources: Places) {
        let board = line().board;
        append::<false>(self.0, board, board.blots(), die, sources);
    }
}

/// Results alone, in the view of the player who rolls next.
struct NextCells<'a>(&'a mut Vec<[i8; CELLS]>);

impl Sink for NextCells<'_> {
    type Trail = Board;

    #[inline(always)]
    fn take(&mut self, line: impl FnOnce() -> Line<Board>, die: usize, sources: Places) {
        let line = line();
        append::<true>(self.0, line.trail, line.board.blots(), die, sources);
    }
}

struct Count(usize);

impl Sink for Count {
    type Trail = ();

    #[inline(always)]
    fn take(&mut self, _: impl FnOnce() -> Line<()>, _: usize, sources: Places) {
        self.0 += sources.len();
    }
}

/// One result by its place in the order.
struct Nth {
    left: usize,
    found: Option<Position>,
}

impl Sink for Nth {
    type Trail = ();

    #[inline(always)]
    fn take(&mut self, line: impl FnOnce() -> Line<()>, die: usize, sources: Places) {
        if self.found.is_none() {
            if let Some(from) = sources.descending().nth(self.left) {
                let board = line().board;
                self.found = Some(board.after::<false>(Made::new(from, die, board.blots())).position());
            } else {
                self.left -= sources.len();
            }
        }
    }
}

/// Plays with their steps. The trail holds the board in the next player's view in either case: it is cheap beside the rest.
struct Plays<'a> {
    view: View,
    cells: &'a mut Vec<[i8; CELLS]>,
    steps: &'a mut Vec<StepCells>,
}

impl Sink for Plays<'_> {
    type Trail = (Board, Walked);

    #[inline(always)]
    fn take(&mut self, line: impl FnOnce() -> Line<Self::Trail>, die: usize, sources: Places) {
        let line = line();
        let (next, walked) = &line.trail;
        let blots = line.board.blots();
        match self.view {
            View::Mover => append::<false>(self.cells, line.board, blots, die, sources),
            View::Next => append::<true>(self.cells, *next, blots, die, sources),
        }
        self.steps.extend(sources.descending().map(|from| {
            let mut walked = walked.clone();
            walked.add(Made::new(from, die, blots));
            walked.steps
        }));
    }
}

/// Scores plays step by step, so that a result need not be made to be compared.
pub(crate) trait Weigh {
    /// What a step adds to the score of the cells that it is made in, which are in the view of the player who rolls next.
    fn step(&self, cells: &[i8; CELLS], made: Made) -> i32;
}

/// The board in the view of the player who rolls next, and the score of the steps that led to it.
struct Weighed<'a, W> {
    board: Board,
    score: i32,
    by: &'a W,
}

impl<W> Clone for Weighed<'_, W> {
    fn clone(&self) -> Self {
        Weighed { ..*self }
    }
}

impl<W: Weigh> Trail for Weighed<'_, W> {
    #[inline(always)]
    fn add(&mut self, made: Made) {
        let mut cells = [0; CELLS];
        self.board.store(&mut cells);
        self.score = self.score.wrapping_add(self.by.step(&cells, made));
        self.board.add(made);
    }
}

/// The results that score least, in canonical order; of equal scores those that come first.
struct Least<'a, W> {
    most: usize,
    /// How many results there were.
    seen: i64,
    /// Each score with its place in the lowest bits: so none are equal.
    keys: Vec<i64>,
    /// The largest of them if there is no more room.
    worst: i64,
    /// Where the cells of the first one are.
    first: usize,
    kept: &'a mut Vec<[i8; CELLS]>,
    by: PhantomData<&'a W>,
}

impl<W> Least<'_, W> {
    /// Bits for the place of a result.
    const PLACE: u32 = MAX_PLAYS.ilog2() + 1;

    fn keep(&mut self, key: i64, board: Board) {
        if self.keys.len() == self.most {
            let out = self.keys.iter().position(|&key| key == self.worst).expect("one of the keys");
            self.keys.remove(out);
            self.kept.remove(self.first + out);
        }
        self.keys.push(key);
        self.kept.push([0; CELLS]);
        board.store(self.kept.last_mut().expect("just pushed"));
        if self.keys.len() == self.most {
            self.worst = self.keys.iter().fold(i64::MIN, |most, &key| most.max(key));
        }
    }
}

impl<'a, W: Weigh> Sink for Least<'a, W> {
    type Trail = Weighed<'a, W>;

    #[inline(always)]
    fn take(&mut self, line: impl FnOnce() -> Line<Self::Trail>, die: usize, sources: Places) {
        let Line { board, trail } = line();
        let blots = board.blots();
        let mut cells = [0; CELLS];
        trail.board.store(&mut cells);
        for from in sources.descending() {
            let made = Made::new(from, die, blots);
            let score = trail.score.wrapping_add(trail.by.step(&cells, made));
            let key = i64::from(score) << Self::PLACE | self.seen;
            self.seen += 1;
            if key < self.worst {
                self.keep(key, trail.board.after::<true>(made));
            }
        }
    }
}

/// Appends the `most` distinct results of a roll that score least, in canonical order and in the view of the player who
/// rolls next; of equal scores those that come first. A dance appends nothing.
///
/// # Panics
/// If none are wanted.
pub(crate) fn least<W: Weigh>(position: &Position, roll: Roll, most: usize, by: &W, kept: &mut Vec<[i8; CELLS]>) {
    assert!(most > 0, "one at least");
    let trail = Weighed { board: Board::new(&position.flip()), score: 0, by };
    let keys = Vec::with_capacity(most.min(MAX_PLAYS));
    let mut sink = Least { most, seen: 0, keys, worst: i64::MAX, first: kept.len(), kept, by: PhantomData };
    generate(position, roll, trail, &mut sink);
}

/// Appends the distinct results of a roll, in canonical order. A dance appends nothing.
pub fn results(position: &Position, roll: Roll, view: View, cells: &mut Vec<[i8; CELLS]>) {
    match view {
        View::Mover => generate(position, roll, (), &mut MoverCells(cells)),
        View::Next => generate(position, roll, Board::new(&position.flip()), &mut NextCells(cells)),
    }
}

/// How many distinct results a roll has; 0 for a dance.
pub fn count(position: &Position, roll: Roll) -> usize {
    let mut sink = Count(0);
    generate(position, roll, (), &mut sink);
    sink.0
}

/// The result at a place of the canonical order, in the mover's view.
pub fn nth(position: &Position, roll: Roll, place: usize) -> Option<Position> {
    let mut sink = Nth { left: place, found: None };
    generate(position, roll, (), &mut sink);
    sink.found
}

/// Appends the distinct plays of a roll, in canonical order: the results as [`results`] does, and their canonical steps.
pub fn plays(position: &Position, roll: Roll, view: View, cells: &mut Vec<[i8; CELLS]>, steps: &mut Vec<StepCells>) {
    let trail = (Board::new(&position.flip()), Walked::NOTHING);
    generate(position, roll, trail, &mut Plays { view, cells, steps });
}
