//! What a run of [`BlockMatching`](crate::BlockMatching) holds in memory, and how far its vectors see.

use super::ETA;
use super::parameters::BlockMatchingParams;
use crate::image_pyramids::preparation_vox;
use crate::level_by_level::LevelSolver;
use crate::start::coarsening;
use crate::{Footprint, Tiling};
use veloxel_core::Shape;

/// Voxels that overlapping tiles share beyond their seams, in 2-D and 3-D.
const GUARD_VOX: [usize; 2] = [56, 24];
/// A central difference of fourth order.
const GRADIENT_VOX: usize = 2;
/// The windows that confidences are seen in, one after the other.
const CONFIDENCE_VOX: usize = 2 * 8;

/// The scores of all candidates are the largest part; there are as many of the first search as of any.
pub(super) fn footprint(params: &BlockMatchingParams, shape: Shape) -> Footprint {
    let d = shape.components();
    let widest = |reach: usize| 2 * reach + 1;
    let candidates = widest(params.reach.max(params.later_reach)).pow(d as u32);
    let nodes_share = (params.stride as f64).powi(-(d as i32));
    let gradients = if params.gamma > 0.0 { 2 * d } else { 0 };
    // Images with their coarser levels, the warped one; and on the blocks' grid scores, displacement, increment and mean.
    let images = 2.0 / (1.0 - ETA.powi(d as i32)) + 1.0;
    let of_blocks = (candidates + 3 * d) as f64 * nodes_share;
    // Beside these, while the confidence is made: quality, error, confidence, and the mean of the field around.
    let concluding = 2.4 + 1.2 * d as f64 + if params.stride > 1 { d as f64 } else { 0.0 };
    let tiling = match params.stride {
        1 => tiling(params, d),
        _ => Tiling::Never,
    };
    Footprint { samples_per_voxel: images + gradients as f64 + of_blocks + concluding, tiling }
}

fn tiling(params: &BlockMatchingParams, d: usize) -> Tiling {
    let gradients_vox = if params.gamma > 0.0 { GRADIENT_VOX } else { 0 };
    let window_vox = (2.5 * params.smoothness_sigma).ceil() as usize;
    let sweeps = if params.smoothness > 0.0 { params.sweeps } else { 0 };
    // A candidate's window, and that of the voxel that is sent here.
    let search =
        |reach: usize| gradients_vox + params.radius + 2 * reach + sweeps * window_vox + params.median;
    let level = search(params.reach) + (params.searches - 1) * search(params.later_reach);
    let level = level + preparation_vox(params.preparation());
    Tiling::Local {
        halo_vox: [level + params.radius + CONFIDENCE_VOX, level],
        eta: ETA,
        max_levels: params.max_levels,
        guard_vox: GUARD_VOX[d - 2],
        coarsening: coarsening(ETA, 0),
    }
}
