//! The tiles of a pass in their order, each with what it sees of the images.

use super::account::TileAccount;
use super::mosaic::Core;
use super::plan::{ALIGNMENT_VOX, RAMP_VOX, TilePlan};
use super::tile_run::{NextTile, TileContent, TileImages};
use super::{Starts, Tiled};
use crate::error::Result;
use std::ops::Range;
use veloxel_core::GridBox;

impl Tiled<'_> {
    /// Delivers tiles of a plan, by their numbers; `kept` gives the account of one that is kept already.
    pub(super) fn walk(
        &self,
        tiles: Range<usize>,
        images: &TileImages<'_>,
        starts: &Starts<'_>,
        kept: impl Fn(GridBox) -> Option<TileAccount>,
        mut deliver: impl FnMut(NextTile) -> Result<()>,
    ) -> Result<()> {
        let whole_size = self.plan.grid_size;
        for whole in tile_cores(self.plan).skip(tiles.start).take(tiles.len()) {
            whole.in_pieces(|core| {
                let (voxels, tile) = (core.reach(whole_size).len(), self.tile_of(&core));
                let share = voxels as f64 / whole.reach(whole_size).len() as f64;
                let work = (share * tile.len() as f64) as usize;
                let content = match kept(core.own()) {
                    Some(own) => TileContent::Kept(own),
                    None => {
                        let start = |axis: usize| starts.component(tile, axis);
                        let placed = images.moving.shift(core.inside(tile), tile, start);
                        // Halves are not shorter than two ramps.
                        if let (None, Some(axis)) = (placed, core.longest_axis(8 * RAMP_VOX)) {
                            return Ok(Some(axis));
                        }
                        TileContent::Seen(Box::new(images.seen(tile, placed.unwrap_or([0; 3]), start)?))
                    }
                };
                deliver(NextTile { core, voxels, work, content })?;
                Ok(None)
            })?;
        }
        Ok(())
    }

    /// The box of a core: in its middle, or as near to it as the grid allows.
    pub(super) fn tile_of(&self, core: &Core) -> GridBox {
        let (size, whole) = (self.plan.tile_size, self.plan.grid_size);
        let begin = [0, 1, 2].map(|a| {
            let middle = (core.begin[a] + core.end[a]) / 2;
            let begin = middle.saturating_sub(size[a] / 2).min(whole[a] - size[a]);
            begin / ALIGNMENT_VOX * ALIGNMENT_VOX
        });
        GridBox { begin, size }
    }
}

/// What each tile of a plan contributes.
pub(super) fn tile_cores(plan: &TilePlan) -> impl Iterator<Item = Core> {
    let [kx, ky, kz] = plan.tiles;
    (0..kx * ky * kz).map(move |nth| {
        let place = [nth % kx, nth / kx % ky, nth / (kx * ky)];
        let ends = [0, 1, 2].map(|a| plan.core(a, place[a]));
        Core { begin: ends.map(|e| e[0]), end: ends.map(|e| e[1]) }
    })
}

impl TilePlan {
    /// Voxels that the largest contribution of a tile has, with those that it shares with its neighbours.
    pub fn most_contributed(&self) -> usize {
        tile_cores(self).map(|core| core.reach(self.grid_size).len()).max().unwrap_or_default()
    }
}
