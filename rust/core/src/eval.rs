//! Evaluating positions and choosing plays by what a network says of the positions they lead to (0-ply).

use crate::dice::Roll;
use crate::movegen::{self, View};
use crate::nn::{Network, Outputs, Scratch, equity, flip};
use crate::outcome::Probabilities;
use crate::parallel::{self, Control};
use crate::position::{CELLS, Position};

/// Rows are handed to threads this many at a time.
const CHUNK: usize = 256;

/// What a player plays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// To win: gammons count as much as single games (double match point).
    Win,
    /// Points with gammons, without a cube.
    Points,
}

impl Objective {
    /// All of them.
    pub const ALL: [Objective; 2] = [Objective::Win, Objective::Points];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Objective::Win => "win",
            Objective::Points => "points",
        }
    }

    /// The objective of a name.
    pub fn from_name(name: &str) -> Option<Objective> {
        Objective::ALL.into_iter().find(|objective| objective.name() == name)
    }

    /// What outputs are worth to the player on roll: 0 for a lost game and 1 for a won one, or points.
    #[inline(always)]
    pub fn value(self, outputs: Outputs) -> f32 {
        match self {
            Objective::Win => outputs[0],
            Objective::Points => equity(outputs),
        }
    }

    /// The same worth for the other player.
    #[inline(always)]
    pub fn flip(self, value: f32) -> f32 {
        match self {
            Objective::Win => 1.0 - value,
            Objective::Points => -value,
        }
    }
}

/// Evaluates positions and finds best plays, with the room it needs kept from call to call.
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
        self.least(position, roll, |_, outputs| objective.value(outputs))
    }

    /// The same for any worth of a position to the player who rolls next: the play that leaves the least of it.
    #[inline(always)]
    pub(crate) fn least<V: PartialOrd>(
        &mut self,
        position: &Position,
        roll: Roll,
        value: impl Fn(&Position, Outputs) -> V,
    ) -> (Position, Outputs) {
        self.candidates.clear();
        self.outputs.clear();
        movegen::results(position, roll, View::Next, &mut self.candidates);
        let near = position.flip();
        if self.candidates.is_empty() {
            self.candidates.push(*near.cells());
        }
        self.network.evaluate_near(&mut self.scratch, near.cells(), &self.candidates, &mut self.outputs);
        let value = |place: usize| value(&Position::from_cells_unchecked(self.candidates[place]), self.outputs[place]);
        let mut best = 0;
        let mut least = value(0);
        for place in 1..self.outputs.len() {
            let value = value(place);
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

    /// What each of the 21 rolls is worth with its best play: for the player on roll, in the order of [`Roll::ALL`].
    pub fn roll_values(&mut self, position: &Position, objective: Objective) -> [f32; 21] {
        Roll::ALL.map(|roll| {
            let (_, outputs) = self.best(position, roll, objective);
            objective.flip(objective.value(outputs))
        })
    }
}

/// What a network says of a position: certain if the game is over.
pub fn evaluate(network: &Network, position: &Position) -> Probabilities {
    certified(Chooser::new(network).evaluate(position))
}

/// Outputs as probabilities that are nested exactly.
pub(crate) fn certified(outputs: Outputs) -> Probabilities {
    let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = outputs.map(f64::from);
    // In floats of 32 bits 1 - win may have been rounded up.
    let lose_gammon = lose_gammon.min(1.0 - win);
    let lose_backgammon = lose_backgammon.min(lose_gammon);
    Probabilities::new_unchecked([win, win_gammon, win_backgammon, lose_gammon, lose_backgammon])
}

/// Answers for rows in order, each chunk of them by one thread.
fn rows<T: Send>(
    network: &Network,
    count: usize,
    threads: usize,
    control: &Control,
    answer: impl Fn(&mut Chooser<'_>, usize) -> T + Sync,
) -> Vec<T> {
    let parts = parallel::map_chunks(count.div_ceil(CHUNK) as u64, threads, control, |chunk| {
        let start = chunk as usize * CHUNK;
        let mut chooser = Chooser::new(network);
        let answers: Vec<T> = (start..count.min(start + CHUNK)).map(|row| answer(&mut chooser, row)).collect();
        control.advance(answers.len() as u64);
        answers
    });
    parts.into_iter().flat_map(|(_, answers)| answers).collect()
}

/// What a network says of each position; a finished one is exact.
pub fn evaluate_all(network: &Network, positions: &[Position], threads: usize) -> Vec<Outputs> {
    let parts = parallel::map_chunks(positions.len().div_ceil(CHUNK) as u64, threads, &Control::default(), |chunk| {
        let start = chunk as usize * CHUNK;
        let rows = &positions[start..positions.len().min(start + CHUNK)];
        let cells: Vec<_> = rows.iter().map(|position| *position.cells()).collect();
        let mut outputs = Vec::with_capacity(cells.len());
        network.evaluate(&mut Scratch::new(network), &cells, &mut outputs);
        outputs
    });
    parts.into_iter().flat_map(|(_, outputs)| outputs).collect()
}

/// The position after the best play of each row's roll. A dance and a finished game leave the checkers as they are.
///
/// # Panics
/// If there are not as many rolls as positions.
pub fn best_positions(
    network: &Network,
    positions: &[Position],
    rolls: &[Roll],
    objective: Objective,
    view: View,
    threads: usize,
) -> Vec<[i8; CELLS]> {
    assert_eq!(positions.len(), rolls.len(), "a roll for each position");
    rows(network, positions.len(), threads, &Control::default(), |chooser, row| {
        let (next, _) = chooser.best(&positions[row], rolls[row], objective);
        match view {
            View::Next => *next.cells(),
            View::Mover => *next.flip().cells(),
        }
    })
}

/// What each of the 21 rolls is worth to the player on roll of each position, with its best play.
pub fn roll_values(
    network: &Network,
    positions: &[Position],
    objective: Objective,
    threads: usize,
    control: &Control,
) -> Vec<[f32; 21]> {
    rows(network, positions.len(), threads, control, |chooser, row| chooser.roll_values(&positions[row], objective))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::{Shape, Weights};
    use crate::position::Variant;
    use crate::simulate;

    fn network() -> Network {
        Network::new(Weights::random(Shape::new(64, 16).unwrap(), 3))
    }

    fn rows() -> (Vec<Position>, Vec<Roll>) {
        let positions = simulate::random_positions(&Position::start(Variant::Standard), 700, 1, &Control::default());
        (positions, (0..700).map(|row| Roll::ALL[row % 21]).collect())
    }

    #[test]
    fn the_best_play_is_the_one_with_the_best_value() {
        let network = network();
        let (positions, rolls) = rows();
        for objective in Objective::ALL {
            let best = best_positions(&network, &positions, &rolls, objective, View::Next, 2);
            let mover = best_positions(&network, &positions, &rolls, objective, View::Mover, 1);
            let mut dances = 0;
            for (row, best) in best.iter().enumerate() {
                let best = Position::from_cells(best).unwrap();
                assert_eq!(best.flip().cells(), &mover[row]);
                let value = |next: &Position| objective.value(Chooser::new(&network).evaluate(next));
                let plays = positions[row].plays(rolls[row]);
                if plays.is_empty() {
                    assert_eq!(best, positions[row].flip());
                    dances += 1;
                } else {
                    assert!(plays.iter().any(|play| play.next() == best));
                    assert!(plays.iter().all(|play| value(&play.next()) >= value(&best)));
                }
            }
            assert!(dances > 5);
        }
    }

    #[test]
    fn the_same_for_any_number_of_threads() {
        let network = network();
        let (positions, _) = rows();
        let evaluated = evaluate_all(&network, &positions, 1);
        let values = roll_values(&network, &positions[..300], Objective::Points, 1, &Control::default());
        for threads in [2, 8] {
            assert_eq!(evaluate_all(&network, &positions, threads), evaluated);
            assert_eq!(
                roll_values(&network, &positions[..300], Objective::Points, threads, &Control::default()),
                values
            );
        }
        for (position, outputs) in positions.iter().zip(&evaluated) {
            let probabilities = evaluate(&network, position);
            assert!(probabilities.outcomes().iter().all(|&chance| chance >= 0.0));
            assert!((probabilities.equity() - f64::from(equity(*outputs))).abs() < 1e-6);
        }
    }

    #[test]
    fn rolls_are_worth_what_looking_ahead_says() {
        let network = network();
        let (positions, _) = rows();
        for objective in Objective::ALL {
            for position in &positions[..50] {
                let mut chooser = Chooser::new(&network);
                let values = chooser.roll_values(position, objective);
                let mean: f32 =
                    Roll::ALL.iter().zip(values).map(|(roll, value)| f32::from(roll.weight()) * value / 36.0).sum();
                let ahead = objective.value(chooser.look_ahead(position, objective));
                assert!((mean - ahead).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn a_finished_game_is_exact() {
        let position = Position::from_points(&[], &[(18, 15)]).unwrap();
        assert_eq!(evaluate(&network(), &position).equity(), 2.0);
        let best = best_positions(&network(), &[position], &[Roll::ALL[0]], Objective::Points, View::Mover, 1);
        assert_eq!(best, [*position.cells()]);
    }
}
