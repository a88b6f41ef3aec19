//! How the networks see a position: every place of each side by itself, four numbers a place; and what contact adds.

use std::ops::Range;

use crate::nn::contact::{self, Feature, SIDE_INPUTS};
use crate::position::{BAR, CELLS, CHECKERS, OFF, OPPONENT_BAR, OPPONENT_OFF};

/// Numbers that a place contributes.
pub const UNITS: usize = 4;
/// Places of one side: its points 1 to 24, its bar, and those off.
const SIDE_PLACES: usize = 26;
/// Inputs of the places: 104 for the player on roll, then 104 for the opponent.
pub const INPUTS: usize = 2 * SIDE_PLACES * UNITS;

/// What a network is given to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inputs {
    /// The places alone.
    #[default]
    Raw,
    /// The places, then the features of [`contact`] of the player on roll, then those of the opponent.
    Contact,
}

impl Inputs {
    /// All of them.
    pub const ALL: [Inputs; 2] = [Inputs::Raw, Inputs::Contact];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Inputs::Raw => "raw",
            Inputs::Contact => "contact",
        }
    }

    /// The inputs of a name.
    pub fn from_name(name: &str) -> Option<Inputs> {
        Inputs::ALL.into_iter().find(|inputs| inputs.name() == name)
    }

    /// The number of their encoding in files.
    pub const fn number(self) -> u32 {
        match self {
            Inputs::Raw => 1,
            Inputs::Contact => 2,
        }
    }

    /// How many there are.
    pub const fn count(self) -> usize {
        match self {
            Inputs::Raw => INPUTS,
            Inputs::Contact => INPUTS + 2 * SIDE_INPUTS,
        }
    }

    /// Shows every input of a position that is not zero.
    #[inline(always)]
    pub fn for_each(self, cells: &[i8; CELLS], mut see: impl FnMut(usize, f32)) {
        for_each_place(cells, &mut see);
        if self == Inputs::Contact {
            for ((side, feature), value) in contact::all().zip(contact::values(cells)) {
                let first = inputs_of_feature(side, feature).start;
                for input in 0..feature.inputs() {
                    let unit = feature.unit(input, value);
                    if unit == 0.0 {
                        break;
                    }
                    see(first + input, unit);
                }
            }
        }
    }
}

/// The inputs that a feature of a side writes to.
pub fn inputs_of_feature(side: usize, feature: Feature) -> Range<usize> {
    let first = INPUTS + side * SIDE_INPUTS + contact::FIRST_INPUTS[feature as usize];
    first..first + feature.inputs()
}
/// The counts that a place can have, none included.
pub const COUNTS: usize = CHECKERS as usize + 1;
/// The place of a side, 0 to 25, that holds the checkers off.
const OFF_PLACE: usize = SIDE_PLACES - 1;

/// The numbers of a place with `count` checkers; all zero for an empty one.
///
/// Points and bar: `n >= 1`, `n >= 2`, `n >= 3`, `(n - 3) / 2` beyond three. Off: `n >= 1`, which saves the gammon, then
/// how far each third of the fifteen is off.
pub fn units(place: usize, count: usize) -> [f32; UNITS] {
    let n = count as f32;
    let step = |limit| f32::from(u8::from(count >= limit));
    if place == OFF_PLACE {
        let third = |first: f32| ((n - first) / 5.0).clamp(0.0, 1.0);
        [step(1), third(0.0), third(5.0), third(10.0)]
    } else {
        [step(1), step(2), step(3), (n - 3.0).max(0.0) / 2.0]
    }
}

/// The place of a side that a cell of the array form shows, by its sign: 0 for the player on roll, 1 for the opponent.
///
/// A place is numbered as its own side counts: 0 to 23 the points, 24 the bar, 25 off.
pub fn place_of(cell: usize, value: i8) -> (usize, usize) {
    match cell {
        OPPONENT_BAR => (1, BAR - 1),
        BAR => (0, BAR - 1),
        OFF => (0, OFF_PLACE),
        OPPONENT_OFF => (1, OFF_PLACE),
        point if value > 0 => (0, point - 1),
        point => (1, BAR - point - 1),
    }
}

/// The inputs that a place of a side writes to.
pub fn inputs_of(side: usize, place: usize) -> Range<usize> {
    let first = (side * SIDE_PLACES + place) * UNITS;
    first..first + UNITS
}

/// The places of a side.
pub fn places() -> Range<usize> {
    0..SIDE_PLACES
}

/// Shows every input of the places that is not zero.
#[inline(always)]
fn for_each_place(cells: &[i8; CELLS], see: &mut impl FnMut(usize, f32)) {
    for (cell, &value) in cells.iter().enumerate() {
        if value != 0 {
            let (side, place) = place_of(cell, value);
            let inputs = inputs_of(side, place);
            for (input, unit) in inputs.zip(units(place, usize::from(value.unsigned_abs()))) {
                if unit != 0.0 {
                    see(input, unit);
                }
            }
        }
    }
}
