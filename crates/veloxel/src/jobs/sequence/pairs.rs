//! The pairs of a sequence whose frames do not fit into a budget of memory together, each as the flow of two files.

use super::SequenceJob;
use super::maps::is_folder;
use super::memory::planned_in_memory;
use crate::jobs::flow_in_parts::{is_in_parts, require_possible_in_parts};
use crate::jobs::flow_job::{FlowJob, FlowOutputs};
use crate::jobs::inputs::frame_selection::TakeFrames;
use crate::jobs::{FieldFormat, FlowPlan, Result, StartFrom};
use crate::pipelines::{DenseError, FieldLabel, FrameNames, Residence, memory_plan, memory_plan_in_parts};
use crate::{Session, VeloxelError};
use std::path::{Path, PathBuf};
use veloxel_core::{Dimension, Grid, Stage, Warnings};
use veloxel_io::{self as io, IoError, Reading};
use veloxel_motion::{SequenceMode, SequenceRole, TakenImages};

/// The pairs of a sequence.
pub(in crate::jobs) struct Pairs<'a> {
    pub job: &'a SequenceJob,
    /// The frames that are taken, each under a name that reads it alone.
    pub frames: Vec<PathBuf>,
    pub names: FrameNames,
    /// The grid of the first frame.
    pub grid: Grid,
    /// Where the first pair lies while it is estimated, and its memory.
    pub residence: Residence,
    pub memory: FlowPlan,
    pub pairs: Vec<FramePair>,
}

/// Two frames, and the field between them.
pub(in crate::jobs) struct FramePair {
    pub label: FieldLabel,
    pub job: FlowJob,
}

impl<'a> Pairs<'a> {
    /// The pairs of a sequence that is estimated pair by pair: there is a budget of memory, and its frames do not fit. Headers alone are
    /// read, and what is not done pair by pair is refused.
    ///
    /// # Errors
    /// [`DenseError::PairByPair`], [`DenseError::InParts`], [`DenseError::Memory`] where not even one pair fits.
    pub fn of(job: &'a SequenceJob, session: &Session) -> Result<Option<Self>> {
        let Some(budget_bytes) = session.max_memory_bytes() else { return Ok(None) };
        session.enter(Stage::Read)?;
        let reading = &session.reading(job.options.reading);
        let frames = one_by_one(&job.inputs, reading, budget_bytes)?;
        let has_files = frames.iter().all(|frame| io::named_file(frame) == *frame);
        let files = if has_files { frames.clone() } else { Vec::new() };
        let count = frames.len();
        let (frames, names) = job.frames.take(frames, &files)?;
        if frames.len() < 2 {
            return Err(DenseError::FewFrames { left: frames.len(), count }.into());
        }
        let grid = io::read_grid(&frames[0], reading, &mut Warnings::new())?;
        if fits(job, &grid, frames.len(), session, budget_bytes)? {
            return Ok(None);
        }
        require_possible(job, budget_bytes)?;
        let pairs = pairs(job, &frames, &names, &grid)?;
        let first = &pairs[0].job;
        let is_in_parts = is_in_parts(first, session)?;
        if is_in_parts {
            require_possible_in_parts(first, session)?;
        }
        let memory = memory_of(first, &grid, is_in_parts, session)?;
        let residence = if is_in_parts { Residence::Parts } else { Residence::Memory };
        Ok(Some(Self { job, frames, names, grid, residence, memory, pairs }))
    }
}

/// The names of the frames.
fn one_by_one(inputs: &[PathBuf], reading: &Reading, budget_bytes: u64) -> Result<Vec<PathBuf>> {
    match io::frames_apart(inputs, reading) {
        Err(IoError::Unsupported { .. }) => {
            let what = "read frames that are found by reading all of them: convert them to .ome.zarr, or to .nii or .nrrd without \
                        compression";
            Err(DenseError::PairByPair { what, budget_bytes }.into())
        }
        found => Ok(found?),
    }
}

/// Whether a run that holds all frames takes no more than the budget: on a GPU that of the device, where none of its flows is tiled.
fn fits(job: &SequenceJob, grid: &Grid, frames: usize, session: &Session, budget_bytes: u64) -> Result<bool> {
    let planned = planned_in_memory(job, grid, frames, session, |sketch| memory_plan(sketch, session));
    match planned {
        Ok((plan, held)) => {
            let held_bytes: u64 = held.iter().map(|part| part.bytes).sum();
            let is_gpu = session.device()?.is_gpu();
            Ok(plan.tiles.count() == 1 && (is_gpu || plan.peak_bytes + held_bytes <= budget_bytes))
        }
        Err(VeloxelError::Dense(DenseError::Memory { .. })) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Refuses what is done with all frames in memory alone.
fn require_possible(job: &SequenceJob, budget_bytes: u64) -> Result<()> {
    let is_one_file = |path: &Option<PathBuf>| path.as_ref().is_some_and(|path| !is_folder(path));
    let takes_windows = matches!(job.options.method.draft().method().takes, TakenImages::Windows { .. });
    let given = [
        (takes_windows, "take windows of frames"),
        (
            job.mode == SequenceMode::Both,
            "follow the motion once around the cycle, for which it takes all fields",
        ),
        (job.truth.is_some(), "measure against true fields"),
        (is_one_file(&job.confidence), "write the confidences into one file, but into a folder"),
        (is_one_file(&job.warped), "write the warped images into one file, but into a folder"),
        (job.html.is_some(), "draw a page"),
    ];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, what)) => Err(DenseError::PairByPair { what, budget_bytes }.into()),
        None => Ok(()),
    }
}

/// The pairs, in the order of their fields.
fn pairs(job: &SequenceJob, frames: &[PathBuf], names: &FrameNames, grid: &Grid) -> Result<Vec<FramePair>> {
    let reference = job.reference.map_or(Ok(0), |number| names.position(number))?;
    let (role, ends): (_, Vec<[usize; 2]>) = match job.mode {
        SequenceMode::Consecutive | SequenceMode::Both => {
            (SequenceRole::Consecutive, (1..frames.len()).map(|moving| [moving - 1, moving]).collect())
        }
        SequenceMode::Reference => {
            let others = (0..frames.len()).filter(|moving| *moving != reference);
            (SequenceRole::Reference, others.map(|moving| [reference, moving]).collect())
        }
    };
    let count = ends.len();
    let pair = |(nth, [fixed, moving]): (usize, [usize; 2])| {
        let numbers = [fixed, moving].map(|frame| names.number(frame));
        let label = FieldLabel { role, fixed, moving, numbers, nth, count };
        let inputs = [fixed, moving].map(|frame| frames[frame].clone());
        FramePair { job: pair_job(job, inputs, &label.name(), grid), label }
    };
    Ok(ends.into_iter().enumerate().map(pair).collect())
}

/// The flow between two frames.
fn pair_job(job: &SequenceJob, inputs: [PathBuf; 2], name: &str, grid: &Grid) -> FlowJob {
    let extension = FieldFormat::extension(job.field_format.as_ref(), grid);
    let of_map = match grid.dimension() {
        _ if is_store_name(extension) => extension,
        Dimension::Three => "nii.gz",
        Dimension::Two => "tif",
    };
    let map = |folder: &Option<PathBuf>, what: &str| -> Option<PathBuf> {
        folder.as_ref().map(|folder| folder.join(format!("{what}_{name}.{of_map}")))
    };
    let outputs = FlowOutputs {
        flow: job.folder.join(format!("{name}.{extension}")),
        confidence: map(&job.confidence, "confidence"),
        warped: map(&job.warped, "warped"),
        outside: job.outside,
        ..FlowOutputs::default()
    };
    let options = job.options.clone();
    FlowJob { inputs: inputs.into(), start: StartFrom::None, truth: None, options, outputs }
}

/// Whether files with this extension are stores that are written in boxes.
fn is_store_name(extension: &str) -> bool {
    io::StoreBoxes::takes(Path::new(&format!("field.{extension}")))
}

/// The memory of a pair.
fn memory_of(pair: &FlowJob, grid: &Grid, is_in_parts: bool, session: &Session) -> Result<FlowPlan> {
    let (grids, method) = ([grid, grid], pair.options.choice());
    let sketch = pair.sketch(&grids, &method);
    if is_in_parts {
        return memory_plan_in_parts(&sketch, session);
    }
    memory_plan(&sketch, session).map_err(|error| match error {
        VeloxelError::Dense(DenseError::Memory { needed_bytes, budget_bytes, .. })
            if !io::StoreBoxes::takes(&pair.outputs.flow) =>
        {
            let place = "for one pair, unless the fields are .ome.zarr";
            DenseError::Memory { needed_bytes, budget_bytes, place }.into()
        }
        other => other,
    })
}
