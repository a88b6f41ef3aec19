//! Many games at once, decision by decision: whoever plays them answers for all of them together.
//!
//! An [`Arena`] holds lanes. [`Arena::advance`] takes every lane on until somebody outside has to decide something, and
//! gathers what is asked in columns; the answers come back as columns too. What is played depends on the number of a
//! game and on the answers alone, so neither the number of lanes nor that of threads changes anything.
//!
//! What games are worth and who may double are data: a [`ScoreGraph`] and the [`Stake`]s that an opening can lead to.

mod acts;
mod tables;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::dice::Roll;
use crate::ladder::{Ladder, MAX_LEVELS, Owner, ScoreGraph};
use crate::movegen::{self, View};
use crate::nn::Network;
use crate::parallel::{self, Control};
use crate::player::{Baseline, NetworkPlayer, Skill};
use crate::position::{CELLS, Position};
use crate::rng::{GameDice, Purpose, Stream};

pub use acts::{Act, ActColumns, ActRecord};
pub use tables::{Tables, TablesSeen};

/// Games of match k are numbered from k times this: more than any match has games.
pub const GAMES_PER_MATCH: u64 = 1 << 16;

/// Draws of [`Purpose::Player`] at one turn: two for each kind of decision, by whether the seats are swapped.
const DRAWS: u64 = 2;

/// How the starting stake of a game goes on from here (rule 7.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stake {
    /// What multiplies the cube.
    pub stake: u32,
    /// The cube's highest level at this stake.
    pub top: usize,
    /// The stake after a tie of each number in the opening throw.
    pub after_tie: [usize; 6],
}

/// What is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The position that player 0 sees at the start of each game.
    pub start: Position,
    /// The seed of all dice.
    pub seed: u64,
    /// What games are worth.
    pub graph: ScoreGraph,
    /// What both players still need at each node of the graph, and its Crawford phase, as the players are shown them.
    pub scores: Vec<([i16; 2], i8)>,
    /// Stakes; a game starts at the first.
    pub stakes: Vec<Stake>,
    /// Whole matches along the graph, or single games at its start.
    pub matches: bool,
    /// Units 2k and 2k + 1 have the same dice, and the players have swapped seats in the second.
    pub paired: bool,
}

/// Who makes a player's plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chooser {
    /// Somebody outside.
    Asked,
    /// Evenly among the distinct plays.
    Random,
    /// By the plain rules of [`Baseline`].
    Baseline,
    /// The player's network.
    Network,
}

/// Who decides for a player about the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CubeAnswer {
    /// Somebody outside.
    Asked,
    /// The answer is always yes.
    Always,
    /// The answer is always no.
    Never,
    /// The player's network.
    Network,
}

/// A player.
#[derive(Clone, Debug)]
pub struct Player {
    /// Whom its questions go to, 0 or 1: both players may be the same.
    pub slot: usize,
    /// Plays.
    pub choose: Chooser,
    /// Doubles.
    pub double: CubeAnswer,
    /// Takes.
    pub take: CubeAnswer,
    /// The network that decides where it is said to.
    pub network: Option<Arc<Network>>,
    /// How it does that.
    pub skill: Skill,
}

impl Player {
    /// A network that makes all decisions.
    pub fn of_network(network: Arc<Network>, skill: Skill) -> Player {
        let (choose, cube) = (Chooser::Network, CubeAnswer::Network);
        Player { slot: 0, choose, double: cube, take: cube, network: Some(network), skill }
    }

    /// Whether somebody outside has to answer for it.
    pub fn is_asked(&self) -> bool {
        self.choose == Chooser::Asked || [self.double, self.take].contains(&CubeAnswer::Asked)
    }
}

/// The players who think, with room to work, for one thread.
struct Minds<'a> {
    networks: [Option<NetworkPlayer<'a>>; 2],
    baseline: Baseline,
}

impl<'a> Minds<'a> {
    fn new(players: &'a [Player; 2]) -> Minds<'a> {
        let mind =
            |player: &'a Player| player.network.as_deref().map(|network| NetworkPlayer::new(network, player.skill));
        Minds { networks: [mind(&players[0]), mind(&players[1])], baseline: Baseline::default() }
    }

    fn of(&mut self, player: usize) -> &mut NetworkPlayer<'a> {
        self.networks[player].as_mut().expect("a player that a network answers for has one")
    }
}

/// The kinds of decisions, as places in [`Questions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Which play.
    Choose = 0,
    /// Whether to double.
    Double = 1,
    /// Whether to take.
    Take = 2,
}

impl Kind {
    /// All of them, in the order of their numbers.
    pub const ALL: [Kind; 3] = [Kind::Choose, Kind::Double, Kind::Take];
}

/// What is asked of one slot: columns, a row for each decision, seen by the player who decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Questions {
    /// Which lane each row is from.
    lanes: Vec<u32>,
    /// Positions.
    pub positions: Vec<[i8; CELLS]>,
    /// Dice, larger first; for choices only.
    pub rolls: Vec<[u8; 2]>,
    /// The distinct results in the view of the player who rolls next; for choices only.
    pub candidates: Vec<[i8; CELLS]>,
    /// Where the candidates of each row end; for choices only.
    pub ends: Vec<i64>,
    /// The points that the player and the opponent still need; 0 without a match.
    pub away: Vec<[i16; 2]>,
    /// The level of the cube and its owner: 0 nobody, 1 the player, -1 the opponent.
    pub cube: Vec<[i16; 2]>,
    /// 1 in the Crawford game, 2 after it, else 0.
    pub phase: Vec<i8>,
    /// The stake.
    pub stake: Vec<i32>,
    /// A random word for the decision.
    pub noise: Vec<u64>,
}

impl Questions {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    fn append(&mut self, mut more: Questions) {
        if self.is_empty() {
            *self = more;
            return;
        }
        let shift = self.candidates.len() as i64;
        self.lanes.append(&mut more.lanes);
        self.positions.append(&mut more.positions);
        self.rolls.append(&mut more.rolls);
        self.candidates.append(&mut more.candidates);
        self.ends.extend(more.ends.iter().map(|end| end + shift));
        self.away.append(&mut more.away);
        self.cube.append(&mut more.cube);
        self.phase.append(&mut more.phase);
        self.stake.append(&mut more.stake);
        self.noise.append(&mut more.noise);
    }
}

/// What is asked of both slots: by slot and [`Kind`].
pub type Asked = [[Questions; 3]; 2];

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

    fn add_game(&mut self, game: &GameRow, counted: usize) {
        self.games += 1;
        self.plies += u64::from(game.plies);
        self.plies_squared += u64::from(game.plies).pow(2);
        self.wins[usize::from(game.points < 0)][counted - 1] += 1;
        self.points += game.points;
        self.levels[usize::from(game.level)] += 1;
    }

    fn end_sample(&mut self) {
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
struct Sample {
    sums: Sums,
    games: Vec<GameRow>,
    acts: Vec<ActRecord>,
}

/// Where a lane stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
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
struct Lane {
    stage: Stage,
    /// The game or match, and the end of its sample.
    unit: u64,
    last_unit: u64,
    number: u32,
    node: usize,
    stake: usize,
    position: Position,
    roll: Roll,
    seat: usize,
    starter: usize,
    turn: u32,
    level: usize,
    /// The seat that owns the cube.
    owner: Option<usize>,
    sample: Sample,
}

impl Lane {
    fn new(plan: &Plan) -> Lane {
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

    fn owner_seen_by(&self, seat: usize) -> Owner {
        match self.owner {
            None => Owner::Centred,
            Some(owner) if owner == seat => Owner::Player,
            Some(_) => Owner::Opponent,
        }
    }

    fn ladder<'a>(&self, plan: &'a Plan) -> &'a Ladder {
        plan.graph.ladder(self.node, self.seat)
    }

    fn may_double(&self, plan: &Plan) -> bool {
        let owner = self.owner_seen_by(self.seat);
        self.level < plan.stakes[self.stake].top
            && self.ladder(plan).may_double_on(self.level, owner, self.turn.saturating_add(1))
    }

    fn begin_unit(&mut self, plan: &Plan, unit: u64) {
        self.unit = unit;
        self.number = 0;
        self.node = plan.graph.start();
        self.stage = Stage::Opening;
    }

    /// The opening throw, with what its ties do to the stake (rules 2.1, 2.2, 7.5).
    fn open(&mut self, plan: &Plan) {
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
    fn advance(&mut self, shared: &Shared, minds: &mut Minds, results: &mut Results, asked: &mut Asked, lane: u32) {
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

    fn roll(&mut self, plan: &Plan) {
        self.roll = GameDice { seed: plan.seed, game: self.game(plan) }.roll(u64::from(self.turn));
        self.stage = Stage::Rolled;
    }

    fn result(&self, place: usize) -> Position {
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

    fn answer_double(&mut self, shared: &Shared, yes: bool) {
        if yes {
            self.record(shared, self.seat, Act::Double);
            self.sample.sums.cube[self.player(shared.plan, self.seat)][0] += 1;
        }
        self.stage = if yes { Stage::Offered } else { Stage::Rolling };
    }

    fn answer_take(&mut self, shared: &Shared, results: &mut Results, yes: bool) {
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

    fn play(&mut self, shared: &Shared, results: &mut Results, after: Position) {
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

fn owner_number(owner: Owner) -> i8 {
    match owner {
        Owner::Centred => 0,
        Owner::Player => 1,
        Owner::Opponent => -1,
    }
}

/// What all lanes of a run share.
struct Shared<'a> {
    plan: &'a Plan,
    players: &'a [Player; 2],
    keep: Keep,
    control: &'a Control,
    next: &'a AtomicU64,
    end: u64,
}

impl Shared<'_> {
    /// The first and last unit of the next sample; none if they are all played or the work was cancelled.
    fn next_sample(&self) -> Option<(u64, u64)> {
        if self.control.is_cancelled() {
            return None;
        }
        let step = 1 + u64::from(self.plan.paired);
        let first = self.next.fetch_add(step, Ordering::Relaxed);
        (first < self.end).then(|| (first, first + step - 1))
    }
}

/// Lanes that one thread takes on.
#[derive(Debug)]
struct Shard {
    lanes: Vec<Lane>,
    first: u32,
    results: Results,
}

/// Why an answer does not fit what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerError {
    /// Not one answer for each row.
    Rows {
        /// How many there are.
        given: usize,
        /// How many were asked.
        asked: usize,
    },
    /// An index that the row's candidates do not have.
    Index {
        /// The row.
        row: usize,
        /// The index.
        index: i64,
        /// How many candidates the row has.
        candidates: usize,
    },
}

impl std::fmt::Display for AnswerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AnswerError::Rows { given, asked } => write!(f, "{asked} rows were asked, and {given} answered"),
            AnswerError::Index { row, index, candidates } => {
                write!(f, "row {row}: index {index}, but the row has {candidates} candidates")
            }
        }
    }
}

impl std::error::Error for AnswerError {}

/// Lanes of games that are played decision by decision.
#[derive(Debug)]
pub struct Arena {
    plan: Plan,
    players: [Player; 2],
    keep: Keep,
    shards: Vec<Shard>,
    next: AtomicU64,
    end: u64,
    control: Control,
    /// The lanes of the rows that were asked, by slot and kind, and how many candidates each has.
    waiting: [[Vec<(u32, u32)>; 3]; 2],
}

impl Arena {
    /// An arena for the units `first` to `end` - 1 with at most so many lanes. Paired units start at an even number and
    /// are even in number.
    pub fn new(
        plan: Plan,
        players: [Player; 2],
        keep: Keep,
        units: std::ops::Range<u64>,
        lanes: usize,
        threads: usize,
    ) -> Arena {
        debug_assert!(!plan.paired || (units.start.is_multiple_of(2) && units.end.is_multiple_of(2)));
        let wanted = units.end.saturating_sub(units.start).min(lanes.max(1) as u64) as usize;
        let each = wanted.div_ceil(threads.max(1)).max(1);
        let shards = (0..wanted.div_ceil(each))
            .map(|shard| {
                let first = shard * each;
                let lanes = vec![Lane::new(&plan); each.min(wanted - first)];
                Shard { lanes, first: first as u32, results: Results::default() }
            })
            .collect();
        let (next, end) = (AtomicU64::new(units.start), units.end);
        let (control, waiting) = (Control::default(), Default::default());
        Arena { plan, players, keep, shards, next, end, control, waiting }
    }

    /// Finished games or matches.
    pub fn done(&self) -> u64 {
        self.control.done()
    }

    /// Takes all lanes on that wait for nothing and returns what is asked; nothing is asked when all games are over.
    ///
    /// Everything asked before has to be answered first.
    pub fn advance(&mut self) -> Asked {
        debug_assert!(self.waiting.iter().flatten().all(Vec::is_empty), "a question is still open");
        let shared = Shared {
            plan: &self.plan,
            players: &self.players,
            keep: self.keep,
            control: &self.control,
            next: &self.next,
            end: self.end,
        };
        let work = |shard: &mut Shard| {
            let mut asked = Asked::default();
            let mut minds = Minds::new(shared.players);
            for (place, lane) in shard.lanes.iter_mut().enumerate() {
                lane.advance(&shared, &mut minds, &mut shard.results, &mut asked, shard.first + place as u32);
            }
            asked
        };
        let mut all = Asked::default();
        let mut gather = |more: Asked| {
            for (mine, more) in all.iter_mut().flatten().zip(more.into_iter().flatten()) {
                mine.append(more);
            }
        };
        match self.shards.split_first_mut() {
            None => {}
            Some((first, [])) => gather(work(first)),
            Some((first, rest)) => thread::scope(|scope| {
                let work = &work;
                let others: Vec<_> = rest.iter_mut().map(|shard| scope.spawn(move || work(shard))).collect();
                gather(work(first));
                for other in others {
                    gather(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                }
            }),
        }
        for (waiting, questions) in self.waiting.iter_mut().flatten().zip(all.iter().flatten()) {
            let mut begin = 0;
            waiting.extend(questions.lanes.iter().enumerate().map(|(row, &lane)| {
                let end = questions.ends.get(row).map_or(begin, |&end| end);
                let count = (end - begin) as u32;
                begin = end;
                (lane, count)
            }));
        }
        all
    }

    fn take_waiting(&mut self, slot: usize, kind: Kind, given: usize) -> Result<Vec<(u32, u32)>, AnswerError> {
        let asked = self.waiting[slot][kind as usize].len();
        if given != asked {
            return Err(AnswerError::Rows { given, asked });
        }
        Ok(std::mem::take(&mut self.waiting[slot][kind as usize]))
    }

    /// Answers choices: each is an index among the candidates of its row. A refused answer changes nothing.
    pub fn choose(&mut self, slot: usize, answers: &[i64]) -> Result<(), AnswerError> {
        let waiting = &self.waiting[slot][Kind::Choose as usize];
        for (row, (&index, &(_, count))) in answers.iter().zip(waiting).enumerate() {
            if !(0..i64::from(count)).contains(&index) {
                return Err(AnswerError::Index { row, index, candidates: count as usize });
            }
        }
        let waiting = self.take_waiting(slot, Kind::Choose, answers.len())?;
        self.answer(&waiting, |row, lane, shared, results| {
            let after = lane.result(answers[row] as usize);
            lane.play(shared, results, after);
        });
        Ok(())
    }

    /// Answers whether to double ([`Kind::Double`]) or to take ([`Kind::Take`]).
    pub fn decide(&mut self, slot: usize, kind: Kind, answers: &[bool]) -> Result<(), AnswerError> {
        assert!(kind != Kind::Choose, "a choice is answered by an index");
        let waiting = self.take_waiting(slot, kind, answers.len())?;
        self.answer(&waiting, |row, lane, shared, results| match kind {
            Kind::Take => lane.answer_take(shared, results, answers[row]),
            _ => lane.answer_double(shared, answers[row]),
        });
        Ok(())
    }

    fn answer(&mut self, rows: &[(u32, u32)], apply: impl Fn(usize, &mut Lane, &Shared, &mut Results)) {
        let shared = Shared {
            plan: &self.plan,
            players: &self.players,
            keep: self.keep,
            control: &self.control,
            next: &self.next,
            end: self.end,
        };
        let each = self.shards.first().map_or(1, |shard| shard.lanes.len());
        for (row, &(lane, _)) in rows.iter().enumerate() {
            let shard = &mut self.shards[lane as usize / each];
            let lane = &mut shard.lanes[lane as usize % each];
            apply(row, lane, &shared, &mut shard.results);
        }
    }

    /// What finished samples left since the last call.
    pub fn take_results(&mut self) -> Results {
        let mut all = Results::default();
        self.shards.iter_mut().for_each(|shard| all.append(std::mem::take(&mut shard.results)));
        all
    }
}

/// Samples are handed to threads this many at a time.
const CHUNK: u64 = 64;

/// Plays units between players of whom nobody has to be asked. A cancelled run holds the samples that were finished.
pub fn play_out(
    plan: &Plan,
    players: &[Player; 2],
    keep: Keep,
    units: std::ops::Range<u64>,
    threads: usize,
    control: &Control,
) -> Results {
    let step = CHUNK * (1 + u64::from(plan.paired));
    let chunks = units.end.saturating_sub(units.start).div_ceil(step);
    let parts = parallel::gather(chunks, threads, control, |results: &mut Results, chunk| {
        let first = units.start + chunk * step;
        let next = AtomicU64::new(first);
        let end = units.end.min(first.saturating_add(step));
        let shared = Shared { plan, players, keep, control, next: &next, end };
        let mut asked = Asked::default();
        Lane::new(plan).advance(&shared, &mut Minds::new(players), results, &mut asked, 0);
        assert!(asked.iter().flatten().all(Questions::is_empty), "nobody is there to be asked");
    });
    let mut all = Results::default();
    parts.into_iter().for_each(|part| all.append(part));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladder::Terms;
    use crate::position::Variant;
    use crate::simulate;

    const RANDOM: Player = Player {
        slot: 0,
        choose: Chooser::Random,
        double: CubeAnswer::Never,
        take: CubeAnswer::Always,
        network: None,
        skill: Skill { plies: 0, noise: 0.0 },
    };
    const ASKED: Player = Player {
        slot: 0,
        choose: Chooser::Asked,
        double: CubeAnswer::Asked,
        take: CubeAnswer::Asked,
        network: None,
        skill: Skill { plies: 0, noise: 0.0 },
    };
    const ALL: Keep = Keep { games: true, acts: true, keys: false };

    fn plan(paired: bool) -> Plan {
        let terms = Terms { gammons_while_centred: false, ..Terms::default() };
        let ladder = Ladder::endless([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], terms).unwrap();
        Plan {
            start: Position::start(Variant::Standard),
            seed: 3,
            graph: ScoreGraph::session(ladder),
            scores: vec![([0, 0], 0)],
            stakes: vec![Stake { stake: 1, top: 15, after_tie: [0; 6] }],
            matches: false,
            paired,
        }
    }

    /// Plays at random from outside and turns the cube now and then.
    fn run(plan: Plan, units: u64, lanes: usize, threads: usize) -> Results {
        let mut arena = Arena::new(plan, [ASKED, Player { slot: 1, ..ASKED }], ALL, 0..units, lanes, threads);
        loop {
            let asked = arena.advance();
            if asked.iter().flatten().all(Questions::is_empty) {
                assert_eq!(arena.done(), units);
                return arena.take_results().in_order();
            }
            for (slot, [choices, doubles, takes]) in asked.iter().enumerate() {
                let mut begin = 0;
                let answers: Vec<i64> = (choices.ends.iter().zip(&choices.noise))
                    .map(|(&end, &noise)| {
                        let count = (end - begin) as u128;
                        begin = end;
                        ((u128::from(noise) * count) >> 64) as i64
                    })
                    .collect();
                arena.choose(slot, &answers).unwrap();
                let doubles: Vec<bool> = doubles.noise.iter().map(|noise| noise % 20 == 0).collect();
                arena.decide(slot, Kind::Double, &doubles).unwrap();
                let takes: Vec<bool> = takes.noise.iter().map(|noise| noise % 3 != 0).collect();
                arena.decide(slot, Kind::Take, &takes).unwrap();
            }
        }
    }

    #[test]
    fn lanes_and_threads_change_nothing() {
        for paired in [false, true] {
            let alone = run(plan(paired), 60, 1, 1);
            assert_eq!(alone.sums.games, 60);
            assert!(alone.sums.cube.iter().all(|[offered, _, _]| *offered > 0));
            for (lanes, threads) in [(7, 1), (64, 2), (1000, 3)] {
                assert_eq!(run(plan(paired), 60, lanes, threads), alone, "{lanes} {threads}");
            }
        }
    }

    #[test]
    fn cube_counts_add_up() {
        let Results { sums, games, .. } = run(plan(false), 300, 50, 1);
        let [[a, ta, da], [b, tb, db]] = sums.cube;
        assert_eq!((a, b), (tb + db, ta + da), "what one offers the other answers");
        assert_eq!(sums.levels.iter().sum::<u64>(), 300);
        assert_eq!(games.iter().map(|game| game.points).sum::<i64>(), sums.points);
        assert_eq!(games.iter().filter(|game| game.dropped).count() as u64, da + db);
    }

    /// The short way plays the same games.
    #[test]
    fn random_players_play_the_games_of_random_games() {
        let plan = plan(false);
        let control = Control::default();
        let results = play_out(&plan, &[RANDOM; 2], ALL, 0..200, 2, &control).in_order();
        let (totals, records) = simulate::random_game_records(&plan.start, 200, plan.seed, 1, &control);
        assert_eq!(results.sums.plies, totals.plies);
        for (game, (number, record)) in results.games.iter().zip(records) {
            assert_eq!((game.unit, game.starter, game.plies), (number, record.starter, record.plies));
            assert_eq!(game.points.signum(), i64::from(record.outcome.points().signum()), "gammons do not count here");
        }
    }

    #[test]
    fn keys_are_those_of_the_positions() {
        let plan = plan(false);
        let play = |keys| {
            let keep = Keep { keys, ..ALL };
            play_out(&plan, &[RANDOM; 2], keep, 0..300, 2, &Control::default()).in_order().acts
        };
        let (cells, mut keys) = (play(false), play(true));
        assert!(cells.unit.is_sorted() && cells.keys.is_empty() && keys.before.is_empty());
        let expected: Vec<_> = cells.before.iter().map(|cells| Position::from_cells(cells).unwrap().key()).collect();
        assert_eq!(std::mem::take(&mut keys.keys), expected);
        keys.before.clone_from(&cells.before);
        assert_eq!(keys, cells);
    }

    #[test]
    fn answers_that_do_not_fit_are_refused() {
        let mut arena = Arena::new(plan(false), [ASKED, ASKED], Keep::default(), 0..4, 4, 1);
        let asked = arena.advance();
        let rows = asked[0][0].len();
        assert_eq!(arena.choose(0, &[0]), Err(AnswerError::Rows { given: 1, asked: rows }));
        let mut answers = vec![0; rows];
        answers[1] = 5000;
        assert!(matches!(arena.choose(0, &answers), Err(AnswerError::Index { row: 1, index: 5000, .. })));
        answers[1] = -1;
        assert!(matches!(arena.choose(0, &answers), Err(AnswerError::Index { row: 1, index: -1, .. })));
        answers[1] = 0;
        arena.choose(0, &answers).unwrap();
    }
}
