//! The demonstration: a beating, twisting heart whose motion is known, from a phantom to a page.

use super::frame_selection::FrameNames;
use super::sequence::{SequenceTask, open};
use super::sequence_maps::SequenceMaps;
use super::{FlowRun, Holds, MethodOptions, OutputPlan, Result, RunOptions};
use crate::pipelines::prepare::grids::OutsideFill;
use std::path::PathBuf;
use std::sync::Arc;
use veloxel_core::{Mask, Observer, Warnings};
use veloxel_io as io;
use veloxel_motion::{Extras, SequenceFrames, SequenceMode, SequencePlan};
use veloxel_phantoms::{HeartParams, HeartPhantom};
use veloxel_report::InputReport;

/// Where the demonstration goes.
#[derive(Debug, Clone, PartialEq)]
pub struct DemoJob {
    /// The folder for everything.
    pub folder: PathBuf,
    /// Where it runs, and the command as typed; the method is the demonstration's own.
    pub options: RunOptions,
}

/// β inside the muscle: heart muscle keeps its volume.
const MUSCLE_BETA: &str = "3";
/// The name of the 4-D file.
const SEQUENCE: &str = "heart.nii.gz";

/// Makes the heart, estimates its motion with the muscle's volume preserved, compares with the truth, and writes the 4-D
/// sequence, the muscle masks' first frame, all fields, `report.json` and `report.html`.
///
/// # Errors
/// [`VeloxelError::Io`](crate::VeloxelError::Io) if the folder cannot be written; nothing is left behind then.
pub fn demo(job: &DemoJob, observer: Option<Arc<dyn Observer>>) -> Result<FlowRun> {
    let mut plan = OutputPlan::default().writes("folder", [&job.folder], Holds::Folder).checked()?;
    let folder = plan.path("folder")?.expect("the folder should be planned");
    let (device, mut log) = job.options.device.start()?;
    device.control().follow(observer);

    let heart = HeartPhantom::new(HeartParams::default())?;
    let (sequence, masks) = log.stages.time("phantom", || {
        let masks: Vec<Mask> = (0..heart.frame_count()).map(|t| heart.muscle(t)).collect();
        (heart.sequence(), masks)
    });
    log.stages.time("write", || -> Result<()> {
        io::write_sequence(&folder.join(SEQUENCE), &sequence)?;
        let muscle = masks[0].map(|&inside| i32::from(inside));
        Ok(io::write_labels(&folder.join("muscle_000.nii.gz"), &muscle)?)
    })?;

    let method = MethodOptions::default().set("beta", MUSCLE_BETA)?;
    let options = RunOptions { method, ..job.options.clone() };
    let mut opened = open(&sequence, &options, &device)?;
    let frames = SequenceFrames { volume_masks: &masks, ..SequenceFrames::new(sequence.frames()) };
    let truth = |name: &str, _: usize, _: &mut Warnings| {
        let frame = |nth: usize| name.split('_').nth(nth).and_then(|number| number.parse().ok());
        Ok(frame(1).zip(frame(2)).map(|(fixed, moving)| heart.motion(fixed, moving)))
    };
    let both = SequencePlan { mode: SequenceMode::Both, reference: 0, extras: Extras::ALL };
    let (device, names, truth, outside) = (&device, &FrameNames::default(), &truth, OutsideFill::default());
    let task = SequenceTask { device, outside, frames, names, truth, plan: both, folder: &folder };
    let mut no_maps = [SequenceMaps::NONE, SequenceMaps::NONE];
    let result = task.run(&mut opened.method, &mut no_maps, &mut log)?;
    let shown_path = job.folder.join(SEQUENCE);
    let input =
        InputReport::new("heart phantom", &shown_path.display().to_string(), "NIfTI", sequence.grid());
    let header = options.header(options.method.method_name(), opened.parameters, log, vec![input]);
    let report = result.report(header);
    io::write_text(&folder.join("report.html"), &result.page(&report, &task)?)?;
    let run = plan.publish(report, |_| Ok(String::new()))?;
    let written = vec![("sequence", shown_path), ("page", job.folder.join("report.html"))];
    Ok(FlowRun { written, ..run })
}
