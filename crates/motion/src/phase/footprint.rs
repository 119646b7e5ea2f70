//! What a run of [`PhaseFlow`](super::PhaseFlow) holds in memory, and how far its vectors see.

use super::parameters::{Frames, PhaseMedian, PhaseParameters};
use super::plan::PhasePlan;
use crate::footprint::{Footprint, Tiling};

/// Pixels of a level that a vector depends on: filters reach 5, the phases between pixels 1, the median 2, the enlarged
/// coarser estimate 2; and the level's picture on 2 of every finer one, 2 in all.
const HALO_PX: usize = 12;
/// Samples of a level's sixteen bytes of phases and of its picture, over all levels.
const PYRAMID: f64 = 5.0 * 4.0 / 3.0;
/// Of an estimate, the same after its median, and its confidence.
const DIRECTION: f64 = 5.0 * 4.0 / 3.0;

impl PhaseParameters {
    /// Whether the field back is estimated as well, to check with.
    pub(super) fn is_checked(&self) -> bool {
        self.frames == Frames::Two && self.flow_check_px > 0.0
    }
}

/// Of a run with pyramids of so many levels: frames and their pyramids, fields, the flow with its confidence, the determinant.
pub(super) fn footprint(plan: &PhasePlan) -> Footprint {
    let parameters = &plan.parameters;
    let frames = parameters.frames.count() as f64;
    let back = match parameters.is_checked() {
        true => DIRECTION + if parameters.checked_median == PhaseMedian::Off { 3.0 } else { 5.0 },
        false => 0.0,
    };
    Footprint {
        samples_per_voxel: frames * (1.0 + PYRAMID) + DIRECTION + back + 4.0,
        tiling: Tiling::Halves { halo_px: HALO_PX, levels: plan.flow_levels },
    }
}
