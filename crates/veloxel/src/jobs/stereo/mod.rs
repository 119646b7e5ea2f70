//! Two pictures from files, rectified where their cameras are known; the disparity with its confidence, depths, points and
//! diagnostics to files.

mod cameras;
mod inputs;

use super::job_error::JobError;
use super::options::phase_options::PhaseOptions;
use super::outputs::pictures::{write_confidence, write_sampled};
use super::{JobRun, MaskFile, OutputContent, OutputPlan, OutputRole, name};
use crate::pipelines::account::Account;
use crate::pipelines::{self, CloudRequest, StereoResult, undo_disparity};
use crate::{Result, Session};
pub use cameras::StereoCameras;
use inputs::Inputs;
use std::path::PathBuf;
use veloxel_core::{RectifiedView, Stage, Volume};
use veloxel_io::{self as io, ContentKind};
use veloxel_motion::{LengthErrors, PhaseStereo};
use veloxel_report::{CamerasReport, DisparityDrawing, StereoReport, StereoView, ValueRange, stereo_html};

/// One run over a stereo pair.
#[derive(Debug, Clone, PartialEq)]
pub struct StereoJob {
    /// The image that the disparity lives on.
    pub left: PathBuf,
    /// The other one; left `(x, y)` is found at right `(x − d, y)`.
    pub right: PathBuf,
    /// What is known of the cameras.
    pub cameras: StereoCameras,
    /// The (rectified) left image's true disparity: the report says how far off the found one is.
    pub truth: Option<PathBuf>,
    /// What its samples were multiplied by, where its file does not say so.
    pub truth_scale: Option<f32>,
    /// A mask on the left image's grid as it was taken, outside of which nothing is found or measured.
    pub mask: Option<MaskFile>,
    /// The method, and how files are read.
    pub options: PhaseOptions,
    /// Where the disparity goes.
    pub disparity: PathBuf,
    /// Confidence of every pixel, 0 to 1.
    pub confidence: Option<PathBuf>,
    /// Expected error of every disparity, pixels.
    pub expected_error: Option<PathBuf>,
    /// Depth of every pixel, metres.
    pub depth: Option<PathBuf>,
    /// Points with colours, metres in the rectified left camera's frame.
    pub cloud: Option<PathBuf>,
    /// The rectified left picture.
    pub rectified_left: Option<PathBuf>,
    /// The rectified right picture.
    pub rectified_right: Option<PathBuf>,
    /// The disparity in colours.
    pub picture: Option<PathBuf>,
    /// How it is drawn.
    pub drawing: DisparityDrawing,
    /// JSON.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

/// Report of a run, and the files written.
pub type StereoRun = JobRun<StereoReport>;

impl StereoJob {
    /// Refuses outputs in metres without cameras, and rectified pictures without a calibration.
    fn require_cameras(&self) -> Result<(), JobError> {
        let is_unknown = self.cameras == StereoCameras::Unknown;
        let in_metres = [(&self.depth, "a depth"), (&self.cloud, "a point cloud")];
        if let Some((_, output)) = in_metres.iter().find(|(path, _)| is_unknown && path.is_some()) {
            return Err(JobError::NoCameras { output });
        }
        let is_rectified = self.cameras.files().is_empty();
        if is_rectified && (self.rectified_left.is_some() || self.rectified_right.is_some()) {
            return Err(JobError::NoCalibration);
        }
        Ok(())
    }

    /// The plan of its files, not checked yet.
    pub(super) fn plan(&self, session: &Session) -> Result<OutputPlan> {
        self.require_cameras()?;
        let image = OutputContent::Samples(ContentKind::Image);
        Ok(OutputPlan::of(session)
            .reads("left", [&self.left])
            .reads("right", [&self.right])
            .reads_settings(self.options.method.files())
            .reads_settings(self.cameras.files())
            .reads("mask", self.mask.as_ref().map(|mask| &mask.path))
            .reads("truth", &self.truth)
            .writes(OutputRole::Disparity, [&self.disparity], OutputContent::Disparity)
            .writes(OutputRole::Confidence, &self.confidence, OutputContent::Confidence)
            .writes(OutputRole::ExpectedError, &self.expected_error, image)
            .writes(OutputRole::Depth, &self.depth, OutputContent::Depth)
            .writes(OutputRole::Cloud, &self.cloud, OutputContent::Cloud)
            .writes(OutputRole::RectifiedLeft, &self.rectified_left, image)
            .writes(OutputRole::RectifiedRight, &self.rectified_right, image)
            .writes(OutputRole::Picture, &self.picture, OutputContent::Picture)
            .writes(OutputRole::Report, &self.report, OutputContent::Text)
            .writes(OutputRole::Page, &self.html, OutputContent::Text))
    }
}

/// Estimates the disparity of a pair of files, and writes what was asked for.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line; nothing is written then.
pub fn stereo(job: &StereoJob, session: &Session) -> Result<StereoRun> {
    planned(job, session, job.plan(session)?.checked()?)
}

fn planned(job: &StereoJob, session: &Session, mut plan: OutputPlan) -> Result<StereoRun> {
    session.enter(Stage::Read)?;
    let mut all = Account::default();
    let inputs = Inputs::load(job, session, &mut all)?;
    let StereoResult { found, errors, range_px, error, account } =
        pipelines::stereo(&inputs.request(job), session)?;
    all.absorb(account);
    session.enter(Stage::Write)?;
    let depth_m = inputs.view.map(|view| pipelines::depth(&found.disparity_px, &view));
    let written = Found { job, inputs: &inputs, found: &found, errors, depth_m: depth_m.as_ref() };
    let mut stages = std::mem::take(&mut all.stages);
    stages.time("write", || written.write(&mut plan, &mut all, session))?;
    all.stages = stages;
    let cameras = inputs.view.map(|view| {
        let range = depth_m.as_ref().and_then(ValueRange::of);
        CamerasReport::new(view, inputs.rectification.as_ref(), range)
    });
    let Inputs { left, right, truth, .. } = &inputs;
    let files = plan.input_reports(|_| left.grid());
    let report = StereoReport {
        header: job.options.header("phase-stereo", all, files),
        levels: found.report.levels.clone(),
        valid_share: found.report.valid_share,
        mean_confidence: found.report.mean_confidence,
        disparity_px: range_px,
        error,
        cameras,
    };
    plan.publish(report, |report| {
        let view = StereoView {
            title: &format!("{} and {}", name(&job.left), name(&job.right)),
            left,
            right,
            disparity_px: &found.disparity_px,
            confidence: &found.confidence,
            warped: &undo_disparity(&found.disparity_px, right, session)?,
            truth_px: truth.as_ref(),
            depth_m: depth_m.as_ref(),
        };
        Ok(stereo_html(report, &view, session.control())?)
    })
}

/// What was found, on its way into files.
struct Found<'a> {
    job: &'a StereoJob,
    inputs: &'a Inputs,
    found: &'a PhaseStereo,
    errors: LengthErrors,
    depth_m: Option<&'a Volume<f32>>,
}

impl Found<'_> {
    fn write(&self, plan: &mut OutputPlan, account: &mut Account, session: &Session) -> Result<()> {
        let Self { job, inputs, found, errors, depth_m } = self;
        let warnings = &mut account.warnings;
        plan.write(OutputRole::Disparity, |target| io::write_disparity(target, &found.disparity_px))?;
        plan.write(OutputRole::Confidence, |target| write_confidence(&target, &found.confidence, warnings))?;
        if job.expected_error.is_some() {
            let expected_px = errors.of_each_px(&found.disparity_px, &found.confidence);
            plan.write(OutputRole::ExpectedError, |target| io::write_image(target, &expected_px, warnings))?;
        }
        if let Some(depth_m) = depth_m {
            plan.write(OutputRole::Depth, |target| io::write_depth(target, depth_m, warnings))?;
        }
        if let (Some(view), Some(_)) = (inputs.view, &job.cloud) {
            let points = self.points(view, session)?;
            let frame = "rectified left camera, x right, y down, z forward";
            plan.write(OutputRole::Cloud, |target| io::write_cloud(target, frame, &points))?;
        }
        let pictures =
            [(OutputRole::RectifiedLeft, &inputs.left), (OutputRole::RectifiedRight, &inputs.right)];
        for (role, picture) in pictures {
            plan.write(role, |target| write_sampled(&target, picture, picture, warnings))?;
        }
        if job.picture.is_some() {
            let drawn = job.drawing.draw(&found.disparity_px, &inputs.left, session.control())?;
            plan.write(OutputRole::Picture, |target| {
                io::write_rgb(target, [drawn.width, drawn.height], &drawn.rgb)
            })?;
        }
        Ok(())
    }

    fn points(&self, view: RectifiedView, session: &Session) -> Result<Vec<io::CloudPoint>> {
        let Self { inputs, found, .. } = self;
        let request = CloudRequest {
            disparity_px: &found.disparity_px,
            confidence: &found.confidence,
            left: (&inputs.left).into(),
            colours: inputs.colours.as_ref(),
            view,
        };
        pipelines::point_cloud(&request, session)
    }
}
