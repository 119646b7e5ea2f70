//! What tiles contribute, kept outside of memory as each is found, and the field that is put together of it box by box.
//!
//! Every voxel's sum is that of a field in memory: the same tiles contribute the same shares in the same order.

use super::account::{Account, TileAccount};
use super::mosaic::{Core, FlowPart, Mosaic, TileSamples, TileSeams};
use super::plan::TilePlan;
use crate::error::Result;
use crate::method::pending_flow::DenseFlow;
use veloxel_core::{Axes, FlowStatistics, Grid, GridBox};

/// Where the tiles of a flow are kept that need not fit into memory.
pub trait TileStore: Send {
    /// The account of the tile that contributes these voxels, if it is kept already: it is not estimated again.
    fn kept(&self, core: GridBox) -> Option<TileAccount>;

    /// Keeps a tile.
    ///
    /// # Errors
    /// [`MotionError::Elsewhere`](crate::MotionError::Elsewhere).
    fn keep(&mut self, tile: &FoundTile<'_>) -> Result<()>;

    /// The samples of a tile in a box of its reach: those of every component, voxels, and of the confidence, one after the other.
    ///
    /// # Errors
    /// [`MotionError::Elsewhere`](crate::MotionError::Elsewhere).
    fn samples(&self, tile: KeptTile, part: GridBox) -> Result<Vec<Vec<f32>>>;
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
pub struct FoundTile<'a> {
    /// Which one.
    pub tile: KeptTile,
    /// How its run went.
    pub account: TileAccount,
    /// The box that was estimated, which holds the reach.
    estimated: GridBox,
    found: &'a DenseFlow,
    shift: Axes<f32>,
}

impl FoundTile<'_> {
    /// How many planes of samples there are: a component for each axis, and the confidence.
    pub fn planes(&self) -> usize {
        self.found.flow.grid().dimension().count() + 1
    }

    /// The samples of a plane in the tile's reach, x fastest: a component, voxels, or the confidence after the last one.
    pub fn plane(&self, nth: usize) -> Vec<f32> {
        let inner = self.tile.reach.within(&self.estimated);
        if nth + 1 == self.planes() {
            return inner.of(self.found.confidence.data(), self.estimated.size);
        }
        let mut plane = inner.of(self.found.flow.component_vox(nth), self.estimated.size);
        plane.iter_mut().for_each(|v| *v += self.shift[nth]);
        plane
    }
}

/// Where tiles go.
pub(super) trait TileSink {
    /// The account of a core that is there already.
    fn kept(&mut self, core: Core) -> Option<TileAccount>;

    /// Adds what was found in a box for a core, `shift` voxels more.
    fn add(&mut self, core: Core, estimated: GridBox, found: &DenseFlow, shift: Axes<f32>) -> Result<()>;
}

impl TileSink for Mosaic {
    fn kept(&mut self, _: Core) -> Option<TileAccount> {
        None
    }

    fn add(&mut self, core: Core, estimated: GridBox, found: &DenseFlow, shift: Axes<f32>) -> Result<()> {
        let components: Vec<&[f32]> = found.flow.components_vox().collect();
        let samples = TileSamples {
            of: estimated,
            components: &components,
            confidence: found.confidence.data(),
            shift,
        };
        Self::add(self, core, &samples);
        Ok(())
    }
}

/// Tiles on their way into a store.
pub(super) struct KeptTiles<'a> {
    whole: Axes<usize>,
    store: &'a mut dyn TileStore,
    tiles: Vec<KeptTile>,
}

impl<'a> KeptTiles<'a> {
    pub fn new(whole: Axes<usize>, store: &'a mut dyn TileStore) -> Self {
        Self { whole, store, tiles: Vec::new() }
    }

    /// All of them, in the order in which they contribute.
    pub fn into_tiles(self) -> Vec<KeptTile> {
        self.tiles
    }

    fn tile(&self, core: Core) -> KeptTile {
        KeptTile { core: core.own(), reach: core.reach(self.whole) }
    }
}

impl TileSink for KeptTiles<'_> {
    fn kept(&mut self, core: Core) -> Option<TileAccount> {
        let account = self.store.kept(core.own())?;
        self.tiles.push(self.tile(core));
        Some(account)
    }

    fn add(&mut self, core: Core, estimated: GridBox, found: &DenseFlow, shift: Axes<f32>) -> Result<()> {
        let (tile, account) = (self.tile(core), TileAccount::of(&found.statistics));
        self.store.keep(&FoundTile { tile, account, estimated, found, shift })?;
        self.tiles.push(tile);
        Ok(())
    }
}

/// A flow whose tiles are in a store.
#[derive(Debug)]
pub struct FlowInTiles {
    pub(super) grid: Grid,
    pub(super) tiles: Vec<KeptTile>,
    pub(super) account: Account,
}

impl FlowInTiles {
    /// The tiles, in the order in which they contribute; none of images without content, whose flow is 0.
    pub fn tiles(&self) -> &[KeptTile] {
        &self.tiles
    }

    /// The flow and its confidence in a box `seen`, put together of the tiles that reach into it; seams are those of a box `own` in it.
    ///
    /// # Errors
    /// What the store fails with.
    pub fn part(&self, [own, seen]: [GridBox; 2], store: &dyn TileStore) -> Result<FlowPart> {
        let mut mosaic = Mosaic::of_part(&self.grid, [own, seen]);
        for &tile in &self.tiles {
            let Some(seen) = tile.reach.intersection(&seen) else { continue };
            let mut planes = store.samples(tile, seen)?;
            let confidence = planes.pop().expect("a tile should have a confidence");
            let components: Vec<&[f32]> = planes.iter().map(Vec::as_slice).collect();
            let samples =
                TileSamples { of: seen, components: &components, confidence: &confidence, shift: [0.0; 3] };
            mosaic.add(Core::of(tile.core), &samples);
        }
        Ok(mosaic.into_part())
    }

    /// How the run went, with what its parts say of seams.
    pub fn statistics(self, plan: &TilePlan, seams: TileSeams) -> FlowStatistics {
        self.account.finish(plan, seams)
    }
}
