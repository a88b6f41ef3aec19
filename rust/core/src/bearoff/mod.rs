//! Bear-off databases: exact answers for positions where both sides are past each other and close to the end.

pub mod gnu;
pub mod index;
pub mod one_sided;
pub mod two_sided;

pub use index::{Counts, Index, MAX_POINTS};
pub use two_sided::{Spec, TwoSided, TwoSidedError, Values};
