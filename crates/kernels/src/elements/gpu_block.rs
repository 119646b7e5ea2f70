//! What every text for GPUs begins with: the lattice, its tables, and the state of the problems.

use super::lattice::{Elements, LastAxis};
use super::row_tiles::RowTiles;
use super::state::Smoothness;
use crate::kernel::{Launcher, PreparedLaunch};
use veloxel_gpu::{Buffer, ShaderSource, Uniform, reduction_groups};

/// Needs [`crate::shared::LINE`] and [`crate::shared::SUM`].
pub(super) const ELEMENTS: &str = include_str!("elements.wgsl");
/// Needs [`ELEMENTS`].
pub(super) const ROWS: &str = include_str!("rows.wgsl");
/// Needs [`ELEMENTS`].
pub(super) const GATHERING: &str = include_str!("gathering.wgsl");

/// The uniform block's first member, `Lattice`.
pub(super) fn lattice(elements: &Elements, smoothness: &Smoothness) -> Uniform {
    let shape = elements.shape;
    let ([nx, ny, nz], [cx, cy, cz]) = (shape.size, elements.controls());
    let uniform = Uniform::new()
        .u4([nx, ny, nz, shape.len()])
        .u4([cx, cy, cz, elements.controls_of_problem()])
        .u4([elements.problems, reduction_groups(shape.len()), reduction_groups(elements.unknowns()), 0])
        .f4(smoothness.alpha)
        .f4(smoothness.beta)
        .f4(smoothness.mixed);
    RowTiles::of(elements).uniform(uniform)
}

/// Begins a launch whose first bindings are the tables and the state.
pub(super) fn launch<'a>(
    gpu: &Launcher<'a>,
    source: &'static ShaderSource,
    entry: &'static str,
    elements: &'a Elements,
    uniform: Uniform,
    state: &'a Buffer,
) -> PreparedLaunch<'a> {
    gpu.launch_in(elements.components(), source, entry)
        .constants([("DEPTH", if elements.components() == 2 { 1 } else { 4 }), ("AXES", elements.axes())])
        .constant("IS_CYCLE", elements.last == LastAxis::Cycle)
        .uniform(uniform)
        .input(&elements.first)
        .input(&elements.weights)
        .input(&elements.begins)
        .reads([&elements.stencil, state])
}

/// Workgroups over `count` items of each problem.
pub(super) fn groups(elements: &Elements, count: usize) -> [u32; 3] {
    [reduction_groups(count) as u32, elements.problems as u32, 1]
}
