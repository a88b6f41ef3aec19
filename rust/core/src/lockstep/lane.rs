//! One game at a time, taken on until somebody outside has to decide.

use super::acts::{Act, ActRecord};
use super::players::{Chooser, CubeAnswer, Minds, Player};
use super::questions::{Asked, Kind, Questions};
use super::results::{GameRow, Results, Sample, Sums};
use super::{GAMES_PER_MATCH, Plan, Shared};
use crate::dice::Roll;
use crate::ladder::{Ladder, Owner};
use crate::movegen::{self, View};
use crate::position::Position;
use crate::rng::{GameDice, Purpose, Stream};

/// Draws of [`Purpose::Player`] at one turn: two for each kind of decision, by whether the seats are swapped.
const DRAWS: u64 = 2;

/// Where a lane stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It needs a new sample.
    Idle,
    /// A game is to begin.
    Opening,
    /// The player on roll may double.
    BeforeRoll,
    /// The opponent has to answer a double.
    Offered,
    /// The dice are to be thrown.
    Rolling,
    /// The roll is to be played.
    Rolled,
    /// There are no samples left.
    Done,
}

/// A game in progress, with what its sample has come to so far.
#[derive(Clone, Debug)]
pub struct Lane {
    pub stage: Stage,
    /// The game or match, and the end of its sample.
    pub unit: u64,
    pub last_unit: u64,
    pub number: u32,
    pub node: usize,
    pub stake: usize,
    pub position: Position,
    pub roll: Roll,
    pub seat: usize,
    pub starter: usize,
    pub turn: u32,
    pub level: usize,
    /// The seat that owns the cube.
    pub owner: Option<usize>,
    pub sample: Sample,
}

impl Lane {
    pub fn new(plan: &Plan) -> Lane {
        Lane {
            stage: Stage::Idle,
            unit: 0,
            last_unit: 0,
            number: 0,
            node: plan.graph.start(),
            stake: 0,
            position: plan.start,
            roll: Roll::ALL[0],
            seat: 0,
            starter: 0,
            turn: 0,
            level: 0,
            owner: None,
            sample: Sample::default(),
        }
    }

    fn swapped(&self, plan: &Plan) -> usize {
        usize::from(plan.paired && self.unit % 2 == 1)
    }

    fn player(&self, plan: &Plan, seat: usize) -> usize {
        seat ^ self.swapped(plan)
    }

    /// The number that the dice of the current game have.
    fn game(&self, plan: &Plan) -> u64 {
        let unit = if plan.paired { self.unit / 2 } else { self.unit };
        if plan.matches { unit.wrapping_mul(GAMES_PER_MATCH).wrapping_add(u64::from(self.number)) } else { unit }
    }

    fn stream(&self, plan: &Plan, kind: Kind) -> Stream {
        let draw = kind as u64 * DRAWS + self.swapped(plan) as u64;
        Stream::new(plan.seed, Purpose::Player, self.game(plan), u64::from(self.turn), draw)
    }

    /// By what a network's noise is drawn; nothing is drawn for one without noise.
    fn word(&self, plan: &Plan, player: &Player, kind: Kind) -> u64 {
        if player.skill.noise > 0.0 { self.stream(plan, kind).word() } else { 0 }
    }

    pub fn owner_seen_by(&self, seat: usize) -> Owner {
        match self.owner {
            None => Owner::Centred,
            Some(owner) if owner == seat => Owner::Player,
            Some(_) => Owner::Opponent,
        }
    }

    fn ladder<'a>(&self, plan: &'a Plan) -> &'a Ladder {
        plan.graph.ladder(self.node, self.seat)
    }

    pub fn may_double(&self, plan: &Plan) -> bool {
        let owner = self.owner_seen_by(self.seat);
        self.level < plan.stakes[self.stake].top
            && self.ladder(plan).may_double_on(self.level, owner, self.turn.saturating_add(1))
    }

    pub fn begin_unit(&mut self, plan: &Plan, unit: u64) {
        self.unit = unit;
        self.number = 0;
        self.node = plan.graph.start();
        self.stage = Stage::Opening;
    }

    /// The opening throw, with what its ties do to the stake (rules 2.1, 2.2, 7.5).
    pub fn open(&mut self, plan: &Plan) {
        let dice = GameDice { seed: plan.seed, game: self.game(plan) };
        self.stake = 0;
        for draw in 0.. {
            let (first, second) = dice.throw(0, draw);
            if first != second {
                self.starter = usize::from(second > first);
                self.roll = Roll::new(first, second).expect("a die is 1 to 6");
                break;
            }
            self.stake = plan.stakes[self.stake].after_tie[usize::from(first) - 1];
        }
        self.seat = self.starter;
        self.position = if self.seat == 0 { plan.start } else { plan.start.flip() };
        self.turn = 0;
        self.level = 0;
        self.owner = None;
        self.stage = Stage::Rolled;
    }

    /// Plays on until somebody outside is asked or no samples are left.
    pub fn advance(&mut self, shared: &Shared, minds: &mut Minds, results: &mut Results, asked: &mut Asked, lane: u32) {
        let plan = shared.plan;
        loop {
            match self.stage {
                Stage::Done => return,
                Stage::Idle => match shared.next_sample() {
                    None => self.stage = Stage::Done,
                    Some((first, last)) => {
                        self.last_unit = last;
                        self.begin_unit(plan, first);
                    }
                },
                Stage::Opening => self.open(plan),
                Stage::BeforeRoll => {
                    let number = self.player(plan, self.seat);
                    let player = &shared.players[number];
                    match player.double {
                        CubeAnswer::Never => self.stage = Stage::Rolling,
                        _ if !self.may_double(plan) => self.stage = Stage::Rolling,
                        CubeAnswer::Always => self.answer_double(shared, true),
                        CubeAnswer::Network => {
                            let (ladder, owner) = (self.ladder(plan), self.owner_seen_by(self.seat));
                            let yes = {
                                let word = self.word(plan, player, Kind::Double);
                                minds.of(number).doubles(&self.position, ladder, self.level, owner, word)
                            };
                            self.answer_double(shared, yes);
                        }
                        CubeAnswer::Asked => {
                            return self.ask(plan, &mut asked[player.slot][Kind::Double as usize], Kind::Double, lane);
                        }
                    }
                }
                Stage::Offered => {
                    let number = self.player(plan, 1 - self.seat);
                    let player = &shared.players[number];
                    match player.take {
                        CubeAnswer::Asked => {
                            return self.ask(plan, &mut asked[player.slot][Kind::Take as usize], Kind::Take, lane);
                        }
                        CubeAnswer::Network => {
                            let (ladder, owner) = (self.ladder(plan), self.owner_seen_by(self.seat));
                            let yes = {
                                let word = self.word(plan, player, Kind::Take);
                                minds.of(number).takes(&self.position, ladder, self.level, owner, word)
                            };
                            self.answer_take(shared, results, yes);
                        }
                        answer => self.answer_take(shared, results, answer == CubeAnswer::Always),
                    }
                }
                // A search takes long enough for somebody to wait for the end of a game.
                Stage::Rolling if shared.control.is_cancelled() => self.stage = Stage::Done,
                Stage::Rolling => self.roll(plan),
                Stage::Rolled => {
                    let number = self.player(plan, self.seat);
                    let player = &shared.players[number];
                    match player.choose {
                        Chooser::Random => {
                            let after = self.random_after(plan);
                            self.play(shared, results, after);
                        }
                        Chooser::Baseline => {
                            let after = minds.baseline.play(&self.position, self.roll);
                            self.play(shared, results, after);
                        }
                        Chooser::Network => {
                            let theirs = plan.graph.ladder(self.node, 1 - self.seat);
                            let owner = self.owner_seen_by(1 - self.seat);
                            let word = self.word(plan, player, Kind::Choose);
                            let mind = minds.of(number);
                            let after = mind.play(&self.position, self.roll, theirs, self.level, owner, word);
                            self.play(shared, results, after);
                        }
                        Chooser::Asked => {
                            let questions = &mut asked[player.slot][Kind::Choose as usize];
                            let before = questions.candidates.len();
                            movegen::results(&self.position, self.roll, View::Next, &mut questions.candidates);
                            match questions.candidates.len() - before {
                                count @ (0 | 1) => {
                                    questions.candidates.truncate(before);
                                    let after = if count == 0 { self.position } else { self.result(0) };
                                    self.play(shared, results, after);
                                }
                                _ => return self.ask(plan, questions, Kind::Choose, lane),
                            }
                        }
                    }
                }
            }
        }
    }

    pub fn roll(&mut self, plan: &Plan) {
        self.roll = GameDice { seed: plan.seed, game: self.game(plan) }.roll(u64::from(self.turn));
        self.stage = Stage::Rolled;
    }

    pub fn result(&self, place: usize) -> Position {
        movegen::nth(&self.position, self.roll, place).expect("a place below the count")
    }

    fn random_after(&self, plan: &Plan) -> Position {
        match movegen::count(&self.position, self.roll) {
            0 => self.position,
            1 => self.result(0),
            count => self.result(self.stream(plan, Kind::Choose).below(count as u64) as usize),
        }
    }

    fn ask(&self, plan: &Plan, questions: &mut Questions, kind: Kind, lane: u32) {
        let seat = if kind == Kind::Take { 1 - self.seat } else { self.seat };
        let position = if kind == Kind::Take { self.position.flip() } else { self.position };
        let (away, phase) = plan.scores[self.node];
        questions.lanes.push(lane);
        questions.positions.push(*position.cells());
        if kind == Kind::Choose {
            questions.rolls.push([self.roll.high(), self.roll.low()]);
            questions.ends.push(questions.candidates.len() as i64);
        }
        questions.away.push([away[seat], away[1 - seat]]);
        questions.cube.push([self.level as i16, owner_number(self.owner_seen_by(seat)).into()]);
        questions.phase.push(phase);
        questions.stake.push(plan.stakes[self.stake].stake as i32);
        questions.noise.push(self.stream(plan, kind).word());
    }

    fn record(&mut self, shared: &Shared, seat: usize, act: Act) {
        if !shared.keep.acts {
            return;
        }
        let record = ActRecord {
            unit: self.unit,
            number: self.number,
            turn: self.turn,
            player: self.player(shared.plan, seat) as u8,
            act,
            roll: if act == Act::Play { [self.roll.high(), self.roll.low()] } else { [0; 2] },
            level: self.level as u8,
            owner: owner_number(self.owner_seen_by(seat)),
            before: self.position,
        };
        self.sample.acts.push(record);
    }

    pub fn answer_double(&mut self, shared: &Shared, yes: bool) {
        if yes {
            self.record(shared, self.seat, Act::Double);
            self.sample.sums.cube[self.player(shared.plan, self.seat)][0] += 1;
        }
        self.stage = if yes { Stage::Offered } else { Stage::Rolling };
    }

    pub fn answer_take(&mut self, shared: &Shared, results: &mut Results, yes: bool) {
        let seat = 1 - self.seat;
        self.record(shared, seat, if yes { Act::Take } else { Act::Drop });
        self.sample.sums.cube[self.player(shared.plan, seat)][if yes { 1 } else { 2 }] += 1;
        if yes {
            self.level += 1;
            self.owner = Some(seat);
            self.stage = Stage::Rolling;
        } else {
            self.end_game(shared, results, self.seat, 1, true);
        }
    }

    pub fn play(&mut self, shared: &Shared, results: &mut Results, after: Position) {
        self.record(shared, self.seat, Act::Play);
        self.turn += 1;
        if let Some(outcome) = after.outcome() {
            self.position = after;
            let winner = if outcome.is_win() { self.seat } else { 1 - self.seat };
            return self.end_game(shared, results, winner, outcome.points().unsigned_abs().into(), false);
        }
        self.position = after.flip();
        self.seat = 1 - self.seat;
        self.stage = Stage::BeforeRoll;
    }

    fn end_game(&mut self, shared: &Shared, results: &mut Results, winner: usize, level: usize, dropped: bool) {
        let plan = shared.plan;
        let counts = dropped || level == 1 || self.ladder(plan).gammons_count(self.owner_seen_by(self.seat));
        let counted = if counts { level } else { 1 };
        let stake = plan.stakes[self.stake].stake;
        let won = (counted as i64 * i64::from(stake)) << self.level;
        let player = self.player(plan, winner);
        let game = GameRow {
            unit: self.unit,
            number: self.number,
            starter: self.player(plan, self.starter) as u8,
            seat: self.swapped(plan) as u8,
            points: if player == 0 { won } else { -won },
            plies: self.turn,
            stake,
            level: self.level as u8,
            dropped,
            last: self.position,
        };
        self.sample.sums.add_game(&game, counted);
        if shared.keep.games || shared.keep.acts {
            self.sample.games.push(game);
        }
        let points = u32::try_from(won).unwrap_or(u32::MAX);
        match plan.matches.then(|| plan.graph.next(self.node, winner, points)).flatten() {
            Some(node) => {
                self.node = node;
                self.number += 1;
                self.stage = Stage::Opening;
            }
            None => self.end_unit(shared, results, player),
        }
    }

    fn end_unit(&mut self, shared: &Shared, results: &mut Results, winner: usize) {
        self.sample.sums.match_wins[winner] += u64::from(shared.plan.matches);
        shared.control.advance(1);
        if self.unit < self.last_unit {
            return self.begin_unit(shared.plan, self.unit + 1);
        }
        self.sample.sums.end_sample();
        results.sums.add(&self.sample.sums);
        results.games.append(&mut self.sample.games);
        results.acts.push(&self.sample.acts, shared.keep.keys);
        self.sample.acts.clear();
        self.sample.sums = Sums::default();
        self.stage = Stage::Idle;
    }
}

pub fn owner_number(owner: Owner) -> i8 {
    match owner {
        Owner::Centred => 0,
        Owner::Player => 1,
        Owner::Opponent => -1,
    }
}
