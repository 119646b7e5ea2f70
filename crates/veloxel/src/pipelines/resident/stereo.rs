//! The disparity between two rectified pictures that lie in the memory of the device, where it stays.

use super::look::{Asked, Where, seen};
use super::{ResidentImage, through_the_host};
use crate::pipelines::account::Account;
use crate::pipelines::phase_method::phase_parameters;
use crate::pipelines::prepare::depths::may_differ;
use crate::pipelines::prepare::full_scale::white_of;
use crate::pipelines::stereo::{StereoRequest, StereoResult, note_found, stereo};
use crate::pipelines::view_order::ViewOrder;
use crate::{Result, Session};
use veloxel_core::parameters::Parameters;
use veloxel_core::{Dimension, Grid, Stage, Volume};
use veloxel_gpu::{Buffer, Device, Traffic};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::gather::{Gather, Places};
use veloxel_kernels::image::pointwise::CountKnown;
use veloxel_motion::{
    DenseDraft, LengthErrors, PhaseReport, PhaseStereo, ResidentStereo, phase_stereo_on_device,
};

/// A rectified pair in the memory of the session's device, and how its disparity is estimated.
#[derive(Debug)]
pub struct ResidentStereoRequest<'a> {
    /// The picture that the disparity lives on.
    pub left: ResidentImage,
    /// The other one, on the same grid; left `(x, y)` is found at right `(x − d, y)`.
    pub right: ResidentImage,
    /// The phase-based method with its preset and settings.
    pub method: &'a DenseDraft,
}

/// The disparity of a pair, left on the device.
#[derive(Debug)]
pub struct ResidentDisparity {
    /// Pixels, NaN where unknown, one for every pixel of the pictures.
    pub disparity_px: Buffer,
    /// In [0, 1].
    pub confidence: Buffer,
    /// The pictures as they were given, left and right.
    pub views: [ResidentImage; 2],
    /// Levels, and how much was found; the mean confidence is that of evenly spaced pixels, 65,536 or more of larger pictures.
    pub report: PhaseReport,
    /// What the confidences say of the disparities' errors.
    pub errors: LengthErrors,
    /// What went over the bus.
    pub traffic: Traffic,
    /// Device, times, warnings and parameters.
    pub account: Account,
}

/// Pixels that the numbers of a report are taken from, at least.
const LOOKED_AT: usize = 1 << 16;

/// [`stereo`] for pictures that lie in the memory of the device, where the disparity stays: the same bits. Whether rows fit is not
/// looked at.
///
/// Pictures with holes, or that may have several depths of bits, go through the memory of the host, which a warning says.
///
/// # Errors
/// As [`stereo`].
pub fn resident_stereo(request: ResidentStereoRequest<'_>, session: &Session) -> Result<ResidentDisparity> {
    let ResidentStereoRequest { left, right, method } = request;
    left.grid.require_same(&right.grid, "left and right image")?;
    let (device, mut account) = (session.device()?, Account::begin(session)?);
    session.enter(Stage::Solve)?;
    let before = device.traffic();
    let views = [left, right];
    let found = match account.stages.time("look", || look_at(&views, device))? {
        Ok(white) => as_they_are(&views, white, method, session, &mut account)?,
        Err(why) => {
            through_the_host(&why, &mut account.warnings);
            by_host(&views, method, session, &mut account)?
        }
    };
    let Found { disparity_px, confidence, report, errors } = found;
    let traffic = device.traffic().since(before);
    Ok(ResidentDisparity { disparity_px, confidence, views, report, errors, traffic, account })
}

/// What was found, on the device.
struct Found {
    disparity_px: Buffer,
    confidence: Buffer,
    report: PhaseReport,
    errors: LengthErrors,
}

fn as_they_are(
    [left, right]: &[ResidentImage; 2],
    white: f32,
    method: &DenseDraft,
    session: &Session,
    account: &mut Account,
) -> Result<Found> {
    let device = session.device()?;
    let parameters = phase_parameters(method, white)?;
    let samples = [&left.samples, &right.samples];
    let solved = account.stages.time("solve", || -> Result<_> {
        let found = phase_stereo_on_device(samples, &left.grid, &parameters, device)?;
        let counted = report_of(&found, &left.grid, device)?;
        Ok((found, counted))
    });
    let (ResidentStereo { disparity_px, confidence, .. }, (report, order)) = solved?;
    note_found(&report, Some(order), &mut account.warnings);
    account.parameters = parameters.to_json();
    let errors = LengthErrors::of_disparities(method.preset(), parameters.stereo_smoothing);
    Ok(Found { disparity_px, confidence, report, errors })
}

/// Takes the pictures to the host, and what was found to the device.
fn by_host(
    views: &[ResidentImage; 2],
    method: &DenseDraft,
    session: &Session,
    account: &mut Account,
) -> Result<Found> {
    let device = session.device()?;
    let in_memory = |view: &ResidentImage| -> Result<Volume<f32>> {
        Ok(Volume::new(view.grid.clone(), device.read(&view.samples)?)?)
    };
    let (left, right) = (in_memory(&views[0])?, in_memory(&views[1])?);
    let StereoResult { found, errors, account: own, .. } =
        stereo(&StereoRequest::new(&left, &right, method), session)?;
    account.absorb(own);
    let PhaseStereo { disparity_px, confidence, report, .. } = found;
    let [disparity_px, confidence] = [disparity_px, confidence].map(|map| device.upload(map.into_data()));
    Ok(Found { disparity_px: disparity_px?, confidence: confidence?, report, errors })
}

/// What white is in the left picture; or why preparation would change the pictures.
fn look_at(views: &[ResidentImage; 2], device: &Device) -> Result<std::result::Result<f32, String>> {
    let asked = views.iter().map(|view| Asked::of(device, view, Where::Even(Vec::new())));
    let seen = seen(asked.collect::<Result<_>>()?, device)?;
    let holes = seen.iter().zip(["LEFT", "RIGHT"]).find(|(own, _)| !own.extremes.are_finite);
    if let Some((_, name)) = holes {
        return Ok(Err(format!("{name} has samples that are no numbers")));
    }
    if may_differ(Dimension::Two, [seen[0].range(), seen[1].range()]) {
        return Ok(Err("the pictures may have several depths".to_owned()));
    }
    Ok(Ok(white_of(seen[0].range()[1].max(0.0))))
}

/// How much was found, and whether the views are swapped, of evenly spaced pixels where there are many.
fn report_of(found: &ResidentStereo, grid: &Grid, device: &Device) -> Result<(PhaseReport, ViewOrder)> {
    let n = grid.len();
    let step = (n / LOOKED_AT).max(1);
    let known = CountKnown { samples: &found.disparity_px, count: n }.run(device)?;
    let gathered = |image: &Buffer| -> Result<Buffer> {
        let mut out = device.scratch(Places::Every(step).count(n))?;
        Gather { image, places: Places::Every(step), out: &mut out }.run(device)?;
        Ok(out)
    };
    let maps = vec![gathered(&found.disparity_px)?, gathered(&found.confidence)?];
    let samples = device.download_all_after(maps, None)?;
    let own = PhaseReport::new(samples[0].len(), &found.levels, &samples[0], Some(&samples[1]));
    let mut order = ViewOrder::default();
    let line = Grid::image(samples[0].len(), 1)?;
    order.count(&Volume::new(line, samples.into_iter().next().unwrap_or_default())?);
    Ok((PhaseReport { valid_share: known.get(device)? / n as f64, ..own }, order))
}
