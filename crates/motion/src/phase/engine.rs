//! The phase engine: a stream of frames in, of one camera or two, and flow, disparity and features out, from one Gabor pyramid
//! a frame.
//!
//! *Paper*: Pauwels et al. 2012 (see [`super::features`]), section 6. The phases of the last five left frames stay on
//! the device with the features of the last three, and the right ones wait as they came until their left frame is the centre:
//! they leave the host while the device is at work already. Every buffer is allocated when the engine is made. Nothing waits
//! for the host: results are fetched when they are asked for.
//!
//! *Delay*: the results after a push belong to the frame [`PhaseEngine::delay`] pushes ago, the centre of those that flow needs.
//! Stereo and features have every frame: flow is missing where its window leaves the stream, and [`PhaseEngine::drain`] brings
//! what is left at the end.

use super::features::{Features, PhaseFeatures};
use super::flow::{FlowFields, PhaseFlowFields};
use super::parameters::PhaseParameters;
use super::plan::{GaborPyramid, PhasePlan, PhaseWanted, check_count, check_samples};
use super::results::{ConfidenceChoice, FeatureScales, PhaseCounts, PhaseTaken};
use super::stereo::{PhaseStereo, Stereo};
use super::twin::round_features;
use crate::delivered::stretch::Stretch;
use crate::delivered::{Delivery, LeavingFields, Results};
use crate::error::Result;
use veloxel_core::Grid;
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::CountKnown;
use veloxel_kernels::phase::gabor::Picture;

/// A frame of a stream, row by row.
#[derive(Debug, Clone, Copy)]
pub enum PhaseImage<'a> {
    /// 8-bit grey; `full_scale` should be 255.
    Bytes(&'a [u8]),
    /// Samples.
    Samples(&'a [f32]),
    /// It was uploaded before.
    Resident(&'a PhaseFrame),
}

/// A frame in the memory of a device, for who pushes it more than once; cheap to clone.
#[derive(Debug, Clone)]
pub struct PhaseFrame {
    picture: Picture,
    size: [usize; 2],
}

/// Flow, stereo and features of a stream of frames of one size.
#[derive(Debug)]
pub struct PhaseEngine {
    plan: PhasePlan,
    grid: Grid,
    wanted: PhaseWanted,
    /// Left frames: frame `t` lies at `t` modulo their number.
    left: Vec<GaborPyramid>,
    /// Right frames from the centre's on: frame `t` lies at `t` modulo their number; none where no right frame came.
    right: Vec<Option<PhaseFrame>>,
    /// The centre's right frame.
    right_pyramid: Option<GaborPyramid>,
    flow: Option<FlowFields>,
    stereo: Option<Stereo>,
    /// Features of the left frames from the centre's on: those of frame `t` lie at `t` modulo their number; empty if they are
    /// not wanted.
    features: Vec<Features>,
    pushed: u64,
    /// The next frame that results are due for.
    next: u64,
}

/// What was found for a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Has {
    flow: bool,
    stereo: bool,
}

/// Results of one frame, on the device until the next push.
#[derive(Debug)]
pub struct PhaseOutputs<'a> {
    engine: &'a mut PhaseEngine,
    frame: u64,
    has: Has,
}

impl PhaseEngine {
    /// An engine for frames of `(nx, ny)` pixels.
    ///
    /// # Errors
    /// [`MotionError::Parameter`](crate::MotionError::Parameter); [`MotionError::Input`](crate::MotionError::Input) for an
    /// impossible size; [`MotionError::Compute`](crate::MotionError::Compute) if there is too little memory.
    pub fn new(
        size: [usize; 2],
        wanted: PhaseWanted,
        parameters: PhaseParameters,
        device: &Device,
    ) -> Result<Self> {
        let plan = PhasePlan::new(size, wanted, &parameters, device)?;
        let frames = if wanted.flow { parameters.frames.count() } else { 1 };
        let delay = frames - 1 - if wanted.flow { parameters.frames.centre() } else { 0 };
        let left = (0..frames).map(|_| GaborPyramid::new(&plan)).collect::<Result<_, _>>()?;
        let right_frames = if wanted.stereo { delay + 1 } else { 0 };
        Ok(Self {
            left,
            right: vec![None; right_frames],
            right_pyramid: wanted.stereo.then(|| GaborPyramid::new(&plan)).transpose()?,
            flow: wanted.flow.then(|| FlowFields::new(&plan)).transpose()?,
            stereo: wanted.stereo.then(|| Stereo::new(&plan)).transpose()?,
            features: (0..if wanted.features { delay + 1 } else { 0 })
                .map(|_| Features::new(&plan))
                .collect::<Result<_, _>>()?,
            grid: Grid::image(size[0], size[1])?,
            plan,
            wanted,
            pushed: 0,
            next: 0,
        })
    }

    /// `(nx, ny)` of a frame.
    pub fn size(&self) -> [usize; 2] {
        self.plan.levels.size(0)
    }

    /// The parameters in force.
    pub fn parameters(&self) -> &PhaseParameters {
        &self.plan.parameters
    }

    /// How many frames it has taken: the number that the next one's results will have.
    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// How many pushes after a frame its results come: 2 with flow of five frames, 1 of three or two, 0 without flow.
    pub fn delay(&self) -> usize {
        self.left.len() - 1 - if self.wanted.flow { self.plan.parameters.frames.centre() } else { 0 }
    }

    /// Copies a frame to the device, where it can be pushed from many times; one that is there already stays where it is.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn upload(&self, image: PhaseImage<'_>) -> Result<PhaseFrame> {
        self.check("the frame", image)?;
        self.hold(image)
    }

    /// A frame of samples that the device has already, which have to be finite.
    ///
    /// # Errors
    /// [`MotionError::Input`](crate::MotionError::Input) for another size.
    pub fn frame_of(&self, samples: Buffer) -> Result<PhaseFrame> {
        let size = self.size();
        check_count(samples.len(), size)?;
        Ok(PhaseFrame { picture: Picture::of(samples), size })
    }

    /// Takes the next frame, and the right camera's with it, and starts what can be estimated now; none for the first
    /// [`delay`](Self::delay) frames, and where nothing but flow is wanted until there are enough frames for it.
    ///
    /// # Errors
    /// [`MotionError::Input`](crate::MotionError::Input) for another size, or samples that are not finite;
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn push(
        &mut self,
        left: PhaseImage<'_>,
        right: Option<PhaseImage<'_>>,
    ) -> Result<Option<PhaseOutputs<'_>>> {
        let right = right.filter(|_| self.wanted.stereo);
        self.check("the frame", left)?;
        right.map_or(Ok(()), |right| self.check("the right frame", right))?;
        let device = self.plan.device.clone();
        let found = device.scope(|| -> Result<_> {
            let left = self.hold(left)?;
            let newest = slot(self.pushed, self.right.len());
            if self.delay() == 0 {
                self.take_right(newest, right)?;
                return self.advance(&left);
            }
            // The centre's right frame came before: the device need not wait for the new one.
            let found = self.advance(&left)?;
            self.take_right(newest, right)?;
            Ok(found)
        })?;
        Ok(found.map(|(frame, has)| PhaseOutputs { engine: self, frame, has }))
    }

    /// At the end of a stream: the results of the next of the last [`delay`](Self::delay) frames, which have no flow; none once
    /// all are out, and the next push begins another stream.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn drain(&mut self) -> Result<Option<PhaseOutputs<'_>>> {
        let device = self.plan.device.clone();
        while self.next < self.pushed {
            let frame = self.next;
            self.next += 1;
            let has = device.scope(|| self.find_without_flow(frame))?;
            if self.is_anything(has) {
                return Ok(Some(PhaseOutputs { engine: self, frame, has }));
            }
        }
        (self.pushed, self.next) = (0, 0);
        self.right.fill(None);
        Ok(None)
    }

    /// The stereo of a frame whose left phases are there.
    fn find_without_flow(&mut self, frame: u64) -> Result<Has> {
        let plan = &self.plan;
        let right = self.right.get(slot(frame, self.right.len())).and_then(Option::as_ref);
        if let (Some(right), Some(stereo), Some(pyramid)) = (right, &mut self.stereo, &mut self.right_pyramid)
        {
            plan.pyramids(&[&right.picture], &mut [&mut pyramid.images])?;
            pyramid.find(plan, None)?;
            let left = &self.left[slot(frame, self.left.len())];
            stereo.find(plan, [left, pyramid])?;
        }
        plan.device.mark()?;
        Ok(Has { flow: false, stereo: right.is_some() })
    }

    fn is_anything(&self, has: Has) -> bool {
        has.flow || has.stereo || self.wanted.features
    }

    /// Waits until the device has done all it was asked for.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn synchronise(&self) -> Result<()> {
        Ok(self.plan.device.synchronise()?)
    }

    fn check(&self, what: &str, image: PhaseImage<'_>) -> Result<()> {
        let size = self.size();
        match image {
            PhaseImage::Bytes(bytes) => check_count(bytes.len(), size),
            PhaseImage::Samples(samples) => check_samples(what, size, samples),
            PhaseImage::Resident(frame) => check_count(frame.size[0] * frame.size[1], size),
        }
    }

    /// A frame of a push, on the device.
    fn hold(&self, image: PhaseImage<'_>) -> Result<PhaseFrame> {
        let (device, size) = (&self.plan.device, self.size());
        let picture = match image {
            PhaseImage::Bytes(bytes) => Picture::from_bytes(device, bytes)?,
            PhaseImage::Samples(samples) => Picture::from_samples(device, samples)?,
            PhaseImage::Resident(frame) => return Ok(frame.clone()),
        };
        Ok(PhaseFrame { picture, size })
    }

    fn take_right(&mut self, slot: usize, image: Option<PhaseImage<'_>>) -> Result<()> {
        // The frame before it is gone whatever happens.
        let frame = self.right.get_mut(slot).and_then(|right| right.take());
        drop(frame);
        let frame = image.map(|image| self.hold(image)).transpose()?;
        if let Some(right) = self.right.get_mut(slot) {
            *right = frame;
        }
        Ok(())
    }

    /// Filters the new frame and finds what its centre frame lets us; that frame, and what it has.
    fn advance(&mut self, left: &PhaseFrame) -> Result<Option<(u64, Has)>> {
        let (plan, delay) = (&self.plan, self.delay() as u64);
        let newest = slot(self.pushed, self.left.len());
        let frames = self.left.len() as u64;
        let centre = self.pushed.checked_sub(delay);
        let right = centre.and_then(|centre| self.right.get(slot(centre, self.right.len()))?.as_ref());
        let images = &mut self.left[newest].images;
        match (right, &mut self.right_pyramid) {
            (Some(right), Some(pyramid)) => {
                plan.pyramids(&[&left.picture, &right.picture], &mut [images, &mut pyramid.images])?;
            }
            _ => plan.pyramids(&[&left.picture], &mut [images])?,
        }
        let newest_features = slot(self.pushed, self.features.len());
        match self.features.get_mut(newest_features) {
            None => self.left[newest].find(plan, None)?,
            Some(features) => {
                self.left[newest].find(plan, Some(&mut features.maps))?;
                round_features(plan, &mut features.maps)?;
            }
        }
        self.pushed += 1;
        let Some(centre) = centre else { return Ok(None) };
        self.next = centre + 1;
        let centre_frame = &self.left[slot(centre, self.left.len())];
        let begin = self.pushed.checked_sub(frames);
        if let (Some(begin), Some(flow)) = (begin, &mut self.flow) {
            let ordered: Vec<&GaborPyramid> =
                (begin..self.pushed).map(|t| &self.left[slot(t, self.left.len())]).collect();
            flow.find(plan, &ordered, None)?;
        }
        if let (Some(_), Some(stereo), Some(pyramid)) = (right, &mut self.stereo, &mut self.right_pyramid) {
            pyramid.find(plan, None)?;
            stereo.find(plan, [centre_frame, pyramid])?;
        }
        let has = Has { flow: begin.is_some() && self.flow.is_some(), stereo: right.is_some() };
        // Whatever waits for company goes to the device now: the next frame may be long in coming.
        plan.device.mark()?;
        Ok(self.is_anything(has).then_some((centre, has)))
    }
}

/// An estimate and its confidence, each where they are there.
fn found_of(found: Option<[&Buffer; 2]>) -> [Option<&Buffer>; 2] {
    found.map_or([None; 2], |found| found.map(Some))
}

/// Where a frame lies among so many in turn.
fn slot(frame: u64, slots: usize) -> usize {
    (frame % slots.max(1) as u64) as usize
}

impl PhaseOutputs<'_> {
    /// Which frame the results belong to: 0 is the first that was pushed.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Fetches the flow; none if the engine was not asked for it, or the frame's window leaves the stream.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn flow(&self) -> Result<Option<PhaseFlowFields>> {
        let PhaseEngine { flow, plan, grid, .. } = &*self.engine;
        flow.as_ref().filter(|_| self.has.flow).map(|f| f.fetch(plan, grid)).transpose()
    }

    /// Fetches the disparity; none if the engine was not asked for it, or the frame came without a right one.
    ///
    /// # Errors
    /// As [`Self::flow`].
    pub fn stereo(&self) -> Result<Option<PhaseStereo>> {
        let PhaseEngine { stereo, plan, grid, .. } = &*self.engine;
        stereo.as_ref().filter(|_| self.has.stereo).map(|s| s.fetch(plan, grid)).transpose()
    }

    /// Fetches the features of the finest `levels` (one: full resolution); none if the engine was not asked for them.
    ///
    /// # Errors
    /// As [`Self::flow`].
    pub fn features(&self, levels: usize) -> Result<Option<PhaseFeatures>> {
        let engine = &*self.engine;
        let features = engine.features.get(slot(self.frame, engine.features.len()));
        features.map(|f| f.fetch(&engine.plan, levels, &engine.grid)).transpose()
    }

    /// Counts the pixels that are known; the numbers need not be here yet, and fetching them fetches nothing else.
    ///
    /// # Errors
    /// As [`Self::flow`].
    pub fn count_known(&self) -> Result<PhaseCounts> {
        let PhaseEngine { flow, stereo, features, plan, .. } = &*self.engine;
        let (device, pixels) = (&plan.device, plan.levels.pixels(0));
        let count = |map: Option<&Buffer>| {
            map.map(|samples| CountKnown { samples, count: pixels }.run(device)).transpose()
        };
        let stereo = stereo.as_ref().filter(|_| self.has.stereo);
        let flow = flow.as_ref().filter(|_| self.has.flow);
        Ok(PhaseCounts {
            flow: count(flow.map(|f| f.forward.found()[0]))?,
            stereo: count(stereo.map(|s| s.found()[0]))?,
            features: count(features.get(slot(self.frame, features.len())).map(|f| &f.maps[2]))?,
            mark: device.mark()?,
            device: device.clone(),
            pixels,
        })
    }

    /// Rounds the fields on the device into memory of their own, in the types in which they leave: they can be fetched by another
    /// thread, while the engine goes on.
    ///
    /// # Errors
    /// As [`Self::flow`].
    pub fn deliver(&self, delivery: &Delivery) -> Result<LeavingFields> {
        let PhaseEngine { flow, stereo, features, plan, grid, .. } = &*self.engine;
        let is_taken = delivery.confidences == ConfidenceChoice::Taken;
        let [flow, flow_confidence] =
            found_of(flow.as_ref().filter(|_| self.has.flow).map(|f| f.forward.found()));
        let [disparity_px, disparity] =
            found_of(stereo.as_ref().filter(|_| self.has.stereo).map(|s| s.found()));
        let n = plan.levels.pixels(0);
        let maps = features.get(slot(self.frame, features.len()));
        let levels = match delivery.scales {
            FeatureScales::Finest => 1,
            FeatureScales::All => plan.feature_levels,
        };
        let range =
            |level: usize| plan.levels.start(level)..plan.levels.start(level) + plan.levels.pixels(level);
        let scales =
            maps.map(|maps| (0..levels).map(|l| maps.stretch(plan.levels.size(l), range(l))).collect());
        let results = Results {
            flow: flow.map(|flow| vec![Stretch::of(flow, 0..n), Stretch::of(flow, n..2 * n)]),
            flow_confidence: flow_confidence.filter(|_| is_taken).map(|map| Stretch::of(map, 0..n)),
            disparity_px: disparity_px.map(|map| Stretch::of(map, 0..n)),
            disparity_confidence: disparity.filter(|_| is_taken).map(|map| Stretch::of(map, 0..n)),
            features: scales.unwrap_or_default(),
            ..Results::none(grid)
        };
        LeavingFields::of(&plan.device, results, &delivery.types)
    }

    /// Takes the fields out of the engine, which finds the next ones in other memory: they can be fetched by another thread,
    /// while it goes on.
    ///
    /// # Errors
    /// As [`Self::flow`].
    pub fn take(self, confidences: ConfidenceChoice) -> Result<PhaseTaken> {
        let PhaseEngine { flow, stereo, features, plan, grid, .. } = self.engine;
        let device = &plan.device;
        let flow = flow.as_mut().filter(|_| self.has.flow);
        let stereo = stereo.as_mut().filter(|_| self.has.stereo);
        let nth = slot(self.frame, features.len());
        let features = features.get_mut(nth);
        Ok(PhaseTaken {
            flow: flow.map(|flow| flow.forward.take(plan, confidences)).transpose()?,
            disparity: stereo.map(|stereo| stereo.take(plan, confidences)).transpose()?,
            features: features.map(|features| features.take(plan)).transpose()?,
            frame: self.frame,
            mark: device.mark()?,
            device: device.clone(),
            grid: grid.clone(),
        })
    }
}
