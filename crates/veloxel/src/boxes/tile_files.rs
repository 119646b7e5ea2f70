//! Tiles of a field in files beside its place, which a run that was ended leaves to the next one.

use crate::Result;
use crate::jobs::JobError;
use crate::pipelines::TileKey;
use veloxel_core::GridBox;
use veloxel_io::{KeptParts, Target};
use veloxel_motion::{FoundTile, KeptTile, MotionError, TileAccount, TileStore};

/// Tiles in files, each with its account in a ledger.
pub(crate) struct TileFiles {
    parts: KeptParts,
    /// Planes of a tile.
    planes: usize,
}

impl TileFiles {
    /// Begins to keep tiles that a key decides, or goes on.
    ///
    /// # Errors
    /// [`JobError::OtherTiles`] where tiles of another key are kept; as [`KeptParts::open`].
    pub fn open(target: &Target, key: &TileKey, planes: usize) -> Result<Self> {
        let mut parts = KeptParts::open(target)?;
        let differs = parts.head().and_then(|head| key.differs_from(head));
        if let Some(what) = differs {
            if parts.count() > 0 {
                return Err(JobError::OtherTiles { folder: parts.folder().to_owned(), what }.into());
            }
            // Nothing is lost.
            parts.remove()?;
            parts = KeptParts::open(target)?;
        }
        if parts.head().is_none() {
            parts.begin(&key.line())?;
        }
        Ok(Self { parts, planes })
    }

    /// How many are kept.
    pub fn count(&self) -> usize {
        self.parts.count()
    }

    /// Removes all.
    ///
    /// # Errors
    /// As [`KeptParts::remove`].
    pub fn remove(self) -> Result<()> {
        Ok(self.parts.remove()?)
    }
}

/// The name of a tile's file: where its own voxels begin and end.
fn name(core: GridBox) -> String {
    let text = |[x, y, z]: [usize; 3]| format!("{x}.{y}.{z}");
    format!("{}-{}", text(core.begin), text(core.end()))
}

impl TileStore for TileFiles {
    fn kept(&self, core: GridBox) -> Option<TileAccount> {
        // A note that cannot be read is that of a tile which is estimated again.
        self.parts.note(&name(core)).and_then(|note| serde_json::from_str(note).ok())
    }

    fn keep(&mut self, found: &FoundTile) -> Result<(), MotionError> {
        let note = serde_json::to_string(&found.account).expect("an account should be JSON");
        let kept = self.parts.put(&name(found.tile.core), found.planes(), &note);
        kept.map_err(|error| MotionError::elsewhere(&error))
    }

    fn samples(&self, tile: KeptTile, part: GridBox) -> Result<Vec<Vec<f32>>, MotionError> {
        let within = part.within(&tile.reach);
        let read = self.parts.read(&name(tile.core), self.planes, tile.reach.size, within);
        read.map_err(|error| MotionError::elsewhere(&error))
    }
}
