//! What a flow would do: memory, tiles, time and files, from the headers of its inputs alone.

use super::flow_job::inputs_one_by_one;
use super::{FlowJob, OutputRole, Result};
use crate::Session;
use crate::pipelines::{DryRunRequest, FlowPlan, FlowSketch, Forecast, TimeEstimate};
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{Stage, Warnings};
use veloxel_io as io;
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
    /// Memory and tiles.
    pub memory: FlowPlan,
    /// Time.
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
    let sketch = FlowSketch {
        grids: &grids,
        method: &options.choice(),
        masks: options.mask.iter().chain(&options.volume_mask).count(),
        weights: options.weight.iter().count(),
        truths: job.truth.iter().count(),
        start: job.start.kind(),
        samples_moving: job.samples_moving(),
    };
    let request = DryRunRequest { sketch, strictness: options.reading.strictness };
    let forecast = crate::pipelines::dry_run(&request, session)?;
    let Forecast { memory, time, warnings: of_grids } = forecast;
    warnings.extend(of_grids);
    Ok(DryRun {
        method: options.method.method_name().to_owned(),
        preset: options.method.preset_name().to_owned(),
        device: session.device_report()?.clone(),
        sizes: [grids[0].size(), grids[1].size()],
        memory,
        time,
        writes: plan.outputs().map(|(role, path)| (role, path.clone())).collect(),
        warnings,
    })
}
