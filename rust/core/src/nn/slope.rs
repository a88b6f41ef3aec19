//! A network near a position as a straight line, by which the few best of many candidates are found without it.

use std::cell::Cell;

use crate::board::Made;
use crate::movegen::Weigh;
use crate::nn::encoding::Inputs;
use crate::nn::kernel::{dispatch, sigmoid};
use crate::nn::lanes::{Floats, LANES};
use crate::nn::network::{Network, Outputs, Scratch, Table};
use crate::nn::weights::{FIRST_STEP, OUTPUTS, SECOND_STEP};
use crate::position::{BAR, CELLS, OPPONENT_OFF};

/// The largest weight of a unit times the units: so that no sum of 16-bit numbers overflows 32 bits.
const LARGEST: f32 = 65_000.0;

/// How carefully candidates are sifted: by how far from zero a unit still counts in part, since a play may well open or close
/// it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Widths {
    /// To miss no good play: what they find is what `benches/replies.py` prints.
    Sure,
    /// For the luck of rolls, of which the usual plays count more than the rare ones that are missed.
    Usual,
}

impl Widths {
    /// For units of the first and of the second layer, in multiples of the mean size of the layer's sums.
    const fn of(self, inputs: Inputs) -> [f32; 2] {
        match (self, inputs) {
            (Widths::Sure, Inputs::Raw) => [1.5, 6.0],
            (Widths::Sure, Inputs::Contact) => [1.5, 1.5],
            (Widths::Usual, _) => [1.0, 0.5],
        }
    }
}

/// More than any change of worth on the scale of scores, but for networks that are flat everywhere.
const MOST_CHANGE: f32 = 268_435_456.0;

/// Not worked out yet.
const UNKNOWN: i32 = i32::MIN;

/// Units that are looked at together.
const UNITS: usize = 16;

/// How the worth of a position changes with its cells, to the first order around one position.
///
/// Scores are whole numbers on a scale of their own, comparable among candidates of one position only.
pub struct Slope {
    /// The second layer's weights, for each of its blocks and each [`UNITS`] of the first layer.
    turned: Vec<[[f32; UNITS]; SECOND_STEP]>,
    /// What an integer of each unit of the first layer adds.
    weights: Vec<i16>,
    /// What each row of the first layer adds.
    known: Vec<Cell<i32>>,
    gradient: Vec<f32>,
    /// How open each unit of the first layer is.
    shares: Vec<f32>,
    /// The sums of the second layer.
    second: Vec<[f32; SECOND_STEP]>,
    /// Scores of a unit of worth.
    scale: f32,
    /// What it changes that the checker which stands alone there is on the bar, where the network was asked.
    hits: [Option<i32>; BAR],
}

/// A slope that stands somewhere, with its network.
pub struct Standing<'a> {
    slope: &'a Slope,
    network: &'a Network,
}

impl Slope {
    /// The slope of a network, which stands nowhere yet. All calls must be for this network.
    pub fn new(network: &Network) -> Slope {
        let table = network.table();
        let units = table.bias.len();
        let steps = units / FIRST_STEP;
        let turned = (0..table.second_bias.len() * units / UNITS).map(|place| {
            let (block, first) = (place / (units / UNITS), place % (units / UNITS) * UNITS);
            let step = &table.second[block * steps + first / FIRST_STEP];
            std::array::from_fn(|lane| std::array::from_fn(|unit| step[first % FIRST_STEP + unit][lane]))
        });
        Slope {
            turned: turned.collect(),
            weights: vec![0; units],
            known: vec![Cell::new(UNKNOWN); Table::PLACES],
            gradient: vec![0.0; units],
            shares: vec![0.0; units],
            second: vec![[0.0; SECOND_STEP]; table.second_bias.len()],
            scale: 0.0,
            hits: [None; BAR],
        }
    }

    /// Takes the slope at the position with these sums of the first layer, of a worth to which the five probabilities add
    /// so much each.
    pub fn stand_on(&mut self, network: &Network, sums: &[i16], gains: Outputs, widths: Widths) {
        self.known.fill(Cell::new(UNKNOWN));
        self.hits = [None; BAR];
        let slope = self;
        dispatch!(network.kernel(), descend, (slope: &mut Slope, network: &Network, sums: &[i16], gains: Outputs, widths: Widths));
    }

    /// Asks the network what each hit changes, in the position of the slope as who rolls next sees it. A hit may turn the
    /// game, and that far a straight line does not see.
    pub fn ask_for_hits(&mut self, network: &Network, scratch: &mut Scratch, near: &[i8; CELLS], gains: Outputs) {
        let blots = (1..BAR).filter(|&point| near[point] == 1);
        if blots.clone().next().is_none() {
            return;
        }
        let mut positions = vec![*near];
        positions.extend(blots.clone().map(|point| {
            let mut hit = *near;
            hit[point] = 0;
            hit[BAR] += 1;
            hit
        }));
        let mut outputs = Vec::with_capacity(positions.len());
        network.evaluate_near(scratch, near, &positions, &mut outputs);
        let worth = |outputs: &Outputs| outputs.iter().zip(gains).map(|(chance, gain)| chance * gain).sum::<f32>();
        for (point, hit) in blots.zip(&outputs[1..]) {
            let change = (worth(hit) - worth(&outputs[0])) * self.scale;
            self.hits[point] = Some(change.clamp(-MOST_CHANGE, MOST_CHANGE) as i32);
        }
    }

    /// What to score plays by from where the slope stands.
    pub fn on<'a>(&'a self, network: &'a Network) -> Standing<'a> {
        Standing { slope: self, network }
    }
}

/// The gradient of the worth by the sums of the first layer, as whole numbers. Vectors change no byte: products are rounded
/// before they are added, and each lane is added up in one order.
#[inline(always)]
fn descend<F: Floats, const N: usize>(
    slope: &mut Slope,
    network: &Network,
    first: &[i16],
    gains: Outputs,
    widths: Widths,
) {
    let [first_width, second_width] = widths.of(network.weights().shape().inputs());
    let table = network.table();
    let units = first.len();
    let mut logits = table.output_bias;
    slope.second.copy_from_slice(&table.second_bias);
    for (step, sums) in first.as_chunks::<FIRST_STEP>().0.iter().enumerate() {
        for (unit, &sum) in sums.iter().enumerate().filter(|&(_, &sum)| sum > 0) {
            for (block, totals) in slope.second.iter_mut().enumerate() {
                let weights = &table.second[block * (units / FIRST_STEP) + step][unit];
                for lane in 0..SECOND_STEP {
                    totals[lane] += f32::from(sum) * weights[lane];
                }
            }
        }
    }
    for (sums, weights) in slope.second.iter().zip(&table.output) {
        for unit in 0..SECOND_STEP {
            for lane in 0..LANES {
                logits[lane] += sums[unit].max(0.0) * weights[unit][lane];
            }
        }
    }
    let by_logit = by_logits(std::array::from_fn(|output| sigmoid(logits[output])), gains);
    let size = first.iter().map(|&sum| f32::from(sum).abs()).sum::<f32>() / units as f32;
    for (share, &sum) in slope.shares.iter_mut().zip(first) {
        *share = openness(sum.into(), first_width * size);
    }
    slope.gradient.fill(0.0);
    for (block, sums) in slope.second.iter().enumerate() {
        let width = second_width * sums.iter().map(|sum| sum.abs()).sum::<f32>() / SECOND_STEP as f32;
        let slopes: [f32; SECOND_STEP] = std::array::from_fn(|unit| {
            let weights = &table.output[block][unit];
            let all: f32 = weights.iter().zip(by_logit).map(|(weight, slope)| weight * slope).sum();
            openness(sums[unit], width) * all
        });
        let parts = slope.gradient.as_chunks_mut::<UNITS>().0.iter_mut().zip(slope.shares.as_chunks::<UNITS>().0);
        for ((gradient, shares), weights) in parts.zip(&slope.turned[block * (units / UNITS)..]) {
            let mut sums = [0.0f32; UNITS];
            for lane in 0..SECOND_STEP {
                for unit in 0..UNITS {
                    sums[unit] += weights[lane][unit] * slopes[lane];
                }
            }
            for unit in 0..UNITS {
                gradient[unit] += shares[unit] * sums[unit];
            }
        }
    }
    let steepest = slope.gradient.iter().fold(1e-20f32, |most, slope| most.max(slope.abs()));
    let scale = LARGEST / units as f32 / steepest;
    slope.scale = scale;
    for (weight, slope) in slope.weights.iter_mut().zip(&slope.gradient) {
        *weight = (slope * scale) as i16;
    }
}

/// The sum of products, which must not overflow.
#[inline(always)]
fn product<F: Floats, const N: usize>(row: &[i16], weights: &[i16]) -> i32 {
    row.iter().zip(weights).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum()
}

impl Standing<'_> {
    /// What a row of the first layer adds to a score.
    #[inline(always)]
    fn part(&self, cell: usize, value: i8) -> i32 {
        let known = &self.slope.known[Table::place(cell, value)];
        if known.get() == UNKNOWN {
            known.set(self.row(cell, value));
        }
        known.get()
    }

    #[inline(never)]
    fn row(&self, cell: usize, value: i8) -> i32 {
        let weights = &self.slope.weights;
        let table = self.network.table();
        let row = &table.rows[table.row(cell, value) as usize..][..weights.len()];
        dispatch!(self.network.kernel(), product, (row: &[i16], weights: &[i16]) -> i32)
    }

    /// What a cell adds to a score when its value changes.
    #[inline(always)]
    fn change(&self, cell: usize, from: i8, to: i8) -> i32 {
        self.part(cell, to).wrapping_sub(self.part(cell, from))
    }
}

/// The more a play scores, the more it is worth to the player who rolls next.
///
/// Features are taken to stay as they are: to work them out takes longer than all the rest.
impl Weigh for Standing<'_> {
    #[inline(always)]
    fn step(&self, cells: &[i8; CELLS], made: Made) -> i32 {
        // Here the checkers that move are the opponent's.
        let from = BAR - made.from;
        let left = self.change(from, cells[from], cells[from] + 1);
        if made.from <= made.die {
            let off = cells[OPPONENT_OFF];
            return left.wrapping_add(self.change(OPPONENT_OFF, off, off + 1));
        }
        let to = from + made.die;
        if !made.hit {
            return left.wrapping_add(self.change(to, cells[to], cells[to] - 1));
        }
        let hit = self.change(to, 1, 0).wrapping_add(self.change(BAR, cells[BAR], cells[BAR] + 1));
        // The better of both for who hits: the line is as far off for other plays too, which are compared with it.
        let hit = self.slope.hits[to].map_or(hit, |known| known.min(hit));
        left.wrapping_add(hit).wrapping_add(self.change(to, 0, -1))
    }
}

/// How open a unit with this sum is, 0 to 1.
fn openness(sum: f32, width: f32) -> f32 {
    (0.5 + 0.5 * sum / width.max(1e-20)).clamp(0.0, 1.0)
}

/// The gradient of a worth, to which the five probabilities add so much each, by the outputs before their last function, from
/// what they become after it. A chance of 0 gives 0.
#[inline(always)]
pub fn by_logits(chances: [f32; OUTPUTS], gains: [f32; OUTPUTS]) -> [f32; OUTPUTS] {
    let [win, gammon, backgammon, lose_gammon, lose_backgammon] = chances;
    let by_chance = [
        gains[0] + gammon * (gains[1] + backgammon * gains[2]) - lose_gammon * (gains[3] + lose_backgammon * gains[4]),
        win * (gains[1] + backgammon * gains[2]),
        win * gammon * gains[2],
        (1.0 - win) * (gains[3] + lose_backgammon * gains[4]),
        (1.0 - win) * lose_gammon * gains[4],
    ];
    std::array::from_fn(|output| by_chance[output] * chances[output] * (1.0 - chances[output]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{self, View};
    use crate::nn::{Kernel, Scratch, Shape, Weights, equity};
    use crate::parallel::Control;
    use crate::position::{Position, Variant};
    use crate::{Roll, simulate};

    /// The gradient by the sums of the first layer, by differences.
    #[test]
    fn the_gradient_is_that_of_the_worth() {
        let gains = [2.0, 1.0, 1.0, -1.0, -1.0];
        let logits = [0.3, -0.5, -1.0, 0.2, -2.0];
        let worth = |logits: [f32; OUTPUTS]| {
            let [win, gammon, backgammon, lose_gammon, lose_backgammon] = logits.map(sigmoid);
            let outputs = [win, win * gammon, win * gammon * backgammon, (1.0 - win) * lose_gammon];
            gains[0] * outputs[0]
                + gains[1] * outputs[1]
                + gains[2] * outputs[2]
                + gains[3] * outputs[3]
                + gains[4] * outputs[3] * lose_backgammon
        };
        for (output, slope) in by_logits(logits.map(sigmoid), gains).into_iter().enumerate() {
            let mut more = logits;
            more[output] += 0.01;
            let mut less = logits;
            less[output] -= 0.01;
            assert!(((worth(more) - worth(less)) / 0.02 - slope).abs() < 1e-3);
        }
    }

    /// Of most rolls the best play is among the few best by score.
    #[test]
    fn the_best_is_among_the_few_best() {
        let network = Network::new(Weights::random(Shape::new(64, 16).unwrap(), 3));
        let start = Position::start(Variant::Standard);
        let (mut slope, mut scratch) = (Slope::new(&network), Scratch::new(&network));
        let (mut rolls, mut found) = (0, 0);
        for (row, position) in simulate::random_positions(&start, 300, 1, &Control::default()).iter().enumerate() {
            let mut candidates = Vec::new();
            let roll = Roll::ALL[row % 21];
            movegen::results(position, roll, View::Next, &mut candidates);
            if candidates.len() < 5 || candidates.len() > 60 {
                continue;
            }
            let sums = network.sums(&mut scratch, position.flip().cells());
            slope.stand_on(&network, sums, [2.0, 1.0, 1.0, -1.0, -1.0], Widths::Sure);
            let mut outputs = Vec::new();
            network.evaluate(&mut scratch, &candidates, &mut outputs);
            let best =
                (0..candidates.len()).min_by(|&a, &b| equity(outputs[a]).total_cmp(&equity(outputs[b]))).unwrap();
            let mut few = Vec::new();
            movegen::least(position, roll, 4, &slope.on(&network), &mut few);
            assert_eq!(few.len(), 4);
            rolls += 1;
            found += usize::from(few.contains(&candidates[best]));
        }
        assert!(rolls > 150);
        assert!(found * 10 > rolls * 8, "{found} of {rolls}");
    }

    /// Of a hit the score is that of the network, on the scale of the slope.
    #[test]
    fn hits_are_what_the_network_says() {
        let network = Network::new(Weights::random(Shape::new(64, 16).unwrap(), 3));
        let (mut slope, mut scratch) = (Slope::new(&network), Scratch::new(&network));
        let near = Position::from_id("4HPwATDgc/ABMA", 15).unwrap();
        let mut cells = *near.cells();
        (cells[24], cells[23]) = (1, 1);
        let gains = [2.0, 1.0, 1.0, -1.0, -1.0];
        slope.stand_on(&network, network.sums(&mut scratch, &cells), gains, Widths::Sure);
        assert_eq!(slope.hits, [None; BAR]);
        slope.ask_for_hits(&network, &mut scratch, &cells, gains);
        assert_eq!(slope.hits.iter().flatten().count(), 2);
        for point in [23, 24] {
            let mut hit = cells;
            (hit[point], hit[BAR]) = (0, 1);
            let mut outputs = Vec::new();
            network.evaluate(&mut scratch, &[cells, hit], &mut outputs);
            let change = equity(outputs[1]) - equity(outputs[0]);
            let found = slope.hits[point].unwrap() as f32 / slope.scale;
            assert!((found - change).abs() < 1e-4, "{found} {change}");
        }
    }

    /// A play scores what its cells differ by from where the slope stands, whatever way the checkers went; the few with
    /// the least scores are kept, in their order, by any kernel.
    #[test]
    fn the_few_are_those_with_the_least_scores() {
        let network = Network::new(Weights::random(Shape::new(128, 32).unwrap(), 5));
        let kernels = Kernel::ALL.into_iter().filter(|kernel| kernel.is_available());
        let networks: Vec<_> = kernels.map(|kernel| network.clone().with_kernel(kernel)).collect();
        let start = Position::start(Variant::Standard);
        let mut dropped = 0;
        for (row, position) in simulate::random_positions(&start, 200, 2, &Control::default()).iter().enumerate() {
            let roll = Roll::ALL[row % 21];
            let near = position.flip();
            let mut candidates = Vec::new();
            movegen::results(position, roll, View::Next, &mut candidates);
            for network in &networks {
                let (mut slope, mut scratch) = (Slope::new(network), Scratch::new(network));
                let sums = network.sums(&mut scratch, near.cells());
                slope.stand_on(network, sums, [2.0, 1.0, 1.0, -1.0, -1.0], Widths::Usual);
                let standing = slope.on(network);
                let of_all = |cells: &[i8; CELLS]| {
                    (0..CELLS).map(|cell| standing.row(cell, cells[cell])).fold(0, i32::wrapping_add)
                };
                let scores: Vec<i32> =
                    candidates.iter().map(|cells| of_all(cells).wrapping_sub(of_all(near.cells()))).collect();
                for most in [1, 3, 8, 5000] {
                    let mut places: Vec<usize> = (0..candidates.len()).collect();
                    places.sort_by_key(|&place| (scores[place], place));
                    places.truncate(most);
                    places.sort();
                    let expected: Vec<_> = places.iter().map(|&place| candidates[place]).collect();
                    let mut few = vec![[7; CELLS]];
                    movegen::least(position, roll, most, &standing, &mut few);
                    assert_eq!(few[0], [7; CELLS]);
                    assert_eq!(few[1..], expected);
                    dropped += candidates.len() - expected.len();
                }
            }
        }
        assert!(dropped > 1000);
    }
}
