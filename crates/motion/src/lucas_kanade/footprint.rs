//! What a run of [`LucasKanade`](crate::LucasKanade) holds in memory, and how far its vectors see.

use super::level::Memory;
use super::parameters::{LucasKanadeParams, Window};
use crate::clg::parameters::{MedianFilter, Update};
use crate::image_pyramids::preparation_vox;
use crate::level_by_level::LevelSolver;
use crate::start::coarsening;
use crate::{Footprint, Tiling};
use veloxel_core::Shape;

/// Voxels that tiles overlap by beyond their seams. Windows and medians of all iterations and levels together reach
/// further, but what they carry so far is next to nothing.
const GUARD_VOX: [usize; 2] = [56, 24];

/// Beside its workspace a run holds images, displacement, confidence and determinant, and coarser levels of them.
pub(super) fn footprint(params: &LucasKanadeParams, shape: Shape) -> Footprint {
    let workspace: usize = Memory::default().parts(params, shape).iter().map(|(_, count)| count).sum();
    let held = 4.7 + 0.55 * shape.components() as f64;
    Footprint { samples_per_voxel: held + workspace as f64, tiling: tiling(params, shape) }
}

/// Whether every vector depends on its surroundings alone, and on how much of them.
fn tiling(params: &LucasKanadeParams, shape: Shape) -> Tiling {
    let (guard_vox, coarsening) = (GUARD_VOX[shape.components() - 2], coarsening(params.eta, 0));
    // A mean over all voxels, and positions that are composed, are not of a vector's surroundings.
    if params.tolerance > 0.0 || params.lcc_sigma > 0.0 || params.update != Update::Add {
        return Tiling::Overlap { guard_vox, coarsening };
    }
    let window_vox = window_reach_vox(params.window);
    let gradients_vox = if params.gamma > 0.0 { 2 * GRADIENT_VOX } else { GRADIENT_VOX };
    let median_vox = match params.median {
        MedianFilter::Off => 0,
        MedianFilter::Plain { radius } => radius,
        MedianFilter::NonLocal if shape.components() == 2 => NON_LOCAL_VOX,
        MedianFilter::NonLocal => 1,
    };
    let iteration_vox = gradients_vox + window_vox + median_vox;
    let images_vox = preparation_vox(params.preparation());
    let of_level = |nth: usize| params.iterations_of(nth) * iteration_vox + images_vox;
    let confidence_vox = GRADIENT_VOX + window_vox + ROUGHNESS_VOX;
    let halo_vox = [of_level(0) + confidence_vox, of_level(1)];
    Tiling::Local { halo_vox, eta: params.eta, max_levels: params.max_levels, guard_vox, coarsening }
}

/// A central difference of fourth order.
const GRADIENT_VOX: usize = 2;
/// The plain median, the weighted one, and the bend and the divergence that decide on it.
const NON_LOCAL_VOX: usize = 2 + 6 + 3;
/// Fourth differences of samples four voxels apart, and the mean over their window.
const ROUGHNESS_VOX: usize = 8 + 3;

fn window_reach_vox(window: Window) -> usize {
    match window {
        Window::Box { radius } => radius,
        Window::Gaussian { sigma } => (sigma * 2.5).ceil() as usize + 1,
    }
}
