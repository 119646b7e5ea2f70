//! Two images, or a window of frames, in; the flow with its confidence and diagnostics out.

use super::grids::{OutsideFill, Sampling, allow_two_grids, mask_on, moving_on, warp_image};
use super::output_plan::{Holds, OutputPlan, name};
use super::pictures::{write_colours, write_confidence, write_sampled};
use super::run_log::{RunLog, Stages, finish};
use super::sentinels::clip_sentinels;
use super::{JobRun, MaskFile, RunOptions, StartFrom};
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_core::{Flow, Mask, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_io as io;
use veloxel_io::{FrameStream, Kind};
use veloxel_kernels::image::warp::Interpolation;
use veloxel_motion::{AnyMethod, DenseFlow, Extras, Method, Observer, Opened, Pair, Takes};
use veloxel_report::{PairReport, PairView, RunReport, html};

/// Files to write.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FlowOutputs {
    /// The field.
    pub flow: PathBuf,
    /// Confidence of every vector, 0 to 1.
    pub confidence: Option<PathBuf>,
    /// 1 where a voxel is hidden in the moving image or outside of it; of a run that begins from matches.
    pub occlusion: Option<PathBuf>,
    /// The moving image seen from the fixed grid.
    pub warped: Option<PathBuf>,
    /// What that holds where the moving image has no sample.
    pub outside: OutsideFill,
    /// The field in the colours of the wheel.
    pub picture: Option<PathBuf>,
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
    /// Method, device and everything else that runs share.
    pub options: RunOptions,
    /// What to write.
    pub outputs: FlowOutputs,
}

/// What a run has to say, and the files it wrote.
pub type FlowRun = JobRun<RunReport>;

impl FlowJob {
    fn plan(&self) -> OutputPlan {
        let (options, outputs) = (&self.options, &self.outputs);
        let [mask, volume_mask] = options.mask_paths();
        let start = match &self.start {
            StartFrom::Flow(path) => Some(path),
            _ => None,
        };
        let plan = match (self.takes(), self.inputs.as_slice()) {
            (Takes::Pairs, [fixed, moving]) => {
                OutputPlan::default().reads("fixed", [fixed]).reads("moving", [moving])
            }
            (_, frames) => OutputPlan::default().reads("frame", frames),
        };
        plan.reads_settings(options.method.files())
            .reads("mask", mask)
            .reads("volume mask", volume_mask)
            .reads("start", start)
            .reads("truth", &self.truth)
            .writes("flow", [&outputs.flow], Holds::Samples(Kind::Flow))
            .writes("confidence", &outputs.confidence, Holds::Confidence)
            .writes("occlusion", &outputs.occlusion, Holds::Confidence)
            .writes("warped image", &outputs.warped, Holds::Samples(Kind::Image))
            .writes("picture", &outputs.picture, Holds::Picture)
            .writes("report", &outputs.report, Holds::Text)
            .writes("page", &outputs.html, Holds::Text)
    }

    fn takes(&self) -> Takes {
        Method::of(self.options.method.draft()).takes
    }

    /// The warped image as it is written, where it is.
    fn warped_in_file(
        &self,
        device: &Device,
        (pair, found): (&Pair<'_>, &DenseFlow),
        warnings: &mut Warnings,
    ) -> Result<Option<Volume<f32>>, VeloxelError> {
        let (Some(path), outside) = (&self.outputs.warped, self.outputs.outside) else { return Ok(None) };
        let mut warped = match outside {
            OutsideFill::Value(_) => found.warped.clone(),
            OutsideFill::Edge => {
                let sampling =
                    Sampling { interpolation: Interpolation::CubicSpline, border: outside.border() };
                Some(warp_image(device, (&found.flow, pair.moving), sampling)?)
            }
        };
        if let Some(warped) = &mut warped {
            outside.fill(warped, &name(path), warnings);
        }
        Ok(warped)
    }

    /// The names of the two images, or of the frames, between which the flow is.
    fn title(&self, fixed: usize) -> String {
        match self.inputs.as_slice() {
            [one] => format!("{}, frame {fixed} → {}", name(one), fixed + 1),
            many => format!("{} → {}", name(&many[fixed]), name(&many[fixed + 1])),
        }
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
    let mut plan = job.plan();
    plan.check()?;
    let (device, mut log, inputs) = open_and_load(job)?;
    let fixed_grid = inputs.frames[0].grid();
    plan.check_dimension(fixed_grid.dimension())?;
    let Opened { method, parameters } =
        options.open_method((&inputs.frames[0], inputs.frames.len()), &device)?;
    let mut method = if job.start == StartFrom::Matches { method.matched() } else { method };
    let fixed = method.centre();
    let pair = inputs.pair(&job.start, fixed);
    let warped = job.outputs.warped.is_some() || job.outputs.html.is_some();
    let found = log.stages.time("solve", || match &mut method {
        AnyMethod::Pair(method) => method.run_with(&pair, Extras { warped, jacobian: true }, observer),
        // Only with the warped image is it known how well the frames agree.
        AnyMethod::Window(method) => {
            method.run(&inputs.frames.iter().collect::<Vec<_>>(), pair.mask, Extras::ALL)
        }
    })?;
    drop(method);

    let title = job.title(fixed);
    let seen = moving_on(&device, pair.moving, fixed_grid)?;
    let view = PairView {
        truth: inputs.truth.as_ref(),
        mask: pair.volume_mask.or(pair.mask),
        moving_grid: Some(pair.moving.grid()),
        ..view(&title, (pair.fixed, &seen), &found)
    };
    let measured = log.stages.time("measure", || PairReport::measure(&view, found.statistics.clone()))?;
    log.warnings.extend(found.statistics.warnings.clone());
    options.check_volume_mask(&parameters, &mut log.warnings);
    let in_file =
        log.stages.time("warp", || job.warped_in_file(&device, (&pair, &found), &mut log.warnings))?;
    log.stages.time("write", || write(&found, (in_file, pair.moving), &mut plan, &mut log.warnings))?;
    // Everything beside the images lies on the fixed grid.
    let read = plan.input_reports(|nth| inputs.frames.get(nth).map_or(fixed_grid, |frame| frame.grid()));
    let report = RunReport {
        header: options.header(options.method.method_name(), parameters, log, read),
        pairs: vec![measured],
        cycle_closure_vox: None,
        label_overlap: None,
    };
    finish(plan, report, |report| Ok(html(report, &view)?))
}

/// Writes the flow and its maps.
fn write(
    found: &DenseFlow,
    (warped, moving): (Option<Volume<f32>>, &Volume<f32>),
    plan: &mut OutputPlan,
    warnings: &mut Warnings,
) -> Result<(), VeloxelError> {
    plan.write("flow", |path| io::write_flow(path, &found.flow))?;
    plan.write("confidence", |path| write_confidence(path, &found.confidence, warnings))?;
    if let Some(occlusion) = &found.occlusion {
        plan.write("occlusion", |path| write_confidence(path, occlusion, warnings))?;
    }
    if let Some(warped) = &warped {
        plan.write("warped image", |path| write_sampled(path, (warped, moving), warnings))?;
    }
    plan.write("picture", |path| write_colours(path, &found.flow, warnings))
}

/// A GPU takes as long to open as large files to read: both at once.
fn open_and_load(job: &FlowJob) -> Result<(Device, RunLog, Inputs), VeloxelError> {
    let (mut stages, mut warnings) = (Stages::default(), Warnings::new());
    let (opened, inputs) = std::thread::scope(|scope| {
        let opening = scope.spawn(|| job.options.device.open());
        let inputs = stages.time("load", || Inputs::load(job, &mut warnings));
        (opening.join().expect("opening a device should not panic"), inputs)
    });
    let (device, report) = opened?;
    Ok((device, RunLog { device: report, stages, warnings }, inputs?))
}

/// Fixed and moving image with what was found, as reports take it; without truth and mask.
pub(crate) fn view<'a>(
    title: &'a str,
    (fixed, moving): (&'a Volume<f32>, &'a Volume<f32>),
    found: &'a DenseFlow,
) -> PairView<'a> {
    let jacobian = found.jacobian.as_ref().expect("the determinant should have been asked for");
    let DenseFlow { flow, confidence, warped, .. } = found;
    let warped = warped.as_ref();
    PairView {
        title,
        fixed,
        moving,
        warped,
        flow,
        confidence,
        jacobian,
        truth: None,
        mask: None,
        moving_grid: None,
        frames: None,
    }
}

/// What was read.
pub(super) struct Inputs {
    pub frames: Vec<Volume<f32>>,
    mask: Option<Mask>,
    volume_mask: Option<Mask>,
    start: Option<Flow>,
    pub truth: Option<Flow>,
}

impl Inputs {
    pub fn load(job: &FlowJob, warnings: &mut Warnings) -> Result<Self, VeloxelError> {
        let reading = job.options.reading;
        let mut mask = |file: &Option<MaskFile>| -> Result<Option<Mask>, VeloxelError> {
            file.as_ref().map(|file| file.read(reading, warnings)).transpose()
        };
        let (mask, volume_mask) = (mask(&job.options.mask)?, mask(&job.options.volume_mask)?);
        let mut flow = |path: Option<&Path>| path.map(|p| io::read_flow(p, reading, warnings)).transpose();
        let start = match &job.start {
            StartFrom::Flow(path) => flow(Some(path))?,
            _ => None,
        };
        let truth = flow(job.truth.as_deref())?;
        let (mut frames, seen) = match job.takes() {
            Takes::Pairs => load_pair(job, warnings)?,
            Takes::Windows { most } => (load_window(job, most, warnings)?, None),
        };
        for (frame, path) in frames.iter_mut().zip(&job.inputs) {
            clip_sentinels(frame, &name(path), warnings);
        }
        if let (Takes::Pairs, [fixed, moving]) = (job.takes(), frames.as_slice()) {
            allow_two_grids(fixed.grid(), moving.grid(), reading.strictness, warnings)?;
        }
        let on_fixed = |mask: Option<Mask>| mask.map(|mask| mask_on(mask, frames[0].grid())).transpose();
        let mask = match (on_fixed(mask)?, seen) {
            (Some(mask), Some(seen)) => Some(intersection(mask, &seen)),
            (mask, seen) => mask.or(seen),
        };
        Ok(Self { mask, volume_mask: on_fixed(volume_mask)?, frames, start, truth })
    }

    pub fn pair(&self, start: &StartFrom, fixed: usize) -> Pair<'_> {
        Pair {
            mask: self.mask.as_ref(),
            volume_mask: self.volume_mask.as_ref(),
            start: start.start(self.start.as_ref()),
            ..Pair::new(&self.frames[fixed], &self.frames[fixed + 1])
        }
    }
}

/// What lies inside both of two masks on one grid.
fn intersection(mask: Mask, other: &Mask) -> Mask {
    let inside = mask.data().iter().zip(other.data()).map(|(&a, &b)| a && b).collect();
    Mask::new(mask.grid().clone(), inside).expect("a mask should have a voxel for each of its grid")
}

/// Fixed and moving image, read side by side; and where the fixed one is not transparent, if it is anywhere.
fn load_pair(
    job: &FlowJob,
    warnings: &mut Warnings,
) -> Result<(Vec<Volume<f32>>, Option<Mask>), VeloxelError> {
    let [fixed, moving] = job.inputs.as_slice() else {
        let reason = format!("expected FIXED and MOVING, got {} inputs", job.inputs.len());
        return Err(VeloxelError::Frames { reason });
    };
    let reading = job.options.reading;
    let mut about_moving = Warnings::new();
    let (fixed, moving) = std::thread::scope(|scope| {
        let read_moving = || io::read_image(moving, reading, &mut about_moving);
        let thread = std::thread::Builder::new().spawn_scoped(scope, read_moving);
        let fixed = io::read_image_and_mask(fixed, reading, warnings);
        (fixed, thread.map(|thread| thread.join().expect("reading an image should not panic")))
    });
    // Where there are no threads any more, one after the other.
    let moving = moving.unwrap_or_else(|_| io::read_image(&job.inputs[1], reading, &mut about_moving));
    let ((fixed, seen), moving) = (fixed?, moving?);
    warnings.extend(about_moving);
    Ok((vec![fixed, moving], seen))
}

/// All frames of a source, or of several files, but no more than a window can have.
fn load_window(
    job: &FlowJob,
    most: usize,
    warnings: &mut Warnings,
) -> Result<Vec<Volume<f32>>, VeloxelError> {
    let reading = job.options.reading;
    let mut stream = match job.inputs.as_slice() {
        [one] => FrameStream::open(one, reading, warnings)?,
        many => FrameStream::of_files(many.to_vec(), reading),
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
