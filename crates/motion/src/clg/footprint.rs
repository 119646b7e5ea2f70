//! What a run of [`Clg`](crate::Clg) holds in memory, and how far its vectors see.

use super::Stage;
use super::workspace::Workspace;
use crate::start::coarsening;
use crate::{Footprint, Tiling};

/// Voxels that tiles overlap by beyond their seams, in 2-D and 3-D: docs/design/tiles.md says what they leave.
const GUARD_VOX: [usize; 2] = [56, 24];

/// Beside its workspace a run holds images, displacement, confidence and determinant, and coarser levels of them.
pub(super) fn footprint(first: &Stage, second: Option<&Stage>) -> Footprint {
    let d = first.levels[0].shape.components();
    let stage = |stage: &Stage| {
        let finest = &stage.levels[stage.finest];
        let share = finest.shape.len() as f64 / stage.levels[0].shape.len() as f64;
        share * Workspace::samples_per_voxel(&stage.params, finest)
    };
    let held = 3.5 + 2.0 * d as f64;
    let both = second.map_or(0.0, stage);
    Footprint {
        samples_per_voxel: held + stage(first) + both,
        tiling: Tiling::Overlap {
            guard_vox: GUARD_VOX[d - 2],
            coarsening: coarsening(first.params.eta, first.finest),
        },
    }
}
