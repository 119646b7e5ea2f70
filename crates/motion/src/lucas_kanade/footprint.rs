//! What a run of [`LucasKanade`](crate::LucasKanade) holds in memory, and how far its vectors see.

use super::LucasKanade;
use crate::clg::parameters::MedianFilter;
use crate::start::coarsening;
use crate::{Footprint, Tiling};

/// Voxels that tiles overlap by beyond their seams. Windows and medians of all iterations and levels together reach
/// further, but what they carry so far is next to nothing.
const GUARD_VOX: [usize; 2] = [56, 24];

/// Beside its workspace a run holds images, displacement, confidence and determinant, and coarser levels of them.
pub(super) fn footprint(method: &LucasKanade) -> Footprint {
    let (params, shape) = (&method.params, method.levels[0].shape);
    let (d, entries) = (shape.components(), shape.tensor_entries() + shape.components());
    let has_gradients = params.gamma > 0.0;
    let gradients = if has_gradients { entries + 1 + 2 * d } else { 0 };
    let spare = if has_gradients || params.epsilon > 0.0 { entries } else { d };
    let votes = usize::from(params.median == MedianFilter::NonLocal && d == 2);
    let workspace = 1 + d + entries + 1 + gradients + spare + votes;
    Footprint {
        samples_per_voxel: 4.7 + 0.55 * d as f64 + workspace as f64,
        tiling: Tiling::Overlap { guard_vox: GUARD_VOX[d - 2], coarsening: coarsening(params.eta, 0) },
    }
}
