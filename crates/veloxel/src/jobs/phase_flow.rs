//! Two, three or five frames in, the centre frame's field out.

use super::outputs::{format_text, name, write_confidence};
use super::parameters::as_json;
use super::phase_choice::full_scale;
use super::stage::Stages;
use super::warp::warp_image;
use super::{FlowOutputs, FlowRun, PhaseChoice};
use crate::VeloxelError;
use std::path::PathBuf;
use veloxel_compute::kernels::jacobian::jacobian;
use veloxel_compute::{Device, Shape};
use veloxel_core::{
    BrightnessReport, Flow, FlowStatistics, JacobianReport, LevelReport, Mask, SolveStatus, StopReason,
    Volume, WarningKind, Warnings,
};
use veloxel_io as io;
use veloxel_io::FrameStream;
use veloxel_motion::clg_parameters::Interpolation;
use veloxel_motion::phase_parameters::Frames;
use veloxel_motion::{PhaseFlow, phase_flow, without_unknown};
use veloxel_report::{InputReport, PairReport, PairView, RunReport, html};

/// One run over a few frames.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PhaseFlowJob {
    /// The frames in order of time, or one source of just these: a folder, a pattern, an animation, a video.
    pub frames: Vec<PathBuf>,
    /// The true field, on the centre frame's grid: the report says how far off the found one is.
    pub truth: Option<PathBuf>,
    /// Where data count, on the centre frame's grid: elsewhere nothing is found, and nothing is measured.
    pub mask: Option<PathBuf>,
    /// Everything else that a run is told.
    pub choice: PhaseChoice,
    /// What to write.
    pub outputs: FlowOutputs,
}

/// Estimates the field of the centre frame (of the first of two) towards the next one, and writes what was asked for.
///
/// # Errors
/// [`VeloxelError::Frames`] unless there are 2, 3 or 5; anything else that is wrong with files, parameters or the device,
/// as one line. Nothing is written then.
pub fn flow_of_frames(job: &PhaseFlowJob) -> Result<FlowRun, VeloxelError> {
    let choice = &job.choice;
    job.outputs.check(None)?;
    job.outputs.check_distinct(job.frames.iter().chain(&job.truth).chain(&job.mask).map(PathBuf::as_path))?;
    let (device, device_report) = choice.device.open()?;
    let (mut stages, mut warnings) = (Stages::default(), Warnings::new());
    let (frames, truth, mask) = stages.time("load", || -> Result<_, VeloxelError> {
        let mask = job.mask.as_deref().map(|path| io::read_mask(path, choice.strictness, &mut warnings));
        let truth = job.truth.as_deref().map(|path| io::read_flow(path, choice.strictness, &mut warnings));
        Ok((load(job, &mut warnings)?, truth.transpose()?, mask.transpose()?))
    })?;
    let count = match frames.len() {
        2 => Frames::Two,
        3 => Frames::Three,
        5 => Frames::Five,
        n => {
            let reason = format!("phase-based flow takes 2, 3 or 5 frames, got {n}: name just these");
            return Err(VeloxelError::Frames { reason });
        }
    };
    job.outputs.check(Some(frames[0].grid().dimension()))?;
    let parameters = choice.resolve(full_scale(&frames[0]), Some(count))?;
    let (fixed, moving) = (&frames[count.centre()], &frames[count.centre() + 1]);
    let filled = mask.as_ref().map(|mask| without_unknown(fixed, mask)).transpose()?.flatten();
    let mut each: Vec<&Volume<f32>> = frames.iter().collect();
    each[count.centre()] = filled.as_ref().unwrap_or(fixed);
    let found = stages.time("solve", || {
        let found = phase_flow(&each, &parameters, &device)?;
        match &mask {
            Some(mask) => found.within(mask),
            None => Ok(found),
        }
    })?;

    let title = match job.frames.as_slice() {
        [one] => format!("{}, frame {} → {}", name(one), count.centre(), count.centre() + 1),
        many => format!("{} → {}", name(&many[count.centre()]), name(&many[count.centre() + 1])),
    };
    let (maps, pair) = stages.time("measure", || -> Result<_, VeloxelError> {
        let maps = Maps::of(&device, (&found.flow, moving))?;
        let levels = levels(&found.report.levels);
        let statistics = FlowStatistics { levels, ..maps.statistics((fixed, moving), parameters.full_scale) };
        let view = maps.view(&title, (fixed, moving), (&found, truth.as_ref(), mask.as_ref()));
        let pair = PairReport::measure(&view, statistics)?;
        Ok((maps, pair))
    })?;
    warnings.extend(pair.statistics.warnings.clone());
    let mut written = Vec::new();
    let outputs = &job.outputs;
    stages.time("write", || -> Result<(), VeloxelError> {
        io::write_flow(&outputs.flow, &found.flow)?;
        written.push(("flow", outputs.flow.clone()));
        if let Some(path) = &outputs.confidence {
            write_confidence(path, &found.confidence, &mut warnings)?;
            written.push(("confidence", path.clone()));
        }
        if let Some(path) = &outputs.warped {
            io::write_image(path, &maps.warped, &mut warnings)?;
            written.push(("warped image", path.clone()));
        }
        Ok(())
    })?;
    let input = |role, path: &PathBuf| {
        InputReport::new(role, &path.display().to_string(), &format_text(path), fixed.grid())
    };
    let more = [("mask", &job.mask), ("truth", &job.truth)];
    let more = more.into_iter().filter_map(|(role, path)| path.as_ref().map(|path| input(role, path)));
    let report = RunReport {
        veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
        command_line: choice.command_line.clone(),
        method: "phase".to_owned(),
        preset: Some(choice.preset_name().to_owned()),
        device: device_report,
        parameters: serde_json::Value::Object(as_json(&parameters)?),
        inputs: job.frames.iter().map(|path| input("frame", path)).chain(more).collect(),
        pairs: vec![pair],
        cycle_closure_vox: None,
        label_overlap: None,
        stage_times: stages.into_times(),
        warnings,
    };
    if let Some(path) = &outputs.report {
        io::write_text(path, &report.to_json()?)?;
        written.push(("report", path.clone()));
    }
    if let Some(path) = &outputs.html {
        let view = maps.view(&title, (fixed, moving), (&found, truth.as_ref(), mask.as_ref()));
        io::write_text(path, &html(&report, &view)?)?;
        written.push(("page", path.clone()));
    }
    Ok(FlowRun { report, written })
}

/// Levels from coarse to fine: there are no warps to tell of.
fn levels(finest_first: &[[usize; 2]]) -> Vec<LevelReport> {
    let level = |(l, &[nx, ny]): (usize, &[usize; 2])| {
        let spacing = (1u64 << l) as f64;
        LevelReport {
            size: [nx, ny, 1],
            spacing_vox: [spacing, spacing, 1.0],
            warps: Vec::new(),
            stop: StopReason::FixedCount,
            time_ms: 0.0,
        }
    };
    finest_first.iter().enumerate().rev().map(level).collect()
}

/// All frames, but no more than one too many.
fn load(job: &PhaseFlowJob, warnings: &mut Warnings) -> Result<Vec<Volume<f32>>, VeloxelError> {
    let strictness = job.choice.strictness;
    let mut stream = match job.frames.as_slice() {
        [one] => FrameStream::open(one, strictness, warnings)?,
        many => FrameStream::of_files(many.to_vec(), strictness),
    };
    let mut frames = Vec::new();
    while let Some(frame) = stream.next_frame(warnings)? {
        frames.push(frame);
        if frames.len() > Frames::Five.count() {
            let reason = "phase-based flow takes 2, 3 or 5 frames, got more: name just these, or use \
                          `veloxel engine` for every frame of a video";
            return Err(VeloxelError::Frames { reason: reason.to_owned() });
        }
    }
    Ok(frames)
}

/// What is drawn and measured of a field beside itself.
struct Maps {
    /// The next frame seen from the centre one.
    warped: Volume<f32>,
    /// det(I + ∇d); NaN where a neighbour is unknown.
    determinant: Volume<f32>,
    jacobian: JacobianReport,
}

impl Maps {
    fn of(device: &Device, (flow, moving): (&Flow, &Volume<f32>)) -> Result<Self, VeloxelError> {
        let warped = warp_image(device, (flow, moving), Interpolation::CubicSpline)?;
        let shape = Shape::of(flow.grid());
        let displacement =
            flow.components_vox().iter().map(|c| device.upload_copy(c)).collect::<Result<Vec<_>, _>>()?;
        let mut change = device.zeros(shape.len())?;
        let sums =
            device.scope(|| jacobian(device, (shape, [1.0; 3]), (&displacement, None), &mut change))?;
        let report = sums.get(device)?;
        let determinant = Volume::new(flow.grid().clone(), device.download(change)?)?.map(|c| 1.0 + c);
        Ok(Self { warped, determinant, jacobian: report })
    }

    fn view<'a>(
        &'a self,
        title: &'a str,
        (fixed, moving): (&'a Volume<f32>, &'a Volume<f32>),
        (found, truth, mask): (&'a PhaseFlow, Option<&'a Flow>, Option<&'a Mask>),
    ) -> PairView<'a> {
        PairView {
            title,
            fixed,
            moving,
            warped: &self.warped,
            flow: &found.flow,
            confidence: &found.confidence,
            jacobian: &self.determinant,
            truth,
            mask,
        }
    }

    /// Brightness where the field is known, as a share of white.
    fn statistics(&self, (fixed, moving): (&Volume<f32>, &Volume<f32>), full_scale: f32) -> FlowStatistics {
        let (mut before, mut after, mut count) = (0.0, 0.0, 0usize);
        for (i, &warped) in self.warped.data().iter().enumerate().filter(|(_, w)| w.is_finite()) {
            let fixed = fixed.data()[i];
            before += f64::from((moving.data()[i] - fixed).abs());
            after += f64::from((warped - fixed).abs());
            count += 1;
        }
        let mean = |sum: f64| sum / (count.max(1) as f64 * f64::from(full_scale));
        let mut warnings = Warnings::new();
        if count == 0 {
            warnings.push(WarningKind::Content, "no pixel has a velocity: the frames may lack texture");
        }
        FlowStatistics {
            status: if count == 0 { SolveStatus::NoContent } else { SolveStatus::Done },
            levels: Vec::new(),
            brightness: BrightnessReport { mean_abs_before: mean(before), mean_abs_after: mean(after) },
            jacobian: self.jacobian,
            inverse_residual_vox: None,
            warnings,
        }
    }
}
