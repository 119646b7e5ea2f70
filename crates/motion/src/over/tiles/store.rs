//! What tiles contribute, kept outside of memory as each is found.

use super::account::{Account, TileAccount};
use super::mosaic::TileSeams;
use super::plan::TilePlan;
use crate::error::Result;
use crate::method::pending_flow::DenseFlow;
use veloxel_core::{Axes, FlowStatistics, GridBox};

/// Where the tiles of a flow are kept that need not fit into memory.
pub trait TileStore: Send + Sync {
    /// The account of the tile that contributes these voxels, if it is kept already: it is not estimated again.
    fn kept(&self, core: GridBox) -> Option<TileAccount>;

    /// Keeps a tile.
    ///
    /// # Errors
    /// [`MotionError::Elsewhere`](crate::MotionError::Elsewhere).
    fn keep(&mut self, tile: &FoundTile) -> Result<()>;

    /// What all tiles begin from, if it is kept already: it is not found again.
    ///
    /// # Errors
    /// [`MotionError::Elsewhere`](crate::MotionError::Elsewhere).
    fn beginning(&self) -> Result<Option<KeptBeginning>>;

    /// Keeps what all tiles begin from.
    ///
    /// # Errors
    /// [`MotionError::Elsewhere`](crate::MotionError::Elsewhere).
    fn keep_beginning(&mut self, beginning: &KeptBeginning) -> Result<()>;

    /// The samples of a tile in a box of its reach, in the memory of `planes`: those of every component, voxels, and of the confidence
    /// after the last one.
    ///
    /// # Errors
    /// [`MotionError::Elsewhere`](crate::MotionError::Elsewhere).
    fn samples(&self, tile: KeptTile, part: GridBox, planes: &mut [Vec<f32>]) -> Result<()>;
}

/// What all tiles begin from.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptBeginning {
    /// Samples of the coarse pass.
    pub samples: Vec<f32>,
    /// What else is known of it: one line.
    pub note: String,
}

/// A tile that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptTile {
    /// The voxels that are its own, by which it is known.
    pub core: GridBox,
    /// These and those that it shares with its neighbours: its samples.
    pub reach: GridBox,
}

/// A tile that was found, to be kept.
pub struct FoundTile {
    /// Which one.
    pub tile: KeptTile,
    /// How its run went.
    pub account: TileAccount,
    planes: Vec<Vec<f32>>,
}

impl FoundTile {
    /// What was found in a box that holds the tile's reach, `shift` voxels more.
    pub(super) fn of(tile: KeptTile, estimated: GridBox, found: &DenseFlow, shift: Axes<f32>) -> Self {
        let inner = tile.reach.within(&estimated);
        let cut = |samples: &[f32]| inner.of(samples, estimated.size);
        let mut planes: Vec<Vec<f32>> = found.flow.components_vox().map(cut).collect();
        for (plane, shift) in planes.iter_mut().zip(shift) {
            plane.iter_mut().for_each(|v| *v += shift);
        }
        planes.push(cut(found.confidence.data()));
        Self { tile, account: TileAccount::of(&found.statistics), planes }
    }

    /// The samples in the tile's reach, x fastest: those of every component, voxels, and of the confidence after the last one.
    pub fn planes(&self) -> &[Vec<f32>] {
        &self.planes
    }
}

/// A flow whose tiles are in a store.
#[derive(Debug)]
pub struct FlowInTiles {
    pub(super) tiles: Vec<KeptTile>,
    pub(super) account: Account,
}

impl FlowInTiles {
    /// The tiles, in the order in which they contribute; none of images without content, whose flow is 0.
    pub fn tiles(&self) -> &[KeptTile] {
        &self.tiles
    }

    /// How the run went, with what its parts say of seams.
    pub fn statistics(self, plan: &TilePlan, seams: TileSeams) -> FlowStatistics {
        self.account.finish(plan, seams)
    }
}
