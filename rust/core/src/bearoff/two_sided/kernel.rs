//! The inner loop: what 32 opponents at a time are worth, for every position on roll of one pip count.
//!
//! One generic function over plain arrays of 32 lanes, compiled once for each instruction set and chosen at run time.
//! Every lane does the same integer or IEEE operations in the same order, so all of them give the same bytes; the tests
//! compare each with a scalar twin that knows nothing of lanes, tiles or blocks.

use super::layout::{Class, ClassPlays, DOUBLY, LANES, Line, MOST_PIPS, SINGLY, Strip};
use super::score::Double;
use super::{Scoring, Values};

/// How a table's numbers are held while they are computed.
pub(super) trait Number: Copy + Default + Send + Sync + bytemuck::Pod {
    /// Holds the sum over 36 throws exactly enough.
    type Sum: Copy + Default;
    /// No value is above it.
    const TOP: Self;
    fn least(self, other: Self) -> Self;
    fn most(self, other: Self) -> Self;
    fn add(sum: Self::Sum, value: Self) -> Self::Sum;
    fn twice(sum: Self::Sum) -> Self::Sum;
    /// Minus the mean of 36.
    fn negated_mean(sum: Self::Sum) -> Self;
    /// What the taker of a double is worth, no more than `cap`, what dropping it costs.
    fn doubled(self, cap: Self) -> Self;
    /// From a place where no gammon can be lost to one where it can.
    fn rescaled(self) -> Self;
    /// The nearest number to a value.
    fn encode(value: f64, scale: Scale) -> Self;
}

/// Whether numbers count once (no gammon can be lost) or twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Values from -1 to 1.
    Single,
    /// Values from -2 to 2.
    Gammon,
}

impl Scale {
    pub fn new(full: bool) -> Scale {
        if full { Scale::Gammon } else { Scale::Single }
    }

    pub fn factor(self) -> f64 {
        match self {
            Scale::Single => 1.0,
            Scale::Gammon => 2.0,
        }
    }
}

/// Half the range of 16 bits: the number e stands for (e + 1/2) / 32767.5 of the scale. So 1 and -1 are exact, and
/// minus a value is the bitwise complement of its number.
pub(super) const HALF_RANGE: f64 = 32_767.5;

impl Number for i16 {
    type Sum = i32;
    const TOP: i16 = i16::MAX;

    #[inline(always)]
    fn least(self, other: i16) -> i16 {
        Ord::min(self, other)
    }

    #[inline(always)]
    fn most(self, other: i16) -> i16 {
        Ord::max(self, other)
    }

    #[inline(always)]
    fn add(sum: i32, value: i16) -> i32 {
        sum + i32::from(value)
    }

    #[inline(always)]
    fn twice(sum: i32) -> i32 {
        sum + sum
    }

    #[inline(always)]
    fn negated_mean(sum: i32) -> i16 {
        // The mean of e + 1/2 over 36 throws is sum / 36 + 1/2: the halves stay outside. The product is off by less
        // than 1/200, and a sum that is no exact half is at least 1/36 away from one.
        let mean = sum as f32 * (1.0 / 36.0);
        // Adding and taking away 1.5 x 2^23 rounds to the nearest integer, in every instruction set alike.
        const ROUNDER: f32 = 12_582_912.0;
        !(((mean + ROUNDER).to_bits() as i32 - ROUNDER.to_bits() as i32) as i16)
    }

    #[inline(always)]
    fn doubled(self, cap: i16) -> i16 {
        // Twice e + 1/2 lies half-way between 2e and 2e + 1.
        Ord::min(self.saturating_add(self), cap)
    }

    #[inline(always)]
    fn rescaled(self) -> i16 {
        self >> 1
    }

    fn encode(value: f64, scale: Scale) -> i16 {
        // A cast saturates.
        (value / scale.factor() * HALF_RANGE - 0.5).round_ties_even() as i16
    }
}

impl Number for f64 {
    type Sum = f64;
    const TOP: f64 = f64::INFINITY;

    #[inline(always)]
    fn least(self, other: f64) -> f64 {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn most(self, other: f64) -> f64 {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn add(sum: f64, value: f64) -> f64 {
        sum + value
    }

    #[inline(always)]
    fn twice(sum: f64) -> f64 {
        sum + sum
    }

    #[inline(always)]
    fn negated_mean(sum: f64) -> f64 {
        -(sum / 36.0)
    }

    #[inline(always)]
    fn doubled(self, cap: f64) -> f64 {
        Number::least(self + self, cap)
    }

    #[inline(always)]
    fn rescaled(self) -> f64 {
        self
    }

    fn encode(value: f64, _: Scale) -> f64 {
        value
    }
}

/// An instruction set that the kernel is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isa {
    /// Whatever every processor of the target has.
    Portable,
    /// x86-64 with AVX2.
    Avx2,
    /// x86-64 with AVX-512 for bytes and words.
    Avx512,
}

impl Isa {
    /// All of them, slowest first.
    pub const ALL: [Isa; 3] = [Isa::Portable, Isa::Avx2, Isa::Avx512];

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            Isa::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// The fastest that this processor has.
    pub fn best() -> Isa {
        Isa::ALL.into_iter().rev().find(|isa| isa.is_available()).unwrap_or(Isa::Portable)
    }
}

/// Solves the positions on roll of one pip count against one strip of waiting positions.
pub(super) struct Job<'a, N> {
    pub scoring: &'a Scoring,
    /// Which player is on roll; matters at a score only.
    pub player: usize,
    pub on_roll: &'a Class,
    pub plays: &'a ClassPlays,
    pub strip: Strip,
    /// By the pips that a play takes: the block in which the waiting side is on roll after it.
    pub after: [&'a [Line<N>]; MOST_PIPS + 1],
    /// The lines of a row of those blocks.
    pub after_row_lines: usize,
    /// The lines of a row of the block that is solved.
    pub row_lines: usize,
}

/// The tiles that one pass takes where a tile has a single line.
pub(super) const CUBELESS_TILES: usize = 4;

impl Scoring {
    /// How many tiles a strip should have.
    pub(super) fn strip_tiles(&self) -> usize {
        match self {
            Scoring::Money(Values::Cubeless) => CUBELESS_TILES,
            _ => 1,
        }
    }
}

impl<N: Number> Job<'_, N> {
    /// Writes the rows of the strip.
    pub fn run(&self, isa: Isa, rows: &mut [Line<N>]) {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => {
                assert!(isa.is_available());
                // SAFETY: the processor was just asked for every feature that the function is compiled with.
                #[expect(unsafe_code, reason = "the one way to call code for an instruction set")]
                unsafe {
                    self.run_avx512(rows)
                }
            }
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => {
                assert!(isa.is_available());
                // SAFETY: the processor was just asked for AVX2.
                #[expect(unsafe_code, reason = "the one way to call code for an instruction set")]
                unsafe {
                    self.run_avx2(rows)
                }
            }
            _ => self.dispatch(rows),
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
    fn run_avx512(&self, rows: &mut [Line<N>]) {
        self.dispatch(rows);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn run_avx2(&self, rows: &mut [Line<N>]) {
        self.dispatch(rows);
    }

    #[inline(always)]
    fn dispatch(&self, rows: &mut [Line<N>]) {
        let values = match self.scoring {
            Scoring::Money(values) => *values,
            Scoring::Score(score) => return self.solve_at_score(score.doubles(1 - self.player), rows),
        };
        match (values, self.strip.tiles) {
            (Values::Cubeless, CUBELESS_TILES) => self.solve::<1, CUBELESS_TILES>(rows),
            (Values::Cubeless, tiles) => {
                // A short strip at the end of a class.
                for tile in 0..tiles {
                    let first_row = tile * LANES;
                    let job = Job {
                        strip: Strip {
                            first_tile: self.strip.first_tile + tile,
                            tiles: 1,
                            first_row: self.strip.first_row + first_row,
                            rows: LANES.min(self.strip.rows - first_row),
                            full: self.strip.full,
                        },
                        ..*self
                    };
                    let end = first_row + job.strip.rows;
                    job.solve::<1, 1>(&mut rows[first_row * self.row_lines..end * self.row_lines]);
                }
            }
            (Values::Money, _) => self.solve::<4, 4>(rows),
            (Values::MoneyJacoby, _) => self.solve::<5, 5>(rows),
        }
    }

    /// `V` values for each pair, `K` lines in all tiles of the strip.
    #[inline(always)]
    fn solve<const V: usize, const K: usize>(&self, rows: &mut [Line<N>]) {
        let mut solved = [[[N::default(); LANES]; K]; LANES];
        for tile in 0..self.on_roll.tiles() {
            let members = self.on_roll.rows_of_tile(tile);
            let full = members.start >= self.on_roll.safe;
            let cap = N::encode(1.0, Scale::new(full || self.strip.full));
            let count = members.len();
            for (lane, row) in members.enumerate() {
                solved[lane] = if full && !self.strip.full {
                    self.position::<V, K, true>(row, cap)
                } else {
                    self.position::<V, K, false>(row, cap)
                };
            }
            // Lanes without a position hold zeros, so that a table has one form only.
            solved[count..].fill([[N::default(); LANES]; K]);
            for (at, out) in rows.chunks_exact_mut(self.row_lines).enumerate() {
                let (strip_tile, lane) = (at / LANES, at % LANES);
                for value in 0..V {
                    let line = &mut out[tile * V + value];
                    for (number, from) in line.iter_mut().zip(&solved) {
                        *number = from[strip_tile * V + value][lane];
                    }
                }
            }
        }
    }

    /// Any number of values for each pair, one tile of opponents, who could double as said.
    #[inline(always)]
    fn solve_at_score(&self, doubles: &[Option<Double>], rows: &mut [Line<N>]) {
        let count = doubles.len();
        let doubles: Vec<_> = doubles
            .iter()
            .map(|double| double.map(|double| (double.taken, N::encode(double.cash, Scale::Single))))
            .collect();
        let mut solved = vec![[N::default(); LANES]; LANES * count];
        let mut best = vec![[N::default(); LANES]; count];
        let mut sums = vec![[N::Sum::default(); LANES]; count];
        for tile in 0..self.on_roll.tiles() {
            let members = self.on_roll.rows_of_tile(tile);
            solved.fill([N::default(); LANES]);
            for (lane, row) in members.enumerate() {
                let mut plays = self.plays.of(row).iter();
                sums.fill([N::Sum::default(); LANES]);
                for (rolls, doubly) in [(DOUBLY, true), (SINGLY, false)] {
                    for _ in 0..rolls {
                        best.fill([N::TOP; LANES]);
                        for play in plays.by_ref() {
                            let start = play.row() * self.after_row_lines + self.strip.first_tile * count;
                            let after = &self.after[play.taken()][start..start + count];
                            for ((best, line), double) in best.iter_mut().zip(after).zip(&doubles) {
                                match double {
                                    None => {
                                        for lane in 0..LANES {
                                            best[lane] = best[lane].least(line[lane]);
                                        }
                                    }
                                    Some((taken, cash)) => {
                                        let taken = &after[*taken];
                                        for lane in 0..LANES {
                                            let option = line[lane].most(taken[lane].least(*cash));
                                            best[lane] = best[lane].least(option);
                                        }
                                    }
                                }
                            }
                            if play.is_last() {
                                break;
                            }
                        }
                        for (sum, best) in sums.iter_mut().flatten().zip(best.iter().flatten()) {
                            *sum = N::add(*sum, *best);
                        }
                    }
                    if doubly {
                        sums.iter_mut().flatten().for_each(|sum| *sum = N::twice(*sum));
                    }
                }
                let values = &mut solved[lane * count..(lane + 1) * count];
                for (value, sum) in values.iter_mut().flatten().zip(sums.iter().flatten()) {
                    *value = N::negated_mean(*sum);
                }
            }
            for (lane, out) in rows.chunks_exact_mut(self.row_lines).enumerate() {
                for (value, line) in out[tile * count..(tile + 1) * count].iter_mut().enumerate() {
                    for (number, from) in line.iter_mut().zip(solved.iter().skip(value).step_by(count)) {
                        *number = from[lane];
                    }
                }
            }
        }
    }

    /// One position on roll against all opponents of the strip. `MIXED`: its numbers count twice, and those after it has
    /// borne off its first checker once.
    #[inline(always)]
    fn position<const V: usize, const K: usize, const MIXED: bool>(&self, row: usize, cap: N) -> [Line<N>; K] {
        let mut plays = self.plays.of(row).iter();
        let mut sums = [[N::Sum::default(); LANES]; K];
        for (rolls, doubly) in [(DOUBLY, true), (SINGLY, false)] {
            for _ in 0..rolls {
                let mut best = [[N::TOP; LANES]; K];
                for play in plays.by_ref() {
                    let start = play.row() * self.after_row_lines + self.strip.first_tile * V;
                    let after: &[Line<N>; K] =
                        self.after[play.taken()][start..start + K].try_into().expect("a slice of K lines");
                    if MIXED && play.bears_off_first() {
                        let mut rescaled = *after;
                        for line in &mut rescaled {
                            for number in line {
                                *number = number.rescaled();
                            }
                        }
                        keep_best::<N, V, K>(&mut best, &rescaled, cap);
                    } else {
                        keep_best::<N, V, K>(&mut best, after, cap);
                    }
                    if play.is_last() {
                        break;
                    }
                }
                for line in 0..K {
                    for lane in 0..LANES {
                        sums[line][lane] = N::add(sums[line][lane], best[line][lane]);
                    }
                }
            }
            if doubly {
                for line in &mut sums {
                    for sum in line {
                        *sum = N::twice(*sum);
                    }
                }
            }
        }
        let mut values = [[N::default(); LANES]; K];
        for line in 0..K {
            for lane in 0..LANES {
                values[line][lane] = N::negated_mean(sums[line][lane]);
            }
        }
        values
    }
}

/// Takes in what the opponent has after one play: the least of each value is the best for the player.
///
/// After the play the opponent is on roll, and what is the player's cube is the opponent's opponent's.
#[inline(always)]
fn keep_best<N: Number, const V: usize, const K: usize>(best: &mut [Line<N>; K], after: &[Line<N>; K], cap: N) {
    if V == 1 {
        for line in 0..K {
            for lane in 0..LANES {
                best[line][lane] = best[line][lane].least(after[line][lane]);
            }
        }
        return;
    }
    for lane in 0..LANES {
        let doubled = after[3][lane].doubled(cap);
        best[0][lane] = best[0][lane].least(after[0][lane]);
        best[1][lane] = best[1][lane].least(after[3][lane]);
        best[2][lane] = best[2][lane].least(after[2][lane].most(doubled));
        best[3][lane] = best[3][lane].least(after[1][lane].most(doubled));
        if V == 5 {
            best[4][lane] = best[4][lane].least(after[4][lane].most(doubled));
        }
    }
}
