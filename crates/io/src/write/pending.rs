//! Temporary files and folders of unfinished outputs, listed by session, so that a stopped program removes them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tempfile::{Builder, NamedTempFile, TempDir};
use veloxel_core::Control;

/// A file from which on a disk may take longer than between two questions whether to go on.
const LONG_SYNC_BYTES: u64 = 4 << 20;
/// Time between two such questions.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// Everything that is being written for one session, and where the file waits that had a name before. Clones are the same list.
///
/// A signal asks for it on a thread that knows nothing else of the session.
#[derive(Debug, Clone, Default)]
pub struct PendingFiles(Arc<Mutex<Listing>>);

/// Paths that are not final yet, each with the second name of the file that it replaces.
type Listing = BTreeMap<PathBuf, Option<PathBuf>>;

impl PendingFiles {
    /// Removes all incomplete files, and takes back the files of jobs that are not done. Call only before exit; later
    /// operations on files of this list block for ever.
    pub fn remove_all(&self) {
        let paths = self.paths();
        // Earlier files wait in folders that are removed themselves.
        for (path, earlier) in paths.iter().filter(|(_, earlier)| earlier.is_some()) {
            let _ = revoke(path, earlier.as_deref());
        }
        for (path, _) in paths.iter().filter(|(_, earlier)| earlier.is_none()) {
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        }
        std::mem::forget(paths);
    }

    fn paths(&self) -> MutexGuard<'_, Listing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listed(&self, path: &Path) -> Listed {
        Listed { path: path.to_owned(), list: self.clone() }
    }
}

/// A path in the list; dropped, it leaves the list.
#[derive(Debug)]
struct Listed {
    path: PathBuf,
    list: PendingFiles,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.list.paths().remove(&self.path);
    }
}

/// A file that has its name, or is about to get it, before the whole job is done: a program that is told to stop takes it back.
#[derive(Debug)]
pub struct Revocable {
    listed: Listed,
    earlier: Option<PathBuf>,
}

impl Revocable {
    /// Lists a file in `pending`; `earlier` is the second name of the file that it replaces.
    pub fn new(file: &Path, earlier: Option<PathBuf>, pending: &PendingFiles) -> Self {
        pending.paths().insert(file.to_owned(), earlier.clone());
        Self { listed: pending.listed(file), earlier }
    }

    /// Puts the earlier file back, or removes the new one.
    ///
    /// # Errors
    /// As [`std::fs::rename`] and [`std::fs::remove_file`]; none if there is no such file.
    pub fn take_back(self) -> Result<()> {
        let Self { listed, earlier } = self;
        revoke(&listed.path, earlier.as_deref())
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.listed.path
    }
}

/// Puts back what a file replaced; where there was none, or it has been put back, removes the file.
fn revoke(file: &Path, earlier: Option<&Path>) -> Result<()> {
    let done = match earlier {
        Some(earlier) => std::fs::rename(earlier, file),
        None => std::fs::remove_file(file),
    };
    done.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// A [`TempDir`] or [`NamedTempFile`] with a hidden name beside its target; dropped, it is removed.
#[derive(Debug)]
pub struct Unfinished<T> {
    // Dropped in this order: what is there is listed.
    item: T,
    listed: Listed,
}

impl Unfinished<TempDir> {
    /// A folder beside `target`, which need not exist, listed in `pending`.
    ///
    /// # Errors
    /// As [`std::fs::create_dir`]; [`ErrorKind::InvalidInput`] if `target` names nothing.
    pub fn folder(target: &Path, pending: &PendingFiles) -> Result<Self> {
        Self::new(target, pending, |builder, parent| builder.tempdir_in(parent))
    }
}

impl Unfinished<NamedTempFile> {
    pub(crate) fn file(target: &Path, pending: &PendingFiles) -> Result<Self> {
        // The temporary name is shorter.
        if let Err(error) = std::fs::symlink_metadata(target)
            && error.kind() == ErrorKind::InvalidFilename
        {
            return Err(error);
        }
        // Renaming over a device or a folder would do something else than asked.
        if std::fs::metadata(target).is_ok_and(|m| !m.is_file()) {
            return Err(Error::new(ErrorKind::InvalidInput, "it exists and is not a regular file"));
        }
        // With the permissions of any new file: temporary ones are closed to others.
        Self::new(target, pending, |builder, parent| builder.make_in(parent, |path| File::create_new(path)))
    }

    /// Gives the file its name, once the disk has it; what had the name before is replaced.
    pub(crate) fn publish(self, target: &Path, control: &Control) -> Result<()> {
        // Network file systems tell of a full disk only when the data must be there.
        on_disk(self.item.as_file(), control)?;
        let Self { item, listed } = self;
        item.persist(target)?;
        drop(listed);
        Ok(())
    }
}

/// Waits until the disk has the bytes of a file, and asks meanwhile whether to go on. After a stop the system may still be busy
/// with them.
fn on_disk(file: &File, control: &Control) -> Result<()> {
    if file.metadata()?.len() < LONG_SYNC_BYTES {
        return file.sync_data();
    }
    let (same, (tell, told)) = (file.try_clone()?, mpsc::channel());
    // Nobody listens any more after a stop.
    let waiting = thread::Builder::new().spawn(move || _ = tell.send(same.sync_data()));
    if waiting.is_err() {
        return file.sync_data();
    }
    loop {
        match told.recv_timeout(ASK_EVERY) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) => control.check().map_err(Error::other)?,
            Err(RecvTimeoutError::Disconnected) => return file.sync_data(),
        }
    }
}

impl<T: AsRef<Path>> Unfinished<T> {
    fn new(
        target: &Path,
        pending: &PendingFiles,
        make: impl Fn(&Builder, &Path) -> Result<T>,
    ) -> Result<Self> {
        let name = target.file_name().ok_or(Error::new(ErrorKind::InvalidInput, "the path names no file"))?;
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty());
        let prefix = format!(".{}.", beginning(&name.to_string_lossy()));
        // Held while the name is made, so that nothing is ever there without being listed.
        let mut paths = pending.paths();
        let item = make(Builder::new().prefix(&prefix).suffix(".part"), parent.unwrap_or(Path::new(".")))?;
        let path = item.as_ref().to_owned();
        paths.insert(path.clone(), None);
        Ok(Self { item, listed: pending.listed(&path) })
    }

    /// The temporary name.
    pub fn path(&self) -> &Path {
        &self.listed.path
    }
}

/// As much of a name as leaves room for what makes it a temporary one: file systems end names at 255 bytes.
fn beginning(name: &str) -> &str {
    const BYTES: usize = 200;
    let fits = |&bytes: &usize| name.is_char_boundary(bytes);
    &name[..(0..=BYTES.min(name.len())).rev().find(fits).unwrap_or(0)]
}

impl Write for Unfinished<NamedTempFile> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        // Not through the item, whose errors name the temporary file.
        self.item.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.item.as_file_mut().flush()
    }
}
