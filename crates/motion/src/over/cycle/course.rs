//! The flows between neighbours in time, and what is composed of them; of all cines at once.

use super::outlined::ResidentOutlined;
use super::{CineFrames, Cycle, CycleEstimate, CycleFrame, CyclePlan, Periodicity};
use crate::error::Result;
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::{PendingFlow, determinant_of};
use crate::method::resident::{ResidentFlow, ResidentMask, ResidentStart};
use crate::over::sequence::FrameRegions;
use crate::steps::composition::compose_resident;
use crate::steps::frame::Frame;
use veloxel_core::{Flow, JacobianReport, Portion};
use veloxel_gpu::Device;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Mix;
use veloxel_kernels::variational::flow_composition::OutsideVector;

/// One cine of several that are followed together, in the memory of a device.
pub(super) struct CineLane {
    pub frames: Vec<Frame>,
    /// Where and how much their data count.
    pub regions: FrameRegions,
    /// What lies within the outlines of the start frame.
    outlined: Option<ResidentOutlined>,
}

impl CineLane {
    pub fn upload(device: &Device, cine: &CineFrames<'_>) -> Result<Self> {
        let upload = |frame| Frame::upload(device, frame);
        Ok(Self {
            frames: cine.frames.frames.iter().map(upload).collect::<Result<_, _>>()?,
            regions: FrameRegions::upload(device, &cine.frames)?,
            outlined: cine.outlined.map(|outlined| ResidentOutlined::upload(device, outlined)).transpose()?,
        })
    }
}

/// Everything that pairs are asked with.
pub(super) struct Course<'a> {
    method: &'a mut dyn PairMethod,
    device: Device,
    lanes: &'a [CineLane],
    plan: CyclePlan,
    pairs: usize,
    done: usize,
}

/// A pair of frames of a lane.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    lane: usize,
    /// Fixed and moving.
    frames: [usize; 2],
    start: ResidentStart<'a>,
}

impl<'a> Asked<'a> {
    fn pair(&self, lanes: &'a [CineLane]) -> ImagePair<'a> {
        let (lane, [fixed, moving]) = (&lanes[self.lane], self.frames);
        let (region, start) = (lane.regions.of(fixed), self.start);
        ImagePair { region, start, ..ImagePair::new(&lane.frames[fixed], &lane.frames[moving]) }
    }
}

/// A way in time from the start frame.
struct Way {
    /// Start → t, for every frame that it reaches before it is back at the start.
    flows: Vec<Option<ResidentFlow>>,
    /// Start → start, of a way around.
    around: Option<ResidentFlow>,
}

/// A frame that both ways have reached.
struct Reached {
    lane: usize,
    frame: usize,
    forward: ResidentFlow,
    backward: ResidentFlow,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

impl<'a> Course<'a> {
    pub fn new(method: &'a mut dyn PairMethod, lanes: &'a [CineLane], plan: CyclePlan) -> Self {
        let device = method.device().clone();
        Self { method, device, lanes, plan, pairs: 0, done: 0 }
    }

    fn frame_count(&self) -> usize {
        self.lanes.first().map_or(0, |lane| lane.frames.len())
    }

    /// Everything that is asked of each lane's cycle.
    pub fn follow(&mut self, periodicities: &[Periodicity]) -> Result<Vec<Cycle>> {
        let (count, start) = (self.frame_count(), self.plan.start);
        let increments = |p: &Periodicity| if p.is_periodic { 2 * count } else { count - 1 };
        self.pairs = periodicities.iter().map(increments).sum();
        self.pairs += if self.is_registered() { self.lanes.len() * (count - 1) } else { 0 };
        let mut forward = self.ways(periodicities, Direction::Forward)?;
        let mut backward = self.ways(periodicities, Direction::Backward)?;
        let mut cycles = Vec::with_capacity(self.lanes.len());
        for (lane, &periodicity) in periodicities.iter().enumerate() {
            let drift = |way: &Way| -> Result<Option<f64>> {
                let Some(around) = &way.around else { return Ok(None) };
                around.mean_length_vox(&self.device, self.measured(lane))
            };
            let drift_vox = [drift(&forward[lane])?, drift(&backward[lane])?];
            cycles.push(Cycle { frames: vec![self.at_rest(); count], periodicity, drift_vox });
        }
        let mut reached = Vec::new();
        for (lane, frame) in (0..self.lanes.len()).flat_map(|l| (0..count).map(move |t| (l, t))) {
            let [forward, backward] = match [&mut forward, &mut backward].map(|w| w[lane].flows[frame].take())
            {
                [Some(forward), Some(backward)] => [forward, backward],
                // Frames of a sequence that is not periodic are reached by one way, which stands for both.
                [Some(only), None] | [None, Some(only)] => [only.duplicate(&self.device)?, only],
                [None, None] => continue,
            };
            reached.push(Reached { lane, frame, forward, backward });
        }
        let mut reached = reached.into_iter().peekable();
        while reached.peek().is_some() {
            let some: Vec<Reached> = reached.by_ref().take(self.method.pairs_together()).collect();
            for (lane, frame, found) in self.conclude(some, start)? {
                cycles[lane].frames[frame] = found;
            }
        }
        Ok(cycles)
    }

    /// Whether the start frame is registered to every other one.
    fn is_registered(&self) -> bool {
        matches!(self.plan.estimate, CycleEstimate::Reference | CycleEstimate::Closed)
    }

    /// The frames that a lane's way goes through after the start frame: around a cycle, else to an end of the sequence.
    fn route(&self, is_periodic: bool, direction: Direction) -> Vec<usize> {
        let (count, start) = (self.frame_count(), self.plan.start);
        match (direction, is_periodic) {
            (Direction::Forward, true) => (1..=count).map(|step| (start + step) % count).collect(),
            (Direction::Backward, true) => (1..=count).map(|step| (start + count - step) % count).collect(),
            (Direction::Forward, false) => (start + 1..count).collect(),
            (Direction::Backward, false) => (0..start).rev().collect(),
        }
    }

    /// Increments from frame to frame, composed, in every lane.
    fn ways(&mut self, periodicities: &[Periodicity], direction: Direction) -> Result<Vec<Way>> {
        let (count, start) = (self.frame_count(), self.plan.start);
        let way = |_| Way { flows: (0..count).map(|_| None).collect(), around: None };
        let mut ways: Vec<Way> = periodicities.iter().map(way).collect();
        let mut asked = Vec::new();
        for (lane, periodicity) in periodicities.iter().enumerate() {
            let route = self.route(periodicity.is_periodic, direction);
            let before = std::iter::once(start).chain(route.iter().copied());
            let of = |(before, frame)| Asked { lane, frames: [before, frame], start: ResidentStart::Zero };
            asked.extend(before.zip(route.iter().copied()).map(of));
        }
        for some in asked.chunks(self.method.pairs_together()) {
            for (Asked { lane, frames: [before, frame], .. }, pending) in some.iter().zip(self.ask(some)?) {
                let way = &mut ways[*lane];
                let flow = match &way.flows[*before] {
                    None => pending.flow,
                    Some(so_far) => {
                        compose_resident(&self.device, so_far, pending.flow(), OutsideVector::KeepFirst)?
                    }
                };
                let place = if *frame == start { &mut way.around } else { &mut way.flows[*frame] };
                *place = Some(flow);
            }
        }
        Ok(ways)
    }

    /// The motion to some frames that was asked for, each with its lane and its number.
    fn conclude(&mut self, reached: Vec<Reached>, start: usize) -> Result<Vec<(usize, usize, CycleFrame)>> {
        let (device, count) = (self.device.clone(), self.frame_count());
        let share = |frame: usize| ((frame + count - start) % count) as f32 / count as f32;
        let blend = |r: &Reached| mixed(&device, [&r.forward, &r.backward], share(r.frame));
        let mut references = Vec::new();
        if self.is_registered() {
            let blends = reached.iter().map(blend).collect::<Result<Vec<_>, _>>()?;
            let asked = reached.iter().zip(&blends).map(|(r, blend)| {
                let (lane, frames) = (r.lane, [start, r.frame]);
                Asked { lane, frames, start: ResidentStart::Flow(blend) }
            });
            let found = self.ask(&asked.collect::<Vec<_>>())?;
            references.extend(found.into_iter().map(|pending| pending.flow));
        }
        let mut references = references.into_iter();
        let mut out = Vec::new();
        for r in reached {
            let reference = references.next();
            let flow = match (self.plan.estimate, &reference) {
                (CycleEstimate::Forward, _) => r.forward.duplicate(&device)?,
                (CycleEstimate::Backward, _) => r.backward.duplicate(&device)?,
                (CycleEstimate::Reference, Some(reference)) => reference.duplicate(&device)?,
                (CycleEstimate::Closed, Some(reference)) => {
                    mixed(&device, [&r.forward, reference], share(r.frame) * share(r.frame))?
                }
                _ => blend(&r)?,
            };
            let (lane, frame) = (r.lane, r.frame);
            out.push((lane, frame, self.fetch(flow, reference, r)?));
        }
        Ok(out)
    }

    /// The flows of some pairs.
    fn ask(&mut self, asked: &[Asked<'_>]) -> Result<Vec<PendingFlow>> {
        let [before, own, all] = [self.done, asked.len(), self.pairs].map(|pairs| pairs as f64);
        let pairs = asked.iter().map(|asked| asked.pair(self.lanes)).collect();
        let portion = Portion { before, own, all };
        let mut found = self.device.control().portion(portion, || self.method.estimate_many(pairs))?;
        self.done += asked.len();
        for (asked, from_rest) in asked.iter().zip(&mut found) {
            self.begin_again(*asked, from_rest)?;
        }
        Ok(found)
    }

    /// Begins a pair from the start frame from other maps too, where its outlines are known, and keeps the flow that fits best.
    fn begin_again(&mut self, asked: Asked<'_>, kept: &mut PendingFlow) -> Result<()> {
        let Some((outlined, images)) = self.outlined(&asked) else { return Ok(()) };
        let starts = outlined.maps(images)?.into_iter().map(ResidentStart::Affine);
        let pairs = starts.map(|start| Asked { start, ..asked }.pair(self.lanes)).collect();
        // Beside the pair that was counted: no progress of their own.
        let portion = Portion { before: self.done as f64, own: 0.0, all: self.pairs as f64 };
        let mut others = self.device.control().portion(portion, || self.method.estimate_many(pairs))?;
        let flows: Vec<&ResidentFlow> =
            std::iter::once(&*kept).chain(&others).map(PendingFlow::flow).collect();
        if let Some(other) = outlined.best(&self.device, images, &flows)?.checked_sub(1) {
            *kept = others.swap_remove(other);
        }
        Ok(())
    }

    /// What lies within the outlines of a pair from the start frame, where they are known, and its images.
    fn outlined(&self, asked: &Asked<'_>) -> Option<(&'a ResidentOutlined, [&'a Frame; 2])> {
        let (lane, frames) = (&self.lanes[asked.lane], asked.frames);
        let outlined = lane.outlined.as_ref().filter(|_| frames[0] == self.plan.start)?;
        Some((outlined, frames.map(|frame| &lane.frames[frame])))
    }

    /// Where the fields of a lane are judged.
    fn measured(&self, lane: usize) -> Option<&'a ResidentMask> {
        self.lanes[lane].regions.of(self.plan.start).measured()
    }

    fn fetch(
        &self,
        flow: ResidentFlow,
        reference: Option<ResidentFlow>,
        Reached { lane, forward, backward, .. }: Reached,
    ) -> Result<CycleFrame> {
        let device = &self.device;
        let jacobian = determinant_of(device, &flow, self.measured(lane))?.report;
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
fn mixed(device: &Device, [first, second]: [&ResidentFlow; 2], share: f32) -> Result<ResidentFlow> {
    let mut blend = first.duplicate(device)?;
    for (out, with) in blend.components_vox.iter_mut().zip(&second.components_vox) {
        Mix { with, share, out }.run(device)?;
    }
    Ok(blend)
}
