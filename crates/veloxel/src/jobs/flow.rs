//! Two images, or a window of frames, in; the flow with its confidence and diagnostics out.

use super::flow_job::FlowJob;
use super::inputs::flow_inputs::FlowInputs;
use super::outputs::pictures::{write_colours, write_confidence, write_sampled};
use super::{JobRun, OutputPlan, OutputRole, Result};
use crate::Session;
use crate::pipelines::encode::DrawnField;
use crate::pipelines::{Account, PairResult};
use veloxel_core::{Grid, Stage, Warnings};
use veloxel_io as io;
use veloxel_report::{RunReport, html};

/// Report of a run, and the files written.
pub type FlowRun = JobRun<RunReport>;

/// Estimates the flow of a pair of files, or of the centre of a window of frames, and writes what was asked for.
///
/// Nothing is written unless everything was computed; each file appears whole or not at all.
///
/// Images that do not fit into the session's budget of memory, even in tiles, are read in boxes on the processor, where the field goes
/// to a folder named `.ome.zarr`, and the field is written so. Tiles are kept in a hidden folder beside it as they are found
/// (`.NAME.tiles`): a run that was ended at any moment goes on with them when it is run again.
///
/// # Errors
/// Anything that is wrong with files, parameters or the device, as one line.
pub fn flow(job: &FlowJob, session: &Session) -> Result<FlowRun> {
    #[cfg(feature = "zarr")]
    if super::flow_in_parts::is_in_parts(job, session)? {
        return super::flow_in_parts::flow_in_parts(job, session);
    }
    LoadedFlow::load(job, session)?.run(job, session, |_| Ok(())).map(|(run, ())| run)
}

/// A flow whose files were checked and read.
pub(super) struct LoadedFlow {
    plan: OutputPlan,
    inputs: FlowInputs,
    /// What reading took, and what it warned of.
    log: Account,
}

impl LoadedFlow {
    /// Checks and reads the files of a job; the device is not asked for anything, so another session may read than the one that runs.
    ///
    /// # Errors
    /// As [`flow`].
    pub fn load(job: &FlowJob, session: &Session) -> Result<Self> {
        job.require_possible()?;
        let plan = job.plan(session).checked()?;
        session.enter(Stage::Read)?;
        let Account { mut stages, mut warnings, .. } = Account::default();
        let inputs = stages.time("load", || FlowInputs::load(job, session, &mut warnings))?;
        plan.check_grid(inputs.frames[0].grid())?;
        job.outputs.drawing.require_plane(inputs.frames[0].grid())?;
        Ok(Self { plan, inputs, log: Account { stages, warnings, ..Account::default() } })
    }

    /// Estimates the flow and writes what was asked for; `more` is made of the result before that goes.
    ///
    /// # Errors
    /// As [`flow`], and what `more` fails with.
    pub fn run<T>(
        self,
        job: &FlowJob,
        session: &Session,
        more: impl FnOnce(&PairResult) -> Result<T>,
    ) -> Result<(FlowRun, T)> {
        let Self { plan, inputs, mut log } = self;
        let mut result = inputs.solve(job, session)?;
        log.absorb(std::mem::take(&mut result.account));
        let more = more(&result)?;
        Ok((written(job, session, Solved { plan, inputs, log, result })?, more))
    }
}

/// A flow that was found, on its way into files.
struct Solved {
    plan: OutputPlan,
    inputs: FlowInputs,
    log: Account,
    result: PairResult,
}

fn written(job: &FlowJob, session: &Session, solved: Solved) -> Result<FlowRun> {
    let Solved { mut plan, inputs, mut log, mut result } = solved;
    let title = job.title(result.fixed_frame);

    session.enter(Stage::Write)?;
    log.stages.time("write", || write(job, &result, &mut plan, &mut log.warnings))?;
    let mut measured = result.measured.take().into_iter().collect::<Vec<_>>();
    measured.iter_mut().for_each(|pair| pair.title.clone_from(&title));
    // Everything beside the images lies on the fixed grid.
    let grids: Vec<&Grid> = inputs.frames.iter().map(|frame| frame.grid()).collect();
    let read = plan.input_reports(|nth| grids.get(nth).copied().unwrap_or(grids[0]));
    let report = RunReport {
        header: job.options.header(log, read),
        method_title: job.options.method_title(),
        pairs: measured,
        cycle_closure_vox: None,
        label_overlap: None,
    };
    plan.publish(report, |report| {
        let view = result.view(&title, inputs.truth.as_ref());
        let view = view.expect("all that a page draws should have been wanted");
        Ok(html(report, &view, session.control())?)
    })
}

/// Writes the flow and its maps.
fn write(job: &FlowJob, result: &PairResult, plan: &mut OutputPlan, warnings: &mut Warnings) -> Result<()> {
    let found = &result.found;
    plan.write(OutputRole::Flow, |target| io::write_flow(target, &found.flow))?;
    if let Some(inverse) = &found.inverse {
        plan.write(OutputRole::InverseFlow, |target| io::write_flow(target, inverse))?;
    }
    if let Some(transform) = &result.transform {
        plan.write(OutputRole::Transform, |target| io::write_transform(target, transform))?;
    }
    plan.write(OutputRole::Confidence, |target| write_confidence(&target, &found.confidence, warnings))?;
    if let Some(errors) = &result.expected_errors_vox {
        plan.write(OutputRole::ExpectedError, |target| io::write_image(target, errors, warnings))?;
    }
    if let Some(covariances) = &result.covariances {
        plan.write(OutputRole::Covariance, |target| io::write_covariance(target, covariances))?;
    }
    if let Some(probabilities) = &result.probabilities {
        plan.write(OutputRole::Probability, |target| write_confidence(&target, probabilities, warnings))?;
    }
    if let Some(occlusion) = &found.occlusion {
        plan.write(OutputRole::Occlusion, |target| write_confidence(&target, occlusion, warnings))?;
    }
    if let Some(warped) = &result.warped {
        let like = &result.prepared.moving;
        plan.write(OutputRole::WarpedImage, |target| write_sampled(&target, warped, like, warnings))?;
    }
    let (image, drawing) = (&result.prepared.fixed, &job.outputs.drawing);
    let drawn = DrawnField { flow: &found.flow, image, drawing };
    plan.write(OutputRole::Picture, |target| write_colours(&target, &drawn, warnings))
}
