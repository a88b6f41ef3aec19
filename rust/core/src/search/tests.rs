use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::bearoff::one_sided::OneSided;
use crate::bearoff::two_sided::{Ask, Build};
use crate::bearoff::{Index, Spec, TwoSided, Values};
use crate::certain::certain_end;
use crate::eval::{self, Chooser, Objective};
use crate::ladder::{Ladder, Level, Terms};
use crate::nn::{Network, Outputs, Scratch, Shape, Weights};
use crate::position::Variant;
use crate::simulate;

static NETWORK: LazyLock<Network> = LazyLock::new(|| Network::new(Weights::random(Shape::new(64, 16).unwrap(), 3)));
static ONE_SIDED: LazyLock<OneSided> =
    LazyLock::new(|| OneSided::build(Index::new(6, 15).unwrap(), 2, &Control::default()).unwrap());
static TWO_SIDED: LazyLock<TwoSided> = LazyLock::new(|| {
    let spec = Spec::new(6, [4, 4], Values::Money).unwrap();
    TwoSided::build(spec, Build { threads: 2, ..Build::default() }, &Control::default()).unwrap()
});

const POINTS: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];

fn bare() -> Judge<'static> {
    Judge { evaluator: Evaluator::Network(&NETWORK), one_sided: None, two_sided: None }
}

fn with_tables() -> Judge<'static> {
    Judge { one_sided: Some(&ONE_SIDED), two_sided: Some(&TWO_SIDED), ..bare() }
}

fn settings(plies: usize) -> Settings {
    Settings { plies, filters: Filters::default(), replies: None, limits: Limits::default(), threads: 1 }
}

fn search<T>(judge: Judge, settings: Settings, ask: impl FnOnce(&Search) -> T) -> T {
    ask(&Search { judge, settings, memory: &Memory::default(), control: &Control::default() })
}

fn positions(count: usize, seed: u64) -> Vec<Position> {
    simulate::random_positions(&Position::start(Variant::Standard), count, seed, &Control::default())
}

/// Positions near and in the tables: short races, some with contact left.
fn endings() -> Vec<Position> {
    let sides: [&[(usize, i32)]; 6] = [
        &[(6, 1), (4, 2), (1, 1)],
        &[(3, 2), (2, 2)],
        &[(6, 3), (5, 3), (4, 2), (1, 1)],
        &[(8, 1), (6, 2), (3, 1)],
        &[(6, 5), (5, 4), (4, 3), (3, 1), (2, 2)],
        &[(13, 2), (6, 1)],
    ];
    let pairs = sides.iter().flat_map(|own| sides.iter().map(move |other| (own, other)));
    pairs.map(|(own, other)| Position::from_points(own, other).unwrap()).collect()
}

fn money(jacoby: bool) -> Ladder {
    Ladder::endless(POINTS, Terms { gammons_while_centred: !jacoby, beavers: 1, ..Terms::default() }).unwrap()
}

/// A score at which gammons are worth more to one side, and the cube dies at different levels.
fn score() -> Ladder {
    let level = |worth, may_double| Level { worth, may_double, dead: false };
    let levels = [
        level([0.05, 0.1, 0.3, 0.45, 0.7, 0.75], [true; 2]),
        level([0.0, 0.0, 0.1, 0.6, 0.9, 1.0], [true, false]),
        level([0.0, 0.0, 0.0, 0.9, 1.0, 1.0], [false; 2]),
    ];
    Ladder::new(&levels, Terms { total: 1.0, ..Terms::default() }).unwrap()
}

/// A game in which the player on roll may double from turn 5 on only (rule 7.9).
fn waiting() -> CubeGame {
    let levels: Vec<Level> =
        (0..3).map(|level| Level { worth: score().worth(level), may_double: [level < 2; 2], dead: false }).collect();
    let terms = Terms { total: 1.0, first_double_turn: [5, 2], ..Terms::default() };
    CubeGame::new(Ladder::new(&levels, terms).unwrap(), 0, Owner::Centred)
}

fn games() -> Vec<Game> {
    let mut games = Objective::ALL.map(Game::Cubeless).to_vec();
    for ladder in [money(false), money(true), score()] {
        for owner in Owner::ALL {
            games.push(Game::cubeful(ladder, 0, owner));
        }
    }
    games.push(Game::cubeful(score(), 1, Owner::Player));
    games.extend([2, 3, 4, 5].map(|turn| Game::Cubeful(Box::new(waiting().on_turn(turn)))));
    games
}

/// The same definition once more, one position at a time and without any memory.
struct Twin<'a> {
    judge: Judge<'a>,
    /// What replies are compared by, by whether the player of the root is on roll.
    preference: [fn(&Twin, Outputs) -> f32; 2],
    gains: [[f32; 5]; 2],
}

impl Twin<'_> {
    fn new<'a>(judge: Judge<'a>, game: &Game) -> Twin<'a> {
        let points: fn(&Twin, Outputs) -> f32 = |_, outputs| Objective::Points.value(outputs);
        let win: fn(&Twin, Outputs) -> f32 = |_, outputs| outputs[0];
        let own: fn(&Twin, Outputs) -> f32 = |twin, outputs| twin.gain(0, outputs);
        let other: fn(&Twin, Outputs) -> f32 = |twin, outputs| twin.gain(1, outputs);
        let (preference, gains) = match game {
            Game::Cubeless(Objective::Win) => ([win; 2], [[0.0; 5]; 2]),
            Game::Cubeless(Objective::Points) => ([points; 2], [[0.0; 5]; 2]),
            Game::Cubeful(game) if game.ladder.is_endless() => ([points; 2], [[0.0; 5]; 2]),
            Game::Cubeful(game) => {
                let gains = [game.ladder, game.ladder.flip()].map(|ladder| {
                    let w = ladder.worth(game.level);
                    [w[3] - w[2], w[4] - w[3], w[5] - w[4], w[1] - w[2], w[0] - w[1]].map(|gain| gain as f32)
                });
                ([own, other], gains)
            }
        };
        Twin { judge, preference, gains }
    }

    fn gain(&self, side: usize, outputs: Outputs) -> f32 {
        outputs.iter().zip(self.gains[side]).map(|(chance, gain)| chance * gain).sum()
    }

    fn outputs(&self, position: &Position) -> Outputs {
        match self.judge.known(position) {
            Some(known) => known.map(|chance| chance as f32),
            None => Chooser::new(&NETWORK).evaluate(position),
        }
    }

    fn reply(&self, position: &Position, roll: Roll, side: usize) -> Position {
        let plays = position.plays(roll);
        let mut best = position.flip();
        let mut least = f32::INFINITY;
        for play in &plays {
            let value = self.preference[1 - side](self, self.outputs(&play.next()));
            if value < least {
                (best, least) = (play.next(), value);
            }
        }
        best
    }

    fn chances(&self, position: &Position, plies: usize, side: usize) -> [f64; 5] {
        if let Some(known) = self.judge.known(position) {
            return known;
        }
        if plies == 0 {
            return judge::widen(self.outputs(position));
        }
        let mut sum = [0.0; 5];
        for roll in Roll::ALL {
            let next = self.chances(&self.reply(position, roll, side), plies - 1, 1 - side);
            for (sum, chance) in sum.iter_mut().zip(Probabilities::new_unchecked(next).flip().values()) {
                *sum += f64::from(roll.weight()) * chance / 36.0;
            }
        }
        sum
    }

    /// The worth of one cube, turned now if that is best, or not.
    fn worth(&self, position: &Position, plies: usize, side: usize, game: &CubeGame, may_turn: bool) -> f64 {
        let CubeGame { ladder, level, owner, turn } = game;
        let (level, owner) = (*level, *owner);
        let may_turn = may_turn && *turn >= ladder.first_double_turn()[0];
        let chances = Probabilities::new_unchecked(self.chances(position, 0, side));
        if position.is_over() {
            return cube::value(chances, ladder, level, owner, 0.0);
        }
        if ladder.is_endless()
            && let Some(table) = self.judge.two_sided
            && let Ok(equity) =
                table.value(position, Ask { cube: Some((owner, 0)), no_double: !may_turn, ..Ask::default() })
        {
            return equity * ladder.worth(level)[3];
        }
        let efficiency = cube::efficiency(position);
        if plies == 0 {
            return if may_turn {
                let decision = cube::decide(chances, ladder, level, owner, efficiency);
                ladder.from_equity(level, decision.best)
            } else {
                cube::value(chances, ladder, level, owner, efficiency)
            };
        }
        let rolling = |level: usize, owner: Owner| {
            let (ladder, owner) = (ladder.flip(), owner.flip());
            let game = CubeGame { ladder, level, owner, turn: turn.saturating_add(1) };
            let mean = |roll: Roll| {
                let next = self.reply(position, roll, side);
                f64::from(roll.weight()) / 36.0 * self.worth(&next, plies - 1, 1 - side, &game, true)
            };
            ladder.total() - Roll::ALL.into_iter().map(mean).sum::<f64>()
        };
        let hold = rolling(level, owner);
        if may_turn && ladder.may_double(level, owner)[0] {
            hold.max(rolling(level + 1, Owner::Opponent).min(ladder.worth(level)[3]))
        } else {
            hold
        }
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

fn assert_like_the_twin(judge: Judge, position: &Position, game: &Game, plies: usize) {
    let twin = Twin::new(judge, game);
    let found = search(judge, settings(plies), |search| search.evaluate(position, game));
    assert!(found.complete && found.plies == plies);
    let chances = twin.chances(position, plies, 0);
    let worths = match game {
        Game::Cubeless(Objective::Win) => [chances[0]; 2],
        Game::Cubeless(Objective::Points) => [Probabilities::new_unchecked(chances).equity(); 2],
        Game::Cubeful(game) => [false, true].map(|may_turn| twin.worth(position, plies, 0, game, may_turn)),
    };
    let answer = found.answer;
    assert!(answer.probabilities.values().iter().zip(chances).all(|(a, b)| close(*a, b)), "{position:?} {game:?}");
    assert!(close(answer.rolling, worths[0]), "{} {} {position:?} {game:?}", answer.rolling, worths[0]);
    assert!(close(answer.best, worths[1]), "{} {} {position:?} {game:?}", answer.best, worths[1]);
}

#[test]
fn nothing_ahead_is_the_evaluator() {
    for position in positions(300, 5) {
        let game = Game::Cubeless(Objective::Points);
        let found = search(bare(), settings(0), |search| search.evaluate(&position, &game));
        let certain = certain_end(&position).map(Probabilities::certain);
        assert_eq!(found.answer.probabilities, certain.unwrap_or_else(|| eval::evaluate(&NETWORK, &position)));
        assert_eq!(found.answer.best, found.answer.probabilities.equity());
    }
}

#[test]
fn one_ply_is_the_mean_of_the_best_replies() {
    for game in games() {
        for position in &positions(12, 6) {
            assert_like_the_twin(bare(), position, &game, 1);
        }
        for position in &endings() {
            assert_like_the_twin(with_tables(), position, &game, 1);
        }
    }
}

#[test]
fn two_plies_are_the_mean_of_means() {
    for (game, position) in games().iter().zip(positions(40, 7).iter().skip(3).step_by(3)) {
        assert_like_the_twin(bare(), position, game, 2);
    }
    for (game, position) in games().iter().zip(endings().iter().step_by(3)) {
        assert_like_the_twin(with_tables(), position, game, 2);
    }
}

#[test]
fn three_plies_too() {
    let position = Position::from_points(&[(7, 1), (2, 1)], &[(3, 2), (7, 1)]).unwrap();
    let quick = Judge { one_sided: None, ..with_tables() };
    for game in [Game::Cubeless(Objective::Points), Game::cubeful(money(false), 0, Owner::Centred)] {
        assert_like_the_twin(quick, &position, &game, 3);
    }
}

#[test]
fn plays_are_ranked_by_what_they_lead_to() {
    let roll = Roll::new(3, 1).unwrap();
    for (game, position) in games().into_iter().zip(positions(30, 8).into_iter().step_by(2)) {
        for plies in [0, 1] {
            let settings = Settings { filters: Filters::NONE, ..settings(plies) };
            let found = search(bare(), settings, |search| search.rank(&position, roll, &game, false));
            let plays = position.plays(roll);
            assert_eq!(found.answer.len(), plays.len());
            assert!(found.answer.iter().all(|candidate| candidate.plies == plies));
            assert!(found.answer.is_sorted_by(|a, b| a.worth >= b.worth));
            for candidate in &found.answer {
                assert_eq!(candidate.next, plays[candidate.place].next());
                let after = search(bare(), settings, |search| search.evaluate(&candidate.next, &game.next()));
                assert_eq!(candidate.worth, game.other(after.answer.best));
                assert_eq!(candidate.probabilities, after.answer.probabilities.flip());
            }
        }
    }
}

#[test]
fn filters_choose_who_is_judged_deeper() {
    let game = Game::Cubeless(Objective::Points);
    let roll = Roll::new(6, 2).unwrap();
    let kept = Filter { accept: 0, extra: 3, threshold: 0.1 };
    let mut filters = Filters::NONE;
    filters.0[1] = [Some(kept), Some(Filter { accept: 2, extra: 0, threshold: 0.0 }), None];
    let mut seen = 0;
    for position in positions(20, 9) {
        let at = |plies, filters| {
            let settings = Settings { filters, ..settings(plies) };
            search(bare(), settings, |search| search.rank(&position, roll, &game, false).answer)
        };
        let (bare, found) = (at(0, Filters::NONE), at(2, filters));
        assert_eq!(found.len(), bare.len());
        if found.len() < 3 {
            continue;
        }
        let equities: Vec<f64> = bare.iter().map(|candidate| candidate.equity).collect();
        let first = kept.keeps(&equities);
        let depths: Vec<usize> = found.iter().map(|candidate| candidate.plies).collect();
        let second = first.min(2);
        assert!(depths[..second].iter().all(|&plies| plies == 2));
        assert!(depths[second..first].iter().all(|&plies| plies == 1));
        assert!(depths[first..].iter().all(|&plies| plies == 0));
        let deepest: Vec<usize> = found[..first].iter().map(|candidate| candidate.place).collect();
        assert!(bare[..first].iter().all(|candidate| deepest.contains(&candidate.place)));
        seen += 1;
    }
    assert!(seen > 10);
}

#[test]
fn tables_are_right_at_any_depth() {
    let judge = with_tables();
    let mut seen = [0; 2];
    for position in endings() {
        let Some(known) = judge.known(&position) else { continue };
        for plies in 0..=MAX_PLIES {
            let game = Game::Cubeless(Objective::Points);
            let found = search(judge, settings(plies), |search| search.evaluate(&position, &game));
            assert_eq!(found.answer.probabilities.values(), known);
            seen[0] += 1;
        }
        for owner in Owner::ALL {
            let ask = Ask { cube: Some((owner, 0)), ..Ask::default() };
            let Ok(equity) = TWO_SIDED.value(&position, ask) else { continue };
            let rolling = TWO_SIDED.value(&position, Ask { no_double: true, ..ask }).unwrap();
            for plies in 0..=MAX_PLIES {
                let game = Game::cubeful(money(true), 2, owner);
                let found = search(judge, settings(plies), |search| search.evaluate(&position, &game));
                assert_eq!([found.answer.best, found.answer.rolling], [4.0 * equity, 4.0 * rolling]);
                seen[1] += 1;
            }
        }
    }
    assert!(seen[0] >= 20 && seen[1] >= 20, "{seen:?}");
}

#[test]
fn decisions_are_those_of_the_worths() {
    for position in positions(12, 10).iter().chain(&endings()[..8]) {
        for game in games() {
            let Game::Cubeful(game) = game else { continue };
            for plies in [0, 1] {
                let found = search(with_tables(), settings(plies), |search| search.decide(position, &game));
                let (decision, chances) = found.answer;
                let twin = Twin::new(with_tables(), &Game::Cubeful(game.clone()));
                let hold = twin.worth(position, plies, 0, &game, false);
                assert!(close(game.ladder.from_equity(game.level, decision.no_double), hold));
                if game.ladder.may_double(game.level, game.owner)[0] {
                    let taken = CubeGame { level: game.level + 1, owner: Owner::Opponent, ..*game };
                    let twin = Twin::new(with_tables(), &Game::Cubeful(Box::new(taken.clone())));
                    let taken = twin.worth(position, plies, 0, &taken, false);
                    assert!(close(game.ladder.from_equity(game.level, decision.double_take), taken));
                }
                if plies == 0 && with_tables().known(position).is_none() {
                    let formula =
                        cube::decide(chances, &game.ladder, game.level, game.owner, cube::efficiency(position));
                    let waits = game.turn < game.ladder.first_double_turn()[0];
                    assert_eq!(decision.action, if waits { cube::Action::Unavailable } else { formula.action });
                    assert!(close(decision.no_double, formula.no_double));
                }
            }
        }
    }
}

#[test]
fn the_same_for_any_number_of_threads_and_any_memory() {
    let roll = Roll::new(5, 4).unwrap();
    let memory = Memory::default();
    for position in positions(8, 11) {
        for game in [Game::Cubeless(Objective::Points), Game::cubeful(score(), 0, Owner::Centred)] {
            let ask = |memory: &Memory, threads: usize| {
                let settings = Settings { threads, ..settings(2) };
                let control = Control::default();
                let search = Search { judge: with_tables(), settings, memory, control: &control };
                (search.evaluate(&position, &game), search.rank(&position, roll, &game, false))
            };
            let expected = ask(&Memory::new(0), 1);
            for threads in [1, 2, 8] {
                assert_eq!(ask(&memory, threads), expected);
                assert_eq!(ask(&Memory::new(16), threads), expected);
            }
        }
    }
}

#[test]
fn limits_give_the_deepest_search_that_was_finished() {
    let roll = Roll::new(4, 2).unwrap();
    let game = Game::Cubeless(Objective::Points);
    let position = Position::start(Variant::Standard);
    let ask = |limits: Limits, threads: usize| {
        let settings = Settings { limits, threads, ..settings(2) };
        search(bare(), settings, |search| search.rank(&position, roll, &game, false))
    };
    let at = |plies: usize| search(bare(), settings(plies), |search| search.rank(&position, roll, &game, false));
    let nodes = |nodes: u64| Limits { nodes: Some(nodes), time: None };
    let all = ask(nodes(1 << 40), 1);
    assert!(all.complete);
    assert_eq!((all.answer, all.plies), (at(2).answer, 2));
    let needed = all.nodes;
    for threads in [1, 2] {
        assert!(ask(nodes(needed), threads).complete);
        let cut = ask(nodes(needed - 1), threads);
        assert_eq!((cut.complete, cut.plies, cut.answer), (false, 1, at(1).answer));
    }
    let none = ask(Limits { nodes: None, time: Some(Duration::ZERO) }, 1);
    assert_eq!((none.complete, none.plies, none.answer), (false, 0, at(0).answer));
}

#[test]
fn cancelling_gives_what_is_finished() {
    let control = Control::default();
    control.cancel();
    let search = Search { judge: bare(), settings: settings(2), memory: &Memory::default(), control: &control };
    let position = Position::start(Variant::Standard);
    let found = search.evaluate(&position, &Game::Cubeless(Objective::Points));
    assert_eq!((found.plies, found.complete), (0, false));
    assert_eq!(found.answer.probabilities, eval::evaluate(&NETWORK, &position));
}

/// Who has to wait does not double, is worth no more for it, and a turn on which nobody waits is any other.
#[test]
fn doubles_wait_for_their_turn() {
    let ask = |game: CubeGame, position: &Position| {
        search(bare(), settings(0), |search| search.decide(position, &game)).answer.0
    };
    // Some of the numbers are none.
    let same = |a: &cube::Decision, b: &cube::Decision| format!("{a:?}") == format!("{b:?}");
    let mut less = 0;
    for position in positions(240, 8) {
        let free = ask(waiting(), &position);
        assert!(same(&ask(waiting().on_turn(5), &position), &free));
        assert_eq!(waiting().on_turn(5), waiting());
        for turn in [1, 2, 4] {
            let waits = ask(waiting().on_turn(turn), &position);
            assert_eq!(waits.action, cube::Action::Unavailable);
            assert_eq!((waits.no_double, waits.best), (free.no_double, free.no_double));
            assert_eq!(waits.double_take.to_bits(), free.double_take.to_bits());
        }
        less += usize::from(free.best > free.no_double);
        // The other player does not wait.
        let theirs = |turn| CubeGame { ladder: waiting().ladder.flip(), ..waiting() }.on_turn(turn);
        assert!(same(&ask(theirs(2), &position), &ask(theirs(LATER), &position)));
    }
    assert!(less > 5);
    // What is played into is the next turn: from turn 4 the other one's fifth, who waits no more.
    let theirs = |turn| CubeGame { ladder: waiting().ladder.flip(), ..waiting() }.on_turn(turn);
    for (turn, next) in [(2, 3), (3, 4), (4, LATER), (LATER, LATER)] {
        let Game::Cubeful(game) = Game::Cubeful(Box::new(theirs(turn))).next() else { panic!("a game with a cube") };
        assert_eq!(game.turn, next);
    }
}

/// Asks the network, and cancels the work in one of its calls.
struct Cancelling<'a> {
    control: &'a Control,
    calls: AtomicUsize,
    at: usize,
    /// Calls that began after that.
    after: AtomicUsize,
}

impl Evaluate for Cancelling<'_> {
    fn evaluate(&self, positions: &[[i8; CELLS]], outputs: &mut Vec<Outputs>) {
        self.after.fetch_add(usize::from(self.control.is_cancelled()), Ordering::Relaxed);
        NETWORK.evaluate(&mut Scratch::new(&NETWORK), positions, outputs);
        if self.calls.fetch_add(1, Ordering::Relaxed) == self.at {
            self.control.cancel();
        }
    }
}

/// However much is left to do: each thread ends with the position whose replies it evaluates, and then nothing is evaluated
/// but the answer at 0-ply, once for each place of the cube.
#[test]
fn a_cancelled_search_evaluates_next_to_nothing_more() {
    let game = waiting();
    let position = Position::start(Variant::Standard);
    let roll = Roll::new(6, 4).unwrap();
    for threads in [1, 2] {
        for (at, ask) in [(5, 0), (60, 0), (60, 1), (60, 2)] {
            let control = Control::default();
            let evaluator =
                Cancelling { control: &control, calls: AtomicUsize::new(0), at, after: AtomicUsize::new(0) };
            let judge = Judge { evaluator: Evaluator::Other(&evaluator), one_sided: None, two_sided: None };
            let settings = Settings { threads, filters: Filters::NONE, ..settings(3) };
            let search = Search { judge, settings, memory: &Memory::new(0), control: &control };
            let reached = match ask {
                0 => search.evaluate(&position, &Game::Cubeful(Box::new(game.clone()))).plies,
                1 => search.rank(&position, roll, &Game::Cubeless(Objective::Points), false).plies,
                _ => search.decide(&position, &game).plies,
            };
            assert_eq!(reached, 0);
            assert!(evaluator.calls.into_inner() > at);
            let after = evaluator.after.into_inner();
            assert!(after <= threads - 1 + 3, "{after} calls");
        }
    }
}

#[test]
fn a_finished_game_is_worth_what_it_pays() {
    let won = Position::from_points(&[], &[(18, 15)]).unwrap();
    for plies in 0..=MAX_PLIES {
        let worth =
            |game: &Game| search(with_tables(), settings(plies), |search| search.evaluate(&won, game)).answer.best;
        assert_eq!(worth(&Game::Cubeless(Objective::Points)), 2.0);
        assert_eq!(worth(&Game::cubeful(money(true), 0, Owner::Centred)), 1.0);
        assert_eq!(worth(&Game::cubeful(money(true), 1, Owner::Player)), 4.0);
        assert_eq!(worth(&Game::cubeful(score(), 0, Owner::Centred)), 0.7);
    }
}

/// With many replies the answer is that of all; with few, that of the twin which sifts too.
#[test]
fn few_replies_are_those_that_look_best() {
    let game = Game::Cubeless(Objective::Points);
    let few = |replies, position: &Position| {
        let settings = Settings { replies, ..settings(1) };
        search(bare(), settings, |search| search.evaluate(position, &game)).answer.best
    };
    let (mut same, mut all) = (0, 0);
    for position in positions(60, 11) {
        if position.is_over() {
            continue;
        }
        assert_eq!(few(Some(3_000), &position), few(None, &position));
        // Evaluated are fewer, so the best of them for the one who replies is worth no more to that player.
        let exact = few(None, &position);
        for replies in [1, 4, 8] {
            assert!(few(Some(replies), &position) <= exact + 1e-6);
        }
        assert!(few(Some(8), &position) >= few(Some(1), &position) - 1e-6);
        all += 1;
        same += usize::from(close(few(Some(8), &position), exact));
    }
    assert!(all > 50 && same * 2 > all, "{same} of {all}");
}

#[test]
fn answers_with_different_replies_are_not_mixed() {
    let (memory, control) = (Memory::default(), Control::default());
    let game = Game::Cubeless(Objective::Points);
    let position = Position::start(Variant::Nackgammon);
    let ask = |memory: &Memory, replies| {
        let settings = Settings { replies, ..settings(2) };
        Search { judge: bare(), settings, memory, control: &control }.evaluate(&position, &game).answer
    };
    for replies in [None, Some(1), Some(4), None, Some(1)] {
        assert_eq!(ask(&memory, replies), ask(&Memory::new(0), replies));
    }
    assert_ne!(ask(&memory, Some(1)), ask(&memory, None));
}
