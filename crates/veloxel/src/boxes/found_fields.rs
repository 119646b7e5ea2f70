//! Which fields of a run over a sequence have their names, beside them, which a run that was ended leaves to the next one.

use super::tile_files::open_parts;
use crate::Result;
use crate::pipelines::PartsKey;
use serde::Serialize;
use serde::de::DeserializeOwned;
use veloxel_io::{KeptParts, Target};

/// Fields that were found, each with what is said of it in a ledger.
pub(crate) struct FoundFields {
    parts: KeptParts,
}

impl FoundFields {
    /// Begins to note fields that a key decides, or goes on.
    ///
    /// # Errors
    /// [`JobError::OtherTiles`](crate::jobs::JobError::OtherTiles) where those of another key are noted; as [`KeptParts::open`].
    pub fn open(target: &Target, key: &PartsKey) -> Result<Self> {
        Ok(Self { parts: open_parts(target, key)? })
    }

    /// What was noted of a field; a note that cannot be read is that of a field which is estimated again.
    pub fn of<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.parts.note(name)?).ok()
    }

    /// Notes a field.
    ///
    /// # Errors
    /// As [`KeptParts::put`].
    pub fn keep(&mut self, name: &str, found: &impl Serialize) -> Result<()> {
        let note = serde_json::to_string(found).expect("a note should be JSON");
        Ok(self.parts.put(name, &[], &note)?)
    }

    /// Removes all notes.
    ///
    /// # Errors
    /// As [`KeptParts::remove`].
    pub fn remove(self) -> Result<()> {
        Ok(self.parts.remove()?)
    }
}
