//! The sums of a measurement in a file beside what is measured, which a run that was ended leaves to the next one.

use super::tile_files::open_parts;
use crate::jobs::JobError;
use crate::pipelines::{PartsKey, SumStore};
use crate::{Result, Session, VeloxelError};
use std::path::{Path, PathBuf};
use veloxel_io::KeptParts;

/// Sums in a file. A measurement is done without where none can be kept.
pub(crate) struct SumFiles {
    parts: KeptParts,
}

/// The name of the file.
const NAME: &str = "sums";

impl SumFiles {
    /// Begins to keep the sums of a result that a key decides, or goes on; those of another key are removed. None where they cannot be
    /// kept beside it, such as in a folder that only others may write, or while another run measures the same result.
    pub fn open(result: &Path, key: &PartsKey, session: &Session) -> Option<Self> {
        let target = session.files().target(place(result));
        let parts = match open_parts(&target, key) {
            Err(VeloxelError::Job(JobError::OtherTiles { .. })) => {
                KeptParts::open(&target).and_then(KeptParts::remove).ok()?;
                open_parts(&target, key)
            }
            opened => opened,
        };
        Some(Self { parts: parts.ok()? })
    }

    /// Whether an ended run has left some.
    pub fn go_on(&self) -> bool {
        self.parts.note(NAME).is_some()
    }

    /// What a run found. One that was stopped, or could not read on, leaves its sums.
    ///
    /// # Errors
    /// What it failed with.
    pub fn after<T>(own: Option<Self>, found: Result<T>) -> Result<T> {
        let is_kept = matches!(found, Err(VeloxelError::Stopped(_) | VeloxelError::Io(_)));
        if let (Some(own), false) = (own, is_kept) {
            own.parts.remove()?;
        }
        found
    }
}

/// A name beside a result, of which nothing is ever written.
fn place(result: &Path) -> PathBuf {
    let name = result.file_name().unwrap_or_default().to_string_lossy();
    result.with_file_name(format!("{name}.measured"))
}

impl SumStore for SumFiles {
    fn kept(&self) -> Result<Option<Vec<u64>>> {
        Ok(self.parts.words(NAME)?)
    }

    fn keep(&mut self, words: &[u64]) -> Result<()> {
        Ok(self.parts.put_words(NAME, words)?)
    }
}
