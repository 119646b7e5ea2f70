//! The moving image seen from the fixed grid: `out(x) = moving(A · (x + d(x)))`.
//!
//! *In*: the moving image; a displacement `d` on the fixed grid; the affine map `A` between voxel positions.
//! *Unit of d*: *edges*, the smallest voxel edge of the grid, so that anisotropic grids need no special case:
//! along axis `a` the displacement in voxels is `d_a / spacing_edges[a]`.
//! *Out*: the sample, or NaN where `A · (x + d)` leaves the moving image ([`Border`] says where it ends) or `d` is NaN.
//! *Halo*: unbounded (gathers).

pub mod by_memory;
mod cpu;
#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::{LATTICE, NAN};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("warp", Bindings, [NAN, LATTICE], "warp.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Voxels of the fixed grid along x, y, z.
            size: vec4<u32>,
            per_edge: vec4<f32>,
            /// Rows of the matrix of the affine map.
            linear_x: vec4<f32>,
            linear_y: vec4<f32>,
            linear_z: vec4<f32>,
            /// Rows of that matrix minus the identity, and the offset (w): the part added to a position, small and thus
            /// accurate.
            added_x: vec4<f32>,
            added_y: vec4<f32>,
            added_z: vec4<f32>,
            moving_size: vec4<u32>,
            /// First voxel of a part in the fixed image, and in the moving image, whose voxels are counted from there.
            fixed_begin: vec4<u32>,
            moving_begin: vec4<u32>,
            moving_whole: vec4<u32>,
            /// How far the moving image extends beyond the centres of its outermost voxels, in voxels.
            reach: f32,
        },
        moving: read f32,
        displacement[displacement_x, displacement_y, displacement_z]: read f32,
        out: write f32,
    }
}

/// How samples between voxels are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// The nearest voxel's sample.
    Nearest,
    /// The label, among those at the corners of the cell, with the most bi- or trilinear weight; the nearest voxel's label
    /// unless another has more.
    MostWeight,
    /// Bi- or trilinear interpolation.
    Linear,
    /// Cubic convolution, 4 samples an axis, with a = −½ (Keys 1981): the image itself at its voxels, parabolas between them.
    CubicConvolution,
    /// A cubic B-spline, 4 samples an axis (Unser 1999): the image must hold the coefficients of [`super::spline`].
    CubicSpline,
}

/// Where an image ends; up to there the outermost samples are repeated beyond the centres of their voxels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Border {
    /// The image ends at the centres of its outermost voxels: only positions between samples have data.
    Centres,
    /// The image ends half a voxel beyond these centres, as ITK has it.
    Voxels,
    /// The image has no end: the outermost samples are repeated everywhere.
    Unbounded,
}

impl Border {
    /// How far the image reaches beyond the outermost centres, voxels.
    pub(crate) fn reach_vox(self) -> f32 {
        match self {
            // A rounding error beyond the border is still the border.
            Self::Centres => 1e-3,
            Self::Voxels => 0.5,
            Self::Unbounded => f32::MAX,
        }
    }
}

/// An affine map between voxel positions of two grids: `x_moving = matrix · x_fixed + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoxelAffine {
    /// The matrix, row-major.
    pub matrix: Axes<Axes<f64>>,
    /// The offset, voxels.
    pub offset: Axes<f64>,
}

impl VoxelAffine {
    /// The map that leaves every voxel where it is.
    pub const IDENTITY: Self =
        Self { matrix: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], offset: [0.0; 3] };

    /// The matrix minus the identity, which a position is multiplied by to get what the map adds to it; row by row.
    pub fn added(&self) -> Axes<Axes<f64>> {
        let mut added = self.matrix;
        (0..3).for_each(|a| added[a][a] -= 1.0);
        added
    }

    /// The map `self` after `first`.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        let matrix = [0, 1, 2]
            .map(|r| [0, 1, 2].map(|c| (0..3).map(|k| self.matrix[r][k] * first.matrix[k][c]).sum()));
        Self { matrix, offset: self.apply(first.offset) }
    }

    /// The image of a position.
    pub fn apply(&self, x: Axes<f64>) -> Axes<f64> {
        [0, 1, 2].map(|r| (0..3).map(|c| self.matrix[r][c] * x[c]).sum::<f64>() + self.offset[r])
    }
}

/// Where parts of a fixed and of a moving image lie in the whole images. The samples then have the bits of the whole: positions
/// count from the whole images' first voxels, and the moving image ends where the whole one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The part's first voxel in the whole fixed image.
    pub fixed_begin: Axes<usize>,
    /// The part's first voxel in the whole moving image.
    pub moving_begin: Axes<usize>,
    /// Size of the whole moving image, voxels.
    pub moving_whole: Axes<usize>,
}

/// Samples the moving image on the fixed grid.
#[derive(Debug)]
pub struct Warp<'a> {
    /// Shape of the fixed grid.
    pub shape: Shape,
    /// Shape of the moving grid, with as many axes.
    pub moving_shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// How samples between voxels are found.
    pub interpolation: Interpolation,
    /// Where the moving image ends.
    pub border: Border,
    /// The map from fixed to moving voxel positions, applied after the displacement.
    pub moving_from_fixed: VoxelAffine,
    /// Where both images lie in larger ones; none if they are whole. A part of the moving image must hold every sample that is
    /// needed.
    pub cut: Option<Cut>,
    /// The moving image.
    pub moving: &'a Buffer,
    /// Planar displacement, edges.
    pub displacement: &'a [Buffer],
    /// The moving image seen from the fixed grid; NaN outside.
    pub out: &'a mut Buffer,
}

impl Kernel for Warp<'_> {
    const NAME: &'static str = "warp";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths
            .of("moving", self.moving, self.moving_shape.len())
            .field("displacement", self.displacement, self.shape.components(), n)
            .of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::warp(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (map, block) = (self.moving_from_fixed, self.block());
        let (d, [nx, ny, nz]) = (self.shape.components(), self.shape.size);
        // Cubic ones have loads enough to wait for with one voxel.
        let (interpolation, voxels) = match self.interpolation {
            Interpolation::Nearest => (0usize, 4),
            Interpolation::Linear => (1, 4),
            Interpolation::CubicSpline => (2, 1),
            Interpolation::MostWeight => (3, 1),
            Interpolation::CubicConvolution => (4, 1),
        };
        let (groups, depth) = match d {
            2 => ([cover(nx, 32), cover(ny, 8 * voxels), 1], 1usize),
            _ => ([cover(nx, 32), cover(ny, 8), cover(nz, voxels)], 4),
        };
        let Self { moving, displacement, out, .. } = self;
        gpu.launch(&SOURCE, "warp")
            .constant("COMPONENTS", d)
            .constant("INTERPOLATION", interpolation)
            .constant("AFFINE", map != VoxelAffine::IDENTITY)
            .constant("VOXELS", voxels)
            .constant("PART", self.cut.is_some())
            .constant("THIN", self.moving_shape.size[0] == 1)
            .constant("DEPTH", depth)
            .bind(&Bindings { block, moving, displacement, out })
            .run(groups)
    }
}

impl Warp<'_> {
    fn block(&self) -> Block {
        let (map, moving) = (self.moving_from_fixed, self.moving_shape.size);
        let [linear_x, linear_y, linear_z] = map.matrix.map(|row| row.map(|v| v as f32).into());
        let added = map.added();
        let added = |row: usize| {
            let [x, y, z] = added[row];
            [x, y, z, map.offset[row]].map(|v| v as f32).into()
        };
        let whole = Cut { fixed_begin: [0; 3], moving_begin: [0; 3], moving_whole: moving };
        let cut = self.cut.unwrap_or(whole);
        Block {
            size: self.shape.size.into(),
            per_edge: self.spacing_edges.map(|s| 1.0 / s).into(),
            linear_x,
            linear_y,
            linear_z,
            added_x: added(0),
            added_y: added(1),
            added_z: added(2),
            moving_size: moving.into(),
            fixed_begin: cut.fixed_begin.into(),
            moving_begin: cut.moving_begin.into(),
            moving_whole: cut.moving_whole.into(),
            reach: self.border.reach_vox(),
        }
    }
}
