//! Whole games, played at random: the simplest player, for speed, tests and corpora.

use crate::dice::Roll;
use crate::movegen;
use crate::outcome::Outcome;
use crate::parallel::{self, Control};
use crate::position::Position;
use crate::rng::{GameDice, Purpose, Stream};

/// Games are handed to threads this many at a time.
const CHUNK: u64 = 256;

/// One finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Who made the opening roll, 0 or 1.
    pub starter: u8,
    /// What player 0 won or lost.
    pub outcome: Outcome,
    /// Turns, dances included.
    pub plies: u32,
}

/// Sums over games; the same for any order of adding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Finished games.
    pub games: u64,
    /// Turns, dances included.
    pub plies: u64,
    /// Wins of player 0 and of player 1: single, gammon, backgammon.
    pub wins: [[u64; 3]; 2],
    /// Sum of the squares of the plies of each game.
    pub plies_squared: u64,
}

impl Totals {
    fn add_game(&mut self, game: &GameRecord) {
        let points = game.outcome.points();
        self.games += 1;
        self.plies += u64::from(game.plies);
        self.plies_squared += u64::from(game.plies).pow(2);
        self.wins[usize::from(points < 0)][usize::from(points.unsigned_abs()) - 1] += 1;
    }

    fn add(&mut self, other: &Totals) {
        self.games += other.games;
        self.plies += other.plies;
        self.plies_squared += other.plies_squared;
        for (wins, more) in self.wins.iter_mut().flatten().zip(other.wins.iter().flatten()) {
            *wins += more;
        }
    }
}

/// A play chosen evenly among the distinct results of a roll; the position unchanged for a dance.
fn random_after(position: &Position, roll: Roll, seed: u64, game: u64, turn: u64) -> Position {
    match movegen::count(position, roll) {
        0 => *position,
        1 => movegen::nth(position, roll, 0).expect("one result"),
        results => {
            let place = Stream::new(seed, Purpose::Player, game, turn, 0).below(results as u64);
            movegen::nth(position, roll, place as usize).expect("a place below the count")
        }
    }
}

/// Plays one game at random and shows every position before its roll, in the view of the player on roll.
pub fn random_game(start: &Position, seed: u64, game: u64, mut see: impl FnMut(&Position, Roll)) -> GameRecord {
    let dice = GameDice { seed, game };
    let (starter, mut roll) = dice.opening();
    let mut position = if starter == 0 { *start } else { start.flip() };
    let mut on_roll = starter;
    let mut turn = 0;
    loop {
        see(&position, roll);
        let after = random_after(&position, roll, seed, game, turn);
        turn += 1;
        if let Some(outcome) = after.outcome() {
            let outcome = if on_roll == 0 { outcome } else { outcome.flip() };
            return GameRecord { starter: starter as u8, outcome, plies: turn as u32 };
        }
        position = after.flip();
        on_roll = 1 - on_roll;
        roll = dice.roll(turn);
    }
}

/// Plays `games` games at random and sums them up; a cancelled run holds the games that were finished.
pub fn random_games(start: &Position, games: u64, seed: u64, threads: usize, control: &Control) -> Totals {
    let parts = parallel::gather(games.div_ceil(CHUNK), threads, control, |totals: &mut Totals, chunk| {
        for game in chunk_games(chunk, games) {
            totals.add_game(&random_game(start, seed, game, |_, _| {}));
        }
        control.advance(chunk_games(chunk, games).count() as u64);
    });
    let mut totals = Totals::default();
    parts.iter().for_each(|part| totals.add(part));
    totals
}

/// Like [`random_games`], with a record of each game, in order; a cancelled run has gaps, so each has its number.
pub fn random_game_records(
    start: &Position,
    games: u64,
    seed: u64,
    threads: usize,
    control: &Control,
) -> (Totals, Vec<(u64, GameRecord)>) {
    let chunks = parallel::map_chunks(games.div_ceil(CHUNK), threads, control, |chunk| {
        let records: Vec<_> =
            chunk_games(chunk, games).map(|game| (game, random_game(start, seed, game, |_, _| {}))).collect();
        control.advance(records.len() as u64);
        records
    });
    let records: Vec<_> = chunks.into_iter().flat_map(|(_, records)| records).collect();
    let mut totals = Totals::default();
    records.iter().for_each(|(_, game)| totals.add_game(game));
    (totals, records)
}

fn chunk_games(chunk: u64, games: u64) -> std::ops::Range<u64> {
    chunk * CHUNK..games.min((chunk + 1).saturating_mul(CHUNK))
}

/// `n` positions before their roll, taken from random games: game after game, every one of them. Fewer if cancelled.
pub fn random_positions(start: &Position, n: usize, seed: u64, control: &Control) -> Vec<Position> {
    let mut positions = Vec::new();
    for game in 0.. {
        if positions.len() == n || control.is_cancelled() {
            break;
        }
        let before = positions.len();
        random_game(start, seed, game, |position, _| {
            if positions.len() < n {
                positions.push(*position);
            }
        });
        control.advance((positions.len() - before) as u64);
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Variant;

    #[test]
    fn the_same_for_any_number_of_threads() {
        let start = Position::start(Variant::Standard);
        let run = |threads| random_game_records(&start, 1000, 5, threads, &Control::default());
        let (totals, records) = run(1);
        assert_eq!(totals.games, 1000);
        for threads in [2, 8] {
            assert_eq!(run(threads), (totals, records.clone()));
            assert_eq!(random_games(&start, 1000, 5, threads, &Control::default()), totals);
        }
        assert_ne!(random_games(&start, 1000, 6, 2, &Control::default()), totals);
    }

    #[test]
    fn a_cancelled_run_holds_whole_games() {
        let control = Control::default();
        control.cancel();
        let totals = random_games(&Position::start(Variant::Standard), u64::MAX, 1, 2, &control);
        assert_eq!(totals, Totals::default());
    }

    /// About 97 plies a game; single, gammon and backgammon near 38, 36 and 26 %.
    #[test]
    fn random_play_looks_as_it_is_known_to() {
        let totals = random_games(&Position::start(Variant::Standard), 20_000, 1, 2, &Control::default());
        let plies = totals.plies as f64 / totals.games as f64;
        assert!((96.0..99.0).contains(&plies), "{plies}");
        for (level, share) in [0.38, 0.36, 0.26].into_iter().enumerate() {
            let seen = (totals.wins[0][level] + totals.wins[1][level]) as f64 / totals.games as f64;
            assert!((seen - share).abs() < 0.015, "{level}: {seen}");
        }
    }
}
