//! The difference that the displacement on trial leaves between the images, and how it changes with the displacement.
//!
//! ```text
//! r(X) = g w(X) (M(A (X + u(X))) − F(X))        s_c(X) = g w(X) ∂M/∂u_c        Σ r²
//! ```
//!
//! *In*: the images of all problems, F as samples and M as cubic spline coefficients ([`crate::image::spline`]); the weight w,
//! whose square weighs squares (Li et al. 2008, eq. 2); control points of u in edges of the full grid; the map A between voxel
//! positions of both images. *Out*: r and s in the set on trial of every problem that is active; sums along the rows of pixels
//! of `r s ψ` and of `s² ψ²`, for every control point along x; a partial sum of r² for each workgroup. Where `A (X + u)` lies
//! outside of the moving image both are 0. *Halo*: unbounded (gathers).

mod cpu;

use super::gpu_block::{self, ELEMENTS, Lattice, ROWS, Tables};
use super::lattice::Elements;
use super::row_tiles::{RowTiles, row_partials};
use super::state::STATE;
use crate::bindings::bindings;
use crate::image::warp::VoxelAffine;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::{LATTICE, LINE, NAN, SUM};
use crate::variational::total_displacement::Maps;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource =
    wgsl!("residual", Bindings, [NAN, LINE, SUM, LATTICE, ELEMENTS, ROWS], "residual.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            lattice: Lattice,
            moving_size: vec4<u32>,
            /// Voxels for an edge of the full grid along x, y, z, and the gain.
            per_edge: vec4<f32>,
            linear_x: vec4<f32>,
            linear_y: vec4<f32>,
            linear_z: vec4<f32>,
            /// Rows of the matrix minus the identity, and the offset.
            added_x: vec4<f32>,
            added_y: vec4<f32>,
            added_z: vec4<f32>,
        },
        tables: group Tables<'a>,
        fixed: read f32,
        moving: read f32,
        weight: may_read f32,
        controls: read f32,
        residuals: write f32,
        slopes: write f32,
        row_sums: write f32,
        energy: write f32,
    }
}

/// Two images of every problem, as the residual compares them.
#[derive(Debug, Clone, Copy)]
pub struct ElementImages<'a> {
    /// The fixed image F: all problems' pixels.
    pub fixed: &'a Buffer,
    /// Spline coefficients of the moving image M: all problems' voxels.
    pub moving: &'a Buffer,
    /// The weights w of all problems' pixels; none for 1 everywhere.
    pub weight: Option<&'a Buffer>,
    /// Shape of the moving image M of one problem, voxels.
    pub moving_shape: Shape,
    /// The affine map A, between voxel positions.
    pub moving_from_fixed: VoxelAffine,
    /// Voxels of this level per edge of the full grid, along each axis.
    pub per_edge: Axes<f32>,
    /// The gain g: the square root of the number of pixels of the full grid that one pixel of this level stands for.
    pub gain: f32,
}

/// The part of a position, and of a displacement, that an affine map adds.
fn maps(map: &VoxelAffine) -> Maps {
    Maps::new(map.added(), map.offset, map.matrix.map(|row| row.map(|v| v as f32)))
}

fn block(elements: &Elements, images: &ElementImages<'_>) -> Block {
    let maps = maps(&images.moving_from_fixed);
    let [x, y, z] = images.per_edge;
    let [linear_x, linear_y, linear_z] = maps.linear.map(vec4::from);
    let [added_x, added_y, added_z] = maps.base_rows();
    Block {
        lattice: Lattice::without_smoothness(elements),
        moving_size: images.moving_shape.size.into(),
        per_edge: [x, y, z, images.gain].into(),
        linear_x,
        linear_y,
        linear_z,
        added_x,
        added_y,
        added_z,
    }
}

/// Evaluates the displacement on trial.
#[derive(Debug)]
pub struct Residual<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// The images.
    pub images: ElementImages<'a>,
    /// The [`super::state`] of the problems.
    pub state: &'a Buffer,
    /// The control points of u, edges of the full grid: two sets.
    pub controls: &'a Buffer,
    /// The residual r: two sets of all pixels.
    pub residual: &'a mut Buffer,
    /// The slopes s, planar in every problem: two sets.
    pub slopes: &'a mut Buffer,
    /// Sums along rows of `r s ψ` of all problems, then those of `s² ψ²`.
    pub row_sums: &'a mut Buffer,
    /// Partial sums of r².
    pub energy: &'a mut Buffer,
}

impl Kernel for Residual<'_> {
    const NAME: &'static str = "residual";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (e, d, n) = (self.elements, self.elements.components(), self.elements.pixels());
        lengths.of("fixed", self.images.fixed, n).optional("weight", self.images.weight, n);
        lengths.of("moving", self.images.moving, e.problems * self.images.moving_shape.len());
        lengths.of("state", self.state, STATE * e.problems);
        lengths.of("controls", self.controls, 2 * e.problems * e.unknowns());
        lengths.of("residual", self.residual, 2 * n).of("slopes", self.slopes, 2 * d * n);
        lengths.of("row sums", self.row_sums, 2 * e.row_sums()).of("energy", self.energy, row_partials(e));
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.elements, cpu::residual(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (elements, images) = (self.elements, self.images);
        let map = images.moving_from_fixed;
        let bindings = Bindings {
            block: block(elements, &images),
            tables: Tables::of(elements, self.state),
            fixed: images.fixed,
            moving: images.moving,
            weight: images.weight,
            controls: self.controls,
            residuals: self.residual,
            slopes: self.slopes,
            row_sums: self.row_sums,
            energy: self.energy,
        };
        let tiles = RowTiles::of(elements);
        tiles
            .constants(gpu_block::launch(gpu, &SOURCE, "residual", elements))
            .constants([("AFFINE", map != VoxelAffine::IDENTITY), ("WEIGHTED", images.weight.is_some())])
            .bind(&bindings)
            .run(tiles.workgroups(elements.problems))
    }
}
