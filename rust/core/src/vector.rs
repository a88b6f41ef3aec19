//! Games side by side for learning: every one of them is at a roll that waits for an action, always.
//!
//! A game that ends gives its place to a new one within the same step.

use crate::dice::Roll;
use crate::movegen::{self, View};
use crate::position::{CELLS, Position};
use crate::rng::GameDice;

/// What breaking the rules costs: as much as a game can, so that it never pays.
pub const PENALTY: f32 = 3.0;

#[derive(Clone, Debug)]
struct Lane {
    position: Position,
    roll: Roll,
    seat: usize,
    turn: u64,
    game: u64,
    actions: usize,
}

/// Games side by side.
#[derive(Clone, Debug)]
pub struct Vector {
    start: Position,
    seed: u64,
    lanes: Vec<Lane>,
}

/// What a step did, in columns with a row for each game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stepped {
    /// What seats 0 and 1 won: 0 unless the game ended.
    pub rewards: Vec<[f32; 2]>,
    /// Whether the game ended.
    pub ended: Vec<bool>,
    /// Whether it ended by an action that there was not.
    pub illegal: Vec<bool>,
    /// The last positions of the games that ended, in order, seen by who acted last.
    pub last: Vec<[i8; CELLS]>,
}

/// How games stand, in columns with a row for each game.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Positions, seen by the player on roll.
    pub positions: Vec<[i8; CELLS]>,
    /// Dice, larger first.
    pub rolls: Vec<[u8; 2]>,
    /// The seat on roll.
    pub seats: Vec<i8>,
    /// How many actions there are, at least 1: a dance is an action.
    pub counts: Vec<i64>,
    /// Where the actions of each row begin in a list of all, and their number.
    pub offsets: Vec<i64>,
    /// What each action leads to in the view of the player who rolls next, if that is wanted.
    pub candidates: Vec<[i8; CELLS]>,
}

impl Lane {
    fn open(start: &Position, seed: u64, game: u64) -> Lane {
        let (seat, roll) = GameDice { seed, game }.opening();
        let position = if seat == 0 { *start } else { start.flip() };
        let mut lane = Lane { position, roll, seat, turn: 0, game, actions: 0 };
        lane.count();
        lane
    }

    fn count(&mut self) {
        self.actions = movegen::count(&self.position, self.roll).max(1);
    }

    /// The position after an action that there is.
    fn after(&self, action: usize) -> Position {
        // Only a dance has no result at all.
        movegen::nth(&self.position, self.roll, action).unwrap_or(self.position)
    }
}

impl Vector {
    /// `games` new games: the first has the number 0 and the dice that belong to it, and so on.
    pub fn new(start: Position, seed: u64, games: usize) -> Vector {
        let lanes = (0..games as u64).map(|game| Lane::open(&start, seed, game)).collect();
        Vector { start, seed, lanes }
    }

    /// The first row whose action there is not, with how many actions it has.
    pub fn first_illegal(&self, actions: &[i64]) -> Option<(usize, usize)> {
        let legal = |(lane, action): (&Lane, &i64)| (0..lane.actions as i64).contains(action);
        let row = self.lanes.iter().zip(actions).position(|pair| !legal(pair))?;
        Some((row, self.lanes[row].actions))
    }

    /// Plays an action in each game. One that there is not loses the game by a backgammon.
    pub fn step(&mut self, actions: &[i64]) -> Stepped {
        assert_eq!(actions.len(), self.lanes.len(), "an action for each game");
        let games = self.lanes.len() as u64;
        let mut stepped = Stepped {
            rewards: vec![[0.0; 2]; self.lanes.len()],
            ended: vec![false; self.lanes.len()],
            illegal: vec![false; self.lanes.len()],
            last: Vec::new(),
        };
        for (row, (lane, &action)) in self.lanes.iter_mut().zip(actions).enumerate() {
            let legal = (0..lane.actions as i64).contains(&action);
            let after = if legal { lane.after(action as usize) } else { lane.position };
            let won = match after.outcome() {
                _ if !legal => -PENALTY,
                Some(outcome) => f32::from(outcome.points()),
                None => {
                    lane.position = after.flip();
                    lane.seat = 1 - lane.seat;
                    lane.turn += 1;
                    lane.roll = GameDice { seed: self.seed, game: lane.game }.roll(lane.turn);
                    lane.count();
                    continue;
                }
            };
            stepped.rewards[row][lane.seat] = won;
            stepped.rewards[row][1 - lane.seat] = -won;
            stepped.ended[row] = true;
            stepped.illegal[row] = !legal;
            stepped.last.push(*after.cells());
            *lane = Lane::open(&self.start, self.seed, lane.game + games);
        }
        stepped
    }

    /// How all games stand; with what every action leads to if that is wanted.
    pub fn see(&self, candidates: bool) -> Seen {
        let mut seen = Seen {
            positions: self.lanes.iter().map(|lane| *lane.position.cells()).collect(),
            rolls: self.lanes.iter().map(|lane| [lane.roll.high(), lane.roll.low()]).collect(),
            seats: self.lanes.iter().map(|lane| lane.seat as i8).collect(),
            counts: self.lanes.iter().map(|lane| lane.actions as i64).collect(),
            ..Seen::default()
        };
        let mut total = 0;
        seen.offsets = std::iter::once(0)
            .chain(seen.counts.iter().map(|count| {
                total += count;
                total
            }))
            .collect();
        if candidates {
            seen.candidates.reserve(total as usize);
            for lane in &self.lanes {
                let before = seen.candidates.len();
                movegen::results(&lane.position, lane.roll, View::Next, &mut seen.candidates);
                if seen.candidates.len() == before {
                    seen.candidates.push(*lane.position.flip().cells());
                }
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Variant;

    #[test]
    fn rewards_sum_to_zero_and_actions_are_never_stale_e04_e24() {
        let mut games = Vector::new(Position::start(Variant::Standard), 1, 20);
        let mut ended = 0;
        for turn in 0..1000 {
            let seen = games.see(true);
            assert_eq!(seen.offsets[20] as usize, seen.candidates.len());
            for row in 0..20 {
                let position = Position::from_cells(&seen.positions[row]).unwrap();
                let roll = Roll::new(seen.rolls[row][0], seen.rolls[row][1]).unwrap();
                assert_eq!(seen.counts[row] as usize, movegen::count(&position, roll).max(1));
            }
            let actions: Vec<i64> = seen.counts.iter().map(|count| (turn * 7) % count).collect();
            assert_eq!(games.first_illegal(&actions), None);
            let stepped = games.step(&actions);
            assert!(stepped.rewards.iter().all(|[a, b]| a + b == 0.0));
            ended += stepped.last.len();
            assert_eq!(stepped.ended.iter().filter(|ended| **ended).count(), stepped.last.len());
        }
        assert!(ended > 50);
    }

    #[test]
    fn what_there_is_not_loses() {
        let mut games = Vector::new(Position::start(Variant::Standard), 1, 2);
        let seats = games.see(false).seats;
        assert_eq!(games.first_illegal(&[0, 5000]).unwrap().0, 1);
        let stepped = games.step(&[0, 5000]);
        assert_eq!(stepped.illegal, [false, true]);
        assert_eq!(stepped.rewards[1][seats[1] as usize], -PENALTY);
        assert_eq!(stepped.rewards[0], [0.0; 2]);
    }
}
