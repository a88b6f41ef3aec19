//! Our own file of a one-sided table. The layout is in `docs/formats/bearoff-one-sided.md`.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::store::{Distributions, Span};
use super::{MOST_POSITIONS, MOST_VALUES, OneSided};
use crate::bearoff::index::Index;
use crate::files::{self, FileError, HEADER, Summed};

const MAGIC: &[u8; 8] = b"gammon1s";
const KIND: &str = "one-sided bear-off table of gammon";
const VERSION: u32 = 1;

/// How a file holds the probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// As they are.
    Float64,
    /// Rounded to 24 bits: half the size, and an error of at most 6e-8 of each probability.
    Float32,
}

impl Precision {
    const fn bytes(self) -> u8 {
        match self {
            Precision::Float64 => 8,
            Precision::Float32 => 4,
        }
    }

    fn from_bytes(bytes: u8) -> Option<Precision> {
        [Precision::Float64, Precision::Float32].into_iter().find(|precision| precision.bytes() == bytes)
    }

    fn write(self, values: &[f64], writer: &mut impl Write) -> std::io::Result<()> {
        for &value in values {
            match self {
                Precision::Float64 => writer.write_all(&value.to_le_bytes())?,
                Precision::Float32 => writer.write_all(&(value as f32).to_le_bytes())?,
            }
        }
        Ok(())
    }

    fn read(self, values: &mut Vec<f64>, count: usize, reader: &mut impl Read) -> std::io::Result<()> {
        values.clear();
        let mut bytes = [0; 8 * 256];
        let bytes = &mut bytes[..count * usize::from(self.bytes())];
        reader.read_exact(bytes)?;
        match self {
            Precision::Float64 => {
                values.extend(bytes.as_chunks().0.iter().map(|&value| f64::from_le_bytes(value)));
            }
            Precision::Float32 => {
                values.extend(bytes.as_chunks().0.iter().map(|&value| f64::from(f32::from_le_bytes(value))));
            }
        }
        Ok(())
    }
}

/// What the header says.
struct Header {
    index: Index,
    precision: Precision,
    has_gammons: bool,
    /// How many values the finish and the first-off distributions have together.
    values: u64,
    sum: u64,
}

impl Header {
    fn content(&self) -> [u8; 48] {
        let mut content = [0; 48];
        content[..4].copy_from_slice(&VERSION.to_le_bytes());
        content[4] = self.index.points() as u8;
        content[5] = self.index.checkers() as u8;
        content[6] = self.precision.bytes();
        content[7] = u8::from(self.has_gammons);
        content[8..16].copy_from_slice(&(self.index.len() as u64).to_le_bytes());
        content[16..24].copy_from_slice(&self.values.to_le_bytes());
        content[24..32].copy_from_slice(&self.sum.to_le_bytes());
        content
    }

    fn from_content(content: &[u8; 48]) -> Result<Header, FileError> {
        let number = |at: usize| u64::from_le_bytes(content[at..at + 8].try_into().expect("8 bytes"));
        let version = u32::from_le_bytes(content[..4].try_into().expect("4 bytes"));
        if version != VERSION {
            return Err(FileError::damaged(format!("version {version} of the format; this program reads {VERSION}")));
        }
        let index = Index::new(usize::from(content[4]), usize::from(content[5]));
        match (index, Precision::from_bytes(content[6]), content[7]) {
            (Some(index), Some(precision), gammons @ 0..=1)
                if number(8) == index.len() as u64 && index.len() <= MOST_POSITIONS && number(16) <= MOST_VALUES =>
            {
                Ok(Header { index, precision, has_gammons: gammons == 1, values: number(16), sum: number(24) })
            }
            _ => Err(FileError::damaged("the header names a table that does not exist")),
        }
    }

    /// Positions with all checkers on, if their first-off distributions are there.
    fn full(&self) -> usize {
        if self.has_gammons { self.index.len() - self.index.len_up_to(self.index.checkers() - 1) } else { 0 }
    }

    fn spans(&self) -> usize {
        self.index.len() + self.full()
    }

    fn size(&self) -> Option<u64> {
        let spans = (self.spans() * size_of::<Span>()) as u64;
        self.values.checked_mul(u64::from(self.precision.bytes()))?.checked_add(HEADER as u64 + spans)
    }
}

impl OneSided {
    /// Writes the table to a file.
    pub fn save(&self, path: &Path, precision: Precision) -> Result<(), FileError> {
        let all = || [Some(&self.finish), self.first_off.as_ref()].into_iter().flatten();
        files::write_whole(path, |writer| {
            writer.seek(SeekFrom::Start(HEADER as u64))?;
            let mut values = 0;
            let mut summed = Summed::new(&mut *writer);
            for distribution in all().flat_map(Distributions::iter) {
                let len = distribution.probabilities.len();
                values += len as u64;
                summed.write_all(&[distribution.first as u8, len as u8])?;
            }
            for distribution in all().flat_map(Distributions::iter) {
                precision.write(distribution.probabilities, &mut summed)?;
            }
            let sum = summed.sum();
            let header = Header { index: self.index, precision, has_gammons: self.has_gammons(), values, sum };
            Ok(files::write_header(writer, &files::header(MAGIC, &header.content()))?)
        })
    }

    /// Reads a table from a file.
    pub fn open(path: &Path) -> Result<OneSided, FileError> {
        let mut file = File::open(path)?;
        let header = Header::from_content(&files::read_header(&mut file, MAGIC, KIND)?)?;
        files::check_size(&file, header.size().unwrap_or(u64::MAX))?;
        let mut reader = Summed::new(BufReader::with_capacity(1 << 20, file));
        let spans = read_spans(&header, &mut reader)?;
        let (finish, first_off) = spans.split_at(header.index.len());
        let finish = read_values(&header, finish, &mut reader)?;
        let first_off = if header.has_gammons { Some(read_values(&header, first_off, &mut reader)?) } else { None };
        if reader.sum() != header.sum {
            return Err(FileError::damaged("the file is damaged: its checksum is not the one in its header"));
        }
        Ok(OneSided::from_parts(header.index, finish, first_off))
    }
}

fn read_spans(header: &Header, reader: &mut impl Read) -> Result<Vec<Span>, FileError> {
    let mut bytes = vec![0; header.spans() * size_of::<Span>()];
    reader.read_exact(&mut bytes)?;
    let spans: Vec<Span> = bytes.as_chunks().0.iter().map(|&[first, len]| Span { first, len }).collect();
    // Before any value is read: the counts must be those that the size was checked with.
    if spans.iter().map(|span| u64::from(span.len)).sum::<u64>() != header.values {
        return Err(FileError::damaged("the lengths of the distributions do not add up to the number of values"));
    }
    Ok(spans)
}

fn read_values(header: &Header, spans: &[Span], reader: &mut impl Read) -> Result<Distributions, FileError> {
    let mut distributions = Distributions::with_len(spans.len());
    let mut values = Vec::new();
    for (number, &span) in spans.iter().enumerate() {
        header.precision.read(&mut values, usize::from(span.len), reader)?;
        if !is_distribution(&values) {
            return Err(FileError::damaged(format!("the probabilities of position {number} do not add up to 1")));
        }
        distributions.set(number, span, &values);
    }
    Ok(distributions)
}

/// Whether numbers are a distribution, as far as rounding lets one see.
fn is_distribution(probabilities: &[f64]) -> bool {
    let sum: f64 = probabilities.iter().sum();
    (sum - 1.0).abs() < 1e-5 && probabilities.iter().all(|&p| (0.0..=1.0).contains(&p))
}
