//! Boxes of a result in files beside its place, which a run that was ended leaves to the next one.

use super::tile_files::{name, open_parts};
use crate::pipelines::{BoxStore, PartsKey};
use crate::{Result, Session, VeloxelError};
use serde_json::Value;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use veloxel_core::GridBox;
use veloxel_io::{self as io, KeptParts};

/// Boxes in files, each with its note in a ledger.
pub(crate) struct BoxFiles {
    parts: Mutex<KeptParts>,
}

impl BoxFiles {
    /// Begins to keep boxes of an output that a key decides, or goes on.
    ///
    /// # Errors
    /// [`JobError::OtherTiles`](crate::jobs::JobError::OtherTiles) where those of another key are kept; as [`KeptParts::open`].
    pub fn open(output: &Path, key: &PartsKey, session: &Session) -> Result<Self> {
        Ok(Self { parts: Mutex::new(open_parts(&session.files().target(output), key)?) })
    }

    /// What a run found. One that would fail in the same way again leaves no boxes.
    ///
    /// # Errors
    /// What it failed with.
    pub fn after<T>(self, found: Result<T>) -> Result<(Self, T)> {
        match found {
            Ok(found) => Ok((self, found)),
            Err(error) => {
                if matches!(error, VeloxelError::Maps(_) | VeloxelError::Dense(_)) {
                    self.remove()?;
                }
                Err(error)
            }
        }
    }

    /// Removes all.
    ///
    /// # Errors
    /// As [`KeptParts::remove`].
    pub fn remove(self) -> Result<()> {
        Ok(self.parts.into_inner().unwrap_or_else(PoisonError::into_inner).remove()?)
    }

    fn parts(&self) -> MutexGuard<'_, KeptParts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What tells the samples of an input from others, for a key: its files are not read.
///
/// # Errors
/// As [`files_state`](io::files_state).
pub(crate) fn input_state(path: &Path, session: &Session) -> Result<Value> {
    Ok(format!("{:016x}", io::files_state(path, session.control())?).into())
}

impl BoxStore for BoxFiles {
    fn note(&self, part: GridBox) -> Option<String> {
        self.parts().note(&name(part)).map(str::to_owned)
    }

    fn keep(&self, part: GridBox, slices: &[Vec<f32>], note: &str) -> Result<()> {
        Ok(self.parts().put(&name(part), slices, note)?)
    }

    fn slices(&self, part: GridBox, components: usize) -> Result<Vec<Vec<f32>>> {
        let mut slices = vec![Vec::new(); components];
        self.parts().read(&name(part), &mut slices, part.size, GridBox::all(part.size))?;
        Ok(slices)
    }
}
