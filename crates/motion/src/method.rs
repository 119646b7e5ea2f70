//! The seam between methods and everything that is not one.
//!
//! A dense method is opened for a grid and a device, and then asked for the flow of images that are on that device already:
//! a pair of them ([`PairMethod`]), or a window of frames ([`WindowMethod`]). It returns a [`PendingFlow`]: a flow, a
//! confidence and diagnostics of its own, all on the device.
//! Starts, masks, sequences, streaming ahead and inverse consistency are written once over these two traits.

use crate::moving_image::require_overlap;
use crate::resident::ResidentRegion;
use crate::{
    Decisions, DenseFlow, Extras, Footprint, Frame, FrameSource, LocalMethod, LocalWindow, MotionError,
    Observer, PendingFlow, Portion, Region, ResidentStart, Result, Start, require_sampled,
};
use veloxel_core::{Grid, Mask, SolveStatus, Volume, WarningKind};
use veloxel_gpu::Device;
use veloxel_kernels::image::warp::Interpolation;

/// A method that was opened for a grid and a device.
pub trait DenseMethod: Send {
    /// The grid of the images it takes, on which its flow lives.
    fn grid(&self) -> &Grid;
    /// Where it runs.
    fn device(&self) -> &Device;
    /// How images are sampled between voxels.
    fn interpolation(&self) -> Interpolation {
        Interpolation::CubicSpline
    }
    /// The device memory that a run takes, and how a run may be cut into tiles; none: unknown, so memory and time cannot be
    /// predicted.
    fn footprint(&self) -> Option<Footprint> {
        None
    }
}

/// A method that estimates the flow between two images.
pub trait PairMethod: DenseMethod {
    /// Asks the device for the flow of the fixed image, which it may not have found when this returns.
    ///
    /// # Errors
    /// [`MotionError::Input`] if the fixed image does not lie on the grid that the method was opened for, or an image holds
    /// NaN outside of its mask; [`MotionError::Apart`]; [`MotionError::Compute`] if the device fails.
    fn estimate(&mut self, pair: ImagePair<'_>, observer: &dyn Observer) -> Result<PendingFlow>;

    /// How many pairs [`Self::estimate_many`] works on together; more of them are no faster.
    fn pairs_together(&self) -> usize {
        1
    }

    /// [`Self::estimate`] for several pairs, with the same flows and confidences, bit by bit.
    ///
    /// # Errors
    /// As [`Self::estimate`], for any of them.
    fn estimate_many(
        &mut self,
        pairs: Vec<ImagePair<'_>>,
        observer: &dyn Observer,
    ) -> Result<Vec<PendingFlow>> {
        let all = pairs.len() as f64;
        let each =
            |(nth, pair)| self.estimate(pair, &Portion { observer, before: nth as f64, own: 1.0, all });
        pairs.into_iter().enumerate().map(each).collect()
    }

    /// The numbers of the whole image that the method decides by, if there are any.
    fn decisions(&mut self) -> Option<&mut Decisions> {
        None
    }

    /// The method level by level, if its vectors depend on their surroundings alone.
    fn local(&mut self) -> Option<&mut dyn LocalMethod> {
        None
    }

    /// Sends a pair of images to the device, once, and fetches its flow, its confidence and its diagnostics.
    ///
    /// # Errors
    /// As [`Self::estimate`]; [`MotionError::Affine`] if a start cannot be found.
    fn run(&mut self, pair: &Pair<'_>, observer: &dyn Observer) -> Result<DenseFlow> {
        self.run_with(pair, Extras::default(), observer)
    }

    /// [`Self::run`] with further volumes.
    ///
    /// # Errors
    /// As [`Self::run`].
    fn run_with(&mut self, pair: &Pair<'_>, extras: Extras, observer: &dyn Observer) -> Result<DenseFlow> {
        let device = self.device().clone();
        device.scope(|| {
            let (fixed, moving) = (Frame::lend(&device, pair.fixed)?, Frame::lend(&device, pair.moving)?);
            let region = ResidentRegion::upload(&device, [pair.mask, pair.volume_mask], pair.weight)?;
            let region = region.lend();
            check_grids([&fixed, &moving], region)?;
            let mut start_flow = None;
            let start = pair.start.find([&fixed, &moving], region.mask, &mut start_flow)?;
            if !extras.warped {
                // The images are not needed again: the method may use their memory.
                let pair = ImagePair { fixed: fixed.into(), moving: moving.into(), region, start };
                return self.estimate(pair, observer)?.finish(extras);
            }
            let pair = ImagePair { region, start, ..ImagePair::new(&fixed, &moving) };
            let mut pending = self.estimate(pair, observer)?;
            pending.warp([&fixed, &moving], self.interpolation())?;
            pending.finish(extras)
        })
    }
}

/// A method that estimates the flow of the centre of a few consecutive frames.
pub trait WindowMethod: DenseMethod {
    /// How many frames it takes.
    fn window(&self) -> Window;

    /// Asks the device for the flow of the centre frame towards the next one.
    ///
    /// # Errors
    /// As [`PairMethod::estimate`]; [`MotionError::Sequence`] for another number of frames.
    fn estimate(&mut self, frames: &[&Frame]) -> Result<PendingFlow>;

    /// The method in parts of pictures, if its vectors depend on their surroundings alone.
    fn local(&mut self) -> Option<&mut dyn LocalWindow> {
        None
    }

    /// Sends the frames of a window to the device and fetches the flow of the centre frame, its confidence and its
    /// diagnostics; outside of the mask, which lies on that frame's grid, nothing is known.
    ///
    /// # Errors
    /// As [`Self::estimate`].
    fn run(&mut self, frames: &[&Volume<f32>], mask: Option<&Mask>, extras: Extras) -> Result<DenseFlow> {
        let device = self.device().clone();
        let centre = self.window().centre;
        device.scope(|| {
            let resident = |(t, frame): (usize, &&Volume<f32>)| {
                let filled = match mask.filter(|_| t == centre) {
                    Some(mask) => crate::masking::without_unknown(frame, mask)?,
                    None => None,
                };
                Frame::upload(&device, filled.as_ref().unwrap_or(frame))
            };
            let frames = frames.iter().enumerate().map(resident).collect::<Result<Vec<_>, _>>()?;
            let mut pending = self.estimate(&frames.iter().collect::<Vec<_>>())?;
            if let Some(next) = frames.get(centre + 1).filter(|_| extras.warped) {
                pending.warp([&frames[centre], next], self.interpolation())?;
            }
            known_within(pending.finish(extras)?, mask)
        })
    }
}

/// The flow of a window within a mask; warns where no pixel has a velocity.
pub(crate) fn known_within(mut found: DenseFlow, mask: Option<&Mask>) -> Result<DenseFlow> {
    if let Some(mask) = mask {
        found = found.within(mask)?;
    }
    if found.flow.components_vox()[0].iter().all(|v| v.is_nan()) {
        let text = "no pixel has a velocity: the frames may lack texture";
        found.statistics.warnings.push(WarningKind::Content, text);
        found.statistics.status = SolveStatus::NoContent;
    }
    Ok(found)
}

/// The frames that a [`WindowMethod`] takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many.
    pub frames: usize,
    /// The frame whose flow is found, towards the next one.
    pub centre: usize,
}

impl Window {
    /// Fails for another number of frames.
    ///
    /// # Errors
    /// [`MotionError::Sequence`].
    pub fn require(&self, got: usize) -> Result<()> {
        let reason = || format!("{} frames are needed, {got} were given", self.frames);
        if got == self.frames { Ok(()) } else { Err(MotionError::Sequence { reason: reason() }) }
    }
}

/// Two images of the host and what else is known.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The image the flow lives on.
    pub fixed: &'a Volume<f32>,
    /// The image the flow points into, on a grid of its own.
    pub moving: &'a Volume<f32>,
    /// Where data count, on the fixed grid; none: everywhere.
    pub mask: Option<&'a Mask>,
    /// Where volume is preserved (the muscle), on the fixed grid; none: wherever data count.
    pub volume_mask: Option<&'a Mask>,
    /// How much data count, from 0 to 1 on the fixed grid, for methods with weights in their energy; none: all alike.
    pub weight: Option<&'a Volume<f32>>,
    /// What is known before the first step.
    pub start: Start<'a>,
}

impl<'a> Pair<'a> {
    /// Two images of which nothing else is known.
    pub fn new(fixed: &'a Volume<f32>, moving: &'a Volume<f32>) -> Self {
        Self { fixed, moving, mask: None, volume_mask: None, weight: None, start: Start::Zero }
    }
}

/// Two images on a device and what else is known.
#[derive(Debug)]
pub struct ImagePair<'a> {
    /// The image the flow lives on.
    pub fixed: FrameSource<'a>,
    /// The image the flow points into, with a grid of its own.
    pub moving: FrameSource<'a>,
    /// Where data count.
    pub region: Region<'a>,
    /// What is known before the first step.
    pub start: ResidentStart<'a>,
}

impl<'a> ImagePair<'a> {
    /// Two images of which nothing else is known, and which are needed again.
    pub fn new(fixed: &'a Frame, moving: &'a Frame) -> Self {
        let (region, start) = (Region::default(), ResidentStart::Zero);
        Self { fixed: fixed.into(), moving: moving.into(), region, start }
    }

    /// The same pair, whose images are needed again.
    pub fn borrowed(&self) -> ImagePair<'_> {
        let Self { fixed, moving, region, start } = self;
        ImagePair { fixed: fixed.borrowed(), moving: moving.borrowed(), region: *region, start: *start }
    }

    /// Checks that everything but the moving image lies on the grid that a method was opened for, that the moving image can be
    /// sampled from there, and that the images are finite where they count.
    ///
    /// # Errors
    /// [`MotionError::Input`] with what differs, or the first voxel that is not finite; [`MotionError::Apart`].
    pub fn check(&self, grid: &Grid) -> Result<()> {
        self.check_grids(grid)?;
        // Outside of its mask the fixed image may hold anything, NaN included.
        self.fixed.frame().require_finite("the fixed image", self.region.mask)?;
        self.moving.frame().require_finite("the moving image", None)
    }

    /// The same without a look at samples.
    pub(crate) fn check_grids(&self, grid: &Grid) -> Result<()> {
        let (fixed, moving) = (self.fixed.frame(), self.moving.frame());
        check_grids([fixed, moving], self.region)?;
        grid.require_same(fixed.grid(), "the grid this method was opened for, and the images'")?;
        match self.start {
            ResidentStart::Flow(start) | ResidentStart::Matches(start) => {
                grid.require_same(&start.grid, "fixed image and start field")?
            }
            ResidentStart::Zero => require_overlap(grid, moving.grid())?,
            ResidentStart::Affine(_) => {}
        }
        Ok(())
    }
}

/// Checks that the moving image can be sampled from the fixed grid, on which the masks lie.
fn check_grids([fixed, moving]: [&Frame; 2], region: Region<'_>) -> Result<()> {
    let grid = fixed.grid();
    require_sampled(grid, moving.grid())?;
    for (mask, what) in [
        (region.mask, "fixed image and mask"),
        (region.volume_mask, "fixed image and volume mask"),
        (region.weight, "fixed image and weight image"),
    ] {
        mask.map_or(Ok(()), |mask| grid.require_same(&mask.grid, what))?;
    }
    Ok(())
}
