//! What a stream would take, from the headers of its sources alone.

use super::job::EngineJob;
use crate::jobs::OutputRole;
use crate::pipelines::engine::EngineForecast;
use crate::{Result, Session};
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{Stage, Warnings};
use veloxel_io::{FrameStream, StreamShape};
use veloxel_report::DeviceReport;

/// What a stream would do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EngineDryRun {
    /// The method.
    pub method: String,
    /// Its preset.
    pub preset: String,
    /// Where it would run.
    pub device: DeviceReport,
    /// Pixels of a frame `(x, y)`, or its voxels `(x, y, z)`.
    pub size: Vec<usize>,
    /// Number of frames; none where only reading them would tell.
    pub frames: Option<usize>,
    /// The outputs: `flow`, `stereo`, `features`.
    pub outputs: Vec<&'static str>,
    /// Memory.
    pub forecast: EngineForecast,
    /// Files and folders that would be written, by their roles.
    pub writes: Vec<(OutputRole, PathBuf)>,
    /// What the headers give to know.
    pub warnings: Warnings,
}

/// Tells what a stream would do, and opens nothing for writing.
///
/// # Errors
/// As [`engine`](super::engine): everything that can be known before the frames are read;
/// [`IoError::Unsupported`](veloxel_io::IoError::Unsupported) for standard input.
pub fn engine_dry_run(job: &EngineJob, session: &Session) -> Result<EngineDryRun> {
    let plan = job.planned_outputs(session)?;
    // What an earlier run left unfinished stays as it is: nothing is written here.
    plan.check()?;
    session.enter(Stage::Read)?;
    let (mut warnings, reading) = (Warnings::new(), session.reading(job.options.reading));
    let StreamShape { grid, frames } = FrameStream::shape(&job.source, reading.clone(), &mut warnings)?;
    if let Some(right) = &job.right {
        let right = FrameStream::shape(right, reading, &mut warnings)?;
        grid.require_same(&right.grid, "left and right frame")?;
    }
    session.enter(Stage::Solve)?;
    let options = &job.options.method;
    Ok(EngineDryRun {
        method: options.method_name().to_owned(),
        preset: options.preset_name().to_owned(),
        device: session.device_report()?.clone(),
        size: grid.size()[..grid.dimension().count()].to_vec(),
        frames,
        outputs: job.outputs(),
        forecast: job.request().forecast(&grid, session)?,
        writes: plan.outputs().map(|(role, path)| (role, path.clone())).collect(),
        warnings,
    })
}
