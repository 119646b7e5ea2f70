//! The beginning of every text for GPUs: the lattice, its tables, and the state of the problems.

use super::lattice::{Elements, LastAxis};
use super::row_tiles::RowTiles;
use super::state::Smoothness;
use crate::bindings::{block, slots};
use crate::kernel::{Launcher, PreparedLaunch};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ShaderSource, reduction_groups};

/// The lattice and the state in WGSL; it needs [`crate::shared::LINE`] and [`crate::shared::SUM`].
pub(super) const ELEMENTS: &str = include_str!("elements.wgsl");
/// Sums along rows in WGSL; it needs [`ELEMENTS`].
pub(super) const ROWS: &str = include_str!("rows.wgsl");
/// Gathering of sums in WGSL; it needs [`ELEMENTS`].
pub(super) const GATHERING: &str = include_str!("gathering.wgsl");

block! {
    /// The first member of the uniform block of every launch.
    pub(super) struct Lattice {
        /// Pixels along x, y, z, and pixels of a problem.
        size: vec4<u32>,
        /// Control points along x, y, z, and control points of a problem.
        controls: vec4<u32>,
        /// Problems; workgroups of a sum over pixels, and over unknowns.
        counts: vec4<u32>,
        alpha: vec4<f32>,
        beta: vec4<f32>,
        mixed: vec4<f32>,
        /// Groups of tiles of rows, tiles that such a group strides over, partial sums over the rows of a problem.
        tiling: vec4<u32>,
    }
}

impl Lattice {
    pub(super) fn of(elements: &Elements, smoothness: &Smoothness) -> Self {
        let shape = elements.shape;
        let ([nx, ny, nz], [cx, cy, cz]) = (shape.size, elements.controls());
        let [pixels, unknowns] = [shape.len(), elements.unknowns()].map(reduction_groups);
        Self {
            size: [nx, ny, nz, shape.len()].into(),
            controls: [cx, cy, cz, elements.controls_of_problem()].into(),
            counts: [elements.problems, pixels, unknowns].into(),
            alpha: smoothness.alpha.into(),
            beta: smoothness.beta.into(),
            mixed: smoothness.mixed.into(),
            tiling: RowTiles::of(elements).counts().into(),
        }
    }
    /// The block for a kernel that does not use the smoothness.
    pub(super) fn without_smoothness(elements: &Elements) -> Self {
        Self::of(elements, &Smoothness::NONE)
    }
}

slots! {
    /// The first buffers of every launch.
    pub(super) struct Tables<'a> {
        first: read u32,
        weights: read vec4<f32>,
        begins: read u32,
        stencil: read f32,
        state: read f32,
    }
}

impl<'a> Tables<'a> {
    pub(super) fn of(elements: &'a Elements, state: &'a Buffer) -> Self {
        let Elements { first, weights, begins, stencil, .. } = elements;
        Self { first, weights, begins, stencil, state }
    }
}

/// Begins a launch over elements.
pub(super) fn launch<'a>(
    gpu: &Launcher<'a>,
    source: &'static ShaderSource,
    entry: &'static str,
    elements: &Elements,
) -> PreparedLaunch<'a> {
    gpu.launch_in(elements.components(), source, entry)
        .constants([("DEPTH", if elements.components() == 2 { 1 } else { 4 }), ("AXES", elements.axes())])
        .constant("IS_CYCLE", elements.last == LastAxis::Cycle)
}

/// Workgroups over `count` items of each problem.
pub(super) fn groups(elements: &Elements, count: usize) -> [u32; 3] {
    [reduction_groups(count) as u32, elements.problems as u32, 1]
}
