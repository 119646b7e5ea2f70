//! What finite elements take of a device's memory.

use super::LATTICES_AFTER_START;
use super::parameters::{Cover, FiniteElementsParams, Measure};
use crate::{Footprint, Tiling};
use veloxel_kernels::elements::lattice::Elements;

/// Elements of the finest lattice between what a tile contributes and where it ends: a node's cubics reach over two elements of
/// a lattice, and a start leaves two lattices open.
const GUARD_ELEMENTS: f64 = 4.0;

/// Of lattices, finest first.
pub(super) fn footprint(params: &FiniteElementsParams, lattices: &[Elements]) -> Footprint {
    let (finest, voxels) = (&lattices[0], lattices[0].pixels() as f64);
    let d = finest.components() as f64;
    let share = |samples: usize| samples as f64 / voxels;
    let unknowns = |e: &Elements| share(e.problems * e.unknowns());
    // Residuals and slopes in two sets; control points, gradient and diagonal likewise, and where they began.
    let lattice =
        |e: &Elements| (2.0 + 2.0 * d) * share(e.pixels()) + 2.0 * share(e.row_sums()) + 7.0 * unknowns(e);
    let inner = share(finest.row_sums()) + 6.0 * unknowns(finest);
    let coarser = lattices.get(1).map_or(0.0, lattice);
    // The conjugate gradients, then the field whose folds are looked for; at last confidence, flow and determinant.
    let most = (coarser + inner).max(coarser + d + 1.0).max(unknowns(finest) / d + 2.0 + d);
    let matched = if params.measure == Measure::Correlation { 4.0 } else { 0.0 };
    let images: f64 = lattices.iter().map(|e| share(e.pixels())).sum();
    // The pyramids take over most of what the frames were sent in.
    Footprint {
        samples_per_voxel: 0.8 + 2.0 * images + matched + lattice(finest) + most,
        tiling: tiling(params),
    }
}

/// A start settles all but the finest lattices, and what those find depends on a few elements around. Pictures that share one
/// motion over time are one problem.
fn tiling(params: &FiniteElementsParams) -> Tiling {
    match params.cover {
        Cover::Time | Cover::Cycle => Tiling::Never,
        Cover::Volume | Cover::Slices => Tiling::Overlap {
            guard_vox: (GUARD_ELEMENTS * params.element).ceil() as usize,
            coarsening: 1 << LATTICES_AFTER_START,
        },
    }
}
