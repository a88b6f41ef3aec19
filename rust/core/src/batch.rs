//! Many positions at once: flat arrays in, flat arrays out, rows in order.

use std::ops::Range;
use std::sync::Mutex;

use crate::dice::Roll;
use crate::movegen::{self, StepCells, View};
use crate::parallel::{self, Control};
use crate::position::{CELLS, Position};

/// Rows are handed to threads this many at a time: their results fit a core's cache.
const CHUNK: usize = 256;

/// Answers of different lengths for each row: row i owns `values[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ragged<V> {
    /// The answers of all rows.
    pub values: V,
    /// One more than there are rows.
    pub offsets: Vec<i64>,
}

/// Plays as two arrays of one length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plays {
    /// The position that each leads to.
    pub cells: Vec<[i8; CELLS]>,
    /// Its canonical steps.
    pub steps: Vec<StepCells>,
}

/// What rows append their answers to.
trait Answers: Default + Send {
    fn len(&self) -> usize;
    fn append(&mut self, other: Self);
    fn reserve(&mut self, more: usize);
}

impl<T: Send> Answers for Vec<T> {
    fn len(&self) -> usize {
        self.len()
    }

    fn append(&mut self, mut other: Self) {
        self.append(&mut other);
    }

    fn reserve(&mut self, more: usize) {
        self.reserve(more);
    }
}

impl Answers for Plays {
    fn len(&self) -> usize {
        self.cells.len()
    }

    fn append(&mut self, mut other: Self) {
        self.cells.append(&mut other.cells);
        self.steps.append(&mut other.steps);
    }

    fn reserve(&mut self, more: usize) {
        self.cells.reserve(more);
        self.steps.reserve(more);
    }
}

fn chunks(rows: usize) -> u64 {
    rows.div_ceil(CHUNK) as u64
}

fn rows_of(chunk: u64, rows: usize) -> Range<usize> {
    let start = chunk as usize * CHUNK;
    start..rows.min(start + CHUNK)
}

/// Answers for every row, each chunk of rows by one thread.
fn ragged<V: Answers>(rows: usize, threads: usize, answer: impl Fn(usize, &mut V) + Sync) -> Ragged<V> {
    let fill = |rows: Range<usize>, all: &mut Ragged<V>| {
        for row in rows {
            answer(row, &mut all.values);
            all.offsets.push(all.values.len() as i64);
        }
    };
    let mut all = Ragged { values: V::default(), offsets: Vec::with_capacity(rows + 1) };
    all.offsets.push(0);
    if threads == 1 || rows <= CHUNK {
        // What the first rows need tells what the others will: growing step by step would copy again and again.
        let first = rows.min(CHUNK);
        fill(0..first, &mut all);
        all.values.reserve(all.values.len() * (rows - first) / first.max(1) * 9 / 8);
        fill(first..rows, &mut all);
        return all;
    }
    let parts = parallel::map_chunks(chunks(rows), threads, &Control::default(), |chunk| {
        let mut part = Ragged { values: V::default(), offsets: Vec::new() };
        fill(rows_of(chunk, rows), &mut part);
        part
    });
    all.values.reserve(parts.iter().map(|(_, part)| part.values.len()).sum());
    for (_, part) in parts {
        let start = all.values.len() as i64;
        all.offsets.extend(part.offsets.into_iter().map(|end| start + end));
        all.values.append(part.values);
    }
    all
}

/// The distinct results of each row's roll, in canonical order.
///
/// # Panics
/// If there are not as many rolls as positions.
pub fn legal_positions(positions: &[Position], rolls: &[Roll], view: View, threads: usize) -> Ragged<Vec<[i8; CELLS]>> {
    assert_eq!(positions.len(), rolls.len(), "a roll for each position");
    ragged(positions.len(), threads, |row, cells| movegen::results(&positions[row], rolls[row], view, cells))
}

/// [`legal_positions`] into the first rows of `out`; returns the offsets.
///
/// # Errors
/// The number of rows needed if `out` has fewer; nothing is written then.
///
/// # Panics
/// If there are not as many rolls as positions.
pub fn legal_positions_into(
    positions: &[Position],
    rolls: &[Roll],
    view: View,
    threads: usize,
    out: &mut [[i8; CELLS]],
) -> Result<Vec<i64>, usize> {
    let counts = count_plays(positions, rolls, threads);
    let mut offsets = Vec::with_capacity(counts.len() + 1);
    offsets.push(0);
    offsets.extend(counts.iter().scan(0, |end, count| {
        *end += count;
        Some(*end)
    }));
    let needed = offsets[counts.len()] as usize;
    let len = |rows: Range<usize>| (offsets[rows.end] - offsets[rows.start]) as usize;
    let mut rest = out.get_mut(..needed).ok_or(needed)?;
    let mut places = Vec::new();
    for chunk in 0..chunks(positions.len()) {
        let (place, after) = rest.split_at_mut(len(rows_of(chunk, positions.len())));
        places.push(Mutex::new(place));
        rest = after;
    }
    let fill = |cells: &mut Vec<[i8; CELLS]>, chunk: u64| {
        cells.clear();
        for row in rows_of(chunk, positions.len()) {
            movegen::results(&positions[row], rolls[row], view, cells);
        }
        places[chunk as usize].lock().expect("each chunk is one thread's").copy_from_slice(cells);
    };
    parallel::gather(chunks(positions.len()), threads, &Control::default(), fill);
    Ok(offsets)
}

/// The distinct plays of each row's roll, in canonical order: results in the view asked for, and steps.
///
/// # Panics
/// If there are not as many rolls as positions.
pub fn legal_plays(positions: &[Position], rolls: &[Roll], view: View, threads: usize) -> Ragged<Plays> {
    assert_eq!(positions.len(), rolls.len(), "a roll for each position");
    ragged(positions.len(), threads, |row, plays: &mut Plays| {
        movegen::plays(&positions[row], rolls[row], view, &mut plays.cells, &mut plays.steps);
    })
}

/// How many distinct results each row's roll has; 0 for a dance.
///
/// # Panics
/// If there are not as many rolls as positions.
pub fn count_plays(positions: &[Position], rolls: &[Roll], threads: usize) -> Vec<i64> {
    assert_eq!(positions.len(), rolls.len(), "a roll for each position");
    let counts = ragged(positions.len(), threads, |row, counts: &mut Vec<i64>| {
        counts.push(movegen::count(&positions[row], rolls[row]) as i64);
    });
    counts.values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Variant;
    use crate::simulate;

    #[test]
    fn the_same_for_any_number_of_threads_and_as_one_by_one() {
        let positions = simulate::random_positions(&Position::start(Variant::Standard), 1500, 1, &Control::default());
        let rolls: Vec<Roll> = (0..1500).map(|i| Roll::ALL[i % 21]).collect();
        let answers = legal_positions(&positions, &rolls, View::Next, 1);
        let plays = legal_plays(&positions, &rolls, View::Next, 1);
        let counts = count_plays(&positions, &rolls, 1);
        assert_eq!(answers.offsets, plays.offsets);
        assert_eq!(answers.values, plays.values.cells);
        for threads in [2, 8] {
            assert_eq!(legal_positions(&positions, &rolls, View::Next, threads), answers);
            assert_eq!(legal_plays(&positions, &rolls, View::Next, threads), plays);
            assert_eq!(count_plays(&positions, &rolls, threads), counts);
        }
        let needed = answers.values.len();
        let mut out = vec![[9; CELLS]; needed + 1];
        for threads in [1, 2, 8] {
            let offsets = legal_positions_into(&positions, &rolls, View::Next, threads, &mut out);
            assert_eq!(offsets.as_ref(), Ok(&answers.offsets));
            assert_eq!((&out[..needed], out[needed]), (&answers.values[..], [9; CELLS]));
            let short = legal_positions_into(&positions, &rolls, View::Next, threads, &mut out[..needed - 1]);
            assert_eq!(short, Err(needed));
        }
        for row in 0..1500 {
            let single = positions[row].plays(rolls[row]);
            let (start, end) = (answers.offsets[row] as usize, answers.offsets[row + 1] as usize);
            assert_eq!(single.len() as i64, counts[row]);
            for (play, place) in single.iter().zip(start..end) {
                assert_eq!(*play.next().cells(), answers.values[place]);
                let steps: Vec<_> = play.steps().iter().map(|step| [step.from as i8, step.to as i8]).collect();
                assert_eq!(plays.values.steps[place][..steps.len()], steps);
                assert!(plays.values.steps[place][steps.len()..].iter().all(|step| *step == [-1, -1]));
            }
        }
    }

    #[test]
    fn no_rows() {
        let answers = legal_positions(&[], &[], View::Mover, 2);
        assert_eq!((answers.values.len(), answers.offsets), (0, vec![0]));
    }
}
