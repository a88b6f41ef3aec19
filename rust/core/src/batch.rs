//! Many positions at once: flat arrays in, flat arrays out, rows in order.

use std::ops::Range;
use std::sync::Mutex;

use crate::dice::Roll;
use crate::movegen::{self, View};
use crate::parallel::{self, Control};
use crate::play::{MAX_STEPS, Step};
use crate::position::{CELLS, Position};

/// Rows are handed to threads this many at a time: their results fit a core's cache.
const CHUNK: usize = 256;

/// The steps of a play as from and to, padded with -1.
pub type StepCells = [[i8; 2]; MAX_STEPS];

/// Answers of different lengths for each row: row i owns `values[offsets[i]..offsets[i + 1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ragged<T> {
    /// The answers of all rows.
    pub values: Vec<T>,
    /// One more than there are rows.
    pub offsets: Vec<i64>,
}

fn chunks(rows: usize) -> u64 {
    rows.div_ceil(CHUNK) as u64
}

fn rows_of(chunk: u64, rows: usize) -> Range<usize> {
    let start = chunk as usize * CHUNK;
    start..rows.min(start + CHUNK)
}

/// Answers for every row, each chunk of rows by one thread.
fn ragged<T: Copy + Send>(rows: usize, threads: usize, answer: impl Fn(usize, &mut Vec<T>) + Sync) -> Ragged<T> {
    let fill = |rows: Range<usize>, values: &mut Vec<T>, offsets: &mut Vec<i64>| {
        for row in rows {
            answer(row, values);
            offsets.push(values.len() as i64);
        }
    };
    let mut values = Vec::new();
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    if threads == 1 || rows <= CHUNK {
        fill(0..rows, &mut values, &mut offsets);
        return Ragged { values, offsets };
    }
    let parts = parallel::map_chunks(chunks(rows), threads, &Control::default(), |chunk| {
        let (mut values, mut offsets) = (Vec::new(), Vec::new());
        fill(rows_of(chunk, rows), &mut values, &mut offsets);
        (values, offsets)
    });
    values.reserve_exact(parts.iter().map(|(_, part)| part.0.len()).sum());
    for (_, (part, ends)) in parts {
        let start = values.len() as i64;
        offsets.extend(ends.into_iter().map(|end| start + end));
        values.extend_from_slice(&part);
    }
    Ragged { values, offsets }
}

/// The distinct results of each row's roll, in canonical order.
///
/// # Panics
/// If there are not as many rolls as positions.
pub fn legal_positions(positions: &[Position], rolls: &[Roll], view: View, threads: usize) -> Ragged<[i8; CELLS]> {
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
pub fn legal_plays(
    positions: &[Position],
    rolls: &[Roll],
    view: View,
    threads: usize,
) -> Ragged<([i8; CELLS], StepCells)> {
    assert_eq!(positions.len(), rolls.len(), "a roll for each position");
    ragged(positions.len(), threads, |row, plays| {
        movegen::steps(&positions[row], rolls[row], |after, steps| {
            let after = if view == View::Next { after.flip() } else { after };
            plays.push((*after.cells(), step_cells(steps)));
        });
    })
}

fn step_cells(steps: &[Step]) -> StepCells {
    let mut cells = [[-1; 2]; MAX_STEPS];
    for (cell, step) in cells.iter_mut().zip(steps) {
        *cell = [step.from as i8, step.to as i8];
    }
    cells
}

/// How many distinct results each row's roll has; 0 for a dance.
///
/// # Panics
/// If there are not as many rolls as positions.
pub fn count_plays(positions: &[Position], rolls: &[Roll], threads: usize) -> Vec<i64> {
    assert_eq!(positions.len(), rolls.len(), "a roll for each position");
    let counts = ragged(positions.len(), threads, |row, counts| {
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
        let positions = simulate::random_positions(&Position::start(Variant::Standard), 1500, 1);
        let rolls: Vec<Roll> = (0..1500).map(|i| Roll::ALL[i % 21]).collect();
        let answers = legal_positions(&positions, &rolls, View::Next, 1);
        let plays = legal_plays(&positions, &rolls, View::Next, 1);
        let counts = count_plays(&positions, &rolls, 1);
        assert_eq!(answers.offsets, plays.offsets);
        assert!(answers.values.iter().eq(plays.values.iter().map(|(cells, _)| cells)));
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
            assert!(single.iter().map(|play| *play.next().cells()).eq(answers.values[start..end].iter().copied()));
        }
    }

    #[test]
    fn no_rows() {
        let answers = legal_positions(&[], &[], View::Mover, 2);
        assert_eq!((answers.values.len(), answers.offsets), (0, vec![0]));
    }
}
