//! Two images in, the flow with its confidence and diagnostics out.

use super::outputs::{
    check_confidence_output, check_distinct, check_outputs, format_text, name, write_confidence,
};
use super::parameters::as_json;
use super::stage::Stages;
use super::{Directions, RunChoice, StartChoice};
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Mask, Volume, Warnings};
use veloxel_io as io;
use veloxel_io::Kind;
use veloxel_motion::{Clg, Extras, InverseConsistent, Observer, Pair, PairMethod};
use veloxel_report::{InputReport, PairReport, PairView, RunReport, html};

/// Files to write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FlowOutputs {
    /// The field.
    pub flow: PathBuf,
    /// Confidence of every vector, 0 to 1.
    pub confidence: Option<PathBuf>,
    /// The moving image seen from the fixed grid.
    pub warped: Option<PathBuf>,
    /// JSON.
    pub report: Option<PathBuf>,
    /// A page for people.
    pub html: Option<PathBuf>,
}

/// One run over a pair of files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlowJob {
    /// The image that the field lives on.
    pub fixed: PathBuf,
    /// The image that it points into.
    pub moving: PathBuf,
    /// Before the first warp.
    pub start: StartChoice,
    /// The true field, on the fixed grid: the report says how far off the found one is.
    pub truth: Option<PathBuf>,
    /// Everything else that a run is told.
    pub choice: RunChoice,
    /// What to write.
    pub outputs: FlowOutputs,
}

/// What a run has to say, and the files it wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct FlowRun {
    /// As in `report.json`.
    pub report: RunReport,
    /// What and where.
    pub written: Vec<(&'static str, PathBuf)>,
}

impl FlowJob {
    fn inputs(&self) -> impl Iterator<Item = &Path> {
        let start = match &self.start {
            StartChoice::Flow(path) => Some(path),
            _ => None,
        };
        let more = [self.choice.mask.as_ref(), self.choice.volume_mask.as_ref(), start, self.truth.as_ref()];
        [&self.fixed, &self.moving].into_iter().chain(more.into_iter().flatten()).map(PathBuf::as_path)
    }
}

impl FlowOutputs {
    pub(super) fn check_distinct<'a>(
        &'a self,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), VeloxelError> {
        let more = [&self.confidence, &self.warped, &self.report, &self.html];
        check_distinct(
            inputs,
            more.map(|path| path.as_deref()).into_iter().chain([Some(self.flow.as_path())]),
        )
    }

    pub(super) fn check(&self, dimension: Option<veloxel_core::Dimension>) -> Result<(), VeloxelError> {
        self.confidence.as_deref().map(check_confidence_output).transpose()?;
        check_outputs(
            &[
                (Some(self.flow.as_path()), Some(Kind::Flow)),
                (self.confidence.as_deref(), Some(Kind::Image)),
                (self.warped.as_deref(), Some(Kind::Image)),
                (self.report.as_deref(), None),
                (self.html.as_deref(), None),
            ],
            dimension,
        )
    }
}

/// Estimates the field of a pair of files, and writes what was asked for.
///
/// Nothing is written unless everything was computed; each file appears whole or not at all.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line.
pub fn flow(job: &FlowJob, observer: &dyn Observer) -> Result<FlowRun, VeloxelError> {
    let choice = &job.choice;
    job.outputs.check(None)?;
    job.outputs.check_distinct(job.inputs())?;
    let mut stages = Stages::default();
    let mut warnings = Warnings::new();
    // A GPU takes as long to open as large files to read.
    let (opened, inputs) = std::thread::scope(|scope| {
        let opening = scope.spawn(|| choice.device.open());
        let inputs = stages.time("load", || Inputs::load(job, &mut warnings));
        (opening.join().expect("opening a device should not panic"), inputs)
    });
    let ((device, device_report), inputs) = (opened?, inputs?);
    let (fixed, moving, mask) = (&inputs.fixed, &inputs.moving, inputs.mask.as_ref());
    let volume_mask = inputs.volume_mask.as_ref();
    job.outputs.check(Some(fixed.grid().dimension()))?;
    let params = choice.parameters.resolve(fixed.grid().dimension())?;
    let pair = Pair { fixed, moving, mask, volume_mask, start: job.start.start(inputs.start.as_ref()) };
    let clg = Clg::new(fixed.grid(), params.clone(), &device)?;
    let mut method: Box<dyn PairMethod> = match choice.directions {
        Directions::Forward => Box::new(clg),
        Directions::Both => Box::new(InverseConsistent::new(clg)),
    };
    let warped = job.outputs.warped.is_some() || job.outputs.html.is_some();
    let extras = Extras { warped, jacobian: true };
    let output = stages.time("solve", || method.run_with(&pair, extras, observer))?;
    drop(method);

    let title = format!("{} → {}", name(&job.fixed), name(&job.moving));
    let pair_report = stages.time("measure", || -> Result<PairReport, VeloxelError> {
        let view = PairView { truth: inputs.truth.as_ref(), ..view(&title, &pair, &output) };
        Ok(PairReport::measure(&view, output.statistics.clone())?)
    })?;
    warnings.extend(output.statistics.warnings.clone());

    let mut written = Vec::new();
    stages.time("write", || -> Result<(), VeloxelError> {
        let outputs = &job.outputs;
        io::write_flow(&outputs.flow, &output.flow)?;
        written.push(("flow", outputs.flow.clone()));
        if let Some(path) = &outputs.confidence {
            write_confidence(path, &output.confidence, &mut warnings)?;
            written.push(("confidence", path.clone()));
        }
        if let (Some(path), Some(warped)) = (&outputs.warped, &output.warped) {
            io::write_image(path, warped, &mut warnings)?;
            written.push(("warped image", path.clone()));
        }
        Ok(())
    })?;

    let report = RunReport {
        veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
        command_line: choice.command_line.clone(),
        method: "clg".to_owned(),
        preset: Some(choice.parameters.preset_name().to_owned()),
        device: device_report,
        parameters: serde_json::Value::Object(as_json(&params)?),
        inputs: inputs.reports(job),
        pairs: vec![pair_report],
        cycle_closure_vox: None,
        label_overlap: None,
        stage_times: stages.into_times(),
        warnings,
    };
    if let Some(path) = &job.outputs.report {
        io::write_text(path, &report.to_json()?)?;
        written.push(("report", path.clone()));
    }
    if let Some(path) = &job.outputs.html {
        let view = PairView { truth: inputs.truth.as_ref(), ..view(&title, &pair, &output) };
        io::write_text(path, &html(&report, &view)?)?;
        written.push(("page", path.clone()));
    }
    Ok(FlowRun { report, written })
}

/// A pair with its result, as reports take it.
pub(crate) fn view<'a>(
    title: &'a str,
    pair: &Pair<'a>,
    output: &'a veloxel_motion::DenseFlow,
) -> PairView<'a> {
    PairView {
        title,
        fixed: pair.fixed,
        moving: pair.moving,
        warped: output.warped.as_ref(),
        flow: &output.flow,
        confidence: &output.confidence,
        jacobian: output.jacobian.as_ref().expect("the determinant should have been asked for"),
        truth: None,
        mask: pair.volume_mask.or(pair.mask),
    }
}

/// What was read.
struct Inputs {
    fixed: Volume<f32>,
    moving: Volume<f32>,
    mask: Option<Mask>,
    volume_mask: Option<Mask>,
    start: Option<Flow>,
    truth: Option<Flow>,
}

impl Inputs {
    fn load(job: &FlowJob, warnings: &mut Warnings) -> Result<Self, VeloxelError> {
        let strictness = job.choice.strictness;
        let mut read = |path: &Option<PathBuf>| {
            path.as_deref().map(|p| io::read_mask(p, strictness, warnings)).transpose()
        };
        let (mask, volume_mask) = (read(&job.choice.mask)?, read(&job.choice.volume_mask)?);
        let start = match &job.start {
            StartChoice::Flow(path) => Some(io::read_flow(path, strictness, warnings)?),
            _ => None,
        };
        let truth = job.truth.as_deref().map(|path| io::read_flow(path, strictness, warnings)).transpose()?;
        let mut about_moving = Warnings::new();
        let (fixed, moving) = std::thread::scope(|scope| {
            let moving = scope.spawn(|| io::read_image(&job.moving, strictness, &mut about_moving));
            let fixed = io::read_image(&job.fixed, strictness, warnings);
            (fixed, moving.join().expect("reading an image should not panic"))
        });
        let (fixed, moving) = (fixed?, moving?);
        warnings.extend(about_moving);
        Ok(Self { fixed, moving, mask, volume_mask, start, truth })
    }

    fn reports(&self, job: &FlowJob) -> Vec<InputReport> {
        let report = |role, path: &Path, grid| {
            InputReport::new(role, &path.display().to_string(), &format_text(path), grid)
        };
        let mut reports = vec![
            report("fixed", &job.fixed, self.fixed.grid()),
            report("moving", &job.moving, self.moving.grid()),
        ];
        for (role, path, mask) in [
            ("mask", &job.choice.mask, &self.mask),
            ("volume mask", &job.choice.volume_mask, &self.volume_mask),
        ] {
            if let (Some(path), Some(mask)) = (path, mask) {
                reports.push(report(role, path, mask.grid()));
            }
        }
        if let (StartChoice::Flow(path), Some(start)) = (&job.start, &self.start) {
            reports.push(report("start", path, start.grid()));
        }
        if let (Some(path), Some(truth)) = (&job.truth, &self.truth) {
            reports.push(report("truth", path, truth.grid()));
        }
        reports
    }
}
