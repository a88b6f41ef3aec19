//! What is known of a position without looking ahead.

use crate::bearoff::TwoSided;
use crate::bearoff::one_sided::OneSided;
use crate::bearoff::two_sided::{Ask, Jacoby};
use crate::board::Board;
use crate::ladder::Owner;
use crate::nn::{Network, Outputs, Scratch};
use crate::outcome::Probabilities;
use crate::position::{BAR, CELLS, CHECKERS, OFF, OPPONENT_OFF, Position};

/// Anything that says how likely each end of a game is.
pub trait Evaluate: Sync {
    /// Appends the five nested probabilities of each position, seen by its player on roll. The answer to one must not
    /// depend on the others.
    fn evaluate(&self, positions: &[[i8; CELLS]], outputs: &mut Vec<Outputs>);
}

/// Who evaluates what no table holds.
#[derive(Clone, Copy)]
pub enum Evaluator<'a> {
    /// A network: candidates of a roll cost little more than their differences.
    Network(&'a Network),
    /// Anything else.
    Other(&'a dyn Evaluate),
}

/// An evaluator, and tables that are asked before it.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// For positions outside of the tables.
    pub evaluator: Evaluator<'a>,
    /// Chances of bear-offs, each side playing to finish soon.
    pub one_sided: Option<&'a OneSided>,
    /// Exact equities of short bear-offs for money. Its files are read through a map: a look-up cannot fail.
    pub two_sided: Option<&'a TwoSided>,
}

/// What evaluating needs, kept from call to call.
#[derive(Default)]
pub(super) struct Room {
    scratch: Option<Scratch>,
    unknown: Vec<[i8; CELLS]>,
    places: Vec<usize>,
    answers: Vec<Outputs>,
}

impl Judge<'_> {
    /// How far from home a checker can be in a table.
    fn reach(&self) -> usize {
        let one = self.one_sided.map_or(0, |table| table.index().points());
        one.max(self.two_sided.map_or(0, |table| table.spec().points()))
    }

    /// The five probabilities where nothing is left to estimate: a finished game, or a position of a table.
    ///
    /// Without gammons an exact equity says how often the game is won; the one-sided table is asked for the rest.
    pub fn known(&self, position: &Position) -> Option<[f64; 5]> {
        if let Some(outcome) = position.outcome() {
            return Some(Probabilities::certain(outcome).values());
        }
        if !within(position.cells(), self.reach()) {
            return None;
        }
        let cells = position.cells();
        if cells[OFF] > 0
            && cells[OPPONENT_OFF] > 0
            && let Some(equity) = self.two_sided.and_then(|table| table.value(position, Ask::default()).ok())
        {
            return Some([0.5 * (equity + 1.0), 0.0, 0.0, 0.0, 0.0]);
        }
        let table = self.one_sided?;
        if has_unknown_gammon(cells) {
            return None;
        }
        let [player, opponent] = table.ranks(position)?;
        let chances = table.race_chances(player, opponent)?;
        Some([chances.win, chances.win_gammon, 0.0, chances.lose_gammon, 0.0])
    }

    /// The exact money equity of a cube there, per unit of it, if the table has it.
    pub(super) fn equity(&self, position: &Position, owner: Owner, jacoby: bool, no_double: bool) -> Option<f64> {
        let table = self.two_sided?;
        if !within(position.cells(), table.spec().points()) {
            return None;
        }
        let jacoby = if jacoby { Jacoby::On } else { Jacoby::Off };
        table.value(position, Ask { cube: Some((owner, 0)), jacoby, player: 0, no_double }).ok()
    }

    /// The five probabilities of a position.
    pub(super) fn evaluate(&self, room: &mut Room, position: &Position) -> [f64; 5] {
        if let Some(known) = self.known(position) {
            return known;
        }
        let mut outputs = Vec::with_capacity(1);
        self.guess(&mut room.scratch, &[0; CELLS], &[*position.cells()], &mut outputs);
        widen(outputs[0])
    }

    /// Appends the five probabilities of positions that are all reached by a play of the player who waits in them, in
    /// `near` before that play.
    pub(super) fn evaluate_near(
        &self,
        room: &mut Room,
        near: &[i8; CELLS],
        positions: &[[i8; CELLS]],
        outputs: &mut Vec<Outputs>,
    ) {
        // Who does not move comes no nearer to home, so most of the time nothing has to be looked up.
        let reach = self.reach();
        if reach == 0 || Board::load(near).own().highest().is_none_or(|rearmost| rearmost > reach) {
            return self.guess(&mut room.scratch, near, positions, outputs);
        }
        let first = outputs.len();
        outputs.resize(first + positions.len(), [0.0; 5]);
        let Room { scratch, unknown, places, answers } = room;
        unknown.clear();
        places.clear();
        answers.clear();
        for (place, cells) in positions.iter().enumerate() {
            match self.known(&Position::from_cells_unchecked(*cells)) {
                Some(known) => outputs[first + place] = known.map(|chance| chance as f32),
                None => {
                    unknown.push(*cells);
                    places.push(first + place);
                }
            }
        }
        if !unknown.is_empty() {
            self.guess(scratch, near, unknown, answers);
            for (&place, &answer) in places.iter().zip(answers.iter()) {
                outputs[place] = answer;
            }
        }
    }

    fn guess(
        &self,
        scratch: &mut Option<Scratch>,
        near: &[i8; CELLS],
        positions: &[[i8; CELLS]],
        outputs: &mut Vec<Outputs>,
    ) {
        match self.evaluator {
            Evaluator::Network(network) => {
                let scratch = scratch.get_or_insert_with(|| Scratch::new(network));
                network.evaluate_near(scratch, near, positions, outputs);
            }
            Evaluator::Other(other) => other.evaluate(positions, outputs),
        }
    }
}

/// Probabilities in floats of 64 bits, nested: in 32 bits 1 - win may have been rounded up.
pub(super) fn widen(outputs: Outputs) -> [f64; 5] {
    let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = outputs.map(f64::from);
    let lose_gammon = lose_gammon.min(1.0 - win);
    [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon.min(lose_gammon)]
}

/// Whether no checker of either side is further than `reach` from being off.
fn within(cells: &[i8; CELLS], reach: usize) -> bool {
    let board = Board::load(cells);
    let near = |rearmost: Option<usize>| rearmost.is_none_or(|rearmost| rearmost <= reach);
    near(board.own().highest()) && near(board.opponent().lowest().map(|place| BAR - place))
}

/// Whether a side has none off and is short of 15 checkers: it could lose a gammon that no table knows (rule 9.6).
fn has_unknown_gammon(cells: &[i8; CELLS]) -> bool {
    let count = |sign: i8| cells[..OFF].iter().map(|&cell| i16::from((cell * sign).max(0))).sum::<i16>();
    let short = |off: i8, sign: i8| off == 0 && count(sign) < i16::from(CHECKERS);
    short(cells[OFF], 1) || short(cells[OPPONENT_OFF], -1)
}
