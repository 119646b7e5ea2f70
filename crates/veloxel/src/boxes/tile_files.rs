//! Tiles of a field in files beside its place, which a run that was ended leaves to the next one.

use crate::Result;
use crate::jobs::JobError;
use crate::pipelines::PartsKey;
use veloxel_core::GridBox;
use veloxel_io::{IoError, KeptParts, PartsBeside, Target};
use veloxel_motion::{FoundTile, KeptBeginning, KeptTile, MotionError, TileAccount, TileStore};

/// Tiles that the run of a whole keeps, and removes in the end.
pub(crate) trait RunTiles: TileStore {
    /// Removes all: their field has its name.
    ///
    /// # Errors
    /// What keeps them from being removed.
    fn remove(self: Box<Self>) -> Result<()>;
}

impl RunTiles for TileFiles {
    fn remove(self: Box<Self>) -> Result<()> {
        Ok(self.parts.remove()?)
    }
}

/// Tiles in files, each with its account in a ledger.
pub(crate) struct TileFiles {
    parts: KeptParts,
}

impl TileFiles {
    /// Begins to keep tiles that a key decides, or goes on.
    ///
    /// # Errors
    /// [`JobError::OtherTiles`] where tiles of another key are kept; as [`KeptParts::open`].
    pub fn open(target: &Target, key: &PartsKey) -> Result<Self> {
        Ok(Self { parts: open_parts(target, key)? })
    }

    /// Lets other processes keep tiles here, though none is kept yet.
    pub fn leave_open(mut self) -> Self {
        self.parts.leave_open();
        self
    }

    /// How many are kept.
    pub fn count(&self) -> usize {
        tiles_of(&self.parts)
    }
}

/// Begins to keep parts that a key decides, or goes on.
///
/// # Errors
/// [`JobError::OtherTiles`] where parts of another key are kept; as [`KeptParts::open`].
pub(super) fn open_parts(target: &Target, key: &PartsKey) -> Result<KeptParts> {
    let mut parts = KeptParts::open(target)?;
    let differs = parts.head().and_then(|head| key.differs_from(head));
    if let Some(what) = differs {
        if tiles_of(&parts) > 0 {
            return Err(JobError::OtherTiles { folder: parts.folder().to_owned(), what }.into());
        }
        // Nothing is lost.
        parts.remove()?;
        parts = KeptParts::open(target)?;
    }
    if parts.head().is_none() {
        parts.begin(&key.line())?;
    }
    Ok(parts)
}

/// Tiles of another process's run, which keeps them beside its ledger.
pub(crate) struct TilesBeside {
    parts: PartsBeside,
}

impl TilesBeside {
    /// Looks at the tiles that a key decides.
    ///
    /// # Errors
    /// [`JobError::OtherTiles`] where tiles of another key are kept; as [`PartsBeside::open`].
    pub fn open(target: &Target, key: &PartsKey) -> Result<Self> {
        let parts = PartsBeside::open(target)?;
        match key.differs_from(parts.head().unwrap_or_default()) {
            Some(what) => Err(JobError::OtherTiles { folder: parts.folder().to_owned(), what }.into()),
            None => Ok(Self { parts }),
        }
    }
}

/// The name of what all tiles begin from.
pub(super) const BEGINNING: &str = "coarse";

/// Tiles among the parts that are kept.
fn tiles_of(parts: &KeptParts) -> usize {
    parts.count() - usize::from(parts.note(BEGINNING).is_some())
}

/// What was noted of a tile; a note that cannot be read is that of a tile which is estimated again.
pub(super) fn account(note: &str) -> Option<TileAccount> {
    serde_json::from_str(note).ok()
}

pub(super) fn note(account: &TileAccount) -> String {
    serde_json::to_string(account).expect("an account should be JSON")
}

pub(super) fn elsewhere<T>(found: Result<T, IoError>) -> Result<T, MotionError> {
    found.map_err(|error| MotionError::elsewhere(&error))
}

/// The name of a tile's or a box's file: where its own voxels begin and end.
pub(super) fn name(core: GridBox) -> String {
    let text = |[x, y, z]: [usize; 3]| format!("{x}.{y}.{z}");
    format!("{}-{}", text(core.begin), text(core.end()))
}

impl TileStore for TileFiles {
    fn kept(&self, core: GridBox) -> Option<TileAccount> {
        account(self.parts.note(&name(core))?)
    }

    fn keep(&mut self, found: &FoundTile) -> Result<(), MotionError> {
        elsewhere(self.parts.put(&name(found.tile.core), found.planes(), &note(&found.account)))
    }

    fn beginning(&self) -> Result<Option<KeptBeginning>, MotionError> {
        let Some(note) = self.parts.note(BEGINNING).map(str::to_owned) else { return Ok(None) };
        Ok(Some(KeptBeginning { samples: elsewhere(self.parts.whole(BEGINNING))?, note }))
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

impl TileStore for TilesBeside {
    fn kept(&self, core: GridBox) -> Option<TileAccount> {
        account(&self.parts.note(&name(core))?)
    }

    fn keep(&mut self, found: &FoundTile) -> Result<(), MotionError> {
        elsewhere(self.parts.put(&name(found.tile.core), found.planes(), &note(&found.account)))
    }

    fn beginning(&self) -> Result<Option<KeptBeginning>, MotionError> {
        let Some(note) = self.parts.note(BEGINNING) else { return Ok(None) };
        Ok(Some(KeptBeginning { samples: elsewhere(self.parts.whole(BEGINNING))?, note }))
    }

    fn keep_beginning(&mut self, beginning: &KeptBeginning) -> Result<(), MotionError> {
        let KeptBeginning { samples, note } = beginning;
        elsewhere(self.parts.put(BEGINNING, std::slice::from_ref(samples), note))
    }

    fn samples(&self, tile: KeptTile, _: GridBox, _: &mut [Vec<f32>]) -> Result<(), MotionError> {
        unreachable!("the tile at {:?} should be put together by the run that has all", tile.core.begin)
    }
}
