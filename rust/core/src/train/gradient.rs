//! What weights should change by, from lessons: back-propagation through the float network.
#![allow(unsafe_code, reason = "loops compiled for processors that have been asked for their features")]

use crate::nn::lanes::{Floats, LANES};
use crate::nn::{Kernel, OUTPUTS, Outputs, Weights, by_logits, dispatch, equity, multiply, possible, sigmoid};
use crate::train::game::Lesson;

/// The sum of the gradients of some lessons, and how far they were off.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Of the loss, cut up as the weights are.
    pub values: Vec<f32>,
    /// How many lessons.
    pub lessons: u64,
    /// Sum of the cross entropies of the six ends, in nats.
    pub loss: f64,
    /// Sums of the squares of how far the equity was off, with gammons and without.
    pub squares: [f64; 2],
}

impl Gradient {
    /// No lessons.
    pub fn zero(weights: &Weights) -> Gradient {
        Gradient { values: vec![0.0; weights.values().len()], lessons: 0, loss: 0.0, squares: [0.0; 2] }
    }

    /// Forgets all lessons.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
        (self.lessons, self.loss, self.squares) = (0, 0.0, [0.0; 2]);
    }

    /// Adds another's.
    pub fn add(&mut self, other: &Gradient) {
        for (sum, value) in self.values.iter_mut().zip(&other.values) {
            *sum += value;
        }
        self.lessons += other.lessons;
        self.loss += other.loss;
        for (sum, squares) in self.squares.iter_mut().zip(other.squares) {
            *sum += squares;
        }
    }

    /// Adds those of lessons, in order. The loss is the cross entropy, and `equity` times the squares of how far the equity is
    /// off with gammons and without.
    pub fn learn(&mut self, weights: &Weights, kernel: Kernel, equity: [f32; 2], lessons: &[Lesson]) {
        let mut room = Room::new(weights);
        let gradient = self;
        let room = &mut room;
        dispatch!(kernel, learn_with,
            (gradient: &mut Gradient, weights: &Weights, room: &mut Room, equity: [f32; 2], lessons: &[Lesson]));
    }
}

/// What each of the five probabilities adds to the equity with gammons and to the one without.
const EQUITIES: [Outputs; 2] = [[2.0, 1.0, 1.0, -1.0, -1.0], [2.0, 0.0, 0.0, 0.0, 0.0]];

/// Lessons are learnt from so many at a time: what they ask of a row of weights, and what they do to one, is done while it is
/// at hand. Every number is the sum of the same summands in the same order as if each lesson were learnt from by itself.
const LOT: usize = 32;

/// Room for a lot of positions on their way.
struct Room {
    /// The second layer's weights by unit of the second layer.
    turned: Vec<f32>,
    /// The inputs of all lessons that are not zero, and where those of each begin.
    inputs: Vec<(usize, f32)>,
    starts: Vec<usize>,
    /// The same by input: which lesson and what value.
    askers: Vec<(usize, f32)>,
    /// Where those of each input end.
    ends: Vec<usize>,
    /// For each lesson the units of the first layer, and their errors.
    first: Vec<f32>,
    first_error: Vec<f32>,
    /// Units of the first layer that are not zero.
    active: Vec<usize>,
    second: Vec<f32>,
    /// For each lesson the errors of the second layer.
    second_error: Vec<f32>,
}

impl Room {
    fn new(weights: &Weights) -> Room {
        let shape = weights.shape();
        let (first, second) = (shape.first(), shape.second());
        let weights = weights.arrays()[2];
        Room {
            turned: (0..first * second).map(|at| weights[at % first * second + at / first]).collect(),
            inputs: Vec::new(),
            starts: Vec::new(),
            askers: Vec::new(),
            ends: vec![0; shape.inputs().count()],
            first: vec![0.0; LOT * first],
            first_error: vec![0.0; LOT * first],
            active: vec![0; first],
            second: vec![0.0; second],
            second_error: vec![0.0; LOT * second],
        }
    }

    /// Sorts the inputs of all lessons by input; those of one stay in the order of the lessons.
    fn sort_inputs(&mut self) {
        self.ends.fill(0);
        self.inputs.iter().for_each(|&(input, _)| self.ends[input] += 1);
        let mut end = 0;
        for count in &mut self.ends {
            // Where they begin; each one that is put there moves it on, to where they end at last.
            (*count, end) = (end, end + *count);
        }
        self.askers.resize(self.inputs.len(), (0, 0.0));
        for (lesson, pair) in self.starts.windows(2).enumerate() {
            for &(input, value) in &self.inputs[pair[0]..pair[1]] {
                self.askers[self.ends[input]] = (lesson, value);
                self.ends[input] += 1;
            }
        }
    }
}

/// sums += rows of a matrix, each scaled, in order, for `N` vectors from a column on.
#[inline(always)]
fn add_rows<F: Floats, const N: usize>(
    sums: &mut [f32],
    rows: impl Iterator<Item = (usize, f32)>,
    matrix: &[f32],
    width: usize,
    column: usize,
) {
    let sums = sums.as_chunks_mut::<LANES>().0.first_chunk_mut::<N>().expect("N vectors");
    let mut chains = [F::splat(0.0); N];
    for n in 0..N {
        chains[n] = F::load(&sums[n]);
    }
    for (row, factor) in rows {
        let (factor, start) = (F::splat(factor), row * width + column);
        let row = matrix[start..start + N * LANES].as_chunks::<LANES>().0;
        for n in 0..N {
            chains[n] = factor.mul_add(F::load(&row[n]), chains[n]);
        }
    }
    for n in 0..N {
        chains[n].store(&mut sums[n]);
    }
}

/// Does some work for each stretch of columns: `$vectors` vectors from `$column` on, eight if there are as many. Each is a
/// chain of additions, and while one waits for its last sum the others go on.
macro_rules! by_stretch {
    ($width:expr, $vectors:ident, $column:ident, $work:expr) => {{
        let mut $column = 0;
        while $column < $width {
            match ($width - $column) / LANES {
                8.. => {
                    const $vectors: usize = 8;
                    $work;
                    $column += $vectors * LANES;
                }
                4.. => {
                    const $vectors: usize = 4;
                    $work;
                    $column += $vectors * LANES;
                }
                _ => {
                    const $vectors: usize = 1;
                    $work;
                    $column += $vectors * LANES;
                }
            }
        }
    }};
}

/// The same for all columns.
#[inline(always)]
fn add_whole_rows<F: Floats>(sums: &mut [f32], rows: impl Iterator<Item = (usize, f32)> + Clone, matrix: &[f32]) {
    let width = sums.len();
    by_stretch!(width, N, column, add_rows::<F, N>(&mut sums[column..], rows.clone(), matrix, width, column));
}

#[inline(always)]
fn learn_with<F: Floats, const N: usize>(
    gradient: &mut Gradient,
    weights: &Weights,
    room: &mut Room,
    cares: [f32; 2],
    lessons: &[Lesson],
) {
    let mut lot = Vec::with_capacity(LOT);
    for lesson in lessons {
        if let Some(possible) = possible(&lesson.cells) {
            lot.push((lesson, possible));
        }
        if lot.len() == LOT {
            learn_lot::<F>(gradient, weights, room, cares, &lot);
            lot.clear();
        }
    }
    learn_lot::<F>(gradient, weights, room, cares, &lot);
}

/// Adds the gradient of up to [`LOT`] lessons, each with the ends that are possible.
#[inline(always)]
fn learn_lot<F: Floats>(
    gradient: &mut Gradient,
    weights: &Weights,
    room: &mut Room,
    cares: [f32; 2],
    lot: &[(&Lesson, [bool; OUTPUTS])],
) {
    let shape = weights.shape();
    let [first, first_bias, second, second_bias, output, output_bias] = weights.arrays();
    let (firsts, seconds) = (shape.first(), shape.second());
    let [g_first, g_first_bias, g_second, g_second_bias, g_output, g_output_bias] =
        shape.ranges().map(|range| range.start);
    let values = &mut gradient.values;

    room.inputs.clear();
    room.starts.clear();
    for (lesson, _) in lot {
        room.starts.push(room.inputs.len());
        shape.inputs().for_each(&lesson.cells, |input, value| room.inputs.push((input, value)));
    }
    room.starts.push(room.inputs.len());
    by_stretch!(firsts, N, column, {
        for (lesson, pair) in room.starts.windows(2).enumerate() {
            let sums = &mut room.first[lesson * firsts + column..][..N * LANES];
            sums.copy_from_slice(&first_bias[column..column + N * LANES]);
            add_rows::<F, N>(sums, room.inputs[pair[0]..pair[1]].iter().copied(), first, firsts, column);
        }
    });

    for (place, (lesson, possible)) in lot.iter().enumerate() {
        let units = &mut room.first[place * firsts..][..firsts];
        let mut actives = 0;
        for (unit, value) in units.iter_mut().enumerate() {
            // Every unit is written down and those at zero are written over: a branch would be guessed wrong too often.
            room.active[actives] = unit;
            actives += usize::from(*value > 0.0);
            *value = value.max(0.0);
        }
        let active = &room.active[..actives];
        room.second.copy_from_slice(second_bias);
        add_whole_rows::<F>(&mut room.second, active.iter().map(|&unit| (unit, units[unit])), second);
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
        let (mut errors, loss) = errors(&chances, &lesson.target, possible);
        let off = [equity(multiply(chances)) - equity(lesson.target), 2.0 * (chances[0] - lesson.target[0])];
        let parts = [0, 1].map(|kind| 2.0 * cares[kind] * off[kind]);
        let slopes = EQUITIES.map(|gains| by_logits(chances, gains));
        for (end, error) in errors.iter_mut().enumerate() {
            *error += parts[0] * slopes[0][end] + parts[1] * slopes[1][end];
        }
        gradient.lessons += 1;
        gradient.loss += loss;
        for (sum, off) in gradient.squares.iter_mut().zip(off) {
            *sum += f64::from(off).powi(2);
        }

        for end in 0..OUTPUTS {
            values[g_output_bias + end] += errors[end];
        }
        let second_error = &mut room.second_error[place * seconds..][..seconds];
        for unit in 0..seconds {
            let mut error = 0.0;
            for end in 0..OUTPUTS {
                let at = unit * OUTPUTS + end;
                values[g_output + at] = room.second[unit].mul_add(errors[end], values[g_output + at]);
                error = output[at].mul_add(errors[end], error);
            }
            second_error[unit] = if room.second[unit] > 0.0 { error } else { 0.0 };
        }
        let first_error = &mut room.first_error[place * firsts..][..firsts];
        first_error.fill(0.0);
        add_whole_rows::<F>(first_error, second_error.iter().copied().enumerate(), &room.turned);
        for (error, &value) in first_error.iter_mut().zip(units.iter()) {
            *error = if value > 0.0 { *error } else { 0.0 };
        }
    }

    let all = || (0..lot.len()).map(|place| (place, 1.0));
    add_whole_rows::<F>(&mut values[g_second_bias..][..seconds], all(), &room.second_error);
    add_whole_rows::<F>(&mut values[g_first_bias..][..firsts], all(), &room.first_error);
    for unit in 0..firsts {
        let rows = (0..lot.len()).map(|place| (place, room.first[place * firsts + unit]));
        add_whole_rows::<F>(&mut values[g_second + unit * seconds..][..seconds], rows, &room.second_error);
    }
    room.sort_inputs();
    let mut start = 0;
    for (input, &end) in room.ends.iter().enumerate() {
        let rows = room.askers[start..end].iter().copied();
        add_whole_rows::<F>(&mut values[g_first + input * firsts..][..firsts], rows, &room.first_error);
        start = end;
    }
}

/// How far each chance is off, which is the gradient of the cross entropy before the last function; and that cross entropy.
///
/// It is that of the six ends. Written as chances that refine each other, each has the weight of how likely the target makes
/// it that it is asked for.
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
