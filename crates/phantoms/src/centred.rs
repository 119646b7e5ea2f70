//! Voxel indices of a grid as millimetres around the grid's centre, and back.

use veloxel_core::matrix3::apply;
use veloxel_core::{Flow, Grid, Volume};

/// The frame in which motions and textures are defined: LPS millimetres from the centre of a grid.
///
/// The centre is the middle between the first and the last voxel's centres.
/// The matrices are computed once; a grid computes them on every call.
#[derive(Debug, Clone, PartialEq)]
pub struct CentredFrame {
    grid: Grid,
    centre_vox: [f64; 3],
    world_from_voxel: [[f64; 3]; 3],
    voxel_from_world: [[f64; 3]; 3],
}

impl CentredFrame {
    /// The frame of a grid.
    pub fn new(grid: &Grid) -> Self {
        Self {
            grid: grid.clone(),
            centre_vox: grid.size().map(|n| (n as f64 - 1.0) / 2.0),
            world_from_voxel: grid.world_from_voxel_matrix(),
            voxel_from_world: grid.voxel_from_world_matrix(),
        }
    }
    /// The grid itself.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }
    /// Position of voxel `index` in millimetres from the centre.
    pub fn position_mm(&self, index: usize) -> [f64; 3] {
        self.voxel_mm(self.grid.position(index).map(|v| v as f64))
    }
    /// A voxel vector in millimetres.
    pub fn vector_mm(&self, vector_vox: [f64; 3]) -> [f64; 3] {
        apply(&self.world_from_voxel, vector_vox)
    }
    /// A millimetre vector in voxels.
    pub fn vector_vox(&self, vector_mm: [f64; 3]) -> [f64; 3] {
        apply(&self.voxel_from_world, vector_mm)
    }
    /// Position of a voxel in millimetres from the centre.
    fn voxel_mm(&self, voxel: [f64; 3]) -> [f64; 3] {
        self.vector_mm([0, 1, 2].map(|a| voxel[a] - self.centre_vox[a]))
    }
    /// The field of a displacement of positions, both in millimetres.
    pub(crate) fn flow(&self, displacement_mm: impl Fn([f64; 3]) -> [f64; 3]) -> Flow {
        let of_voxel = |voxel| self.vector_vox(displacement_mm(self.voxel_mm(voxel)));
        Flow::from_fn(self.grid.clone(), of_voxel)
    }
    /// Samples of a function of a voxel's index and its position in millimetres.
    pub(crate) fn volume<T>(&self, sample: impl Fn(usize, [f64; 3]) -> T) -> Volume<T> {
        let data = (0..self.grid.len()).map(|i| sample(i, self.position_mm(i))).collect();
        Volume::new(self.grid.clone(), data).expect("one sample was made for every voxel")
    }
    /// The matrix from millimetre vectors to voxel vectors.
    pub fn voxel_from_world_matrix(&self) -> [[f64; 3]; 3] {
        self.voxel_from_world
    }
    /// Half of the shortest in-plane (2-D) or spatial (3-D) extent, mm: the radius of the largest ball that
    /// fits.
    pub fn half_extent_mm(&self) -> f64 {
        let size = self.grid.size();
        let spacing = self.grid.spacing_mm();
        (0..self.grid.dimension().count())
            .map(|a| (size[a] as f64 - 1.0) * spacing[a] / 2.0)
            .fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_an_oblique_grid_is_the_origin() {
        let (s, c) = 0.4f64.sin_cos();
        let grid = Grid::volume(5, 7, 3)
            .and_then(|g| g.with_spacing_mm([0.5, 1.0, 4.0]))
            .and_then(|g| g.with_direction([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
            .unwrap()
            .with_origin_mm([3.0, -8.0, 90.0]);
        let frame = CentredFrame::new(&grid);
        assert_eq!(frame.position_mm(grid.index([2, 3, 1])), [0.0; 3]);
        assert_eq!(frame.half_extent_mm(), 1.0);
        // A voxel's distance from the centre is the distance of their world positions.
        let world = |v| grid.world_from_voxel(v);
        let (a, b) = (world([4.0, 1.0, 2.0]), world([2.0, 3.0, 1.0]));
        let position = frame.position_mm(grid.index([4, 1, 2]));
        for axis in 0..3 {
            assert!((position[axis] - (a[axis] - b[axis])).abs() < 1e-12);
        }
    }
}
