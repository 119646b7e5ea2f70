//! The flows between neighbours in time, and what is composed of them.

use super::{Cycle, CycleEstimate, CycleFrame, CyclePlan, Periodicity};
use crate::composition::compose_resident;
use crate::frame::Frame;
use crate::method::{ImagePair, PairMethod};
use crate::pending_flow::{PendingFlow, determinant_of};
use crate::resident::{Region, ResidentFlow, ResidentMask, ResidentStart};
use crate::sequence::{SequenceFrames, of_frame};
use crate::{MotionError, Observer, Step};
use veloxel_core::{Flow, JacobianReport, Mask};
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Mix;
use veloxel_kernels::variational::flow_composition::Outside;
use veloxel_kernels::variational::flow_length::FlowLength;

/// Everything that pairs are asked with.
pub(super) struct Course<'a> {
    method: &'a mut dyn PairMethod,
    device: Device,
    frames: &'a [Frame],
    masks: Vec<ResidentMask>,
    volume_masks: Vec<ResidentMask>,
    observer: &'a dyn Observer,
    pairs: usize,
    done: usize,
}

/// A way in time from the start frame.
struct Way {
    /// Start → t, for every frame that it reaches before it is back at the start.
    flows: Vec<Option<ResidentFlow>>,
    /// Start → start, of a way around.
    around: Option<ResidentFlow>,
}

impl<'a> Course<'a> {
    pub fn new(
        method: &'a mut dyn PairMethod,
        frames: &'a [Frame],
        given: SequenceFrames<'_>,
        observer: &'a dyn Observer,
    ) -> Result<Self, MotionError> {
        let device = method.device().clone();
        let upload = |masks: &[Mask]| -> Result<Vec<ResidentMask>, MotionError> {
            masks.iter().map(|mask| ResidentMask::upload(&device, mask)).collect()
        };
        let (masks, volume_masks) = (upload(given.masks)?, upload(given.volume_masks)?);
        Ok(Self { method, device, frames, masks, volume_masks, observer, pairs: 0, done: 0 })
    }

    /// Where the data of a frame count.
    pub fn mask(&self, frame: usize) -> Option<&ResidentMask> {
        of_frame(&self.masks, frame)
    }

    /// Everything that is asked of a cycle.
    pub fn follow(&mut self, plan: CyclePlan, periodicity: Periodicity) -> Result<Cycle, MotionError> {
        let (count, start) = (self.frames.len(), plan.start);
        let is_reference = matches!(plan.estimate, CycleEstimate::Reference | CycleEstimate::Closed);
        self.pairs = if periodicity.is_periodic { 2 * count } else { count - 1 };
        self.pairs += if is_reference { count - 1 } else { 0 };
        let [mut forward, mut backward] = self.ways(start, periodicity)?;
        let drift_vox = [self.length_of(&forward.around, start)?, self.length_of(&backward.around, start)?];
        let mut frames = Vec::with_capacity(count);
        for frame in 0..count {
            let ways = [forward.flows[frame].take(), backward.flows[frame].take()];
            let ways = match ways {
                [Some(forward), Some(backward)] => [forward, backward],
                // Frames of a sequence that is not periodic are reached by one way, which stands for both.
                [Some(only), None] | [None, Some(only)] => [only.duplicate(&self.device)?, only],
                [None, None] => {
                    frames.push(self.at_rest());
                    continue;
                }
            };
            let (flow, reference) = self.estimate(&ways, frame, plan)?;
            frames.push(self.fetch(flow, reference, ways, start)?);
        }
        Ok(Cycle { frames, periodicity, drift_vox })
    }

    /// Both ways around a cycle; of a sequence that is not periodic, from the start to its ends.
    fn ways(&mut self, start: usize, periodicity: Periodicity) -> Result<[Way; 2], MotionError> {
        let count = self.frames.len();
        Ok(match periodicity.is_periodic {
            true => [
                self.way(start, (1..=count).map(|step| (start + step) % count))?,
                self.way(start, (1..=count).map(|step| (start + count - step) % count))?,
            ],
            false => [self.way(start, start + 1..count)?, self.way(start, (0..start).rev())?],
        })
    }

    /// Increments from frame to frame, composed.
    fn way(&mut self, start: usize, frames: impl Iterator<Item = usize>) -> Result<Way, MotionError> {
        let mut way = Way { flows: self.frames.iter().map(|_| None).collect(), around: None };
        let mut before = start;
        for frame in frames {
            let pending = self.ask([before, frame], ResidentStart::Zero)?;
            let so_far = way.flows.get(before).and_then(Option::as_ref);
            let flow = match so_far {
                None => pending.flow().duplicate(&self.device)?,
                Some(so_far) => compose_resident(&self.device, so_far, pending.flow(), Outside::KeepFirst)?,
            };
            match frame == start {
                true => way.around = Some(flow),
                false => way.flows[frame] = Some(flow),
            }
            before = frame;
        }
        Ok(way)
    }

    /// The motion to a frame that was asked for, and that of the start frame registered to it where there is one.
    fn estimate(
        &mut self,
        [forward, backward]: &[ResidentFlow; 2],
        frame: usize,
        plan: CyclePlan,
    ) -> Result<(ResidentFlow, Option<ResidentFlow>), MotionError> {
        let count = self.frames.len();
        let share = ((frame + count - plan.start) % count) as f32 / count as f32;
        let device = self.device.clone();
        let blend = || mixed(&device, [forward, backward], share);
        let mut registered = || -> Result<ResidentFlow, MotionError> {
            let pending = self.ask([plan.start, frame], ResidentStart::Flow(&blend()?))?;
            pending.flow().duplicate(&device)
        };
        Ok(match plan.estimate {
            CycleEstimate::Forward => (forward.duplicate(&device)?, None),
            CycleEstimate::Backward => (backward.duplicate(&device)?, None),
            CycleEstimate::Blended | CycleEstimate::Whole => (blend()?, None),
            CycleEstimate::Reference => {
                let reference = registered()?;
                (reference.duplicate(&device)?, Some(reference))
            }
            CycleEstimate::Closed => {
                let reference = registered()?;
                (mixed(&device, [forward, &reference], share * share)?, Some(reference))
            }
        })
    }

    fn ask(
        &mut self,
        [fixed, moving]: [usize; 2],
        start: ResidentStart<'_>,
    ) -> Result<PendingFlow, MotionError> {
        let region =
            Region { mask: of_frame(&self.masks, fixed), volume_mask: of_frame(&self.volume_masks, fixed) };
        let pair = ImagePair { region, start, ..ImagePair::new(&self.frames[fixed], &self.frames[moving]) };
        let nth = Nth { observer: self.observer, nth: self.done, pairs: self.pairs };
        let pending = self.method.estimate(pair, &nth)?;
        self.done += 1;
        Ok(pending)
    }

    /// Where a frame's fields are judged.
    fn measured(&self, frame: usize) -> Option<&ResidentMask> {
        of_frame(&self.volume_masks, frame).or(of_frame(&self.masks, frame))
    }

    fn length_of(&self, flow: &Option<ResidentFlow>, start: usize) -> Result<Option<f64>, MotionError> {
        let Some(flow) = flow else { return Ok(None) };
        let weight = self.measured(start).map(|mask| &mask.weight);
        let length = FlowLength { flow: &flow.components_vox, weight };
        let (sum, voxels) = length.run(&self.device)?.get(&self.device)?;
        Ok((voxels > 0.0).then(|| sum / voxels))
    }

    fn fetch(
        &self,
        flow: ResidentFlow,
        reference: Option<ResidentFlow>,
        [forward, backward]: [ResidentFlow; 2],
        start: usize,
    ) -> Result<CycleFrame, MotionError> {
        let device = &self.device;
        let jacobian = determinant_of(device, &flow, self.measured(start))?.report;
        Ok(CycleFrame {
            jacobian: jacobian.get(device)?,
            flow: flow.download(device)?,
            forward: forward.download(device)?,
            backward: backward.download(device)?,
            reference: reference.map(|flow| flow.download(device)).transpose()?,
        })
    }

    /// The start frame itself.
    fn at_rest(&self) -> CycleFrame {
        let still = Flow::zeros(self.method.grid().clone());
        let jacobian = JacobianReport { min: 1.0, max: 1.0, ..JacobianReport::default() };
        CycleFrame { flow: still.clone(), forward: still.clone(), backward: still, reference: None, jacobian }
    }
}

/// Equation 6: the first flow where `share` is 0, the second where it is 1.
fn mixed(
    device: &Device,
    [first, second]: [&ResidentFlow; 2],
    share: f32,
) -> Result<ResidentFlow, MotionError> {
    let mut blend = first.duplicate(device)?;
    for (out, with) in blend.components_vox.iter_mut().zip(&second.components_vox) {
        Mix { with, share, out }.run(device)?;
    }
    Ok(blend)
}

/// A pair's progress as a part of the whole cycle's.
struct Nth<'a> {
    observer: &'a dyn Observer,
    nth: usize,
    pairs: usize,
}

impl Observer for Nth<'_> {
    fn step(&self, step: Step) {
        let done = (self.nth as f64 + step.done) / self.pairs as f64;
        self.observer.step(Step { done, ..step });
    }
}
