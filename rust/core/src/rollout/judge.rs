//! What the network says at 0-ply: the best plays of rolls, and the worth of what they lead to.

use crate::bearoff::one_sided::OneSided;
use crate::cube;
use crate::dice::Roll;
use crate::eval::Objective;
use crate::ladder::{Ladder, Owner};
use crate::movegen::{self, View};
use crate::nn::{Network, Outputs, Scratch, Slope};
use crate::outcome::Probabilities;
use crate::position::{CELLS, Position};

/// So many plays of each roll are looked at for its luck: those that score best by the slope of the network. Tried on the
/// 3-1 opening: with 2 the error is 10 % larger than with all, with 3 5 %, with 6 2 %, and each takes as much time again
/// as it is smaller.
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
    network: &'a Network,
    races: Option<&'a OneSided>,
    scratch: Scratch,
    slope: Slope<'a>,
    /// The plays of one roll.
    plays: Vec<[i8; CELLS]>,
    candidates: Vec<[i8; CELLS]>,
    outputs: Vec<Outputs>,
}

impl<'a> Judge<'a> {
    /// A judge by a network, which knows some races exactly.
    pub fn new(network: &'a Network, races: Option<&'a OneSided>) -> Judge<'a> {
        Judge {
            network,
            races,
            scratch: Scratch::new(network),
            slope: Slope::new(network),
            plays: Vec::new(),
            candidates: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// What a race table says of a position, if it holds it.
    pub fn race(&self, position: &Position) -> Option<Probabilities> {
        let races = self.races?;
        let [player, opponent] = races.ranks(position)?;
        let chances = races.race_chances(player, opponent)?;
        Some(Probabilities::new_unchecked([chances.win, chances.win_gammon, 0.0, chances.lose_gammon, 0.0]))
    }

    /// The chances in a position: a race table's, else the network's.
    pub fn evaluate(&mut self, position: &Position) -> Probabilities {
        if let Some(exact) = self.race(position) {
            return exact;
        }
        self.outputs.clear();
        self.network.evaluate(&mut self.scratch, &[*position.cells()], &mut self.outputs);
        probabilities(self.outputs[0])
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
        self.network.evaluate_near(&mut self.scratch, near.cells(), &self.candidates, &mut self.outputs);
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

    /// The best play of a roll with a live cube: `ladder` and `owner` are seen by the player who rolls next.
    pub fn best_cubeful(
        &mut self,
        position: &Position,
        roll: Roll,
        ladder: &Ladder,
        level: usize,
        owner: Owner,
    ) -> Position {
        self.look(position, roll);
        let mut best = 0;
        let mut least = f64::INFINITY;
        for place in 0..self.candidates.len() {
            let (after, outputs) = self.found(place);
            let worth = cubeful(&after, outputs, ladder, level, owner);
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
        let near = position.flip();
        self.slope.stand_on(near.cells(), next.gains.map(|gain| gain as f32));
        self.candidates.clear();
        self.outputs.clear();
        let mut ends = [0; 21];
        for (roll, end) in Roll::ALL.into_iter().zip(&mut ends) {
            self.plays.clear();
            movegen::results(position, roll, View::Next, &mut self.plays);
            match self.plays.len() {
                0 => self.candidates.push(*near.cells()),
                1..=LOOKED_AT => self.candidates.append(&mut self.plays),
                _ => keep_least(&self.plays, &mut self.slope, &mut self.candidates),
            }
            *end = self.candidates.len();
        }
        self.network.evaluate_near(&mut self.scratch, near.cells(), &self.candidates, &mut self.outputs);
        std::array::from_fn(|index| {
            let from = if index == 0 { 0 } else { ends[index - 1] };
            self.found(self.least(from, ends[index], next))
        })
    }
}

/// Appends the plays that score least, in the order of their scores, the first first among equals.
fn keep_least(plays: &[[i8; CELLS]], slope: &mut Slope<'_>, kept: &mut Vec<[i8; CELLS]>) {
    let mut least = [(i32::MAX, 0); LOOKED_AT];
    for (place, cells) in plays.iter().enumerate() {
        let mut entry = (slope.score(cells), place);
        if entry.0 < least[LOOKED_AT - 1].0 {
            for other in &mut least {
                if entry.0 < other.0 {
                    std::mem::swap(&mut entry, other);
                }
            }
        }
    }
    kept.extend(least.map(|(_, place)| plays[place]));
}

/// Outputs as probabilities: in floats of 32 bits 1 - win may have been rounded up.
pub fn probabilities(outputs: Outputs) -> Probabilities {
    let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = outputs.map(f64::from);
    let lose_gammon = lose_gammon.min(1.0 - win);
    Probabilities::new_unchecked([win, win_gammon, win_backgammon, lose_gammon, lose_backgammon.min(lose_gammon)])
}

/// The worth of a position to the player on roll with the best action of the cube.
pub fn cubeful(position: &Position, outputs: Outputs, ladder: &Ladder, level: usize, owner: Owner) -> f64 {
    cube::best(probabilities(outputs), ladder, level, owner, cube::efficiency(position))
}
