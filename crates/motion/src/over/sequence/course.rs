//! The pairs of a sequence in the order in which they are asked for, and the motion that is composed of their flows.

use super::{SequenceMode, SequencePlan, SequenceRole};
use crate::error::Result;
use crate::method::pending_flow::PendingFlow;
use crate::method::resident::{ResidentFlow, ResidentStart};
use crate::steps::composition::compose_resident;
use std::collections::VecDeque;
use veloxel_gpu::Device;
use veloxel_kernels::variational::flow_composition::OutsideVector;

/// A pair that is estimated, and what it is for.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// A frame to its successor: handed out, or a part of the motion from the reference.
    Forward(usize),
    /// A frame to the one before it: a part of the motion from the reference.
    Back(usize),
    /// The reference to a frame, from the motion between them.
    Reference(usize),
    /// The last frame to the first.
    Around,
}

/// What is left of a sequence, and the motion up to now.
#[derive(Debug)]
pub(super) struct Course {
    plan: SequencePlan,
    count: usize,
    steps: VecDeque<Step>,
    /// From the first frame on, to the last one and back to it in the end.
    around: Option<ResidentFlow>,
    from_reference: Option<ResidentFlow>,
}

/// A flow that is handed out.
pub(super) struct Asked {
    pub pending: PendingFlow,
    pub role: SequenceRole,
    /// The frame that it lives on, and the one that it points into.
    pub frames: [usize; 2],
}

/// Asks for the flow between two frames, from a start.
pub(super) type Ask<'a> = &'a mut dyn FnMut([usize; 2], ResidentStart<'_>) -> Result<PendingFlow>;

impl Course {
    /// The pairs of so many frames.
    pub fn new(plan: SequencePlan, count: usize) -> Self {
        let has_reference = plan.mode != SequenceMode::Consecutive;
        let first = if plan.mode == SequenceMode::Reference { plan.reference } else { 0 };
        let mut steps = VecDeque::new();
        for fixed in first..count - 1 {
            steps.push_back(Step::Forward(fixed));
            if has_reference && fixed >= plan.reference {
                steps.push_back(Step::Reference(fixed + 1));
            }
        }
        if has_reference {
            let back = (1..=plan.reference).rev();
            steps.extend(back.flat_map(|fixed| [Step::Back(fixed), Step::Reference(fixed - 1)]));
        }
        steps.extend((plan.mode == SequenceMode::Both).then_some(Step::Around));
        Self { plan, count, steps, around: None, from_reference: None }
    }

    /// How many pairs are estimated, handed out or not.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The next flow that is handed out; none at the end.
    pub fn next(&mut self, device: &Device, ask: Ask<'_>) -> Result<Option<Asked>> {
        while let Some(step) = self.steps.pop_front() {
            let found = self.step(step, device, ask);
            if found.is_err() {
                // What follows would begin from a motion that is not there.
                self.steps.clear();
            }
            if let Some(asked) = found? {
                return Ok(Some(asked));
            }
        }
        Ok(None)
    }

    fn step(&mut self, step: Step, device: &Device, ask: Ask<'_>) -> Result<Option<Asked>> {
        let SequencePlan { mode, reference, .. } = self.plan;
        let (role, frames) = match step {
            Step::Forward(fixed) => (SequenceRole::Consecutive, [fixed, fixed + 1]),
            Step::Back(fixed) => (SequenceRole::Reference, [fixed, fixed - 1]),
            Step::Reference(moving) => (SequenceRole::Reference, [reference, moving]),
            Step::Around => (SequenceRole::Consecutive, [self.count - 1, 0]),
        };
        let start = match (step, &self.from_reference) {
            (Step::Reference(_), Some(start)) => ResidentStart::Flow(start),
            _ => ResidentStart::Zero,
        };
        let pending = ask(frames, start)?;
        let is_forward = matches!(step, Step::Forward(_));
        if matches!(step, Step::Around) || is_forward && mode == SequenceMode::Both {
            extend(&mut self.around, pending.flow(), OutsideVector::Unknown, device)?;
        }
        let is_back = matches!(step, Step::Back(_));
        if is_back && frames[0] == reference {
            // The way back begins.
            self.from_reference = None;
        }
        if is_back || is_forward && mode != SequenceMode::Consecutive && frames[0] >= reference {
            extend(&mut self.from_reference, pending.flow(), OutsideVector::KeepFirst, device)?;
        }
        let is_part = is_back || is_forward && mode == SequenceMode::Reference;
        Ok((!is_part).then_some(Asked { pending, role, frames }))
    }

    /// The motion composed once around the cycle, where it was.
    pub fn around(self) -> Option<ResidentFlow> {
        self.around
    }
}

/// Lets a motion be followed by one more flow.
fn extend(
    so_far: &mut Option<ResidentFlow>,
    next: &ResidentFlow,
    outside: OutsideVector,
    device: &Device,
) -> Result<()> {
    let longer = match so_far {
        None => next.duplicate(device),
        Some(so_far) => compose_resident(device, so_far, next, outside),
    };
    *so_far = Some(longer?);
    Ok(())
}
