//! `gammon._core`: the compiled part of the Python package. It converts, releases the GIL, calls `gammon-core` and maps
//! errors; it knows nothing of the game.

mod arrays;
mod batch;
mod bearoff_one_sided;
mod bearoff_two_sided;
mod cube;
mod dice;
mod errors;
mod evaluate;
mod hyper;
mod lockstep;
mod long_work;
mod money_table;
mod notebook;
mod numbers;
mod play;
mod position;
mod rollout;
mod search;
mod simulate;
mod text;
mod train;
mod vector;

use pyo3::prelude::*;

/// The compiled part of gammon.
#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::batch::{
        classes, count_plays, features, flip, from_ids, from_keys, legal_plays, legal_positions, pips,
        random_positions, to_ids, to_keys,
    };
    #[pymodule_export]
    use crate::bearoff_one_sided::{
        PyGnubgTwoSided, PyOneSided, one_sided_size, open_gnubg, save_one_sided_like_gnubg, save_two_sided_gnubg,
    };
    #[pymodule_export]
    use crate::bearoff_two_sided::{PyTwoSided, two_sided_size};
    #[pymodule_export]
    use crate::cube::{PyLadder, PyScoreGraph, cube_efficiency};
    #[pymodule_export]
    use crate::dice::{PyRoll, below, throw};
    #[pymodule_export]
    use crate::evaluate::PyNetwork;
    #[pymodule_export]
    use crate::hyper::PyHypergammon;
    #[pymodule_export]
    use crate::lockstep::{PyArena, PyPlan, baseline_play, play_out};
    #[pymodule_export]
    use crate::play::{PlayIterator, PyPlay, PyPlays};
    #[pymodule_export]
    use crate::position::{PyOutcome, PyPosition, certain_points, perft};
    #[pymodule_export]
    use crate::rollout::{PyRollout, rollout_dice};
    #[pymodule_export]
    use crate::search::{PySearcher, default_filters};
    #[pymodule_export]
    use crate::simulate::random_games;
    #[pymodule_export]
    use crate::train::PyTrainer;
    #[pymodule_export]
    use crate::vector::{PyTables, PyVector};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("DEFAULT_REPLIES", gammon_core::search::REPLIES)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
