//! The demonstration: a beating, twisting heart whose motion is known, from a phantom to a page.

use super::options::dense_options::header;
use super::sequence::field_file;
use super::{FlowRun, OutputContent, OutputPlan, OutputRole, Result};
use crate::Session;
use crate::pipelines::{Account, DemoPhantom, SequenceOutput};
use std::path::PathBuf;
use veloxel_core::Stage;
use veloxel_io as io;
use veloxel_report::{InputReport, RunReport};

/// Where the demonstration goes.
#[derive(Debug, Clone, PartialEq)]
pub struct DemoJob {
    /// The folder for everything.
    pub folder: PathBuf,
    /// The command as typed, for the report.
    pub command_line: String,
}

/// The name of the 4-D file.
const SEQUENCE: &str = "heart.nii.gz";

/// Makes the heart, estimates its motion with the muscle's volume preserved, compares with the truth, and writes the 4-D
/// sequence, the muscle masks' first frame, all fields, `report.json` and `report.html`.
///
/// # Errors
/// [`VeloxelError::Io`](crate::VeloxelError::Io) if the folder cannot be written; nothing is left behind then.
pub fn demo(job: &DemoJob, session: &Session) -> Result<FlowRun> {
    let plan =
        OutputPlan::of(session).writes(OutputRole::Folder, [&job.folder], OutputContent::Folder).checked()?;
    planned(job, session, plan)
}

fn planned(job: &DemoJob, session: &Session, mut plan: OutputPlan) -> Result<FlowRun> {
    let folder = plan.target(OutputRole::Folder)?.expect("the folder should be planned");
    let mut phantom = DemoPhantom::new(session.control())?;
    let mut log = Account { stages: std::mem::take(&mut phantom.stages), ..Account::default() };
    session.enter(Stage::Write)?;
    log.stages.time("write", || -> Result<()> {
        io::write_sequence(folder.join(SEQUENCE), &phantom.sequence)?;
        Ok(io::write_labels(folder.join("muscle_000.nii.gz"), &phantom.muscle)?)
    })?;

    let mut write = |field: SequenceOutput<'_>| {
        Ok(io::write_flow(folder.join(field_file(None, &field)), &field.found.flow)?)
    };
    let mut result = crate::pipelines::demo(&phantom, session, &mut write)?;
    log.absorb(std::mem::take(&mut result.account));

    session.enter(Stage::Write)?;
    let shown_path = job.folder.join(SEQUENCE);
    let (path, grid) = (shown_path.display().to_string(), phantom.sequence.grid());
    let input = InputReport::new("heart phantom", &path, "NIfTI", grid);
    let draft = DemoPhantom::method()?.draft;
    let header = header(&job.command_line, draft.method_name(), Some(draft.preset()), log, vec![input]);
    let report = RunReport {
        header,
        method_title: draft.method().title,
        pairs: result.measured().cloned().collect(),
        cycle_closure_vox: result.drift_vox,
        label_overlap: None,
    };
    io::write_text(folder.join("report.html"), &result.page(&report, session.control())?)?;
    let run = plan.publish(report, |_| Ok(String::new()))?;
    let written =
        vec![(OutputRole::Sequence, shown_path), (OutputRole::Page, job.folder.join("report.html"))];
    Ok(FlowRun { written, ..run })
}
