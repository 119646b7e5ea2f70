//! Methods that estimate the flow between two images, and the pairs of images that they take.

use crate::error::Result;
use crate::method::dense::DenseMethod;
use crate::method::local_method::LocalMethod;
use crate::method::pending_flow::{DenseFlow, FlowExtras, OnDevice, PendingFlow};
use crate::method::resident::{DataRegion, ResidentRegion, ResidentStart};
use crate::method::shared_scalars::SharedScalars;
use crate::method::start::Start;
use crate::steps::frame::{Frame, FrameSource};
use crate::steps::linear::aligned_brightness::{aligned_brightness, note_brightness};
use crate::steps::moving_image::{require_overlap, require_sampled};
use veloxel_core::{Grid, LinearBrightness, Mask, Portion, Volume};

/// A method that estimates the flow between two images.
pub trait PairMethod: DenseMethod {
    /// Asks the device for the flow of the fixed image, which it may not have found when this returns.
    ///
    /// # Errors
    /// [`MotionError::Input`](crate::MotionError::Input) if the fixed image does not lie on the grid that the method was opened for, or an image holds
    /// NaN outside of its mask; [`MotionError::Apart`](crate::MotionError::Apart); [`MotionError::Compute`](crate::MotionError::Compute) if the device fails.
    fn estimate(&mut self, pair: ImagePair<'_>) -> Result<PendingFlow>;

    /// How many pairs [`Self::estimate_many`] works on together; more of them are no faster.
    fn pairs_together(&self) -> usize {
        1
    }

    /// [`Self::estimate`] for several pairs, with the same flows and confidences, bit by bit.
    ///
    /// # Errors
    /// As [`Self::estimate`], for any of them.
    fn estimate_many(&mut self, pairs: Vec<ImagePair<'_>>) -> Result<Vec<PendingFlow>> {
        let (control, count) = (self.device().control().clone(), pairs.len());
        let each = |(nth, pair)| control.portion(Portion::nth_of(nth, count), || self.estimate(pair));
        pairs.into_iter().enumerate().map(each).collect()
    }

    /// The numbers of the whole image that the method decides by, if there are any.
    fn shared_scalars(&mut self) -> Option<&mut SharedScalars> {
        None
    }

    /// The method level by level, if its vectors depend on their surroundings alone.
    fn local(&mut self) -> Option<&mut dyn LocalMethod> {
        None
    }

    /// Sends a pair of images to the device, once, and fetches its flow, its confidence and its diagnostics.
    ///
    /// # Errors
    /// As [`Self::estimate`]; [`MotionError::Affine`](crate::MotionError::Affine) if a start cannot be found.
    fn run(&mut self, pair: &Pair<'_>) -> Result<DenseFlow> {
        self.run_with(pair, FlowExtras::default())
    }

    /// [`Self::run`] with further volumes.
    ///
    /// # Errors
    /// As [`Self::run`].
    fn run_with(&mut self, pair: &Pair<'_>, extras: FlowExtras) -> Result<DenseFlow> {
        let device = self.device().clone();
        device.scope(|| {
            let (fixed, moving) = (Frame::lend(&device, pair.fixed)?, Frame::lend(&device, pair.moving)?);
            let region = ResidentRegion::upload(&device, [pair.mask, pair.volume_mask], pair.weight)?;
            let region = region.lend();
            check_grids([&fixed, &moving], region)?;
            let mut start_flow = None;
            let start = pair.start.find([&fixed, &moving], region.mask, &mut start_flow)?;
            let linear_start = start.linear();
            let (found, brightness) = if extras.warped {
                let pair = ImagePair { region, start, ..ImagePair::new(&fixed, &moving) };
                let (pair, brightness) = pair.in_one_brightness(self)?;
                let mut pending = self.estimate(pair)?;
                pending.warp([&fixed, &moving], self.interpolation())?;
                (pending.finish(extras)?, brightness)
            } else {
                // The images are not needed again: the method may use their memory.
                let pair = ImagePair { fixed: fixed.into(), moving: moving.into(), region, start };
                let (pair, brightness) = pair.in_one_brightness(self)?;
                (self.estimate(pair)?.finish(extras)?, brightness)
            };
            let mut found = DenseFlow { linear_start, ..found };
            note_brightness(brightness, &mut found.statistics);
            Ok(found)
        })
    }

    /// [`Self::run`], but that the flow and its confidence stay on the device.
    ///
    /// # Errors
    /// As [`Self::run`].
    fn run_on_device(&mut self, pair: &Pair<'_>) -> Result<OnDevice> {
        let device = self.device().clone();
        device.scope(|| {
            let images = [Frame::lend(&device, pair.fixed)?, Frame::lend(&device, pair.moving)?];
            let region = ResidentRegion::upload(&device, [pair.mask, pair.volume_mask], pair.weight)?;
            self.run_resident(images, &region, pair.start)
        })
    }

    /// [`Self::run_on_device`] for images that the device has already, and whose memory the method may use.
    ///
    /// # Errors
    /// As [`Self::run`].
    fn run_resident(
        &mut self,
        [fixed, moving]: [Frame; 2],
        region: &ResidentRegion,
        start: Start<'_>,
    ) -> Result<OnDevice> {
        let device = self.device().clone();
        device.scope(|| {
            let region = region.lend();
            check_grids([&fixed, &moving], region)?;
            let mut start_flow = None;
            let start = start.find([&fixed, &moving], region.mask, &mut start_flow)?;
            let linear_start = start.linear();
            let pair = ImagePair { fixed: fixed.into(), moving: moving.into(), region, start };
            let (pair, brightness) = pair.in_one_brightness(self)?;
            let mut found = OnDevice { linear_start, ..self.estimate(pair)?.stay()? };
            note_brightness(brightness, &mut found.statistics);
            Ok(found)
        })
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
    pub region: DataRegion<'a>,
    /// What is known before the first step.
    pub start: ResidentStart<'a>,
}

impl<'a> ImagePair<'a> {
    /// Two images of which nothing else is known, and which are needed again.
    pub fn new(fixed: &'a Frame, moving: &'a Frame) -> Self {
        let (region, start) = (DataRegion::default(), ResidentStart::Zero);
        Self { fixed: fixed.into(), moving: moving.into(), region, start }
    }

    /// The same pair, whose images are needed again.
    pub fn borrowed(&self) -> ImagePair<'_> {
        let Self { fixed, moving, region, start } = self;
        ImagePair { fixed: fixed.borrowed(), moving: moving.borrowed(), region: *region, start: *start }
    }

    /// The pair as a method compares it: where the start is linear, the moving image is made as bright as the fixed one, and by what.
    pub(crate) fn in_one_brightness<M: DenseMethod + ?Sized>(
        mut self,
        method: &M,
    ) -> Result<(Self, Option<LinearBrightness>)> {
        let map = self.start.linear().filter(|_| !method.takes_brightness_as_it_is());
        let images = [self.fixed.frame(), self.moving.frame()];
        let found = match map {
            Some(map) => aligned_brightness(images, self.region.mask, &map)?,
            None => None,
        };
        if let Some(found) = found {
            self.moving = self.moving.in_brightness(found)?.into();
        }
        Ok((self, found))
    }

    /// Checks that everything but the moving image lies on the grid that a method was opened for, that the moving image can be
    /// sampled from there, and that the images are finite where they count.
    ///
    /// # Errors
    /// [`MotionError::Input`](crate::MotionError::Input) with what differs, or the first voxel that is not finite; [`MotionError::Apart`](crate::MotionError::Apart).
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
fn check_grids([fixed, moving]: [&Frame; 2], region: DataRegion<'_>) -> Result<()> {
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
