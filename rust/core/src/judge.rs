//! What is known of a position without looking ahead: what search and rollouts both go by.

use crate::bearoff::TwoSided;
use crate::bearoff::one_sided::OneSided;
use crate::bearoff::two_sided::{Ask, Jacoby};
use crate::board::Board;
use crate::certain::certain_end;
use crate::dice::Roll;
use crate::eval::certified;
use crate::ladder::{Ladder, Owner};
use crate::movegen::{self, View};
use crate::nn::{Network, OUTPUTS, Outputs, Scratch, Slope, Widths};
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
pub(crate) struct Room {
    scratch: Option<Scratch>,
    unknown: Vec<[i8; CELLS]>,
    places: Vec<usize>,
    answers: Vec<Outputs>,
    slope: Option<Slope>,
}

/// On a ladder that ends, equities of a cube that can be turned for ever are near enough for a level that is so far below
/// the end: in the bear-off they are off by less than 0.003, and with one doubling less by up to 0.006.
const HEADROOM: usize = 5;

impl<'a> Judge<'a> {
    /// A network without tables.
    pub fn bare(network: &'a Network) -> Judge<'a> {
        Judge { evaluator: Evaluator::Network(network), one_sided: None, two_sided: None }
    }

    /// How far from home a checker can be in a table.
    fn reach(&self) -> usize {
        let one = self.one_sided.map_or(0, |table| table.index().points());
        one.max(self.two_sided.map_or(0, |table| table.spec().points()))
    }

    /// The five probabilities where nothing is left to estimate: a finished game, a race whose end no dice can change, or a
    /// position of a table.
    ///
    /// Without gammons an exact equity says how often the game is won; the one-sided table is asked for the rest.
    pub fn known(&self, position: &Position) -> Option<[f64; 5]> {
        // Nearly all ends that are certain come when checkers are off, and most positions of a search have none off.
        let cells = position.cells();
        let may_be_certain = cells[OFF] > 0 || cells[OPPONENT_OFF] > 0;
        if let Some(outcome) = if may_be_certain { certain_end(position) } else { position.outcome() } {
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

    /// The exact money equity of a cube there, per unit of it, if the table has it. The ladder must count points.
    pub(crate) fn equity(
        &self,
        position: &Position,
        ladder: &Ladder,
        level: usize,
        owner: Owner,
        no_double: bool,
    ) -> Option<f64> {
        let table = self.two_sided?;
        if !ladder.is_endless() && level + HEADROOM > ladder.settled() {
            return None;
        }
        if !within(position.cells(), table.spec().points()) {
            return None;
        }
        let jacoby = if ladder.gammons_count(Owner::Centred) { Jacoby::Off } else { Jacoby::On };
        table.value(position, Ask { cube: Some((owner, 0)), jacoby, player: 0, no_double }).ok()
    }

    /// The five probabilities of a position.
    pub(crate) fn evaluate(&self, room: &mut Room, position: &Position) -> [f64; 5] {
        if let Some(known) = self.known(position) {
            return known;
        }
        let Room { scratch, answers, .. } = room;
        answers.clear();
        self.guess(scratch, &[0; CELLS], &[*position.cells()], answers);
        widen(answers[0])
    }

    /// Whether no play to a position that is like this one leads into a table: who waits there is too far from home, and
    /// who does not move comes no nearer, so nothing has to be looked up.
    fn is_beyond(&self, near: &[i8; CELLS]) -> bool {
        let reach = self.reach();
        reach == 0 || Board::load(near).own().highest().is_none_or(|rearmost| rearmost > reach)
    }

    /// Appends the positions that the plays of each of the 21 rolls lead to, seen by the player who rolls next, a dance as
    /// one that changes nothing; and says where those of each roll end.
    ///
    /// Of each roll at most `most` are there: of a network, those that look best to it as a straight line around the
    /// position, by the worth to who rolls next to which the five probabilities add so much each. Where tables may be
    /// reached, and of other evaluators, all of them are.
    pub(crate) fn replies(
        &self,
        room: &mut Room,
        position: &Position,
        gains: [f32; OUTPUTS],
        (most, widths): (usize, Widths),
        replies: &mut Vec<[i8; CELLS]>,
    ) -> [usize; 21] {
        let near = position.flip();
        let Room { slope, scratch, .. } = room;
        let sift = match self.evaluator {
            Evaluator::Network(network) if most < usize::MAX && self.is_beyond(near.cells()) => {
                let scratch = scratch.get_or_insert_with(|| Scratch::new(network));
                let slope = slope.get_or_insert_with(|| Slope::new(network));
                slope.stand_on(network, network.sums(scratch, near.cells()), gains, widths);
                if widths == Widths::Sure {
                    slope.ask_for_hits(network, scratch, near.cells(), gains);
                }
                Some(slope.on(network))
            }
            _ => None,
        };
        Roll::ALL.map(|roll| {
            let before = replies.len();
            match &sift {
                Some(slope) => movegen::least(position, roll, most, slope, replies),
                None => movegen::results(position, roll, View::Next, replies),
            }
            if replies.len() == before {
                replies.push(*near.cells());
            }
            replies.len()
        })
    }

    /// Appends the five probabilities of positions that are all reached by a play of the player who waits in them, in
    /// `near` before that play.
    pub(crate) fn evaluate_near(
        &self,
        room: &mut Room,
        near: &[i8; CELLS],
        positions: &[[i8; CELLS]],
        outputs: &mut Vec<Outputs>,
    ) {
        if self.is_beyond(near) {
            return self.guess(&mut room.scratch, near, positions, outputs);
        }
        let first = outputs.len();
        outputs.resize(first + positions.len(), [0.0; 5]);
        let Room { scratch, unknown, places, answers, .. } = room;
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

/// The numbers of [`certified`].
pub(crate) fn widen(outputs: Outputs) -> [f64; 5] {
    certified(outputs).values()
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
