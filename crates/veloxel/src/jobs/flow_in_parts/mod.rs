//! Two images that need not fit into memory, in files that are read box by box, to a field in an OME-Zarr that is written so.

mod stores;
mod tiles;

use super::flow_job::{FlowJob, FlowOutputs, takes_pair};
use super::{JobRun, OutputPlan, Result, StartFrom, name};
use crate::boxes::FileBoxes;
use crate::pipelines::account::Account;
use crate::pipelines::{
    DenseError, FlowSketch, MethodChoice, PairNames, PairStart, PartsRequest, PartsResult, memory_plan,
    pair_in_parts,
};
use crate::{Session, VeloxelError};
use std::path::Path;
use stores::StoreOutput;
pub use tiles::FlowTiles;
use veloxel_core::{Grid, Stage, Warnings};
use veloxel_io::{self as io, KeptParts, Reading, StoreBoxes};
use veloxel_motion::{ImageBoxes, TakenImages};
use veloxel_report::RunReport;

/// Whether a flow is estimated in parts: its images and its field do not fit into the session's budget of memory, even in tiles, and
/// the field goes to a store that is written in boxes. On a GPU a budget is of the device, and images are held in memory.
///
/// # Errors
/// A device that is not there.
pub(super) fn is_in_parts(job: &FlowJob, session: &Session) -> Result<bool> {
    let may_be = session.max_memory_bytes().is_some()
        && job.takes() == TakenImages::Pairs
        && StoreBoxes::takes(&job.outputs.flow);
    let Some([fixed, moving]) = takes_pair(job).ok().filter(|_| may_be) else { return Ok(false) };
    if session.device()?.is_gpu() {
        return Ok(false);
    }
    let reading = &session.reading(job.options.reading);
    let grid = |path: &Path| io::read_grid(path, reading, &mut Warnings::new());
    // What is wrong with a header is said where it is read for the run.
    let (Ok(fixed), Ok(moving)) = (grid(fixed), grid(moving)) else { return Ok(false) };
    Ok(does_not_fit(&job.sketch(&[&fixed, &moving], &job.options.choice()), session))
}

/// Whether a run with images in memory needs more than it may take.
fn does_not_fit(sketch: &FlowSketch<'_>, session: &Session) -> bool {
    matches!(memory_plan(sketch, session), Err(VeloxelError::Dense(DenseError::Memory { .. })))
}

/// Refuses, before the run, what is not done in parts.
///
/// # Errors
/// [`DenseError::InParts`] with what that is.
pub(super) fn require_possible_in_parts(job: &FlowJob, session: &Session) -> Result<()> {
    let options = &job.options;
    // By name, all of them: an output that is new is refused or written, not left out.
    let FlowOutputs {
        flow: _,
        inverse,
        transform,
        confidence,
        expected_error,
        covariance,
        probability,
        within_vox: _,
        occlusion,
        warped,
        outside: _,
        picture,
        drawing: _,
        report: _,
        html,
    } = &job.outputs;
    let is_other =
        |path: &Option<std::path::PathBuf>| path.as_ref().is_some_and(|path| !StoreBoxes::takes(path));
    let given = [
        (options.mask.is_some(), "take a mask"),
        (options.moving_mask.is_some(), "take a mask of the moving image"),
        (options.volume_mask.is_some(), "take a mask of the volume constraint"),
        (options.weight.is_some(), "take a weight image"),
        (job.truth.is_some(), "measure against a true field"),
        (matches!(job.start, StartFrom::Flow(_)), "begin from a field"),
        (matches!(job.start, StartFrom::Matches), "begin from matches"),
        (inverse.is_some(), "give the field back"),
        (transform.is_some(), "give its linear start"),
        (expected_error.is_some(), "give expected errors"),
        (covariance.is_some(), "give covariances"),
        (probability.is_some(), "give probabilities of small errors"),
        (occlusion.is_some(), "give where voxels are hidden"),
        (warped.is_some(), "give the warped image"),
        (picture.is_some(), "draw a picture"),
        (html.is_some(), "draw a page"),
        (is_other(confidence), "write the confidence but to a folder named .ome.zarr"),
    ];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, what)) => Err(DenseError::in_parts(what, session.max_memory_bytes()).into()),
        None => Ok(()),
    }
}

/// Estimates the flow of a pair of files in parts.
///
/// # Errors
/// As [`flow`](super::flow()); [`DenseError::InParts`]; [`JobError::OtherTiles`](super::JobError::OtherTiles) where an ended run of
/// something else left its tiles.
pub(super) fn flow_in_parts(job: &FlowJob, session: &Session) -> Result<JobRun<RunReport>> {
    kept_flow_in_parts(job, session, |_| Ok(()))
}

/// Where a run keeps the tiles of a field at an address; those of a field in a folder lie beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TilesPlace {
    /// In the current folder: the run is one process.
    Own,
    /// At the address, where other processes find them.
    #[cfg_attr(not(feature = "remote"), allow(dead_code, reason = "fields at addresses are refused"))]
    Shared,
}

impl TilesPlace {
    /// Whether the tiles of a field with this name lie at its address.
    #[cfg(feature = "remote")]
    pub fn is_address(self, field: &Path) -> bool {
        self == Self::Shared && io::is_store_address(field)
    }
}

/// Estimates a flow as [`flow_in_parts`] does; `keep` takes note of it once its files have their names, before its tiles are removed.
///
/// # Errors
/// As [`flow_in_parts`], and what `keep` fails with.
pub(super) fn kept_flow_in_parts(
    job: &FlowJob,
    session: &Session,
    keep: impl FnOnce(&JobRun<RunReport>) -> Result<()>,
) -> Result<JobRun<RunReport>> {
    placed_flow_in_parts(job, TilesPlace::Own, session, keep)
}

fn placed_flow_in_parts(
    job: &FlowJob,
    place: TilesPlace,
    session: &Session,
    keep: impl FnOnce(&JobRun<RunReport>) -> Result<()>,
) -> Result<JobRun<RunReport>> {
    job.require_possible()?;
    require_possible_in_parts(job, session)?;
    let plan = job.plan(session).checked()?;
    session.enter(Stage::Read)?;
    let mut log = Account::default();
    let reading = session.reading(job.options.reading);
    let [fixed, moving] = takes_pair(job)?;
    let open = |path: &Path, warnings: &mut Warnings| FileBoxes::image(path, &reading, session, warnings);
    let [fixed, moving] = [open(fixed, &mut log.warnings)?, open(moving, &mut log.warnings)?];
    let grids = [&fixed, &moving].map(|image| image.whole_grid());
    plan.check_grid(grids[0])?;
    let images: Vec<String> = job.inputs.iter().map(|path| name(path)).collect();
    let title = job.title(0);
    let names = PairNames { title: &title, images: &images, ..PairNames::default() };
    let method = &job.options.choice();
    let request = parts_request(job, [&fixed, &moving], names, method, &mut log.warnings, session)?;
    let mut output = StoreOutput::new(job, session, plan, grids[0], place);
    let mut found = pair_in_parts(&request, &mut output, session)?;
    log.absorb(std::mem::take(&mut found.account));
    [&fixed, &moving].into_iter().for_each(|image| log.warnings.extend(image.told()));
    let (plan, tiles) = log.stages.time("write", || output.finish())?;
    let run = published(job, plan, log, found, grids)?;
    keep(&run)?;
    // The field has its name.
    tiles.remove()?;
    Ok(run)
}

/// Removes the tiles of a flow that has its name.
///
/// # Errors
/// As [`KeptParts::remove`].
pub(super) fn forget_tiles(job: &FlowJob, session: &Session) -> Result<()> {
    Ok(KeptParts::open(session.files().target(&job.outputs.flow))?.remove()?)
}

fn parts_request<'a>(
    job: &'a FlowJob,
    [fixed, moving]: [&'a dyn ImageBoxes; 2],
    names: PairNames<'a>,
    method: &'a MethodChoice,
    warnings: &mut Warnings,
    session: &Session,
) -> Result<PartsRequest<'a>> {
    let start = start(job, &session.reading(job.options.reading), warnings)?;
    let strictness = job.options.reading.strictness;
    Ok(PartsRequest { names, start, strictness, ..PartsRequest::new(fixed, moving, method) })
}

fn published(
    job: &FlowJob,
    plan: OutputPlan,
    log: Account,
    found: PartsResult,
    grids: [&Grid; 2],
) -> Result<JobRun<RunReport>> {
    let read = plan.input_reports(|nth| grids.get(nth).copied().unwrap_or(grids[0]));
    let report = RunReport {
        header: job.options.header(log, read),
        method_title: job.options.method_title(),
        pairs: vec![found.measured],
        cycle_closure_vox: None,
        label_overlap: None,
    };
    plan.publish(report, |_| unreachable!("a page should be refused before the run"))
}

fn start(job: &FlowJob, reading: &Reading, warnings: &mut Warnings) -> Result<PairStart<'static>> {
    Ok(match &job.start {
        StartFrom::CentreOfMass => PairStart::CentreOfMass,
        StartFrom::Rigid => PairStart::Rigid,
        StartFrom::Similarity => PairStart::Similarity,
        StartFrom::Affine => PairStart::Affine,
        StartFrom::Transform(path) => PairStart::Transform(io::read_transform(path, reading, warnings)?),
        StartFrom::None | StartFrom::Matches | StartFrom::Flow(_) => PairStart::None,
    })
}
