//! From a flow that was found to a result: measured, warned about, with the warped image that is wanted.

use super::field_warnings::{ImagesOfField, note_idle_volume_mask, warn_of_vectors_outside};
use super::volume_change::{ChangedPlace, warn_of_volume_change};
use super::{PairNames, PairWanted, StartKind};
use crate::Result;
use crate::pipelines::WITHIN_VOX;
use crate::pipelines::account::Account;
use crate::pipelines::prepare::grids::{OutsideFill, WHOLE_IMAGE, moving_on};
use crate::pipelines::prepare::passes::Passes;
use std::borrow::Cow;
use veloxel_core::{Flow, FlowCovariance, LinearTransform, Mask, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_motion::{DenseDraft, DenseFlow, ErrorCurves, TilePlan};
use veloxel_report::{PairReport, PairView};

/// Images and masks as the method took them: without sample values that stand for no data, masks on the fixed grid.
#[derive(Debug, Clone)]
pub struct PreparedPair {
    /// The image that the flow lives on.
    pub fixed: Volume<f32>,
    /// The image that it points into, on its own grid.
    pub moving: Volume<f32>,
    /// The moving image in the tones of the fixed one, as methods compare it, where they differ.
    pub toned: Option<Volume<f32>>,
    /// Where data count.
    pub mask: Option<Mask>,
    /// Where volume is preserved.
    pub volume_mask: Option<Mask>,
    /// Where the fixed and the moving image have data, each on its own grid; none: everywhere.
    pub known: [Option<Mask>; 2],
}

impl PreparedPair {
    /// The moving image as methods compare it with the fixed one.
    pub fn compared(&self) -> &Volume<f32> {
        self.toned.as_ref().unwrap_or(&self.moving)
    }

    /// Where the flow is measured: where volume is preserved, else where data count.
    pub fn measured(&self) -> Option<&Mask> {
        self.volume_mask.as_ref().or(self.mask.as_ref())
    }
}

/// The result of a pair of images, or of a window of frames.
#[derive(Debug, Clone)]
pub struct PairResult {
    /// The flow, its confidence and its diagnostics; occlusion where the run began from matches. The warped image as it was
    /// found, NaN where there is no sample, only for a page.
    pub found: DenseFlow,
    /// The expected error of every vector, voxels, if it was wanted.
    pub expected_errors_vox: Option<Volume<f32>>,
    /// The covariance of every vector's error, if it was wanted.
    pub covariances: Option<FlowCovariance>,
    /// The probability, 0 to 1, that a vector's error is below the threshold that was wanted.
    pub probabilities: Option<Volume<f32>>,
    /// The linear map that the run began from, given or found first, from points of the fixed image's space to the moving one's, LPS mm
    /// (pixels where pictures have no place); none where it began from something else, where an image has no contrast, and of pictures
    /// that no 2-D transform describes.
    pub transform: Option<LinearTransform>,
    /// The warped image with its outside filled, if it was wanted.
    pub warped: Option<Volume<f32>>,
    /// The moving image on the fixed grid where nothing has moved, for a page.
    pub moving_on_fixed: Option<Volume<f32>>,
    /// The field in numbers, if it was wanted.
    pub measured: Option<PairReport>,
    /// The images and masks as the method took them.
    pub prepared: PreparedPair,
    /// Which of a window's frames the flow lives on; 0 of a pair.
    pub fixed_frame: usize,
    /// Device, times, warnings and parameters.
    pub account: Account,
}

impl PairResult {
    /// All that a page draws; none unless the request [wanted](PairWanted::page) it.
    pub fn view<'a>(&'a self, title: &'a str, truth: Option<&'a Flow>) -> Option<PairView<'a>> {
        let view = view_of(title, &self.prepared.fixed, self.moving_on_fixed.as_ref()?, &self.found)?;
        let (mask, moving_grid) = (self.prepared.measured(), Some(self.prepared.moving.grid()));
        Some(PairView { truth, mask, moving_grid, ..view })
    }
}

/// Fixed and moving image with what was found, as reports take it, without truth and mask; none without the determinant.
pub(crate) fn view_of<'a>(
    title: &'a str,
    fixed: &'a Volume<f32>,
    moving: &'a Volume<f32>,
    found: &'a DenseFlow,
) -> Option<PairView<'a>> {
    Some(PairView {
        title,
        fixed,
        moving,
        warped: found.warped.as_ref(),
        flow: &found.flow,
        confidence: &found.confidence,
        probability: None,
        jacobian: found.jacobian.as_ref()?,
        truth: None,
        mask: None,
        moving_grid: None,
        frames: None,
    })
}

/// A flow that was found, and all that it takes to finish it.
pub(crate) struct Outcome<'a> {
    /// The method with its preset and settings.
    pub draft: &'a DenseDraft,
    pub prepared: PreparedPair,
    pub fixed_frame: usize,
    pub names: PairNames<'a>,
    /// What the run started from; none where the method takes no start.
    pub start: Option<StartKind>,
    pub wanted: PairWanted,
    pub truth: Option<&'a Flow>,
    /// The linear map that the run began from.
    pub transform: Option<LinearTransform>,
    pub device: &'a Device,
    /// The tiles that the run was cut into.
    pub tiles: Option<TilePlan>,
    /// Who looks through samples.
    pub passes: Passes<'a>,
}

/// What is wanted of the errors of vectors.
#[derive(Default)]
struct ErrorMaps {
    expected_vox: Option<Volume<f32>>,
    probabilities: Option<Volume<f32>>,
    covariances: Option<FlowCovariance>,
}

impl Outcome<'_> {
    /// Measures the flow and makes what is wanted of it.
    ///
    /// # Errors
    /// [`VeloxelError::Report`](crate::VeloxelError::Report) for a truth on another grid;
    /// [`VeloxelError::Compute`](crate::VeloxelError::Compute).
    pub fn finish(self, mut found: DenseFlow, mut account: Account) -> Result<PairResult> {
        let moving_on_fixed = self.moving_on_fixed()?;
        let measured = self.measure(&found, moving_on_fixed.as_ref(), &mut account)?;
        account.warnings.extend(found.statistics.warnings.clone());
        if let Some(measured) = &measured {
            let share = measured.motion.outside_share;
            warn_of_vectors_outside(share, self.images(), &mut account.warnings);
        }
        if self.prepared.volume_mask.is_some() {
            let name = self.names.volume_mask;
            note_idle_volume_mask(self.draft, name, &account.parameters, &mut account.warnings);
            let change = [found.statistics.jacobian.mean_abs_minus_one].into_iter().collect();
            warn_of_volume_change(
                self.draft,
                &account.parameters,
                ChangedPlace::mask(name),
                &change,
                &mut account.warnings,
            );
        }
        let curves = account.errors;
        let Account { stages, warnings, .. } = &mut account;
        let warped = stages.time("warp", || self.warped(&mut found, warnings))?;
        let errors = stages.time("errors", || self.errors(&found, curves))?;
        let Self { prepared, fixed_frame, transform, .. } = self;
        Ok(PairResult {
            found,
            expected_errors_vox: errors.expected_vox,
            covariances: errors.covariances,
            probabilities: errors.probabilities,
            transform,
            warped,
            moving_on_fixed,
            measured,
            prepared,
            fixed_frame,
            account,
        })
    }

    /// What is wanted of the errors of vectors.
    fn errors(&self, found: &DenseFlow, curves: Option<ErrorCurves>) -> Result<ErrorMaps> {
        let Some(curves) = curves else { return Ok(ErrorMaps::default()) };
        let PairWanted { expected_errors, probability_within_vox, .. } = self.wanted;
        let confidence = &found.confidence;
        let covariances = || curves.covariances(self.device, &self.prepared.fixed, &found.flow, confidence);
        Ok(ErrorMaps {
            expected_vox: expected_errors.is_yes().then(|| curves.expected_errors_vox(confidence)),
            probabilities: probability_within_vox
                .map(|within_vox| curves.probabilities(confidence, within_vox)),
            covariances: self.wanted.covariances.is_yes().then(covariances).transpose()?,
        })
    }

    fn images(&self) -> ImagesOfField {
        let (fixed, moving) = (self.prepared.fixed.grid(), self.prepared.moving.grid());
        let share_grid = fixed.require_same(moving, "").is_ok();
        ImagesOfField { dimension: fixed.dimension(), share_grid, start: self.start }
    }

    /// Only a page draws the moving image.
    fn moving_on_fixed(&self) -> Result<Option<Volume<f32>>> {
        if !self.wanted.page.is_yes() {
            return Ok(None);
        }
        let fixed = self.prepared.fixed.grid();
        Ok(Some(moving_on(self.device, self.prepared.compared(), fixed).map(Cow::into_owned)?))
    }

    fn measure(
        &self,
        found: &DenseFlow,
        moving: Option<&Volume<f32>>,
        account: &mut Account,
    ) -> Result<Option<PairReport>> {
        let PreparedPair { fixed, moving: own, .. } = &self.prepared;
        let view = view_of(self.names.title, fixed, moving.unwrap_or(fixed), found);
        let Some(view) = view.filter(|_| self.wanted.measures.is_yes()) else { return Ok(None) };
        let (truth, mask, moving_grid) = (self.truth, self.prepared.measured(), Some(own.grid()));
        let curves = account.errors.filter(|_| truth.is_some());
        let probability = curves.map(|curves| curves.probabilities(&found.confidence, WITHIN_VOX));
        let view = PairView { truth, mask, moving_grid, probability: probability.as_ref(), ..view };
        let (statistics, threads) = (found.statistics.clone(), self.passes.threads(self.device.control()));
        let report = account.stages.time("measure", || PairReport::measure(&view, statistics, threads))?;
        Ok(Some(report))
    }

    /// The warped image with its outside filled, where it is wanted.
    fn warped(&self, found: &mut DenseFlow, warnings: &mut Warnings) -> Result<Option<Volume<f32>>> {
        let Some(outside) = self.wanted.warped else { return Ok(None) };
        let slab_samples = self.tiles.as_ref().map_or(WHOLE_IMAGE, TilePlan::slab_samples);
        let is_toned = self.prepared.toned.is_some();
        let mut continued =
            outside.continued(self.device, &found.flow, &self.prepared.moving, slab_samples, is_toned)?;
        if let (true, Some(own), Some(seen)) =
            (self.wanted.warped != Some(OutsideFill::Edge), &mut continued, &found.warped)
        {
            // Holes stay holes.
            let holes = own.data_mut().iter_mut().zip(seen.data()).filter(|(_, seen)| seen.is_nan());
            holes.for_each(|(own, _)| *own = f32::NAN);
        }
        let mut warped = match continued {
            None if self.wanted.page.is_yes() => found.warped.clone(),
            None => found.warped.take(),
            continued => continued,
        };
        if let Some(warped) = &mut warped {
            outside.fill(warped, self.names.warped, self.passes, warnings);
        }
        Ok(warped)
    }
}
