//! A folder that grows: its files one after the other, as they come.
//!
//! A file is a frame once it can be read. One that cannot is tried again for as long as it changes, and for a while after, since
//! it may be half written; a program that writes under a hidden name and renames is never waited for.

use crate::content::ContentKind;
use crate::error::Result;
use crate::format::Format;
use crate::read::frames::listed_if_any;
use crate::read::read_image;
use crate::read::reading::Reading;
use crate::read::stream::stream_end::StreamEnd;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use veloxel_core::{Volume, Warnings};

/// How often a folder is looked at, at most.
const LOOKS_EVERY: Duration = Duration::from_millis(4);
/// The looks at a large folder take this share of the time, at most.
const MOST_LOOKING: u32 = 4;
/// A file that cannot be read and has not changed for so long is broken.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// How long a folder is watched.
#[derive(Debug, Clone, Default)]
pub struct FolderWatch {
    /// The stream ends after so long without a new file; none: it ends by [`Self::end`] alone.
    pub idle: Option<Duration>,
    /// Ends it from another thread.
    pub end: StreamEnd,
}

/// A folder, and which of its files were read.
pub(crate) struct WatchedFolder {
    folder: PathBuf,
    watch: FolderWatch,
    taken: HashSet<PathBuf>,
    /// Files that are there and not read yet, the next one at the end.
    waiting: Vec<PathBuf>,
}

/// What a file looked like when it could not be read, and since when it looks so.
#[derive(PartialEq)]
struct Look {
    bytes: u64,
    changed: Option<SystemTime>,
}

impl Look {
    fn at(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        Some(Self { bytes: metadata.len(), changed: metadata.modified().ok() })
    }
}

impl WatchedFolder {
    /// Looks at the folder.
    ///
    /// # Errors
    /// [`IoError::Open`](crate::IoError::Open) if it cannot be listed.
    pub fn open(folder: &Path, watch: FolderWatch) -> Result<Self> {
        let mut watched =
            Self { folder: folder.to_owned(), watch, taken: HashSet::new(), waiting: Vec::new() };
        watched.look()?;
        Ok(watched)
    }

    /// The next frame and its file, for which it waits; none once the stream has ended.
    ///
    /// # Errors
    /// As [`read_image`](crate::read_image) for a file that stays broken; [`IoError::Stopped`](crate::IoError::Stopped).
    pub fn next(
        &mut self,
        reading: &Reading,
        warnings: &mut Warnings,
    ) -> Result<Option<(PathBuf, Volume<f32>)>> {
        let since = Instant::now();
        while self.waiting.is_empty() {
            if self.watch.end.has_come() || self.watch.idle.is_some_and(|idle| since.elapsed() >= idle) {
                return Ok(None);
            }
            reading.files.control().check()?;
            let begin = Instant::now();
            self.look()?;
            if self.waiting.is_empty() {
                std::thread::sleep(LOOKS_EVERY.max(MOST_LOOKING * begin.elapsed()));
            }
        }
        let Some(path) = self.waiting.pop() else { return Ok(None) };
        let frame = self.read(&path, reading, warnings)?;
        Ok(frame.map(|frame| (path, frame)))
    }

    /// Reads a file as soon as it is whole; none if the stream ends before.
    fn read(&self, path: &Path, reading: &Reading, warnings: &mut Warnings) -> Result<Option<Volume<f32>>> {
        let (mut look, mut since) = (Look::at(path), Instant::now());
        loop {
            let mut own = Warnings::new();
            let error = match read_image(path, reading.clone(), &mut own) {
                Ok(frame) => {
                    warnings.extend(own);
                    return Ok(Some(frame));
                }
                Err(error) => error,
            };
            reading.files.control().check()?;
            if self.watch.end.has_come() {
                return Ok(None);
            }
            let now = Look::at(path);
            if now != look {
                (look, since) = (now, Instant::now());
            } else if since.elapsed() >= SETTLED_AFTER {
                return Err(error);
            }
            std::thread::sleep(LOOKS_EVERY);
        }
    }

    /// Finds files that were not there before: those of one look in natural order of their names.
    fn look(&mut self) -> Result<()> {
        let is_image = |name: &str| {
            !name.starts_with('.')
                && Format::from_path(Path::new(name)).is_some_and(|format| format.reads(ContentKind::Image))
        };
        let mut found = listed_if_any(&self.folder, is_image)?;
        found.retain(|path| !self.taken.contains(path));
        self.taken.extend(found.iter().cloned());
        found.reverse();
        found.append(&mut self.waiting);
        self.waiting = found;
        Ok(())
    }
}
