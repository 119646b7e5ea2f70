//! Two images, or a window of frames, in; the flow with its confidence and diagnostics out.

use super::full_scale::full_scale;
use super::outputs::{
    check_confidence_output, check_distinct, check_outputs, format_text, name, write_confidence,
};
use super::stage::Stages;
use super::{RunOptions, StartFrom};
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Mask, Volume, Warnings};
use veloxel_io as io;
use veloxel_io::{FrameStream, Kind};
use veloxel_motion::{AnyMethod, DenseFlow, Extras, Method, Observer, Opened, Opening, Pair, Takes};
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

/// One run of a dense method over a pair of files, or over a window of frames.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlowJob {
    /// Fixed and moving image; of a method that takes a window of frames: these in order of time, or one source of just
    /// these, a folder, a pattern, an animation or a video.
    pub inputs: Vec<PathBuf>,
    /// Before the first step, of a method that takes pairs.
    pub start: StartFrom,
    /// The true flow, on the fixed grid: the report says how far off the found one is.
    pub truth: Option<PathBuf>,
    /// Everything else that a run is told.
    pub options: RunOptions,
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
    /// Every file that is read beside the images, by its role.
    fn more_inputs(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let start = match &self.start {
            StartFrom::Flow(path) => Some(path),
            _ => None,
        };
        let options = &self.options;
        [
            ("mask", options.mask.as_ref()),
            ("volume mask", options.volume_mask.as_ref()),
            ("start", start),
            ("truth", self.truth.as_ref()),
        ]
        .into_iter()
        .filter_map(|(role, path)| path.map(|path| (role, path)))
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

/// Estimates the flow of a pair of files, or of the centre of a window of frames, and writes what was asked for.
///
/// Nothing is written unless everything was computed; each file appears whole or not at all.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line.
pub fn flow(job: &FlowJob, observer: &dyn Observer) -> Result<FlowRun, VeloxelError> {
    let options = &job.options;
    job.outputs.check(None)?;
    let read = job.inputs.iter().chain(job.more_inputs().map(|(_, path)| path));
    job.outputs.check_distinct(read.map(PathBuf::as_path))?;
    let mut stages = Stages::default();
    let mut warnings = Warnings::new();
    // A GPU takes as long to open as large files to read.
    let (opened, inputs) = std::thread::scope(|scope| {
        let opening = scope.spawn(|| options.device.open());
        let inputs = stages.time("load", || Inputs::load(job, &mut warnings));
        (opening.join().expect("opening a device should not panic"), inputs)
    });
    let ((device, device_report), inputs) = (opened?, inputs?);
    job.outputs.check(Some(inputs.frames[0].grid().dimension()))?;
    let opening = Opening {
        grid: inputs.frames[0].grid(),
        frames: inputs.frames.len(),
        white: full_scale(&inputs.frames[0]),
        draft: options.method.draft(),
        device: &device,
    };
    let Opened { method, parameters } = Method::of(opening.draft).open(&opening)?;
    let mut method = options.directions.of(method);
    let fixed = method.centre();
    let pair = Pair {
        mask: inputs.mask.as_ref(),
        volume_mask: inputs.volume_mask.as_ref(),
        start: job.start.start(inputs.start.as_ref()),
        ..Pair::new(&inputs.frames[fixed], &inputs.frames[fixed + 1])
    };
    let warped = job.outputs.warped.is_some() || job.outputs.html.is_some();
    let extras = Extras { warped, jacobian: true };
    let found = stages.time("solve", || match &mut method {
        AnyMethod::Pair(method) => method.run_with(&pair, extras, observer),
        // Only with the warped image is it known how well the frames agree.
        AnyMethod::Window(method) => {
            method.run(&inputs.frames.iter().collect::<Vec<_>>(), pair.mask, Extras::ALL)
        }
    })?;
    drop(method);

    let title = match job.inputs.as_slice() {
        [one] => format!("{}, frame {fixed} → {}", name(one), fixed + 1),
        many => format!("{} → {}", name(&many[fixed]), name(&many[fixed + 1])),
    };
    let view = PairView { truth: inputs.truth.as_ref(), ..view(&title, &pair, &found) };
    let pair_report = stages.time("measure", || PairReport::measure(&view, found.statistics.clone()))?;
    warnings.extend(found.statistics.warnings.clone());
    let mut written = Vec::new();
    stages.time("write", || job.outputs.write(&found, &mut written, &mut warnings))?;

    let report = RunReport {
        veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
        command_line: options.command_line.clone(),
        method: options.method.method_name().to_owned(),
        preset: Some(options.method.preset_name().to_owned()),
        device: device_report,
        parameters: parameters.into(),
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
        io::write_text(path, &html(&report, &view)?)?;
        written.push(("page", path.clone()));
    }
    Ok(FlowRun { report, written })
}

impl FlowOutputs {
    /// Writes the flow and its maps.
    fn write(
        &self,
        found: &DenseFlow,
        written: &mut Vec<(&'static str, PathBuf)>,
        warnings: &mut Warnings,
    ) -> Result<(), VeloxelError> {
        io::write_flow(&self.flow, &found.flow)?;
        written.push(("flow", self.flow.clone()));
        if let Some(path) = &self.confidence {
            write_confidence(path, &found.confidence, warnings)?;
            written.push(("confidence", path.clone()));
        }
        if let (Some(path), Some(warped)) = (&self.warped, &found.warped) {
            io::write_image(path, warped, warnings)?;
            written.push(("warped image", path.clone()));
        }
        Ok(())
    }
}

/// A pair with its result, as reports take it.
pub(crate) fn view<'a>(title: &'a str, pair: &Pair<'a>, found: &'a DenseFlow) -> PairView<'a> {
    PairView {
        title,
        fixed: pair.fixed,
        moving: pair.moving,
        warped: found.warped.as_ref(),
        flow: &found.flow,
        confidence: &found.confidence,
        jacobian: found.jacobian.as_ref().expect("the determinant should have been asked for"),
        truth: None,
        mask: pair.volume_mask.or(pair.mask),
    }
}

/// What was read.
struct Inputs {
    frames: Vec<Volume<f32>>,
    mask: Option<Mask>,
    volume_mask: Option<Mask>,
    start: Option<Flow>,
    truth: Option<Flow>,
}

impl Inputs {
    fn load(job: &FlowJob, warnings: &mut Warnings) -> Result<Self, VeloxelError> {
        let strictness = job.options.strictness;
        let mut mask = |path: &Option<PathBuf>| {
            path.as_deref().map(|p| io::read_mask(p, strictness, warnings)).transpose()
        };
        let (mask, volume_mask) = (mask(&job.options.mask)?, mask(&job.options.volume_mask)?);
        let mut flow = |path: Option<&Path>| path.map(|p| io::read_flow(p, strictness, warnings)).transpose();
        let start = match &job.start {
            StartFrom::Flow(path) => flow(Some(path))?,
            _ => None,
        };
        let truth = flow(job.truth.as_deref())?;
        let frames = match Method::of(job.options.method.draft()).takes {
            Takes::Pairs => load_pair(job, warnings)?,
            Takes::Windows { most } => load_window(job, most, warnings)?,
        };
        Ok(Self { frames, mask, volume_mask, start, truth })
    }

    fn reports(&self, job: &FlowJob) -> Vec<InputReport> {
        let report = |role, path: &Path, grid| {
            InputReport::new(role, &path.display().to_string(), &format_text(path), grid)
        };
        let roles: &[&str] = match Method::of(job.options.method.draft()).takes {
            Takes::Pairs => &["fixed", "moving"],
            Takes::Windows { .. } => &[],
        };
        let images = job.inputs.iter().zip(&self.frames).enumerate();
        let images = images.map(|(nth, (path, frame))| {
            report(roles.get(nth).copied().unwrap_or("frame"), path, frame.grid())
        });
        // Everything else lies on the fixed grid.
        let more = job.more_inputs().map(|(role, path)| report(role, path, self.frames[0].grid()));
        images.chain(more).collect()
    }
}

/// Fixed and moving image, read side by side.
fn load_pair(job: &FlowJob, warnings: &mut Warnings) -> Result<Vec<Volume<f32>>, VeloxelError> {
    let [fixed, moving] = job.inputs.as_slice() else {
        let reason = format!("expected FIXED and MOVING, got {} inputs", job.inputs.len());
        return Err(VeloxelError::Frames { reason });
    };
    let strictness = job.options.strictness;
    let mut about_moving = Warnings::new();
    let (fixed, moving) = std::thread::scope(|scope| {
        let moving = scope.spawn(|| io::read_image(moving, strictness, &mut about_moving));
        let fixed = io::read_image(fixed, strictness, warnings);
        (fixed, moving.join().expect("reading an image should not panic"))
    });
    let frames = vec![fixed?, moving?];
    warnings.extend(about_moving);
    Ok(frames)
}

/// All frames of a source, or of several files, but no more than a window can have.
fn load_window(
    job: &FlowJob,
    most: usize,
    warnings: &mut Warnings,
) -> Result<Vec<Volume<f32>>, VeloxelError> {
    let strictness = job.options.strictness;
    let mut stream = match job.inputs.as_slice() {
        [one] => FrameStream::open(one, strictness, warnings)?,
        many => FrameStream::of_files(many.to_vec(), strictness),
    };
    // One frame too many is enough to know that there are.
    let mut frames = Vec::new();
    while frames.len() <= most
        && let Some(frame) = stream.next_frame(warnings)?
    {
        frames.push(frame);
    }
    if frames.is_empty() {
        return Err(veloxel_core::CoreError::EmptySequence.into());
    }
    Ok(frames)
}
