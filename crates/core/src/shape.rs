//! The shape of a grid: sizes and dimension, without a place in the world.

use crate::grid::{Dimension, Grid};

/// One value per axis, `(x, y, z)`.
pub type Axes<T> = [T; 3];

/// Voxels per axis, and whether the third axis counts at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// `(x, y, z)`; `z` is 1 in 2-D.
    pub size: Axes<usize>,
    /// 2-D or 3-D.
    pub dimension: Dimension,
}

impl Shape {
    /// The shape of a grid.
    pub fn of(grid: &Grid) -> Self {
        Self { size: grid.size(), dimension: grid.dimension() }
    }
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.size.iter().product()
    }
    /// Whether there is no sample at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Rows along x: `ny · nz`; row `r` lies at `y = r % ny`, `z = r / ny`.
    pub fn rows(&self) -> usize {
        self.size[1] * self.size[2]
    }
    /// Flow components, 2 or 3.
    pub fn components(&self) -> usize {
        self.dimension.count()
    }
    /// Distinct entries of a symmetric tensor over the components: 3 or 6.
    pub fn tensor_entries(&self) -> usize {
        self.components() * (self.components() + 1) / 2
    }
}
