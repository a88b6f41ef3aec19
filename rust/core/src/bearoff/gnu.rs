//! Bear-off databases in the formats of GNU Backgammon: reading, writing, and its own 16-bit arithmetic.
//!
//! The layouts are in `docs/formats/gnubg-bearoff.md`. The arithmetic of `one_sided_like_gnu` and
//! [`TwoSided::like_gnu`] was found by comparing files of `makebearoff` with sums over their own records: it gives every
//! byte of them.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use super::index::{self, Counts, Index};
use super::one_sided::{Distribution, Distributions, OneSided};
use super::two_sided::{self, Scoring};
use crate::dice::Roll;
use crate::files::{self, FileError};
use crate::ladder::Owner;
use crate::money::{LookupError, MoneyTable};
use crate::parallel::{self, Control};
use crate::position::{CHECKERS, Position};

const HEADER: usize = 40;
/// Numbers of rolls that a one-sided record has room for: 0 to 31.
const ROLLS: usize = 32;
/// Certainty, and the equity 1.
const ONE: u16 = u16::MAX;
/// The most bytes that a two-sided file may have to be read or made in memory.
const MOST_BYTES: u64 = 4 << 30;

/// A distribution of rolls in units of 1/65535.
type Units = [u16; ROLLS];

/// What a file of GNU Backgammon holds.
#[derive(Debug)]
pub enum Database {
    /// How many rolls a side needs.
    OneSided(OneSided),
    /// Equities of both sides.
    TwoSided(TwoSided),
}

/// A two-sided database in units: equity = unit / 32767.5 - 1, for the player on roll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwoSided {
    index: Index,
    is_cubeful: bool,
    /// By player * length + opponent: cubeless; owned, centred (both without a double this turn), opponent's cube.
    units: Vec<u16>,
}

/// How a one-sided file is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneSidedForm {
    /// Whether zeros at the ends of distributions are left out.
    pub is_compressed: bool,
    /// Whether the rolls to the first checker off are there.
    pub has_gammons: bool,
}

/// A kind of file by its header.
enum Kind {
    OneSided(OneSidedForm),
    TwoSided { is_cubeful: bool },
}

fn header(kind: &str, index: Index, flags: &str) -> Vec<u8> {
    let mut header = format!("gnubg-{kind}-{:02}-{:02}-{flags}", index.points(), index.checkers()).into_bytes();
    header.resize(HEADER - 1, b'x');
    header.push(b'\n');
    header
}

fn parse_header(header: &[u8]) -> Result<(Kind, Index), FileError> {
    let foreign = || FileError::Foreign("not a bear-off database of GNU Backgammon".to_owned());
    let damaged = |reason: &str| FileError::damaged(format!("damaged header of GNU Backgammon's database: {reason}"));
    if !header.starts_with(b"gnubg-OS") && !header.starts_with(b"gnubg-TS") {
        return Err(foreign());
    }
    if header.len() < HEADER {
        return Err(damaged("cut off"));
    }
    let number = |at: usize| std::str::from_utf8(&header[at..at + 2]).ok()?.parse::<usize>().ok();
    let flag = |at: usize| match header[at] {
        b'0' => Ok(false),
        b'1' => Ok(true),
        _ => Err(damaged("a flag is neither 0 nor 1")),
    };
    let index = number(9).zip(number(12)).and_then(|(points, checkers)| Index::new(points, checkers));
    let index = index.ok_or_else(|| damaged("no such number of points and checkers"))?;
    if header[6] == b'T' {
        return Ok((Kind::TwoSided { is_cubeful: flag(15)? }, index));
    }
    if flag(19)? {
        let reason =
            "a database of normal distributions (makebearoff -n) holds no numbers of rolls; make one without -n";
        return Err(FileError::CannotHold(reason.to_owned()));
    }
    Ok((Kind::OneSided(OneSidedForm { is_compressed: flag(17)?, has_gammons: flag(15)? }), index))
}

/// Reads a one-sided or two-sided database.
///
/// # Errors
/// [`FileError`] for anything that is not a whole database with a header; one of normal distributions is refused.
pub fn read(path: &Path) -> Result<Database, FileError> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut header = Vec::new();
    reader.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
    let (kind, index) = parse_header(&header)?;
    match kind {
        Kind::OneSided(form) => Ok(Database::OneSided(read_one_sided(&mut reader, size, index, form)?)),
        Kind::TwoSided { is_cubeful } => Ok(Database::TwoSided(TwoSided::read(&mut reader, size, index, is_cubeful)?)),
    }
}

fn check_size(size: u64, expected: u64) -> Result<(), FileError> {
    if size != expected {
        return Err(FileError::damaged(format!("the file has {size} bytes, its header asks for {expected}")));
    }
    Ok(())
}

fn u16s(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks().0.iter().map(|&unit| u16::from_le_bytes(unit))
}

// ---------------------------------------------------------------------------------------------------------- one-sided

impl OneSidedForm {
    /// Bytes of a position in the table of places that a compressed file starts with.
    fn place_bytes(self) -> usize {
        if self.has_gammons { 8 } else { 6 }
    }

    fn vectors(self) -> usize {
        1 + usize::from(self.has_gammons)
    }
}

fn read_one_sided(reader: &mut impl Read, size: u64, index: Index, form: OneSidedForm) -> Result<OneSided, FileError> {
    if index.len() > super::one_sided::MOST_POSITIONS {
        return Err(FileError::damaged(format!("a database of {} positions is too large", index.len())));
    }
    let (places, vectors) = (form.place_bytes(), form.vectors() * ROLLS * 2);
    let bytes = |each: usize| (each * index.len() + HEADER) as u64;
    if form.is_compressed {
        // Places, and a vector of each kind that is as long as can be.
        let (least, most) = (bytes(places), bytes(places + vectors));
        if !(least..=most).contains(&size) {
            let message = format!("the file has {size} bytes, its header asks for {least} to {most}");
            return Err(FileError::damaged(message));
        }
    } else {
        check_size(size, bytes(vectors))?;
    }
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let fewer = index.len_up_to(index.checkers() - 1);
    let mut finish = Distributions::with_len(index.len());
    let mut first_off = Distributions::with_len(if form.has_gammons { index.len() - fewer } else { 0 });
    for rank in 0..index.len() {
        let record =
            if form.is_compressed { compressed(&bytes, index, form, rank) } else { Some(plain(&bytes, form, rank)) };
        let damaged = || FileError::damaged(format!("position {rank} of the database is damaged"));
        let record = record.filter(|record| record[..form.vectors()].iter().all(is_whole)).ok_or_else(damaged)?;
        set(&mut finish, rank, &record[0]);
        if form.has_gammons && rank >= fewer {
            set(&mut first_off, rank - fewer, &record[1]);
        }
    }
    Ok(OneSided::from_parts(index, finish, form.has_gammons.then_some(first_off)))
}

/// Every distribution adds up to 65535 exactly.
fn is_whole(units: &Units) -> bool {
    units.iter().map(|&unit| u32::from(unit)).sum::<u32>() == u32::from(ONE)
}

fn plain(bytes: &[u8], form: OneSidedForm, rank: usize) -> [Units; 2] {
    let len = form.vectors() * ROLLS * 2;
    let mut record = [[0; ROLLS]; 2];
    let units = u16s(&bytes[rank * len..(rank + 1) * len]);
    record.as_flattened_mut().iter_mut().zip(units).for_each(|(unit, value)| *unit = value);
    record
}

fn compressed(bytes: &[u8], index: Index, form: OneSidedForm, rank: usize) -> Option<[Units; 2]> {
    let place = &bytes[rank * form.place_bytes()..(rank + 1) * form.place_bytes()];
    let offset = u32::from_le_bytes(place[..4].try_into().expect("4 bytes")) as usize;
    let mut start = index.len() * form.place_bytes() + offset * 2;
    let mut record = [[0; ROLLS]; 2];
    for (vector, span) in record.iter_mut().zip(place[4..].chunks_exact(2)) {
        let (len, first) = (usize::from(span[0]), usize::from(span[1]));
        let values = u16s(bytes.get(start..start + len * 2)?);
        vector.get_mut(first..first + len)?.iter_mut().zip(values).for_each(|(unit, value)| *unit = value);
        start += len * 2;
    }
    Some(record)
}

fn set(distributions: &mut Distributions, number: usize, units: &Units) {
    let (first, units) = without_zeros(units);
    let values: Vec<f64> = units.iter().map(|&unit| f64::from(unit) / f64::from(ONE)).collect();
    distributions.set_from(number, first, &values);
}

/// The values between the zeros at both ends, and how many zeros are before them.
fn without_zeros(units: &Units) -> (usize, &[u16]) {
    let first = units.iter().position(|&unit| unit > 0).unwrap_or(0);
    let end = units.iter().rposition(|&unit| unit > 0).map_or(first, |last| last + 1);
    (first, &units[first..end])
}

/// The distributions of all positions in units: to the end, and to the first checker off.
struct OneSidedUnits {
    finish: Vec<Units>,
    first_off: Vec<Units>,
}

impl OneSidedUnits {
    fn rounded(table: &OneSided, has_gammons: bool) -> Result<OneSidedUnits, FileError> {
        let finish = (0..table.index().len()).map(|rank| round(rank, table.distribution(rank)));
        let first_off = |rank| {
            let lacking = "the table does not know how long the first checker takes: save it without gammons";
            round(rank, table.first_off(rank).ok_or_else(|| FileError::CannotHold(lacking.to_owned()))?)
        };
        Ok(OneSidedUnits {
            finish: finish.collect::<Result<_, _>>()?,
            first_off: (0..if has_gammons { table.index().len() } else { 0 })
                .map(first_off)
                .collect::<Result<_, _>>()?,
        })
    }

    fn write(&self, path: &Path, index: Index, form: OneSidedForm) -> Result<(), FileError> {
        let flag = |flag: bool| u8::from(flag);
        let flags = format!("{}-{}-0", flag(form.has_gammons), flag(form.is_compressed));
        let vectors = |rank: usize| [Some(&self.finish[rank]), self.first_off.get(rank)].into_iter().flatten();
        files::write_whole(path, |writer| {
            writer.write_all(&header("OS", index, &flags))?;
            let mut offset = 0u32;
            for vector in (0..index.len()).filter(|_| form.is_compressed).map(vectors) {
                let spans: Vec<_> = vector.map(without_zeros).collect();
                writer.write_all(&offset.to_le_bytes())?;
                for (first, values) in spans {
                    writer.write_all(&[values.len() as u8, first as u8])?;
                    offset += values.len() as u32;
                }
            }
            for vector in (0..index.len()).flat_map(vectors) {
                let values = if form.is_compressed { without_zeros(vector).1 } else { &vector[..] };
                for unit in values {
                    writer.write_all(&unit.to_le_bytes())?;
                }
            }
            Ok(())
        })
    }
}

/// Rounds a distribution to units that add up to 65535, by way of the largest.
fn round(rank: usize, distribution: Distribution<'_>) -> Result<Units, FileError> {
    let mut units = [0; ROLLS];
    for (rolls, p) in distribution.iter() {
        let unit = p * f64::from(ONE);
        match units.get_mut(rolls) {
            Some(value) => *value = unit.round() as u16,
            None if unit < 0.5 => {}
            None => {
                let reason = format!("position {rank} may need {rolls} rolls; the format holds at most {}", ROLLS - 1);
                return Err(FileError::CannotHold(reason));
            }
        }
    }
    Ok(made_whole(units.map(u32::from)))
}

/// Puts what is missing from 65535 into the largest unit, the first of equal ones.
fn made_whole(mut units: [u32; ROLLS]) -> Units {
    let largest = (0..ROLLS).rev().max_by_key(|&rolls| units[rolls]).expect("32 of them");
    units[largest] = (units[largest] + u32::from(ONE)).saturating_sub(units.iter().sum());
    units.map(|unit| unit as u16)
}

/// Writes a one-sided table, its values rounded.
///
/// # Errors
/// [`FileError::CannotHold`] if the format cannot hold it: its databases have 15 checkers and at most 31 rolls.
pub fn write_one_sided(path: &Path, table: &OneSided, form: OneSidedForm) -> Result<(), FileError> {
    check_checkers(table.index())?;
    OneSidedUnits::rounded(table, form.has_gammons)?.write(path, table.index(), form)
}

fn check_checkers(index: Index) -> Result<(), FileError> {
    if index.checkers() != usize::from(CHECKERS) {
        let reason = format!("GNU Backgammon's one-sided databases have 15 checkers, not {}", index.checkers());
        return Err(FileError::CannotHold(reason));
    }
    Ok(())
}

/// Writes a one-sided table computed in GNU Backgammon's 16 bits: the same file as `makebearoff -o`.
///
/// Each distribution is the rounded mean of those of the plays with the least mean *in 16 bits*, made whole by its
/// largest value. Of plays with equal means it takes the first when the larger die is played before the smaller, and
/// each from the rearmost point on. Progress is counted in positions.
///
/// # Errors
/// As [`write_one_sided`]; `Ok(false)` and no file if the work was cancelled.
pub fn write_one_sided_like_gnu(
    path: &Path,
    index: Index,
    form: OneSidedForm,
    threads: usize,
    control: &Control,
) -> Result<bool, FileError> {
    check_checkers(index)?;
    if index.len() > super::one_sided::MOST_POSITIONS {
        return Err(FileError::CannotHold(format!("a database of {} positions is too large", index.len())));
    }
    let Some(units) = one_sided_like_gnu(index, form.has_gammons, threads, control) else { return Ok(false) };
    units.write(path, index, form)?;
    Ok(true)
}

fn one_sided_like_gnu(index: Index, has_gammons: bool, threads: usize, control: &Control) -> Option<OneSidedUnits> {
    const CHUNK: usize = 256;
    let mut done = [0; ROLLS];
    done[0] = ONE;
    let fewer = index.len_up_to(index.checkers() - 1);
    let mut units = OneSidedUnits { finish: vec![done; index.len()], first_off: Vec::new() };
    units.first_off.resize(if has_gammons { index.len() } else { 0 }, done);
    for layer in super::one_sided::pip_layers(index, threads, control) {
        let parts = parallel::map_chunks(layer.len().div_ceil(CHUNK) as u64, threads, control, |chunk| {
            let start = chunk as usize * CHUNK;
            let ranks = &layer[start..layer.len().min(start + CHUNK)];
            control.advance(ranks.len() as u64);
            let mut plays = Vec::new();
            let mut after =
                |rank: u32, units: &[Units]| one_later(index, &index.unrank(rank as usize), units, &mut plays);
            ranks
                .iter()
                .map(|&rank| {
                    let first_off = has_gammons && rank as usize >= fewer;
                    (rank, after(rank, &units.finish), first_off.then(|| after(rank, &units.first_off)))
                })
                .collect::<Vec<_>>()
        });
        if control.is_cancelled() {
            return None;
        }
        for (rank, finish, first_off) in parts.into_iter().flat_map(|(_, part)| part) {
            units.finish[rank as usize] = finish;
            if let Some(first_off) = first_off {
                units.first_off[rank as usize] = first_off;
            }
        }
    }
    (!control.is_cancelled()).then_some(units)
}

fn one_later(index: Index, counts: &Counts, units: &[Units], plays: &mut Vec<u32>) -> Units {
    let mean = |units: &Units| units.iter().zip(0u32..).map(|(&unit, rolls)| u32::from(unit) * rolls).sum::<u32>();
    let mut sum = [0u32; ROLLS];
    for roll in Roll::ALL {
        index.plays_in_order(counts, roll, plays);
        // Of equal means the first that is found.
        let best = plays.iter().map(|&play| &units[play as usize]).min_by_key(|&units| mean(units)).expect("a play");
        for rolls in 1..ROLLS {
            sum[rolls] += u32::from(roll.weight()) * u32::from(best[rolls - 1]);
        }
    }
    made_whole(sum.map(|sum| (sum + 18) / 36))
}

// ---------------------------------------------------------------------------------------------------------- two-sided

/// Cubeless, owned, centred, opponent's cube.
const SLOTS: usize = 4;

impl TwoSided {
    fn slots(is_cubeful: bool) -> usize {
        if is_cubeful { SLOTS } else { 1 }
    }

    fn bytes(index: Index, is_cubeful: bool) -> u64 {
        (index.len() as u64).pow(2) * TwoSided::slots(is_cubeful) as u64 * 2
    }

    fn check(index: Index, is_cubeful: bool) -> Result<(), FileError> {
        let bytes = TwoSided::bytes(index, is_cubeful);
        if bytes > MOST_BYTES {
            let (points, checkers) = (index.points(), index.checkers());
            let reason =
                format!("GNU Backgammon's form of {points} points and {checkers} checkers takes {bytes} bytes");
            return Err(FileError::CannotHold(reason));
        }
        Ok(())
    }

    fn read(reader: &mut impl Read, size: u64, index: Index, is_cubeful: bool) -> Result<TwoSided, FileError> {
        TwoSided::check(index, is_cubeful)?;
        check_size(size, TwoSided::bytes(index, is_cubeful) + HEADER as u64)?;
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        let units: Vec<u16> = u16s(&bytes).collect();
        // The first row and column are finished games.
        let slots = TwoSided::slots(is_cubeful);
        let row = index.len() * slots;
        let won = units[..row].iter().all(|&unit| unit == ONE);
        let lost = units.chunks_exact(row).skip(1).all(|row| row[..slots].iter().all(|&unit| unit == 0));
        if !won || !lost {
            return Err(FileError::damaged("finished games of the database have wrong values"));
        }
        Ok(TwoSided { index, is_cubeful, units })
    }

    /// A database of equities in the order cubeless, owned, centred (both without a double this turn), opponent's cube.
    ///
    /// `value` gets the numbers of the player and the opponent; values beyond 1 are no bear-off of this kind.
    ///
    /// # Errors
    /// [`FileError::CannotHold`] above 4 GiB or for an equity beyond 1: the format has no gammons.
    pub fn rounded(
        index: Index,
        is_cubeful: bool,
        mut value: impl FnMut(usize, usize) -> [f64; SLOTS],
    ) -> Result<TwoSided, FileError> {
        TwoSided::check(index, is_cubeful)?;
        let slots = TwoSided::slots(is_cubeful);
        let mut units = Vec::with_capacity(index.len().pow(2) * slots);
        for player in 0..index.len() {
            for opponent in 0..index.len() {
                for &equity in &value(player, opponent)[..slots] {
                    // 16 bits of our own may be a little beyond 1.
                    if equity.is_nan() || equity.abs() > 1.001 {
                        let reason = format!("an equity of {equity}: the format has no gammons");
                        return Err(FileError::CannotHold(reason));
                    }
                    units.push(((equity + 1.0) * 32767.5).round() as u16);
                }
            }
        }
        Ok(TwoSided { index, is_cubeful, units })
    }

    /// The database in GNU Backgammon's 16 bits: the same values as `makebearoff -t`. None if the work was cancelled.
    ///
    /// Values are signed, s = unit - 32768, and the other side's value is -1 - s. Sums over the 36 throws are divided by
    /// 36 towards zero. With 2 s the value after a double and a take, the player doubles if s >= the undoubled value
    /// halved towards zero, and the opponent drops if s >= 16383. Progress is counted in pairs.
    ///
    /// # Errors
    /// [`FileError::CannotHold`] above 4 GiB.
    pub fn like_gnu(
        index: Index,
        is_cubeful: bool,
        threads: usize,
        control: &Control,
    ) -> Result<Option<TwoSided>, FileError> {
        TwoSided::check(index, is_cubeful)?;
        let plays = AllPlays::new(index);
        let len = index.len();
        let slots = TwoSided::slots(is_cubeful);
        let mut table = TwoSided { index, is_cubeful, units: vec![0; len * len * slots] };
        table.units[..len * slots].fill(ONE);
        // A play lowers the number, so all pairs of one sum are independent.
        for sum in 2..2 * len - 1 {
            /// Pairs a thread takes at a time.
            const CHUNK: usize = 64;
            let players: Vec<usize> = (1..len).filter(|player| (1..len).contains(&sum.wrapping_sub(*player))).collect();
            let parts = parallel::map_chunks(players.len().div_ceil(CHUNK) as u64, threads, control, |chunk| {
                let players = &players[chunk as usize * CHUNK..players.len().min((chunk as usize + 1) * CHUNK)];
                control.advance(players.len() as u64);
                players.iter().map(|&player| table.one_earlier(&plays, player, sum - player)).collect::<Vec<_>>()
            });
            if control.is_cancelled() {
                return Ok(None);
            }
            for (&player, units) in players.iter().zip(parts.into_iter().flat_map(|(_, part)| part)) {
                let place = table.place(player, sum - player);
                table.units[place..place + slots].copy_from_slice(&units[..slots]);
            }
        }
        Ok(Some(table))
    }

    fn place(&self, player: usize, opponent: usize) -> usize {
        (player * self.index.len() + opponent) * TwoSided::slots(self.is_cubeful)
    }

    fn one_earlier(&self, plays: &AllPlays, player: usize, opponent: usize) -> [u16; SLOTS] {
        let row = self.place(opponent, 0);
        let slots = TwoSided::slots(self.is_cubeful);
        let mut sums = [0i32; SLOTS];
        for roll in Roll::ALL {
            let mut best = [i32::MIN; SLOTS];
            for &play in plays.of(player, roll) {
                let place = row + play as usize * slots;
                let next = opponents_best(&self.units[place..place + slots]);
                best.iter_mut().zip(next).for_each(|(best, next)| *best = (*best).max(-1 - next));
            }
            sums.iter_mut().zip(best).for_each(|(sum, best)| *sum += i32::from(roll.weight()) * best);
        }
        sums.map(|sum| (sum / 36 + 32768) as u16)
    }

    /// The positions it holds.
    pub fn index(&self) -> Index {
        self.index
    }

    /// Whether it has the three values with a cube.
    pub fn is_cubeful(&self) -> bool {
        self.is_cubeful
    }

    /// The equities of a pair: cubeless; owned and centred, both without a double this turn; the opponent's cube.
    ///
    /// Only the first one if there is no cube.
    pub fn equities(&self, player: usize, opponent: usize) -> Vec<f64> {
        let place = self.place(player, opponent);
        let units = &self.units[place..place + TwoSided::slots(self.is_cubeful)];
        units.iter().map(|&unit| f64::from(unit) / 32767.5 - 1.0).collect()
    }

    /// Writes the database to a file.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        files::write_whole(path, |writer| {
            let flags = if self.is_cubeful { "1" } else { "0" };
            writer.write_all(&header("TS", self.index, flags))?;
            for unit in &self.units {
                writer.write_all(&unit.to_le_bytes())?;
            }
            Ok(())
        })
    }
}

/// Writes a two-sided table: its own values rounded, or solved again in GNU Backgammon's 16 bits (see
/// [`TwoSided::like_gnu`]); `Ok(false)` and no file if the work was cancelled.
///
/// # Errors
/// [`FileError::CannotHold`] for a table at a match score, for sides of different sizes, above 4 GiB, and for 15
/// checkers: the format has no gammons.
pub fn write_two_sided(
    path: &Path,
    table: &two_sided::TwoSided,
    like_gnu: bool,
    threads: usize,
    control: &Control,
) -> Result<bool, FileError> {
    let spec = table.spec();
    let cannot = |reason: &str| Err(FileError::CannotHold(format!("GNU Backgammon's two-sided form {reason}")));
    let [first, second] = spec.checkers();
    let [index, _] = spec.sides();
    let Scoring::Money(values) = *spec.scoring() else { return cannot("is for money, not for a match score") };
    if first != second {
        return cannot(&format!("has as many checkers on both sides, not {first} and {second}"));
    }
    if first >= usize::from(CHECKERS) {
        return cannot("has no gammons, which 15 checkers can lose");
    }
    let units = if like_gnu {
        let Some(units) = TwoSided::like_gnu(index, values.is_cubeful(), threads, control)? else { return Ok(false) };
        units
    } else {
        let mut failed = None;
        let units = TwoSided::rounded(index, values.is_cubeful(), |player, opponent| {
            // A finished game is not in the table.
            match (player, opponent) {
                (0, _) => return [1.0; SLOTS],
                (_, 0) => return [-1.0; SLOTS],
                _ => {}
            }
            let numbers = table.numbers(0, player, opponent).map_err(|error| failed = Some(error.to_string()));
            let equity = |slot: usize| numbers.as_ref().map_or(0.0, |numbers| numbers[slot].equity());
            std::array::from_fn(equity)
        })?;
        if let Some(reason) = failed {
            return Err(FileError::Damaged(reason));
        }
        control.advance(spec.pairs());
        units
    };
    units.write(path)?;
    Ok(true)
}

impl MoneyTable for TwoSided {
    fn rolling(&self, position: &Position, cube: Option<Owner>, _jacoby: bool) -> Result<f64, LookupError> {
        let outside = |reason: String| LookupError::NotInDatabase(reason);
        let Some(sides) = index::sides(position) else {
            return Err(outside("the sides are not past each other, or too far from home".to_owned()));
        };
        let offs = [position.off(), position.opponent_off()];
        for (counts, off) in sides.iter().zip(offs) {
            if off == 0 && index::checkers(counts) > 0 {
                return Err(outside("a side has borne off none: the database knows no gammons".to_owned()));
            }
        }
        let (points, checkers) = (self.index.points(), self.index.checkers());
        let rank = |counts: &Counts| {
            let reason = || outside(format!("the database holds up to {checkers} checkers on {points} points"));
            self.index.rank(counts).ok_or_else(reason)
        };
        let equities = self.equities(rank(&sides[0])?, rank(&sides[1])?);
        let slot = match cube {
            None => 0,
            Some(_) if !self.is_cubeful => return Err(LookupError::Cubeless),
            Some(Owner::Player) => 1,
            Some(Owner::Centred) => 2,
            Some(Owner::Opponent) => 3,
        };
        Ok(equities[slot])
    }
}

/// What the opponent makes of each slot of the player: in signed units, the opponent's view, with its best cube action.
///
/// In the order of the player's slots, whose cube the opponent sees from the other side.
fn opponents_best(units: &[u16]) -> [i32; SLOTS] {
    let signed = |slot: usize| i32::from(units[slot]) - 32768;
    if units.len() < SLOTS {
        return [signed(0); SLOTS];
    }
    let doubled = signed(3);
    let with_double = |slot: usize| match signed(slot) {
        undoubled if doubled < undoubled / 2 => undoubled,
        _ if doubled >= 16383 => 32767,
        _ => 2 * doubled,
    };
    [signed(0), doubled, with_double(2), with_double(1)]
}

/// The plays of every position, in one piece.
struct AllPlays {
    plays: Vec<u32>,
    starts: Vec<u32>,
}

impl AllPlays {
    fn new(index: Index) -> AllPlays {
        let mut all = AllPlays { plays: Vec::new(), starts: vec![0] };
        let mut plays = Vec::new();
        for rank in 0..index.len() {
            let counts = index.unrank(rank);
            for roll in Roll::ALL {
                index.plays_from(&counts, roll, &mut plays);
                all.plays.extend_from_slice(&plays);
                all.starts.push(all.plays.len() as u32);
            }
        }
        all
    }

    fn of(&self, rank: usize, roll: Roll) -> &[u32] {
        let list = rank * Roll::ALL.len() + roll.index();
        &self.plays[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        Index::new(6, 3).unwrap()
    }

    fn temporary(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("gammon-gnu-{name}-{}", std::process::id()))
    }

    #[test]
    fn headers() {
        assert_eq!(&header("TS", index(), "1")[..16], b"gnubg-TS-06-03-1");
        for (bytes, foreign) in [(&b"gnubg-XX"[..], true), (b"", true), (b"gnubg-OS-06", false)] {
            let error = parse_header(bytes).err().unwrap();
            assert_eq!(matches!(error, FileError::Foreign(_)), foreign, "{error}");
        }
        let normal = header("OS", index(), "1-0-1");
        assert!(parse_header(&normal).err().unwrap().to_string().contains("normal"));
    }

    #[test]
    fn a_two_sided_database_comes_back() {
        let path = temporary("two");
        for is_cubeful in [true, false] {
            let table = TwoSided::like_gnu(index(), is_cubeful, 2, &Control::default()).unwrap().unwrap();
            table.write(&path).unwrap();
            let Database::TwoSided(again) = read(&path).unwrap() else { panic!("two-sided") };
            assert_eq!(again, table);
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
            assert!(matches!(read(&path), Err(FileError::Damaged(_))));
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn one_thread_or_many() {
        let table = |threads| TwoSided::like_gnu(index(), true, threads, &Control::default()).unwrap();
        assert_eq!(table(1), table(3));
    }
}
