//! Rollouts against what is known without them.

use super::*;
use crate::bearoff::one_sided::OneSided;
use crate::bearoff::two_sided::Ask;
use crate::bearoff::{Index, Spec, TwoSided, Values};
use crate::cube;
use crate::dice::Roll;
use crate::eval::{Chooser, Objective};
use crate::ladder::{Level, Terms};
use crate::nn::{Network, Shape, Weights};
use crate::outcome::Probabilities;
use crate::parallel::Control;
use crate::position::Variant;
use crate::search::{self, CubeGame, Filters, Game, Memory, Settings};

const POINTS: [f64; 6] = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0];

/// A network that knows nothing: what it says of luck must not bias anything.
fn network() -> Network {
    Network::new(Weights::random(Shape::new(64, 16).unwrap(), 5))
}

fn cubeless() -> Ladder {
    Ladder::new(&[Level { worth: POINTS, may_double: [false; 2], dead: false }], Terms::default()).unwrap()
}

fn money(beavers: u8, gammons_while_centred: bool) -> Ladder {
    Ladder::endless(POINTS, Terms { beavers, gammons_while_centred, ..Terms::default() }).unwrap()
}

/// A score of which neither player knows gammons, the first one having to wait with a double until turn 5 (rule 7.9).
fn waiting() -> Ladder {
    let level = |worth, may| Level { worth, may_double: [may; 2], dead: false };
    let levels = [
        level([0.1, 0.2, 0.3, 0.5, 0.6, 0.7], true),
        level([0.0, 0.1, 0.2, 0.6, 0.8, 0.9], true),
        level([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], false),
    ];
    Ladder::new(&levels, Terms { total: 1.0, first_double_turn: [5, 2], ..Terms::default() }).unwrap()
}

fn start(position: Position) -> Start {
    Start { position, level: 0, owner: Owner::Centred, turn: LATER, no_double: false, mirrored: false }
}

fn plan<'a>(network: &'a Network, ladder: Ladder, starts: &'a [Start]) -> Plan<'a> {
    Plan { judge: Judge::bare(network), players: None, ladder, starts, seed: 1, truncate: None, luck: false }
}

fn trials(trials: u64) -> Limits {
    Limits { trials, minimum: 36, standard_error: None, clear: None, contest: Contest::Best }
}

fn played(plan: &Plan<'_>, limits: &Limits, threads: usize) -> Standing {
    let mut standing = Standing::new(plan.starts.len());
    run(plan, limits, &mut standing, threads, &Control::default());
    standing
}

/// A race of five checkers a side.
fn bear_off() -> Position {
    Position::from_points(&[(6, 2), (4, 1), (3, 1), (2, 1)], &[(6, 2), (5, 1), (3, 1), (1, 1)]).unwrap()
}

struct TablePlayer<'a> {
    table: &'a TwoSided,
    cubeful: bool,
}

impl Player for TablePlayer<'_> {
    fn choose(&mut self, position: &Position, roll: Roll, stakes: Stakes<'_>) -> Position {
        let ask = Ask { cube: self.cubeful.then(|| (stakes.owner.flip(), 0)), ..Ask::default() };
        position
            .plays(roll)
            .into_iter()
            .map(|play| play.next())
            .min_by(|a, b| {
                let [a, b] = [a, b].map(|next| self.table.value(next, ask).unwrap());
                a.total_cmp(&b)
            })
            .unwrap_or_else(|| position.flip())
    }

    fn decide(&mut self, position: &Position, stakes: Stakes<'_>) -> Action {
        let equity = self.table.equity(position, None, Default::default(), true).unwrap();
        let chances = Probabilities::new([(equity + 1.0) / 2.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let Stakes { ladder, level, owner, .. } = stakes;
        cube::decide(chances, ladder, level, owner, cube::efficiency(position)).action
    }
}

fn table() -> TwoSided {
    TwoSided::build(Spec::new(6, [5, 5], Values::Money).unwrap(), Default::default(), &Control::default()).unwrap()
}

/// Means within three standard errors of what is exact in 99 % of the seeds, and scattered as the errors claim.
fn assert_agrees(plan: &Plan<'_>, statistic: usize, exact: f64, count: u64) {
    let seeds = 200;
    let (mut within, mut claimed, mut scatter) = (0, 0.0, 0.0);
    for seed in 0..seeds {
        let plan = Plan { seed, ..*plan };
        let standing = played(&plan, &trials(count), 2);
        let tally = &standing.tallies()[0];
        let (mean, error) = (tally.means()[statistic], tally.standard_errors(seed)[statistic]);
        within += u64::from((mean - exact).abs() <= 3.0 * error);
        claimed += error * error / seeds as f64;
        scatter += (mean - exact).powi(2) / seeds as f64;
    }
    assert!(within * 100 >= seeds * 99, "{within} of {seeds}");
    let ratio = (scatter / claimed).sqrt();
    assert!((0.75..1.12).contains(&ratio), "scatter {} against a claim of {}", scatter.sqrt(), claimed.sqrt());
}

#[test]
fn bear_offs_agree_with_the_exact_table() {
    let (network, table) = (network(), table());
    let starts = [start(bear_off())];
    let exact = table.equity(&bear_off(), None, Default::default(), true).unwrap();
    let players: &Players<'_> = &|| Box::new(TablePlayer { table: &table, cubeful: false });
    for luck in [false, true] {
        let plan = Plan { players: Some(players), luck, ..plan(&network, cubeless(), &starts) };
        assert_agrees(&plan, 5, exact, 144);
    }
}

#[test]
fn the_first_turns_of_many_trials_are_known() {
    // With 1,296 trials what three stratified throws explain is taken off the error.
    let (network, table) = (network(), table());
    let starts = [start(bear_off())];
    let exact = table.equity(&bear_off(), None, Default::default(), true).unwrap();
    let players: &Players<'_> = &|| Box::new(TablePlayer { table: &table, cubeful: false });
    let plan = Plan { players: Some(players), ..plan(&network, cubeless(), &starts) };
    let standing = played(&plan, &trials(1296), 2);
    let (mean, error) = (standing.tallies()[0].means()[5], standing.tallies()[0].standard_errors(1)[5]);
    assert!((mean - exact).abs() < 3.0 * error);
    assert!(error < 0.9 / 36.0 * (1.0 - exact * exact).sqrt(), "{error}");
}

#[test]
fn tables_end_trials_exactly() {
    let (network, table) = (network(), table());
    let races = OneSided::build(Index::new(6, 15).unwrap(), 2, &Control::default()).unwrap();
    let mut starts = [start(bear_off())];
    let cubeless = Plan {
        judge: Judge { one_sided: Some(&races), ..Judge::bare(&network) },
        ..plan(&network, cubeless(), &starts)
    };
    let standing = played(&cubeless, &trials(36), 1);
    let [win, ..] = standing.tallies()[0].means();
    let known = table.equity(&bear_off(), None, Default::default(), true).unwrap();
    let [player, opponent] = races.ranks(&bear_off()).unwrap();
    assert_eq!(win, races.win_probability(player, opponent));
    // Each side for itself plays nearly as well as both against each other.
    assert!((2.0 * win - 1.0 - known).abs() < 2e-3);
    assert_eq!(standing.tallies()[0].standard_errors(1), [0.0; STATISTICS]);
    for (owner, no_double) in [(Owner::Centred, false), (Owner::Centred, true), (Owner::Opponent, false)] {
        starts[0] = Start { owner, no_double, ..starts[0] };
        let judge = Judge { one_sided: Some(&races), two_sided: Some(&table), ..Judge::bare(&network) };
        let plan = Plan { judge, ..plan(&network, money(1, false), &starts) };
        let standing = played(&plan, &trials(36), 1);
        let ask = Ask { cube: Some((owner, 0)), no_double, ..Default::default() };
        assert_eq!(standing.tallies()[0].means()[6], table.value(&bear_off(), ask).unwrap());
    }
}

/// With the cube: 3 checkers each, where doubling decides much, on the plays and verdicts of the table's chances.
#[test]
fn luck_does_not_bias_a_live_cube() {
    let network = network();
    let starts = [start(Position::from_points(&[(6, 2), (5, 2), (3, 1)], &[(6, 2), (4, 2), (1, 1)]).unwrap())];
    for ladder in [money(1, false), cubeless()] {
        let plain = plan(&network, ladder, &starts);
        let plan = Plan { luck: true, ..plain };
        let (with, without) = (played(&plan, &trials(7_200), 2), played(&plain, &trials(7_200), 2));
        for statistic in 0..STATISTICS {
            // The dice and the plays are the same, so what differs is the luck: its mean is zero.
            let more = with.tallies()[0].means()[statistic] - without.tallies()[0].means()[statistic];
            let error = with.tallies()[0].standard_errors(1)[statistic]
                .hypot(without.tallies()[0].standard_errors(1)[statistic]);
            assert!(more.abs() <= 3.0 * error, "{statistic}: {more} with an error of {error}");
        }
    }
}

#[test]
fn the_luck_of_a_turn_is_zero_on_average() {
    // Truncated after a turn and 36 trials: each throw once. Then luck cancels to nothing, and what is left is the mean
    // over the rolls.
    let network = network();
    for variant in [Variant::Standard, Variant::Hypergammon] {
        let position = Position::start(variant);
        for mirrored in [false, true] {
            let starts = [Start { mirrored, ..start(position) }];
            let ahead = Chooser::new(&network).look_ahead(&position, Objective::Points).map(f64::from);
            let known = Probabilities::new_unchecked(ahead);
            let known = if mirrored { known.flip() } else { known };
            let [without, with] = [false, true].map(|luck| {
                let plan = Plan { luck, truncate: Some(1), ..plan(&network, cubeless(), &starts) };
                let standing = played(&plan, &trials(36), 1);
                for (mean, value) in standing.tallies()[0].means().iter().zip(known.values()) {
                    assert!((mean - value).abs() < 1e-6, "{mean} {value}");
                }
                standing.tallies()[0].standard_errors(1)[5]
            });
            // What is left is that luck is measured by a few plays of each roll.
            assert!(with < 0.5 * without, "{with} {without}");
        }
    }
}

#[test]
fn two_turns_of_1296_trials_are_the_mean_over_two_rolls() {
    let network = network();
    let position = Position::start(Variant::Hypergammon);
    let starts = [start(position)];
    let plan = Plan { truncate: Some(2), ..plan(&network, cubeless(), &starts) };
    let mean = played(&plan, &trials(1296), 2).tallies()[0].means()[5];
    let mut chooser = Chooser::new(&network);
    let mut brute = 0.0;
    for roll in Roll::ALL {
        let (next, _) = chooser.best(&position, roll, Objective::Points);
        let ahead = match next.outcome() {
            Some(outcome) => f64::from(outcome.points()),
            None => f64::from(Objective::Points.value(chooser.look_ahead(&next, Objective::Points))),
        };
        brute -= f64::from(roll.weight()) / 36.0 * ahead;
    }
    assert!((mean - brute).abs() < 1e-5, "{mean} {brute}");
}

#[test]
fn the_same_for_any_number_of_threads_and_any_cut() {
    let network = network();
    let positions: Vec<Position> =
        Position::start(Variant::Hypergammon).plays(Roll::new(2, 1).unwrap()).iter().map(|play| play.next()).collect();
    let starts: Vec<Start> = positions.iter().map(|&next| Start { mirrored: true, ..start(next) }).collect();
    for ladder in [cubeless(), money(1, false)] {
        for luck in [false, true] {
            for clear in [None, Some(1.0)] {
                let plan = Plan { luck, ..plan(&network, ladder, &starts) };
                let limits = Limits { clear, ..trials(300) };
                let whole = played(&plan, &limits, 1);
                assert_eq!(whole.alive().contains(&false), clear.is_some());
                for threads in [2, 8] {
                    assert_eq!(played(&plan, &limits, threads), whole);
                }
                let mut cut = Standing::new(starts.len());
                for until in [2, 50, 150, 290, 300] {
                    run(&plan, &Limits { trials: until, ..limits }, &mut cut, 2, &Control::default());
                    let numbers = cut.tallies().iter().map(|tally| (tally.trials(), tally.numbers()));
                    let tallies =
                        numbers.map(|(trials, numbers)| Tally::from_numbers(trials, &numbers).unwrap()).collect();
                    cut = Standing::from_parts(tallies, cut.differences().to_vec(), cut.alive().to_vec()).unwrap();
                }
                assert_eq!(cut, whole);
            }
        }
    }
}

#[test]
fn a_cancelled_run_keeps_whole_trials() {
    let network = network();
    let starts = [start(Position::start(Variant::Hypergammon))];
    let plan = plan(&network, cubeless(), &starts);
    let whole = played(&plan, &trials(2000), 1);
    let (control, mut standing) = (Control::default(), Standing::new(1));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while control.done() < 100 {
                std::thread::yield_now();
            }
            control.cancel();
        });
        run(&plan, &trials(1 << 40), &mut standing, 2, &control);
    });
    assert!(standing.done() >= 2);
    run(&plan, &trials(standing.done().max(2000)), &mut standing, 2, &Control::default());
    if standing.done() == 2000 {
        assert_eq!(standing, whole);
    }
}

#[test]
fn differences_are_those_of_common_dice() {
    let network = network();
    let position = Position::start(Variant::Hypergammon);
    let starts = [start(position), Start { mirrored: true, ..start(position) }];
    let standing = played(&plan(&network, cubeless(), &starts), &trials(360), 2);
    // The same games seen from the other side.
    let [one, other] = [0, 1].map(|place| standing.tallies()[place].means()[6]);
    assert!((one + other).abs() < 1e-12);
    let (more, error) = standing.difference(1, 0, 1);
    assert!((more - 2.0 * one).abs() < 1e-12);
    assert!((error - 2.0 * standing.tallies()[0].standard_errors(1)[6]).abs() < 1e-12);
    assert_eq!(standing.difference(1, 1, 0), (-more, error));
}

#[test]
fn a_drop_ends_the_trial() {
    let (network, table) = (network(), table());
    let position = Position::from_points(&[(1, 2)], &[(6, 2), (5, 1)]).unwrap();
    let starts = [start(position), Start { no_double: true, ..start(position) }, Start { level: 3, ..start(position) }];
    let players: &Players<'_> = &|| Box::new(TablePlayer { table: &table, cubeful: true });
    let plan = Plan { players: Some(players), ..plan(&network, money(0, true), &starts) };
    let standing = played(&plan, &trials(72), 1);
    let worth = |place: usize| standing.tallies()[place].means()[6];
    assert_eq!([worth(0), worth(1), worth(2)], [1.0, 1.0, 8.0]);
}

/// Doubles whenever it may, and is taken.
struct Eager;

impl Player for Eager {
    fn choose(&mut self, position: &Position, roll: Roll, _: Stakes<'_>) -> Position {
        position.plays(roll).into_iter().next().map_or_else(|| position.flip(), |play| play.next())
    }

    fn decide(&mut self, _: &Position, _: Stakes<'_>) -> Action {
        Action::DoubleTake
    }
}

#[test]
fn on_the_first_turns_a_double_has_to_wait() {
    let network = network();
    let position = bear_off();
    let on = |turn| Start { turn, ..start(position) };
    // On turn 4 the player waits for the last time, and the opponent does not wait at all.
    let starts = [on(5), on(LATER), on(4), Start { no_double: true, ..on(LATER) }, on(2)];
    let judge = Judge::bare(&network);
    let ahead: &Players<'_> = &|| Box::new(Ahead::new(judge, searching(1)));
    let eager: &Players<'_> = &|| Box::new(Eager);
    let ways: [(Option<&Players<'_>>, bool, Option<u32>); 6] = [
        (None, false, None),
        (None, true, None),
        (Some(ahead), false, None),
        (Some(eager), false, None),
        (Some(eager), false, Some(1)),
        (Some(eager), false, Some(3)),
    ];
    for (players, luck, truncate) in ways {
        let plan = Plan { players, luck, truncate, ..plan(&network, waiting(), &starts) };
        let standing = played(&plan, &trials(72), 1);
        let sums: Vec<_> = standing.tallies().iter().map(Tally::numbers).collect();
        assert_eq!(sums[0], sums[1]);
        assert_eq!(sums[2], sums[3]);
        // On turn 5 the cube is turned, on turn 4 not yet; on the third turn from turn 4 it is, from turn 2 not yet.
        match truncate {
            Some(1) => assert_ne!(sums[0], sums[2]),
            Some(_) => assert_ne!(sums[2], sums[4]),
            None => {}
        }
    }
}

#[test]
fn sums_that_do_not_belong_together_are_refused() {
    let network = network();
    let starts = [start(bear_off()); 2];
    let standing = played(&plan(&network, cubeless(), &starts), &trials(40), 1);
    let parts = || (standing.tallies().to_vec(), standing.differences().to_vec(), standing.alive().to_vec());
    let (tallies, differences, alive) = parts();
    assert_eq!(Standing::from_parts(tallies, differences, alive), Some(standing.clone()));
    let (tallies, _, alive) = parts();
    assert_eq!(Standing::from_parts(tallies, Vec::new(), alive), None);
    let (mut tallies, differences, alive) = parts();
    tallies[0] = Tally::default();
    assert_eq!(Standing::from_parts(tallies, differences, alive), None);
    let numbers = standing.tallies()[0].numbers();
    assert_eq!(Tally::from_numbers(40, &numbers[1..]), None);
    assert_eq!(Tally::from_numbers(40, &[f64::NAN].repeat(numbers.len())), None);
}

fn searching(plies: usize) -> Settings {
    Settings { plies, filters: Filters::default(), replies: Some(4), limits: search::Limits::default(), threads: 1 }
}

#[test]
fn players_that_look_ahead_agree_with_the_exact_table() {
    // With the exact table they play perfectly, so trials come to what it says; without luck taken off, and with it by a
    // network that knows nothing.
    let (network, table) = (network(), table());
    let starts = [start(bear_off())];
    let knowing = Judge { two_sided: Some(&table), ..Judge::bare(&network) };
    for (ladder, cube, statistic) in [(cubeless(), None, 5), (money(1, true), Some((Owner::Centred, 0)), 6)] {
        let exact = table.value(&bear_off(), Ask { cube, ..Ask::default() }).unwrap();
        let players: &Players<'_> = &|| Box::new(Ahead::new(knowing, searching(1)));
        for luck in [false, true] {
            let plan = Plan { players: Some(players), luck, ..plan(&network, ladder, &starts) };
            let standing = played(&plan, &trials(1296), 2);
            let tally = &standing.tallies()[0];
            let (mean, error) = (tally.means()[statistic], tally.standard_errors(1)[statistic]);
            assert!((mean - exact).abs() < 3.0 * error && error < 0.07, "{mean} +- {error}, {exact}");
        }
    }
}

#[test]
fn looking_ahead_is_the_same_for_any_number_of_threads() {
    let network = network();
    let starts = [start(Position::start(Variant::Hypergammon))];
    let judge = Judge::bare(&network);
    for plies in [1, 2] {
        let players: &Players<'_> = &|| Box::new(Ahead::new(judge, searching(plies)));
        let plan = Plan { players: Some(players), truncate: Some(4), ..plan(&network, money(1, true), &starts) };
        let whole = played(&plan, &trials(36), 1);
        for threads in [2, 8] {
            assert_eq!(played(&plan, &trials(36), threads), whole);
        }
        let shallow = played(&Plan { players: None, ..plan }, &trials(36), 1);
        assert_ne!(shallow, whole);
    }
}

/// A search at 0-ply and trials that end at once or after a turn say the same, inside the tables and outside.
#[test]
fn search_and_trials_do_not_contradict_each_other() {
    let (network, table) = (network(), table());
    let races = OneSided::build(Index::new(6, 15).unwrap(), 2, &Control::default()).unwrap();
    let judge = Judge { one_sided: Some(&races), two_sided: Some(&table), ..Judge::bare(&network) };
    let settings = Settings { replies: None, ..searching(0) };
    let (memory, control) = (Memory::default(), Control::default());
    let search = search::Search { judge, settings, memory: &memory, control: &control };
    let positions = [
        bear_off(),
        Position::from_points(&[(6, 5), (5, 5), (2, 5)], &[(6, 6), (4, 6), (1, 2)]).unwrap(),
        Position::from_points(&[(9, 2), (5, 3), (2, 1)], &[(7, 2), (4, 3), (3, 1)]).unwrap(),
        Position::start(Variant::Standard),
    ];
    for position in positions {
        let later = [cubeless(), money(1, true), money(0, false), waiting()].map(|ladder| (ladder, LATER));
        for (ladder, turn) in later.into_iter().chain([2, 3, 4].map(|turn| (waiting(), turn))) {
            let game = Game::Cubeful(Box::new(CubeGame::new(ladder, 0, Owner::Centred).on_turn(turn)));
            let starts = [Start { turn, ..start(position) }, Start { turn, no_double: true, ..start(position) }];
            let player = &mut Ahead::new(judge, searching(0));
            let stakes = Stakes { ladder: &ladder, level: 0, owner: Owner::Centred, turn };
            for roll in Roll::ALL {
                let best = search.rank(&position, roll, &game, true).answer;
                let Some(best) = best.first() else { continue };
                assert_eq!(player.choose(&position, roll, stakes), best.next);
            }
            // One turn: each throw once. What it comes to is what the best plays do.
            let plan = Plan { judge, truncate: Some(1), ..plan(&network, ladder, &starts) };
            let standing = played(&plan, &trials(36), 1);
            let mean = standing.tallies()[1].means()[6];
            let known = judge.known(&position).is_some();
            let of_roll = |roll: Roll| {
                let plays = search.rank(&position, roll, &game, false).answer;
                f64::from(roll.weight()) / 36.0 * plays[0].worth
            };
            let ended =
                known && (ladder == cubeless() || judge.equity(&position, &ladder, 0, Owner::Centred, true).is_some());
            if ended {
                let now = search.evaluate(&position, &game).answer;
                assert!((mean - now.rolling).abs() < 1e-9, "{position:?}");
                assert!((standing.tallies()[0].means()[6] - now.best).abs() < 1e-9);
            } else {
                let ahead: f64 = Roll::ALL.into_iter().map(of_roll).sum();
                assert!((mean - ahead).abs() < 1e-6, "{mean} {ahead} {position:?}");
            }
        }
    }
}

/// Trials that are played in pieces, whole or not needed any more, and added by hand are what `run` makes of them.
#[test]
fn pieces_that_were_played_elsewhere_add_up_to_the_same() {
    let network = network();
    let after =
        |steps: &[(usize, i32)]| start(Position::from_points(steps, &[(6, 2), (5, 1), (3, 1), (1, 1)]).unwrap());
    let starts = [after(&[(1, 1)]), after(&[(6, 2), (4, 1), (3, 1), (2, 1)]), after(&[(6, 3), (5, 2)])];
    let plan = plan(&network, cubeless(), &starts);
    for clear in [None, Some(2.0)] {
        let limits = Limits { clear, ..trials(500) };
        let whole = played(&plan, &limits, 2);
        assert_eq!(whole.done() < 500, clear.is_some());
        let mut standing = Standing::new(starts.len());
        let mut over = false;
        for first in (0..500).step_by(50) {
            let alive = [true; 3];
            let samples: Vec<_> = play(&plan, &alive, first..first + 50, 2, &Control::default())
                .into_iter()
                .map(|(trial, samples)| {
                    let again = |sample: Sample| Sample::from_values(sample.values(), plan.seed, trial);
                    samples.into_iter().map(|sample| sample.map(again)).collect::<Vec<_>>()
                })
                .collect();
            if !over {
                over = add(plan.seed, &limits, &mut standing, &samples);
            }
        }
        assert!(over);
        assert_eq!(standing, whole);
    }
}
