//! Random games.

use gammon_core::Position;
use gammon_core::simulate::{self, Totals};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::errors::Kind;
use crate::long_work;
use crate::position::variant_from;
use crate::text::Text;

/// Records take 24 bytes each while they are gathered: 3 GB at most.
const MOST_RECORDS: u64 = 1 << 27;

type Wins = ((u64, u64, u64), (u64, u64, u64));
type Columns<'py> =
    (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<i8>>, Bound<'py, PyArray1<u32>>);

/// Plays games at random: sums (games, plies, sum of squared plies, wins of each side), the columns of the records if
/// they are asked for (game, starter, points of player 0, plies), and the error that cut the run short.
#[pyfunction]
#[pyo3(signature = (games, variant, seed, threads, progress, records, /))]
#[allow(clippy::type_complexity, reason = "a tuple for Python")]
pub fn random_games<'py>(
    games: &Bound<'py, PyAny>,
    variant: Text,
    seed: &Bound<'_, PyAny>,
    threads: Option<&Bound<'_, PyAny>>,
    progress: Option<&Bound<'_, PyAny>>,
    records: bool,
) -> PyResult<((u64, u64, u64, Wins), Option<Columns<'py>>, Option<PyErr>)> {
    let py = games.py();
    let games = long_work::unsigned(games, "games", i64::MAX as u64)?;
    let start = Position::start(variant_from(py, &variant)?);
    let seed = long_work::seed(seed)?;
    let threads = long_work::threads(threads)?;
    if !records {
        let (totals, error) = long_work::run(py, progress, games, |control| {
            simulate::random_games(&start, games, seed, threads, control)
        });
        return Ok((sums(&totals), None, error));
    }
    if games > MOST_RECORDS {
        let message = format!("per_game holds at most {MOST_RECORDS} games in memory, not {games}");
        return Err(Kind::InvalidArgument.error(py, message));
    }
    let ((totals, records), error) = long_work::run(py, progress, games, |control| {
        simulate::random_game_records(&start, games, seed, threads, control)
    });
    let columns = (
        PyArray1::from_iter(py, records.iter().map(|(game, _)| *game)),
        PyArray1::from_iter(py, records.iter().map(|(_, record)| record.starter)),
        PyArray1::from_iter(py, records.iter().map(|(_, record)| record.outcome.points())),
        PyArray1::from_iter(py, records.iter().map(|(_, record)| record.plies)),
    );
    Ok((sums(&totals), Some(columns), error))
}

fn sums(totals: &Totals) -> (u64, u64, u64, Wins) {
    let side = |[single, gammon, backgammon]: [u64; 3]| (single, gammon, backgammon);
    (totals.games, totals.plies, totals.plies_squared, (side(totals.wins[0]), side(totals.wins[1])))
}
