//! Where tiles lie: all of one size, spread evenly, so that the method is opened once and its memory used again.

use crate::method::footprint::{Footprint, Tiling, coarse_width_mm, shrinking};
use crate::steps::pyramid::levels;
use serde::Serialize;
use veloxel_core::{Axes, Grid, Shape};

/// Half the width of the zone in which one tile takes over from the next, voxels.
pub(super) const RAMP_VOX: usize = 8;

/// Voxels of the part of the moving image that a tile of exact tiles may hold, over its own.
pub(super) const MOST_MOVING: f64 = 1.6;
/// Voxels along an axis that a tile of exact tiles contributes at least.
pub(super) const SHORTEST_CORE: usize = 16;

/// Pixels of motion that a tile of a window of pictures has room for; where there is more, tiles contribute less.
pub(super) const MOTION_PX: usize = 24;

/// Voxels of the images along an axis for one of a coarse pass with matches, at most.
const COARSEST_MATCHES: usize = 32;

/// How overlapping tiles lie.
struct Split<'a> {
    guard_vox: usize,
    coarsening: usize,
    /// What the coarse pass takes.
    coarse: &'a Footprint,
}

/// How a grid is split.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TilePlan {
    /// Voxels of the grid per axis.
    pub grid_size: Axes<usize>,
    /// Voxels of a tile per axis, overlap included.
    pub tile_size: Axes<usize>,
    /// Tiles along each axis.
    pub tiles: Axes<usize>,
    /// Voxels that neighbours share beyond the middle between them.
    pub overlap_vox: usize,
    /// Device memory for one tile, bytes.
    pub device_bytes: u64,
    /// Whether tiles give the bits of a run over the whole grid; the coarse passes are the levels of that run then.
    pub exact: bool,
    /// The pass over the whole images that tiles start from; none for one tile.
    pub coarse: Option<CoarsePlan>,
}

/// The coarse pass of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoarsePlan {
    /// By how much each axis shrinks.
    pub shrinking: Axes<usize>,
    /// How the shrunk grid is split in its turn.
    pub plan: Box<TilePlan>,
}

impl TilePlan {
    /// The split with the fewest voxels to compute whose tiles fit into a budget of device memory.
    ///
    /// # Errors
    /// The bytes that the smallest tiles would need; none if the method runs on whole grids alone.
    pub fn new(grid: &Grid, footprint: &Footprint, budget_bytes: u64) -> Result<Self, Option<u64>> {
        let whole = Self::whole(grid.size(), footprint);
        if whole.device_bytes <= budget_bytes {
            return Ok(whole);
        }
        match footprint.tiling {
            Tiling::Local { halo_vox, eta, max_levels, .. } => {
                let levels: Vec<_> = levels(grid, eta, max_levels).iter().map(|level| level.shape).collect();
                let exact = Self::exact(&levels, footprint, halo_vox, budget_bytes);
                exact.map_or_else(|| Self::new(grid, &footprint.overlapping(), budget_bytes), Ok)
            }
            Tiling::Halves { halo_px, confidence_px, levels } => {
                let halo_px = [halo_px, confidence_px];
                Self::halves(grid.size(), footprint, halo_px, levels, budget_bytes)
            }
            Tiling::Overlap { guard_vox, coarsening } => {
                let split = Split { guard_vox, coarsening, coarse: footprint };
                Self::overlapping(grid, footprint, split, budget_bytes)
            }
            Tiling::Never => Err(None),
        }
    }

    /// One tile.
    fn whole(grid_size: Axes<usize>, footprint: &Footprint) -> Self {
        Self {
            grid_size,
            tile_size: grid_size,
            tiles: [1; 3],
            overlap_vox: 0,
            device_bytes: footprint.bytes(grid_size.iter().product()),
            exact: false,
            coarse: None,
        }
    }

    /// Tiles of a method whose coarse pass begins from matches and takes what `matched` says, as fine as it fits.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_matches(
        grid: &Grid,
        [footprint, matched]: [&Footprint; 2],
        budget_bytes: u64,
    ) -> Result<Self, Option<u64>> {
        let whole = Self::new(grid, &Footprint { tiling: Tiling::Never, ..*matched }, budget_bytes);
        let Tiling::Overlap { guard_vox, .. } = footprint.overlapping().tiling else { return whole };
        let mut least = None;
        for coarsening in whole.is_err().then_some(2..=COARSEST_MATCHES).into_iter().flatten() {
            let split =
                Split { guard_vox, coarsening, coarse: &Footprint { tiling: Tiling::Never, ..*matched } };
            match Self::overlapping(grid, footprint, split, budget_bytes) {
                Ok(plan) => return Ok(plan),
                Err(bytes) => least = bytes.or(least),
            }
        }
        whole.map_err(|_| least)
    }

    fn overlapping(
        grid: &Grid,
        footprint: &Footprint,
        Split { guard_vox, coarsening, coarse }: Split<'_>,
        budget_bytes: u64,
    ) -> Result<Self, Option<u64>> {
        let grid_size = grid.size();
        let overlap_vox = guard_vox + RAMP_VOX;
        let splits = Splits {
            // Each tile has a part of its own.
            most: grid_size.map(|n| n.saturating_sub(2 * overlap_vox) / (2 * RAMP_VOX)),
            size_of: |tiles: Axes<usize>| [0, 1, 2].map(|a| tile_size(grid_size[a], tiles[a], overlap_vox)),
            // Every tile has a start.
            of_tile: footprint.with_more(grid.dimension().count() as f64),
        };
        let tiles = splits.best(budget_bytes)?;
        let shrinking = shrinking(grid, coarse_width_mm(grid, coarsening));
        if shrinking == [1; 3] {
            return Err(None);
        }
        let plan = Self::new(&super::coarse::shrunk_grid(grid, shrinking), coarse, budget_bytes)?;
        let coarse = Some(CoarsePlan { shrinking, plan: Box::new(plan) });
        let (tile_size, device_bytes) = ((splits.size_of)(tiles), splits.bytes(tiles));
        Ok(Self { grid_size, tile_size, tiles, overlap_vox, device_bytes, exact: false, coarse })
    }

    /// The levels of a run over the whole grid, the finest first, in tiles down to that which fits as a whole; none if
    /// tiles do not fit.
    fn exact(
        levels: &[Shape],
        footprint: &Footprint,
        halo_vox: [usize; 2],
        budget_bytes: u64,
    ) -> Option<Self> {
        let (shape, coarser) = levels.split_first()?;
        let grid_size = shape.size;
        let whole = Self { exact: true, ..Self::whole(grid_size, footprint) };
        if whole.device_bytes <= budget_bytes {
            return Some(whole);
        }
        let [overlap_vox, coarser_halo_vox] = halo_vox;
        // Every tile has a start, and a part of the moving image larger than itself.
        let more = shape.components() as f64 + 2.0 * (MOST_MOVING - 1.0);
        let splits = Splits::with_halo(grid_size, overlap_vox, footprint.with_more(more));
        let tiles = splits.best(budget_bytes).ok()?;
        let next = coarser.first()?;
        let plan = Self::exact(coarser, footprint, [coarser_halo_vox; 2], budget_bytes)?;
        let ratio = |a: usize| (grid_size[a] as f64 / next.size[a] as f64).round() as usize;
        let coarse = Some(CoarsePlan { shrinking: [0, 1, 2].map(ratio), plan: Box::new(plan) });
        let (tile_size, device_bytes) = ((splits.size_of)(tiles), splits.bytes(tiles));
        Some(Self { grid_size, tile_size, tiles, overlap_vox, device_bytes, exact: true, coarse })
    }

    /// The finest levels in tiles, as few as leave levels that fit as a whole.
    fn halves(
        grid_size: Axes<usize>,
        footprint: &Footprint,
        [halo_px, confidence_px]: [usize; 2],
        levels: usize,
        budget_bytes: u64,
    ) -> Result<Self, Option<u64>> {
        let mut least: Option<u64> = None;
        for tiled in 1..levels {
            let shrinking = [1 << tiled, 1 << tiled, 1];
            let coarse_size = [0, 1, 2].map(|a| grid_size[a].div_ceil(shrinking[a]));
            let plan = Self { exact: true, ..Self::whole(coarse_size, footprint) };
            let coarse_bytes = plan.device_bytes;
            let overlap_vox = halo_px * (shrinking[0] - 1) + confidence_px + MOTION_PX;
            let splits = Splits::with_halo(grid_size, overlap_vox, *footprint);
            let smallest = splits.least_bytes().map(|bytes| bytes.max(coarse_bytes));
            least = [least, smallest].into_iter().flatten().min();
            if let (Ok(tiles), true) = (splits.best(budget_bytes), coarse_bytes <= budget_bytes) {
                let coarse = Some(CoarsePlan { shrinking, plan: Box::new(plan) });
                let (tile_size, device_bytes) =
                    ((splits.size_of)(tiles), splits.bytes(tiles).max(coarse_bytes));
                return Ok(Self {
                    grid_size,
                    tile_size,
                    tiles,
                    overlap_vox,
                    device_bytes,
                    exact: true,
                    coarse,
                });
            }
        }
        Err(least)
    }

    /// This pass and the coarser ones that it starts from.
    pub(super) fn passes(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |plan| plan.coarse.as_ref().map(|coarse| &*coarse.plan))
    }

    /// Tiles in all.
    pub fn count(&self) -> usize {
        self.tiles.iter().product()
    }

    /// Voxels that the method works through, overlaps and coarse passes included.
    pub fn worked_voxels(&self) -> f64 {
        let own = |plan: &Self| plan.tile_size.iter().product::<usize>() as f64 * plan.count() as f64;
        self.passes().map(own).sum()
    }

    /// Voxels of all tiles, overlaps included, coarse passes aside.
    pub fn worked_at_last(&self) -> usize {
        self.tile_size.iter().product::<usize>() * self.count()
    }

    /// Samples of a slab in which the finished field is measured: a quarter of a tile's memory.
    pub fn slab_samples(&self) -> usize {
        (self.device_bytes / 16) as usize
    }

    /// Where tile `nth` of an axis begins to contribute, and where it ends.
    pub(super) fn core(&self, axis: usize, nth: usize) -> [usize; 2] {
        let (n, size, count) = (self.grid_size[axis], self.tile_size[axis], self.tiles[axis]);
        if self.exact {
            return [nth, nth + 1].map(|end| end * n / count);
        }
        let begin = |nth: usize| if count == 1 { 0 } else { nth * (n - size) / (count - 1) };
        let middle = |nth: usize| (begin(nth - 1) + size + begin(nth)) / 2;
        [if nth == 0 { 0 } else { middle(nth) }, if nth + 1 == count { n } else { middle(nth + 1) }]
    }
}

/// Tiles begin at multiples of this, and so do shifts of their moving images where they can: voxels of the two next levels of a
/// halving pyramid then lie where those of the whole grid's lie, and so do the colours of sweeps.
pub(super) const ALIGNMENT_VOX: usize = 4;

/// Voxels of each of so many tiles along an axis; the last one ends where the grid ends.
fn tile_size(whole: usize, tiles: usize, overlap_vox: usize) -> usize {
    let size = (whole + 2 * overlap_vox * (tiles - 1)).div_ceil(tiles).min(whole);
    size + (whole - size) % ALIGNMENT_VOX
}

/// Ways to split a grid.
struct Splits<F> {
    /// Tiles along each axis; there is always one.
    most: Axes<usize>,
    /// Voxels of a tile per axis.
    size_of: F,
    /// What a run takes in a tile.
    of_tile: Footprint,
}

impl Splits<()> {
    /// Into equal cores with as many voxels more on every side.
    fn with_halo(
        grid_size: Axes<usize>,
        halo_vox: usize,
        of_tile: Footprint,
    ) -> Splits<impl Fn(Axes<usize>) -> Axes<usize>> {
        let size_of = move |tiles: Axes<usize>| {
            [0, 1, 2].map(|a| (grid_size[a].div_ceil(tiles[a]) + 2 * halo_vox).min(grid_size[a]))
        };
        Splits { most: grid_size.map(|n| n / SHORTEST_CORE), size_of, of_tile }
    }
}

impl<F: Fn(Axes<usize>) -> Axes<usize>> Splits<F> {
    /// Numbers of tiles along the axes.
    fn all(&self) -> impl Iterator<Item = Axes<usize>> {
        let [x, y, z] = self.most.map(|most| 1..=most.max(1));
        z.flat_map(move |z| {
            let x = x.clone();
            y.clone().flat_map(move |y| x.clone().map(move |x| [x, y, z]))
        })
    }

    /// Bytes of a tile.
    fn bytes(&self, tiles: Axes<usize>) -> u64 {
        self.of_tile.bytes((self.size_of)(tiles).iter().product())
    }

    /// Bytes of the smallest tiles.
    fn least_bytes(&self) -> Option<u64> {
        self.all().map(|tiles| self.bytes(tiles)).min()
    }

    /// The split with the fewest voxels to compute whose tiles fit into a budget; none fits: the bytes of the smallest.
    fn best(&self, budget_bytes: u64) -> Result<Axes<usize>, Option<u64>> {
        let work = |tiles: &Axes<usize>| {
            let size = (self.size_of)(*tiles);
            (0..3).map(|a| size[a] * tiles[a]).product::<usize>()
        };
        let fitting = self.all().filter(|tiles| self.bytes(*tiles) <= budget_bytes);
        fitting.min_by_key(work).ok_or_else(|| self.least_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOOTPRINT: Footprint =
        Footprint { samples_per_voxel: 25.0, tiling: Tiling::Overlap { guard_vox: 24, coarsening: 8 } };

    #[test]
    fn tiles_fit_and_cover_the_grid() {
        let grid = Grid::volume(512, 400, 300).unwrap();
        let budget = 300 << 20;
        let plan = TilePlan::new(&grid, &FOOTPRINT, budget).unwrap();
        assert!(plan.device_bytes <= budget && plan.count() > 1, "{plan:?}");
        for axis in 0..3 {
            let cores: Vec<_> = (0..plan.tiles[axis]).map(|nth| plan.core(axis, nth)).collect();
            assert_eq!((cores[0][0], cores[cores.len() - 1][1]), (0, grid.size()[axis]));
            assert!(cores.windows(2).all(|pair| pair[0][1] == pair[1][0]), "{cores:?}");
            let room = plan.tile_size[axis] - 2 * plan.overlap_vox;
            assert!(
                plan.tiles[axis] == 1
                    || cores[1..].iter().all(|c| c[1] - c[0] <= room + plan.overlap_vox + 1)
            );
        }
        let coarse = plan.coarse.unwrap();
        assert_eq!((coarse.shrinking, coarse.plan.grid_size, coarse.plan.count()), ([8; 3], [64, 50, 38], 1));
    }

    #[test]
    fn what_fits_is_one_tile_and_what_cannot_says_what_it_needs() {
        let grid = Grid::image(640, 480).unwrap();
        let plan = TilePlan::new(&grid, &FOOTPRINT, 1 << 30).unwrap();
        assert_eq!((plan.count(), plan.coarse), (1, None));
        let least = TilePlan::new(&grid, &FOOTPRINT, 1 << 10).unwrap_err();
        assert!(least.is_some_and(|bytes| bytes > 1 << 10));
        let whole = Footprint { tiling: Tiling::Never, ..FOOTPRINT };
        assert_eq!(TilePlan::new(&grid, &whole, 1 << 10).unwrap_err(), None);
    }
}
