//! Frames of one grid in, one after the other as they come; the flow of each to the next out.
//!
//! A frame is sent to the device once: first it is the moving image of a pair, then the fixed one of the next. Its statistics are
//! found once as well; its pyramid is not kept, since the intensities of both images of a pair are mapped by the fixed one's
//! percentiles, so that a frame has other samples in its second pair than in its first.
//!
//! *Bits*: those of [`PairMethod::run`] for the same pair.
//!
//! *Threads*: [`PairStream::push`] asks the device, and another thread may fetch what was asked for while the next frame is
//! pushed.
//!
//! *Cost*: two frames beside the method's own memory, and the results that are not fetched yet; from the third frame on no memory
//! is new on the device.

use crate::delivered::stretch::Stretch;
use crate::delivered::{DeliveredFields, Delivery, LeavingFields, Results};
use crate::error::Result;
use crate::method::pair::{ImagePair, PairMethod};
use crate::method::pending_flow::{DenseFlow, FlowExtras, PendingFlow};
use crate::method::resident::{DataRegion, ResidentMask};
use crate::phase::results::ConfidenceChoice;
use crate::steps::frame::Frame;
use veloxel_core::{Flow, FlowStatistics, Grid, Mask, Volume};
use veloxel_gpu::{Device, Later, Timestamp};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::CountKnown;

/// A method of pairs that follows a stream, and the last frame of it.
pub struct PairStream {
    /// One a device: pairs go to them in turn.
    methods: Vec<Box<dyn PairMethod>>,
    /// The last frame, on the device of the pair that it begins.
    before: Option<Frame>,
    pairs: usize,
}

impl std::fmt::Debug for PairStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PairStream").field("before", &self.before).finish_non_exhaustive()
    }
}

/// The flow of a frame to the next one, which the device may not have found yet.
pub struct StreamFlow {
    device: Device,
    pending: PendingFlow,
    known: Later<f64>,
    /// The moment at which the count is there.
    mark: Option<Timestamp>,
    voxels: usize,
}

impl PairStream {
    /// A stream that waits for its first frame, on the grid that the method was opened for.
    pub fn new(method: Box<dyn PairMethod>) -> Self {
        Self::side_by_side(vec![method])
    }

    /// A stream over several devices, with the method opened on each of them, which take pairs in turn; every frame goes to the two
    /// devices whose pairs it belongs to.
    ///
    /// # Panics
    /// Without a method.
    pub fn side_by_side(methods: Vec<Box<dyn PairMethod>>) -> Self {
        assert!(!methods.is_empty(), "a stream should have a method");
        Self { methods, before: None, pairs: 0 }
    }

    /// The grid of all frames.
    pub fn grid(&self) -> &Grid {
        self.methods[0].grid()
    }

    /// Takes the next frame (`f32`, any unit) and asks for the flow of the frame before it, which points into this one; none of the
    /// first frame.
    ///
    /// # Errors
    /// As [`PairMethod::estimate`]. The frame is the next one's predecessor all the same, unless it lies on another grid.
    pub fn push(&mut self, image: &Volume<f32>) -> Result<Option<StreamFlow>> {
        self.push_within(image, None)
    }

    /// [`Self::push`], but that data of the pair count inside of a mask alone, which lies on the frames' grid; none: everywhere.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn push_within(&mut self, image: &Volume<f32>, mask: Option<&Mask>) -> Result<Option<StreamFlow>> {
        self.grid().require_same(image.grid(), "the first frame and this one")?;
        let count = self.methods.len();
        let (own, next) = (self.pairs % count, (self.pairs + 1) % count);
        let device = self.methods[own].device().clone();
        let Some(before) = self.before.take() else {
            self.before = Some(lent(&device, image)?);
            return Ok(None);
        };
        self.pairs += 1;
        let frame = device.scope(|| Frame::lend(&device, image))?;
        let method = &mut self.methods[own];
        let pending = device.scope(|| {
            let mask = mask.map(|mask| ResidentMask::upload(&device, mask)).transpose()?;
            let region = DataRegion { mask: mask.as_ref(), ..DataRegion::default() };
            method.estimate(ImagePair { region, ..ImagePair::new(&before, &frame) })
        });
        self.before = Some(if own == next { frame } else { lent(self.methods[next].device(), image)? });
        device.scope(|| StreamFlow::of(&device, pending?).map(Some))
    }
}

/// A frame that waits for the next one.
fn lent(device: &Device, image: &Volume<f32>) -> Result<Frame> {
    device.scope(|| {
        let frame = Frame::lend(device, image)?;
        // Whatever waits for company goes to the device now: the next frame may be long in coming.
        device.mark()?;
        Ok(frame)
    })
}

impl StreamFlow {
    fn of(device: &Device, pending: PendingFlow) -> Result<Self> {
        let voxels = pending.flow().grid.len();
        let samples = &pending.flow().components_vox[0];
        let known = CountKnown { samples, count: voxels }.run(device)?;
        Ok(Self { device: device.clone(), pending, known, mark: device.mark()?, voxels })
    }

    /// Waits for the device and fetches the flow, its confidence where that is taken, and its diagnostics.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn fetch(self, confidences: ConfidenceChoice) -> Result<StreamedFlow> {
        let DenseFlow { flow, confidence, statistics, .. } = self.pending.finish(FlowExtras::default())?;
        let known = self.known.get_after(&self.device, self.mark.as_ref())?;
        let confidence = match confidences {
            ConfidenceChoice::Taken => Some(confidence),
            ConfidenceChoice::Left => {
                self.device.reuse(confidence.into_data());
                None
            }
        };
        Ok(StreamedFlow { flow, confidence, statistics, known_share: known / self.voxels as f64 })
    }

    /// Rounds the flow and its confidence on the device into memory of their own, in the types in which they leave.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub fn deliver(self, delivery: &Delivery) -> Result<LeavingFlow> {
        let Self { device, pending, known, mark, voxels } = self;
        let components = &pending.flow().components_vox;
        let is_taken = delivery.confidences == ConfidenceChoice::Taken;
        let results = Results {
            flow: Some(components.iter().map(Stretch::whole).collect()),
            flow_confidence: is_taken.then(|| Stretch::whole(&pending.confidence)),
            ..Results::none(&pending.flow().grid)
        };
        let fields = LeavingFields::of(&device, results, &delivery.types)?;
        Ok(LeavingFlow { device, fields, pending, known, mark, voxels })
    }

    /// Waits for the device and fetches the share of voxels with a vector alone, 0 to 1.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub fn known_share(self) -> Result<f64> {
        let known = self.known.get_after(&self.device, self.mark.as_ref())?;
        Ok(known / self.voxels as f64)
    }
}

/// The flow of a frame to the next one on the device, in the types in which it leaves.
pub struct LeavingFlow {
    device: Device,
    fields: LeavingFields,
    pending: PendingFlow,
    known: Later<f64>,
    mark: Option<Timestamp>,
    voxels: usize,
}

impl LeavingFlow {
    /// Waits for the device and fetches the flow, its confidence where that is taken, and its diagnostics.
    ///
    /// # Errors
    /// [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    pub fn fetch(self) -> Result<DeliveredFlow> {
        let fields = self.fields.fetch()?;
        let statistics = self.pending.statistics()?;
        let known = self.known.get_after(&self.device, self.mark.as_ref())?;
        Ok(DeliveredFlow { fields, statistics, known_share: known / self.voxels as f64 })
    }
}

/// The flow of a frame of a stream, in memory, in the types that were asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveredFlow {
    /// The flow, and its confidence where that was taken.
    pub fields: DeliveredFields,
    /// How the run went.
    pub statistics: FlowStatistics,
    /// Share of voxels with a vector, 0 to 1.
    pub known_share: f64,
}

/// The flow of a frame of a stream, in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamedFlow {
    /// fixed(x) ≈ moving(x + d(x)).
    pub flow: Flow,
    /// In [0, 1], where it was taken.
    pub confidence: Option<Volume<f32>>,
    /// How the run went.
    pub statistics: FlowStatistics,
    /// Share of voxels with a vector, 0 to 1.
    pub known_share: f64,
}
