use super::*;
use crate::ladder::{Ladder, Terms};
use crate::player::Skill;
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
