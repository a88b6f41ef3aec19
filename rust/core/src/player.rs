//! Players that look at the positions which their plays lead to, and no further (0-ply): networks, and a plain one.

use crate::cube;
use crate::dice::Roll;
use crate::eval::{Chooser, certified};
use crate::ladder::{Ladder, Owner};
use crate::movegen::{self, View};
use crate::nn::{Network, Outputs};
use crate::position::{BAR, CELLS, Position};

/// What a game is worth by the chances of its ends while nobody will turn the cube: a constant and what each of the five
/// probabilities adds. In points without a cube it is the equity, bit by bit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Worth {
    lost: f32,
    gains: [f32; 5],
}

impl Worth {
    /// The worth of the ends of a game with the cube there, to the player whose ladder it is.
    fn new(ladder: &Ladder, level: usize, owner: Owner) -> Worth {
        let [lost3, lost2, lost, won, won2, won3] = ladder.worth(level);
        let gains = if ladder.gammons_count(owner) {
            [won - lost, won2 - won, won3 - won2, lost2 - lost, lost3 - lost2]
        } else {
            [won - lost, 0.0, 0.0, 0.0, 0.0]
        };
        Worth { lost: lost as f32, gains: gains.map(|gain| gain as f32) }
    }

    #[inline(always)]
    fn of(&self, [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon]: Outputs) -> f32 {
        let [a, b, c, d, e] = self.gains;
        (a * win + self.lost) + (b * win_gammon + d * lose_gammon) + (c * win_backgammon + e * lose_backgammon)
    }
}

/// A network that plays, with the room it needs kept from decision to decision.
///
/// Plays are chosen by the worth of what they lead to: with a cube that can still be turned by [`cube::value`], else by
/// the mean of the six ends. The cube is turned and taken as [`cube::decide`] says, for opponents who never beaver.
pub struct NetworkPlayer<'a>(Chooser<'a>);

impl<'a> NetworkPlayer<'a> {
    /// The player of a network.
    pub fn new(network: &'a Network) -> NetworkPlayer<'a> {
        NetworkPlayer(Chooser::new(network))
    }

    /// The best play of a roll, as the position after it in the view of who made it; unchanged for a dance. `theirs` is
    /// the ladder of the player who rolls next, and the cube lies as that player sees it.
    pub fn play(&mut self, position: &Position, roll: Roll, theirs: &Ladder, level: usize, owner: Owner) -> Position {
        let (next, _) = if theirs.lives(level, owner) == [false; 2] {
            let worth = Worth::new(theirs, level, owner);
            self.0.least(position, roll, |_, outputs| worth.of(outputs))
        } else {
            self.0.least(position, roll, |next, outputs| {
                cube::value(certified(outputs), theirs, level, owner, cube::efficiency(next))
            })
        };
        next.flip()
    }

    /// Whether to double a cube that the ladder lets the player on roll turn.
    pub fn doubles(&mut self, position: &Position, ladder: &Ladder, level: usize, owner: Owner) -> bool {
        let decision = self.decide(position, ladder, level, owner);
        decision.double_take.min(decision.double_drop) >= decision.no_double
    }

    /// Whether to take a double; everything is seen by the player who doubled, and the cube lies as it did before.
    pub fn takes(&mut self, position: &Position, ladder: &Ladder, level: usize, owner: Owner) -> bool {
        let decision = self.decide(position, ladder, level, owner);
        decision.double_take < decision.double_drop
    }

    fn decide(&mut self, position: &Position, ladder: &Ladder, level: usize, owner: Owner) -> cube::Decision {
        let probabilities = certified(self.0.evaluate(position));
        cube::decide(probabilities, ladder, level, owner, cube::efficiency(position))
    }
}

/// Throws of 36 that hit a blot so many pips away, nothing in between: what players know by heart, up to 12.
const SHOTS: [i32; 13] = [0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3];
/// What an own point from 4 to 7 is taken to be worth, in pips x 36.
const MADE: i32 = 36 * 5;
/// What is lost with a blot beside its pips, in pips.
const TEMPO: i32 = 8;

/// A player by three plain rules, to measure others against: a lead in pips is good, so are points that block, and a
/// blot costs what it loses as often as its nearest enemy hits it.
#[derive(Debug, Default)]
pub struct Baseline {
    candidates: Vec<[i8; CELLS]>,
}

impl Baseline {
    /// Its play of a roll, as the position after it in the view of who made it; the first among equals.
    pub fn play(&mut self, position: &Position, roll: Roll) -> Position {
        self.candidates.clear();
        movegen::results(position, roll, View::Mover, &mut self.candidates);
        // The first of the greatest: `max_by_key` would give the last.
        let best = self.candidates.iter().rev().max_by_key(|cells| Baseline::worth(cells));
        best.map_or(*position, |cells| Position::from_cells_unchecked(*cells))
    }

    /// What a position is worth to the player whose view it is and who has just moved, in pips x 36.
    fn worth(cells: &[i8; CELLS]) -> i32 {
        let mut worth = 0;
        // The nearest enemy that has not passed yet: it comes from its bar, 0, upwards.
        let mut enemy = None;
        for (point, &cell) in (0..).zip(&cells[..=BAR]) {
            let count = i32::from(cell);
            if count < 0 {
                enemy = Some(point);
                worth -= 36 * count * (25 - point);
            } else if count > 0 {
                worth -= 36 * count * point;
            }
            if count > 1 && (4..=7).contains(&point) {
                worth += MADE;
            }
            if count == 1 && point < 25 {
                let shots = enemy.and_then(|enemy| SHOTS.get((point - enemy) as usize)).unwrap_or(&0);
                worth -= shots * (25 - point + TEMPO);
            }
        }
        worth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Objective, best_positions};
    use crate::ladder::{Level, Terms};
    use crate::nn::{Shape, Weights};
    use crate::parallel::Control;
    use crate::position::Variant;
    use crate::simulate;

    const POINTS: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];

    fn network() -> Network {
        Network::new(Weights::random(Shape::new(64, 16).unwrap(), 3))
    }

    fn positions() -> Vec<Position> {
        simulate::random_positions(&Position::start(Variant::Standard), 300, 1, &Control::default())
    }

    fn fixed(worth: [f64; 6], total: f64, gammons_while_centred: bool) -> Ladder {
        let terms = Terms { total, gammons_while_centred, ..Terms::default() };
        Ladder::new(&[Level { worth, may_double: [false; 2], dead: false }], terms).unwrap()
    }

    /// Without a cube the plays are those of the batch functions.
    #[test]
    fn the_objectives_are_ladders() {
        let network = network();
        let positions = positions();
        let rolls: Vec<Roll> = (0..positions.len()).map(|row| Roll::ALL[row % 21]).collect();
        let cases = [
            (Objective::Points, fixed(POINTS, 0.0, true)),
            (Objective::Win, fixed(POINTS, 0.0, false)),
            (Objective::Win, fixed([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], 1.0, true)),
        ];
        for (objective, ladder) in cases {
            let best = best_positions(&network, &positions, &rolls, objective, View::Mover, 1);
            let mut player = NetworkPlayer::new(&network);
            for (row, position) in positions.iter().enumerate() {
                let after = player.play(position, rolls[row], &ladder, 0, Owner::Centred);
                assert_eq!(after.cells(), &best[row], "{objective:?} {row}");
            }
        }
    }

    /// With a live cube: no other play leaves the opponent less.
    #[test]
    fn with_a_cube_plays_are_the_best_by_its_value() {
        let network = network();
        let ladder = Ladder::endless(POINTS, Terms { gammons_while_centred: false, ..Terms::default() }).unwrap();
        let mut player = NetworkPlayer::new(&network);
        let mut different = 0;
        for (row, position) in positions().iter().enumerate() {
            let roll = Roll::ALL[row % 21];
            for owner in Owner::ALL {
                let left = |next: &Position| {
                    let chances = certified(Chooser::new(&network).evaluate(next));
                    cube::value(chances, &ladder, 1, owner, cube::efficiency(next))
                };
                let next = player.play(position, roll, &ladder, 1, owner).flip();
                assert!(position.plays(roll).iter().all(|play| left(&play.next()) >= left(&next)));
                let cubeless = Chooser::new(&network).best(position, roll, Objective::Points).0;
                different += usize::from(cubeless != next);
            }
        }
        assert!(different > 0, "the cube should matter somewhere");
    }

    #[test]
    fn the_cube_is_handled_as_decide_says() {
        let network = network();
        let beavers = Terms { gammons_while_centred: false, beavers: 1, ..Terms::default() };
        let ladders = [beavers, Terms { beavers: 0, ..beavers }].map(|terms| Ladder::endless(POINTS, terms).unwrap());
        let mut player = NetworkPlayer::new(&network);
        let mut seen = [0; 4];
        for position in positions() {
            let chances = certified(Chooser::new(&network).evaluate(&position));
            let plain = cube::decide(chances, &ladders[1], 0, Owner::Centred, cube::efficiency(&position));
            let [doubles, takes] = [plain.action.doubles(), plain.double_take < 1.0];
            for ladder in &ladders {
                assert_eq!(player.doubles(&position, ladder, 0, Owner::Centred), doubles);
                assert_eq!(player.takes(&position, ladder, 0, Owner::Centred), takes);
            }
            seen[usize::from(doubles) * 2 + usize::from(takes)] += 1;
        }
        assert!(seen[1] > 0 && seen[2] + seen[3] > 0, "{seen:?}");
    }
}
