//! Phase-based stereo: two rectified images in (`f32`, 2-D), the left one's disparity in pixels with a confidence out.
//!
//! *Paper*: Pauwels et al. 2012 (see [`super::features`]), section 4, eq. 8-11.
//!
//! *Notation*: `δ_q` shift of an orientation, `d` the coarser level's estimate expanded, both pixels of the level at hand;
//! disparity `D` is positive for `x_right = x_left − D`.
//!
//! *Where we differ*: pixels whose match leaves the image are unknown; what a level cannot find stands as the coarser level
//! found it and is checked at the end against the right image's disparity; the median is 5×5 on coarse levels (`paper`: 3×3)
//! and counts the part of a window that lies inside. With `stereo_smoothing` the phases are what semi-global matching takes its
//! fractions of a pixel from (`semi_global.rs`). *Cost*: two pyramids; a launch or two a level. *Evidence*:
//! `tests/motion/phase/motion.rs`; docs/status/accuracy.md (Table 5). *Limits*: shifts of two wavelengths of the coarsest level, 8
//! pixels of it, are the most; repetitive texture, and what only one eye sees, is found out by the check at best.

use super::estimates::{Estimates, Estimating};
use super::parameters::{PhaseParameters, StereoSmoothing, WarpedData};
use super::plan::{GaborPyramid, PhasePlan, PhaseWanted, check_count, check_picture, picture_size};
use super::report::PhaseReport;
use super::results::{ConfidenceChoice, TakenField};
use super::row_check::RowCheck;
use super::semi_global::SemiGlobal;
use crate::error::Result;
use crate::steps::buffers::{copied, copied_run};
use crate::steps::masking::leave_out;
use veloxel_core::{Grid, Mask, Volume};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::phase::gabor::Picture;
use veloxel_kernels::phase::phase_stereo::{self as kernel, Views, Votes};

/// A disparity map.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseStereo {
    /// Disparity of the left image, pixels, NaN where unknown: `x_right = x_left − d`.
    pub disparity_px: Volume<f32>,
    /// How far the orientations agree, and the right image with the left: 0 to 1.
    pub confidence: Volume<f32>,
    /// Whether the rows of both images fit; none where that was not looked at: without semi-global matching, and in streams.
    pub rows: Option<RowCheck>,
    /// How the run went.
    pub report: PhaseReport,
}

impl PhaseStereo {
    /// The disparity inside the mask alone: elsewhere it is NaN, and the confidence 0; shares are those of the inside.
    ///
    /// # Errors
    /// [`MotionError::Input`](crate::MotionError::Input) if disparity and mask lie on two grids.
    pub fn within(mut self, mask: &Mask) -> Result<Self> {
        self.disparity_px.grid().require_same(mask.grid(), "left image and mask")?;
        leave_out(self.disparity_px.data_mut(), mask, f32::NAN);
        leave_out(self.confidence.data_mut(), mask, 0.0);
        let (disparity_px, confidence) = (self.disparity_px.data(), self.confidence.data());
        self.report = PhaseReport::new(mask.count(), &self.report.levels, disparity_px, Some(confidence));
        Ok(self)
    }
}

/// Finds the disparity of a rectified pair.
///
/// # Errors
/// As [`phase_features`](super::phase_features); [`MotionError::Input`](crate::MotionError::Input) if the images differ in
/// size.
pub fn phase_stereo(
    left: &Volume<f32>,
    right: &Volume<f32>,
    parameters: &PhaseParameters,
    device: &Device,
) -> Result<PhaseStereo> {
    let size = check_picture("the left image", left)?;
    check_picture("the right image", right)?;
    left.grid().require_same(right.grid(), "left and right image")?;
    let plan = PhasePlan::new(size, STEREO, parameters, device)?;
    device.scope(|| {
        let pyramids = [GaborPyramid::of(&plan, left)?, GaborPyramid::of(&plan, right)?];
        let stereo = Stereo::between(&plan, &pyramids)?;
        let rows = stereo.semi_global.as_ref().map(|matching| matching.check_rows(&plan)).transpose()?;
        Ok(PhaseStereo { rows, ..stereo.fetch(&plan, left.grid())? })
    })
}

/// What a plan of stereo alone is made for.
const STEREO: PhaseWanted = PhaseWanted { flow: false, stereo: true, features: false };

/// A disparity map in the memory of a device.
#[derive(Debug)]
pub struct ResidentStereo {
    /// Disparity of every pixel of the left image, pixels, NaN where unknown.
    pub disparity_px: Buffer,
    /// Confidence of every disparity, 0 to 1.
    pub confidence: Buffer,
    /// `(nx, ny)` of every level that was used, finest first.
    pub levels: Vec<[usize; 2]>,
}

/// [`phase_stereo`] for pictures of `(nx, ny)` samples that the device has already, left and right, where the disparity stays: the same
/// bits. Samples have to be finite, and whether rows fit is not looked at.
///
/// # Errors
/// As [`phase_stereo`].
pub fn phase_stereo_on_device(
    views: [&Buffer; 2],
    grid: &Grid,
    parameters: &PhaseParameters,
    device: &Device,
) -> Result<ResidentStereo> {
    let size = picture_size("the left image", grid)?;
    views.iter().try_for_each(|view| check_count(view.len(), size))?;
    let plan = PhasePlan::new(size, STEREO, parameters, device)?;
    device.scope(|| {
        let pyramid = |view| GaborPyramid::of_picture(&plan, &Picture::of(copied(device, view)?));
        let pyramids = [pyramid(views[0])?, pyramid(views[1])?];
        let stereo = Stereo::between(&plan, &pyramids)?;
        let [disparity_px, confidence] = stereo.found().map(|map| copied_run(device, map, 0, grid.len()));
        let levels = plan.levels.sizes()[..plan.stereo_levels].to_vec();
        Ok(ResidentStereo { disparity_px: disparity_px?, confidence: confidence?, levels })
    })
}

/// Disparities in the memory of a device.
#[derive(Debug)]
pub(crate) struct Stereo {
    views: Views,
    estimates: Estimates,
    semi_global: Option<SemiGlobal>,
}

impl Stereo {
    pub fn new(plan: &PhasePlan) -> Result<Self> {
        let parameters = &plan.parameters;
        let is_checked = parameters.stereo_check_px > 0.0 && parameters.warping == WarpedData::Responses;
        let views = if is_checked { Views::Both } else { Views::Left };
        let estimates = Estimates::new(plan, plan.stereo_levels, views.count(), views.count())?;
        let estimates = if is_checked { estimates.checked(plan, 1)? } else { estimates };
        let is_smoothed = parameters.stereo_smoothing == StereoSmoothing::SemiGlobal;
        let semi_global = is_smoothed.then(|| SemiGlobal::new(plan)).transpose()?;
        Ok(Self { views, estimates, semi_global })
    }

    /// The disparity between two pyramids.
    fn between(plan: &PhasePlan, pyramids: &[GaborPyramid; 2]) -> Result<Self> {
        let mut stereo = Self::new(plan)?;
        stereo.find(plan, pyramids.each_ref())?;
        Ok(stereo)
    }

    pub fn find(&mut self, plan: &PhasePlan, [left, right]: [&GaborPyramid; 2]) -> Result<()> {
        let parameters = &plan.parameters;
        let votes = Votes { min_orientations: parameters.min_orientations.min(7), views: self.views };
        let images = [(left, 0.0), (right, -1.0)];
        let estimate = |Estimating { place, phases, coarser, out, confidence }: Estimating<'_>| {
            let (left, right) = (phases[0], phases[1]);
            kernel::PhaseStereo { place, votes, left, right, coarser, out, confidence }.run(&plan.device)
        };
        self.estimates.find(plan, &images, None, |_| true, estimate)?;
        self.estimates.check(plan, parameters.stereo_check_px, None)?;
        match &mut self.semi_global {
            Some(semi_global) => semi_global.find(plan, [left, right], self.estimates.found()[0]),
            None => Ok(()),
        }
    }

    /// Disparity and confidence of the left view.
    pub fn found(&self) -> [&Buffer; 2] {
        self.semi_global.as_ref().map_or_else(|| self.estimates.found(), SemiGlobal::found)
    }

    /// Gives them away; the next ones are found in other memory.
    pub fn take(&mut self, plan: &PhasePlan, confidences: ConfidenceChoice) -> Result<TakenField> {
        match &mut self.semi_global {
            Some(semi_global) => semi_global.take(plan, confidences),
            None => self.estimates.take(plan, confidences),
        }
    }

    pub fn fetch(&self, plan: &PhasePlan, grid: &Grid) -> Result<PhaseStereo> {
        let [disparity, confidence] = self.found();
        let n = grid.len();
        let [disparity, confidence] = plan.fetch([(disparity, 0..n), (confidence, 0..n)])?;
        let sizes = &plan.levels.sizes()[..plan.stereo_levels];
        let report = PhaseReport::new(n, sizes, &disparity, Some(&confidence));
        Ok(PhaseStereo {
            disparity_px: Volume::new(grid.clone(), disparity)?,
            confidence: Volume::new(grid.clone(), confidence)?,
            rows: None,
            report,
        })
    }
}
