//! What weights should change by, from lessons: back-propagation through the float network.
#![allow(unsafe_code, reason = "loops compiled for processors that have been asked for their features")]

use crate::nn::lanes::{Floats, LANES};
use crate::nn::{Kernel, OUTPUTS, Outputs, Weights, dispatch, equity, multiply, possible, sigmoid};
use crate::train::game::Lesson;

/// The sum of the gradients of some lessons, and how far they were off.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Of the loss, cut up as the weights are.
    pub values: Vec<f32>,
    /// How many lessons.
    pub lessons: u64,
    /// Sum of the losses: cross entropy of the six ends, in nats.
    pub loss: f64,
    /// Sum of the squares of how far the equity was off.
    pub squares: f64,
}

impl Gradient {
    /// No lessons.
    pub fn zero(weights: &Weights) -> Gradient {
        Gradient { values: vec![0.0; weights.values().len()], lessons: 0, loss: 0.0, squares: 0.0 }
    }

    /// Forgets all lessons.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
        (self.lessons, self.loss, self.squares) = (0, 0.0, 0.0);
    }

    /// Adds another's.
    pub fn add(&mut self, other: &Gradient) {
        for (sum, value) in self.values.iter_mut().zip(&other.values) {
            *sum += value;
        }
        self.lessons += other.lessons;
        self.loss += other.loss;
        self.squares += other.squares;
    }

    /// Adds those of lessons, in order.
    pub fn learn(&mut self, weights: &Weights, kernel: Kernel, lessons: &[Lesson]) {
        let mut room = Room::new(weights);
        let gradient = self;
        let room = &mut room;
        dispatch!(kernel, learn_with,
            (gradient: &mut Gradient, weights: &Weights, room: &mut Room, lessons: &[Lesson]));
    }
}

/// Room for positions on their way.
struct Room {
    /// The second layer's weights by unit of the second layer.
    turned: Vec<f32>,
    inputs: Vec<(usize, f32)>,
    first: Vec<f32>,
    /// Units of the first layer that are not zero.
    active: Vec<usize>,
    second: Vec<f32>,
    first_error: Vec<f32>,
    second_error: Vec<f32>,
}

impl Room {
    fn new(weights: &Weights) -> Room {
        let (first, second) = (weights.shape().first(), weights.shape().second());
        let weights = weights.arrays()[2];
        Room {
            turned: (0..first * second).map(|at| weights[at % first * second + at / first]).collect(),
            inputs: Vec::new(),
            first: vec![0.0; first],
            active: vec![0; first],
            second: vec![0.0; second],
            first_error: vec![0.0; first],
            second_error: vec![0.0; second],
        }
    }
}

/// sum += factor x values.
#[inline(always)]
fn add_scaled<F: Floats>(sum: &mut [f32], factor: f32, values: &[f32]) {
    let factor = F::splat(factor);
    for (sum, values) in sum.as_chunks_mut::<LANES>().0.iter_mut().zip(values.as_chunks::<LANES>().0) {
        F::load(values).mul_add(factor, F::load(sum)).store(sum);
    }
}

/// sums = start + the rows of a matrix, each scaled, in order.
#[inline(always)]
fn add_rows<F: Floats>(
    sums: &mut [f32],
    start: Option<&[f32]>,
    rows: impl Iterator<Item = (usize, f32)> + Clone,
    matrix: &[f32],
) {
    let width = sums.len();
    for (block, sums) in sums.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let at = block * LANES;
        let vector = |from: &[f32]| F::load(from[..LANES].first_chunk().expect("16 lanes"));
        let mut chains = start.map_or(F::splat(0.0), |start| vector(&start[at..]));
        for (row, factor) in rows.clone() {
            chains = F::splat(factor).mul_add(vector(&matrix[row * width + at..]), chains);
        }
        chains.store(sums);
    }
}

#[inline(always)]
fn learn_with<F: Floats, const N: usize>(
    gradient: &mut Gradient,
    weights: &Weights,
    room: &mut Room,
    lessons: &[Lesson],
) {
    let [first, first_bias, second, second_bias, output, output_bias] = weights.arrays();
    let (firsts, seconds) = (weights.shape().first(), weights.shape().second());
    let [g_first, g_first_bias, g_second, g_second_bias, g_output, g_output_bias] =
        weights.shape().ranges().map(|range| range.start);
    for lesson in lessons {
        let Some(possible) = possible(&lesson.cells) else { continue };
        room.inputs.clear();
        weights.shape().inputs().for_each(&lesson.cells, |input, value| room.inputs.push((input, value)));
        add_rows::<F>(&mut room.first, Some(first_bias), room.inputs.iter().copied(), first);
        let mut actives = 0;
        for (unit, value) in room.first.iter_mut().enumerate() {
            // Every unit is written down and those at zero are written over: a branch would be guessed wrong too often.
            room.active[actives] = unit;
            actives += usize::from(*value > 0.0);
            *value = value.max(0.0);
        }
        let active = &room.active[..actives];
        let values = active.iter().map(|&unit| (unit, room.first[unit]));
        add_rows::<F>(&mut room.second, Some(second_bias), values, second);
        let mut sums: Outputs = *output_bias.first_chunk().expect("five biases");
        for unit in 0..seconds {
            room.second[unit] = room.second[unit].max(0.0);
            for end in 0..OUTPUTS {
                sums[end] = room.second[unit].mul_add(output[unit * OUTPUTS + end], sums[end]);
            }
        }
        let mut chances = sums.map(sigmoid);
        for end in 1..OUTPUTS {
            if !possible[end] {
                chances[end] = 0.0;
            }
        }
        let (errors, loss) = errors(&chances, &lesson.target, &possible);
        gradient.lessons += 1;
        gradient.loss += loss;
        gradient.squares += f64::from(equity(multiply(chances)) - equity(lesson.target)).powi(2);

        let values = &mut gradient.values;
        for end in 0..OUTPUTS {
            values[g_output_bias + end] += errors[end];
        }
        for unit in 0..seconds {
            let mut error = 0.0;
            for end in 0..OUTPUTS {
                let at = unit * OUTPUTS + end;
                values[g_output + at] = room.second[unit].mul_add(errors[end], values[g_output + at]);
                error = output[at].mul_add(errors[end], error);
            }
            room.second_error[unit] = if room.second[unit] > 0.0 { error } else { 0.0 };
        }
        add_scaled::<F>(&mut values[g_second_bias..][..seconds], 1.0, &room.second_error);
        for &unit in active {
            add_scaled::<F>(&mut values[g_second + unit * seconds..][..seconds], room.first[unit], &room.second_error);
        }
        let rows = room.second_error.iter().copied().enumerate();
        add_rows::<F>(&mut room.first_error, None, rows, &room.turned);
        for (error, &value) in room.first_error.iter_mut().zip(&room.first) {
            *error = if value > 0.0 { *error } else { 0.0 };
        }
        add_scaled::<F>(&mut values[g_first_bias..][..firsts], 1.0, &room.first_error);
        for &(input, value) in &room.inputs {
            add_scaled::<F>(&mut values[g_first + input * firsts..][..firsts], value, &room.first_error);
        }
    }
}

/// How far each chance is off, which is the gradient of the loss before the last function; and the loss.
///
/// The loss is the cross entropy of the six ends. Written as chances that refine each other, each has the weight of how
/// likely the target makes it that it is asked for.
#[inline(always)]
fn errors(chances: &Outputs, target: &Outputs, possible: &[bool; OUTPUTS]) -> (Outputs, f64) {
    let [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon] = *target;
    let asked = [1.0, win, win_gammon, 1.0 - win, lose_gammon];
    let yes = [win, win_gammon, win_backgammon, lose_gammon, lose_backgammon];
    let mut errors = [0.0; OUTPUTS];
    let mut loss = 0.0;
    for end in 0..OUTPUTS {
        if possible[end] {
            errors[end] = asked[end] * chances[end] - yes[end];
            let (chance, yes, asked) = (f64::from(chances[end]), f64::from(yes[end]), f64::from(asked[end]));
            loss -= yes * chance.max(1e-12).ln() + (asked - yes) * (1.0 - chance).max(1e-12).ln();
        }
    }
    (errors, loss)
}
