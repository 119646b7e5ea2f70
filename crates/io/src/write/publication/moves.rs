//! The moves of a publication: done, done again after an interruption, and taken back.

use super::Unpublished;
use super::journal::{Journal, Move, Part, sync_folder};
use crate::error::IoError;
use std::fs::{self, File, TryLockError};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use veloxel_core::Control;

/// Moves that failed.
#[derive(Debug)]
pub(super) struct Failed {
    path: PathBuf,
    source: Error,
    left_behind: Vec<PathBuf>,
}

impl Failed {
    /// The failure of this file or folder.
    pub fn at(path: &Path) -> impl FnOnce(Error) -> Self + '_ {
        |source| Self { path: path.to_owned(), source, left_behind: Vec::new() }
    }

    pub fn unpublished(self) -> Unpublished {
        let Self { path, source, left_behind } = self;
        Unpublished { error: IoError::write(&path)(source), left_behind }
    }
}

/// Waits until no other run publishes into these folders, or the run is to stop; the turn is over when the result is dropped.
/// Where folders cannot be locked, no run waits.
pub(super) fn in_turn<'a>(
    roots: impl IntoIterator<Item = &'a Path>,
    control: &Control,
) -> Result<Vec<File>, Failed> {
    const LONGEST: Duration = Duration::from_secs(60);
    let mut roots: Vec<&Path> = roots.into_iter().collect();
    // In one order for everybody: nobody waits for somebody who waits for him.
    roots.sort();
    roots.dedup();
    let (mut turns, begin) = (Vec::new(), Instant::now());
    for root in roots {
        let Ok(folder) = File::open(root) else { continue };
        while let Err(TryLockError::WouldBlock) = folder.try_lock() {
            let waits =
                Error::other("another run is giving its outputs their names in this folder: try again later");
            if begin.elapsed() > LONGEST || control.check().is_err() {
                return Err(Failed::at(root)(waits));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        turns.push(folder);
    }
    Ok(turns)
}

/// Gives all staged files their names, or none.
pub(super) fn publish(journal: &Journal) -> Result<(), Failed> {
    for part in &journal.parts {
        for moved in &part.files {
            keep_earlier(part, moved).map_err(Failed::at(&part.root.join(&moved.name)))?;
        }
    }
    journal.write().map_err(Failed::at(&journal.parts[0].root))?;
    finish(journal)
}

/// Does the moves that are left, or takes all back if one cannot be done.
pub(super) fn finish(journal: &Journal) -> Result<(), Failed> {
    let done = journal.parts.iter().try_for_each(do_moves);
    done.map_err(|failed| {
        // Without this mark an interruption from here on would do the moves again: as good an end.
        let _ = journal.revoke();
        Failed { left_behind: take_back(journal), ..failed }
    })
}

/// Gives the file that will be replaced a second name; refuses to replace what is no file.
pub(super) fn keep_earlier(part: &Part, Move { name, replaces }: &Move) -> std::io::Result<()> {
    let (file, earlier) = (part.root.join(name), part.earlier(name));
    let is_folder = file.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    let is_store = part.staged(name).is_dir();
    if is_folder && !is_store {
        return Err(Error::other("a folder has that name: move it away, or name another output"));
    }
    if is_store && *replaces && !is_folder {
        return Err(Error::other("a file has that name: move it away, or name another output"));
    }
    if *replaces {
        fs::create_dir_all(earlier.parent().unwrap_or(&part.staging))?;
        // A folder has one name: it moves away just before the new one takes its place.
        if is_store {
            return Ok(());
        }
        // Not every file system has second names.
        fs::hard_link(&file, &earlier).or_else(|_| fs::copy(&file, &earlier).map(drop))?;
    }
    Ok(())
}

fn do_moves(part: &Part) -> Result<(), Failed> {
    for folder in part.folders.iter().map(|name| part.root.join(name)) {
        let made = fs::create_dir(&folder);
        made.or_else(|error| if folder.is_dir() { Ok(()) } else { Err(error) })
            .map_err(Failed::at(&folder))?;
    }
    for Move { name, .. } in &part.files {
        let (staged, file) = (part.staged(name), part.root.join(name));
        if let Ok(metadata) = staged.symlink_metadata() {
            let earlier = part.earlier(name);
            if metadata.is_dir() && file.is_dir() && !earlier.exists() {
                fs::rename(&file, &earlier).map_err(Failed::at(&file))?;
            }
            fs::rename(&staged, &file).map_err(Failed::at(&file))?;
        }
    }
    sync_folder(&part.root);
    Ok(())
}

/// Puts back what was replaced; a folder makes room first.
fn give_back(earlier: &Path, file: &Path, staged: &Path, is_waiting: bool) -> std::io::Result<()> {
    if earlier.is_dir() && !is_waiting {
        fs::rename(file, staged)?;
    }
    fs::rename(earlier, file)
}

/// Takes moves back, however many were done; those that could not be.
pub(super) fn take_back(journal: &Journal) -> Vec<PathBuf> {
    let mut left_behind = Vec::new();
    for part in journal.parts.iter().rev() {
        for Move { name, replaces } in part.files.iter().rev() {
            let (staged, file) = (part.staged(name), part.root.join(name));
            let back = match (*replaces, staged.symlink_metadata().is_ok()) {
                (true, is_waiting) => give_back(&part.earlier(name), &file, &staged, is_waiting),
                (false, true) => Ok(()),
                (false, false) => fs::rename(&file, &staged),
            };
            if back.is_err_and(|error| error.kind() != ErrorKind::NotFound) {
                left_behind.push(file);
            }
        }
        for folder in part.folders.iter().rev().map(|name| part.root.join(name)) {
            if fs::remove_dir(&folder).is_err() && folder.exists() {
                left_behind.push(folder);
            }
        }
        sync_folder(&part.root);
    }
    left_behind.reverse();
    left_behind
}
