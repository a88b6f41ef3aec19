//! A network near a position as a straight line, by which the few best of many candidates are found without it.

use crate::board::Board;
use crate::nn::contact::{self, FEATURES, NO_VALUES, Values};
use crate::nn::kernel::sigmoid;
use crate::nn::network::{Network, Table};
use crate::nn::weights::{FIRST_STEP, OUTPUTS, SECOND_STEP};
use crate::position::CELLS;

/// The largest weight of a unit times the units: so that no sum of 16-bit numbers overflows 32 bits.
const LARGEST: f32 = 65_000.0;

/// A unit counts in part where its sum is within so many times the mean size of its layer's sums from zero: a play may
/// well open or close it. Both widths were chosen among a few by one network; what they find with the shipped one is what
/// `benches/replies.py` prints.
const FIRST_WIDTH: f32 = 1.0;
/// The same for the second layer.
const SECOND_WIDTH: f32 = 0.5;

/// Not worked out yet.
const UNKNOWN: i32 = i32::MIN;

/// How the worth of a position changes with its cells, to the first order around one position.
///
/// Scores are whole numbers on a scale of their own, comparable among candidates of one position only.
pub struct Slope {
    near: [i8; CELLS],
    features: Values,
    /// What an integer of each unit of the first layer adds.
    weights: Vec<i16>,
    /// What each row of the first layer adds.
    known: Vec<i32>,
    first: Vec<i16>,
    gradient: Vec<f32>,
    /// The scores of the plays of a roll, with their places.
    scores: Vec<(i32, usize)>,
}

impl Slope {
    /// The slope of a network, which stands nowhere yet. All calls must be for this network.
    pub fn new(network: &Network) -> Slope {
        let units = network.table().bias.len();
        Slope {
            near: [0; CELLS],
            weights: vec![0; units],
            features: NO_VALUES,
            known: vec![UNKNOWN; network.table().rows.len() / units],
            first: vec![0; units],
            gradient: vec![0.0; units],
            scores: Vec::new(),
        }
    }

    /// Takes the slope at a position, of a worth to which the five probabilities add so much each.
    pub fn stand_on(&mut self, network: &Network, near: &[i8; CELLS], gains: [f32; OUTPUTS]) {
        let table = network.table();
        self.near = *near;
        self.known.fill(UNKNOWN);
        self.first.copy_from_slice(&table.bias);
        for (cell, &value) in near.iter().enumerate().filter(|&(_, &value)| value != 0) {
            let row = &table.rows[table.row(cell, value) as usize..][..self.first.len()];
            self.first.iter_mut().zip(row).for_each(|(sum, &add)| *sum = sum.wrapping_add(add));
        }
        if table.has_features() {
            self.features = contact::values(near);
            for (feature, &value) in self.features[..FEATURES].iter().enumerate().filter(|&(_, &value)| value != 0) {
                let row = &table.rows[table.feature_row(feature, value) as usize..][..self.first.len()];
                self.first.iter_mut().zip(row).for_each(|(sum, &add)| *sum = sum.wrapping_add(add));
            }
        }
        self.descend(table, gains);
        let steepest = self.gradient.iter().fold(1e-20f32, |most, slope| most.max(slope.abs()));
        let scale = LARGEST / self.weights.len() as f32 / steepest;
        for (weight, slope) in self.weights.iter_mut().zip(&self.gradient) {
            *weight = (slope * scale) as i16;
        }
    }

    /// The gradient of the worth by the sums of the first layer.
    fn descend(&mut self, table: &Table, gains: [f32; OUTPUTS]) {
        let steps = self.first.len() / FIRST_STEP;
        let mut logits = table.output_bias;
        let mut open = Vec::with_capacity(table.second_bias.len());
        for (block, bias) in table.second_bias.iter().enumerate() {
            let mut sums = *bias;
            for (unit, &sum) in self.first.iter().enumerate().filter(|&(_, &sum)| sum > 0) {
                let weights = &table.second[block * steps + unit / FIRST_STEP][unit % FIRST_STEP];
                sums.iter_mut().zip(weights).for_each(|(total, weight)| *total += f32::from(sum) * weight);
            }
            for (sum, weights) in sums.iter().zip(&table.output[block]) {
                logits.iter_mut().zip(weights).for_each(|(logit, weight)| *logit += sum.max(0.0) * weight);
            }
            open.push(sums);
        }
        let by_logit = by_logits(logits[..OUTPUTS].try_into().expect("five outputs"), gains);
        let size = self.first.iter().map(|&sum| f32::from(sum).abs()).sum::<f32>() / self.first.len() as f32;
        let shares: Vec<f32> = self.first.iter().map(|&sum| openness(sum.into(), FIRST_WIDTH * size)).collect();
        self.gradient.fill(0.0);
        for (block, sums) in open.iter().enumerate() {
            let width = SECOND_WIDTH * sums.iter().map(|sum| sum.abs()).sum::<f32>() / SECOND_STEP as f32;
            let mut slopes = [0.0f32; SECOND_STEP];
            for (unit, slope) in slopes.iter_mut().enumerate() {
                let weights = &table.output[block][unit];
                let all: f32 = weights.iter().zip(by_logit).map(|(weight, slope)| weight * slope).sum();
                *slope = openness(sums[unit], width) * all;
            }
            for (unit, slope) in self.gradient.iter_mut().enumerate().filter(|&(unit, _)| shares[unit] > 0.0) {
                let weights = &table.second[block * steps + unit / FIRST_STEP][unit % FIRST_STEP];
                let mut products = [0.0f32; SECOND_STEP];
                for lane in 0..SECOND_STEP {
                    products[lane] = weights[lane] * slopes[lane];
                }
                *slope += shares[unit] * products.iter().sum::<f32>();
            }
        }
    }

    /// What a row of the first layer adds to a score.
    #[inline(always)]
    fn part(&mut self, table: &Table, row: u32) -> i32 {
        let units = self.weights.len();
        let place = row as usize / units;
        if self.known[place] == UNKNOWN {
            let row = &table.rows[row as usize..][..units];
            self.known[place] = row.iter().zip(&self.weights).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum();
        }
        self.known[place]
    }

    /// The score of a position like the one stood on: the more, the more it is worth to the player on roll.
    ///
    /// Features are taken to stay as they are: to work them out takes longer than all the rest.
    #[inline(always)]
    fn score(&mut self, table: &Table, cells: &[i8; CELLS]) -> i32 {
        let mut different = Board::load(&self.near).different(Board::load(cells));
        let mut score = 0i32;
        while different != 0 {
            let cell = different.trailing_zeros() as usize;
            different &= different - 1;
            let new = self.part(table, table.row(cell, cells[cell]));
            let old = self.part(table, table.row(cell, self.near[cell]));
            score = score.wrapping_add(new.wrapping_sub(old));
        }
        score
    }

    /// Appends the `count` of the positions that score least, in the order in which they are given; of equal scores those
    /// that are given first.
    pub fn keep_least(
        &mut self,
        network: &Network,
        positions: &[[i8; CELLS]],
        count: usize,
        kept: &mut Vec<[i8; CELLS]>,
    ) {
        if positions.len() <= count {
            kept.extend_from_slice(positions);
            return;
        }
        let mut scores = std::mem::take(&mut self.scores);
        scores.clear();
        for (place, cells) in positions.iter().enumerate() {
            let score = self.score(network.table(), cells);
            // The least so far, in order: few of the others get in.
            if scores.len() < count || scores.last().is_some_and(|&(most, _)| score < most) {
                scores.truncate(count - 1);
                let after = scores.iter().rposition(|&(other, _)| other <= score).map_or(0, |before| before + 1);
                scores.insert(after, (score, place));
            }
        }
        scores.sort_unstable_by_key(|&(_, place)| place);
        kept.extend(scores.iter().map(|&(_, place)| positions[place]));
        self.scores = scores;
    }
}

/// How open a unit with this sum is, 0 to 1.
fn openness(sum: f32, width: f32) -> f32 {
    (0.5 + 0.5 * sum / width.max(1e-20)).clamp(0.0, 1.0)
}

/// The gradient of the worth by the outputs before their last function.
fn by_logits(logits: [f32; OUTPUTS], gains: [f32; OUTPUTS]) -> [f32; OUTPUTS] {
    let chances = logits.map(sigmoid);
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
    use crate::nn::{Scratch, Shape, Weights, equity};
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
        for (output, slope) in by_logits(logits, gains).into_iter().enumerate() {
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
            slope.stand_on(&network, position.flip().cells(), [2.0, 1.0, 1.0, -1.0, -1.0]);
            let mut outputs = Vec::new();
            network.evaluate(&mut scratch, &candidates, &mut outputs);
            let best =
                (0..candidates.len()).min_by(|&a, &b| equity(outputs[a]).total_cmp(&equity(outputs[b]))).unwrap();
            let scores: Vec<i32> = candidates.iter().map(|cells| slope.score(network.table(), cells)).collect();
            rolls += 1;
            found += usize::from(scores.iter().filter(|&&score| score < scores[best]).count() < 4);
        }
        assert!(rolls > 150);
        assert!(found * 10 > rolls * 8, "{found} of {rolls}");
    }
}
