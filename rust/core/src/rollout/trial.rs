//! One trial.

use super::dice::{STRATIFIED, TrialDice};
use super::judge::{self, Judge, Plain};
use super::tally::Sample;
use super::{Plan, Player, Stakes, Start};
use crate::cube::{self, Action};
use crate::dice::Roll;
use crate::eval::certified;
use crate::ladder::{Ladder, Owner};
use crate::nn;
use crate::outcome::Probabilities;
use crate::parallel::Control;
use crate::position::Position;
use crate::search::money_unit;

/// The turn whose roll is no double.
const OPENING: u32 = 1;

/// No trial has more turns: one that has is worth what the network says of its last position.
pub const MOST_TURNS: u32 = 4096;

/// Plays trials, one after the other.
pub struct Table<'p, 'a> {
    plan: &'p Plan<'a>,
    /// The ladder as the player sees it whom the numbers are for, and as the other one does.
    ladders: [Ladder; 2],
    /// What the worths of a game to both add up to.
    total: f64,
    /// Whether the ladder counts points, as tables for money do.
    money: bool,
    judge: Judge<'a>,
    player: Option<Box<dyn Player + 'a>>,
}

/// Where a trial stands.
struct Game {
    position: Position,
    /// Who is on roll: 0 is the player whom the numbers are for.
    seat: usize,
    level: usize,
    /// Seen by the player on roll.
    owner: Owner,
    /// Turns since the start.
    played: u32,
    /// The turn of the game.
    turn: u32,
    /// The luck so far, seen by seat 0: of the five probabilities, and of the worth.
    luck: [f64; 5],
    worth_luck: f64,
}

/// How a trial ended, seen by the player on roll.
struct Ending {
    chances: Probabilities,
    worth: f64,
}

impl<'p, 'a> Table<'p, 'a> {
    /// A table for the trials of a plan.
    pub fn new(plan: &'p Plan<'a>) -> Table<'p, 'a> {
        let ladders = [plan.ladder, plan.ladder.flip()];
        Table {
            plan,
            total: ladders[0].worth(0)[0] + ladders[1].worth(0)[5],
            ladders,
            money: money_unit(&plan.ladder).is_some(),
            judge: Judge::new(plan.judge),
            player: plan.players.map(|make| make()),
        }
    }

    /// Plays a trial from a start; none if the work was cancelled meanwhile.
    pub fn play(&mut self, start: &Start, trial: u64, control: &Control) -> Option<Sample> {
        let dice = TrialDice::new(self.plan.seed, trial);
        let mut game = Game {
            position: start.position,
            seat: usize::from(start.mirrored),
            level: start.level,
            owner: start.owner,
            played: 0,
            turn: start.turn,
            luck: [0.0; 5],
            worth_luck: 0.0,
        };
        let ending = loop {
            if control.is_cancelled() {
                return None;
            }
            let waits = start.no_double && game.played == 0 || self.ladders[game.seat].waits_on(game.turn);
            if let Some(ending) = self.known(&game, waits).or_else(|| self.truncated(&game, waits)) {
                break ending;
            }
            if !waits && let Some(ending) = self.double(&mut game) {
                break ending;
            }
            let roll = if game.turn == OPENING { dice.opening() } else { dice.roll(game.played) };
            self.turn(&mut game, roll);
        };
        Some(self.sample(&game, &ending, std::array::from_fn(|turn| dice.stratum(turn))))
    }

    /// Whether somebody can still turn the cube, as the player on roll sees it.
    fn is_live(&self, game: &Game) -> bool {
        self.ladders[game.seat].may_double(game.level, game.owner) != [false, false]
    }

    /// The worth to a seat where nobody turns the cube.
    fn plain(&self, seat: usize, level: usize, owner: Owner) -> Plain {
        Plain::new(&self.ladders[seat], level, self.ladders[seat].gammons_count(owner))
    }

    /// The end of a game, or what a table knows of it.
    fn known(&mut self, game: &Game, waits: bool) -> Option<Ending> {
        if let Some(outcome) = game.position.outcome() {
            let chances = Probabilities::certain(outcome);
            let worth = self.plain(game.seat, game.level, game.owner).worth(chances.values());
            return Some(Ending { chances, worth });
        }
        if game.position.is_contact() {
            return None;
        }
        if !self.is_live(game) {
            let chances = Probabilities::new_unchecked(self.plan.judge.known(&game.position)?);
            let worth = self.plain(game.seat, game.level, game.owner).worth(chances.values());
            return Some(Ending { chances, worth });
        }
        if !self.money {
            return None;
        }
        let ladder = &self.ladders[game.seat];
        let equity = self.plan.judge.equity(&game.position, ladder, game.level, game.owner, waits)?;
        let worth = ladder.from_equity(game.level, equity);
        Some(Ending { chances: self.judge.evaluate(&game.position), worth })
    }

    fn truncated(&mut self, game: &Game, waits: bool) -> Option<Ending> {
        if game.played < self.plan.truncate.unwrap_or(MOST_TURNS).min(MOST_TURNS) {
            return None;
        }
        let chances = self.judge.evaluate(&game.position);
        let ladder = &self.ladders[game.seat];
        let efficiency = cube::efficiency(&game.position);
        let worth = if !self.is_live(game) {
            self.plain(game.seat, game.level, game.owner).worth(chances.values())
        } else if waits {
            cube::value(chances, ladder, game.level, game.owner, efficiency)
        } else {
            cube::best(chances, ladder, game.level, game.owner, efficiency)
        };
        Some(Ending { chances, worth })
    }

    /// The player on roll doubles if it is right; a drop ends the game.
    fn double(&mut self, game: &mut Game) -> Option<Ending> {
        let ladder = &self.ladders[game.seat];
        if !ladder.may_double(game.level, game.owner)[0] {
            return None;
        }
        let action = match &mut self.player {
            Some(player) => {
                let stakes = Stakes { ladder, level: game.level, owner: game.owner, turn: game.turn };
                player.decide(&game.position, stakes)
            }
            None => {
                let chances = self.judge.evaluate(&game.position);
                let efficiency = cube::efficiency(&game.position);
                cube::decide(chances, ladder, game.level, game.owner, efficiency).action
            }
        };
        let turns = match action {
            Action::DoubleTake => 1,
            Action::DoubleBeaver => 2,
            Action::DoubleDrop => {
                let worth = ladder.from_equity(game.level, 1.0);
                return Some(Ending { chances: self.judge.evaluate(&game.position), worth });
            }
            _ => return None,
        };
        game.level += turns;
        game.owner = Owner::Opponent;
        None
    }

    /// A roll is thrown and played.
    fn turn(&mut self, game: &mut Game, roll: Roll) {
        let (next_seat, next_owner) = (1 - game.seat, game.owner.flip());
        let live = self.is_live(game);
        let next_turn = game.turn.saturating_add(1);
        let waits = self.ladders[next_seat].waits_on(next_turn);
        let ladder = &self.ladders[game.seat];
        let stakes = Stakes { ladder, level: game.level, owner: game.owner, turn: game.turn };
        let chosen = self.player.as_mut().map(|player| player.choose(&game.position, roll, stakes));
        // Gammons count where the cube may still be turned.
        let gammons = live || self.ladders[next_seat].gammons_count(next_owner);
        let plain = Plain::new(&self.ladders[next_seat], game.level, gammons);
        if self.plan.luck {
            let good = self.judge.good_of_all(&game.position, &plain);
            self.add_luck(game, &good, roll, live.then_some(waits));
        }
        game.position = match chosen {
            Some(next) => next,
            None if live => {
                self.judge.best_cubeful(&game.position, roll, &self.ladders[next_seat], game.level, next_owner, waits)
            }
            None => self.judge.best_plain(&game.position, roll, &plain).0,
        };
        game.seat = next_seat;
        game.owner = next_owner;
        game.played += 1;
        game.turn = next_turn;
    }

    /// What the roll leads to less what all rolls lead to on average.
    ///
    /// The same function of the roll on both sides, whatever is played: so its mean is zero exactly. `live` is none where
    /// the cube is out of play, and else whether the next player has to wait with a double.
    fn add_luck(&self, game: &mut Game, good: &[(Position, nn::Outputs); 21], roll: Roll, live: Option<bool>) {
        let mut mean = [0.0; 5];
        let mut mean_worth = 0.0;
        let mut own = [0.0; 5];
        let mut own_worth = 0.0;
        let owner = if game.seat == 0 { game.owner } else { game.owner.flip() };
        let plain = self.plain(0, game.level, owner);
        for (index, (next, outputs)) in good.iter().enumerate() {
            let weight = match Roll::ALL[index] {
                roll if game.turn != OPENING => f64::from(roll.weight()) / 36.0,
                roll if roll.is_double() => 0.0,
                _ => 1.0 / 15.0,
            };
            // Those who roll next are the other player.
            let seen = certified(*outputs);
            let chances = if game.seat == 0 { seen.flip() } else { seen }.values();
            let worth = if let Some(waits) = live {
                let ladder = &self.ladders[1 - game.seat];
                let worth = judge::cubeful(next, *outputs, ladder, game.level, game.owner.flip(), waits);
                if game.seat == 0 { self.total - worth } else { worth }
            } else {
                plain.worth(chances)
            };
            for (mean, chance) in mean.iter_mut().zip(chances) {
                *mean += weight * chance;
            }
            mean_worth += weight * worth;
            if index == roll.index() {
                (own, own_worth) = (chances, worth);
            }
        }
        for place in 0..5 {
            game.luck[place] += own[place] - mean[place];
        }
        game.worth_luck += own_worth - mean_worth;
    }

    fn sample(&self, game: &Game, ending: &Ending, strata: [usize; STRATIFIED]) -> Sample {
        let own = game.seat == 0;
        let mut chances = if own { ending.chances } else { ending.chances.flip() }.values();
        for (chance, luck) in chances.iter_mut().zip(game.luck) {
            *chance -= luck;
        }
        let worth = if own { ending.worth } else { self.total - ending.worth };
        Sample::new(chances, worth - game.worth_luck, strata)
    }
}
