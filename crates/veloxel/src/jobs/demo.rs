//! The demonstration: a beating, twisting heart whose motion is known, from a phantom to a page.

use super::sequence::{SequenceTask, open};
use super::stage::Stages;
use super::staging::Staging;
use super::{DeviceOptions, FlowRun, MethodOptions, RunOptions};
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_core::{Mask, Warnings};
use veloxel_io as io;
use veloxel_motion::{Extras, Observer, SequenceFrames, SequenceMode, SequencePlan};
use veloxel_phantoms::{HeartParams, HeartPhantom};
use veloxel_report::InputReport;

/// Where the demonstration goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoJob {
    /// The folder for everything.
    pub folder: PathBuf,
    /// Where it runs.
    pub device: DeviceOptions,
    /// The command as typed, for the report.
    pub command_line: String,
}

/// β inside the muscle: heart muscle keeps its volume.
const MUSCLE_BETA: &str = "3";
/// The name of the 4-D file.
const SEQUENCE: &str = "heart.nii.gz";

/// Makes the heart, estimates its motion with the muscle's volume preserved, compares with the truth, and writes the 4-D
/// sequence, the muscle masks' first frame, all fields, `report.json` and `report.html`.
///
/// # Errors
/// [`VeloxelError::Io`] if the folder cannot be written; nothing is left behind then.
pub fn demo(job: &DemoJob, observer: &dyn Observer) -> Result<FlowRun, VeloxelError> {
    let staging = Staging::new(&job.folder)?;
    let (device, device_report) = job.device.open()?;
    let mut stages = Stages::default();

    let heart = HeartPhantom::new(HeartParams::default())?;
    let (sequence, masks) = stages.time("phantom", || {
        let masks: Vec<Mask> = (0..heart.frame_count()).map(|t| heart.muscle(t)).collect();
        (heart.sequence(), masks)
    });
    stages.time("write", || -> Result<(), VeloxelError> {
        io::write_sequence(&staging.path(SEQUENCE), &sequence)?;
        let muscle = masks[0].map(|&inside| i32::from(inside));
        Ok(io::write_labels(&staging.path("muscle_000.nii.gz"), &muscle)?)
    })?;

    let method = MethodOptions::default().set("beta", MUSCLE_BETA)?;
    let options = RunOptions {
        method,
        device: job.device.clone(),
        command_line: job.command_line.clone(),
        ..RunOptions::default()
    };
    let mut opened = open(&sequence, &options, &device)?;
    let frames = SequenceFrames { frames: sequence.frames(), masks: &[], volume_masks: &masks };
    let truth = |fixed, moving| heart.motion(fixed, moving);
    let plan = SequencePlan { mode: SequenceMode::Both, reference: 0, extras: Extras::ALL };
    let task = SequenceTask { frames, truth: Some(&truth), plan };
    let mut result = task.run(&mut opened.method, (&staging, &mut stages), observer)?;
    let mut warnings = Warnings::new();
    warnings.extend(std::mem::take(&mut result.warnings));
    let shown_path = job.folder.join(SEQUENCE);
    let inputs =
        vec![InputReport::new("heart phantom", &shown_path.display().to_string(), "Nifti", sequence.grid())];
    let report = result.report((opened.parameters, &options), device_report, (inputs, stages, warnings))?;
    io::write_text(&staging.path("report.json"), &report.to_json()?)?;
    io::write_text(&staging.path("report.html"), &result.page(&report, frames)?)?;
    staging.publish()?;
    let written = |name: &str| Path::new(&job.folder).join(name);
    Ok(FlowRun { report, written: vec![("sequence", shown_path), ("page", written("report.html"))] })
}
