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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tiling {
    /// Every vector depends on all others, less with every voxel between them. A coarse pass over the whole images gives
    /// each tile its start, and tiles overlap.
    Overlap {
        /// Voxels between what a tile contributes and where it ends.
        guard_vox: usize,
        /// How many times wider than a voxel of the images one of the coarse pass is: what is finer than that a start
        /// leaves open.
        coarsening: usize,
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
        if a < grid.dimension().count() {
            ((width_mm / spacing[a]).round() as usize).clamp(1, most)
        } else {
            1
        }
    })
}

/// How wide a voxel of a coarse pass is, millimetres.
pub(crate) fn coarse_width_mm(grid: &Grid, coarsening: usize) -> f64 {
    let axes = 0..grid.dimension().count();
    let finest =
        axes.filter(|&a| grid.size()[a] > 1).map(|a| grid.spacing_mm()[a]).fold(f64::INFINITY, f64::min);
    coarsening as f64 * finest
}
