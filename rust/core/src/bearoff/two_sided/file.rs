//! The file of a table: `docs/formats/bearoff-two-sided.md` has its layout.
//!
//! A table is written to `PATH.partial`, block after block in the order of building. `PATH.partial.journal` holds the
//! checksums of the blocks that are safely there, from which an interrupted build goes on; at the end the table of
//! blocks and the header are written and the file is renamed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use memmap2::Mmap;
use xxhash_rust::xxh3::xxh3_64;

use super::build::{Lines, Window};
use super::layout::{LANES, Layout, Line, MOST_PIPS};
use super::table::{Access, MOST_NUMBERS, beside, pick};
use super::{Score, Scoring, Spec, TwoSidedError, Values};
use crate::parallel::Control;

/// The bytes before the first block: one page, so that no tile lies on two.
pub const HEADER_BYTES: usize = 4096;

const MAGIC: &[u8; 8] = b"gammonTS";
const VERSION: u32 = 1;
const KIND_MONEY: u8 = 0;
const KIND_SCORE: u8 = 1;
const LADDER: usize = 128;
const LINE_BYTES: u64 = (LANES * size_of::<i16>()) as u64;
const CHECKSUM_BYTES: usize = size_of::<u64>();
const HEADER_CHECKSUM: usize = HEADER_BYTES - CHECKSUM_BYTES;

/// The journal is written when so many bytes of blocks are on the disk, not after each: waiting for the disk costs time.
const SYNC_BYTES: u64 = 512 << 20;

/// Layers that may wait to be written while the next is solved.
const QUEUE: usize = 2;

/// The bytes of a whole file.
pub(super) fn file_bytes(layout: &Layout) -> u64 {
    table_offset(layout) + (layout.block_count() * CHECKSUM_BYTES) as u64
}

fn table_offset(layout: &Layout) -> u64 {
    HEADER_BYTES as u64 + layout.lines() * LINE_BYTES
}

/// Numbers at fixed places, little-endian.
struct Header([u8; HEADER_BYTES]);

impl Header {
    fn new(spec: &Spec, layout: &Layout, block_table: &[u8]) -> Header {
        let mut header = Header([0; HEADER_BYTES]);
        let [first, second] = spec.checkers();
        header.0[..8].copy_from_slice(MAGIC);
        header.put(8, &VERSION.to_le_bytes());
        header.put(12, &(HEADER_BYTES as u32).to_le_bytes());
        let (kind, jacoby) = match spec.scoring() {
            Scoring::Money(values) => (KIND_MONEY, u8::from(*values == Values::MoneyJacoby)),
            Scoring::Score(score) => {
                header.put(LADDER, &score.to_bytes());
                (KIND_SCORE, 0)
            }
        };
        let beavers = 0;
        header.put(
            16,
            &[
                kind,
                spec.points() as u8,
                first as u8,
                second as u8,
                spec.scoring().count() as u8,
                jacoby,
                beavers,
                LANES as u8,
            ],
        );
        for (place, number) in [
            (24, HEADER_BYTES as u64),
            (32, layout.lines() * LINE_BYTES),
            (40, layout.block_count() as u64),
            (48, table_offset(layout)),
            (56, file_bytes(layout)),
            (96, xxh3_64(block_table)),
        ] {
            header.put(place, &number.to_le_bytes());
        }
        header.put(64, concat!("gammon ", env!("CARGO_PKG_VERSION")).as_bytes());
        let checksum = xxh3_64(&header.0[..HEADER_CHECKSUM]);
        header.put(HEADER_CHECKSUM, &checksum.to_le_bytes());
        header
    }

    fn put(&mut self, place: usize, bytes: &[u8]) {
        self.0[place..place + bytes.len()].copy_from_slice(bytes);
    }

    fn u32(&self, place: usize) -> u32 {
        u32::from_le_bytes(self.0[place..place + 4].try_into().expect("4 bytes"))
    }

    fn u64(&self, place: usize) -> u64 {
        u64::from_le_bytes(self.0[place..place + 8].try_into().expect("8 bytes"))
    }

    /// What the file holds, or why it is not one of ours.
    fn spec(&self) -> Result<Spec, String> {
        if &self.0[..8] != MAGIC {
            return Err("not a two-sided table of gammon: it does not begin with \"gammonTS\"".to_owned());
        }
        if self.u32(8) != VERSION {
            return Err(format!("version {} of the format; this release reads version {VERSION}", self.u32(8)));
        }
        if self.u64(HEADER_CHECKSUM) != xxh3_64(&self.0[..HEADER_CHECKSUM]) {
            return Err("damaged: the checksum of the header is wrong".to_owned());
        }
        let [kind, points, first, second, values, jacoby, beavers, lanes] = self.0[16..24] else {
            unreachable!("8 bytes")
        };
        let (points, checkers) = (usize::from(points), [usize::from(first), usize::from(second)]);
        let spec = match (kind, Values::from_count(values.into())) {
            (KIND_MONEY, Some(values)) if (values == Values::MoneyJacoby) == (jacoby == 1) => {
                Spec::new(points, checkers, values).map_err(|error| error.to_string())?
            }
            (KIND_SCORE, _) => {
                let score = Score::from_bytes(&self.0[LADDER..HEADER_CHECKSUM])?;
                Spec::at_score(points, checkers, score.ladder()).map_err(|error| error.to_string())?
            }
            _ => return Err(format!("kind {kind} with {values} values and jacoby {jacoby}, which is unknown")),
        };
        let expected = (usize::from(values), beavers, usize::from(lanes), self.u32(12) as usize);
        if expected != (spec.scoring().count(), 0, LANES, HEADER_BYTES) {
            return Err(format!("{values} values, beavers {beavers}, tiles of {lanes}, which is unknown"));
        }
        Ok(spec)
    }
}

/// Names the file that the system complains of.
fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, TwoSidedError> {
    result.map_err(|error| TwoSidedError::Io { path: path.to_owned(), error })
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = &bytes[written..];
        offset += written as u64;
    }
    Ok(())
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        offset += read as u64;
    }
    Ok(())
}

/// Turns lines between the order of bytes of this machine and that of the file.
fn swap_if_big_endian(lines: &mut [Line<i16>]) {
    if cfg!(target_endian = "big") {
        lines.as_flattened_mut().iter_mut().for_each(|number| *number = number.to_le());
    }
}

/// A file that is open for look-ups.
#[derive(Debug)]
pub(super) struct Reader {
    path: PathBuf,
    data: Data,
    checksums: Vec<u64>,
}

#[derive(Debug)]
enum Data {
    Map(Mmap),
    File(File),
}

impl Reader {
    pub fn open(path: &Path, access: Access) -> Result<(Spec, Layout, Reader), TwoSidedError> {
        let bad = |reason: String| TwoSidedError::Format { path: path.to_owned(), reason };
        let mut file = at(path, File::open(path))?;
        let length = at(path, file.metadata())?.len();
        let mut header = Header([0; HEADER_BYTES]);
        if length < HEADER_BYTES as u64 {
            return Err(bad(format!("{length} bytes, too short for a two-sided table")));
        }
        at(path, file.read_exact(&mut header.0))?;
        let spec = header.spec().map_err(bad)?;
        // Before anything is allocated: a file can hold what it says only if it is as large.
        if spec.least_bytes() > length {
            return Err(bad(format!("truncated: {length} bytes do not hold {} pairs", spec.pairs())));
        }
        let layout = spec.layout();
        if length != file_bytes(&layout) || header.u64(56) != length || header.u64(48) != table_offset(&layout) {
            return Err(bad(format!("{length} bytes, a table of this size has {}", file_bytes(&layout))));
        }
        let mut block_table = vec![0; layout.block_count() * CHECKSUM_BYTES];
        at(path, read_at(&file, &mut block_table, table_offset(&layout)))?;
        if xxh3_64(&block_table) != header.u64(96) {
            return Err(bad("damaged: the checksum of the table of blocks is wrong".to_owned()));
        }
        let (numbers, _) = block_table.as_chunks::<CHECKSUM_BYTES>();
        let checksums = numbers.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect();
        let data = match access {
            Access::Read => Data::File(file),
            Access::Map => {
                // SAFETY: the map is only read, as bytes, for which every content is valid. That no other process
                // shortens the file while it is open is the caller's promise (see `Access::Map`).
                #[expect(unsafe_code, reason = "the one way to map a file")]
                let map = unsafe { Mmap::map(&file) };
                Data::Map(at(path, map)?)
            }
        };
        Ok((spec, layout, Reader { path: path.to_owned(), data, checksums }))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn offset(line: u64) -> u64 {
        HEADER_BYTES as u64 + line * LINE_BYTES
    }

    /// Reads one lane of consecutive lines.
    pub fn read_lane(&self, line: u64, lane: usize, codes: &mut [i16]) -> Result<(), TwoSidedError> {
        let start = Reader::offset(line);
        let bytes = codes.len() * LINE_BYTES as usize;
        match &self.data {
            Data::Map(map) => {
                let tile = &map[start as usize..start as usize + bytes];
                for (code, line) in codes.iter_mut().zip(tile.chunks_exact(LINE_BYTES as usize)) {
                    *code = i16::from_le_bytes([line[2 * lane], line[2 * lane + 1]]);
                }
            }
            Data::File(_) => {
                let mut lines = [[0; LANES]; MOST_NUMBERS];
                self.read_lines(line, &mut lines[..codes.len()])?;
                pick(&lines, lane, codes);
            }
        }
        Ok(())
    }

    /// Reads lines.
    pub fn read_lines(&self, line: u64, lines: &mut [Line<i16>]) -> Result<(), TwoSidedError> {
        let start = Reader::offset(line);
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(lines);
        match &self.data {
            Data::Map(map) => bytes.copy_from_slice(&map[start as usize..start as usize + bytes.len()]),
            Data::File(file) => at(&self.path, read_at(file, bytes, start))?,
        }
        swap_if_big_endian(lines);
        Ok(())
    }

    /// Checks the blocks of a layer; `stop` is asked between them.
    pub fn check_layer(&self, layout: &Layout, sum: usize, stop: impl Fn() -> bool) -> Result<(), TwoSidedError> {
        let plan = &layout.layers[sum];
        for &name in &plan.names {
            if stop() {
                return Err(TwoSidedError::Cancelled);
            }
            let block = layout.block(name);
            let first_line = plan.first_line + block.in_layer as u64;
            let checksum = checksum_of(&self.data, &self.path, first_line, block.lines())?;
            if checksum != self.checksums[block.number] {
                let reason = format!(
                    "damaged: the checksum of block {} ({} against {} pips) is wrong",
                    block.number, name.pips, name.waiting_pips
                );
                return Err(TwoSidedError::Format { path: self.path.clone(), reason });
            }
        }
        Ok(())
    }
}

fn checksum_of(data: &Data, path: &Path, first_line: u64, lines: usize) -> Result<u64, TwoSidedError> {
    let (start, length) = (Reader::offset(first_line), lines * LINE_BYTES as usize);
    match data {
        Data::Map(map) => Ok(xxh3_64(&map[start as usize..start as usize + length])),
        Data::File(file) => {
            let mut bytes = vec![0; length];
            at(path, read_at(file, &mut bytes, start))?;
            Ok(xxh3_64(&bytes))
        }
    }
}

/// Writes a table to `PATH.partial`.
pub(super) struct Writer {
    path: PathBuf,
    partial: PathBuf,
    journal: PathBuf,
    spec: Spec,
    data: Data,
    journal_file: File,
    /// Of the blocks that are written, in order.
    checksums: Vec<u64>,
    /// How many of them are in the journal.
    journaled: usize,
    layout_blocks: usize,
}

impl Writer {
    /// Opens the unfinished file, new or old. Nobody else can until this is dropped.
    pub fn start(path: &Path, spec: &Spec, layout: &Layout) -> Result<Writer, TwoSidedError> {
        let (partial, journal) = (beside(path, ".partial"), beside(path, ".partial.journal"));
        let open = |path: &Path| OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = at(&partial, open(&partial))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let reason = "another build is writing this file".to_owned();
                return Err(TwoSidedError::Unfinished { path: partial, reason });
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(_)) => {}
        }
        if !is_still(&partial, &file) {
            let reason = "another build has just finished this file".to_owned();
            return Err(TwoSidedError::Unfinished { path: partial, reason });
        }
        let journal_file = at(&journal, open(&journal))?;
        Ok(Writer {
            path: path.to_owned(),
            partial,
            journal,
            spec: spec.clone(),
            data: Data::File(file),
            journal_file,
            checksums: Vec::new(),
            journaled: 0,
            layout_blocks: layout.block_count(),
        })
    }

    fn file(&self) -> &File {
        match &self.data {
            Data::File(file) => file,
            Data::Map(_) => unreachable!("a file is not written through a map"),
        }
    }

    /// Begins at the first block, whatever there is.
    pub fn restart(&mut self, layout: &Layout) -> Result<(), TwoSidedError> {
        self.checksums.clear();
        self.journaled = 0;
        at(&self.partial, self.file().set_len(0))?;
        at(&self.journal, self.journal_file.set_len(0))?;
        at(&self.journal, write_at(&self.journal_file, &self.identity(layout), 0))
    }

    /// What a journal begins with: it belongs to this table, made by this release.
    fn identity(&self, layout: &Layout) -> [u8; JOURNAL_HEADER] {
        let mut identity = [0; JOURNAL_HEADER];
        identity[..8].copy_from_slice(JOURNAL_MAGIC);
        let header = Header::new(&self.spec, layout, &[]);
        identity[8..].copy_from_slice(&xxh3_64(&header.0).to_le_bytes());
        identity
    }

    /// The first layer that is still to be solved, and those before it that it needs.
    pub fn resume(&mut self, layout: &Layout) -> Result<(usize, Window<i16>), TwoSidedError> {
        let mut window = Window::new(layout);
        let mut bytes = Vec::new();
        at(&self.journal, self.journal_file.read_to_end(&mut bytes))?;
        if bytes.len() < JOURNAL_HEADER {
            self.restart(layout)?;
            return Ok((0, window));
        }
        if bytes[..JOURNAL_HEADER] != self.identity(layout) {
            let reason = "an unfinished build of another table, or by another release, is there: remove it and its \
                          journal first"
                .to_owned();
            return Err(TwoSidedError::Unfinished { path: self.partial.clone(), reason });
        }
        let checksums = journal_records(&bytes[JOURNAL_HEADER..]);
        let length = at(&self.partial, self.file().metadata())?.len();
        let mut first = 0;
        // Everything that is kept is read once: a build must not end in a file that fails its own check.
        while let Some(plan) = layout.layers.get(first) {
            let end = plan.first_block + plan.names.len();
            let there = end <= checksums.len() && Reader::offset(plan.first_line + plan.lines as u64) <= length;
            if !there || !self.is_intact(layout, first, &checksums)? {
                break;
            }
            first += 1;
        }
        let blocks = layout.layers.get(first).map_or(layout.block_count(), |plan| plan.first_block);
        self.checksums = checksums[..blocks].to_vec();
        self.journaled = blocks;
        at(&self.journal, self.journal_file.set_len((JOURNAL_HEADER + blocks * JOURNAL_RECORD) as u64))?;
        for sum in first.saturating_sub(MOST_PIPS)..first {
            let plan = &layout.layers[sum];
            let mut layer = Lines::zeroed(plan.lines)?;
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(layer.lines_mut());
            at(&self.partial, read_at(self.file(), bytes, Reader::offset(plan.first_line)))?;
            swap_if_big_endian(layer.lines_mut());
            window.put(sum, Arc::new(layer));
        }
        Ok((first, window))
    }

    fn is_intact(&self, layout: &Layout, sum: usize, checksums: &[u64]) -> Result<bool, TwoSidedError> {
        let plan = &layout.layers[sum];
        for &name in &plan.names {
            let block = layout.block(name);
            let first_line = plan.first_line + block.in_layer as u64;
            if checksum_of(&self.data, &self.partial, first_line, block.lines())? != checksums[block.number] {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes the layers that `produce` sends while it goes on with the next.
    pub fn run(
        &mut self,
        layout: &Layout,
        control: &Control,
        produce: impl FnOnce(&mut Send) -> Result<(), TwoSidedError>,
    ) -> Result<(), TwoSidedError> {
        let (sender, layers) = mpsc::sync_channel(QUEUE);
        thread::scope(|scope| {
            let writer = scope.spawn(|| self.write(layout, control, layers));
            let produced = produce(&mut |sum, layer| {
                // Nobody receives when writing has failed, which is what will be reported.
                sender.send((sum, layer)).map_err(|_| TwoSidedError::Cancelled)
            });
            drop(sender);
            writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            produced
        })
    }

    fn write(&mut self, layout: &Layout, control: &Control, layers: Receiver<Finished>) -> Result<(), TwoSidedError> {
        let mut unsynced = 0;
        for (sum, mut layer) in layers {
            if cfg!(target_endian = "big") {
                let mut swapped = Lines::zeroed(layer.lines().len())?;
                swapped.lines_mut().copy_from_slice(layer.lines());
                swap_if_big_endian(swapped.lines_mut());
                layer = Arc::new(swapped);
            }
            let plan = &layout.layers[sum];
            for &name in &plan.names {
                if control.is_cancelled() {
                    // The process lives on, so what the system was given is not lost.
                    self.journal_finished_layers(layout)?;
                    return Err(TwoSidedError::Cancelled);
                }
                let block = layout.block(name);
                let lines = &layer.lines()[block.in_layer..block.in_layer + block.lines()];
                let bytes: &[u8] = bytemuck::cast_slice(lines);
                let offset = Reader::offset(plan.first_line + block.in_layer as u64);
                at(&self.partial, write_at(self.file(), bytes, offset))?;
                self.checksums.push(xxh3_64(bytes));
                unsynced += bytes.len() as u64;
            }
            if unsynced >= SYNC_BYTES {
                at(&self.partial, self.file().sync_data())?;
                self.journal_finished_layers(layout)?;
                unsynced = 0;
            }
        }
        self.journal_finished_layers(layout)
    }

    /// Adds the blocks of whole layers to the journal.
    fn journal_finished_layers(&mut self, layout: &Layout) -> Result<(), TwoSidedError> {
        let written = self.checksums.len();
        let whole = layout.layers.iter().take_while(|plan| plan.first_block + plan.names.len() <= written);
        let blocks = whole.last().map_or(0, |plan| plan.first_block + plan.names.len());
        let mut bytes = Vec::with_capacity((blocks - self.journaled) * JOURNAL_RECORD);
        for number in self.journaled..blocks {
            bytes.extend(journal_record(number, self.checksums[number]));
        }
        let offset = JOURNAL_HEADER + self.journaled * JOURNAL_RECORD;
        at(&self.journal, write_at(&self.journal_file, &bytes, offset as u64))?;
        self.journaled = blocks;
        Ok(())
    }

    /// Completes the file and gives it its name.
    pub fn finish(self, layout: &Layout) -> Result<(), TwoSidedError> {
        assert_eq!(self.checksums.len(), self.layout_blocks, "every block is written");
        let block_table: Vec<u8> = self.checksums.iter().flat_map(|checksum| checksum.to_le_bytes()).collect();
        let header = Header::new(&self.spec, layout, &block_table);
        let file = self.file();
        at(&self.partial, write_at(file, &block_table, table_offset(layout)))?;
        at(&self.partial, write_at(file, &header.0, 0))?;
        at(&self.partial, file.set_len(file_bytes(layout)))?;
        at(&self.partial, file.sync_all())?;
        at(&self.path, fs::rename(&self.partial, &self.path))?;
        match fs::remove_file(&self.journal) {
            // The next build of the same file may have begun, and ended, already.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => at(&self.journal, removed),
        }
    }
}

type Finished = (usize, Arc<Lines<i16>>);
/// Takes finished layers in order.
pub(super) type Send<'a> = dyn FnMut(usize, Arc<Lines<i16>>) -> Result<(), TwoSidedError> + 'a;

const JOURNAL_MAGIC: &[u8; 8] = b"gammonTJ";
const JOURNAL_HEADER: usize = 16;
const JOURNAL_RECORD: usize = 16;

/// A checksum, and that of its place and itself: a torn record is no record.
fn journal_record(number: usize, checksum: u64) -> [u8; JOURNAL_RECORD] {
    let mut record = [0; JOURNAL_RECORD];
    record[..8].copy_from_slice(&(number as u64).to_le_bytes());
    record[8..].copy_from_slice(&checksum.to_le_bytes());
    let guard = xxh3_64(&record);
    record[..8].copy_from_slice(&guard.to_le_bytes());
    record
}

/// The checksums up to the first record that is not whole.
fn journal_records(bytes: &[u8]) -> Vec<u64> {
    let (records, _) = bytes.as_chunks::<JOURNAL_RECORD>();
    let checksum = |record: &[u8; JOURNAL_RECORD]| u64::from_le_bytes(record[8..].try_into().expect("8 bytes"));
    let whole =
        |&(number, record): &(usize, &[u8; JOURNAL_RECORD])| *record == journal_record(number, checksum(record));
    records.iter().enumerate().take_while(whole).map(|(_, record)| checksum(record)).collect()
}

/// Whether the path still names the open file: who waited for its lock may find that it was renamed meanwhile.
#[cfg(unix)]
pub(super) fn is_still(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((fs::metadata(path).map(identity), file.metadata().map(identity)), (Ok(named), Ok(open)) if named == open)
}

/// Elsewhere an open file keeps its name.
#[cfg(not(unix))]
pub(super) fn is_still(_: &Path, _: &File) -> bool {
    true
}

/// Refuses before anything is written if the disk has no room for the rest of the file.
pub(super) fn check_space(path: &Path, bytes: u64) -> Result<(), TwoSidedError> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let free = at(directory, fs4::available_space(directory))?;
    let there = fs::metadata(beside(path, ".partial")).map_or(0, |metadata| metadata.len());
    let needed = bytes.saturating_sub(there);
    if needed > free {
        return Err(TwoSidedError::NoSpace { path: path.to_owned(), needed, free });
    }
    Ok(())
}
