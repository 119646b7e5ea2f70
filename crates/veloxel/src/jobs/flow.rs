//! Two images, or a window of frames, in; the flow with its confidence and diagnostics out.

use super::flow_job::{FlowJob, takes_pair};
use super::pictures::{write_colours, write_confidence, write_sampled};
use super::{JobRun, MaskFile, OutputPlan, Result, Stages, StartFrom, VeloxelError, full_scale, name};
use crate::pipelines::memory_plan::FlowPlan;
use crate::pipelines::prepare::grids::{WHOLE_IMAGE, allow_two_grids, intersection, mask_on, moving_on};
use crate::pipelines::prepare::sentinels::clip_sentinels;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use veloxel_core::{Flow, Grid, Mask, Observer, Volume, WarningKind, Warnings};
use veloxel_gpu::Device;
use veloxel_io::{self as io, FrameStream};
use veloxel_motion::{
    AnyMethod, DenseFlow, Extras, Matched, MotionError, OpenTile, Opened, Pair, PairMethod, Takes, TilePlan,
    Tiled, TiledWindows,
};
use veloxel_report::{PairReport, PairView, RunReport, html};

/// What a run has to say, and the files it wrote.
pub type FlowRun = JobRun<RunReport>;

impl FlowJob {
    /// The warped image as it is written, where it is.
    fn warped_in_file(
        &self,
        device: &Device,
        pair: &Pair<'_>,
        found: &mut DenseFlow,
        slab_samples: usize,
        warnings: &mut Warnings,
    ) -> Result<Option<Volume<f32>>> {
        let (Some(path), outside) = (&self.outputs.warped, self.outputs.outside) else { return Ok(None) };
        let mut warped = match outside.continued(device, &found.flow, pair.moving, slab_samples)? {
            None if self.outputs.html.is_some() => found.warped.clone(),
            None => found.warped.take(),
            continued => continued,
        };
        if let Some(warped) = &mut warped {
            outside.fill(warped, &name(path), warnings);
        }
        Ok(warped)
    }
}

/// Estimates the flow of a pair of files, or of the centre of a window of frames, and writes what was asked for.
///
/// Nothing is written unless everything was computed; each file appears whole or not at all.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line.
pub fn flow(job: &FlowJob, observer: Option<Arc<dyn Observer>>) -> Result<FlowRun> {
    let options = &job.options;
    options.require_used(&job.start)?;
    let mut plan = job.plan()?;
    let load =
        |stages: &mut Stages, warnings: &mut Warnings| stages.time("load", || Inputs::load(job, warnings));
    let (device, mut log, inputs) = options.device.start_and_load(load)?;
    device.control().follow(observer);
    let fixed_grid = inputs.frames[0].grid();
    plan.check_dimension(fixed_grid.dimension())?;
    let opened = options.open_for(&inputs.frames[0], inputs.frames.len(), &device)?;
    let fixed = opened.method.centre();
    let pair = inputs.pair(&job.start, fixed);
    let (parameters, tiles) = (opened.parameters.clone(), inputs.tiles(job, &device, &mut log.warnings)?);
    let call = FlowCall { job, device: &device, frames: &inputs.frames, pair: &pair };
    let mut found = log.stages.time("solve", || call.find(opened, tiles.as_ref()))?;

    let title = job.title(fixed);
    // Only a page draws the moving image.
    let seen = match job.outputs.html.is_some() {
        true => moving_on(&device, pair.moving, fixed_grid)?,
        false => Cow::Borrowed(pair.fixed),
    };
    let shown = Shown { title: &title, pair: &pair, moving: &seen, truth: inputs.truth.as_ref() };
    let measured =
        log.stages.time("measure", || PairReport::measure(&shown.view(&found), found.statistics.clone()))?;
    log.warnings.extend(found.statistics.warnings.clone());
    warn_of_little_overlap(measured.motion.outside_share, &mut log.warnings);
    options.check_volume_mask(&parameters, &mut log.warnings);
    let slabs = tiles.map_or(WHOLE_IMAGE, |tiles| tiles.slab_samples());
    let in_file = log
        .stages
        .time("warp", || job.warped_in_file(&device, &pair, &mut found, slabs, &mut log.warnings))?;
    log.stages.time("write", || write(&found, in_file, pair.moving, &mut plan, &mut log.warnings))?;
    // Everything beside the images lies on the fixed grid.
    let read = plan.input_reports(|nth| inputs.frames.get(nth).map_or(fixed_grid, |frame| frame.grid()));
    let report = RunReport {
        header: options.header(options.method.method_name(), parameters, log, read),
        pairs: vec![measured],
        cycle_closure_vox: None,
        label_overlap: None,
    };
    plan.publish(report, |report| Ok(html(report, &shown.view(&found))?))
}

/// Above this share of vectors that leave the moving image, a field says little about it.
const LITTLE_OVERLAP: f64 = 0.5;

fn warn_of_little_overlap(outside_share: f64, warnings: &mut Warnings) {
    if outside_share > LITTLE_OVERLAP {
        let percent = 100.0 * outside_share;
        let message = format!(
            "{percent:.0} % of the vectors leave MOVING, which covers little of FIXED: check both images' origins and directions \
             (`veloxel info`), or begin with --init centre-of-mass"
        );
        warnings.push(WarningKind::Content, message);
    }
}

/// A pair as reports show it.
pub(super) struct Shown<'a> {
    pub title: &'a str,
    pub pair: &'a Pair<'a>,
    /// The moving image on the fixed grid.
    pub moving: &'a Volume<f32>,
    pub truth: Option<&'a Flow>,
}

impl<'a> Shown<'a> {
    /// With what was found.
    pub fn view(&self, found: &'a DenseFlow) -> PairView<'a> {
        let Self { title, pair, moving, truth } = *self;
        PairView {
            truth,
            mask: pair.volume_mask.or(pair.mask),
            moving_grid: Some(pair.moving.grid()),
            ..view(title, pair.fixed, moving, found)
        }
    }
}

/// One call of a method.
struct FlowCall<'a> {
    job: &'a FlowJob,
    device: &'a Device,
    frames: &'a [Volume<f32>],
    pair: &'a Pair<'a>,
}

impl FlowCall<'_> {
    /// What the method finds, in tiles where there are some.
    fn find(&self, opened: Opened, tiles: Option<&TilePlan>) -> Result<DenseFlow, MotionError> {
        let Self { job, device, frames, pair } = *self;
        let extras = Extras { warped: job.keeps_warped(), jacobian: true };
        let begins_from_matches = job.start == StartFrom::Matches;
        let method = if begins_from_matches { opened.method.matched() } else { opened.method };
        // Only with the warped image is it known how well the frames of a window agree.
        let frames: Vec<_> = frames.iter().collect();
        match (method, tiles) {
            (AnyMethod::Pair(mut method), None) => method.run_with(pair, extras),
            (AnyMethod::Pair(_), Some(plan)) => {
                let white = full_scale(pair.fixed);
                let open = |grid: &Grid| match job.options.open_method(grid, white, 2, device)?.method {
                    AnyMethod::Pair(method) => Ok(method),
                    AnyMethod::Window(_) => {
                        unreachable!("a method should take pairs of every size or of none")
                    }
                };
                let matched = |grid: &Grid| Ok(Box::new(Matched::of_box(open(grid)?)) as Box<dyn PairMethod>);
                let open_coarse: Option<&OpenTile<'_>> =
                    if begins_from_matches { Some(&matched) } else { None };
                Tiled { open: &open, open_coarse, device, plan }.run(pair, extras)
            }
            (AnyMethod::Window(mut method), None) => method.run(&frames, pair.mask, Extras::ALL),
            (AnyMethod::Window(mut method), Some(plan)) => {
                TiledWindows { device, plan }.run(&mut *method, &frames, pair.mask, Extras::ALL)
            }
        }
    }
}

/// Writes the flow and its maps.
fn write(
    found: &DenseFlow,
    warped: Option<Volume<f32>>,
    moving: &Volume<f32>,
    plan: &mut OutputPlan,
    warnings: &mut Warnings,
) -> Result<()> {
    plan.write("flow", |path| io::write_flow(path, &found.flow))?;
    plan.write("confidence", |path| write_confidence(path, &found.confidence, warnings))?;
    if let Some(occlusion) = &found.occlusion {
        plan.write("occlusion", |path| write_confidence(path, occlusion, warnings))?;
    }
    if let Some(warped) = &warped {
        plan.write("warped image", |path| write_sampled(path, warped, moving, warnings))?;
    }
    plan.write("picture", |path| write_colours(path, &found.flow, warnings))
}

/// Fixed and moving image with what was found, as reports take it; without truth and mask.
pub(crate) fn view<'a>(
    title: &'a str,
    fixed: &'a Volume<f32>,
    moving: &'a Volume<f32>,
    found: &'a DenseFlow,
) -> PairView<'a> {
    let jacobian = found.jacobian.as_ref().expect("the determinant should have been asked for");
    PairView {
        title,
        fixed,
        moving,
        warped: found.warped.as_ref(),
        flow: &found.flow,
        confidence: &found.confidence,
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
    weight: Option<Volume<f32>>,
    start: Option<Flow>,
    pub truth: Option<Flow>,
}

impl Inputs {
    pub fn load(job: &FlowJob, warnings: &mut Warnings) -> Result<Self> {
        let reading = job.options.reading;
        let mut mask = |file: &Option<MaskFile>| -> Result<Option<Mask>> {
            file.as_ref().map(|file| file.read(reading, warnings)).transpose()
        };
        let (mask, volume_mask) = (mask(&job.options.mask)?, mask(&job.options.volume_mask)?);
        let mut flow = |path: Option<&PathBuf>| path.map(|p| io::read_flow(p, reading, warnings)).transpose();
        let (start, truth) = (flow(job.start.file())?, flow(job.truth.as_ref())?);
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
        let weight = job.options.read_weight(frames[0].grid(), warnings)?;
        Ok(Self { mask, volume_mask: on_fixed(volume_mask)?, weight, frames, start, truth })
    }

    /// The tiles that a run needs; none if it takes the whole grid at once.
    fn tiles(&self, job: &FlowJob, device: &Device, warnings: &mut Warnings) -> Result<Option<TilePlan>> {
        // Without a budget the processor has what the system has.
        let is_bounded = job.options.max_memory_bytes.is_some();
        if !is_bounded && !device.is_gpu() {
            return Ok(None);
        }
        let grids: Vec<_> = self.frames.iter().map(|frame| frame.grid()).collect();
        let plan = match FlowPlan::of(job, &grids, device) {
            // A method that says nothing of its memory may fit all the same.
            Err(VeloxelError::Frames { .. }) if !is_bounded => return Ok(None),
            plan => plan?,
        };
        Ok(plan.split().map(|(tiles, why)| {
            warnings.push(WarningKind::Note, why);
            tiles
        }))
    }

    pub fn pair(&self, start: &StartFrom, fixed: usize) -> Pair<'_> {
        Pair {
            mask: self.mask.as_ref(),
            volume_mask: self.volume_mask.as_ref(),
            weight: self.weight.as_ref(),
            start: start.start(self.start.as_ref()),
            ..Pair::new(&self.frames[fixed], &self.frames[fixed + 1])
        }
    }
}

/// Fixed and moving image, read side by side; and where the fixed one is not transparent, if it is anywhere.
fn load_pair(job: &FlowJob, warnings: &mut Warnings) -> Result<(Vec<Volume<f32>>, Option<Mask>)> {
    let [fixed_path, moving_path] = takes_pair(job)?;
    let reading = job.options.reading;
    let mut about_moving = Warnings::new();
    let (fixed, moving) = std::thread::scope(|scope| {
        let read_moving = || io::read_image(moving_path, reading, &mut about_moving);
        let thread = std::thread::Builder::new().spawn_scoped(scope, read_moving);
        let fixed = io::read_image_and_mask(fixed_path, reading, warnings);
        (fixed, thread.map(|thread| thread.join().expect("reading an image should not panic")))
    });
    // Where there are no threads any more, one after the other.
    let moving = moving.unwrap_or_else(|_| io::read_image(moving_path, reading, &mut about_moving));
    let ((fixed, seen), moving) = (fixed?, moving?);
    warnings.extend(about_moving);
    Ok((vec![fixed, moving], seen))
}

/// All frames of a source, or of several files, but no more than a window can have.
fn load_window(job: &FlowJob, most: usize, warnings: &mut Warnings) -> Result<Vec<Volume<f32>>> {
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
