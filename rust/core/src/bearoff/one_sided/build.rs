//! Building a one-sided table: by pip counts, since every play lowers them.

use std::fmt;

use super::store::{Distributions, Span};
use super::{Distribution, MOST_POSITIONS, OneSided};
use crate::bearoff::index::{self, Index};
use crate::dice::Roll;
use crate::parallel::{self, Control};

/// Positions a thread takes at a time.
const CHUNK: usize = 512;

/// What is less likely is left out at the ends of a distribution: 2^-64.
const LEAST: f64 = 1.0 / (1u128 << 64) as f64;

/// Room for a distribution under way: no position of 18 points needs 256 rolls with a probability above [`LEAST`].
const LONGEST: usize = 256;

/// Why a table was not built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// Above [`MOST_POSITIONS`].
    TooLarge {
        /// How many positions it would have.
        positions: usize,
        /// About how many bytes it would take.
        bytes: usize,
    },
    /// The work was cancelled.
    Cancelled,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::TooLarge { positions, bytes } => write!(
                f,
                "a one-sided table has at most {MOST_POSITIONS} positions; this one would have {positions} and take \
                 about {bytes} bytes"
            ),
            BuildError::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl std::error::Error for BuildError {}

impl OneSided {
    /// About how many bytes of memory the table of an index takes: measured tables are within a third of it.
    pub fn estimated_bytes(index: Index) -> usize {
        // Longer ways have wider distributions: about 11 values at 6 points, 25 at 13.
        let values = 2 * index.points().min(index.checkers() * 2) + 2;
        index.len() * (values * size_of::<f64>() + 6)
    }

    /// Builds the table of all positions of an index. Progress is counted in positions.
    ///
    /// # Errors
    /// [`BuildError::TooLarge`] before anything is allocated, and [`BuildError::Cancelled`].
    pub fn build(index: Index, threads: usize, control: &Control) -> Result<OneSided, BuildError> {
        if index.len() > MOST_POSITIONS {
            let (positions, bytes) = (index.len(), OneSided::estimated_bytes(index));
            return Err(BuildError::TooLarge { positions, bytes });
        }
        let order = PipOrder::new(index, threads, control);
        if control.is_cancelled() {
            return Err(BuildError::Cancelled);
        }
        let mut builder = Builder::new(index);
        for layer in order.layers() {
            let parts = parallel::map_chunks(layer.len().div_ceil(CHUNK) as u64, threads, control, |chunk| {
                let start = chunk as usize * CHUNK;
                let ranks = &layer[start..layer.len().min(start + CHUNK)];
                let part = builder.part(ranks);
                control.advance(ranks.len() as u64);
                part
            });
            if control.is_cancelled() {
                return Err(BuildError::Cancelled);
            }
            for (chunk, part) in parts {
                builder.add(&layer[chunk as usize * CHUNK..], &part);
            }
        }
        Ok(OneSided { index, finish: builder.finish.all, first_off: Some(builder.first_off.all) })
    }
}

/// The numbers of all positions by their pips.
struct PipOrder {
    order: Vec<u32>,
    starts: Vec<usize>,
}

impl PipOrder {
    fn new(index: Index, threads: usize, control: &Control) -> PipOrder {
        const CHUNK: usize = 1 << 16;
        let len = index.len();
        let pips = parallel::map_chunks(len.div_ceil(CHUNK) as u64, threads, control, |chunk| {
            let start = chunk as usize * CHUNK;
            let pips = |rank| index::pips(&index.unrank(rank)) as u16;
            (start..len.min(start + CHUNK)).map(pips).collect::<Vec<_>>()
        });
        let pips = || pips.iter().flat_map(|(_, pips)| pips).map(|&pips| usize::from(pips));
        let mut starts = vec![0; index.points() * index.checkers() + 2];
        pips().for_each(|pips| starts[pips + 1] += 1);
        for pips in 1..starts.len() {
            starts[pips] += starts[pips - 1];
        }
        let mut next = starts.clone();
        let mut order = vec![0; len];
        for (rank, pips) in pips().enumerate() {
            order[next[pips]] = rank as u32;
            next[pips] += 1;
        }
        PipOrder { order, starts }
    }

    /// The positions of each pip count from 1 on: what is borne off already is left out.
    fn layers(&self) -> impl Iterator<Item = &[u32]> {
        self.starts[1..].windows(2).map(|ends| &self.order[ends[0]..ends[1]])
    }
}

/// The numbers of all positions but the empty one, by pip count: every play leads to an earlier layer.
///
/// Nothing if the work was cancelled.
pub(in crate::bearoff) fn pip_layers(index: Index, threads: usize, control: &Control) -> Vec<Vec<u32>> {
    let order = PipOrder::new(index, threads, control);
    if control.is_cancelled() { Vec::new() } else { order.layers().map(<[u32]>::to_vec).collect() }
}

/// Distributions with their means, by which plays are chosen.
struct Known {
    all: Distributions,
    means: Vec<f64>,
}

impl Known {
    fn new(len: usize) -> Known {
        Known { all: Distributions::with_len(len), means: vec![0.0; len] }
    }

    fn add(&mut self, number: usize, span: Span, values: &[f64]) {
        self.all.set(number, span, values);
        self.means[number] = self.all.get(number).mean();
    }
}

struct Builder {
    index: Index,
    finish: Known,
    /// By number above `fewer`.
    first_off: Known,
    /// How many positions have fewer checkers than the table goes up to: these have one off already.
    fewer: usize,
}

/// New distributions, one after the other.
#[derive(Default)]
struct Part {
    finish: Packed,
    /// Of those of the positions that have all checkers on.
    first_off: Packed,
}

#[derive(Default)]
struct Packed {
    spans: Vec<Span>,
    values: Vec<f64>,
}

impl Builder {
    fn new(index: Index) -> Builder {
        let fewer = index.len_up_to(index.checkers() - 1);
        let mut builder =
            Builder { index, finish: Known::new(index.len()), first_off: Known::new(index.len() - fewer), fewer };
        builder.finish.add(0, Span { first: 0, len: 1 }, Distribution::DONE.probabilities);
        builder
    }

    /// The distributions of some positions of one layer.
    fn part(&self, ranks: &[u32]) -> Part {
        let mut part = Part::default();
        let mut plays = Vec::new();
        let mut finish = Sum::default();
        let mut first_off = Sum::default();
        for &rank in ranks {
            let counts = self.index.unrank(rank as usize);
            let is_full = rank as usize >= self.fewer;
            for roll in Roll::ALL {
                self.index.plays_from(&counts, roll, &mut plays);
                let weight = f64::from(roll.weight());
                let soonest = best(&plays, |play| self.finish.means[play as usize]);
                finish.add(weight, self.finish.all.get(soonest as usize));
                if is_full {
                    // The lowest number has the fewest checkers.
                    first_off.add(weight, self.soonest_first_off(&plays));
                }
            }
            finish.finish(&mut part.finish);
            if is_full {
                first_off.finish(&mut part.first_off);
            }
        }
        part
    }

    fn soonest_first_off(&self, plays: &[u32]) -> Distribution<'_> {
        if plays.iter().any(|&play| (play as usize) < self.fewer) {
            return Distribution::DONE;
        }
        let soonest = best(plays, |play| self.first_off.means[play as usize - self.fewer]);
        self.first_off.all.get(soonest as usize - self.fewer)
    }

    fn add(&mut self, ranks: &[u32], part: &Part) {
        let mut first_off = part.first_off.iter();
        for (&rank, (span, values)) in ranks.iter().zip(part.finish.iter()) {
            self.finish.add(rank as usize, span, values);
            if rank as usize >= self.fewer {
                let (span, values) = first_off.next().expect("one for each full position");
                self.first_off.add(rank as usize - self.fewer, span, values);
            }
        }
    }
}

impl Packed {
    fn iter(&self) -> impl Iterator<Item = (Span, &[f64])> {
        let mut rest = &self.values[..];
        self.spans.iter().map(move |&span| {
            let (values, after) = rest.split_at(usize::from(span.len));
            rest = after;
            (span, values)
        })
    }
}

/// The play with the least mean; of equal ones the lowest number.
fn best(plays: &[u32], mean: impl Fn(u32) -> f64) -> u32 {
    let mut best = (plays[0], mean(plays[0]));
    for &play in &plays[1..] {
        let mean = mean(play);
        if mean < best.1 {
            best = (play, mean);
        }
    }
    best.0
}

/// A sum of distributions over the 36 throws, each one roll later.
struct Sum {
    values: [f64; LONGEST],
    /// Where values are: from the first to before the last.
    from: usize,
    to: usize,
}

impl Default for Sum {
    fn default() -> Sum {
        Sum { values: [0.0; LONGEST], from: LONGEST, to: 0 }
    }
}

impl Sum {
    #[inline]
    fn add(&mut self, weight: f64, next: Distribution<'_>) {
        let start = next.first + 1;
        let end = start + next.probabilities.len();
        self.from = self.from.min(start);
        self.to = self.to.max(end);
        for (value, &p) in self.values[start..end].iter_mut().zip(next.probabilities) {
            *value += weight * p;
        }
    }

    /// Moves the mean, without its unlikely ends, into `packed`.
    fn finish(&mut self, packed: &mut Packed) {
        let values = &mut self.values[self.from..self.to];
        values.iter_mut().for_each(|value| *value /= 36.0);
        let likely = |&p: &f64| p >= LEAST;
        let first = values.iter().position(likely).expect("they add up to 1");
        let last = values.iter().rposition(likely).expect("they add up to 1");
        packed.spans.push(Span { first: (self.from + first) as u8, len: (last - first + 1) as u8 });
        packed.values.extend_from_slice(&values[first..=last]);
        self.values[self.from..self.to].fill(0.0);
        (self.from, self.to) = (LONGEST, 0);
    }
}
