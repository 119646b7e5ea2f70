//! Temporary files and folders of unfinished outputs, listed by session, so that a stopped program removes them.

use crate::write::parts_folder::remove_empty;
use crate::write::plain_error::without_path;
use crate::write::publication::{Resolved, is_whole, remove_staging};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tempfile::{Builder, NamedTempFile};
use veloxel_core::Control;

/// A file from which on a disk may take longer than between two questions whether to go on.
const LONG_SYNC_BYTES: u64 = 4 << 20;
/// Time between two such questions.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// Everything that is being written for one session. Clones are the same list.
///
/// A signal asks for it on a thread that knows nothing else of the session.
#[derive(Debug, Clone, Default)]
pub struct PendingFiles(Arc<Mutex<Listing>>);

#[derive(Debug, Default)]
struct Listing {
    /// Temporary files and staging folders.
    paths: BTreeSet<PathBuf>,
    has_published: bool,
    resolved: Vec<Resolved>,
    /// Folders of parts, and what is in them.
    parts: BTreeMap<PathBuf, PartsFolder>,
}

/// What a folder of parts holds that this process has open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartsFolder {
    /// It holds no part: nothing is lost with it.
    Empty,
    /// It holds parts that a later run goes on with.
    Kept,
}

/// What a program that ends at once leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// No output.
    Nothing,
    /// Outputs that had been published already, all of them whole.
    Published,
}

impl PendingFiles {
    /// Removes all unfinished outputs, once those that are being published have their names. Call only before exit; later
    /// operations on files of this list block for ever.
    pub fn remove_all(&self) -> Ending {
        let listing = self.listing();
        for path in &listing.paths {
            // A staging folder may have another name by now: its own thread removes it.
            if std::fs::remove_file(path).is_err() {
                remove_staging(path);
            }
        }
        // What lies in another one first.
        let empty = listing.parts.iter().rev().filter(|(_, holds)| **holds == PartsFolder::Empty);
        empty.for_each(|(folder, _)| remove_empty(folder));
        let ending = if listing.has_published { Ending::Published } else { Ending::Nothing };
        std::mem::forget(listing);
        ending
    }

    /// What was done since the last call with outputs of earlier runs: those that had been ended, and those that stay beside new
    /// ones.
    pub fn take_resolved(&self) -> Vec<Resolved> {
        std::mem::take(&mut self.listing().resolved)
    }

    /// Adds to what [`take_resolved`](Self::take_resolved) gives.
    pub fn tell(&self, resolved: Resolved) {
        self.listing().resolved.push(resolved);
    }

    /// The folders of parts that a program which ends now leaves to a later run of the same outputs.
    pub fn kept(&self) -> Vec<PathBuf> {
        let listing = self.listing();
        let kept = listing.parts.iter().filter(|(_, holds)| **holds == PartsFolder::Kept);
        kept.map(|(folder, _)| folder.clone()).collect()
    }

    /// Lists a folder of parts with what it holds; none: it is listed no more.
    pub(crate) fn list_parts(&self, folder: &Path, holds: Option<PartsFolder>) {
        let mut listing = self.listing();
        match holds {
            Some(holds) => listing.parts.insert(folder.to_owned(), holds),
            None => listing.parts.remove(folder),
        };
    }

    /// Keeps everybody from this list while outputs get their names.
    pub(crate) fn decide(&self) -> Deciding<'_> {
        Deciding(self.listing())
    }

    /// Makes something that has a path, and lists it; nothing is ever there without being listed.
    pub(crate) fn list<T>(&self, make: impl FnOnce() -> Result<(T, PathBuf)>) -> Result<(T, Listed)> {
        let mut listing = self.listing();
        let (made, path) = make()?;
        listing.paths.insert(path.clone());
        Ok((made, Listed { path, list: self.clone() }))
    }

    fn listing(&self) -> MutexGuard<'_, Listing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The list, while outputs get their names.
pub(crate) struct Deciding<'a>(MutexGuard<'a, Listing>);

impl Deciding<'_> {
    /// All have them.
    pub fn published(mut self) {
        self.0.has_published = true;
    }
}

/// A path in the list; dropped, it leaves the list.
#[derive(Debug)]
pub(crate) struct Listed {
    path: PathBuf,
    list: PendingFiles,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.list.listing().paths.remove(&self.path);
    }
}

/// A file with a hidden name beside its target; dropped, it is removed.
#[derive(Debug)]
pub(crate) struct Unfinished {
    // Dropped in this order: what is there is listed.
    item: NamedTempFile,
    listed: Listed,
}

impl Unfinished {
    /// Makes a file in the folder of `target` that has no name, where the system can, and goes at once: a check that one can
    /// be made.
    pub fn check(target: &Path) -> Result<()> {
        // A store is replaced as a whole, which whoever writes it looks at.
        if !(target.is_dir() && is_whole(target)) {
            check_name(target)?;
        }
        tempfile::tempfile_in(folder_of(target)).map(drop).map_err(without_path)
    }

    pub fn file(target: &Path, pending: &PendingFiles) -> Result<Self> {
        check_name(target)?;
        let name = target.file_name().unwrap_or_default();
        let prefix = format!(".{}.", beginning(&name.to_string_lossy()));
        let (item, listed) = pending.list(|| {
            // With the permissions of any new file: temporary ones are closed to others.
            let make = |path: &Path| File::create_new(path);
            let made = Builder::new().prefix(&prefix).suffix(".part").make_in(folder_of(target), make);
            let item = made.map_err(without_path)?;
            let path = item.path().to_owned();
            Ok((item, path))
        })?;
        Ok(Self { item, listed })
    }

    /// Gives the file its name, once the disk has it; what had the name before is replaced.
    pub fn publish(self, target: &Path, control: &Control) -> Result<()> {
        // Network file systems tell of a full disk only when the data must be there.
        on_disk(self.item.as_file(), control)?;
        let Self { item, listed } = self;
        item.persist(target)?;
        drop(listed);
        Ok(())
    }

    /// The temporary name.
    pub fn path(&self) -> &Path {
        &self.listed.path
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

/// Refuses a name that no file can get.
fn check_name(target: &Path) -> Result<()> {
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
    let nameless = || Error::new(ErrorKind::InvalidInput, "the path names no file");
    target.file_name().map(drop).ok_or_else(nameless)
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// As much of a name as leaves room for what makes it a temporary one: file systems end names at 255 bytes.
fn beginning(name: &str) -> &str {
    const BYTES: usize = 200;
    let fits = |&bytes: &usize| name.is_char_boundary(bytes);
    &name[..(0..=BYTES.min(name.len())).rev().find(fits).unwrap_or(0)]
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        // Not through the item, whose errors name the temporary file.
        self.item.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.item.as_file_mut().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_do_not_name_temporary_files() {
        let folder = tempfile::tempdir().unwrap();
        let lost = folder.path().join(".veloxel-x.part/new/a.png");
        let made = Unfinished::file(&lost, &PendingFiles::default()).map(drop);
        for error in [made, Unfinished::check(&lost)] {
            let text = error.unwrap_err().to_string();
            assert!(text.contains("No such file") && !text.contains(".part"), "{text}");
        }
    }
}
