//! Writing that leaves the whole file or nothing.

use crate::{IoError, Unfinished};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Error, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes to a temporary name in the same folder and renames it; on any failure the temporary is removed.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut AtomicFile) -> std::io::Result<()>,
) -> Result<(), IoError> {
    let mut file = AtomicFile::create(path)?;
    content(&mut file).map_err(|source| IoError::Write { path: path.to_owned(), source })?;
    file.commit()
}

/// A file that has another name until it is whole; dropped before [`commit`](Self::commit), it leaves nothing, nor does a
/// program that is told to stop on the way.
pub(crate) struct AtomicFile {
    writer: BufWriter<File>,
    temporary: Unfinished,
    path: PathBuf,
}

impl AtomicFile {
    pub fn create(path: &Path) -> Result<Self, IoError> {
        let fail = |source| IoError::Write { path: path.to_owned(), source };
        // Renaming over a device or a folder would do something else than asked.
        if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            return Err(fail(Error::new(ErrorKind::InvalidInput, "it exists and is not a regular file")));
        }
        let temporary = Unfinished::new(temporary_name(path).map_err(fail)?);
        let file = OpenOptions::new().write(true).create_new(true).open(temporary.path()).map_err(fail)?;
        let writer = BufWriter::with_capacity(1 << 18, file);
        Ok(Self { writer, temporary, path: path.to_owned() })
    }

    /// Gives the file its name.
    pub fn commit(mut self) -> Result<(), IoError> {
        self.publish().map_err(|source| IoError::Write { path: self.path.clone(), source })
    }

    fn publish(&mut self) -> std::io::Result<()> {
        self.writer.flush()?;
        // Network file systems tell of a full disk only when the data must be there.
        self.writer.get_ref().sync_data()?;
        fs::rename(self.temporary.path(), &self.path)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

fn temporary_name(path: &Path) -> std::io::Result<PathBuf> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let name =
        path.file_name().ok_or_else(|| Error::new(ErrorKind::InvalidInput, "the path names no file"))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.{}.part", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)));
    Ok(path.with_file_name(temporary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_half_way_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let error = write(&path, |w| {
            w.write_all(&[0; 1 << 20])?;
            Err(ErrorKind::StorageFull.into())
        });
        assert!(matches!(error, Err(IoError::Write { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn folders_and_missing_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(write(folder.path(), |_| Ok(())).is_err());
        assert!(write(&folder.path().join("none/a.txt"), |_| Ok(())).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_not_renamed_over() {
        assert!(write(Path::new("/dev/full"), |w| w.write_all(b"x")).is_err());
        assert!(!fs::metadata("/dev/full").unwrap().is_file());
    }
}
