//! Two images in; the disparity with its confidence and diagnostics out.

use super::pictures::write_confidence;
use super::{Account, Holds, JobRun, OutputPlan, Result, RunOptions, VeloxelError, full_scale, name};
use crate::pipelines::prepare::grids::{Sampling, warp_image};
use std::path::{Path, PathBuf};
use veloxel_core::parameters::Parameters;
use veloxel_core::{Flow, Mask, Volume, WarningKind, Warnings};
use veloxel_gpu::Device;
use veloxel_io as io;
use veloxel_kernels::image::warp::Interpolation;
use veloxel_measure::disparity_error;
use veloxel_motion::{Border, phase_stereo, without_unknown};
use veloxel_report::number::percent;
use veloxel_report::{StereoReport, StereoView, ValueRange, stereo_html};

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
    /// Method, device and everything else that runs share; outside of a mask, which lies on the left image's grid, nothing is found or measured.
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
pub type StereoRun = JobRun<StereoReport>;

impl StereoJob {
    fn plan(&self) -> Result<OutputPlan> {
        OutputPlan::default()
            .reads("left", [&self.left])
            .reads("right", [&self.right])
            .reads_options(&self.options)
            .reads("truth", &self.truth)
            .writes("disparity", [&self.disparity], Holds::Disparity)
            .writes("confidence", &self.confidence, Holds::Confidence)
            .writes("report", &self.report, Holds::Text)
            .writes("page", &self.html, Holds::Text)
            .checked()
    }
}

/// Estimates the disparity of a pair of files, and writes what was asked for.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line; nothing is written then.
pub fn stereo(job: &StereoJob) -> Result<StereoRun> {
    let options = &job.options;
    let mut plan = job.plan()?;
    let (device, mut log) = options.device.start()?;
    let Inputs { left, right, truth, mask } = Inputs::load(job, &mut log)?;
    let parameters = options.method.phase_parameters(full_scale(&left))?;
    let filled = mask.as_ref().map(|mask| without_unknown(&left, mask)).transpose()?.flatten();
    let found = log.stages.time("solve", || {
        let found = phase_stereo(filled.as_ref().unwrap_or(&left), &right, &parameters, &device)?;
        match &mask {
            Some(mask) => found.within(mask),
            None => Ok(found),
        }
    })?;
    let error = truth.as_ref().map(|truth| disparity_error(&found.disparity_px, truth, mask.as_ref()));
    let error = error.transpose()?;
    if found.report.valid_share == 0.0 {
        log.warnings.push(WarningKind::Content, "no pixel has a disparity: the pictures may lack texture");
    }
    let mut views = ViewOrder::default();
    views.count(&found.disparity_px);
    views.warn(&mut log.warnings);
    log.stages.time("write", || {
        plan.write("disparity", |path| io::write_disparity(path, &found.disparity_px))?;
        plan.write("confidence", |path| write_confidence(path, &found.confidence, &mut log.warnings))
    })?;
    let inputs = plan.input_reports(|_| left.grid());
    let report = StereoReport {
        header: options.header("phase-stereo", parameters.to_json(), log, inputs),
        levels: found.report.levels.clone(),
        valid_share: found.report.valid_share,
        mean_confidence: found.report.mean_confidence,
        disparity_px: ValueRange::of(&found.disparity_px),
        error,
    };
    plan.publish(report, |report| {
        let view = StereoView {
            title: &format!("{} and {}", name(&job.left), name(&job.right)),
            left: &left,
            right: &right,
            disparity_px: &found.disparity_px,
            confidence: &found.confidence,
            warped: &undone(&found.disparity_px, &right, &device)?,
            truth_px: truth.as_ref(),
        };
        Ok(stereo_html(report, &view)?)
    })
}

/// What was read, all on the left image's grid.
struct Inputs {
    left: Volume<f32>,
    right: Volume<f32>,
    truth: Option<Volume<f32>>,
    mask: Option<Mask>,
}

impl Inputs {
    fn load(job: &StereoJob, log: &mut Account) -> Result<Self> {
        let (reading, warnings) = (job.options.reading, &mut log.warnings);
        let mut read = |path: &Path| io::read_image(path, reading, warnings);
        let (left, right) =
            log.stages.time("load", || Ok::<_, VeloxelError>((read(&job.left)?, read(&job.right)?)))?;
        let truth = job.truth.as_deref();
        let truth = truth.map(|path| io::read_disparity(path, job.truth_scale, reading, warnings));
        let truth = truth.transpose()?;
        let mask = job.options.mask.as_ref().map(|file| file.read(reading, warnings)).transpose()?;
        let grid = left.grid();
        grid.require_same(right.grid(), "left and right image")?;
        truth.iter().try_for_each(|t| grid.require_same(t.grid(), "left image and true disparity"))?;
        mask.iter().try_for_each(|m| grid.require_same(m.grid(), "left image and mask"))?;
        Ok(Self { left, right, truth, mask })
    }
}

/// The right image with the disparity undone: pulled back onto the left one.
fn undone(disparity_px: &Volume<f32>, right: &Volume<f32>, device: &Device) -> Result<Volume<f32>> {
    let along_x = disparity_px.data().iter().map(|d| -d).collect();
    let along_y = disparity_px.data().iter().map(|d| if d.is_finite() { 0.0 } else { f32::NAN }).collect();
    let match_of_left = Flow::new(disparity_px.grid().clone(), vec![along_x, along_y])?;
    let sampling = Sampling { interpolation: Interpolation::Linear, border: Border::Voxels };
    warp_image(device, &match_of_left, right, sampling)
}

/// Counts disparities whose pixel lies to the right in the right image, where nothing that cameras see can be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ViewOrder {
    found: usize,
    negative: usize,
}

impl ViewOrder {
    /// Adds the disparities (pixels) of a frame.
    pub fn count(&mut self, disparity_px: &Volume<f32>) {
        self.found += disparity_px.data().iter().filter(|d| d.is_finite()).count();
        self.negative += disparity_px.data().iter().filter(|d| **d < 0.0).count();
    }

    /// Warns if most are negative.
    pub fn warn(self, warnings: &mut Warnings) {
        if 2 * self.negative > self.found {
            let share = percent(self.negative as f64 / self.found as f64);
            let message =
                format!("{share} of the disparities are negative: LEFT and RIGHT seem to be swapped");
            warnings.push(WarningKind::Content, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Grid;

    #[test]
    fn most_disparities_must_be_negative() {
        let warned = |values: &[f32]| {
            let mut order = ViewOrder::default();
            order.count(&Volume::new(Grid::image(values.len(), 1).unwrap(), values.to_vec()).unwrap());
            let mut warnings = Warnings::new();
            order.warn(&mut warnings);
            !warnings.is_empty()
        };
        assert!(warned(&[-1.0, -2.0, 3.0, f32::NAN]));
        assert!(!warned(&[-1.0, 2.0, f32::NAN]) && !warned(&[f32::NAN]) && !warned(&[0.0, 0.0]));
    }
}
