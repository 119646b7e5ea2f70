//! Vectors of a field by their voxels, wherever they are kept: in memory, or in parts of a field that is larger than that.

use veloxel_core::{Flow, Grid};

/// A field of displacements that is asked for single vectors.
pub trait Vectors {
    /// Where the vectors lie.
    fn grid(&self) -> &Grid;

    /// The vector of a voxel of the grid, voxels; NaN where it is unknown.
    fn at(&self, voxel: [usize; 3]) -> [f32; 3];
}

impl Vectors for Flow {
    fn grid(&self) -> &Grid {
        self.grid()
    }

    fn at(&self, voxel: [usize; 3]) -> [f32; 3] {
        self.vector_vox(self.grid().index(voxel))
    }
}
