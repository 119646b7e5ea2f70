//! The hardware twin: what an FPGA computes differently, as a model (Pauwels et al. 2012, sections 2.2, 4.2, 5.2, Table 1).
//!
//! Images are warped instead of their phases, and filtered anew on every level; every number from the responses on has a
//! fixed point. Neither is faster here: buffers are taken level by level.

use super::parameters::PhaseArithmetic;
use super::plan::{GaborPyramid, PhasePlan};
use crate::error::Result;
use veloxel_gpu::Buffer;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::displaced_image::DisplacedImage;
use veloxel_kernels::image::quantise::{FixedPoint, Quantise};
use veloxel_kernels::phase::gabor::{Levels, LocalPhase, LocalPhaseOutputs, ORIENTATIONS};

/// Flow and disparity: eight bits and four after the point (section 5.2).
const ESTIMATE: FixedPoint = FixedPoint { step: 1.0 / 16.0, most: 128.0 };
/// Bits of a feature (section 6.2.3).
const FEATURE_BITS: i32 = 9;
/// Phases of images that were warped by the coarser estimate before they were filtered.
pub(crate) struct WarpedLevel {
    pub levels: Levels,
    pub phases: Vec<Buffer<u16>>,
}

/// Warps every image of a level by its factor times the estimate, and filters it.
pub(crate) fn warped_level(
    plan: &PhasePlan,
    level: usize,
    images: &[(&GaborPyramid, f32)],
    coarser: &Buffer,
) -> Result<WarpedLevel> {
    let levels = plan.levels.alone(level);
    let mut phases = Vec::with_capacity(images.len());
    for (image, factor) in images {
        let mut warped = plan.device.scratch(levels.len())?;
        let warp = DisplacedImage {
            levels: &plan.levels,
            level,
            factor: *factor,
            image: &image.images,
            coarser,
            out: &mut warped,
        };
        warp.run(&plan.device)?;
        let mut phases_of_one = plan.device.scratch(ORIENTATIONS * levels.len())?;
        let out = LocalPhaseOutputs { phases: Some(&mut phases_of_one), features: None };
        LocalPhase { levels: &levels, bank: &plan.bank, image: &warped, out }.run(&plan.device)?;
        phases.push(phases_of_one);
    }
    Ok(WarpedLevel { levels, phases })
}

/// Rounds flow or disparity to the numbers of the paper's FPGA.
pub(crate) fn round_estimate(plan: &PhasePlan, estimate: &mut Buffer) -> Result<()> {
    round(plan, ESTIMATE, estimate)
}

/// Rounds energy, orientation and phase to the numbers of the paper's FPGA.
pub(crate) fn round_features(plan: &PhasePlan, [energy, orientation, phase]: &mut [Buffer; 3]) -> Result<()> {
    let turn = std::f32::consts::PI;
    let bits = 2f32.powi(FEATURE_BITS);
    // The sum over eight orientations of a grating between black and white is about half of white's square.
    let most = 0.5 * plan.parameters.full_scale * plan.parameters.full_scale;
    round(plan, FixedPoint { step: most / bits, most }, energy)?;
    round(plan, FixedPoint { step: turn / bits, most: turn - turn / bits }, orientation)?;
    round(plan, FixedPoint { step: 2.0 * turn / bits, most: turn }, phase)
}

fn round(plan: &PhasePlan, form: FixedPoint, samples: &mut Buffer) -> Result<()> {
    match plan.parameters.arithmetic {
        PhaseArithmetic::Float => Ok(()),
        PhaseArithmetic::Fixed => Ok(Quantise { form, samples }.run(&plan.device)?),
    }
}
