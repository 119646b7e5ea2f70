//! Tiles of a field as objects beside its address, where any process finds those of the others.

use super::tile_files::{BEGINNING, RunTiles, account, elsewhere, name, note};
use crate::Result;
use crate::jobs::JobError;
use crate::pipelines::PartsKey;
use veloxel_core::GridBox;
use veloxel_io::{IoError, PartsAtAddress, Target};
use veloxel_motion::{FoundTile, KeptBeginning, KeptTile, MotionError, TileAccount, TileStore};

/// Tiles at an address, each with its account in an object of its own.
pub(crate) struct TilesAtAddress {
    parts: PartsAtAddress,
}

impl TilesAtAddress {
    /// Begins to keep tiles that a key decides, or goes on.
    ///
    /// # Errors
    /// [`JobError::OtherTiles`] where tiles of another key are kept; what the server says.
    pub fn begin(target: &Target, key: &PartsKey) -> Result<Self> {
        let parts = PartsAtAddress::of(target)?;
        match parts.head()? {
            Some(head) if key.differs_from(&head).is_none() => {}
            // Nothing is lost where nothing was found yet.
            Some(head) if parts.note(BEGINNING)?.is_some() => return Err(other(&parts, key, &head)),
            _ => parts.begin(&key.line())?,
        }
        Ok(Self { parts })
    }

    /// Looks at the tiles that a key decides.
    ///
    /// # Errors
    /// [`JobError::OtherTiles`] where tiles of another key are kept, or none has begun; what the server says.
    pub fn open(target: &Target, key: &PartsKey) -> Result<Self> {
        let parts = PartsAtAddress::of(target)?;
        let head = parts.head()?.unwrap_or_default();
        match key.differs_from(&head) {
            Some(_) => Err(other(&parts, key, &head)),
            None => Ok(Self { parts }),
        }
    }
}

fn other(parts: &PartsAtAddress, key: &PartsKey, head: &str) -> crate::VeloxelError {
    let what = key.differs_from(head).unwrap_or_default();
    JobError::OtherTiles { folder: parts.folder().to_owned(), what }.into()
}

impl RunTiles for TilesAtAddress {
    fn remove(self: Box<Self>) -> Result<()> {
        Ok(self.parts.remove()?)
    }
}

impl TileStore for TilesAtAddress {
    /// A server that does not answer has none: the tile is estimated again, and keeping it says what the server says.
    fn kept(&self, core: GridBox) -> Option<TileAccount> {
        account(&self.parts.note(&name(core)).ok()??)
    }

    fn keep(&mut self, found: &FoundTile) -> Result<(), MotionError> {
        elsewhere(self.parts.put(&name(found.tile.core), found.planes(), &note(&found.account)))
    }

    fn beginning(&self) -> Result<Option<KeptBeginning>, MotionError> {
        let kept = || -> Result<Option<KeptBeginning>, IoError> {
            let Some(note) = self.parts.note(BEGINNING)? else { return Ok(None) };
            Ok(Some(KeptBeginning { samples: self.parts.whole(BEGINNING)?, note }))
        };
        elsewhere(kept())
    }

    fn keep_beginning(&mut self, beginning: &KeptBeginning) -> Result<(), MotionError> {
        let KeptBeginning { samples, note } = beginning;
        elsewhere(self.parts.put(BEGINNING, std::slice::from_ref(samples), note))
    }

    fn samples(&self, tile: KeptTile, part: GridBox, planes: &mut [Vec<f32>]) -> Result<(), MotionError> {
        let within = part.within(&tile.reach);
        elsewhere(self.parts.read(&name(tile.core), planes, tile.reach.size, within))
    }
}
