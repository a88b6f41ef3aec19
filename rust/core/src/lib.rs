//! Backgammon: positions, dice, legal plays, random numbers and simulation.
//!
//! Every number is seen by the player on roll unless its name says otherwise. A player numbers the points 1 to 24
//! from their own side and moves towards 1; 25 is the bar and 0 is off. The opponent's point p is the player's 25 - p.
//!
//! ```
//! use gammon_core::{Position, Roll, Variant};
//!
//! let position = Position::start(Variant::Standard);
//! let plays = position.plays(Roll::new(3, 1).unwrap());
//! assert_eq!(plays.len(), 16);
//! assert!(plays.iter().any(|play| play.to_string() == "8/5 6/5"));
//! ```

pub mod batch;
pub mod bearoff;
mod board;
pub mod certain;
pub mod class;
pub mod cube;
pub mod dice;
pub mod eval;
pub mod features;
pub mod files;
pub mod hyper;
pub mod id;
pub mod judge;
pub mod ladder;
pub mod lockstep;
pub mod money;
pub mod movegen;
pub mod nn;
pub mod outcome;
pub mod parallel;
pub mod perft;
pub mod play;
pub mod player;
pub mod position;
pub mod rng;
pub mod rollout;
pub mod search;
pub mod simulate;
pub mod train;
pub mod vector;

pub use class::Class;
pub use dice::Roll;
pub use ladder::Ladder;
pub use outcome::{Outcome, Probabilities};
pub use play::{Play, PlayError, Step};
pub use position::{Position, PositionError, Setup, Side, Variant};
