use proptest::prelude::*;

use super::*;
use crate::movegen::{self, View};
use crate::parallel::Control;
use crate::position::{BAR, CELLS, CHECKERS, OFF, OPPONENT_OFF, Position, Variant};
use crate::rng::{Purpose, Stream};
use crate::{Outcome, Probabilities, Roll, simulate};

fn network(first: usize, second: usize, seed: u64) -> Network {
    network_of(Inputs::Raw, first, second, seed)
}

fn network_of(inputs: Inputs, first: usize, second: usize, seed: u64) -> Network {
    Network::new(Weights::random(Shape::new(first, second).unwrap().with_inputs(inputs), seed))
}

fn positions(n: usize, seed: u64) -> Vec<[i8; CELLS]> {
    let start = Position::start(Variant::Standard);
    simulate::random_positions(&start, n, seed, &Control::default()).iter().map(|position| *position.cells()).collect()
}

fn evaluate(network: &Network, cells: &[[i8; CELLS]]) -> Vec<Outputs> {
    let mut outputs = Vec::new();
    network.evaluate(&mut Scratch::new(network), cells, &mut outputs);
    outputs
}

/// The network as its weights have it, in doubles and without any of the arrays that inference uses.
fn exact(weights: &Weights, cells: &[i8; CELLS]) -> [f64; OUTPUTS] {
    let [first, first_bias, second, second_bias, output, output_bias] = weights.arrays();
    let layer = |inputs: &[f64], weights: &[f32], bias: &[f32]| -> Vec<f64> {
        let units = bias.len();
        (0..units)
            .map(|unit| {
                let products = inputs.iter().enumerate().map(|(row, x)| x * f64::from(weights[row * units + unit]));
                products.sum::<f64>() + f64::from(bias[unit])
            })
            .collect()
    };
    let rectified = |values: Vec<f64>| -> Vec<f64> { values.into_iter().map(|value| value.max(0.0)).collect() };
    let seen = weights.shape().inputs();
    let mut inputs = vec![0.0; seen.count()];
    seen.for_each(cells, |input, value| inputs[input] = f64::from(value));
    let hidden = rectified(layer(&inputs, first, first_bias));
    let hidden = rectified(layer(&hidden, second, second_bias));
    let sums = layer(&hidden, output, output_bias);
    std::array::from_fn(|end| 1.0 / (1.0 + (-sums[end]).exp()))
}

#[test]
fn every_kernel_gives_the_same_bytes() {
    let cells = positions(300, 1);
    let shapes = [(64, 16), (128, 48), (192, 32)];
    for (inputs, (first, second)) in Inputs::ALL.into_iter().flat_map(|inputs| shapes.map(|shape| (inputs, shape))) {
        let network = network_of(inputs, first, second, 3);
        let portable = evaluate(&network.clone().with_kernel(Kernel::Portable), &cells);
        let mut tried = 0;
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            let network = network.clone().with_kernel(kernel);
            let outputs = evaluate(&network, &cells);
            assert!(outputs.iter().flatten().eq(portable.iter().flatten()), "{kernel:?}");
            for (row, cells) in cells.iter().enumerate() {
                assert_eq!(evaluate(&network, &[*cells])[0], portable[row], "alone, {kernel:?}");
            }
            tried += 1;
        }
        assert!(tried > 0);
    }
}

#[test]
fn close_to_the_weights_in_doubles() {
    let shapes = [(64, 16, 1), (128, 32, 2), (256, 64, 3)];
    for (inputs, (first, second, seed)) in
        Inputs::ALL.into_iter().flat_map(|inputs| shapes.map(|shape| (inputs, shape)))
    {
        let network = network_of(inputs, first, second, seed);
        let cells = positions(500, seed);
        for (cells, outputs) in cells.iter().zip(evaluate(&network, &cells)) {
            let Some(possible) = possible(cells) else { continue };
            let mut chances = exact(network.weights(), cells);
            for end in 0..OUTPUTS {
                chances[end] *= f64::from(u8::from(possible[end]));
            }
            let [win, gammon, backgammon, lose_gammon, lose_backgammon] = chances;
            let lost = (1.0 - win) * lose_gammon;
            let exact = [win, win * gammon, win * gammon * backgammon, lost, lost * lose_backgammon];
            for (a, b) in outputs.iter().zip(exact) {
                assert!((f64::from(*a) - b).abs() < 2e-3, "{outputs:?} {exact:?}");
            }
        }
    }
}

/// 100,000 plays: each candidate from the position before the roll is what it is by itself.
#[test]
fn incremental_equals_full_on_long_walks() {
    for inputs in Inputs::ALL {
        incremental_equals_full(&network_of(inputs, 64, 16, 5));
    }
}

fn incremental_equals_full(network: &Network) {
    let mut near = Scratch::new(network);
    let mut alone = Scratch::new(network);
    let start = Position::start(Variant::Standard);
    let (mut plays, mut game) = (0, 0);
    let (mut candidates, mut incremental, mut full) = (Vec::new(), Vec::new(), Vec::new());
    while plays < 100_000 {
        simulate::random_game(&start, 2, game, |position, roll| {
            candidates.clear();
            incremental.clear();
            full.clear();
            movegen::results(position, roll, View::Next, &mut candidates);
            network.evaluate_near(&mut near, position.flip().cells(), &candidates, &mut incremental);
            network.evaluate(&mut alone, &candidates, &mut full);
            assert_eq!(incremental, full);
            plays += 1;
        });
        game += 1;
    }
}

/// Heavy weights and the most crowded boards: the sums of 16 bits that wrap are those of 64 bits that do not.
#[test]
fn no_sum_overflows() {
    for inputs in Inputs::ALL {
        no_sum_overflows_of(inputs);
    }
}

fn no_sum_overflows_of(inputs: Inputs) {
    let shape = Shape::new(64, 16).unwrap().with_inputs(inputs);
    let mut stream = Stream::new(4, Purpose::Training, 1, 0, 0);
    let values = (0..shape.len()).map(|at| (stream.below(2001) as f32 - 1000.0) * if at % 7 == 0 { 5.0 } else { 0.01 });
    let network = Network::new(Weights::from_values(shape, values.collect()).unwrap());
    let table = network.table();
    let mut crowded = positions(200, 9);
    for own in 1..=OFF {
        for opponent in 0..=24 {
            let mut cells = [0i8; CELLS];
            cells[own] = CHECKERS as i8;
            if cells[opponent] == 0 {
                cells[opponent] = -(CHECKERS as i8);
            }
            crowded.push(cells);
        }
    }
    let row = |start: u32, unit: usize| i64::from(table.rows[start as usize + unit]);
    let mut largest = 0;
    for cells in &crowded {
        let held = || cells.iter().enumerate().filter(|(_, value)| **value != 0);
        for unit in 0..64 {
            let mut exact = i64::from(table.bias[unit]);
            exact += held().map(|(cell, &value)| row(table.row(cell, value), unit)).sum::<i64>();
            if inputs == Inputs::Contact {
                let values = contact::values(cells).into_iter().enumerate().take(contact::FEATURES);
                exact += values.map(|(at, value)| row(table.feature_row(at, value), unit)).sum::<i64>();
            }
            largest = largest.max(exact.abs());
            assert!(exact.abs() <= i64::from(i16::MAX), "{exact}");
        }
    }
    // Not all features can be at their worst at once, so the bound is not as near.
    let near = if inputs == Inputs::Raw { 20_000 } else { 5_000 };
    assert!(largest > near, "the boards are not crowded enough to tell: {largest}");
}

/// Each feature and each of its values by itself: no row of the table is another's.
#[test]
fn rows_of_features_are_their_weights() {
    let network = network_of(Inputs::Contact, 64, 16, 8);
    let weights = network.weights().arrays()[0];
    let table = network.table();
    for (at, (side, feature)) in contact::all().enumerate() {
        for value in 0..=feature.most() {
            let start = table.feature_row(at, value) as usize;
            let row = &table.rows[start..start + 64];
            assert!(value > 0 || row.iter().all(|&value| value == 0));
            let inputs = encoding::inputs_of_feature(side, feature);
            let exact = |unit: usize| -> f64 {
                let of = |(at, input): (usize, usize)| {
                    f64::from(feature.unit(at, value)) * f64::from(weights[input * 64 + unit])
                };
                inputs.clone().enumerate().map(of).sum()
            };
            // The scale of a unit is what turns its bias and rows into whole numbers: found from the last value.
            for unit in 0..64 {
                let last = table.rows[table.feature_row(at, feature.most()) as usize + unit];
                let whole: f64 = inputs.clone().map(|input| f64::from(weights[input * 64 + unit])).sum();
                let expected = exact(unit) * f64::from(last) / whole;
                let slack = 0.51 + 0.51 * (exact(unit) / whole).abs();
                assert!((f64::from(row[unit]) - expected).abs() <= slack, "{feature:?} {value} {unit}");
            }
        }
    }
}

/// A raw network that is given more inputs says the same, to the bit, until it is trained.
#[test]
fn a_widened_network_says_the_same() {
    let small = network(64, 16, 4);
    let cells = positions(2_000, 6);
    let shape = small.weights().shape();
    assert_eq!(small.weights().widened(shape, 1).as_ref(), Some(small.weights()));
    // Inputs alone change no bit; units are added in another place of each sum, and may be in another rounding.
    let more_inputs = Network::new(small.weights().widened(shape.with_inputs(Inputs::Contact), 1).unwrap());
    assert_eq!(evaluate(&more_inputs, &cells), evaluate(&small, &cells));
    assert_eq!(more_inputs.weights().widened(shape, 1), None);
    let wide = Shape::new(192, 48).unwrap().with_inputs(Inputs::Contact);
    let more_units = Network::new(small.weights().widened(wide, 1).unwrap());
    assert_eq!(more_units.weights().shape(), wide);
    assert_ne!(more_units.weights(), Network::new(small.weights().widened(wide, 2).unwrap()).weights());
    for (found, answer) in evaluate(&more_units, &cells).iter().zip(evaluate(&small, &cells)) {
        assert!(found.iter().zip(answer).all(|(a, b)| (a - b).abs() < 1e-6));
    }
    assert_eq!(more_units.weights().widened(Shape::new(64, 48).unwrap().with_inputs(Inputs::Contact), 1), None);
}

#[test]
fn inputs_of_a_mirrored_position_are_swapped() {
    for position in simulate::random_positions(&Position::start(Variant::Standard), 500, 4, &Control::default()) {
        let inputs = |position: &Position| {
            let mut inputs = vec![0.0; Inputs::Contact.count()];
            Inputs::Contact.for_each(position.cells(), |input, value| inputs[input] = value);
            let features = inputs.split_off(encoding::INPUTS);
            [inputs, features]
        };
        for (seen, mirrored) in inputs(&position).into_iter().zip(inputs(&position.flip())) {
            let half = seen.len() / 2;
            assert_eq!((&seen[..half], &seen[half..]), (&mirrored[half..], &mirrored[..half]));
        }
    }
}

#[test]
fn outputs_are_sane_whatever_the_weights_are() {
    for seed in 0..6 {
        let weights = Weights::random(Shape::new(64, 16).unwrap(), seed);
        // Some so large that sums overflow.
        let scale = [1.0, 1.0, 1.0, 1.0, 1e20, f32::MAX][seed as usize];
        let values = weights.values().iter().map(|value| value.clamp(-1.0, 1.0) * scale).collect();
        let network = Network::new(Weights::from_values(weights.shape(), values).unwrap());
        let mut saved = 0;
        for (cells, outputs) in positions(3000, seed).iter().map(|cells| (cells, evaluate(&network, &[*cells])[0])) {
            let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = outputs;
            assert!(outputs.iter().all(|value| (0.0..=1.0).contains(value)));
            assert!(win_backgammon <= win_gammon && win_gammon <= win);
            assert!(lose_backgammon <= lose_gammon && lose_gammon <= 1.0 - win);
            if cells[OFF] > 0 {
                assert_eq!((lose_gammon, lose_backgammon), (0.0, 0.0));
                saved += 1;
            }
            if cells[OPPONENT_OFF] > 0 {
                assert_eq!((win_gammon, win_backgammon), (0.0, 0.0));
            }
            assert!((equity(flip(outputs)) + equity(outputs)).abs() < 1e-6);
        }
        assert!(saved > 100);
    }
}

/// What a position is worth does not depend on those that are evaluated with it, however wild the weights are.
#[test]
fn neighbours_change_nothing_whatever_the_weights_are() {
    let cells = positions(40, 5);
    let sizes = [1.0, 1e10, 1e20, 3e38];
    for (seed, (one, two)) in sizes.into_iter().flat_map(|one| sizes.map(|two| (one, two))).enumerate() {
        let shape = Shape::new(64, 16).unwrap();
        let [_, _, second, ..] = shape.ranges();
        let values = Weights::random(shape, seed as u64).values().to_vec();
        let scaled = values.iter().enumerate().map(|(at, &value)| {
            let size = if at < second.start {
                one
            } else if at < second.end {
                two
            } else {
                1.0
            };
            (f64::from(value) * size).clamp(-3e38, 3e38) as f32
        });
        let network = Network::new(Weights::from_values(shape, scaled.collect()).unwrap());
        let alone: Vec<_> = cells.iter().map(|&cells| evaluate(&network, &[cells])[0]).collect();
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            assert_eq!(evaluate(&network.clone().with_kernel(kernel), &cells), alone, "{kernel:?} {one} {two}");
        }
    }
}

/// Without contact and with nobody behind, a backgammon is out of reach (case R07).
#[test]
fn no_backgammon_in_a_race_r07() {
    let network = network(64, 16, 1);
    let race = Position::from_points(&[(10, 15)], &[(9, 15)]).unwrap();
    let [.., win_backgammon, lose_gammon, lose_backgammon] = evaluate(&network, &[*race.cells()])[0];
    assert_eq!((win_backgammon, lose_backgammon), (0.0, 0.0));
    assert!(lose_gammon > 0.0);
    let behind = Position::from_points(&[(19, 1), (3, 14)], &[(1, 15)]).unwrap();
    assert!(evaluate(&network, &[*behind.cells()])[0][4] > 0.0);
}

#[test]
fn finished_games_are_certain() {
    let network = network(64, 16, 1);
    for (own, opponent) in [
        (vec![], vec![(24, 14)]),
        (vec![], vec![(18, 15)]),
        (vec![], vec![(BAR, 1), (1, 14)]),
        (vec![(19, 15)], vec![]),
    ] {
        let position = Position::from_points(&own, &opponent).unwrap();
        let outcome: Outcome = position.outcome().unwrap();
        let certain = Probabilities::certain(outcome).values().map(|value| value as f32);
        assert_eq!(evaluate(&network, &[*position.cells()])[0], certain);
    }
}

#[test]
fn the_sigmoid_is_close_and_even() {
    for step in -4000..=4000 {
        let x = step as f32 / 40.0;
        let exact = 1.0 / (1.0 + (-f64::from(x)).exp());
        assert!((f64::from(sigmoid(x)) - exact).abs() < 2e-7, "{x}");
    }
    assert_eq!(sigmoid(0.0), 0.5);
    assert!(sigmoid(f32::MAX) <= 1.0 && sigmoid(f32::MIN) >= 0.0);
}

#[test]
fn shapes_and_weights_that_cannot_be() {
    for (first, second) in [(0, 16), (64, 0), (63, 16), (64, 17), (1088, 16), (64, 272)] {
        assert_eq!(Shape::new(first, second), None);
    }
    let shape = Shape::new(64, 16).unwrap();
    assert_eq!(Weights::from_values(shape, vec![0.0; shape.len() - 1]), None);
    assert_eq!(Weights::from_values(shape, vec![f32::NAN; shape.len()]), None);
}

#[test]
fn damaged_models_are_refused() {
    for inputs in Inputs::ALL {
        damaged_models_of(inputs);
    }
}

fn damaged_models_of(inputs: Inputs) {
    let weights = Weights::random(Shape::new(64, 16).unwrap().with_inputs(inputs), 1);
    let bytes = weights.to_bytes();
    assert_eq!(Weights::from_bytes(&bytes), Ok(weights));
    for at in (0..bytes.len()).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(Weights::from_bytes(&damaged).is_err(), "byte {at}");
    }
    for length in (0..bytes.len()).step_by(101) {
        assert!(Weights::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(Weights::from_bytes(&longer), Err(ModelError::Length { .. })));
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert_eq!(Weights::from_bytes(&newer), Err(ModelError::Version(2)));
    // Encodings that are unknown, or known with other numbers of inputs.
    for (encoding, inputs) in [(0, 208), (1, 209), (1, 404), (2, 208), (2, 403), (3, 404), (u32::MAX, u32::MAX)] {
        let mut other = bytes.clone();
        other[12..16].copy_from_slice(&encoding.to_le_bytes());
        other[16..20].copy_from_slice(&inputs.to_le_bytes());
        assert_eq!(Weights::from_bytes(&other), Err(ModelError::Encoding { encoding, inputs }));
    }
}

proptest! {
    #[test]
    fn bytes_that_are_no_model_do_not_panic(tail in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Weights::from_bytes(&[&MAGIC[..], &tail].concat()).is_err());
        prop_assert!(Weights::from_bytes(&tail).is_err());
    }

    #[test]
    fn every_roll_keeps_the_base_right(seed in 0u64..1000, roll in 0usize..21) {
        let network = network_of(Inputs::ALL[seed as usize % 2], 64, 16, 7);
        let cells = positions(30, seed);
        let mut scratch = Scratch::new(&network);
        for cells in &cells {
            let position = Position::from_cells(cells).unwrap();
            let mut candidates = Vec::new();
            movegen::results(&position, Roll::ALL[roll], View::Next, &mut candidates);
            let mut outputs = Vec::new();
            network.evaluate_near(&mut scratch, cells, &candidates, &mut outputs);
            prop_assert_eq!(outputs, evaluate(&network, &candidates));
        }
    }
}
