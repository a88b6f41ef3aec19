//! The numbers that training changes.

use std::ops::Range;

use crate::nn::encoding::{INPUTS, Inputs};
use crate::rng::{Purpose, Stream};

/// Numbers that a network says of a position; their meaning is on [`crate::nn::Network`].
pub const OUTPUTS: usize = 5;
/// First layers are a multiple of this wide.
pub const FIRST_STEP: usize = 64;
/// Second layers are a multiple of this wide.
pub const SECOND_STEP: usize = 16;
/// The widest first and second layers.
pub const WIDEST: [usize; 2] = [1024, 256];

/// What a network sees, and how wide its two hidden layers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    inputs: Inputs,
    first: usize,
    second: usize,
}

impl Shape {
    /// A shape with raw inputs; none if a width is not a multiple of [`FIRST_STEP`] and [`SECOND_STEP`] up to [`WIDEST`].
    pub fn new(first: usize, second: usize) -> Option<Shape> {
        let fits = |width: usize, step: usize, most: usize| width > 0 && width.is_multiple_of(step) && width <= most;
        (fits(first, FIRST_STEP, WIDEST[0]) && fits(second, SECOND_STEP, WIDEST[1])).then_some(Shape {
            inputs: Inputs::Raw,
            first,
            second,
        })
    }

    /// The same with these inputs.
    pub const fn with_inputs(self, inputs: Inputs) -> Shape {
        Shape { inputs, ..self }
    }

    /// What it sees.
    pub const fn inputs(self) -> Inputs {
        self.inputs
    }

    /// Units of the first hidden layer.
    pub const fn first(self) -> usize {
        self.first
    }

    /// Units of the second hidden layer.
    pub const fn second(self) -> usize {
        self.second
    }

    /// Where each array of the weights lies: first layer [`Inputs::count`] x first and its bias, second layer first x
    /// second and its bias, outputs second x [`OUTPUTS`] and their bias.
    pub fn ranges(self) -> [Range<usize>; 6] {
        let mut end = 0;
        let inputs = self.inputs.count() * self.first;
        let sizes = [inputs, self.first, self.first * self.second, self.second, self.second * OUTPUTS, OUTPUTS];
        sizes.map(|size| {
            end += size;
            end - size..end
        })
    }

    /// How many weights there are.
    pub fn len(self) -> usize {
        self.ranges()[5].end
    }

    /// Never: there is at least one unit in each layer.
    pub const fn is_empty(self) -> bool {
        false
    }
}

/// The weights of a network as training sees them: one flat array, cut up by [`Shape::ranges`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    shape: Shape,
    values: Vec<f32>,
}

impl Weights {
    /// Small random weights, a function of the seed.
    pub fn random(shape: Shape, seed: u64) -> Weights {
        let mut values = vec![0.0; shape.len()];
        let mut stream = Stream::new(seed, Purpose::Training, 0, 0, 0);
        let [mut first, _, second, _, output, _] = shape.ranges();
        let places = first.start..first.start + INPUTS * shape.first;
        first.start = places.end;
        // Even over +-sqrt(6 / n) keeps the size of signals through a rectified layer with n inputs that matter; about
        // 30 of a position's places do (He, Zhang, Ren, Sun, 2015). Features start small beside them: 100 are not zero.
        for (range, inputs) in [(places, 30), (second, shape.first), (output, 6 * shape.second), (first, 300)] {
            let limit = (6.0 / inputs as f64).sqrt();
            for value in &mut values[range] {
                let unit = (stream.word() >> 11) as f64 / (1u64 << 53) as f64;
                *value = ((2.0 * unit - 1.0) * limit) as f32;
            }
        }
        Weights { shape, values }
    }

    /// The same network with more inputs and units; none if `shape` has fewer of anything.
    ///
    /// What is new is not listened to yet: the old units do not see new inputs, and new units, which see what random ones
    /// would, add nothing to old ones and outputs. So every answer stays as it was.
    pub fn widened(&self, shape: Shape, seed: u64) -> Option<Weights> {
        let old = self.shape;
        if shape.inputs.count() < old.inputs.count() || shape.first < old.first || shape.second < old.second {
            return None;
        }
        let mut wide = Weights::random(shape, seed);
        let [first, first_bias, second, second_bias, output, output_bias] = shape.ranges().map(|range| range.start);
        let arrays = self.arrays();
        let mut copy = |start: usize, width: usize, values: &[f32], old_width: usize| {
            for (row, values) in values.chunks(old_width).enumerate() {
                wide.values[start + row * width..][..old_width].copy_from_slice(values);
            }
        };
        copy(first, shape.first, arrays[0], old.first);
        copy(first_bias, shape.first, arrays[1], old.first);
        copy(second, shape.second, arrays[2], old.second);
        copy(second_bias, shape.second, arrays[3], old.second);
        copy(output, OUTPUTS, arrays[4], OUTPUTS);
        copy(output_bias, OUTPUTS, arrays[5], OUTPUTS);
        for input in old.inputs.count()..shape.inputs.count() {
            wide.values[first + input * shape.first..][..old.first].fill(0.0);
        }
        for unit in old.first..shape.first {
            wide.values[second + unit * shape.second..][..old.second].fill(0.0);
        }
        wide.values[output + old.second * OUTPUTS..output_bias].fill(0.0);
        Some(wide)
    }

    /// Weights from their flat array; none if it has another length or a number that is not finite.
    pub fn from_values(shape: Shape, values: Vec<f32>) -> Option<Weights> {
        (values.len() == shape.len() && values.iter().all(|value| value.is_finite()))
            .then_some(Weights { shape, values })
    }

    /// The shape.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The flat array.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The flat array, to be changed.
    pub(crate) fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    /// The six arrays, in the order of [`Shape::ranges`].
    pub fn arrays(&self) -> [&[f32]; 6] {
        self.shape.ranges().map(|range| &self.values[range])
    }
}
