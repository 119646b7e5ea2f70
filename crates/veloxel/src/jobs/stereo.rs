//! Two images in, a disparity with everything that is said about it out.

use super::RunOptions;
use super::full_scale::{full_scale, phase_parameters};
use super::outputs::{
    check_confidence_output, check_distinct, check_outputs, format_text, name, write_confidence,
};
use super::stage::Stages;
use super::warp::warp_image;
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Volume, WarningKind, Warnings};
use veloxel_io as io;
use veloxel_io::Kind;
use veloxel_motion::clg::parameters::Interpolation;
use veloxel_motion::{phase_stereo, without_unknown};
use veloxel_report::metrics::disparity_error;
use veloxel_report::{InputReport, StereoReport, StereoView, ValueRange, stereo_html};

/// One run over a stereo pair.
#[derive(Debug, Clone, PartialEq)]
pub struct StereoJob {
    /// The image that the disparity lives on.
    pub left: PathBuf,
    /// The other one; left `(x, y)` is found at right `(x − d, y)`.
    pub right: PathBuf,
    /// The left image's true disparity: the report says how far off the found one is.
    pub truth: Option<PathBuf>,
    /// What its samples were multiplied by, where its file does not say so.
    pub truth_scale: Option<f32>,
    /// Everything else that a run is told; outside of a mask, which lies on the left image's grid, nothing is found or measured.
    pub options: RunOptions,
    /// Where the disparity goes.
    pub disparity: PathBuf,
    /// Confidence of every pixel, 0 to 1.
    pub confidence: Option<PathBuf>,
    /// JSON.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

/// What a run has to say, and the files it wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct StereoRun {
    /// As in `report.json`.
    pub report: StereoReport,
    /// What and where.
    pub written: Vec<(&'static str, PathBuf)>,
}

/// Estimates the disparity of a pair of files, and writes what was asked for.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line; nothing is written then.
pub fn stereo(job: &StereoJob) -> Result<StereoRun, VeloxelError> {
    let options = &job.options;
    io::check_disparity_output(&job.disparity)?;
    job.confidence.as_deref().map(check_confidence_output).transpose()?;
    check_outputs(
        &[
            (Some(&job.disparity), None),
            (job.confidence.as_deref(), Some(Kind::Image)),
            (job.report.as_deref(), None),
            (job.html.as_deref(), None),
        ],
        None,
    )?;
    let outputs = [Some(&job.disparity), job.confidence.as_ref(), job.report.as_ref(), job.html.as_ref()];
    check_distinct(
        [&job.left, &job.right].into_iter().chain(&job.truth).chain(&options.mask).map(PathBuf::as_path),
        outputs.map(|path| path.map(PathBuf::as_path)),
    )?;
    let (device, device_report) = options.device.open()?;
    let (mut stages, mut warnings) = (Stages::default(), Warnings::new());
    let mut read = |path: &Path| io::read_image(path, options.strictness, &mut warnings);
    let (left, right) =
        stages.time("load", || Ok::<_, VeloxelError>((read(&job.left)?, read(&job.right)?)))?;
    left.grid().require_same(right.grid(), "left and right image")?;
    let truth = job.truth.as_deref().map(|path| {
        let truth = io::read_disparity(path, job.truth_scale, options.strictness, &mut warnings)?;
        left.grid().require_same(truth.grid(), "left image and true disparity")?;
        Ok::<_, VeloxelError>(truth)
    });
    let truth = truth.transpose()?;
    let mask = options.mask.as_deref().map(|path| {
        let mask = io::read_mask(path, options.strictness, &mut warnings)?;
        left.grid().require_same(mask.grid(), "left image and mask")?;
        Ok::<_, VeloxelError>(mask)
    });
    let mask = mask.transpose()?;
    let parameters = phase_parameters(&options.method, full_scale(&left), None)?;
    let filled = mask.as_ref().map(|mask| without_unknown(&left, mask)).transpose()?.flatten();
    let found = stages.time("solve", || {
        let found = phase_stereo(filled.as_ref().unwrap_or(&left), &right, &parameters, &device)?;
        match &mask {
            Some(mask) => found.within(mask),
            None => Ok(found),
        }
    })?;
    let error = truth.as_ref().map(|truth| disparity_error(&found.disparity_px, truth, mask.as_ref()));
    let error = error.transpose()?;

    if found.report.valid_share == 0.0 {
        warnings.push(WarningKind::Content, "no pixel has a disparity: the pictures may lack texture");
    }

    let mut written = Vec::new();
    stages.time("write", || -> Result<(), VeloxelError> {
        io::write_disparity(&job.disparity, &found.disparity_px)?;
        written.push(("disparity", job.disparity.clone()));
        if let Some(path) = &job.confidence {
            write_confidence(path, &found.confidence, &mut warnings)?;
            written.push(("confidence", path.clone()));
        }
        Ok(())
    })?;
    let input = |role, path: &Path, image: &Volume<f32>| {
        InputReport::new(role, &path.display().to_string(), &format_text(path), image.grid())
    };
    let mut inputs = vec![input("left", &job.left, &left), input("right", &job.right, &right)];
    inputs.extend(options.mask.as_ref().map(|path| input("mask", path, &left)));
    inputs.extend(job.truth.as_ref().zip(truth.as_ref()).map(|(path, truth)| input("truth", path, truth)));
    let report = StereoReport {
        header: options.header("phase-stereo", (&parameters, device_report), inputs, (stages, warnings)),
        levels: found.report.levels.clone(),
        valid_share: found.report.valid_share,
        mean_confidence: found.report.mean_confidence,
        disparity_px: ValueRange::of(&found.disparity_px),
        error,
    };
    if let Some(path) = &job.report {
        io::write_text(path, &report.to_json()?)?;
        written.push(("report", path.clone()));
    }
    if let Some(path) = &job.html {
        let there = found.disparity_px.data().iter().map(|d| -d).collect();
        let still = found.disparity_px.data().iter().map(|d| if d.is_finite() { 0.0 } else { f32::NAN });
        let match_of_left = Flow::new(left.grid().clone(), vec![there, still.collect()])?;
        let warped = warp_image(&device, (&match_of_left, &right), Interpolation::Linear)?;
        let view = StereoView {
            title: &format!("{} and {}", name(&job.left), name(&job.right)),
            left: &left,
            right: &right,
            disparity_px: &found.disparity_px,
            confidence: &found.confidence,
            warped: &warped,
            truth_px: truth.as_ref(),
        };
        io::write_text(path, &stereo_html(&report, &view)?)?;
        written.push(("page", path.clone()));
    }
    Ok(StereoRun { report, written })
}
