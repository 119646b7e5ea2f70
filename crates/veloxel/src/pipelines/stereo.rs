//! The disparity between two rectified pictures in memory, with its confidence and its diagnostics.

use super::account::Account;
use super::dense::Image;
use super::phase_method::phase_parameters;
use super::prepare::blanks::leading_into;
use super::prepare::depths::match_depths;
use super::prepare::full_scale::full_scale;
use super::prepare::grids::{MovingSampling, warp_image};
use super::prepare::holes::{fill_frames, known_within};
use super::prepare::passes::Passes;
use super::view_order::ViewOrder;
use crate::{Result, Session};
use veloxel_core::parameters::Parameters;
use veloxel_core::{Flow, Mask, Stage, Volume, WarningKind, Warnings};
use veloxel_kernels::image::warp::Interpolation;
use veloxel_measure::{DisparityError, disparity_error};
use veloxel_motion::phase::row_check::RowCheck;
use veloxel_motion::{
    Border, DenseDraft, LengthErrors, PhaseReport, PhaseStereo, phase_stereo, without_unknown,
};
use veloxel_report::ValueRange;
use veloxel_report::number::percent;

/// A rectified pair, what is known of it, and how its disparity is estimated.
#[derive(Debug, Clone)]
pub struct StereoRequest<'a> {
    /// The picture that the disparity lives on.
    pub left: Image<'a>,
    /// The other one, on the same grid; left `(x, y)` is found at right `(x − d, y)`.
    pub right: Image<'a>,
    /// Outside of it nothing is found or measured; none: everything lies inside.
    pub mask: Option<&'a Mask>,
    /// Where the right picture has samples; a disparity that leads elsewhere is not taken.
    pub right_mask: Option<&'a Mask>,
    /// The left picture's true disparity, pixels, NaN where unknown.
    pub truth_px: Option<&'a Volume<f32>>,
    /// The phase-based method with its preset and settings.
    pub method: &'a DenseDraft,
}

impl<'a> StereoRequest<'a> {
    /// Two pictures of which nothing else is known.
    pub fn new(left: impl Into<Image<'a>>, right: impl Into<Image<'a>>, method: &'a DenseDraft) -> Self {
        Self { left: left.into(), right: right.into(), mask: None, right_mask: None, truth_px: None, method }
    }
}

/// The disparity of a pair, and what there is to say about it.
#[derive(Debug, Clone, PartialEq)]
pub struct StereoResult {
    /// Disparity, confidence and report of the method.
    pub found: PhaseStereo,
    /// What the confidences say of the disparities' errors.
    pub errors: LengthErrors,
    /// Where the disparities lie, pixels; none if there is none.
    pub range_px: Option<ValueRange>,
    /// How far off the truth it is, where that was given.
    pub error: Option<DisparityError>,
    /// Device, times, warnings and parameters.
    pub account: Account,
}

/// Estimates the disparity of a rectified pair. Samples that are no numbers are left out: no disparity begins there or leads there.
///
/// # Errors
/// [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for pictures, mask or truth of several grids; as
/// [`phase_stereo`]; as [`disparity_error`]; [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn stereo(request: &StereoRequest<'_>, session: &Session) -> Result<StereoResult> {
    let StereoRequest { mask, right_mask, truth_px, method, .. } = *request;
    let grid = request.left.grid();
    grid.require_same(request.right.grid(), "left and right image")?;
    truth_px.iter().try_for_each(|t| grid.require_same(t.grid(), "left image and true disparity"))?;
    mask.iter().try_for_each(|m| grid.require_same(m.grid(), "left image and mask"))?;
    right_mask.iter().try_for_each(|m| grid.require_same(m.grid(), "right image and its mask"))?;
    let (device, mut account) = (session.device()?, Account::begin(session)?);
    session.enter(Stage::Solve)?;
    let mut views = [request.left.volume(), request.right.volume()];
    match_depths(&mut views, view_name, &mut account.warnings);
    let known = fill_frames(&mut views, mask, view_name, Passes::by(session), &mut account.warnings)?;
    let (mask, right_mask) =
        (known_within(mask.cloned(), known.first())?, known_within(right_mask.cloned(), known.get(1))?);
    let (mask, right_mask) = (mask.as_ref(), right_mask.as_ref());
    let [left, right] = views;
    let parameters = phase_parameters(method, full_scale(&left))?;
    let filled = mask.map(|mask| without_unknown(&left, mask)).transpose()?.flatten();
    let found = account.stages.time("solve", || {
        let found = phase_stereo(filled.as_ref().unwrap_or(&left), &right, &parameters, device)?;
        let found = match right_mask {
            Some(seen) => {
                let leads_inside = leading_into(seen, &found.disparity_px);
                found.within(&leads_inside)?
            }
            None => found,
        };
        // Last, so that the share of pixels with a disparity is that of the mask.
        let everywhere = right_mask.map(|seen| Mask::everywhere(seen.grid().clone()));
        match mask.or(everywhere.as_ref()) {
            Some(mask) => found.within(mask),
            None => Ok(found),
        }
    })?;
    session.enter(Stage::Measure)?;
    let error = truth_px
        .map(|truth| disparity_error(&found.disparity_px, truth, mask, device.control()))
        .transpose()?;
    match found.rows.filter(RowCheck::is_off) {
        // Signs of matches between rows that do not fit say nothing.
        Some(rows) => {
            note_found(&found.report, None, &mut account.warnings);
            account.warnings.push(WarningKind::Content, rows_differ(rows));
        }
        None => {
            let mut views = ViewOrder::default();
            views.count(&found.disparity_px);
            note_found(&found.report, Some(views), &mut account.warnings);
        }
    }
    account.parameters = parameters.to_json();
    let range_px = ValueRange::of(&found.disparity_px);
    let errors = LengthErrors::of_disparities(method.preset(), parameters.stereo_smoothing);
    Ok(StereoResult { found, errors, range_px, error, account })
}

/// Says where no disparity was found, or where views whose disparities were counted seem to be swapped.
pub(super) fn note_found(report: &PhaseReport, views: Option<ViewOrder>, warnings: &mut Warnings) {
    if report.valid_share == 0.0 {
        let message = "no pixel has a disparity: the pictures may lack texture";
        warnings.push(WarningKind::Content, message);
    }
    views.into_iter().for_each(|views| views.warn(warnings));
}

/// What the left picture, 0, and the right one are called.
fn view_name(nth: usize) -> String {
    ["LEFT", "RIGHT"][nth].to_owned()
}

/// Says that rows of the two pictures do not fit.
fn rows_differ(RowCheck { patches, off_share, lower_px }: RowCheck) -> String {
    let by = match lower_px {
        0 => "some higher, some lower".to_owned(),
        1 | -1 => format!("by the median 1 pixel {}", side(lower_px)),
        _ => format!("by the median {} pixels {}", lower_px.abs(), side(lower_px)),
    };
    let share = percent(off_share);
    format!(
        "the pictures do not seem to be rectified: of {patches} patches of LEFT {share} lie in another row of RIGHT, {by}; \
         disparities are sought along rows alone"
    )
}

fn side(lower_px: i32) -> &'static str {
    if lower_px < 0 { "higher" } else { "lower" }
}

/// The right picture with the disparity undone: pulled back onto the left one, NaN where the disparity is unknown or leads out of
/// the picture.
///
/// # Errors
/// [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for two grids;
/// [`VeloxelError::Compute`](crate::VeloxelError::Compute).
pub fn undo_disparity<'a>(
    disparity_px: &Volume<f32>,
    right: impl Into<Image<'a>>,
    session: &Session,
) -> Result<Volume<f32>> {
    let along_x = disparity_px.data().iter().map(|d| -d).collect();
    let along_y = disparity_px.data().iter().map(|d| if d.is_finite() { 0.0 } else { f32::NAN }).collect();
    let match_of_left = Flow::new(disparity_px.grid().clone(), vec![along_x, along_y])?;
    let sampling = MovingSampling::new(Interpolation::Linear, Border::Voxels);
    warp_image(session.device()?, &match_of_left, &right.into().volume(), sampling)
}
