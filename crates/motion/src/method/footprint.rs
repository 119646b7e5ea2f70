//! What a method says of its memory and of its reach: plans of memory and of tiles are made from this alone.

use veloxel_core::{Axes, Grid};

/// What a run of a dense method takes.
///
/// *Contract*: `samples_per_voxel` counts everything that the method and its caller hold in the memory of the device at the
/// fullest moment of a run: both images (the moving one as large as the fixed one), the memory to work in, flow, confidence
/// and determinant; masks and a start come on top. A test compares it with the bytes that were in use, within 5 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Footprint {
    /// Samples of four bytes for every voxel of the fixed grid.
    pub samples_per_voxel: f64,
    /// How it may be run in tiles.
    pub tiling: Tiling,
}

/// How a method may be run in tiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tiling {
    /// Every vector of a level depends on the voxels around it and on the next coarser level: coarse levels are found over the
    /// whole grid, finer ones in tiles, and every bit is that of a run over the whole grid.
    Local {
        /// Voxels of a level that a vector depends on along each axis: of the finest level, and of the others.
        halo_vox: [usize; 2],
        /// Size of a level over that of the next finer one.
        eta: f64,
        /// Most levels.
        max_levels: usize,
        /// As for `Overlap`, which takes over where tiles as large as these do not fit, or there are two grids or a start.
        guard_vox: usize,
        /// Coarsening of `Overlap`, if tiles overlap.
        coarsening: usize,
    },
    /// Every vector depends on all others, less with every voxel between them. A coarse pass over the whole images gives
    /// each tile its start, and tiles overlap.
    Overlap {
        /// Voxels between what a tile contributes and where it ends.
        guard_vox: usize,
        /// How many times wider than a voxel of the images one of the coarse pass is: what is finer than that a start
        /// leaves open.
        coarsening: usize,
    },
    /// Windows of pictures whose levels are halves of each other: coarse levels are found over the whole pictures, the finest
    /// ones in tiles, and every bit is that of a run over the whole grid.
    Halves {
        /// Pixels of a level that a vector depends on, motion aside, and the pixels of its picture on those of the finest.
        halo_px: usize,
        /// What the confidence of the finest level depends on beyond that.
        confidence_px: usize,
        /// Levels.
        levels: usize,
    },
    /// Not at all.
    Never,
}

/// Bytes of a sample.
pub(crate) const SAMPLE_BYTES: f64 = 4.0;

impl Footprint {
    /// Bytes of device memory for a fixed grid of so many voxels.
    pub fn bytes(&self, voxels: usize) -> u64 {
        (SAMPLE_BYTES * self.samples_per_voxel * voxels as f64) as u64
    }

    /// The same method with so many masks.
    #[must_use]
    pub fn with_masks(self, count: usize) -> Self {
        // The mask, its copy, and that at coarser levels.
        self.with_more(2.4 * count as f64)
    }

    /// The same method where its tiles cannot have the bits of the whole grid.
    #[must_use]
    pub fn overlapping(self) -> Self {
        let tiling = match self.tiling {
            Tiling::Local { guard_vox, coarsening, .. } => Tiling::Overlap { guard_vox, coarsening },
            other => other,
        };
        Self { tiling, ..self }
    }

    /// The same method with more samples a voxel.
    #[must_use]
    pub fn with_more(self, samples_per_voxel: f64) -> Self {
        Self { samples_per_voxel: self.samples_per_voxel + samples_per_voxel, ..self }
    }
}

/// An axis of a coarse pass is not made shorter than this.
const SHORTEST_AXIS: usize = 16;

/// By how much each axis of a grid shrinks in a coarse pass whose voxels are `width_mm` wide.
pub(crate) fn shrinking(grid: &Grid, width_mm: f64) -> Axes<usize> {
    let (size, spacing) = (grid.size(), grid.spacing_mm());
    [0, 1, 2].map(|a| {
        let most = (size[a] / SHORTEST_AXIS).max(1);
        ((width_mm / spacing[a]).round() as usize).clamp(1, most)
    })
}

/// How wide a voxel of a coarse pass is, millimetres.
pub(crate) fn coarse_width_mm(grid: &Grid, coarsening: usize) -> f64 {
    let axes = 0..grid.dimension().count();
    let finest =
        axes.filter(|&a| grid.size()[a] > 1).map(|a| grid.spacing_mm()[a]).fold(f64::INFINITY, f64::min);
    coarsening as f64 * finest
}
