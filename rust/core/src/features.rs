//! Positions as numbers for evaluators.

use crate::nn::Inputs;
use crate::position::{BAR, OFF, OPPONENT_BAR, OPPONENT_OFF, Position};

/// How a position becomes inputs. Encodings never change: a better one gets a new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The inputs that TD-Gammon used, without the side on roll: 98 for the player, then 98 for the opponent.
    ///
    /// A side, in its own numbering: for each of its points 1 to 24 four inputs, `n >= 1`, `n >= 2`, `n >= 3` and
    /// `(n - 3) / 2` beyond three; then bar / 2 and off / 15. Tesauro, "Practical issues in temporal difference
    /// learning" (1992).
    Raw196,
    /// What the networks of this library see: four inputs for each place of a side, 104 for the player, then 104 for the
    /// opponent. A side, in its own numbering: points 1 to 24 and the bar with `n >= 1`, `n >= 2`, `n >= 3` and
    /// `(n - 3) / 2` beyond three; then off with `n >= 1` and how far each third of fifteen is off, 0 to 1.
    Places208,
    /// Those, and 98 features of contact and race for each side, 98 for the player, then 98 for the opponent: see
    /// [`crate::nn::contact`].
    Contact404,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Encoding; 3] = [Encoding::Raw196, Encoding::Places208, Encoding::Contact404];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Encoding::Raw196 => "raw196",
            Encoding::Places208 => "places208",
            Encoding::Contact404 => "contact404",
        }
    }

    /// The encoding of a name.
    pub fn from_name(name: &str) -> Option<Encoding> {
        Encoding::ALL.into_iter().find(|encoding| encoding.name() == name)
    }

    /// How many inputs a position has.
    pub const fn inputs(self) -> usize {
        match self {
            Encoding::Raw196 => 2 * RAW_SIDE,
            Encoding::Places208 => Inputs::Raw.count(),
            Encoding::Contact404 => Inputs::Contact.count(),
        }
    }

    /// Writes the inputs of a position.
    ///
    /// # Panics
    /// If `inputs` is not [`Encoding::inputs`] long.
    pub fn write(self, position: &Position, inputs: &mut [f32]) {
        assert_eq!(inputs.len(), self.inputs(), "one input for each place");
        match self {
            Encoding::Raw196 => {
                let (own, opponent) = inputs.split_at_mut(RAW_SIDE);
                raw_side(own, |point| position.cell(point), position.cell(BAR), position.cell(OFF));
                let bar = -position.cell(OPPONENT_BAR);
                raw_side(opponent, |point| -position.cell(BAR - point), bar, position.cell(OPPONENT_OFF));
            }
            Encoding::Places208 => write_inputs(Inputs::Raw, position, inputs),
            Encoding::Contact404 => write_inputs(Inputs::Contact, position, inputs),
        }
    }
}

fn write_inputs(seen: Inputs, position: &Position, inputs: &mut [f32]) {
    inputs.fill(0.0);
    seen.for_each(position.cells(), |input, value| inputs[input] = value);
}

const RAW_SIDE: usize = 24 * 4 + 2;

fn raw_side(inputs: &mut [f32], count: impl Fn(usize) -> i8, bar: i8, off: i8) {
    let (points, rest) = inputs.split_at_mut(24 * 4);
    for (units, point) in points.chunks_exact_mut(4).zip(1..) {
        let n = count(point);
        units[0] = f32::from(n >= 1);
        units[1] = f32::from(n >= 2);
        units[2] = f32::from(n >= 3);
        units[3] = f32::from((n - 3).max(0)) / 2.0;
    }
    rest[0] = f32::from(bar) / 2.0;
    rest[1] = f32::from(off) / 15.0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Variant;

    #[test]
    fn the_start_and_its_mirror() {
        let mut inputs = [0.0; 196];
        Encoding::Raw196.write(&Position::start(Variant::Standard), &mut inputs);
        assert_eq!(inputs[20..24], [1.0, 1.0, 1.0, 1.0]); // five on the 6 point
        assert_eq!(inputs[92..96], [1.0, 1.0, 0.0, 0.0]); // two on the 24 point
        assert_eq!(inputs[..98], inputs[98..]);
        let position = Position::from_points(&[(25, 1), (3, 2)], &[(5, 4)]).unwrap();
        Encoding::Raw196.write(&position, &mut inputs);
        let mut mirrored = [0.0; 196];
        Encoding::Raw196.write(&position.flip(), &mut mirrored);
        assert_eq!((inputs[96], inputs[97]), (0.5, 12.0 / 15.0));
        assert_eq!((&inputs[..98], &inputs[98..]), (&mirrored[98..], &mirrored[..98]));
    }

    #[test]
    fn places_as_the_networks_see_them() {
        let position = Position::from_points(&[(25, 1), (3, 5)], &[(5, 13)]).unwrap();
        let mut inputs = [9.0; 208];
        Encoding::Places208.write(&position, &mut inputs);
        assert_eq!(inputs[8..12], [1.0, 1.0, 1.0, 1.0]); // five on the 3 point
        assert_eq!(inputs[96..100], [1.0, 0.0, 0.0, 0.0]); // one on the bar
        assert_eq!(inputs[100..104], [1.0, 1.0, 0.8, 0.0]); // nine off
        assert_eq!(inputs[104 + 16..104 + 20], [1.0, 1.0, 1.0, 5.0]); // thirteen on the opponent's 5 point
        assert_eq!(inputs[204..], [1.0, 0.4, 0.0, 0.0]); // two of the opponent's off
        let mut more = [9.0; 404];
        Encoding::Contact404.write(&position, &mut more);
        assert_eq!(more[..208], inputs);
        // No blot to hit. From the bar 26 rolls get past the one blocked point: all with a 6; 5-1 to 5-4 by the smaller
        // number first; 4-2, 4-3, 2-2, 3-3 and 4-4.
        assert_eq!(more[208..223], [0.0; 15]);
        assert_eq!(more[208 + 15..208 + 20], [1.0, 1.0, 1.0, 0.75, 0.0]);
        for encoding in Encoding::ALL {
            assert!(encoding.name().ends_with(&encoding.inputs().to_string()), "{encoding:?}");
            assert_eq!(Encoding::from_name(encoding.name()), Some(encoding));
        }
    }
}
