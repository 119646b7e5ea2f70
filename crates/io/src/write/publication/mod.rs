//! Several outputs that appear together or not at all, whatever ends the program in between.
//!
//! 1. Every output is written under its own name into a hidden [staging folder](staging) on its own file system, which the
//!    writing process owns as long as it lives.
//! 2. The [journal](journal) lists all moves; once the disk has it, the outputs are decided.
//! 3. The [moves](moves): what has a name now gets a second one, then each output takes its name. If one cannot, all are taken
//!    back.
//! 4. A run that begins to write beside a staging folder whose owner is gone [resolves](recovery) it: moves that were decided are
//!    done to the end, everything else is removed.
//!
//! A process that is killed in the middle of the moves leaves whole files, some new and some earlier ones; step 4 makes them all new.
//!
//! A store at an address is written into a folder of this machine and sent before step 2; the metadata without which it is no store go
//! last, just before the moves. What was sent is removed again where a later step fails.

mod journal;
mod moves;
mod recovery;
mod staging;

use crate::address::is_store_address;
use crate::error::{IoError, Result};
use crate::files::Files;
use crate::write::pending::Listed;
use crate::write::target::Target;
#[cfg(feature = "remote")]
use crate::zarr::store::Upload;
use journal::Journal;
use moves::Failed;
use staging::Staging;
use std::path::{Path, PathBuf};

pub use recovery::{Outcome, Resolved};
pub(crate) use staging::{is_whole, remove as remove_staging};

/// Outputs that are being written; dropped before [`publish`](Self::publish), it leaves none of them.
#[derive(Debug)]
pub struct Publication {
    files: Files,
    stagings: Vec<Owned>,
    /// Stores for addresses.
    #[cfg(feature = "remote")]
    uploads: Vec<Upload>,
}

/// A staging folder that ends with its owner, or with the program.
#[derive(Debug)]
struct Owned {
    // Dropped in this order: what is there is listed.
    staging: Staging,
    _listed: Listed,
}

/// A publication that failed: none of its outputs has its name, except those that could not be taken back.
#[derive(Debug)]
pub struct Unpublished {
    /// What failed.
    pub error: IoError,
    /// Outputs that have their new content although they should not, in the order of their moves.
    pub left_behind: Vec<PathBuf>,
}

impl Publication {
    /// A publication without outputs yet, whose unfinished files are listed with those of `files`.
    pub fn of(files: &Files) -> Self {
        Self {
            files: files.clone(),
            stagings: Vec::new(),
            #[cfg(feature = "remote")]
            uploads: Vec::new(),
        }
    }

    /// Where to write an output, a file or a folder: writers name it `path`, and it appears there when all are published.
    ///
    /// # Errors
    /// [`IoError::Write`] if no hidden folder can be made there.
    pub fn target(&mut self, path: &Path) -> Result<Target> {
        #[cfg(feature = "remote")]
        if is_store_address(path) {
            let upload = Upload::begin(path, &self.files)?;
            let place = upload.place();
            self.uploads.push(upload);
            return Ok(self.files.target(path).staged_at(place));
        }
        let place = self.place(path).map_err(IoError::write(path))?;
        Ok(self.files.target(path).staged_at(place))
    }

    /// Makes the place of an output that is a folder; [`target`](Self::target) serves files.
    ///
    /// # Errors
    /// [`IoError::Write`] if no hidden folder can be made there, or something else has that name.
    pub fn folder(&mut self, path: &Path) -> Result<Target> {
        if path.exists() && !path.is_dir() {
            return Err(IoError::write(path)(std::io::Error::other("it exists and is not a folder")));
        }
        let target = self.target(path)?;
        std::fs::create_dir_all(target.place()).map_err(IoError::write(path))?;
        Ok(target)
    }

    /// The names that the files written so far will get.
    ///
    /// # Errors
    /// [`IoError::Write`] if a hidden folder cannot be listed.
    pub fn names(&self) -> Result<Vec<PathBuf>> {
        let mut names = Vec::new();
        for Owned { staging, .. } in &self.stagings {
            let content = staging.content().map_err(IoError::write(staging.root()))?;
            names.extend(content.files.iter().map(|name| staging.root().join(name)));
        }
        Ok(names)
    }

    /// Gives all outputs their names. A program that is told to end waits for it.
    ///
    /// # Errors
    /// [`Unpublished`]; a folder that has the name of a file is never replaced.
    pub fn publish(mut self) -> Result<(), Box<Unpublished>> {
        let done = self.send().and_then(|()| self.decide_and_move());
        // The journal, in the first one, goes last.
        while self.stagings.pop().is_some() {}
        done.map_err(|failed| {
            let sent = self.take_back_sent();
            let mut unpublished = match self.files.stopped() {
                Some(error) => Unpublished { error, left_behind: Vec::new() },
                None => failed.unpublished(),
            };
            unpublished.left_behind.extend(sent);
            Box::new(unpublished)
        })
    }

    fn decide_and_move(&mut self) -> Result<(), Failed> {
        let stagings: Vec<&Staging> = self.stagings.iter().map(|owned| &owned.staging).collect();
        let roots = stagings.iter().map(|staging| staging.root());
        let _turns = moves::in_turn(roots, self.files.control())?;
        // Held until the end: a signal finds all outputs there, or none.
        let pending = self.files.pending().clone();
        let deciding = pending.decide();
        #[cfg(feature = "remote")]
        for upload in &mut self.uploads {
            let path = upload.path().to_owned();
            upload.complete().map_err(Failed::at(&path))?;
        }
        if let [first, ..] = &stagings[..] {
            let journal = Journal::of(&stagings).map_err(Failed::at(first.root()))?;
            moves::publish(&journal)?;
        }
        if self.has_outputs() {
            deciding.published();
        }
        Ok(())
    }

    /// Sends the stores for addresses, but for what makes them stores.
    fn send(&mut self) -> Result<(), Failed> {
        #[cfg(feature = "remote")]
        for upload in &mut self.uploads {
            let path = upload.path().to_owned();
            upload.send().map_err(Failed::at(&path))?;
        }
        Ok(())
    }

    /// Removes what was sent; the addresses where something may be left.
    fn take_back_sent(&mut self) -> Vec<PathBuf> {
        #[cfg(feature = "remote")]
        return self.uploads.iter_mut().filter_map(Upload::take_back).collect();
        #[cfg(not(feature = "remote"))]
        Vec::new()
    }

    fn has_outputs(&self) -> bool {
        #[cfg(feature = "remote")]
        if !self.uploads.is_empty() {
            return true;
        }
        !self.stagings.is_empty()
    }

    /// The place of an output in the staging folder of its file system.
    fn place(&mut self, path: &Path) -> std::io::Result<PathBuf> {
        let (root, name) = staging::root_of(path)?;
        if let Some(owned) = self.stagings.iter().find(|owned| owned.staging.root() == root) {
            return Ok(owned.staging.place(&name));
        }
        let pending = self.files.pending();
        for folder in staging::roots_left(path, &root) {
            for resolved in recovery::resolve_in(&folder, self.files.control())? {
                pending.tell(resolved);
            }
        }
        let (staging, listed) = pending.list(|| {
            let staging = Staging::make(&root)?;
            let path = staging.path().to_owned();
            Ok((staging, path))
        })?;
        let place = staging.place(&name);
        self.stagings.push(Owned { staging, _listed: listed });
        Ok(place)
    }
}

/// Writes several files of one output, named by `target`, which appear together.
pub(crate) fn together(target: &Target, write: impl FnOnce(&Target) -> Result<()>) -> Result<()> {
    if target.is_staged() {
        return write(target);
    }
    let mut publication = Publication::of(target.files());
    write(&publication.target(target.path())?)?;
    publication.publish().map_err(|failed| failed.error)
}

/// Finishes or removes what ended runs left where an output will be written.
///
/// # Errors
/// [`IoError::Write`] if the folder cannot be listed.
pub fn resolve_earlier(path: &Path, files: &Files) -> Result<()> {
    if is_store_address(path) {
        return Ok(());
    }
    let Ok((root, _)) = staging::root_of(path) else { return Ok(()) };
    for folder in staging::roots_left(path, &root) {
        for resolved in recovery::resolve_in(&folder, files.control()).map_err(IoError::write(path))? {
            files.pending().tell(resolved);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
