//! Networks as files: the layout is in `docs/formats/model.md`.

use std::fmt;

use xxhash_rust::xxh3::xxh3_64;

use crate::nn::encoding::Inputs;
use crate::nn::weights::{Shape, Weights};

/// The first bytes of every model file.
pub const MAGIC: [u8; 8] = *b"GAMMONNN";
/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;
/// Bytes before the weights: magic, then version, encoding, inputs, first and second layer.
const HEADER: usize = 8 + 5 * 4;
/// Bytes of the checksum at the end: XXH3-64 of all before it.
const CHECKSUM: usize = 8;

/// Why bytes are not a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelError {
    /// The file does not start as one.
    Magic,
    /// A version that this library does not know.
    Version(u32),
    /// Inputs that this library does not know.
    Encoding {
        /// The number of the encoding.
        encoding: u32,
        /// How many inputs it is said to have.
        inputs: u32,
    },
    /// Layers of widths that cannot be.
    Shape {
        /// Units of the first layer.
        first: u32,
        /// Units of the second layer.
        second: u32,
    },
    /// More or fewer bytes than the header asks for.
    Length {
        /// What it asks for; only what a header needs if that is cut off.
        expected: usize,
        /// What there is.
        found: usize,
    },
    /// The bytes have changed since they were written.
    Checksum {
        /// What the file says.
        expected: u64,
        /// What its bytes give.
        found: u64,
    },
    /// A weight that is no number.
    Weight,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Magic => write!(f, "not a model: it does not start with GAMMONNN"),
            ModelError::Version(version) => write!(f, "model version {version}; this library reads version {VERSION}"),
            ModelError::Encoding { encoding, inputs } => {
                write!(f, "inputs of encoding {encoding} with {inputs} numbers; this library knows")?;
                for (place, known) in Inputs::ALL.into_iter().enumerate() {
                    let or = if place == 0 { "" } else { " and" };
                    write!(f, "{or} {} with {}", known.number(), known.count())?;
                }
                Ok(())
            }
            ModelError::Shape { first, second } => write!(f, "layers of {first} and {second} units are not supported"),
            ModelError::Length { expected, found } => write!(f, "{found} bytes, where {expected} are expected"),
            ModelError::Checksum { expected, found } => {
                write!(f, "damaged: checksum {found:016x}, where {expected:016x} is expected")
            }
            ModelError::Weight => write!(f, "a weight is not a finite number"),
        }
    }
}

impl std::error::Error for ModelError {}

impl Weights {
    /// The bytes of a model file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + 4 * self.values().len() + CHECKSUM);
        bytes.extend(MAGIC);
        let shape = self.shape();
        let inputs = shape.inputs();
        let widths = [inputs.count(), shape.first(), shape.second()].map(|width| width as u32);
        for number in [VERSION, inputs.number()].into_iter().chain(widths) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.values().iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    /// The weights of a model file.
    ///
    /// ```
    /// # use gammon_core::nn::{Shape, Weights};
    /// let weights = Weights::random(Shape::new(64, 16).unwrap(), 1);
    /// let mut bytes = weights.to_bytes();
    /// assert_eq!(Weights::from_bytes(&bytes).unwrap(), weights);
    /// bytes[1000] ^= 1;
    /// assert!(Weights::from_bytes(&bytes).is_err());
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, ModelError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(ModelError::Magic);
        }
        let short = ModelError::Length { expected: HEADER + CHECKSUM, found: bytes.len() };
        let header = bytes.get(MAGIC.len()..HEADER).ok_or(short)?;
        let numbers = header.as_chunks::<4>().0;
        let [version, encoding, inputs, first, second] = std::array::from_fn(|at| u32::from_le_bytes(numbers[at]));
        if version != VERSION {
            return Err(ModelError::Version(version));
        }
        let known = |known: &Inputs| (known.number(), known.count() as u32) == (encoding, inputs);
        let inputs = Inputs::ALL.into_iter().find(known).ok_or(ModelError::Encoding { encoding, inputs })?;
        let shape = Shape::new(first as usize, second as usize).ok_or(ModelError::Shape { first, second })?;
        let shape = shape.with_inputs(inputs);
        let expected = HEADER + 4 * shape.len() + CHECKSUM;
        if bytes.len() != expected {
            return Err(ModelError::Length { expected, found: bytes.len() });
        }
        let (content, checksum) = bytes.split_at(expected - CHECKSUM);
        let expected = u64::from_le_bytes(checksum.try_into().expect("eight bytes"));
        let found = xxh3_64(content);
        if found != expected {
            return Err(ModelError::Checksum { expected, found });
        }
        let values = content[HEADER..].as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect();
        Weights::from_values(shape, values).ok_or(ModelError::Weight)
    }
}
