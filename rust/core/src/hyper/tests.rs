use std::collections::BTreeSet;
use std::path::PathBuf;

use super::plays::all_lists;
use super::*;
use crate::dice::Roll;
use crate::files::FileError;
use crate::position::{BAR, Setup, Side as Checkers};

fn position(sides: &Sides, player: usize, opponent: usize) -> Position {
    let side = |number: usize| {
        let places = sides.get(number).places;
        let points: Vec<_> = places.iter().filter(|&&place| place > 0).map(|&place| (usize::from(place), 1)).collect();
        Checkers::new(&points, sides.checkers())
    };
    Setup { own: side(player), opponent: side(opponent) }.validate().unwrap()
}

fn solution(checkers: u8) -> Hypergammon {
    Hypergammon::solve(checkers, 1e-9, 2, &Control::default()).unwrap()
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("gammon-hyper-{name}-{}", std::process::id()))
}

/// The lists of one side against a block, against the general generator on whole positions.
#[test]
fn plays_agree_with_the_general_generator() {
    for (checkers, step) in [(1, 1), (2, 7), (3, 12_347)] {
        let sides = Sides::new(checkers);
        let lists = all_lists(&sides, 2, &Control::default());
        let mut seen = 0;
        for pair in (0..sides.len() * sides.len()).step_by(step) {
            let (player, opponent) = (pair / sides.len(), pair % sides.len());
            if player == 0 || opponent == 0 || !sides.is_valid(player, opponent) {
                continue;
            }
            seen += 1;
            let position = position(&sides, player, opponent);
            assert_eq!(sides.of_position(&position), Some((player, opponent)));
            let side = sides.get(opponent);
            let block = if side.block == 0 { 0 } else { BAR - usize::from(side.block) };
            for roll in Roll::ALL {
                let plays = lists[block].plays(player, roll.index());
                assert!(plays.len() <= 15, "{}", plays.len());
                let after =
                    |play: &plays::Entry| (usize::from(play.after), sides.after_hits(side, play.hits(side.blots())));
                let found: BTreeSet<_> = plays.iter().map(after).collect();
                let expected: BTreeSet<_> =
                    position.plays(roll).iter().map(|play| sides.of_position(play.after()).unwrap()).collect();
                // A last checker that hits on its way off has won either way; the order of its steps does not count.
                let unfinished = |set: &BTreeSet<(usize, usize)>| set.iter().copied().filter(|p| p.0 != 0).collect();
                let sets: [BTreeSet<_>; 2] = [unfinished(&found), unfinished(&expected)];
                assert_eq!(sets[0], sets[1], "{position:?} {roll}");
                assert_eq!(found.iter().any(|p| p.0 == 0), expected.iter().any(|p| p.0 == 0), "{position:?} {roll}");
            }
        }
        assert!(seen > 500, "{seen}");
    }
}

/// Every value follows from those of the positions after it, found by the general generator.
fn check_one_step(solution: &Hypergammon, pairs: impl Iterator<Item = (usize, usize)>) {
    let sides = &solution.sides;
    let mut worst: f64 = 0.0;
    for (player, opponent) in pairs {
        if player == 0 || opponent == 0 || !sides.is_valid(player, opponent) {
            continue;
        }
        let position = position(sides, player, opponent);
        let values = solution.values(&position).unwrap();
        let seen = [
            (None, false, values.cubeless),
            (Some(Owner::Player), false, values.owned),
            (Some(Owner::Centred), false, values.centred),
            (Some(Owner::Centred), true, values.centred_jacoby),
            (Some(Owner::Opponent), false, values.opponent_owned),
        ];
        for (cube, jacoby, value) in seen {
            let question = crate::money::Question { cube, jacoby, no_double: true };
            let mut mean = 0.0;
            for roll in Roll::ALL {
                let worth = match solution.best_play(&position, roll, question).unwrap() {
                    Some((_, worth)) => worth,
                    None => {
                        let cube = cube.map(Owner::flip);
                        -solution
                            .value(&position.flip(), crate::money::Question { cube, jacoby, no_double: false })
                            .unwrap()
                    }
                };
                mean += f64::from(roll.weight()) / 36.0 * worth;
            }
            worst = worst.max((mean - value).abs());
        }
        let [win, wg, wb, lg, lb] = values.probabilities;
        let equity = 2.0 * win - 1.0 + wg + wb - lg - lb;
        worst = worst.max((equity - values.cubeless).abs() / 4.0);
        assert!(values.owned >= values.centred - 1e-8 && values.centred.max(1.0) >= values.opponent_owned - 1e-8);
        assert!(win >= wg && wg >= wb && 1.0 - win >= lg && lg >= lb);
        // Who has borne off a checker cannot lose a gammon.
        assert!(position.off() == 0 || lg == 0.0);
        assert!(position.opponent_off() == 0 || wg == 0.0);
    }
    assert!(worst <= 4.0 * solution.error_bound() + 1e-12, "{worst}");
    assert!(worst > 0.0);
}

#[test]
fn one_step_of_every_position_with_one_checker() {
    let solution = solution(1);
    assert!(solution.error_bound() <= 1e-9);
    let sides = solution.sides.len();
    check_one_step(&solution, (0..sides * sides).map(|pair| (pair / sides, pair % sides)));
}

#[test]
fn one_step_with_two_checkers() {
    let solution = solution(2);
    let sides = solution.sides.len();
    check_one_step(&solution, (0..sides * sides).step_by(97).map(|pair| (pair / sides, pair % sides)));
}

#[test]
fn the_same_for_any_number_of_threads() {
    let solve = |threads| match Hypergammon::solve(2, 1e-4, threads, &Control::default()).unwrap().store {
        Store::Memory(records) => records,
        Store::File(_) => unreachable!(),
    };
    let one = solve(1);
    assert!(one.as_flattened().iter().all(|number| !number.is_nan()));
    assert_eq!(solve(3), one);
}

#[test]
fn cancelled() {
    let control = Control::default();
    control.cancel();
    assert_eq!(Hypergammon::solve(2, 1e-9, 2, &control).unwrap_err(), SolveError::Cancelled);
}

#[test]
fn a_tolerance_below_rounding_is_not_met() {
    let error = Hypergammon::solve(1, 0.0, 1, &Control::default()).unwrap_err();
    assert!(matches!(error, SolveError::NotConverged { bound } if bound < 1e-12), "{error:?}");
}

#[test]
fn another_game_is_not_in_the_table() {
    let solution = solution(1);
    let position = position(&Sides::new(2), 9, 9);
    assert!(matches!(solution.values(&position), Err(LookupError::NotInDatabase(_))));
}

#[test]
fn files() {
    let path = temporary("file");
    let solution = solution(1);
    solution.save(&path).unwrap();
    let opened = Hypergammon::open(&path).unwrap();
    opened.verify().unwrap();
    assert_eq!((opened.checkers(), opened.sweeps()), (1, solution.sweeps()));
    for player in 1..solution.sides.len() {
        for opponent in (0..solution.sides.len()).filter(|&opponent| solution.sides.is_valid(player, opponent)) {
            let position = position(&solution.sides, player, opponent);
            assert_eq!(opened.values(&position).unwrap(), solution.values(&position).unwrap());
        }
    }
    let bytes = std::fs::read(&path).unwrap();
    for byte in (0..bytes.len()).step_by(251).chain(0..300) {
        let mut bad = bytes.clone();
        bad[byte] ^= 0x10;
        std::fs::write(&path, bad).unwrap();
        let seen = Hypergammon::open(&path).and_then(|opened| opened.verify());
        assert!(matches!(seen, Err(FileError::Damaged(_) | FileError::Foreign(_))), "byte {byte}");
    }
    for len in [0, 7, 63, 64, 100, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..len]).unwrap();
        assert!(Hypergammon::open(&path).is_err(), "{len}");
    }
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(Hypergammon::open(&path), Err(FileError::Io(_))));
}
