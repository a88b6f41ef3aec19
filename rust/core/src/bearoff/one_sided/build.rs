//! Building a one-sided table: by pip counts, since every play lowers them.
//!
//! The best play of a roll is not searched among all its plays, of which a double has hundreds: a play is a step and
//! then what is best after it. So each position keeps what one, two and three steps of a die lead to at best ([`Ahead`]),
//! from which those a step above it take their own. A step goes at most six pips, so six layers of these are enough.

use std::collections::VecDeque;
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
        builder.number(&order);
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
            builder.add_layer(layer, parts.into_iter().map(|(_, part)| part));
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

/// A position that can be reached, and the mean number of rolls from there.
#[derive(Clone, Copy, Debug)]
struct Best {
    mean: f64,
    rank: u32,
}

impl Best {
    const WORST: Best = Best { mean: f64::INFINITY, rank: u32::MAX };
    const DONE: Best = Best { mean: 0.0, rank: 0 };

    /// The one with the lower mean; of equal ones the lower number.
    #[inline(always)]
    fn take(&mut self, other: Best) {
        if other.mean < self.mean || (other.mean == self.mean && other.rank < self.rank) {
            *self = other;
        }
    }
}

const DICE: usize = 6;

/// The best that one, two and three steps of each die lead to.
#[derive(Clone, Copy)]
struct Ahead([[Best; DICE]; 3]);

/// The best that each roll leads to, in the order of [`Roll::ALL`], and what the position keeps for those above it.
struct Outlook {
    rolls: [Best; 21],
    ahead: Ahead,
}

impl Outlook {
    /// `next` gives the mean of the position with a number, so many pips below, and what it keeps.
    #[inline(always)]
    fn new(steps: &index::SingleSteps, next: impl Fn(u32, usize) -> (f64, Ahead)) -> Outlook {
        let mut outlook = Outlook { rolls: [Best::WORST; 21], ahead: Ahead([[Best::WORST; DICE]; 3]) };
        for die in 1..=DICE {
            steps.each(die, |rank, pips| {
                let own = die - 1;
                let (mean, Ahead(next)) = next(rank, pips);
                outlook.ahead.0[0][own].take(Best { mean, rank });
                outlook.ahead.0[1][own].take(next[0][own]);
                outlook.ahead.0[2][own].take(next[1][own]);
                for other in 0..DICE {
                    // Four steps of a double, two of two dice.
                    let after = if other == own { next[2][own] } else { next[0][other] };
                    let (high, low) = (own.max(other), own.min(other));
                    outlook.rolls[high * (high + 1) / 2 + low].take(after);
                }
            });
        }
        outlook
    }
}

/// What is kept of the layers that a step can reach: the last one first.
type Layers = VecDeque<Vec<Ahead>>;

struct Builder {
    index: Index,
    finish: Known,
    /// By number above `fewer`.
    first_off: Known,
    /// How many positions have fewer checkers than the table goes up to: these have one off already.
    fewer: usize,
    /// The place of each position in its layer, and of each with all checkers on among those of its layer.
    places: Vec<u32>,
    full_places: Vec<u32>,
    ahead: Layers,
    first_ahead: Layers,
}

/// New distributions, one after the other.
#[derive(Default)]
struct Part {
    finish: Packed,
    ahead: Vec<Ahead>,
    /// Of those of the positions that have all checkers on.
    first_off: Packed,
    first_ahead: Vec<Ahead>,
}

#[derive(Default)]
struct Packed {
    spans: Vec<Span>,
    values: Vec<f64>,
}

impl Builder {
    fn new(index: Index) -> Builder {
        let fewer = index.len_up_to(index.checkers() - 1);
        let mut builder = Builder {
            index,
            finish: Known::new(index.len()),
            first_off: Known::new(index.len() - fewer),
            fewer,
            places: vec![0; index.len()],
            full_places: vec![0; index.len() - fewer],
            ahead: Layers::from([vec![Ahead([[Best::DONE; DICE]; 3])]]),
            first_ahead: Layers::from([Vec::new()]),
        };
        builder.finish.add(0, Span { first: 0, len: 1 }, Distribution::DONE.probabilities);
        builder
    }

    /// Notes where in its layer each position is.
    fn number(&mut self, order: &PipOrder) {
        for layer in order.layers() {
            let mut full = 0;
            for (place, &rank) in (0..).zip(layer) {
                self.places[rank as usize] = place;
                if let Some(number) = (rank as usize).checked_sub(self.fewer) {
                    self.full_places[number] = full;
                    full += 1;
                }
            }
        }
    }

    /// The distributions of some positions of one layer.
    fn part(&self, ranks: &[u32]) -> Part {
        let mut part = Part::default();
        let mut sum = Sum::default();
        for &rank in ranks {
            let steps = self.index.single_steps(rank as usize);
            let outlook = Outlook::new(&steps, |rank, pips| {
                let ahead = self.ahead[pips - 1][self.places[rank as usize] as usize];
                (self.finish.means[rank as usize], ahead)
            });
            for (roll, best) in Roll::ALL.into_iter().zip(outlook.rolls) {
                sum.add(f64::from(roll.weight()), self.finish.all.get(best.rank as usize));
            }
            sum.finish(&mut part.finish);
            part.ahead.push(outlook.ahead);
            if rank as usize >= self.fewer {
                self.first_off_part(&steps, &mut sum, &mut part);
            }
        }
        part
    }

    /// The same for the first checker off.
    fn first_off_part(&self, steps: &index::SingleSteps, sum: &mut Sum, part: &mut Part) {
        let outlook = Outlook::new(steps, |rank, pips| match (rank as usize).checked_sub(self.fewer) {
            Some(number) => {
                let place = self.full_places[number] as usize;
                (self.first_off.means[number], self.first_ahead[pips - 1][place])
            }
            // One is off.
            None => (0.0, Ahead([[Best::DONE; DICE]; 3])),
        });
        for (roll, best) in Roll::ALL.into_iter().zip(outlook.rolls) {
            let distribution = match (best.rank as usize).checked_sub(self.fewer) {
                Some(number) => self.first_off.all.get(number),
                None => Distribution::DONE,
            };
            sum.add(f64::from(roll.weight()), distribution);
        }
        sum.finish(&mut part.first_off);
        part.first_ahead.push(outlook.ahead);
    }

    /// Takes over what was found for a layer, in order.
    fn add_layer(&mut self, ranks: &[u32], parts: impl Iterator<Item = Part>) {
        for layers in [&mut self.ahead, &mut self.first_ahead] {
            layers.truncate(DICE - 1);
            layers.push_front(Vec::new());
        }
        let mut ranks = ranks.iter().map(|&rank| rank as usize);
        for mut part in parts {
            self.ahead[0].append(&mut part.ahead);
            self.first_ahead[0].append(&mut part.first_ahead);
            let mut first_off = part.first_off.iter();
            for (span, values) in part.finish.iter() {
                let rank = ranks.next().expect("one for each distribution");
                self.finish.add(rank, span, values);
                if let Some(number) = rank.checked_sub(self.fewer) {
                    let (span, values) = first_off.next().expect("one for each full position");
                    self.first_off.add(number, span, values);
                }
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
