//! Which voxels count.

use crate::grid::Grid;
use crate::volume::Volume;

/// A yes or no for every voxel of a grid: where data are used, or where an error is measured.
pub type Mask = Volume<bool>;

impl Mask {
    /// A mask that is inside wherever the volume is finite and not zero.
    pub fn from_nonzero(volume: &Volume<f32>) -> Self {
        volume.map(|v| v.is_finite() && *v != 0.0)
    }
    /// A mask with every voxel inside.
    pub fn everywhere(grid: Grid) -> Self {
        Self::from_fn(grid, |_| true)
    }
    /// Number of voxels inside.
    pub fn count(&self) -> usize {
        self.data().iter().filter(|&&inside| inside).count()
    }
}
