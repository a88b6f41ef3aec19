//! Networks that evaluate positions: their inputs, weights and files, and inference.
#![allow(unsafe_code, reason = "loops compiled for processors that have been asked for their features")]

pub mod contact;
pub mod encoding;
mod file;
mod kernel;
pub(crate) mod lanes;
mod network;
mod slope;
mod weights;

pub use encoding::Inputs;
pub use file::{MAGIC, ModelError, VERSION};
pub use kernel::Kernel;
pub(crate) use kernel::{dispatch, sigmoid};
pub use network::{Network, Outputs, Scratch, equity, flip};
pub(crate) use network::{multiply, possible};
pub(crate) use slope::{Slope, Widths, by_logits};
pub use weights::{FIRST_STEP, OUTPUTS, SECOND_STEP, Shape, WIDEST, Weights};

#[cfg(test)]
mod tests;
