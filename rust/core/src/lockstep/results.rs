//! What finished games leave behind.

use super::acts::{self, ActColumns, ActRecord};
use crate::ladder::MAX_LEVELS;
use crate::position::Position;

/// One finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRow {
    /// The game or match.
    pub unit: u64,
    /// The game within the match, from 0.
    pub number: u32,
    /// The player who made the opening roll.
    pub starter: u8,
    /// The seat of player 0: whose dice they had.
    pub seat: u8,
    /// What player 0 won or lost, stake and cube included.
    pub points: i64,
    /// Turns, dances included.
    pub plies: u32,
    /// What multiplied the cube.
    pub stake: u32,
    /// The level of the cube at the end.
    pub level: u8,
    /// Whether it ended by a drop.
    pub dropped: bool,
    /// The last position, seen by the player whose turn it was.
    pub last: Position,
}

/// Sums over games; the same for any order of adding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Independent samples: games, matches, or pairs of them.
    pub samples: u64,
    /// Finished games.
    pub games: u64,
    /// Turns, dances included.
    pub plies: u64,
    /// Sum of the squares of the plies of each game.
    pub plies_squared: u64,
    /// Wins of each player: single, gammon, backgammon, as they counted.
    pub wins: [[u64; 3]; 2],
    /// What player 0 won in all, stake and cube included.
    pub points: i64,
    /// Sum over samples of the square of what player 0 won.
    pub points_squared: u128,
    /// Finished matches that each player won.
    pub match_wins: [u64; 2],
    /// Sum over samples of the square of the matches that player 0 won.
    pub match_wins_squared: u64,
    /// Doubles offered, taken and dropped by each player.
    pub cube: [[u64; 3]; 2],
    /// Games by the level of the cube at their end.
    pub levels: [u64; MAX_LEVELS],
}

impl Sums {
    /// Adds what another part summed up.
    pub fn add(&mut self, other: &Sums) {
        self.samples += other.samples;
        self.games += other.games;
        self.plies += other.plies;
        self.plies_squared += other.plies_squared;
        self.points += other.points;
        self.points_squared += other.points_squared;
        self.match_wins_squared += other.match_wins_squared;
        let add = |mine: &mut [u64], more: &[u64]| mine.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        add(&mut self.match_wins, &other.match_wins);
        add(&mut self.levels, &other.levels);
        for player in 0..2 {
            add(&mut self.wins[player], &other.wins[player]);
            add(&mut self.cube[player], &other.cube[player]);
        }
    }

    pub(super) fn add_game(&mut self, game: &GameRow, counted: usize) {
        self.games += 1;
        self.plies += u64::from(game.plies);
        self.plies_squared += u64::from(game.plies).pow(2);
        self.wins[usize::from(game.points < 0)][counted - 1] += 1;
        self.points += game.points;
        self.levels[usize::from(game.level)] += 1;
    }

    pub(super) fn end_sample(&mut self) {
        self.samples = 1;
        self.points_squared = u128::from(self.points.unsigned_abs()).pow(2);
        self.match_wins_squared = self.match_wins[0].pow(2);
    }
}

/// What is kept of finished games, beside the sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// A row for each game.
    pub games: bool,
    /// A row for each action; then for each game, too.
    pub acts: bool,
    /// The positions of actions as the bits of their IDs, in place of their cells.
    pub keys: bool,
}

/// What finished games left behind; rows of one sample lie together, samples in any order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// Sums.
    pub sums: Sums,
    /// Games, if they are kept.
    pub games: Vec<GameRow>,
    /// Actions, if they are kept.
    pub acts: ActColumns,
}

impl Results {
    /// Adds what another part left.
    pub fn append(&mut self, mut other: Results) {
        self.sums.add(&other.sums);
        acts::append(&mut self.games, &mut other.games);
        self.acts.append(other.acts);
    }

    /// The same with the units in order.
    pub fn in_order(mut self) -> Results {
        // Rows of one unit lie together in the order they were played, and a stable sort keeps that.
        self.games.sort_by_key(|game| game.unit);
        self.acts = self.acts.in_order();
        self
    }
}

/// What a sample has come to so far.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub sums: Sums,
    pub games: Vec<GameRow>,
    pub acts: Vec<ActRecord>,
}
