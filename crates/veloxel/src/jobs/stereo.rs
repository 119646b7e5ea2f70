//! Two pictures from files; the disparity with its confidence and diagnostics to files.

use super::options::phase_options::PhaseOptions;
use super::outputs::pictures::write_confidence;
use super::{JobRun, MaskFile, OutputContent, OutputPlan, OutputRole, name};
use crate::pipelines::account::Account;
use crate::pipelines::{self, StereoRequest, StereoResult, undo_disparity};
use crate::{Result, Session, VeloxelError};
use std::path::{Path, PathBuf};
use veloxel_core::{Mask, Stage, Volume};
use veloxel_io as io;
use veloxel_report::{StereoReport, StereoView, stereo_html};

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
    /// A mask on the left image's grid, outside of which nothing is found or measured.
    pub mask: Option<MaskFile>,
    /// The method, and how files are read.
    pub options: PhaseOptions,
    /// Where the disparity goes.
    pub disparity: PathBuf,
    /// Confidence of every pixel, 0 to 1.
    pub confidence: Option<PathBuf>,
    /// JSON.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

/// Report of a run, and the files written.
pub type StereoRun = JobRun<StereoReport>;

impl StereoJob {
    fn plan(&self, session: &Session) -> Result<OutputPlan> {
        OutputPlan::of(session)
            .reads("left", [&self.left])
            .reads("right", [&self.right])
            .reads_settings(self.options.method.files())
            .reads("mask", self.mask.as_ref().map(|mask| &mask.path))
            .reads("truth", &self.truth)
            .writes(OutputRole::Disparity, [&self.disparity], OutputContent::Disparity)
            .writes(OutputRole::Confidence, &self.confidence, OutputContent::Confidence)
            .writes(OutputRole::Report, &self.report, OutputContent::Text)
            .writes(OutputRole::Page, &self.html, OutputContent::Text)
            .checked()
    }
}

/// Estimates the disparity of a pair of files, and writes what was asked for.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line; nothing is written then.
pub fn stereo(job: &StereoJob, session: &Session) -> Result<StereoRun> {
    planned(job, session, job.plan(session)?)
}

fn planned(job: &StereoJob, session: &Session, mut plan: OutputPlan) -> Result<StereoRun> {
    session.enter(Stage::Read)?;
    let mut all = Account::default();
    let inputs = Inputs::load(job, session, &mut all)?;
    let StereoResult { found, range_px, error, account } = pipelines::stereo(&inputs.request(job), session)?;
    all.absorb(account);
    session.enter(Stage::Write)?;
    let Account { stages, warnings, .. } = &mut all;
    stages.time("write", || {
        plan.write(OutputRole::Disparity, |target| io::write_disparity(target, &found.disparity_px))?;
        plan.write(OutputRole::Confidence, |target| write_confidence(&target, &found.confidence, warnings))
    })?;
    let Inputs { left, right, truth, .. } = &inputs;
    let inputs = plan.input_reports(|_| left.grid());
    let report = StereoReport {
        header: job.options.header("phase-stereo", all, inputs),
        levels: found.report.levels.clone(),
        valid_share: found.report.valid_share,
        mean_confidence: found.report.mean_confidence,
        disparity_px: range_px,
        error,
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
        };
        Ok(stereo_html(report, &view, session.control())?)
    })
}

/// What was read.
struct Inputs {
    left: Volume<f32>,
    right: Volume<f32>,
    truth: Option<Volume<f32>>,
    mask: Option<Mask>,
}

impl Inputs {
    fn load(job: &StereoJob, session: &Session, account: &mut Account) -> Result<Self> {
        let (reading, warnings) = (&session.reading(job.options.reading), &mut account.warnings);
        let mut read = |path: &Path| io::read_image(path, reading, warnings);
        let (left, right) =
            account.stages.time("load", || Ok::<_, VeloxelError>((read(&job.left)?, read(&job.right)?)))?;
        let truth = job.truth.as_deref();
        let truth = truth.map(|path| io::read_disparity(path, job.truth_scale, reading, warnings));
        let truth = truth.transpose()?;
        let mask = job.mask.as_ref().map(|file| file.read(reading, warnings)).transpose()?;
        Ok(Self { left, right, truth, mask })
    }

    fn request<'a>(&'a self, job: &'a StereoJob) -> StereoRequest<'a> {
        let Self { left, right, truth, mask } = self;
        let (mask, truth_px, method) = (mask.as_ref(), truth.as_ref(), job.options.method.draft());
        StereoRequest { mask, truth_px, ..StereoRequest::new(left, right, method) }
    }
}
