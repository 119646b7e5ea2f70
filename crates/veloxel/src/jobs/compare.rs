//! Several methods on one pair of images, side by side, on a page.

use super::inputs::flow_inputs::load_images;
use super::options::dense_options::header;
use super::{DenseMethodOptions, JobRun, MaskFile, OutputContent, OutputPlan, OutputRole, Result, name};
use crate::Session;
use crate::pipelines::{Account, CompareRequest, MethodChoice, PairNames};
use std::path::PathBuf;
use veloxel_core::Stage;
use veloxel_io::{self as io, ReadOptions};
use veloxel_motion::METHODS;
use veloxel_report::{CompareReport, comparison_html};

/// The methods to compare on a pair of files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompareJob {
    /// The image that the fields live on.
    pub fixed: PathBuf,
    /// The image that they point into.
    pub moving: PathBuf,
    /// The true flow, on the fixed grid.
    pub truth: Option<PathBuf>,
    /// Where data count.
    pub mask: Option<MaskFile>,
    /// The methods with their presets and parameters; none: [`CompareJob::all_methods`].
    pub methods: Vec<DenseMethodOptions>,
    /// How files are read.
    pub reading: ReadOptions,
    /// The command as typed, for the report.
    pub command_line: String,
    /// The page.
    pub html: PathBuf,
    /// JSON.
    pub report: Option<PathBuf>,
}

impl CompareJob {
    /// Every dense method with its default preset.
    pub fn all_methods() -> Vec<DenseMethodOptions> {
        METHODS.iter().map(DenseMethodOptions::new).collect()
    }

    fn plan(&self, session: &Session) -> Result<OutputPlan> {
        OutputPlan::of(session)
            .reads("fixed", [&self.fixed])
            .reads("moving", [&self.moving])
            .reads("mask", self.mask.as_ref().map(|mask| &mask.path))
            .reads("truth", &self.truth)
            .writes(OutputRole::Page, [&self.html], OutputContent::Text)
            .writes(OutputRole::Report, &self.report, OutputContent::Text)
            .checked()
    }
}

/// Runs every method on the pair and writes a page with their fields, confidences, errors and times.
///
/// A method that cannot take these images is left out, with its reason on the page.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line; the reason of the first method if none could run.
pub fn compare(job: &CompareJob, session: &Session) -> Result<JobRun<CompareReport>> {
    planned(job, session, job.plan(session)?)
}

fn planned(job: &CompareJob, session: &Session, plan: OutputPlan) -> Result<JobRun<CompareReport>> {
    session.enter(Stage::Read)?;
    let Account { mut stages, mut warnings, .. } = Account::default();
    let (images, mask, truth) = stages.time("load", || -> Result<_> {
        let reading = &session.reading(job.reading);
        let mask = job.mask.as_ref().map(|file| file.read(reading, &mut warnings)).transpose()?;
        let truth = job.truth.as_ref().map(|path| io::read_flow(path, reading, &mut warnings)).transpose()?;
        Ok((load_images(&job.fixed, &job.moving, reading, &mut warnings)?, mask, truth))
    })?;
    let given = if job.methods.is_empty() { CompareJob::all_methods() } else { job.methods.clone() };
    let methods: Vec<_> = given.iter().map(|own| MethodChoice::new(own.draft().clone())).collect();
    let names = [&job.fixed, &job.moving].map(|path| name(path));
    let title = names.join(" → ");
    let request = CompareRequest {
        fixed: (&images.fixed).into(),
        moving: (&images.moving).into(),
        names: PairNames { title: &title, images: &names, ..PairNames::default() },
        mask: mask.as_ref(),
        visible: images.visible.as_ref(),
        truth: truth.as_ref(),
        strictness: job.reading.strictness,
        methods: &methods,
    };
    let mut result = crate::pipelines::compare(&request, session)?;
    let mut log = Account { stages, warnings, ..Account::default() };
    log.absorb(std::mem::take(&mut result.account));

    session.enter(Stage::Write)?;
    let (fixed, moving) = (images.fixed.grid(), images.moving.grid());
    let read = plan.input_reports(|nth| if nth == 1 { moving } else { fixed });
    let (runs, left_out) = (std::mem::take(&mut result.measured), std::mem::take(&mut result.left_out));
    let header = header(&job.command_line, "compare", None, log, read);
    let report = CompareReport { header, runs, left_out };
    let views = result.views(&title, truth.as_ref());
    plan.publish(report, |report| Ok(comparison_html(report, &views, session.control())?))
}
