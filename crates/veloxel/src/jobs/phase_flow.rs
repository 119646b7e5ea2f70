//! Two, three or five frames in, the centre frame's field out.

use super::flow::view;
use super::outputs::{format_text, name, write_confidence};
use super::parameters::as_json;
use super::phase_choice::full_scale;
use super::stage::Stages;
use super::{FlowOutputs, FlowRun, PhaseChoice};
use crate::VeloxelError;
use std::path::PathBuf;
use veloxel_core::{SolveStatus, Volume, WarningKind, Warnings};
use veloxel_io as io;
use veloxel_io::FrameStream;
use veloxel_motion::phase::parameters::Frames;
use veloxel_motion::{Extras, Pair, PhaseFlow, WindowMethod};
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
    let each: Vec<&Volume<f32>> = frames.iter().collect();
    let found = stages.time("solve", || {
        PhaseFlow::new(fixed.grid(), &parameters, &device)?.run(&each, mask.as_ref(), Extras::ALL)
    })?;

    let title = match job.frames.as_slice() {
        [one] => format!("{}, frame {} → {}", name(one), count.centre(), count.centre() + 1),
        many => format!("{} → {}", name(&many[count.centre()]), name(&many[count.centre() + 1])),
    };
    let sources = Pair { mask: mask.as_ref(), ..Pair::new(fixed, moving) };
    let view = PairView { truth: truth.as_ref(), ..view(&title, &sources, &found) };
    let mut statistics = found.statistics.clone();
    let pair = stages.time("measure", || -> Result<_, VeloxelError> {
        if found.flow.components_vox()[0].iter().all(|v| v.is_nan()) {
            statistics.status = SolveStatus::NoContent;
            let text = "no pixel has a velocity: the frames may lack texture";
            statistics.warnings.push(WarningKind::Content, text);
        }
        Ok(PairReport::measure(&view, statistics)?)
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
        if let (Some(path), Some(warped)) = (&outputs.warped, &found.warped) {
            io::write_image(path, warped, &mut warnings)?;
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
        io::write_text(path, &html(&report, &view)?)?;
        written.push(("page", path.clone()));
    }
    Ok(FlowRun { report, written })
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
