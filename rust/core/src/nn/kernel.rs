//! The inner loops, written once and compiled for each kind of processor.
//!
//! Integers are exact in any order, and of floats each lane is one chain of fused multiply-adds in the order of the
//! inputs: so every kernel gives the same bytes, and how many positions go through at once changes nothing.

use crate::board::Board;
use crate::nn::contact::{self, FEATURES, NO_VALUES, Values};
use crate::nn::lanes::{Floats, Ints, LANES};
use crate::nn::network::{Network, Table};
use crate::nn::weights::{FIRST_STEP, OUTPUTS, SECOND_STEP, WIDEST};
use crate::position::CELLS;

/// A kind of processor that the loops are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernel {
    /// Any processor.
    Portable,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Kernel {
    /// All kinds.
    pub const ALL: [Kernel; 3] = [Kernel::Portable, Kernel::Avx2, Kernel::Avx512];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Kernel::Portable => "portable",
            Kernel::Avx2 => "avx2",
            Kernel::Avx512 => "avx512",
        }
    }

    /// Whether this processor can run it.
    pub fn is_available(self) -> bool {
        match self {
            Kernel::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => {
                Kernel::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The fastest that this processor can run.
    pub fn best() -> Kernel {
        Kernel::ALL.into_iter().rfind(|kernel| kernel.is_available()).expect("the portable one runs anywhere")
    }
}

/// Compiles an inlined function for each kind of processor, with its vectors, and calls the one asked for.
macro_rules! dispatch {
    ($kernel:expr, $function:ident, ($($name:ident: $type:ty),*) $(-> $answer:ty)?) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
            fn avx512($($name: $type),*) $(-> $answer)? {
                $function::<$crate::nn::lanes::Avx512Floats, 8>($($name),*)
            }
            #[target_feature(enable = "avx2,fma")]
            fn avx2($($name: $type),*) $(-> $answer)? {
                $function::<$crate::nn::lanes::Avx2Floats, 4>($($name),*)
            }
            match $kernel {
                // SAFETY: a kernel is only in use after `Kernel::is_available` has found these features.
                $crate::nn::Kernel::Avx512 => unsafe { avx512($($name),*) },
                // SAFETY: as above.
                $crate::nn::Kernel::Avx2 => unsafe { avx2($($name),*) },
                $crate::nn::Kernel::Portable => $function::<$crate::nn::lanes::PortableFloats, 4>($($name),*),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = $kernel;
            $function::<$crate::nn::lanes::PortableFloats, 4>($($name),*)
        }
    }};
}
pub(crate) use dispatch;

/// Checkers and features whose first layer is known, for positions that differ from them little.
pub struct Base {
    cells: [i8; CELLS],
    /// Not necessarily those of the checkers; zeros in a network without features.
    features: Values,
    sums: Vec<i16>,
}

impl Base {
    /// The empty board, from which every position is reached by additions.
    pub fn empty(network: &Network) -> Base {
        Base { cells: [0; CELLS], features: NO_VALUES, sums: network.table().bias.clone() }
    }

    /// Its checkers.
    pub fn cells(&self) -> &[i8; CELLS] {
        &self.cells
    }

    /// Its first layer.
    pub fn sums(&self) -> &[i16] {
        &self.sums
    }
}

/// Rows that a board without features can hold, and one with them.
const PLACES: usize = CELLS;
const ALL_ROWS: usize = CELLS + FEATURES;

/// What a difference between two boards changes in the first layer: a row added and one taken away for each of at most `R`
/// places. The rows of empty cells and of features at 0 are zero, so that nothing has to be asked of them.
#[derive(Clone, Copy)]
struct Changes<const R: usize> {
    rows: [[u32; 2]; R],
    len: usize,
}

impl<const R: usize> Changes<R> {
    const NONE: Changes<R> = Changes { rows: [[0; 2]; R], len: 0 };

    /// From the base to a board; `features` are the board's.
    #[inline(always)]
    fn between(table: &Table, base: &Base, to: &[i8; CELLS], features: &Values) -> Changes<R> {
        let mut changes = Changes::NONE;
        let from = &base.cells;
        let mut free = changes.rows.iter_mut();
        let mut different = Board::load(from).different(Board::load(to));
        while different != 0
            && let Some(rows) = free.next()
        {
            let cell = different.trailing_zeros() as usize;
            different &= different - 1;
            *rows = [table.row(cell, to[cell]), table.row(cell, from[cell])];
        }
        if R == ALL_ROWS {
            let mut different = contact::different(&base.features, features);
            while different != 0
                && let Some(rows) = free.next()
            {
                let feature = different.trailing_zeros() as usize;
                different &= different - 1;
                let (from, to) = (base.features[feature], features[feature]);
                *rows = [table.feature_row(feature, to), table.feature_row(feature, from)];
            }
        }
        changes.len = R - free.len();
        changes
    }

    /// The features of a board, if they are looked at.
    #[inline(always)]
    fn features(cells: &[i8; CELLS]) -> Values {
        if R == ALL_ROWS { contact::values(cells) } else { NO_VALUES }
    }

    /// The sums of some steps of the first layer. Additions wrap, which is exact: the last sum is in range.
    #[inline(always)]
    fn apply<F: Floats, const S: usize>(&self, table: &Table, base: &[i16], step: usize) -> [F::Ints; S] {
        let first = step * FIRST_STEP;
        // No closures here: one that is not inlined has not the processor's vectors.
        let start = whole_steps::<S>(base, first);
        let mut sums = [F::Ints::load(&start[0]); S];
        for step in 1..S {
            sums[step] = F::Ints::load(&start[step]);
        }
        for &[added, removed] in &self.rows[..self.len] {
            let added = whole_steps::<S>(&table.rows, added as usize + first);
            let removed = whole_steps::<S>(&table.rows, removed as usize + first);
            for step in 0..S {
                sums[step] = sums[step].add(&added[step]).sub(&removed[step]);
            }
        }
        sums
    }
}

#[inline(always)]
fn whole_steps<const S: usize>(values: &[i16], at: usize) -> &[[i16; FIRST_STEP]; S] {
    values[at..at + S * FIRST_STEP].as_chunks().0.try_into().expect("whole steps")
}

#[inline(always)]
fn rebase_with<F: Floats, const N: usize>(network: &Network, base: &mut Base, like: [&[i8; CELLS]; 2]) {
    if network.table().has_features() {
        rebase_rows::<F, ALL_ROWS>(network, base, like);
    } else {
        rebase_rows::<F, PLACES>(network, base, like);
    }
}

#[inline(always)]
fn rebase_rows<F: Floats, const R: usize>(network: &Network, base: &mut Base, [cells, like]: [&[i8; CELLS]; 2]) {
    let table = network.table();
    let features = Changes::<R>::features(like);
    let changes = Changes::<R>::between(table, base, cells, &features);
    for step in 0..base.sums.len() / FIRST_STEP {
        let [sums] = changes.apply::<F, 1>(table, &base.sums, step);
        sums.store(base.sums[step * FIRST_STEP..].first_chunk_mut().expect("a whole step"));
    }
    base.cells = *cells;
    base.features = features;
}

/// Takes `N` positions through `S` steps of the first layer into the second.
///
/// One position after the other reads its rows, a good stretch of each: they lie far apart and do not fit the nearest cache.
#[inline(always)]
fn advance<F: Floats, const N: usize, const R: usize, const S: usize>(
    table: &Table,
    base: &Base,
    changes: &[Changes<R>; N],
    step: &mut usize,
    second: &mut [[F; N]],
) {
    let steps = base.sums.len() / FIRST_STEP;
    let mut sums = [changes[0].apply::<F, S>(table, &base.sums, *step); N];
    for n in 1..N {
        sums[n] = changes[n].apply::<F, S>(table, &base.sums, *step);
    }
    let mut inputs = [[0.0f32; FIRST_STEP]; N];
    for s in 0..S {
        // Units that are zero in all of them change nothing; candidates of one roll share most of them.
        let mut active = 0;
        for n in 0..N {
            active |= sums[n][s].positive();
            sums[n][s].rectify(&mut inputs[n]);
        }
        let weights = |block: usize| &table.second[block * steps + *step + s];
        let (pairs, rest) = second.as_chunks_mut::<2>();
        for (pair, sums) in pairs.iter_mut().enumerate() {
            add_inputs(sums, [weights(2 * pair), weights(2 * pair + 1)], &inputs, active);
        }
        if let [sums] = rest {
            add_inputs(std::array::from_mut(sums), [weights(2 * pairs.len())], &inputs, active);
        }
    }
    *step += S;
}

/// Blocks of the second layer at its widest.
const BLOCKS: usize = WIDEST[1] / SECOND_STEP;
/// Blocks of a small one.
const FEW_BLOCKS: usize = 2;

/// Adds the active inputs of one step to blocks of the second layer. Blocks that go together share the reading of inputs.
#[inline(always)]
fn add_inputs<F: Floats, const N: usize, const B: usize>(
    sums: &mut [[F; N]; B],
    weights: [&[[f32; SECOND_STEP]; FIRST_STEP]; B],
    inputs: &[[f32; FIRST_STEP]; N],
    active: u64,
) {
    let mut chains = *sums;
    let mut left = active;
    while left != 0 {
        let input = left.trailing_zeros() as usize % FIRST_STEP;
        left &= left - 1;
        let weights = weights.map(|weights| F::load(&weights[input]));
        for n in 0..N {
            let value = F::splat(inputs[n][input]);
            for block in 0..B {
                chains[block][n] = value.mul_add(weights[block], chains[block][n]);
            }
        }
    }
    *sums = chains;
}

/// `N` positions from the base to the outputs before the last function, through at most `B` blocks of the second layer and
/// by at most `R` rows of the first.
#[inline(always)]
fn through<F: Floats, const N: usize, const B: usize, const R: usize>(
    network: &Network,
    base: &Base,
    cells: [&[i8; CELLS]; N],
    outputs: &mut [[f32; LANES]; N],
) {
    let table = network.table();
    let mut changes = [Changes::<R>::NONE; N];
    for n in 0..N {
        changes[n] = Changes::between(table, base, cells[n], &Changes::<R>::features(cells[n]));
    }
    let blocks = table.second_bias.len();
    let steps = base.sums.len() / FIRST_STEP;
    let mut second = [[F::splat(0.0); N]; B];
    for (block, bias) in second.iter_mut().zip(&table.second_bias) {
        *block = [F::load(bias); N];
    }
    let mut step = 0;
    while step < steps {
        let second = &mut second[..blocks];
        match steps - step {
            1 => advance::<F, N, R, 1>(table, base, &changes, &mut step, second),
            2 | 3 => advance::<F, N, R, 2>(table, base, &changes, &mut step, second),
            _ => advance::<F, N, R, 4>(table, base, &changes, &mut step, second),
        }
    }
    let mut chains = [F::load(&table.output_bias); N];
    for (block, weights) in second[..blocks].iter().zip(&table.output) {
        let mut units = [[0.0; SECOND_STEP]; N];
        for n in 0..N {
            block[n].store(&mut units[n]);
        }
        for unit in 0..SECOND_STEP {
            let weights = F::load(&weights[unit]);
            for n in 0..N {
                chains[n] = F::splat(units[n][unit].max(0.0)).mul_add(weights, chains[n]);
            }
        }
    }
    for n in 0..N {
        chains[n].store(&mut outputs[n]);
    }
}

/// 1 / (1 + exp(-x)), by 2^k times a polynomial for exp: within 2e-7, the same bytes everywhere.
#[inline(always)]
#[allow(clippy::manual_clamp, reason = "what is not a number becomes one: absurd weights still give probabilities")]
pub fn sigmoid(x: f32) -> f32 {
    // Added and taken away again, this rounds to a whole number, which is then in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    // ln 2 in two parts, the first short enough that its products are exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let t = (-x).max(-80.0).min(80.0);
    let shifted = t.mul_add(LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-LN_2_LOW, k.mul_add(-LN_2_HIGH, t));
    // exp(r) for |r| <= ln 2 / 2, Taylor to the sixth power: the next term is below 1.2e-7.
    let mut exp = 1.0f32 / 720.0;
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        exp = exp.mul_add(r, coefficient);
    }
    let power = f32::from_bits(shifted.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23);
    1.0 / exp.mul_add(power, 1.0)
}

/// What the outputs of a network become: each its own chance.
pub type Chances = [f32; OUTPUTS];

#[inline(always)]
fn group<F: Floats, const N: usize>(network: &Network, base: &Base, cells: &[[i8; CELLS]], chances: &mut Vec<Chances>) {
    // What is missing of a group is its last position again.
    let last = cells.len() - 1;
    let mut all = [&cells[last]; N];
    for (n, cells) in cells.iter().enumerate() {
        all[n] = cells;
    }
    let mut outputs = [[0.0; LANES]; N];
    // Room for the widest would cost a small network as much as its own work.
    match (network.table().second_bias.len() <= FEW_BLOCKS, network.table().has_features()) {
        (true, false) => through::<F, N, FEW_BLOCKS, PLACES>(network, base, all, &mut outputs),
        (true, true) => through::<F, N, FEW_BLOCKS, ALL_ROWS>(network, base, all, &mut outputs),
        (false, false) => through::<F, N, BLOCKS, PLACES>(network, base, all, &mut outputs),
        (false, true) => through::<F, N, BLOCKS, ALL_ROWS>(network, base, all, &mut outputs),
    }
    for outputs in &mut outputs[..cells.len()] {
        // All lanes are one vector's work where there are vectors; elsewhere only those that hold an output are worth it.
        for lane in 0..if F::WIDE { LANES } else { OUTPUTS } {
            outputs[lane] = sigmoid(outputs[lane]);
        }
        chances.push(*outputs.first_chunk().expect("16 lanes"));
    }
}

#[inline(always)]
fn evaluate_with<F: Floats, const N: usize>(
    network: &Network,
    base: &Base,
    cells: &[[i8; CELLS]],
    chances: &mut Vec<Chances>,
) {
    for cells in cells.chunks(N) {
        if cells.len() > 2 {
            group::<F, N>(network, base, cells, chances);
        } else {
            group::<F, 2>(network, base, cells, chances);
        }
    }
}

/// Makes the checkers of the first board and the features of the second the base.
pub fn rebase(network: &Network, base: &mut Base, like: [&[i8; CELLS]; 2]) {
    dispatch!(network.kernel(), rebase_with, (network: &Network, base: &mut Base, like: [&[i8; CELLS]; 2]));
}

/// Appends the chances of each position.
pub fn evaluate(network: &Network, base: &Base, cells: &[[i8; CELLS]], chances: &mut Vec<Chances>) {
    dispatch!(network.kernel(), evaluate_with,
        (network: &Network, base: &Base, cells: &[[i8; CELLS]], chances: &mut Vec<Chances>));
}
