//! A network ready to evaluate.

use crate::board::Board;
use crate::nn::contact::{self, Feature};
use crate::nn::encoding::{self, COUNTS, Inputs};
use crate::nn::kernel::{self, Base, Chances, Kernel};
use crate::nn::lanes::LANES;
use crate::nn::weights::{FIRST_STEP, OUTPUTS, SECOND_STEP, Weights};
use crate::position::{BAR, CELLS, CHECKERS, OFF, OPPONENT_OFF, Position};

/// Values that a cell can have: -15 to 15.
const VALUES: usize = 2 * COUNTS - 1;

/// Sums of the first layer stay below this, and below 32,768 with the rounding of the rows: at most 30 places hold
/// checkers, there are 44 features, and each row and the bias are off by at most a half.
const LARGEST_SUM: f64 = 32_700.0;

/// The arrays that inference reads.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The first layer's bias.
    pub bias: Vec<i16>,
    /// What a cell with a value adds to the first layer, by [`Table::row`].
    pub rows: Vec<i16>,
    /// Where the row of each feature's value 0 starts among the rows; empty without features.
    features: Vec<u32>,
    /// The second layer's weights: for each block of units, for each step of the first layer.
    pub second: Vec<[[f32; SECOND_STEP]; FIRST_STEP]>,
    pub second_bias: Vec<[f32; SECOND_STEP]>,
    /// The weights of the outputs, for each block of the second layer.
    pub output: Vec<[[f32; LANES]; SECOND_STEP]>,
    pub output_bias: [f32; LANES],
}

impl Table {
    /// The number of the row of a cell with this value.
    #[inline(always)]
    pub fn place(cell: usize, value: i8) -> usize {
        cell * VALUES + (value + CHECKERS as i8) as usize
    }

    /// Where that row starts.
    #[inline(always)]
    pub fn row(&self, cell: usize, value: i8) -> u32 {
        (Table::place(cell, value) * self.bias.len()) as u32
    }

    /// How many rows the cells have.
    pub const PLACES: usize = CELLS * VALUES;

    /// Where the row of a feature's value starts.
    #[inline(always)]
    pub fn feature_row(&self, feature: usize, value: u8) -> u32 {
        self.features[feature] + u32::from(value) * self.bias.len() as u32
    }

    /// Whether there are features to look at.
    pub fn has_features(&self) -> bool {
        !self.features.is_empty()
    }

    fn new(weights: &Weights) -> Table {
        let shape = weights.shape();
        let (first, second) = (shape.first(), shape.second());
        let [input, input_bias, hidden, hidden_bias, output, output_bias] = weights.arrays();
        let scales = scales(shape.inputs(), first, input, input_bias);
        let mut rows = vec![0; CELLS * VALUES * first];
        for cell in 0..CELLS {
            for value in (-(CHECKERS as i8)..=CHECKERS as i8).filter(|&value| can_hold(cell, value)) {
                let (side, place) = encoding::place_of(cell, value);
                let start = Table::place(cell, value) * first;
                let sums =
                    Sums { input, first, side, place, units: encoding::units(place, value.unsigned_abs().into()) };
                for (unit, row) in rows[start..start + first].iter_mut().enumerate() {
                    // A row by itself may overflow where a large bias is on the other side: the sums still are exact.
                    *row = whole(sums.of(unit) * scales[unit]);
                }
            }
        }
        let mut features = Vec::new();
        if shape.inputs() == Inputs::Contact {
            for (side, feature) in contact::all() {
                features.push(rows.len() as u32);
                let sums = FeatureSums::new(input, first, side, feature);
                for value in 0..=feature.most() {
                    let units = sums.units(value);
                    rows.extend((0..first).map(|unit| whole(sums.of(&units, unit) * scales[unit])));
                }
            }
        }
        let bias = (0..first).map(|unit| whole(f64::from(input_bias[unit]) * scales[unit])).collect();
        let mut blocks = Vec::new();
        for block in 0..second / SECOND_STEP {
            for step in 0..first / FIRST_STEP {
                blocks.push(std::array::from_fn(|row| {
                    let unit = step * FIRST_STEP + row;
                    std::array::from_fn(|lane| {
                        let weight = f64::from(hidden[unit * second + block * SECOND_STEP + lane]) / scales[unit];
                        // Never infinite: a unit that is zero here may be passed over or multiplied, and must add nothing.
                        weight.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32
                    })
                }));
            }
        }
        let lanes = |values: &[f32]| std::array::from_fn(|lane| values.get(lane).copied().unwrap_or(0.0));
        Table {
            bias,
            rows,
            features,
            second: blocks,
            second_bias: hidden_bias.as_chunks().0.to_vec(),
            output: output
                .chunks(SECOND_STEP * OUTPUTS)
                .map(|block| std::array::from_fn(|unit| lanes(&block[unit * OUTPUTS..][..OUTPUTS])))
                .collect(),
            output_bias: lanes(output_bias),
        }
    }
}

/// The nearest whole number, ties to even; only its lowest 16 bits if it is larger.
#[inline(always)]
fn whole(x: f64) -> i16 {
    // Added, 1.5 x 2^52 rounds to a whole number, which is then in the lowest bits: `rint` would be a call.
    (x + 6_755_399_441_055_744.0).to_bits() as i16
}

/// Whether a cell of the array form can have this value, and shows a checker by it.
fn can_hold(cell: usize, value: i8) -> bool {
    match cell {
        0 => value < 0,
        BAR | OFF | OPPONENT_OFF => value > 0,
        _ => value != 0,
    }
}

/// What some checkers on a place add to the first layer, before rounding.
struct Sums<'a> {
    input: &'a [f32],
    first: usize,
    side: usize,
    place: usize,
    units: [f32; encoding::UNITS],
}

impl Sums<'_> {
    #[inline(always)]
    fn of(&self, unit: usize) -> f64 {
        let start = encoding::inputs_of(self.side, self.place).start * self.first + unit;
        (0..encoding::UNITS)
            .map(|row| f64::from(self.units[row]) * f64::from(self.input[start + row * self.first]))
            .sum()
    }
}

/// What a value of a feature adds to the first layer, before rounding.
struct FeatureSums<'a> {
    feature: Feature,
    input: &'a [f32],
    first: usize,
}

impl FeatureSums<'_> {
    fn new(input: &[f32], first: usize, side: usize, feature: Feature) -> FeatureSums<'_> {
        let inputs = encoding::inputs_of_feature(side, feature);
        FeatureSums { feature, input: &input[inputs.start * first..inputs.end * first], first }
    }

    /// The inputs of a value that are not zero.
    fn units(&self, value: u8) -> Vec<f64> {
        let units = (0..self.feature.inputs()).map(|input| f64::from(self.feature.unit(input, value)));
        units.take_while(|&unit| unit > 0.0).collect()
    }

    #[inline(always)]
    fn of(&self, units: &[f64], unit: usize) -> f64 {
        units.iter().enumerate().map(|(row, value)| value * f64::from(self.input[row * self.first + unit])).sum()
    }
}

/// How many integers of each unit's sum are one: the most that keeps every position's sum within [`LARGEST_SUM`].
fn scales(inputs: Inputs, first: usize, input: &[f32], bias: &[f32]) -> Vec<f64> {
    /// Units are looked at this many at a time, in vectors.
    const UNITS: usize = 16;
    let mut scales = Vec::with_capacity(first);
    for start in (0..first).step_by(UNITS) {
        let largest = largest_sums::<UNITS>(inputs, start, first, input, bias);
        scales.extend(largest.map(|largest| LARGEST_SUM / largest.max(1e-3)));
    }
    scales
}

/// The largest size that the sum of each unit from `start` can have: over all ways to place up to 15 checkers of each
/// side. The sides and all features are taken to be independent, which can only make it larger.
fn largest_sums<const N: usize>(inputs: Inputs, start: usize, first: usize, input: &[f32], bias: &[f32]) -> [f64; N] {
    let mut high: [f64; N] = std::array::from_fn(|n| f64::from(bias[start + n]));
    let mut low = high;
    for side in 0..2 {
        // By the number of checkers placed so far; fewer than 15 may be placed, so no sum falls below none.
        let mut highest = [[0.0f64; N]; COUNTS];
        let mut lowest = [[0.0f64; N]; COUNTS];
        for place in encoding::places() {
            let mut added = [[0.0f64; N]; COUNTS];
            for (count, added) in added.iter_mut().enumerate() {
                let sums = Sums { input, first, side, place, units: encoding::units(place, count) };
                *added = std::array::from_fn(|n| sums.of(start + n));
            }
            for total in (1..COUNTS).rev() {
                for count in 1..=total {
                    for n in 0..N {
                        highest[total][n] = highest[total][n].max(highest[total - count][n] + added[count][n]);
                        lowest[total][n] = lowest[total][n].min(lowest[total - count][n] + added[count][n]);
                    }
                }
            }
        }
        for n in 0..N {
            high[n] += highest.iter().fold(0.0, |most: f64, sums| most.max(sums[n]));
            low[n] += lowest.iter().fold(0.0, |least: f64, sums| least.min(sums[n]));
        }
    }
    if inputs == Inputs::Contact {
        for (side, feature) in contact::all() {
            let weights = FeatureSums::new(input, first, side, feature).input;
            for n in 0..N {
                // Straight between knots, a feature's sum is largest at one of them.
                let (mut sum, mut most, mut least) = (0.0f64, 0.0f64, 0.0f64);
                for row in 0..feature.inputs() {
                    sum += f64::from(weights[row * first + start + n]);
                    (most, least) = (most.max(sum), least.min(sum));
                }
                high[n] += most;
                low[n] += least;
            }
        }
    }
    std::array::from_fn(|n| high[n].max(-low[n]))
}

/// The five nested probabilities of a position as a network gives them, in the order of
/// [`Probabilities::NAMES`](crate::Probabilities::NAMES).
pub type Outputs = [f32; OUTPUTS];

/// A network of two hidden layers with rectified units, ready to evaluate positions for the player on roll.
///
/// The first layer is in integers: rows of 16 bits, scaled for each unit so that no position's sum overflows. So a
/// position reached by a few changes has exactly the sums that it has by itself. The other layers are floats, each unit
/// one chain of fused multiply-adds in the order of its inputs.
///
/// The outputs are chances that refine each other: to win; of a win to be a gammon; of a gammon won to be a backgammon;
/// and the same two of a loss. Their products are nested probabilities whatever the weights are.
#[derive(Clone, Debug)]
pub struct Network {
    weights: Weights,
    table: Table,
    kernel: Kernel,
}

impl Network {
    /// The network of these weights.
    pub fn new(weights: Weights) -> Network {
        Network { table: Table::new(&weights), weights, kernel: Kernel::best() }
    }

    /// The same with another kernel.
    ///
    /// # Panics
    /// If this processor cannot run it.
    pub fn with_kernel(self, kernel: Kernel) -> Network {
        assert!(kernel.is_available(), "this processor cannot run {kernel:?}");
        Network { kernel, ..self }
    }

    /// The weights.
    pub const fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The kernel that evaluates.
    pub const fn kernel(&self) -> Kernel {
        self.kernel
    }

    pub(crate) const fn table(&self) -> &Table {
        &self.table
    }
}

/// What evaluating needs beside the network: kept from call to call, so that nothing is allocated.
pub struct Scratch {
    base: Base,
    chances: Vec<Chances>,
}

impl Scratch {
    /// Room for a network.
    pub fn new(network: &Network) -> Scratch {
        Scratch { base: Base::empty(network), chances: Vec::new() }
    }
}

impl Network {
    /// The sums of the first layer at a position.
    pub(crate) fn sums<'a>(&self, scratch: &'a mut Scratch, near: &[i8; CELLS]) -> &'a [i16] {
        kernel::rebase(self, &mut scratch.base, [near; 2]);
        scratch.base.sums()
    }

    /// Appends the outputs of positions that are like `near`: the candidates of a roll.
    ///
    /// The answers do not depend on `near`, only the time does. `scratch` must be made for this network.
    pub fn evaluate_near(
        &self,
        scratch: &mut Scratch,
        near: &[i8; CELLS],
        positions: &[[i8; CELLS]],
        outputs: &mut Vec<Outputs>,
    ) {
        // The candidates of a roll are two or three checkers away from where they come from, but their features (pips, shots)
        // are more like each other's than like those.
        let like = positions.get(positions.len() / 2).unwrap_or(near);
        self.evaluate_from(scratch, [near, like], positions, outputs);
    }

    /// Appends the outputs of positions that have nothing to do with each other.
    pub fn evaluate(&self, scratch: &mut Scratch, positions: &[[i8; CELLS]], outputs: &mut Vec<Outputs>) {
        self.evaluate_from(scratch, [&[0; CELLS]; 2], positions, outputs);
    }

    /// Appends the outputs of positions that have checkers like the one board, and features like the other.
    fn evaluate_from(
        &self,
        scratch: &mut Scratch,
        like: [&[i8; CELLS]; 2],
        positions: &[[i8; CELLS]],
        outputs: &mut Vec<Outputs>,
    ) {
        // From the right checkers any features lead to the same sums.
        if scratch.base.cells() != like[0] {
            kernel::rebase(self, &mut scratch.base, like);
        }
        scratch.chances.clear();
        kernel::evaluate(self, &scratch.base, positions, &mut scratch.chances);
        outputs.extend(positions.iter().zip(&scratch.chances).map(|(cells, chances)| nested(cells, chances)));
    }
}

/// Nested probabilities from chances, with what the checkers make certain or impossible.
#[inline(always)]
fn nested(cells: &[i8; CELLS], chances: &Chances) -> Outputs {
    let Some(possible) = possible(cells) else { return finished(cells) };
    let mut chances = *chances;
    for output in 1..OUTPUTS {
        chances[output] *= f32::from(u8::from(possible[output]));
    }
    multiply(chances)
}

/// The nested probabilities that chances multiply up to.
#[inline(always)]
pub(crate) fn multiply([win, gammon, backgammon, lose_gammon, lose_backgammon]: Chances) -> Outputs {
    let gammon = win * gammon;
    let lose_gammon = (1.0 - win) * lose_gammon;
    [win, gammon, gammon * backgammon, lose_gammon, lose_gammon * lose_backgammon]
}

/// Which of the five ends the checkers leave possible, as far as it is plain; none if the game is over.
#[inline(always)]
pub(crate) fn possible(cells: &[i8; CELLS]) -> Option<[bool; OUTPUTS]> {
    let board = Board::load(cells);
    let (highest, rearmost) = (board.own().highest()?, board.opponent().lowest()?);
    let contact = highest > rearmost;
    let (gammon, lose_gammon) = (cells[OPPONENT_OFF] == 0, cells[OFF] == 0);
    // Without contact nobody comes back into the winner's home board.
    Some([true, gammon, gammon && (contact || rearmost < 7), lose_gammon, lose_gammon && (contact || highest > 18)])
}

#[cold]
fn finished(cells: &[i8; CELLS]) -> Outputs {
    let outcome = Position::from_cells_unchecked(*cells).outcome().expect("a side without checkers in play");
    crate::Probabilities::certain(outcome).values().map(|value| value as f32)
}

/// Points for the player on roll with a cube that nobody turns.
#[inline(always)]
pub fn equity([win, win_gammon, win_backgammon, lose_gammon, lose_backgammon]: Outputs) -> f32 {
    (2.0 * win - 1.0) + (win_gammon - lose_gammon) + (win_backgammon - lose_backgammon)
}

/// The same game as the other player sees it.
#[inline(always)]
pub fn flip([win, win_gammon, win_backgammon, lose_gammon, lose_backgammon]: Outputs) -> Outputs {
    [1.0 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon]
}
