//! What a flow would do: memory, tiles, time and files, from the headers of its inputs alone.

#[cfg(feature = "zarr")]
use super::flow_in_parts::{is_in_parts, require_possible_in_parts};
use super::flow_job::inputs_one_by_one;
use super::inputs::frame_selection::TakeFrames;
use super::sequence::memory::planned_in_memory;
#[cfg(feature = "zarr")]
use super::sequence::pairs::Pairs;
use super::{FieldFormat, FlowJob, JobError, OutputRole, Result, SequenceJob, StartFrom, name};
use crate::Session;
use crate::pipelines::prepare::grids::allow_two_grids;
use crate::pipelines::{DenseError, DryRunRequest, FlowPlan, FlowSketch, Forecast, Residence, TimeEstimate};
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{CoreError, Grid, Stage, Warnings};
use veloxel_io::{self as io, FrameStream, Reading, StreamShape};
use veloxel_motion::SequenceMode;
use veloxel_report::DeviceReport;

/// What a flow would do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DryRun {
    /// The method.
    pub method: String,
    /// Its preset.
    pub preset: String,
    /// Where it would run.
    pub device: DeviceReport,
    /// Voxels of the fixed and of the moving image per axis.
    pub sizes: [[usize; 3]; 2],
    /// How many fields would be estimated.
    pub fields: usize,
    /// Frames of a sequence that would be held; 0 for a pair.
    pub frames: usize,
    /// Whether the frames of a sequence are held pair by pair: memory and tiles are those of one pair then.
    pub is_pair_by_pair: bool,
    /// Memory and tiles.
    pub memory: FlowPlan,
    /// Time of all fields.
    pub time: TimeEstimate,
    /// Files that would be written, by their roles.
    pub writes: Vec<(OutputRole, PathBuf)>,
    /// What the headers give to know.
    pub warnings: Warnings,
}

/// Tells what a flow would do, and reads nothing but headers.
///
/// # Errors
/// As [`flow`](super::flow): everything that can be known before the samples are read.
pub fn dry_run(job: &FlowJob, session: &Session) -> Result<DryRun> {
    job.options.require_used(&job.start)?;
    let (options, plan) = (&job.options, job.plan(session));
    // What an earlier run left unfinished stays as it is: nothing is written here.
    plan.check()?;
    session.enter(Stage::Read)?;
    let mut warnings = Warnings::new();
    let reading = &session.reading(options.reading);
    let grids = inputs_one_by_one(job)?.into_iter();
    let grids = grids.map(|path| io::read_grid(path, reading, &mut warnings));
    let grids = grids.collect::<Result<Vec<_>, _>>()?;
    let grids: Vec<_> = grids.iter().collect();
    plan.check_grid(grids[0])?;
    let method = &options.choice();
    let residence = residence(job, session)?;
    let request = DryRunRequest {
        sketch: job.sketch(&grids, method),
        strictness: options.reading.strictness,
        residence,
    };
    let forecast = crate::pipelines::dry_run(&request, session)?;
    warnings.extend(forecast.warnings);
    Ok(DryRun {
        method: options.method.method_name().to_owned(),
        preset: options.method.preset_name().to_owned(),
        device: session.device_report()?.clone(),
        sizes: [grids[0].size(), grids[1].size()],
        fields: 1,
        frames: 0,
        is_pair_by_pair: false,
        memory: forecast.memory,
        time: forecast.time,
        writes: plan.outputs().map(|(role, path)| (role, path.clone())).collect(),
        warnings,
    })
}

/// Where the images of a flow lie while it runs, once all is refused that is not done there.
fn residence(job: &FlowJob, session: &Session) -> Result<Residence> {
    #[cfg(feature = "zarr")]
    if is_in_parts(job, session)? {
        require_possible_in_parts(job, session)?;
        return Ok(Residence::Parts);
    }
    let _ = (job, session);
    Ok(Residence::Memory)
}

/// Tells what the fields of a sequence would take, and reads nothing but headers, where the input has headers apart from its samples.
///
/// # Errors
/// As [`sequence`](super::sequence): everything that can be known before the samples are read.
pub fn sequence_dry_run(job: &SequenceJob, session: &Session) -> Result<DryRun> {
    job.options.require_used(&StartFrom::None)?;
    let (options, plan) = (&job.options, job.plan(session)?);
    // What an earlier run left unfinished stays as it is: nothing is written here.
    plan.check()?;
    #[cfg(feature = "zarr")]
    if let Some(pairs) = Pairs::of(job, session)? {
        return pairs_dry_run(&pairs, session);
    }
    session.enter(Stage::Read)?;
    let mut warnings = Warnings::new();
    let reading = session.reading(options.reading);
    let (grid, count) = shape(&job.inputs, &reading, &mut warnings)?;
    let (taken, _) = job.frames.take(vec![(); count], &[])?;
    if taken.len() < 2 {
        return Err(DenseError::FewFrames { left: taken.len(), count }.into());
    }
    plan.check_grid(&grid)?;
    FieldFormat::check(job.field_format.as_ref(), &grid)?;
    let (strictness, residence) = (options.reading.strictness, Residence::Memory);
    let forecast = |sketch: &FlowSketch<'_>| {
        let request = DryRunRequest { sketch: *sketch, strictness, residence };
        crate::pipelines::dry_run(&request, session)
    };
    let (forecast, held) = planned_in_memory(job, &grid, taken.len(), session, forecast)?;
    let Forecast { mut memory, mut time, warnings: of_grids } = forecast;
    warnings.extend(of_grids);
    memory.peak_bytes += held.iter().map(|part| part.bytes).sum::<u64>();
    memory.parts.extend(held);
    let fields = field_count(job.mode, taken.len());
    time.solve_ms *= fields as f64;
    Ok(DryRun {
        method: options.method.method_name().to_owned(),
        preset: options.method.preset_name().to_owned(),
        device: session.device_report()?.clone(),
        sizes: [grid.size(); 2],
        fields,
        frames: taken.len(),
        is_pair_by_pair: false,
        memory,
        time,
        writes: plan.outputs().map(|(role, path)| (role, path.clone())).collect(),
        warnings,
    })
}

/// Tells what a run over a sequence pair by pair would do.
#[cfg(feature = "zarr")]
fn pairs_dry_run(pairs: &Pairs<'_>, session: &Session) -> Result<DryRun> {
    let (job, grid) = (pairs.job, &pairs.grid);
    let plan = job.plan(session)?;
    plan.check_grid(grid)?;
    let (grids, method) = ([grid, grid], job.options.choice());
    let sketch = pairs.pairs[0].job.sketch(&grids, &method);
    let request =
        DryRunRequest { sketch, strictness: job.options.reading.strictness, residence: pairs.residence };
    let Forecast { memory, mut time, warnings } = crate::pipelines::dry_run(&request, session)?;
    time.solve_ms *= pairs.pairs.len() as f64;
    Ok(DryRun {
        method: job.options.method.method_name().to_owned(),
        preset: job.options.method.preset_name().to_owned(),
        device: session.device_report()?.clone(),
        sizes: [grid.size(); 2],
        fields: pairs.pairs.len(),
        frames: pairs.frames.len(),
        is_pair_by_pair: true,
        memory,
        time,
        writes: plan.outputs().map(|(role, path)| (role, path.clone())).collect(),
        warnings,
    })
}

/// How many fields there are between so many frames.
fn field_count(mode: SequenceMode, frames: usize) -> usize {
    match mode {
        SequenceMode::Consecutive | SequenceMode::Reference => frames - 1,
        // The last frame to the first as well.
        SequenceMode::Both => 2 * (frames - 1) + 1,
    }
}

/// The grid of a sequence's frames, and how many there are.
fn shape(inputs: &[PathBuf], reading: &Reading, warnings: &mut Warnings) -> Result<(Grid, usize)> {
    // Only reading a series tells which of its files are frames.
    if let Some(series) = io::read_cine(inputs, reading, warnings)? {
        return Ok((series.sequence.grid().clone(), series.sequence.frames().len()));
    }
    let (mut first, mut count) = (None, 0);
    for input in inputs {
        let StreamShape { grid, frames } = FrameStream::shape(input, reading, warnings)?;
        let Some(frames) = frames else {
            return Err(JobError::DryRunSource { source_name: name(input) }.into());
        };
        let first = first.get_or_insert_with(|| grid.clone());
        allow_two_grids(first, &grid, reading.options.strictness, warnings)?;
        count += frames;
    }
    Ok((first.ok_or(CoreError::EmptySequence)?, count))
}
