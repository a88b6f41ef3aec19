//! The file of a solved game. The layout is in `docs/formats/hypergammon.md`.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::sides::{MOST_CHECKERS, Sides};
use super::solve::Values;
use super::{Hypergammon, Pairs, Store};
use crate::files::{self, FileError, HEADER};

const MAGIC: &[u8; 8] = b"gammonHY";
const KIND: &str = "hypergammon solution of gammon";
const VERSION: u32 = 1;
/// Bytes of a position.
pub(super) const RECORD: usize = Values::COUNT * size_of::<f64>();

struct Header {
    checkers: u8,
    error_bound: f64,
    sweeps: u32,
    positions: u64,
    /// Of the checksums of the rows.
    sum: u64,
}

impl Header {
    fn content(&self) -> [u8; 48] {
        let mut content = [0; 48];
        content[..4].copy_from_slice(&VERSION.to_le_bytes());
        content[4] = self.checkers;
        content[8..16].copy_from_slice(&self.error_bound.to_le_bytes());
        content[16..20].copy_from_slice(&self.sweeps.to_le_bytes());
        content[24..32].copy_from_slice(&self.positions.to_le_bytes());
        content[32..40].copy_from_slice(&self.sum.to_le_bytes());
        content
    }

    fn from_content(content: &[u8; 48]) -> Result<Header, FileError> {
        let word = |at: usize| u64::from_le_bytes(content[at..at + 8].try_into().expect("8 bytes"));
        let version = u32::from_le_bytes(content[..4].try_into().expect("4 bytes"));
        if version != VERSION {
            return Err(FileError::damaged(format!("version {version} of the format; this program reads {VERSION}")));
        }
        let checkers = content[4];
        if !(1..=MOST_CHECKERS).contains(&checkers) {
            return Err(FileError::damaged(format!("a game of {checkers} checkers a side")));
        }
        let error_bound = f64::from_bits(word(8));
        let sweeps = u32::from_le_bytes(content[16..20].try_into().expect("4 bytes"));
        Ok(Header { checkers, error_bound, sweeps, positions: word(24), sum: word(32) })
    }
}

/// Where the records start.
fn records_offset(sides: usize) -> u64 {
    (HEADER + sides * size_of::<u64>()) as u64
}

fn to_bytes(records: &[[f64; Values::COUNT]]) -> Vec<u8> {
    records.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn to_numbers(record: &[u8]) -> [f64; Values::COUNT] {
    let mut numbers = [0.0; Values::COUNT];
    for (number, &bytes) in numbers.iter_mut().zip(record.as_chunks().0) {
        *number = f64::from_le_bytes(bytes);
    }
    numbers
}

/// Reads bytes at a place, without moving what others read.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

/// A file of records.
#[derive(Debug)]
pub(super) struct Records {
    file: File,
    offset: u64,
    /// Of each row of a player's side.
    sums: Vec<u64>,
}

impl Records {
    pub fn get(&self, number: usize) -> io::Result<[f64; Values::COUNT]> {
        let mut record = [0; RECORD];
        read_at(&self.file, &mut record, self.offset + (number * RECORD) as u64)?;
        Ok(to_numbers(&record))
    }

    fn rows(&self, range: std::ops::Range<usize>) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; range.len() * RECORD];
        read_at(&self.file, &mut bytes, self.offset + (range.start * RECORD) as u64)?;
        Ok(bytes)
    }
}

impl Hypergammon {
    /// Writes the solution to a file.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        files::write_whole(path, |writer| {
            let sides = self.sides.len();
            writer.seek(SeekFrom::Start(records_offset(sides)))?;
            let mut sums = Vec::with_capacity(sides * 8);
            for player in 0..sides {
                let range = self.pairs.row(player);
                let bytes = match &self.store {
                    Store::Memory(records) => to_bytes(&records[range]),
                    Store::File(records) => records.rows(range)?,
                };
                sums.extend_from_slice(&xxh3_64(&bytes).to_le_bytes());
                writer.write_all(&bytes)?;
            }
            let header = Header {
                checkers: self.sides.checkers(),
                error_bound: self.error_bound,
                sweeps: self.sweeps,
                positions: self.pairs.len() as u64,
                sum: xxh3_64(&sums),
            };
            files::write_header(writer, &files::header(MAGIC, &header.content()))?;
            writer.write_all(&sums)?;
            Ok(())
        })
    }

    /// Opens a file. Look-ups read from it; the values themselves are checked by [`Hypergammon::verify`].
    pub fn open(path: &Path) -> Result<Hypergammon, FileError> {
        let mut file = File::open(path)?;
        let header = Header::from_content(&files::read_header(&mut file, MAGIC, KIND)?)?;
        let sides = Sides::new(header.checkers);
        let pairs = Pairs::new(&sides);
        if header.positions != pairs.len() as u64 {
            let (said, real) = (header.positions, pairs.len());
            return Err(FileError::damaged(format!("the header names {said} positions instead of {real}")));
        }
        let offset = records_offset(sides.len());
        files::check_size(&file, offset + (pairs.len() * RECORD) as u64)?;
        let mut sums = vec![0; sides.len() * 8];
        file.read_exact(&mut sums)?;
        if xxh3_64(&sums) != header.sum {
            return Err(FileError::damaged("the table of checksums is damaged"));
        }
        let sums = sums.as_chunks().0.iter().map(|&sum| u64::from_le_bytes(sum)).collect();
        let store = Store::File(Records { file, offset, sums });
        Ok(Hypergammon { sides, pairs, store, error_bound: header.error_bound, sweeps: header.sweeps })
    }

    /// Checks all values of a file by their checksums. A solution in memory is always good.
    pub fn verify(&self) -> Result<(), FileError> {
        let Store::File(records) = &self.store else { return Ok(()) };
        for (player, &sum) in records.sums.iter().enumerate() {
            if xxh3_64(&records.rows(self.pairs.row(player))?) != sum {
                return Err(FileError::damaged(format!("row {player} of the file is damaged")));
            }
        }
        Ok(())
    }
}
