//! Solving hypergammon: bounds from both sides that close in on the value.
//!
//! # Method
//!
//! Let V be the exact value of a position for the player on roll and T the step "mean over the rolls of the best play
//! into minus the value for the opponent", with the cube decisions in it. T turns bounds around: if L <= V <= U
//! everywhere, then T(U) <= V <= T(L). The start L = -3, U = 3 is safe, since a player who never doubles and drops every
//! double loses at most a backgammon at the present cube (with the cube centred and Jacoby in force, at most one point).
//! So the bounds are right after every step, in whatever order positions are visited, with no assumption that the game
//! ends or that T contracts: half of the greatest gap U - L *is* the error bound, but for the rounding of f64. That they
//! close is seen, not assumed.
//!
//! Positions are visited by the sum of both sides' pips. Every play lowers it unless it hits, so one sweep carries
//! values through whole stretches without a hit, and all races are exact after the first. Positions of one sum only see
//! each other after a dance, and then as they were before: the result does not depend on the number of threads.

use super::plays::{self, Entry, Lists};
use super::sides::Sides;
use crate::dice::Roll;
use crate::outcome::Outcome;
use crate::parallel::{self, Control};
use crate::position::BAR;

/// What is known of one position while solving: lower and upper bounds of five values, or of five probabilities.
type Cell = [f64; 10];

/// [`Values`] as numbers.
type Numbers = [f64; Values::COUNT];
/// The cell that each roll of a position leads to.
type Policy = [u32; 21];

/// The values a cell holds for the equities; each has its lower bound at 2 i and its upper at 2 i + 1.
///
/// Owned and centred include the choice to double now.
#[derive(Clone, Copy)]
enum Worth {
    Cubeless,
    /// The opponent owns the cube.
    Theirs,
    Owned,
    Centred,
    /// Centred, with the Jacoby rule.
    Jacoby,
}

/// Progress is counted in these many units for each of the two stages.
pub(super) const STAGE_UNITS: u64 = 1000;

/// Bounds that do not close in this many sweeps never will: far above what three checkers need.
const MOST_SWEEPS: usize = 2000;

/// The exact values of one position, for the player on roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Values {
    /// Win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon, under the plays that maximise
    /// the cubeless equity of each side.
    pub probabilities: [f64; 5],
    /// Equity without a cube.
    pub cubeless: f64,
    /// Money equity when the player owns the cube and does not double this turn.
    pub owned: f64,
    /// Money equity with the cube centred when the player does not double this turn.
    pub centred: f64,
    /// The same with the Jacoby rule: gammons count single until the cube is turned.
    pub centred_jacoby: f64,
    /// Money equity when the opponent owns the cube.
    pub opponent_owned: f64,
}

impl Values {
    /// How many numbers they are.
    pub const COUNT: usize = 10;

    /// As numbers, in the order of the file.
    pub fn to_array(self) -> [f64; Values::COUNT] {
        let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = self.probabilities;
        let Values { cubeless, owned, centred, centred_jacoby, opponent_owned, .. } = self;
        [
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
            cubeless,
            owned,
            centred,
            centred_jacoby,
            opponent_owned,
        ]
    }

    /// From the numbers of [`Values::to_array`].
    pub fn from_array(numbers: [f64; Values::COUNT]) -> Values {
        let [a, b, c, d, e, cubeless, owned, centred, centred_jacoby, opponent_owned] = numbers;
        Values { probabilities: [a, b, c, d, e], cubeless, owned, centred, centred_jacoby, opponent_owned }
    }

    /// A finished game, which nobody doubles any more.
    fn finished(outcome: Outcome) -> Values {
        let points = outcome.points();
        let reached = |level: i8| f64::from(u8::from(points >= level));
        let lost = |level: i8| f64::from(u8::from(points <= -level));
        let equity = f64::from(points);
        Values {
            probabilities: [reached(1), reached(2), reached(3), lost(2), lost(3)],
            cubeless: equity,
            owned: equity,
            centred: equity,
            centred_jacoby: equity.signum(),
            opponent_owned: equity,
        }
    }
}

/// Why there is no solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolveError {
    /// The work was cancelled.
    Cancelled,
    /// The bounds stopped closing before they were as near as asked for.
    NotConverged {
        /// Half of the greatest gap left.
        bound: f64,
    },
}

/// The answer of [`solve`].
pub(super) struct Solved {
    /// By player * sides + opponent; NaN where two sides cannot stand on one board.
    pub values: Vec<[f64; Values::COUNT]>,
    pub error_bound: f64,
    pub sweeps: usize,
}

/// Solves the game of so many checkers a side to within `tolerance`.
pub(super) fn solve(checkers: u8, tolerance: f64, threads: usize, control: &Control) -> Result<Solved, SolveError> {
    let sides = Sides::new(checkers);
    let lists = plays::all_lists(&sides, threads, control);
    if control.is_cancelled() {
        return Err(SolveError::Cancelled);
    }
    let game = Game { sides: &sides, lists: &lists, threads, control };
    let mut equities = Equities { game: &game, kept: vec![[u16::MAX; 21]; sides.len() * sides.len()] };
    let (bounds, equity_bound, sweeps) = game.close_in(game.first_bounds(), tolerance, STAGE_UNITS, &mut equities)?;
    drop(equities);
    let (mut values, policy) = game.read_out(&bounds)?;
    drop(bounds);
    let mut probabilities = Probabilities { game: &game, policy };
    let first = game.first_probabilities();
    let (bounds, probability_bound, more) = game.close_in(first, tolerance, 2 * STAGE_UNITS, &mut probabilities)?;
    for (numbers, cell) in values.iter_mut().zip(&bounds) {
        if !cell[0].is_nan() {
            let [win, wg, wb, lg, lb] = std::array::from_fn(|value| middle(cell, value));
            // Each is within its bound; the middles of two bounds may lie a little the wrong way round.
            let (wg, lg) = (wg.min(win), lg.min(1.0 - win));
            numbers[..5].copy_from_slice(&[win, wg, wb.min(wg), lg, lb.min(lg)]);
        }
    }
    Ok(Solved { values, error_bound: equity_bound.max(probability_bound), sweeps: sweeps + more })
}

fn middle(cell: &Cell, value: usize) -> f64 {
    0.5 * (cell[2 * value] + cell[2 * value + 1])
}

/// Half of the widest gap of a cell.
fn half_gap(cell: &Cell) -> f64 {
    (0..5).map(|value| 0.5 * (cell[2 * value + 1] - cell[2 * value])).fold(0.0, f64::max)
}

struct Game<'a> {
    sides: &'a Sides,
    lists: &'a [Lists],
    threads: usize,
    control: &'a Control,
}

/// The opponent of a layer's positions, and what its checkers mean for the plays against it.
struct Against<'a> {
    lists: &'a Lists,
    blots: [u8; 3],
    /// Where the cells of each side that the opponent can become start: as it is, or with some of its blots hit.
    rows: [usize; 8],
}

impl Game<'_> {
    fn cell(&self, player: usize, opponent: usize) -> usize {
        player * self.sides.len() + opponent
    }

    /// The outcome for the player on roll if one side has borne off everything.
    fn outcome(&self, player: usize, opponent: usize) -> Option<Outcome> {
        let lost = |loser: usize| {
            let loser = self.sides.get(loser);
            // The winner's home board is what the loser numbers 19 to 24.
            match (loser.in_play() == self.sides.checkers(), loser.highest() >= 19) {
                (true, true) => Outcome::LoseBackgammon,
                (true, false) => Outcome::LoseGammon,
                _ => Outcome::Lose,
            }
        };
        match (player, opponent) {
            (0, loser) => Some(lost(loser).flip()),
            (loser, 0) => Some(lost(loser)),
            _ => None,
        }
    }

    /// Cells made by `make`; NaN where there is no position.
    fn cells(&self, make: impl Fn(usize, usize, Option<Outcome>) -> Cell) -> Vec<Cell> {
        let sides = self.sides.len();
        let mut cells = vec![[f64::NAN; 10]; sides * sides];
        for player in 0..sides {
            for opponent in 0..sides {
                if self.sides.is_valid(player, opponent) {
                    cells[self.cell(player, opponent)] = make(player, opponent, self.outcome(player, opponent));
                }
            }
        }
        cells
    }

    fn first_bounds(&self) -> Vec<Cell> {
        self.cells(|_, _, outcome| match outcome {
            None => [-3.0, 3.0, -3.0, 3.0, -3.0, 3.0, -3.0, 3.0, -1.0, 1.0],
            Some(outcome) => {
                let values = Values::finished(outcome);
                both([values.cubeless, values.cubeless, values.cubeless, values.cubeless, values.centred_jacoby])
            }
        })
    }

    fn first_probabilities(&self) -> Vec<Cell> {
        // What is impossible must be 0, not something within a bound of it.
        let can_lose_gammon =
            |side: usize| f64::from(u8::from(self.sides.get(side).in_play() == self.sides.checkers()));
        self.cells(|player, opponent, outcome| match outcome {
            None => {
                let (lose, win) = (can_lose_gammon(player), can_lose_gammon(opponent));
                [0.0, 1.0, 0.0, win, 0.0, win, 0.0, lose, 0.0, lose]
            }
            Some(outcome) => both(Values::finished(outcome).probabilities),
        })
    }

    fn against(&self, opponent: usize) -> Against<'_> {
        let side = self.sides.get(opponent);
        let block = if side.block == 0 { 0 } else { BAR - usize::from(side.block) };
        let mut rows = [0; 8];
        for (hit, row) in rows.iter_mut().enumerate() {
            *row = self.cell(self.sides.after_hits(side, hit), 0);
        }
        Against { lists: &self.lists[block], blots: side.blots(), rows }
    }

    /// Whether the sides still have to pass each other.
    fn is_contact(&self, player: usize, opponent: usize) -> bool {
        self.sides.get(player).highest() + self.sides.get(opponent).highest() > BAR as u8
    }

    /// Sweeps until half of every gap is at most `tolerance`. Gives the bounds, the greatest half gap, and the sweeps.
    fn close_in(
        &self,
        mut cells: Vec<Cell>,
        tolerance: f64,
        units_after: u64,
        step: &mut impl Step,
    ) -> Result<(Vec<Cell>, f64, usize), SolveError> {
        let mut bounds: Vec<f64> = Vec::new();
        for sweep in 0..MOST_SWEEPS {
            self.sweep(&mut cells, sweep == 0, tolerance / 16.0, step)?;
            step.after_sweep(sweep, &cells)?;
            let bound = cells.iter().filter(|cell| !cell[0].is_nan()).map(half_gap).fold(0.0, f64::max);
            self.report(bound, tolerance, units_after);
            if bound <= tolerance {
                return Ok((cells, bound, sweep + 1));
            }
            // f64 resolves a value near 3 to 4e-16, so a tolerance below what rounding leaves cannot be met.
            if sweep >= 50 && bound >= bounds[sweep - 50] {
                return Err(SolveError::NotConverged { bound });
            }
            bounds.push(bound);
        }
        Err(SolveError::NotConverged { bound: *bounds.last().expect("swept") })
    }

    /// Counts progress by the logarithm of the gap, which falls evenly.
    fn report(&self, bound: f64, tolerance: f64, units_after: u64) {
        let share = ((3.0 / bound.max(tolerance)).ln() / (3.0 / tolerance).ln()).clamp(0.0, 1.0);
        let units = units_after - STAGE_UNITS + (share * STAGE_UNITS as f64) as u64;
        self.control.advance(units.saturating_sub(self.control.done()));
    }

    /// Visits every position once, by the sum of pips.
    ///
    /// Cells whose bounds are within `enough` are left as they are: they stay right, and races are never done twice.
    fn sweep(&self, cells: &mut [Cell], races: bool, enough: f64, step: &impl Step) -> Result<(), SolveError> {
        /// Opponents a thread takes at a time.
        const CHUNK: usize = 32;
        let sides = self.sides.len();
        for pips in 0..=2 * self.sides.most_pips() {
            let before = &*cells;
            let news = parallel::map_chunks(sides.div_ceil(CHUNK) as u64, self.threads, self.control, |chunk| {
                let mut news: Vec<(u32, Cell)> = Vec::new();
                for opponent in chunk as usize * CHUNK..sides.min((chunk as usize + 1) * CHUNK) {
                    let Some(own_pips) = pips.checked_sub(usize::from(self.sides.get(opponent).pips)) else { continue };
                    for player in self.sides.with_pips(own_pips) {
                        let at = self.cell(player, opponent);
                        // A NaN gap is no position; both sides are in play in all others that are left.
                        let open = player != 0 && opponent != 0 && !before[at][0].is_nan();
                        if open && half_gap(&before[at]) > enough && (races || self.is_contact(player, opponent)) {
                            news.push((at as u32, step.step(player, opponent, &before[at], before)));
                        }
                    }
                }
                news
            });
            if self.control.is_cancelled() {
                return Err(SolveError::Cancelled);
            }
            for (at, cell) in news.into_iter().flat_map(|(_, news)| news) {
                cells[at as usize] = cell;
            }
        }
        Ok(())
    }

    /// Weighted mean over the rolls of minus the least of each number of the cells that the kept plays lead to.
    fn best_of_each(&self, player: usize, opponent: usize, kept: &[u16; 21], cells: &[Cell]) -> Cell {
        let against = self.against(opponent);
        let mut sum = [0.0; 10];
        for (roll, &kept) in Roll::ALL.into_iter().zip(kept) {
            let plays = against.lists.plays(player, roll.index());
            let mut least = [f64::INFINITY; 10];
            for play in chosen(plays, kept) {
                take_least(&mut least, &cells[against.after(play)]);
            }
            if plays.is_empty() {
                // A dance: the opponent rolls with nothing changed.
                least = cells[self.cell(opponent, player)];
            }
            let weight = f64::from(roll.weight());
            for (sum, least) in sum.iter_mut().zip(least) {
                *sum -= weight * least;
            }
        }
        sum.map(|sum| sum / 36.0)
    }

    /// The plays of each roll that can still be best for one of the five values, out of those kept so far.
    fn still_good(&self, player: usize, opponent: usize, kept: &[u16; 21], cells: &[Cell]) -> [u16; 21] {
        let against = self.against(opponent);
        let mut good = [0; 21];
        for (roll, &kept) in kept.iter().enumerate() {
            let plays = against.lists.plays(player, roll);
            let mut least = [f64::INFINITY; 10];
            for play in chosen(plays, kept) {
                take_least(&mut least, &cells[against.after(play)]);
            }
            for (place, &play) in plays.iter().enumerate().filter(|(place, _)| kept >> place & 1 == 1) {
                let cell = &cells[against.after(play)];
                // The opponent surely gets more after this play than it gets at most after another.
                let is_beaten = (0..5).all(|value| cell[2 * value] > least[2 * value + 1]);
                good[roll] |= u16::from(!is_beaten) << place;
            }
        }
        good
    }

    /// The values when no cube is turned this turn, from the middles of the bounds, and the best cubeless plays: for
    /// each position and roll the cell of the position that the opponent rolls in.
    fn read_out(&self, bounds: &[Cell]) -> Result<(Vec<Numbers>, Vec<Policy>), SolveError> {
        let sides = self.sides.len();
        let rows = parallel::map_chunks(sides as u64, self.threads, self.control, |player| {
            let player = player as usize;
            (0..sides).map(|opponent| self.read_out_one(player, opponent, bounds)).collect::<Vec<_>>()
        });
        if self.control.is_cancelled() {
            return Err(SolveError::Cancelled);
        }
        Ok(rows.into_iter().flat_map(|(_, row)| row).unzip())
    }

    fn read_out_one(&self, player: usize, opponent: usize, bounds: &[Cell]) -> (Numbers, Policy) {
        let mut policy = [0; 21];
        if !self.sides.is_valid(player, opponent) {
            return ([f64::NAN; Values::COUNT], policy);
        }
        if let Some(outcome) = self.outcome(player, opponent) {
            return (Values::finished(outcome).to_array(), policy);
        }
        let against = self.against(opponent);
        for roll in Roll::ALL {
            let plays = against.lists.plays(player, roll.index());
            let cubeless = |&at: &usize| middle(&bounds[at], Worth::Cubeless as usize);
            // Of equal plays the first in the order of the lists.
            let best = plays.iter().map(|&play| against.after(play)).min_by(|a, b| cubeless(a).total_cmp(&cubeless(b)));
            policy[roll.index()] = best.unwrap_or_else(|| self.cell(opponent, player)) as u32;
        }
        let next = self.best_of_each(player, opponent, &[u16::MAX; 21], bounds);
        let cell = &bounds[self.cell(player, opponent)];
        let values = Values {
            probabilities: [f64::NAN; 5],
            cubeless: middle(cell, Worth::Cubeless as usize),
            owned: middle(&next, Worth::Theirs as usize),
            centred: middle(&next, Worth::Centred as usize),
            centred_jacoby: middle(&next, Worth::Jacoby as usize),
            opponent_owned: middle(cell, Worth::Theirs as usize),
        };
        (values.to_array(), policy)
    }
}

/// How the bounds of one position follow from those of the positions after it.
trait Step: Sync {
    fn step(&self, player: usize, opponent: usize, before: &Cell, cells: &[Cell]) -> Cell;

    fn after_sweep(&mut self, _sweep: usize, _cells: &[Cell]) -> Result<(), SolveError> {
        Ok(())
    }
}

/// The equities: the best play of each roll and the best cube action.
struct Equities<'a> {
    game: &'a Game<'a>,
    /// By opponent * sides + player: which plays of each roll are not yet known to be worse than another.
    ///
    /// A roll has at most 15 (four steps dealt to three checkers). Bounds only close in, so what is beaten stays so:
    /// most rolls are soon down to one play, which makes the later sweeps several times as fast.
    kept: Vec<[u16; 21]>,
}

impl Step for Equities<'_> {
    fn step(&self, player: usize, opponent: usize, before: &Cell, cells: &[Cell]) -> Cell {
        let kept = &self.kept[self.game.cell(opponent, player)];
        let next = self.game.best_of_each(player, opponent, kept, cells);
        let mut cell = [0.0; 10];
        for (bound, other) in [(0, 1), (1, 0)] {
            // The opponent's upper bounds give the player's lower bounds, and the other way round.
            let of = |worth: Worth| next[2 * worth as usize + other];
            let theirs = of(Worth::Owned);
            let doubled = (2.0 * theirs).min(1.0);
            cell[2 * Worth::Cubeless as usize + bound] = of(Worth::Cubeless);
            cell[2 * Worth::Theirs as usize + bound] = theirs;
            cell[2 * Worth::Owned as usize + bound] = of(Worth::Theirs).max(doubled);
            cell[2 * Worth::Centred as usize + bound] = of(Worth::Centred).max(doubled);
            cell[2 * Worth::Jacoby as usize + bound] = of(Worth::Jacoby).max(doubled);
        }
        // Old and new are bounds: the tighter one holds.
        for value in 0..5 {
            cell[2 * value] = cell[2 * value].max(before[2 * value]);
            cell[2 * value + 1] = cell[2 * value + 1].min(before[2 * value + 1]);
        }
        cell
    }

    fn after_sweep(&mut self, sweep: usize, cells: &[Cell]) -> Result<(), SolveError> {
        /// Looking for beaten plays costs as much as a sweep.
        const EVERY: usize = 4;
        if sweep % EVERY != EVERY - 1 {
            return Ok(());
        }
        let (game, kept) = (self.game, &self.kept);
        let sides = game.sides.len();
        let rows = parallel::map_chunks(sides as u64, game.threads, game.control, |opponent| {
            let opponent = opponent as usize;
            let one = |player| {
                let kept = &kept[opponent * sides + player];
                let is_open = player != 0 && opponent != 0 && game.is_contact(player, opponent);
                if is_open && !cells[game.cell(player, opponent)][0].is_nan() {
                    game.still_good(player, opponent, kept, cells)
                } else {
                    *kept
                }
            };
            (0..sides).map(one).collect::<Vec<_>>()
        });
        if game.control.is_cancelled() {
            return Err(SolveError::Cancelled);
        }
        for (row, (_, news)) in self.kept.chunks_exact_mut(sides).zip(rows) {
            row.copy_from_slice(&news);
        }
        Ok(())
    }
}

/// The probabilities, with the plays fixed.
struct Probabilities<'a> {
    game: &'a Game<'a>,
    /// By player * sides + opponent: the cell that each roll leads to.
    policy: Vec<Policy>,
}

impl Step for Probabilities<'_> {
    fn step(&self, player: usize, opponent: usize, _: &Cell, cells: &[Cell]) -> Cell {
        let mut next = [0.0; 10];
        for (roll, &after) in Roll::ALL.into_iter().zip(&self.policy[self.game.cell(player, opponent)]) {
            let weight = f64::from(roll.weight());
            for (sum, number) in next.iter_mut().zip(cells[after as usize]) {
                *sum += weight * number;
            }
        }
        let next = next.map(|sum| sum / 36.0);
        let [low, high, wg_low, wg_high, wb_low, wb_high, lg_low, lg_high, lb_low, lb_high] = next;
        // What the opponent wins is what the player loses.
        [1.0 - high, 1.0 - low, lg_low, lg_high, lb_low, lb_high, wg_low, wg_high, wb_low, wb_high]
    }
}

/// The plays of a list whose bits are set.
#[inline(always)]
fn chosen(plays: &[Entry], kept: u16) -> impl Iterator<Item = Entry> {
    let mut left = u32::from(kept) & ((1 << plays.len()) - 1);
    std::iter::from_fn(move || {
        let place = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        plays.get(place).copied()
    })
}

#[inline(always)]
fn take_least(least: &mut Cell, cell: &Cell) {
    for (least, &number) in least.iter_mut().zip(cell) {
        *least = if number < *least { number } else { *least };
    }
}

impl Against<'_> {
    /// The cell of the position that the opponent rolls in after a play.
    #[inline(always)]
    fn after(&self, play: Entry) -> usize {
        self.rows[play.hits(self.blots)] + usize::from(play.after)
    }
}

/// A cell with both bounds at known values.
fn both(values: [f64; 5]) -> Cell {
    let mut cell = [0.0; 10];
    for (value, bounds) in values.into_iter().zip(cell.chunks_exact_mut(2)) {
        bounds.fill(value);
    }
    cell
}
