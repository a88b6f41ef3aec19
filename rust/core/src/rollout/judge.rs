//! What is said at 0-ply: the best plays of rolls, and the worth of what they lead to.

use crate::cube;
use crate::dice::Roll;
use crate::eval::{Objective, certified};
use crate::judge::{self, Room};
use crate::ladder::{Ladder, Owner};
use crate::movegen::{self, View};
use crate::nn::{Outputs, Widths};
use crate::outcome::Probabilities;
use crate::position::{CELLS, Position};

/// So many plays of each roll are looked at for its luck: those that score best by the slope of the network. More make
/// the error of a trial smaller and the trial longer by as much: with 6 or 10 a given error took no less time.
const LOOKED_AT: usize = 3;

/// What a game is worth to one player at a place of the cube from which nobody turns it any more.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// How plays are compared: by an objective that ranks them just as the worths do, if there is one.
    objective: Option<Objective>,
    /// The worth of a lost game, and what each of the five probabilities adds.
    lost: f64,
    gains: [f64; 5],
}

impl Plain {
    /// The worth at a level; with gammons or without.
    pub fn new(ladder: &Ladder, level: usize, gammons: bool) -> Plain {
        let [lost3, lost2, lose, win, won2, won3] = ladder.worth(level);
        let counts = f64::from(u8::from(gammons));
        let gains = [
            win - lose,
            counts * (won2 - win),
            counts * (won3 - won2),
            counts * (lost2 - lose),
            counts * (lost3 - lost2),
        ];
        let [single, rest @ ..] = gains;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12 * single;
        let objective = if rest.iter().all(|&gain| gain == 0.0) {
            Some(Objective::Win)
        } else if rest[..2].iter().all(|&gain| near(2.0 * gain, single))
            && rest[2..].iter().all(|&gain| near(-2.0 * gain, single))
        {
            Some(Objective::Points)
        } else {
            None
        };
        Plain { objective, lost: lose, gains }
    }

    /// The worth of a game with these probabilities.
    pub fn worth(&self, probabilities: [f64; 5]) -> f64 {
        self.lost + self.gains.iter().zip(probabilities).map(|(gain, chance)| gain * chance).sum::<f64>()
    }

    /// What plays are compared by: the order of the worths.
    #[inline(always)]
    fn rank(&self, outputs: Outputs) -> f32 {
        match self.objective {
            Some(objective) => objective.value(outputs),
            None => self.worth(outputs.map(f64::from)) as f32,
        }
    }
}

/// Evaluates, with the room it needs kept from call to call.
pub struct Judge<'a> {
    judge: judge::Judge<'a>,
    /// The same without tables: quicker, and good enough for luck.
    bare: judge::Judge<'a>,
    room: Room,
    candidates: Vec<[i8; CELLS]>,
    outputs: Vec<Outputs>,
}

impl<'a> Judge<'a> {
    /// A judge that goes by another, with room of its own.
    pub fn new(judge: judge::Judge<'a>) -> Judge<'a> {
        let bare = judge::Judge { one_sided: None, two_sided: None, ..judge };
        Judge { judge, bare, room: Room::default(), candidates: Vec::new(), outputs: Vec::new() }
    }

    /// The chances in a position.
    pub fn evaluate(&mut self, position: &Position) -> Probabilities {
        Probabilities::new_unchecked(self.judge.evaluate(&mut self.room, position))
    }

    /// Evaluates the plays of a roll, a dance as one that changes nothing.
    fn look(&mut self, position: &Position, roll: Roll) {
        self.candidates.clear();
        self.outputs.clear();
        let near = position.flip();
        movegen::results(position, roll, View::Next, &mut self.candidates);
        if self.candidates.is_empty() {
            self.candidates.push(*near.cells());
        }
        self.judge.evaluate_near(&mut self.room, near.cells(), &self.candidates, &mut self.outputs);
    }

    /// The place of the candidate that is worth least to the player who rolls next; the first among equals.
    fn least(&self, from: usize, to: usize, next: &Plain) -> usize {
        let mut best = from;
        let mut least = f32::INFINITY;
        for place in from..to {
            let rank = next.rank(self.outputs[place]);
            if rank < least {
                (best, least) = (place, rank);
            }
        }
        best
    }

    fn found(&self, place: usize) -> (Position, Outputs) {
        (Position::from_cells_unchecked(self.candidates[place]), self.outputs[place])
    }

    /// The best play of a roll where nobody turns the cube: the position seen by the player who rolls next, to whom
    /// `next` gives the worth, and its outputs.
    pub fn best_plain(&mut self, position: &Position, roll: Roll, next: &Plain) -> (Position, Outputs) {
        self.look(position, roll);
        self.found(self.least(0, self.candidates.len(), next))
    }

    /// The best play of a roll with a live cube: `ladder`, `owner` and whether a double has to wait are seen by the player
    /// who rolls next.
    pub fn best_cubeful(
        &mut self,
        position: &Position,
        roll: Roll,
        ladder: &Ladder,
        level: usize,
        owner: Owner,
        waits: bool,
    ) -> Position {
        self.look(position, roll);
        let mut best = 0;
        let mut least = f64::INFINITY;
        for place in 0..self.candidates.len() {
            let (after, outputs) = self.found(place);
            let worth = cubeful(&after, outputs, ladder, level, owner, waits);
            if worth < least {
                (best, least) = (place, worth);
            }
        }
        self.found(best).0
    }

    /// Good plays of each of the 21 rolls, in the order of [`Roll::ALL`]: nearly always the one that
    /// [`Judge::best_plain`] finds, for a fraction of the work. Luck needs no more: whatever it is measured by, its mean
    /// is zero.
    pub fn good_of_all(&mut self, position: &Position, next: &Plain) -> [(Position, Outputs); 21] {
        self.candidates.clear();
        self.outputs.clear();
        let gains = next.gains.map(|gain| gain as f32);
        let ends = self.bare.replies(&mut self.room, position, gains, (LOOKED_AT, Widths::Usual), &mut self.candidates);
        let near = position.flip();
        self.bare.evaluate_near(&mut self.room, near.cells(), &self.candidates, &mut self.outputs);
        std::array::from_fn(|index| {
            let from = if index == 0 { 0 } else { ends[index - 1] };
            self.found(self.least(from, ends[index], next))
        })
    }
}

/// The worth of a position to the player on roll with the best action of the cube, or without a double while that has to
/// wait.
pub fn cubeful(position: &Position, outputs: Outputs, ladder: &Ladder, level: usize, owner: Owner, waits: bool) -> f64 {
    let worth = if waits { cube::value } else { cube::best };
    worth(certified(outputs), ladder, level, owner, cube::efficiency(position))
}
