//! Tables against slow twins that know nothing of tiles, layers and instruction sets.

use std::collections::HashMap;
use std::fs;
use std::ops::Neg;
use std::path::PathBuf;
use std::sync::Arc;

use super::build::{self, Lines, Means, Window};
use super::kernel::{HALF_RANGE, Number as _, Scale};
use super::layout::rolls;
use super::*;
use crate::bearoff::index::{self, Counts, pips};
use crate::cube::Action;
use crate::dice::Roll;
use crate::ladder::Owner;
use crate::parallel::Control;
use crate::position::{Position, Setup, Side};

fn spec(points: usize, checkers: [usize; 2], values: Values) -> Spec {
    Spec::new(points, checkers, values).unwrap()
}

fn built(spec: Spec) -> TwoSided {
    TwoSided::build(spec, Build::default(), &Control::default()).unwrap()
}

fn sides(first: &Counts, second: &Counts) -> Position {
    let side = |counts: &Counts| {
        let points: Vec<_> = counts.iter().enumerate().map(|(below, &n)| (below + 1, i32::from(n))).collect();
        Side::new(&points, 15)
    };
    Setup { own: side(first), opponent: side(second) }.validate().unwrap()
}

/// An exact number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fraction {
    above: i128,
    below: i128,
}

impl Fraction {
    fn new(above: i128, below: i128) -> Fraction {
        let (mut a, mut b) = (above.abs(), below);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Fraction { above: above / a.max(1), below: below / a.max(1) }
    }

    fn plus(self, other: Fraction) -> Fraction {
        let (above, below) = (self.above.checked_mul(other.below), other.above.checked_mul(self.below));
        Fraction::new(above.unwrap() + below.unwrap(), self.below.checked_mul(other.below).unwrap())
    }

    fn times(self, above: i128, below: i128) -> Fraction {
        Fraction::new(self.above * above, self.below * below)
    }

    fn max(self, other: Fraction) -> Fraction {
        if self.above * other.below >= other.above * self.below { self } else { other }
    }

    fn min(self, other: Fraction) -> Fraction {
        -(-self).max(-other)
    }

    fn float(self) -> f64 {
        self.above as f64 / self.below as f64
    }
}

impl Neg for Fraction {
    type Output = Fraction;

    fn neg(self) -> Fraction {
        Fraction { above: -self.above, ..self }
    }
}

/// Plain recursion over positions with the general generator of plays, in exact fractions.
#[derive(Default)]
struct Twin {
    known: HashMap<(Position, usize), Fraction>,
}

impl Twin {
    /// One of the five numbers of a pair.
    fn value(&mut self, position: Position, value: usize) -> Fraction {
        if let Some(outcome) = position.outcome() {
            let points = if value == Values::JACOBY { outcome.points().signum() } else { outcome.points() };
            return Fraction::new(points.into(), 1);
        }
        if let Some(&known) = self.known.get(&(position, value)) {
            return known;
        }
        let mut sum = Fraction::new(0, 1);
        for roll in Roll::ALL {
            let results = position.plays(roll).into_iter().map(|play| -self.after(play.next(), value));
            let best = results.reduce(Fraction::max).expect("past each other every roll has a play");
            sum = sum.plus(best.times(i128::from(roll.weight()), 36));
        }
        self.known.insert((position, value), sum);
        sum
    }

    /// What the opponent has when they are to roll or double.
    fn after(&mut self, position: Position, value: usize) -> Fraction {
        match value {
            Values::CUBELESS => self.value(position, value),
            Values::OWNED => self.value(position, Values::OPPONENT),
            Values::OPPONENT => self.option(position, Values::OWNED),
            _ => self.option(position, value),
        }
    }

    fn option(&mut self, position: Position, value: usize) -> Fraction {
        let rolling = self.value(position, value);
        if position.is_over() {
            return rolling;
        }
        let taken = self.value(position, Values::OPPONENT).times(2, 1);
        rolling.max(taken.min(Fraction::new(1, 1)))
    }
}

#[test]
fn fractions() {
    let third = Fraction::new(2, 6);
    assert_eq!(third, Fraction { above: 1, below: 3 });
    assert_eq!(third.plus(Fraction::new(1, 6)), Fraction::new(1, 2));
    assert_eq!(third.max(Fraction::new(-1, 2)), third);
    assert_eq!(third.min(Fraction::new(-1, 2)), Fraction::new(-1, 2));
}

/// Every number of a table within half a quantum of the twin's.
fn agrees_with_twin(points: usize, checkers: usize, values: Values) {
    let table = built(spec(points, [checkers; 2], values));
    let side = table.spec().sides()[0];
    let mut twin = Twin::default();
    for i in 0..side.len() {
        for j in 0..side.len() {
            if i + j == 0 {
                continue;
            }
            let position = sides(&side.unrank(i), &side.unrank(j));
            for (value, number) in table.numbers(0, i, j).unwrap()[..values.count()].iter().enumerate() {
                let exact = twin.value(position, value).float();
                let half = Scale::new(number.gammon).factor() / 65_535.0 * (1.0 + 1e-9);
                assert!((number.equity() - exact).abs() <= half, "{position:?} {value}: {number:?}, not {exact}");
            }
        }
    }
}

#[test]
fn three_checkers_agree_with_fractions() {
    agrees_with_twin(3, 3, Values::MoneyJacoby);
    agrees_with_twin(6, 2, Values::Money);
    agrees_with_twin(3, 3, Values::Cubeless);
}

#[test]
fn fifteen_on_the_ace_agree_with_fractions_gammons_included() {
    agrees_with_twin(1, 15, Values::MoneyJacoby);
}

/// The same recurrence in double precision over indices, one pair after the other.
struct Doubles {
    side: Index,
    values: Vec<[f64; 5]>,
}

impl Doubles {
    fn new(side: Index) -> Doubles {
        let n = side.len();
        let mut doubles = Doubles { side, values: vec![[0.0; 5]; n * n] };
        let plays: Vec<Vec<Vec<usize>>> =
            (0..n).map(|i| Roll::ALL.into_iter().map(|roll| side.plays(i, roll)).collect()).collect();
        let pips: Vec<_> = (0..n).map(|i| pips(&side.unrank(i))).collect();
        let mut pairs: Vec<_> = (0..n * n).collect();
        pairs.sort_by_key(|pair| pips[pair / n] + pips[pair % n]);
        for pair in pairs {
            let (i, j) = (pair / n, pair % n);
            doubles.values[pair] = if i == 0 || j == 0 {
                let loser = index::checkers(&side.unrank(i.max(j)));
                let points = if loser == 15 { 2.0 } else { 1.0 };
                let sign = if i == 0 { 1.0 } else { -1.0 };
                [sign * points, sign * points, sign * points, sign * points, sign]
            } else {
                let mut sums = [0.0; 5];
                for roll in rolls() {
                    let mut best = [f64::NEG_INFINITY; 5];
                    for &play in &plays[i][roll.index()] {
                        let [cubeless, owned, centred, opponent, jacoby] = doubles.values[j * n + play];
                        let double = (2.0 * opponent).min(1.0);
                        let after = [cubeless, opponent, centred.max(double), owned.max(double), jacoby.max(double)];
                        for (best, after) in best.iter_mut().zip(after) {
                            *best = best.max(-after);
                        }
                    }
                    for (sum, best) in sums.iter_mut().zip(best) {
                        *sum += f64::from(roll.weight()) * best;
                    }
                }
                sums.map(|sum| sum / 36.0)
            };
        }
        doubles
    }
}

/// Every number of a table within half a quantum of the recurrence in double precision.
fn agrees_with_doubles(points: usize, checkers: usize, values: Values) {
    let table = built(spec(points, [checkers; 2], values));
    assert!(table.spec().is_exact());
    let doubles = Doubles::new(table.spec().sides()[0]);
    let n = doubles.side.len();
    for (pair, exact) in doubles.values.iter().enumerate().skip(1) {
        for (number, exact) in table.numbers(0, pair / n, pair % n).unwrap()[..values.count()].iter().zip(exact) {
            let half = Scale::new(number.gammon).factor() / 65_535.0 + 1e-12;
            assert!((number.equity() - exact).abs() <= half, "{pair} {number:?} {exact}");
        }
    }
}

#[test]
fn tables_agree_with_the_recurrence_in_double_precision() {
    agrees_with_doubles(6, 4, Values::Money);
    agrees_with_doubles(2, 15, Values::MoneyJacoby);
    agrees_with_doubles(8, 3, Values::Cubeless);
    agrees_with_doubles(3, 15, Values::Cubeless);
}

fn means(control: &Control, threads: usize, isa: Isa) -> Means<'_> {
    Means { threads, isa, control }
}

/// All layers of a table, solved on the numbers of the type.
fn layers<N: kernel::Number>(spec: &Spec, threads: usize, isa: Isa) -> Vec<Arc<Lines<N>>> {
    let layout = spec.layout();
    let control = Control::default();
    let mut layers = Vec::new();
    build::solve(&layout, &spec.scoring, means(&control, threads, isa), 0, Window::new(&layout), |_, layer| {
        layers.push(layer);
        Ok(())
    })
    .unwrap();
    layers
}

/// The numbers of a table that is solved on 16 bits, whatever its size: one scalar step for each pair.
fn sixteen_bit_twin(side: Index) -> Vec<[i16; 5]> {
    let n = side.len();
    let mut numbers = vec![[0_i16; 5]; n * n];
    let full: Vec<_> = (0..n).map(|i| index::checkers(&side.unrank(i)) == 15).collect();
    let pips: Vec<_> = (0..n).map(|i| pips(&side.unrank(i))).collect();
    let mut pairs: Vec<_> = (0..n * n).collect();
    pairs.sort_by_key(|pair| pips[pair / n] + pips[pair % n]);
    for pair in pairs {
        let (i, j) = (pair / n, pair % n);
        let gammon = full[i] || full[j];
        if i == 0 || j == 0 {
            let code = if i == 0 { i16::MAX } else { i16::MIN };
            numbers[pair] = [code; 5];
            if gammon {
                // 1 of the range of -2 to 2 lies a quarter above 16383, -1 a quarter below -16384.
                numbers[pair][4] = if i == 0 { 16_383 } else { -16_384 };
            }
            continue;
        }
        let mut sums = [0_i32; 5];
        for roll in Roll::ALL {
            let mut least = [i16::MAX; 5];
            for play in side.plays(i, roll) {
                let mut after = numbers[j * n + play];
                if gammon && !full[j] && !full[play] {
                    after = after.map(|code| code.div_euclid(2));
                }
                let [cubeless, owned, centred, opponent, jacoby] = after;
                let cash = if gammon { 16_383 } else { 32_767 };
                let double = (2 * i32::from(opponent)).clamp(-32_768, cash) as i16;
                let after = [cubeless, opponent, centred.max(double), owned.max(double), jacoby.max(double)];
                for (least, after) in least.iter_mut().zip(after) {
                    *least = (*least).min(after);
                }
            }
            for (sum, least) in sums.iter_mut().zip(least) {
                *sum += i32::from(roll.weight()) * i32::from(least);
            }
        }
        numbers[pair] = sums.map(|sum| !((sum as f32 * (1.0 / 36.0)).round_ties_even() as i16));
    }
    numbers
}

fn agrees_with_sixteen_bit_twin(points: usize, checkers: usize, values: Values, isa: Isa) {
    let spec = spec(points, [checkers; 2], values);
    let table = TwoSided::from_layers(spec.clone(), layers::<i16>(&spec, 2, isa));
    let side = spec.sides()[0];
    let twin = sixteen_bit_twin(side);
    for (pair, expected) in twin.iter().enumerate().skip(1) {
        let numbers = table.numbers(0, pair / side.len(), pair % side.len()).unwrap();
        for value in 0..values.count() {
            assert_eq!(numbers[value].code, expected[value], "{isa:?} {pair} {value}");
        }
    }
}

fn available() -> impl Iterator<Item = Isa> {
    let sets: Vec<_> = Isa::ALL.into_iter().filter(|isa| isa.is_available()).collect();
    assert!(sets.contains(&Isa::Portable));
    sets.into_iter()
}

#[test]
fn every_instruction_set_agrees_with_the_scalar_twin() {
    for isa in available() {
        agrees_with_sixteen_bit_twin(6, 4, Values::Money, isa);
        agrees_with_sixteen_bit_twin(2, 15, Values::MoneyJacoby, isa);
        agrees_with_sixteen_bit_twin(2, 15, Values::Cubeless, isa);
        agrees_with_sixteen_bit_twin(6, 5, Values::Cubeless, isa);
    }
}

#[test]
fn every_instruction_set_and_number_of_threads_gives_the_same_bytes() {
    fn bytes<N: kernel::Number>(spec: &Spec, threads: usize, isa: Isa) -> Vec<u8> {
        let layers = layers::<N>(spec, threads, isa);
        layers.iter().flat_map(|layer| bytemuck::cast_slice::<_, u8>(layer.lines())).copied().collect()
    }
    for values in [Values::Cubeless, Values::MoneyJacoby] {
        for spec in [spec(6, [5; 2], values), spec(3, [15, 6], values)] {
            let sixteen = bytes::<i16>(&spec, 1, Isa::Portable);
            let doubles = bytes::<f64>(&spec, 1, Isa::Portable);
            for isa in available() {
                for threads in [1, 2, 8] {
                    assert!(bytes::<i16>(&spec, threads, isa) == sixteen, "{spec:?} {isa:?} {threads}");
                    assert!(bytes::<f64>(&spec, threads, isa) == doubles, "{spec:?} {isa:?} {threads}");
                }
            }
        }
    }
}

/// By how many quanta a table solved on 16 bits is off: the mean and the worst of each value.
fn drift(spec: &Spec) -> Vec<(f64, f64)> {
    let layout = spec.layout();
    let rounded = layers::<i16>(spec, 2, Isa::best());
    let mut sums = vec![(0.0, 0.0_f64, 0_u64); spec.scoring.count()];
    let control = Control::default();
    let window = Window::new(&layout);
    build::solve::<f64>(&layout, &spec.scoring, means(&control, 2, Isa::best()), 0, window, |sum, exact| {
        for &name in &layout.layers[sum].names {
            let block = layout.block(name);
            let on_roll = &layout.side(name.orientation).classes[name.pips];
            let waiting = &layout.waiting_side(name.orientation).classes[name.waiting_pips];
            for (row, at) in (0..block.rows).flat_map(|row| (0..block.row_lines).map(move |at| (row, at))) {
                let members = on_roll.rows_of_tile(at / layout.values);
                let scale = Scale::new(row >= waiting.safe || members.start >= on_roll.safe);
                let line = block.in_layer + row * block.row_lines + at;
                let pairs = rounded[sum].lines()[line].iter().zip(exact.lines()[line]);
                let (total, worst, count) = &mut sums[at % layout.values];
                for (&code, exact) in pairs.take(members.len()) {
                    let off = f64::from(code) + 0.5 - exact / scale.factor() * HALF_RANGE;
                    (*total, *worst, *count) = (*total + off, worst.max(off.abs()), *count + 1);
                }
            }
        }
        Ok(())
    })
    .unwrap();
    sums.into_iter().map(|(sum, worst, count)| (sum / count as f64, worst)).collect()
}

#[test]
fn sixteen_bits_fed_back_stay_within_three_quanta() {
    for spec in [spec(6, [6; 2], Values::Money), spec(3, [15; 2], Values::MoneyJacoby)] {
        let drift = drift(&spec);
        println!("{spec:?}: mean and worst error in quanta {drift:?}");
        assert!(drift.iter().all(|&(mean, worst)| worst > 0.4 && worst <= 3.0 && mean.abs() < 1.0), "{drift:?}");
    }
}

#[test]
#[ignore = "slow: minutes and gigabytes"]
fn sixteen_bits_fed_back_in_larger_tables() {
    let sizes = [
        spec(6, [8; 2], Values::Money),
        spec(4, [15; 2], Values::MoneyJacoby),
        spec(6, [10; 2], Values::Money),
        spec(5, [15; 2], Values::Money),
    ];
    for spec in sizes {
        let drift = drift(&spec);
        println!("{spec:?}: mean and worst error in quanta {drift:?}");
        assert!(drift.iter().all(|&(_, worst)| worst <= 3.0), "{drift:?}");
    }
}

#[test]
fn invariants_of_a_whole_table() {
    let table = built(spec(6, [5; 2], Values::Money));
    let side = table.spec().sides()[0];
    let values = |i: usize, j: usize| table.numbers(0, i, j).unwrap().map(Number::equity);
    let mut compared = 0;
    for i in 1..side.len() {
        let counts = side.unrank(i);
        // The same side with one checker less.
        let fewer: Vec<_> = (0..6)
            .filter(|&point| counts[point] > 0)
            .map(|point| {
                let mut fewer = counts;
                fewer[point] -= 1;
                side.rank(&fewer).unwrap()
            })
            .collect();
        for j in 1..side.len() {
            let [cubeless, owned, centred, opponent, ..] = values(i, j);
            for value in [cubeless, owned, centred, opponent] {
                assert!((-1.0..=1.0).contains(&value));
            }
            // Without doubling now the player who owns the cube has no more than with it centred, as it is the
            // opponent's access that differs; with the option to double the order is that of access.
            let option = |rolling: f64| rolling.max((2.0 * opponent).min(1.0));
            assert!(option(owned) >= option(centred) && option(centred) >= opponent, "{i} {j}");
            for &fewer in &fewer {
                compared += 1;
                let better = values(fewer, j);
                let worse = values(j, fewer);
                let waiting = values(j, i);
                for value in 0..4 {
                    assert!(better[value] >= values(i, j)[value], "{i} {j} {value}");
                    assert!(worse[value] <= waiting[value], "{i} {j} {value}");
                }
            }
        }
    }
    assert!(compared > 100_000);
}

#[test]
fn the_cube_is_dead_where_the_next_roll_ends_the_game() {
    let table = built(spec(6, [2; 2], Values::Money));
    // Whoever rolls bears off.
    let position = Position::from_points(&[(1, 1)], &[(1, 2)]).unwrap();
    for cube in [None, Some(Owner::Player), Some(Owner::Centred), Some(Owner::Opponent)] {
        assert_eq!(table.equity(&position, cube, Jacoby::OfTable, true).unwrap(), 1.0);
    }
    // 27 of 36 throws: the game ends whatever happens, so it is worth the same with every cube, until it is turned.
    let position = Position::from_points(&[(6, 1)], &[(1, 1)]).unwrap();
    for cube in [None, Some(Owner::Player), Some(Owner::Centred), Some(Owner::Opponent)] {
        let equity = table.equity(&position, cube, Jacoby::OfTable, false).unwrap();
        assert!((equity - 0.5).abs() < 1.0 / 65_535.0);
    }
    let action = table.cube_action(&position, Ask { cube: Some((Owner::Centred, 0)), ..Ask::default() }).unwrap();
    assert_eq!(action.action, Action::DoubleTake);
    assert!((action.double_take - 1.0).abs() < 1e-4);
}

#[test]
fn unequal_sides_agree_with_equal_ones() {
    let equal = built(spec(6, [4; 2], Values::Money));
    let unequal = built(spec(6, [4, 2], Values::Money));
    let swapped = built(spec(6, [2, 4], Values::Money));
    let [four, two] = unequal.spec().sides();
    for i in 0..four.len() {
        for j in 0..two.len() {
            assert_eq!(unequal.numbers(0, i, j).unwrap(), equal.numbers(0, i, j).unwrap());
            assert_eq!(unequal.numbers(1, j, i).unwrap(), equal.numbers(0, j, i).unwrap());
            assert_eq!(swapped.numbers(1, i, j).unwrap(), equal.numbers(0, i, j).unwrap());
        }
    }
    let large = Position::from_points(&[(6, 4)], &[(6, 2)]).unwrap();
    let value = |table: &TwoSided, position: &Position| table.equity(position, None, Jacoby::OfTable, true).unwrap();
    assert_eq!(value(&unequal, &large), value(&equal, &large));
    assert_eq!(value(&unequal, &large.flip()), value(&equal, &large.flip()));
    let both = Position::from_points(&[(6, 4)], &[(6, 3)]).unwrap();
    assert!(matches!(unequal.equity(&both, None, Jacoby::OfTable, true), Err(TwoSidedError::NotInDatabase(_))));
}

#[test]
fn outside_the_table_is_refused_with_the_reason() {
    let table = built(spec(6, [3; 2], Values::Cubeless));
    let refused = |position: Position| match table.equity(&position, None, Jacoby::OfTable, true) {
        Err(TwoSidedError::NotInDatabase(reason)) => reason,
        other => panic!("{other:?}"),
    };
    let at = |own: &[(usize, i32)], opponent: &[(usize, i32)]| Position::from_points(own, opponent).unwrap();
    assert!(refused(at(&[(24, 1)], &[(3, 1)])).contains("past each other"));
    assert!(refused(at(&[(7, 1)], &[(3, 1)])).contains("up to point 7"));
    assert!(refused(at(&[(3, 4)], &[(3, 1)])).contains("4 checkers"));
    assert!(refused(at(&[(3, 1)], &[(20, 1)])).contains("beyond the 6 points"));
    // Two checkers that never were fifteen could lose a gammon.
    let few = Setup { own: Side::new(&[(1, 2)], 2), opponent: Side::new(&[(1, 1)], 15) }.validate().unwrap();
    assert!(refused(few).contains("none off"));
    assert!(refused(few.flip()).contains("none off"));
    let played = Setup { own: Side::new(&[(1, 2)], 3), opponent: Side::new(&[(1, 1)], 15) }.validate().unwrap();
    assert!(table.equity(&played, None, Jacoby::OfTable, true).is_ok());
    let inside = at(&[(1, 1)], &[(1, 1)]);
    assert!(matches!(table.equity(&inside, Some(Owner::Centred), Jacoby::OfTable, true), Err(TwoSidedError::Cubeless)));
}

#[test]
fn jacoby_is_asked_where_it_differs() {
    let plain = built(spec(1, [15; 2], Values::Money));
    let jacoby = built(spec(1, [15; 2], Values::MoneyJacoby));
    let gammon = Position::from_points(&[(1, 1)], &[(1, 15)]).unwrap();
    let single = Position::from_points(&[(1, 1)], &[(1, 14)]).unwrap();
    let centred =
        |table: &TwoSided, position: &Position, rule| table.equity(position, Some(Owner::Centred), rule, false);
    assert_eq!(centred(&plain, &gammon, Jacoby::Off).unwrap(), 2.0);
    assert!(matches!(centred(&plain, &gammon, Jacoby::On), Err(TwoSidedError::NotInDatabase(_))));
    assert_eq!(centred(&plain, &single, Jacoby::On).unwrap(), 1.0);
    assert!((centred(&jacoby, &gammon, Jacoby::OfTable).unwrap() - 1.0).abs() < 1e-4);
    assert_eq!(centred(&jacoby, &gammon, Jacoby::Off).unwrap(), 2.0);
    assert_eq!(jacoby.equity(&gammon, Some(Owner::Player), Jacoby::On, false).unwrap(), 2.0);
    // Finished games pay what they pay.
    let over = Position::from_points(&[], &[(1, 15)]).unwrap();
    assert_eq!(plain.equity(&over, Some(Owner::Centred), Jacoby::OfTable, true).unwrap(), 2.0);
    assert_eq!(jacoby.equity(&over, Some(Owner::Centred), Jacoby::OfTable, true).unwrap(), 1.0);
    assert_eq!(jacoby.equity(&over.flip(), None, Jacoby::OfTable, true).unwrap(), -2.0);
}

#[test]
fn the_best_play_is_the_best() {
    let table = built(spec(6, [4; 2], Values::Money));
    let position = Position::from_points(&[(6, 1), (4, 1), (2, 1)], &[(1, 3)]).unwrap();
    for roll in Roll::ALL {
        for cube in [None, Some(Owner::Centred), Some(Owner::Player), Some(Owner::Opponent)] {
            let (play, equity) = table
                .best_play(&position, roll, Ask { cube: cube.map(|owner| (owner, 0)), ..Ask::default() })
                .unwrap()
                .unwrap();
            let of = |next: &Position| -table.equity(next, cube.map(Owner::flip), Jacoby::OfTable, true).unwrap();
            assert_eq!(of(&play.next()), equity);
            assert!(position.plays(roll).iter().all(|other| of(&other.next()) <= equity));
        }
    }
    let over = Position::from_points(&[], &[(1, 3)]).unwrap();
    assert!(table.best_play(&over, Roll::ALL[0], Ask::default()).unwrap().is_none());
}

#[test]
fn sizes_are_refused_before_anything_is_allocated() {
    let full = spec(6, [15; 2], Values::Money);
    let error = TwoSided::build(full.clone(), Build::default(), &Control::default()).unwrap_err();
    assert!(matches!(error, TwoSidedError::NeedsPath { .. }), "{error}");
    assert!(error.to_string().contains("GB"), "{error}");
    println!("{:?}", full.size());
    assert!(full.size().file_bytes > 23_500_000_000 && full.size().memory_with_path < 16_000_000_000);
    assert!(spec(6, [15; 2], Values::Cubeless).size().memory_without_path < 8_000_000_000);
    assert!(matches!(Spec::new(18, [15; 2], Values::Cubeless), Err(TwoSidedError::TooManyPositions { .. })));
    assert!(matches!(Spec::new(6, [16, 1], Values::Cubeless), Err(TwoSidedError::Size { .. })));
    assert!(matches!(Spec::new(0, [1, 1], Values::Cubeless), Err(TwoSidedError::Size { .. })));
    let directory = Scratch::new("space");
    let huge = spec(9, [12; 2], Values::MoneyJacoby);
    let how = Build { path: Some(&directory.file("huge")), ..Build::default() };
    let error = TwoSided::build(huge, how, &Control::default()).unwrap_err();
    assert!(matches!(error, TwoSidedError::NoSpace { .. }), "{error}");
    assert_eq!(fs::read_dir(&directory.0).unwrap().count(), 0);
}

/// A directory that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("gammon-two-sided-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_hold_what_was_solved() {
    let directory = Scratch::new("round-trip");
    for spec in
        [spec(6, [4; 2], Values::Money), spec(2, [15, 3], Values::MoneyJacoby), spec(6, [3; 2], Values::Cubeless)]
    {
        let memory = built(spec.clone());
        let (saved, streamed) = (directory.file("saved"), directory.file("streamed"));
        memory.save(&saved, &Control::default()).unwrap();
        let control = Control::default();
        let how = Build { path: Some(&streamed), ..Build::default() };
        TwoSided::build(spec.clone(), how, &control).unwrap();
        assert_eq!(control.done(), spec.pairs());
        assert!(fs::read(&saved).unwrap() == fs::read(&streamed).unwrap());
        assert_eq!(fs::metadata(&saved).unwrap().len(), spec.size().file_bytes);
        for access in [Access::Map, Access::Read] {
            let opened = TwoSided::open(&saved, access).unwrap();
            assert_eq!(opened.spec(), &spec);
            opened.verify(&Control::default()).unwrap();
            let [first, second] = spec.sides();
            for i in 0..first.len() {
                for j in 0..second.len() {
                    assert_eq!(opened.numbers(0, i, j).unwrap(), memory.numbers(0, i, j).unwrap());
                    assert_eq!(opened.numbers(1, j, i).unwrap(), memory.numbers(1, j, i).unwrap());
                }
            }
            let copy = directory.file("copy");
            opened.save(&copy, &Control::default()).unwrap();
            assert!(fs::read(&copy).unwrap() == fs::read(&saved).unwrap());
        }
        assert_eq!(fs::read_dir(&directory.0).unwrap().count(), 3, "nothing unfinished is left");
    }
}

#[test]
fn damage_is_refused_wherever_it_is() {
    let directory = Scratch::new("damage");
    let path = directory.file("table");
    let small = spec(6, [2; 2], Values::Cubeless);
    built(small.clone()).save(&path, &Control::default()).unwrap();
    let good = fs::read(&path).unwrap();
    let data_end = good.len() - small.layout().block_count() * 8;
    let open = |bytes: &[u8], access| {
        fs::write(&path, bytes).unwrap();
        TwoSided::open(&path, access).and_then(|table| table.verify(&Control::default()))
    };
    for access in [Access::Map, Access::Read] {
        open(&good, access).unwrap();
        let places =
            (0..4096).step_by(61).chain((4096..good.len()).step_by(997)).chain([4095, data_end, good.len() - 1]);
        for place in places {
            let mut bad = good.clone();
            bad[place] ^= 1;
            match open(&bad, access) {
                Err(TwoSidedError::Format { .. }) => {}
                other => panic!("byte {place}: {other:?}"),
            }
        }
        for length in [0, 1, 4095, 4096, data_end, good.len() - 1] {
            assert!(matches!(open(&good[..length], access), Err(TwoSidedError::Format { .. })), "{length}");
        }
        let mut longer = good.clone();
        longer.push(0);
        assert!(matches!(open(&longer, access), Err(TwoSidedError::Format { .. })));
        assert!(matches!(open(&[b'x'; 10_000], access), Err(TwoSidedError::Format { .. })));
    }
    assert!(matches!(TwoSided::open(&directory.file("none"), Access::Map), Err(TwoSidedError::Io { .. })));
}

/// Builds until so many pairs are done, then stops.
fn interrupted(spec: &Spec, path: &std::path::Path, pairs: u64) {
    let control = Control::default();
    let how = Build { path: Some(path), threads: 1, ..Build::default() };
    let stopped = std::thread::scope(|scope| {
        let build = scope.spawn(|| TwoSided::build(spec.clone(), how, &control));
        while control.done() < pairs && !build.is_finished() {
            std::thread::yield_now();
        }
        control.cancel();
        build.join().unwrap()
    });
    assert!(matches!(stopped, Err(TwoSidedError::Cancelled)), "{stopped:?}");
    assert!(!path.exists());
}

#[test]
fn an_interrupted_build_goes_on_and_ends_in_the_same_bytes() {
    let directory = Scratch::new("resume");
    let path = directory.file("table");
    // Above the exact sizes, so that numbers are fed back from the file.
    let large = spec(5, [11; 2], Values::Cubeless);
    assert!(!large.is_exact());
    let whole = directory.file("whole");
    built(large.clone()).save(&whole, &Control::default()).unwrap();
    let whole = fs::read(&whole).unwrap();
    let beside = |ending: &str| table::beside(&path, ending);
    let resume = || {
        let control = Control::default();
        let how = Build { path: Some(&path), ..Build::default() };
        TwoSided::build(large.clone(), how, &control).unwrap();
        assert_eq!(control.done(), large.pairs());
        assert!(fs::read(&path).unwrap() == whole);
        assert!(!beside(".partial").exists() && !beside(".partial.journal").exists());
        fs::remove_file(&path).unwrap();
    };
    interrupted(&large, &path, large.pairs() / 2);
    let journal = fs::metadata(beside(".partial.journal")).unwrap().len();
    assert!(journal > 1000, "blocks were kept: {journal}");
    resume();
    // A torn journal, and a damaged block, cost only what comes after them.
    interrupted(&large, &path, large.pairs() / 2);
    let torn = fs::read(beside(".partial.journal")).unwrap();
    fs::write(beside(".partial.journal"), &torn[..torn.len() - 7]).unwrap();
    let mut partial = fs::read(beside(".partial")).unwrap();
    let middle = partial.len() / 2;
    partial[middle] ^= 1;
    fs::write(beside(".partial"), partial).unwrap();
    resume();
    // A partial file without its end.
    interrupted(&large, &path, large.pairs() / 2);
    fs::OpenOptions::new().write(true).open(beside(".partial")).unwrap().set_len(5000).unwrap();
    resume();
    // Another table's unfinished build is not overwritten.
    interrupted(&large, &path, large.pairs() / 2);
    let how = Build { path: Some(&path), ..Build::default() };
    let other = TwoSided::build(spec(6, [2; 2], Values::Cubeless), how, &Control::default());
    assert!(matches!(other, Err(TwoSidedError::Unfinished { .. })), "{other:?}");
    resume();
}

#[test]
fn the_plays_of_every_class_are_there() {
    let layout = spec(6, [4; 2], Values::Cubeless).layout();
    let side = layout.side(0);
    for class in &side.classes[1..] {
        let plays = layout::ClassPlays::new(side, class);
        for (row, &rank) in class.members.iter().enumerate() {
            let distinct: usize = rolls().map(|roll| side.index.plays(rank as usize, roll).len()).sum();
            assert_eq!(plays.of(row).len(), distinct);
            assert_eq!(plays.of(row).iter().filter(|play| play.is_last()).count(), 21);
        }
    }
}

#[test]
fn codes_and_equities() {
    for (value, scale, code) in [
        (1.0, Scale::Single, i16::MAX),
        (-1.0, Scale::Single, i16::MIN),
        (2.0, Scale::Gammon, i16::MAX),
        (-2.0, Scale::Gammon, i16::MIN),
    ] {
        assert_eq!(i16::encode(value, scale), code);
        assert_eq!(Number { code, gammon: scale == Scale::Gammon }.equity(), value);
    }
    for code in (i16::MIN..=i16::MAX).step_by(101) {
        for gammon in [false, true] {
            let number = Number { code, gammon };
            assert_eq!(i16::encode(number.equity(), Scale::new(gammon)), code);
            assert_eq!(Number { code: !code, gammon }.equity(), -number.equity());
        }
    }
    for sum in -36 * 32_768..=36 * 32_767 {
        let mean = <i16 as kernel::Number>::negated_mean(sum);
        let exact = -f64::from(sum) / 36.0 - 1.0;
        assert!((f64::from(mean) - exact).abs() <= 0.5, "{sum}: {mean}");
    }
}

/// Who is on roll where, and the cube.
type State = (Position, usize, Option<(Owner, usize)>);

/// Plain recursion at a score: positions, levels and owners, the ladder asked for everything.
struct ScoreTwin {
    /// Seen by player 0 and by player 1.
    ladders: [Ladder; 2],
    known: HashMap<State, f64>,
}

impl ScoreTwin {
    /// What rolling is worth to the player on roll.
    fn rolling(&mut self, position: Position, player: usize, cube: Option<(Owner, usize)>) -> f64 {
        let (owner, level) = cube.unwrap_or((Owner::Centred, 0));
        if let Some(outcome) = position.outcome() {
            let counted = if self.ladders[0].gammons_count(owner) { outcome } else { single(outcome) };
            return self.ladders[player].worth_of(level, counted);
        }
        let key = (position, player, cube);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let mut sum = 0.0;
        for roll in Roll::ALL {
            let mut best = f64::NEG_INFINITY;
            for play in position.plays(roll) {
                let turned = cube.map(|(owner, level)| (owner.flip(), level));
                best = best.max(1.0 - self.best(play.next(), 1 - player, turned));
            }
            sum += f64::from(roll.weight()) * best / 36.0;
        }
        self.known.insert(key, sum);
        sum
    }

    /// With the option to double.
    fn best(&mut self, position: Position, player: usize, cube: Option<(Owner, usize)>) -> f64 {
        let rolling = self.rolling(position, player, cube);
        match cube {
            Some((owner, level)) if !position.is_over() && self.ladders[player].may_double(level, owner)[0] => {
                let taken = self.rolling(position, player, Some((Owner::Opponent, level + 1)));
                rolling.max(taken.min(self.ladders[player].worth(level)[3]))
            }
            _ => rolling,
        }
    }
}

fn single(outcome: crate::outcome::Outcome) -> crate::outcome::Outcome {
    if outcome.points() > 0 { crate::outcome::Outcome::Win } else { crate::outcome::Outcome::Lose }
}

/// A made-up score at which the players differ: the first player's cube dies a level before the other's.
fn ladder(gammons_while_centred: bool) -> Ladder {
    let level = |worth, may_double| crate::ladder::Level { worth, may_double, dead: false };
    let levels = [
        level([0.02, 0.1, 0.3, 0.7, 0.85, 0.9], [true, true]),
        level([0.0, 0.02, 0.1, 0.85, 1.0, 1.0], [true, true]),
        level([0.0, 0.0, 0.02, 1.0, 1.0, 1.0], [false, true]),
        level([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], [false, false]),
    ];
    let terms = crate::ladder::Terms { gammons_while_centred, total: 1.0, ..Default::default() };
    Ladder::new(&levels, terms).unwrap()
}

fn agrees_with_score_twin(points: usize, checkers: [usize; 2], ladder: Ladder) {
    let spec = Spec::at_score(points, checkers, &ladder).unwrap();
    let table = built(spec);
    let [first, second] = table.spec().sides();
    let mut twin = ScoreTwin { ladders: [ladder, ladder.flip()], known: HashMap::new() };
    let mut compared = 0;
    for (i, j) in (0..first.len()).flat_map(|i| (0..second.len()).map(move |j| (i, j))).skip(1) {
        for player in 0..2 {
            let position = sides(&first.unrank(i), &second.unrank(j));
            let position = if player == 0 { position } else { position.flip() };
            let mut cubes = vec![None, Some((Owner::Centred, 0))];
            cubes.extend((1..=3).flat_map(|level| [Some((Owner::Player, level)), Some((Owner::Opponent, level))]));
            for cube in cubes {
                for no_double in [false, true] {
                    let ask = Ask { cube, player, no_double, ..Ask::default() };
                    let value = match table.value(&position, ask) {
                        Ok(value) => value,
                        // Only the second player can turn the cube of 4.
                        Err(TwoSidedError::NotInDatabase(_)) => continue,
                        Err(error) => panic!("{error}"),
                    };
                    let exact = match no_double {
                        true => twin.rolling(position, player, cube),
                        false => twin.best(position, player, cube),
                    };
                    assert!((value - exact).abs() < 0.5 / 65_535.0 + 1e-9, "{position:?} {ask:?}: {value} {exact}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}

#[test]
fn match_winning_chances_agree_with_plain_recursion() {
    agrees_with_score_twin(3, [3, 3], ladder(true));
    agrees_with_score_twin(6, [2, 1], ladder(true));
    // Gammons, counted always and only once the cube is turned.
    agrees_with_score_twin(1, [15, 15], ladder(true));
    agrees_with_score_twin(1, [15, 12], ladder(false));
}

#[test]
fn a_ladder_is_kept_in_the_file() {
    let directory = Scratch::new("ladder");
    let path = directory.file("table");
    let spec = Spec::at_score(6, [2, 3], &ladder(true)).unwrap();
    let memory = built(spec.clone());
    let how = Build { path: Some(&path), ..Build::default() };
    TwoSided::build(spec.clone(), how, &Control::default()).unwrap();
    let opened = TwoSided::open(&path, Access::Read).unwrap();
    assert_eq!(opened.spec(), &spec);
    opened.verify(&Control::default()).unwrap();
    let position = Position::from_points(&[(6, 1), (1, 1)], &[(6, 1), (3, 2)]).unwrap();
    let ask = Ask { cube: Some((Owner::Centred, 0)), ..Ask::default() };
    assert_eq!(opened.value(&position, ask).unwrap(), memory.value(&position, ask).unwrap());
    assert!(matches!(
        Spec::at_score(6, [2, 2], &Ladder::endless([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0], Default::default()).unwrap()),
        Err(TwoSidedError::Ladder(_))
    ));
}

#[test]
fn every_instruction_set_solves_a_score_alike() {
    let spec = Spec::at_score(6, [3, 2], &ladder(true)).unwrap();
    let bytes = |isa, threads| -> Vec<u8> {
        let layers = layers::<f64>(&spec, threads, isa);
        layers.iter().flat_map(|layer| bytemuck::cast_slice::<_, u8>(layer.lines())).copied().collect()
    };
    let expected = bytes(Isa::Portable, 1);
    for isa in available() {
        assert!(bytes(isa, 2) == expected, "{isa:?}");
    }
}

#[test]
fn plays_and_cube_actions_at_a_score() {
    let table = built(Spec::at_score(6, [3, 3], &ladder(true)).unwrap());
    let position = Position::from_points(&[(6, 1), (4, 1), (2, 1)], &[(4, 2), (1, 1)]).unwrap();
    for player in 0..2 {
        let ask = Ask { cube: Some((Owner::Centred, 0)), player, ..Ask::default() };
        let mean: f64 = Roll::ALL
            .into_iter()
            .map(|roll| {
                let (_, worth) = table.best_play(&position, roll, ask).unwrap().unwrap();
                worth * f64::from(roll.weight()) / 36.0
            })
            .sum();
        let action = table.cube_action(&position, ask).unwrap();
        assert!((mean - action.no_double).abs() < 2.0 / 65_535.0);
        assert_eq!(action.best, table.value(&position, ask).unwrap());
    }
    let dead = Ask { cube: Some((Owner::Player, 3)), ..Ask::default() };
    assert_eq!(table.cube_action(&position, dead).unwrap().action, Action::Unavailable);
    let none = Ask { cube: Some((Owner::Player, 9)), ..Ask::default() };
    assert!(matches!(table.value(&position, none), Err(TwoSidedError::NotInDatabase(_))));
}

#[test]
#[cfg(unix)]
fn a_file_that_was_renamed_meanwhile_is_noticed() {
    let directory = Scratch::new("renamed");
    let path = directory.file("table.partial");
    let file = fs::File::create(&path).unwrap();
    assert!(file::is_still(&path, &file));
    fs::rename(&path, directory.file("table")).unwrap();
    assert!(!file::is_still(&path, &file));
    fs::File::create(&path).unwrap();
    assert!(!file::is_still(&path, &file));
}
