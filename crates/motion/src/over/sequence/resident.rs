//! Flows of a sequence whose frames and results stay in the memory of a device, found one at a time as they are asked for.

use super::brought::BroughtFrames;
use super::course::{Asked, Course};
use super::{SequencePlan, SequenceRole, require_count};
use crate::error::Result;
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::OnDevice;
use crate::method::resident::ResidentRegion;
use crate::steps::frame::Frame;
use veloxel_core::Portion;

/// One flow of a sequence, left on the device.
#[derive(Debug)]
pub struct ResidentField {
    /// Which series it belongs to.
    pub role: SequenceRole,
    /// The frame that it lives on.
    pub fixed: usize,
    /// The frame that it points into.
    pub moving: usize,
    /// The flow, its confidence and its diagnostics.
    pub found: OnDevice,
}

/// What is left of a sequence: the flows of [`run_sequence`](super::run_sequence), bit by bit, in the same order.
#[derive(Debug)]
pub struct ResidentSteps {
    course: Course,
    brought: BroughtFrames,
    /// Pairs in all.
    count: usize,
}

impl ResidentSteps {
    /// The flows between so many frames of one grid; extras of the plan do not count.
    ///
    /// # Errors
    /// [`MotionError::Sequence`](crate::MotionError::Sequence) for fewer than two frames, or a reference beyond them.
    pub fn new(plan: SequencePlan, frames: usize) -> Result<Self> {
        require_count(frames, plan.reference)?;
        let course = Course::new(plan, frames);
        Ok(Self { count: course.len(), course, brought: BroughtFrames::default() })
    }

    /// Whether no flow is left.
    pub fn is_done(&self) -> bool {
        self.course.len() == 0
    }

    /// The next flow, by the method that found those before; `fetch` gives a frame, and `region` is that of all frames. None at the
    /// end, and after an error.
    ///
    /// # Errors
    /// As [`PairMethod::estimate`]; whatever `fetch` fails with.
    pub fn next(
        &mut self,
        method: &mut dyn PairMethod,
        fetch: &(dyn Fn(usize) -> Result<Frame> + Sync),
        region: &ResidentRegion,
    ) -> Result<Option<ResidentField>> {
        let (device, brought, all) = (method.device().clone(), &mut self.brought, self.count as f64);
        let mut done = self.count - self.course.len();
        device.scope(|| {
            let asked = self.course.next(&device, &mut |frames, start| {
                frames.iter().try_for_each(|&frame| brought.bring(frame, &frames, || fetch(frame)))?;
                let [fixed, moving] = brought.pair(frames);
                let pair = ImagePair { region: region.lend(), start, ..ImagePair::new(fixed, moving) };
                let portion = Portion { before: done as f64, own: 1.0, all };
                done += 1;
                device.control().portion(portion, || method.estimate(pair))
            })?;
            let Some(Asked { pending, role, frames: [fixed, moving] }) = asked else { return Ok(None) };
            Ok(Some(ResidentField { role, fixed, moving, found: pending.stay()? }))
        })
    }
}
