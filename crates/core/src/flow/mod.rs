//! A displacement field that knows its grid and which way it points.

pub(crate) mod covariance;

use crate::error::CoreError;
use crate::grid::Grid;
use crate::matrix3::apply;
use crate::volume::Volume;
use std::slice::{ChunksExact, ChunksExactMut};

/// Where each fixed voxel is found in the moving image: `fixed(x) ≈ moving(x + d(x))`.
///
/// Lives on the fixed grid; components `(x, y)` or `(x, y, z)` in voxels (pixels) of that grid, one after the other in one
/// planar buffer; an invalid vector is NaN in every component.
/// This is the direction of `.flo`, of KITTI and of ITK's displacement fields.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    grid: Grid,
    planar_vox: Vec<f32>,
}

impl Flow {
    /// Puts a component for each axis, in voxels, on the fixed grid.
    ///
    /// # Errors
    /// [`CoreError::ComponentCount`] unless there is one component an axis; [`CoreError::SampleCount`] if one has
    /// the wrong length.
    pub fn new(grid: Grid, components_vox: Vec<Vec<f32>>) -> Result<Self, CoreError> {
        let expected = grid.dimension().count();
        if components_vox.len() != expected {
            return Err(CoreError::ComponentCount { expected, got: components_vox.len() });
        }
        components_vox.iter().try_for_each(|component| grid.require_len(component.len()))?;
        let planar_vox = planar(components_vox, expected * grid.len());
        Ok(Self { grid, planar_vox })
    }

    /// Puts one planar buffer on the fixed grid: all samples of the component along x, voxels, then all along y, then z.
    ///
    /// # Errors
    /// [`CoreError::SampleCount`] unless the buffer has a sample for each voxel and axis.
    pub fn from_planar_vox(grid: Grid, planar_vox: Vec<f32>) -> Result<Self, CoreError> {
        require_planar(&grid, planar_vox.len())?;
        Ok(Self { grid, planar_vox })
    }

    /// A flow without motion.
    pub fn zeros(grid: Grid) -> Self {
        let planar_vox = vec![0.0; grid.dimension().count() * grid.len()];
        Self { grid, planar_vox }
    }

    /// Samples a function from voxel position to displacement, both in voxels.
    pub fn from_fn(grid: Grid, displacement_vox: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        Self::from_samples(grid, |grid, i| displacement_vox(grid.position(i).map(|v| v as f64)))
    }

    /// Samples a function from a grid's voxels, by their indices, to displacements.
    fn from_samples(grid: Grid, displacement_vox: impl Fn(&Grid, usize) -> [f64; 3]) -> Self {
        let mut flow = Self::zeros(grid);
        for i in 0..flow.grid.len() {
            let d = displacement_vox(&flow.grid, i);
            for (component, value) in flow.components_vox_mut().zip(d) {
                component[i] = value as f32;
            }
        }
        flow
    }

    /// The fixed grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }
    /// The component along an axis (0: x, 1: y, 2: z), voxels.
    ///
    /// # Panics
    /// If the field has no such axis.
    pub fn component_vox(&self, axis: usize) -> &[f32] {
        &self.planar_vox[axis * self.grid.len()..(axis + 1) * self.grid.len()]
    }
    /// The component along an axis (0: x, 1: y, 2: z), voxels, to be changed.
    ///
    /// # Panics
    /// If the field has no such axis.
    pub fn component_vox_mut(&mut self, axis: usize) -> &mut [f32] {
        &mut self.planar_vox[axis * self.grid.len()..(axis + 1) * self.grid.len()]
    }
    /// The components along `(x, y)` or `(x, y, z)`, voxels.
    pub fn components_vox(&self) -> ChunksExact<'_, f32> {
        self.planar_vox.chunks_exact(self.grid.len())
    }
    /// The components along `(x, y)` or `(x, y, z)`, voxels, to be changed.
    pub fn components_vox_mut(&mut self) -> ChunksExactMut<'_, f32> {
        self.planar_vox.chunks_exact_mut(self.grid.len())
    }
    /// All components, voxels, as they lie: first all samples along x, then all along y, then z.
    pub fn planar_vox(&self) -> &[f32] {
        &self.planar_vox
    }
    /// [`Self::planar_vox`], without its grid and without a copy.
    pub fn into_planar_vox(self) -> Vec<f32> {
        self.planar_vox
    }
    /// Copies all components, voxels, into memory of the caller's, as [`Self::planar_vox`] lies.
    ///
    /// # Errors
    /// [`CoreError::SampleCount`] unless there is room for exactly that.
    pub fn copy_planar_vox(&self, out: &mut [f32]) -> Result<(), CoreError> {
        require_planar(&self.grid, out.len())?;
        out.copy_from_slice(&self.planar_vox);
        Ok(())
    }
    /// One component of the plane `z`, voxels, row by row.
    ///
    /// # Panics
    /// If the component or the plane is not there.
    pub fn plane_vox(&self, component: usize, z: usize) -> &[f32] {
        let [nx, ny, _] = self.grid.size();
        &self.component_vox(component)[z * nx * ny..(z + 1) * nx * ny]
    }
    /// The vector at an index, in voxels; the third component of a 2-D flow is 0.
    pub fn vector_vox(&self, index: usize) -> [f32; 3] {
        let mut v = [0.0; 3];
        for (value, component) in v.iter_mut().zip(self.components_vox()) {
            *value = component[index];
        }
        v
    }
    /// Whether the vector at an index is an estimate at all.
    pub fn is_valid(&self, index: usize) -> bool {
        self.components_vox().all(|c| c[index].is_finite())
    }

    /// The field as world vectors (LPS mm), planar; always three components.
    pub fn displacement_mm(&self) -> [Vec<f32>; 3] {
        [0, 1, 2].map(|axis| {
            let mut component = vec![0.0; self.grid.len()];
            self.component_mm(axis, 0, &mut component);
            component
        })
    }

    /// One component (0 to 2) of world vectors (LPS mm), of as many voxels from `first` on as `out` has room for.
    ///
    /// # Panics
    /// If the grid ends before.
    pub fn component_mm(&self, axis: usize, first: usize, out: &mut [f32]) {
        let row = self.grid.world_from_voxel_matrix()[axis];
        let along = |a: usize| &self.component_vox(a)[first..first + out.len()];
        let in_world = |v: [f32; 3]| {
            let v = v.map(f64::from);
            (row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) as f32
        };
        let (x, y) = (along(0), along(1));
        if self.grid.dimension().count() == 2 {
            out.iter_mut().zip(x).zip(y).for_each(|((out, &x), &y)| *out = in_world([x, y, 0.0]));
        } else {
            let xyz = x.iter().zip(y).zip(along(2));
            out.iter_mut().zip(xyz).for_each(|(out, ((&x, &y), &z))| *out = in_world([x, y, z]));
        }
    }

    /// A field from world vectors (LPS mm), planar, three components (2-D grids: the third may be all 0).
    ///
    /// # Errors
    /// [`CoreError::SampleCount`] if a component has the wrong length.
    pub fn from_displacement_mm(grid: Grid, displacement_mm: &[Vec<f32>; 3]) -> Result<Self, CoreError> {
        displacement_mm.iter().try_for_each(|component| grid.require_len(component.len()))?;
        let voxel_from_world = grid.voxel_from_world_matrix();
        let vector_mm = |i: usize| displacement_mm.each_ref().map(|component| f64::from(component[i]));
        Ok(Self::from_samples(grid, |_, i| apply(&voxel_from_world, vector_mm(i))))
    }

    /// One component as a volume of its own (a copy).
    pub fn component_volume(&self, axis: usize) -> Volume<f32> {
        Volume::new(self.grid.clone(), self.component_vox(axis).to_vec())
            .expect("a flow's component should have the length of its grid")
    }
}

/// Fails unless a buffer of so many samples has one for each voxel and axis of a grid.
fn require_planar(grid: &Grid, got: usize) -> Result<(), CoreError> {
    let components = grid.dimension().count();
    let expected = components * grid.len();
    if got == expected {
        return Ok(());
    }
    let size = format!("{:?}, {components} components", grid.size());
    Err(CoreError::SampleCount { expected, got, size })
}

/// Components one after the other, `samples` in all. The first one's memory grows; each of the others is freed as soon as it is
/// copied.
pub fn planar(components: impl IntoIterator<Item = Vec<f32>>, samples: usize) -> Vec<f32> {
    let mut components = components.into_iter();
    let mut planar = components.next().unwrap_or_default();
    planar.reserve_exact(samples.saturating_sub(planar.len()));
    components.for_each(|component| planar.extend_from_slice(&component));
    planar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_is_taken_as_one_buffer_copied_and_viewed_by_plane() {
        let flow = Flow::from_fn(Grid::volume(3, 2, 2).unwrap(), |[x, y, z]| [x, 10.0 + y, 20.0 + z]);
        assert_eq!(flow.plane_vox(2, 1), [21.0; 6]);
        let mut copy = vec![0.0; 36];
        flow.copy_planar_vox(&mut copy).unwrap();
        assert!(flow.copy_planar_vox(&mut copy[1..]).is_err());
        assert_eq!((copy[1], copy[12 + 3], copy[24]), (1.0, 11.0, 20.0));
        assert_eq!(Flow::from_planar_vox(flow.grid().clone(), copy.clone()).unwrap(), flow);
        assert!(Flow::from_planar_vox(flow.grid().clone(), vec![0.0; 35]).is_err());
        assert_eq!(flow.into_planar_vox(), copy);
    }

    #[test]
    fn millimetres_and_voxels_are_inverse_on_an_oblique_grid() {
        let (s, c) = 0.4f64.sin_cos();
        let grid = Grid::volume(3, 2, 2)
            .and_then(|g| g.with_spacing_mm([0.7, 1.1, 2.5]))
            .and_then(|g| g.with_direction([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]))
            .unwrap();
        let flow = Flow::from_fn(grid.clone(), |[x, y, z]| [x - 1.0, 0.5 * y, 2.0 * z + 0.25]);
        let back = Flow::from_displacement_mm(grid, &flow.displacement_mm()).unwrap();
        for (a, b) in flow.planar_vox().iter().zip(back.planar_vox()) {
            assert!((a - b).abs() < 1e-6);
        }
    }

    #[test]
    fn wrong_shapes_are_refused() {
        let grid = Grid::image(2, 2).unwrap();
        assert!(matches!(
            Flow::new(grid.clone(), vec![vec![0.0; 4]; 3]),
            Err(CoreError::ComponentCount { expected: 2, got: 3 })
        ));
        assert!(matches!(Flow::new(grid, vec![vec![0.0; 3]; 2]), Err(CoreError::SampleCount { .. })));
    }
}
