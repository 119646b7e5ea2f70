//! What becomes of an estimate that is checked against the one from the other image back.
//!
//! What does not return is unknown; then a median over the pixels around that did return, where they are the majority, smooths
//! what is left and closes small holes: a few pixels at the edge of something that only one image shows.

use super::parameters::PhaseMedian;
use super::plan::PhasePlan;
use crate::MotionError;
use veloxel_gpu::Buffer;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::valid_median::{Planes, ValidMedian};
use veloxel_kernels::phase::forward_backward_check::{ForwardBackwardCheck, Matches};

/// A checked estimate of full resolution in the memory of a device.
#[derive(Debug)]
pub(crate) struct Checked {
    components: usize,
    /// What returned; after the median, where there is one.
    returned: Buffer,
    filtered: Option<Buffer>,
    /// 0 where unknown, and where the median closed a hole.
    confidence: Buffer,
}

impl Checked {
    pub fn new(plan: &PhasePlan, components: usize) -> Result<Self, MotionError> {
        let pixels = plan.levels.pixels(0);
        let estimate = || plan.device.scratch(components * pixels);
        let has_median = plan.parameters.checked_median != PhaseMedian::Off;
        Ok(Self {
            components,
            returned: estimate()?,
            filtered: has_median.then(estimate).transpose()?,
            confidence: plan.device.scratch(pixels)?,
        })
    }

    /// Checks to a threshold, pixels.
    pub fn find(
        &mut self,
        plan: &PhasePlan,
        threshold_px: f32,
        matches: Matches<'_>,
        confidence: &Buffer,
    ) -> Result<(), MotionError> {
        let size = plan.levels.size(0);
        let check = ForwardBackwardCheck {
            size,
            threshold_px,
            matches,
            confidence,
            out: &mut self.returned,
            confidence_out: &mut self.confidence,
        };
        check.run(&plan.device)?;
        if let Some(filtered) = &mut self.filtered {
            let median = ValidMedian {
                planes: Planes { size, count: self.components },
                window: plan.parameters.checked_median.window(),
                estimates: &self.returned,
                coarser: None,
                out: filtered,
                confidence: Some(&mut self.confidence),
            };
            median.run(&plan.device)?;
        }
        Ok(())
    }

    /// Estimate and confidence.
    pub fn found(&self) -> [&Buffer; 2] {
        [self.filtered.as_ref().unwrap_or(&self.returned), &self.confidence]
    }

    /// Where the next estimate is to be found.
    pub fn estimate_mut(&mut self) -> &mut Buffer {
        self.filtered.as_mut().unwrap_or(&mut self.returned)
    }

    /// Where the next confidence is to be found.
    pub fn confidence_mut(&mut self) -> &mut Buffer {
        &mut self.confidence
    }
}
