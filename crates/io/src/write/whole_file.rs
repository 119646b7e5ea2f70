//! Atomic writing: the whole file or nothing.

use crate::asking::Asking;
use crate::error::Result;
use crate::write::pending::Unfinished;
use crate::write::target::Target;
use std::io::{BufWriter, Error, Write};

/// Writes to a temporary name in the same folder and renames it; on any failure the temporary is removed.
pub(crate) fn write(
    target: &Target,
    content: impl FnOnce(&mut WholeFile) -> std::io::Result<()>,
) -> Result<()> {
    let mut file = WholeFile::create(target)?;
    content(&mut file).map_err(target.fail())?;
    file.commit()
}

/// Writes text (UTF-8), all or nothing.
///
/// # Errors
/// [`IoError::Write`](crate::IoError::Write), [`IoError::Stopped`](crate::IoError::Stopped).
pub fn write_text(target: impl Into<Target>, text: &str) -> Result<()> {
    write_bytes(target, text.as_bytes())
}

/// Writes bytes, all or nothing.
///
/// # Errors
/// [`IoError::Write`](crate::IoError::Write), [`IoError::Stopped`](crate::IoError::Stopped).
pub fn write_bytes(target: impl Into<Target>, bytes: &[u8]) -> Result<()> {
    write(&target.into(), |file| file.write_all(bytes))
}

/// Checks that a file can be written there by making one in its folder, or an object at its address, which is removed at once.
///
/// # Errors
/// [`IoError::Write`](crate::IoError::Write), also for a device or a folder of that name.
pub fn check_writable(target: impl Into<Target>) -> Result<()> {
    let target = target.into();
    #[cfg(feature = "remote")]
    if crate::address::is_store_address(target.place()) {
        return crate::zarr::store::check_address_writable(target.place(), target.files().control());
    }
    Unfinished::check(target.place()).map_err(target.fail())
}

/// A file that has another name until it is whole; dropped before [`commit`](Self::commit), it leaves nothing, nor does a
/// program that is told to stop on the way.
pub(crate) struct WholeFile {
    writer: BufWriter<Asking<Unfinished>>,
    target: Target,
}

impl WholeFile {
    pub fn create(target: &Target) -> Result<Self> {
        let files = target.files();
        let file = Unfinished::file(target.place(), files.pending()).map_err(target.fail())?;
        let writer = BufWriter::with_capacity(1 << 18, Asking::new(file, files.control()));
        Ok(Self { writer, target: target.clone() })
    }

    /// Gives the file its name.
    pub(crate) fn commit(self) -> Result<()> {
        let Self { writer, target } = self;
        let file = writer.into_inner().map_err(Error::from);
        target.check()?;
        file.and_then(|file| file.into_inner().publish(target.place(), target.files().control()))
            .map_err(target.fail())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::IoError;
    use std::fs;
    use std::io::ErrorKind;
    use std::path::Path;

    #[test]
    fn a_failure_half_way_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        fs::write(&path, "old").unwrap();
        let error = write(&(&path).into(), |w| {
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
        assert!(write(&folder.path().into(), |_| Ok(())).is_err());
        assert!(write(&folder.path().join("none/a.txt").into(), |_| Ok(())).is_err());
    }

    #[test]
    fn names_as_long_as_the_system_allows() {
        let folder = tempfile::tempdir().unwrap();
        let name = |length: usize| folder.path().join("ä".repeat(length / 2) + &"a".repeat(length % 2));
        for length in [199, 200, 245, 255] {
            write_text(name(length), "1").unwrap_or_else(|error| panic!("{length}: {error}"));
        }
        assert!(check_writable(name(256)).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_has_the_permissions_of_any_other() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [own, other] = ["own", "other"].map(|name| folder.path().join(name));
        write_text(&own, "1").unwrap();
        fs::write(&other, "1").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&own), mode(&other));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_not_renamed_over() {
        assert!(write(&"/dev/full".into(), |w| w.write_all(b"x")).is_err());
        assert!(!fs::metadata("/dev/full").unwrap().is_file());
    }
}
