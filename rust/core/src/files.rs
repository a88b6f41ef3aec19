//! Files of tables: written whole or not at all, and refused with the reason if they are not what they should be.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Why a file was not read or written.
#[derive(Debug)]
pub enum FileError {
    /// The system said no.
    Io(io::Error),
    /// The file is not of the kind that was asked for.
    Foreign(String),
    /// The file is of that kind, but damaged, cut off, or of a later version.
    Damaged(String),
    /// The format cannot hold the table.
    CannotHold(String),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Io(error) => error.fmt(f),
            FileError::Foreign(reason) | FileError::Damaged(reason) | FileError::CannotHold(reason) => {
                f.write_str(reason)
            }
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> FileError {
        FileError::Io(error)
    }
}

impl FileError {
    pub(crate) fn damaged(reason: impl Into<String>) -> FileError {
        FileError::Damaged(reason.into())
    }
}

/// The name a file has while it is written: PATH.partial.
pub fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

/// Writes a file as PATH.partial, and renames it when it is complete and on the disk.
///
/// What a link leads to is written, not the link; what is there and no plain file is refused, for the file would take
/// its place.
pub(crate) fn write_whole<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), E>,
) -> Result<(), E> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if target.exists() && !target.is_file() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is there and no plain file").into());
    }
    let partial = partial(&target);
    let written = (|| {
        let mut writer = BufWriter::with_capacity(1 << 20, File::create(&partial)?);
        write(&mut writer)?;
        writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&partial, &target)?;
        Ok(())
    })();
    if written.is_err() {
        // Half a file is of no use; that it cannot be removed would hide the reason.
        let _ = fs::remove_file(&partial);
    }
    written
}

/// Bytes of a header: six for its kind, and what it says of the file, with a checksum over it.
pub(crate) const HEADER: usize = 64;

/// A header: 8 bytes of magic, 48 of content, and the xxh3 of these 56.
pub(crate) fn header(magic: &[u8; 8], content: &[u8; 48]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(magic);
    header[8..56].copy_from_slice(content);
    let sum = xxh3_64(&header[..56]);
    header[56..].copy_from_slice(&sum.to_le_bytes());
    header
}

/// Reads a header and gives its content.
pub(crate) fn read_header(file: &mut impl Read, magic: &[u8; 8], kind: &str) -> Result<[u8; 48], FileError> {
    let mut header = [0; HEADER];
    let mut found = 0;
    while found < HEADER {
        match file.read(&mut header[found..])? {
            0 => break,
            more => found += more,
        }
    }
    if found < magic.len() || header[..8] != *magic {
        return Err(FileError::Foreign(format!("not a {kind}")));
    }
    if found < HEADER {
        return Err(FileError::damaged(format!("cut off: a {kind} starts with {HEADER} bytes, this has {found}")));
    }
    if xxh3_64(&header[..56]).to_le_bytes() != header[56..] {
        return Err(FileError::damaged(format!("the header of the {kind} is damaged")));
    }
    Ok(header[8..56].try_into().expect("48 bytes"))
}

/// Refuses a file of another size than its header says.
pub(crate) fn check_size(file: &File, expected: u64) -> Result<(), FileError> {
    let size = file.metadata()?.len();
    if size != expected {
        return Err(FileError::damaged(format!("the file has {size} bytes, its header says {expected}")));
    }
    Ok(())
}

/// Passes on what is written and keeps a checksum of it.
pub(crate) struct Summed<W> {
    inner: W,
    sum: Xxh3,
}

impl<W> Summed<W> {
    pub fn new(inner: W) -> Summed<W> {
        Summed { inner, sum: Xxh3::new() }
    }

    /// The xxh3 of all bytes so far.
    pub fn sum(&self) -> u64 {
        self.sum.digest()
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum.update(&bytes[..read]);
        Ok(read)
    }
}

/// Writes the header in front of what was written after it.
pub(crate) fn write_header(writer: &mut BufWriter<File>, header: &[u8; HEADER]) -> io::Result<()> {
    writer.seek(SeekFrom::Start(0))?;
    writer.write_all(header)?;
    writer.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_checked() {
        let good = header(b"gammon__", &[7; 48]);
        let read = |bytes: &[u8]| read_header(&mut &bytes[..], b"gammon__", "test file");
        assert_eq!(read(&good).unwrap(), [7; 48]);
        for byte in 0..HEADER {
            let mut bad = good;
            bad[byte] ^= 1;
            assert!(read(&bad).is_err(), "{byte}");
        }
        assert!(matches!(read(&good[..40]), Err(FileError::Damaged(_))));
        assert!(matches!(read(b""), Err(FileError::Foreign(_))));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_device_a_device() {
        let folder = std::env::temp_dir().join(format!("gammon-links-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (file, link) = (folder.join("file"), folder.join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let write = |path: &Path| write_whole(path, |writer| writer.write_all(b"new"));
        write(&link).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        for other in [&folder, Path::new("/dev/null")] {
            assert_eq!(write(other).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn nothing_is_left_of_a_failed_file() {
        let path = std::env::temp_dir().join(format!("gammon-files-{}", std::process::id()));
        let failed = write_whole(&path, |writer| {
            writer.write_all(b"half")?;
            Err(FileError::damaged("stop"))
        });
        assert!(failed.is_err());
        assert!(!path.exists() && !partial(&path).exists());
    }
}
