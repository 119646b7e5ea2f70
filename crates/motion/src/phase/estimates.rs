//! Fields that are estimated level by level, each level from the next coarser one's, and checked at the end against the one from the
//! other image back.
//!
//! What does not return is unknown; then a median over the pixels around that did return, where they are the majority, smooths
//! what is left and closes small holes: a few pixels at the edge of something that only one image shows.

use super::parameters::{PhaseMedian, UnknownPixels, WarpedData};
use super::plan::{GaborPyramid, PhasePlan};
use super::results::{ConfidenceChoice, TakenField};
use super::twin::{round_estimate, warped_level};
use crate::error::Result;
use std::mem::replace;
use veloxel_gpu::{Buffer, ComputeError};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::valid_median::{Planes, ValidMedian};
use veloxel_kernels::phase::forward_backward_check::{ForwardBackwardCheck, Matches};
use veloxel_kernels::phase::phase_flow::{PhaseLevel, PhaseSampling};

/// The estimates of every level in the memory of a device.
#[derive(Debug)]
pub(crate) struct Estimates {
    /// Number of planes of an estimate: one or both components of a flow, or disparities of one view or both.
    planes: usize,
    /// As the kernel finds them, and after the median; a level each.
    raw: Vec<Buffer>,
    pub filtered: Vec<Buffer>,
    confidence: Vec<Buffer>,
    checked: Option<Checked>,
}

/// What is left of the finest level's estimate after the check.
#[derive(Debug)]
struct Checked {
    components: usize,
    /// What returned; after the median, where there is one.
    returned: Buffer,
    filtered: Option<Buffer>,
    /// 0 where unknown, and where the median closed a hole.
    confidence: Buffer,
}

/// What a level is estimated from, and where to.
pub(crate) struct Estimating<'a> {
    pub place: PhaseLevel<'a>,
    pub phases: Vec<&'a Buffer<u16>>,
    pub coarser: Option<&'a Buffer>,
    pub out: &'a mut Buffer,
    pub confidence: &'a mut Buffer,
}

impl Estimates {
    /// Memory for `levels` levels, with `planes` planes of each and `confidences` planes of their confidences.
    pub fn new(plan: &PhasePlan, levels: usize, planes: usize, confidences: usize) -> Result<Self> {
        let buffers = |planes| plan.buffers(levels, planes);
        let (raw, filtered, confidence) = (buffers(planes)?, buffers(planes)?, buffers(confidences)?);
        Ok(Self { planes, raw, filtered, confidence, checked: None })
    }

    /// These estimates with memory for the check of their first `components` components.
    pub fn checked(self, plan: &PhasePlan, components: usize) -> Result<Self> {
        let pixels = plan.levels.pixels(0);
        let estimate = || plan.device.scratch(components * pixels);
        let has_median = plan.parameters.checked_median != PhaseMedian::Off;
        let checked = Checked {
            components,
            returned: estimate()?,
            filtered: has_median.then(estimate).transpose()?,
            confidence: plan.device.scratch(pixels)?,
        };
        Ok(Self { checked: Some(checked), ..self })
    }

    /// From the coarsest level down, or from the estimate of the level above that; images are warped by so many times an estimate.
    /// `is_filled` says on which levels a coarser estimate stands where there is none.
    pub fn find(
        &mut self,
        plan: &PhasePlan,
        images: &[(&GaborPyramid, f32)],
        start: Option<&Buffer>,
        is_filled: impl Fn(usize) -> bool,
        estimate: impl Fn(Estimating<'_>) -> Result<(), ComputeError>,
    ) -> Result<()> {
        let parameters = &plan.parameters;
        for level in (0..self.filtered.len()).rev() {
            let (finer, coarser) = self.filtered.split_at_mut(level + 1);
            let coarser = coarser.first().or(start);
            let warped = match coarser {
                Some(coarser) if parameters.warping == WarpedData::Images => {
                    Some(warped_level(plan, level, images, coarser)?)
                }
                _ => None,
            };
            let (place, phases) = match &warped {
                Some(warped) => {
                    let place =
                        PhaseLevel { levels: &warped.levels, level: 0, sampling: PhaseSampling::InPlace };
                    (place, warped.phases.iter().collect())
                }
                None => {
                    let place =
                        PhaseLevel { levels: &plan.levels, level, sampling: PhaseSampling::Displaced };
                    (place, images.iter().map(|(image, _)| &image.phases).collect())
                }
            };
            let (out, confidence) = (&mut self.raw[level], &mut self.confidence[level]);
            estimate(Estimating { place, phases, coarser, out, confidence })?;
            let fills = parameters.unknown == UnknownPixels::PassThrough && is_filled(level);
            let median = ValidMedian {
                planes: Planes { size: plan.levels.size(level), count: self.planes },
                window: plan.window(level),
                estimates: &self.raw[level],
                coarser: coarser.filter(|_| fills),
                out: &mut finer[level],
                confidence: Some(&mut self.confidence[level]),
            };
            median.run(&plan.device)?;
            round_estimate(plan, &mut finer[level])?;
        }
        Ok(())
    }

    /// Checks the finest level to a threshold, pixels, where it is to be checked: a flow by the one `back`, else disparities of both
    /// views by each other.
    pub fn check(&mut self, plan: &PhasePlan, threshold_px: f32, back: Option<&Self>) -> Result<()> {
        let Some(Checked { components, returned, filtered, confidence }) = &mut self.checked else {
            return Ok(());
        };
        let (size, own) = (plan.levels.size(0), &self.filtered[0]);
        let matches = match back {
            Some(back) => Matches::Flow { forward: own, backward: &back.filtered[0] },
            None => Matches::Disparity(own),
        };
        let check = ForwardBackwardCheck {
            size,
            threshold_px,
            matches,
            confidence: &self.confidence[0],
            out: returned,
            confidence_out: confidence,
        };
        check.run(&plan.device)?;
        if let Some(filtered) = filtered {
            let median = ValidMedian {
                planes: Planes { size, count: *components },
                window: plan.parameters.checked_median.window(),
                estimates: returned,
                coarser: None,
                out: filtered,
                confidence: Some(confidence),
            };
            median.run(&plan.device)?;
        }
        Ok(())
    }

    /// Estimate and confidence at full resolution, after the check.
    pub fn found(&self) -> [&Buffer; 2] {
        match &self.checked {
            Some(checked) => [checked.filtered.as_ref().unwrap_or(&checked.returned), &checked.confidence],
            None => [&self.filtered[0], &self.confidence[0]],
        }
    }

    /// Estimate and confidence at full resolution, the confidence to be changed.
    pub fn found_mut(&mut self) -> (&Buffer, &mut Buffer) {
        match &mut self.checked {
            Some(checked) => {
                (checked.filtered.as_ref().unwrap_or(&checked.returned), &mut checked.confidence)
            }
            None => (&self.filtered[0], &mut self.confidence[0]),
        }
    }

    /// Gives them away; the next ones are found in other memory.
    pub fn take(&mut self, plan: &PhasePlan, confidences: ConfidenceChoice) -> Result<TakenField> {
        let [estimate, confidence] = match &mut self.checked {
            Some(checked) => {
                [checked.filtered.as_mut().unwrap_or(&mut checked.returned), &mut checked.confidence]
            }
            None => [&mut self.filtered[0], &mut self.confidence[0]],
        };
        let taken = |buffer: &mut Buffer| -> Result<Buffer> {
            let other = plan.device.scratch(buffer.len())?;
            Ok(replace(buffer, other))
        };
        let is_wanted = confidences == ConfidenceChoice::Taken;
        let confidence = is_wanted.then(|| taken(confidence)).transpose()?;
        Ok(TakenField { estimate: taken(estimate)?, confidence })
    }
}
