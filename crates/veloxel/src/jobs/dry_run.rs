//! What a flow would do: memory, tiles, time and files, from the headers of its inputs alone.

use super::flow_job::inputs_one_by_one;
use super::options::RunOptions;
use super::{FlowJob, Result};
use crate::pipelines::memory_plan::FlowPlan;
use crate::pipelines::prepare::grids::allow_two_grids;
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{Dimension, Grid, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_io as io;
use veloxel_motion::{AnyMethod, Extras, Pair, Takes};
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
    pub writes: Vec<(&'static str, PathBuf)>,
    /// What the headers give to know.
    pub warnings: Warnings,
}

/// How long a run would take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeEstimate {
    /// Of the method alone, without files.
    pub solve_ms: f64,
    /// What one voxel took in a run of the same method, parameters and device over a small pair of noisy images.
    pub ns_per_voxel: f64,
    /// Voxels of that pair per axis.
    pub measured_size: [usize; 3],
}

/// Tells what a flow would do, and reads nothing but headers.
///
/// # Errors
/// As [`flow`](super::flow): everything that can be known before the samples are read.
pub fn dry_run(job: &FlowJob) -> Result<DryRun> {
    job.options.require_used(&job.start)?;
    let (options, plan) = (&job.options, job.plan()?);
    let mut warnings = Warnings::new();
    let grids = inputs_one_by_one(job)?.into_iter();
    let grids = grids.map(|path| io::read_grid(path, options.reading, &mut warnings));
    let grids = grids.collect::<Result<Vec<_>, _>>()?;
    let grids: Vec<_> = grids.iter().collect();
    let [fixed, moving] = [grids[0], grids[1]];
    plan.check_dimension(fixed.dimension())?;
    match job.takes() {
        Takes::Pairs => allow_two_grids(fixed, moving, options.reading.strictness, &mut warnings)?,
        Takes::Windows { .. } => {
            let mut others = grids.iter().enumerate().skip(1);
            others.try_for_each(|(t, grid)| fixed.require_same(grid, &format!("frames 0 and {t}")))?;
        }
    }
    let session = crate::Session::open(&options.device)?;
    let (device, report) = (session.device()?.clone(), session.device_report()?.clone());
    let memory = FlowPlan::of(job, &grids, &device)?;
    let time = TimeEstimate::measure(options, &grids, &device, memory.tiles.worked_voxels())?;
    Ok(DryRun {
        method: options.method.method_name().to_owned(),
        preset: options.method.preset_name().to_owned(),
        device: report,
        sizes: [fixed.size(), moving.size()],
        memory,
        time,
        writes: plan.outputs().map(|(role, path)| (role, path.clone())).collect(),
        warnings,
    })
}

/// Pixels and voxels an axis of the pair that the time is measured on: more than a processor's caches hold.
const MEASURED_SIDE: [usize; 2] = [384, 56];

impl TimeEstimate {
    fn measure(options: &RunOptions, like: &[&Grid], device: &Device, voxels: f64) -> Result<Self> {
        let grid = match like[0].dimension() {
            Dimension::Two => Grid::image(MEASURED_SIDE[0], MEASURED_SIDE[0])?,
            Dimension::Three => Grid::volume(MEASURED_SIDE[1], MEASURED_SIDE[1], MEASURED_SIDE[1])?,
        };
        let frames: Vec<_> = (0..like.len()).map(|t| noisy_waves(&grid, 0.4 * t as f64)).collect();
        let window: Vec<_> = frames.iter().collect();
        let pair = Pair::new(&frames[0], &frames[1]);
        let mut best_ms = f64::INFINITY;
        // A GPU compiles its programs in the first run.
        for _ in 0..if device.is_gpu() { 2 } else { 1 } {
            let start = std::time::Instant::now();
            match options.open_method(&grid, 255.0, like.len(), device)?.method {
                AnyMethod::Pair(mut method) => method.run_with(&pair, Extras::default())?,
                AnyMethod::Window(mut method) => method.run(&window, None, Extras::default())?,
            };
            best_ms = best_ms.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let ns_per_voxel = 1e6 * best_ms / grid.len() as f64;
        Ok(Self { solve_ms: 1e-6 * ns_per_voxel * voxels, ns_per_voxel, measured_size: grid.size() })
    }
}

/// Waves that move by `shift` voxels, under noise that does not: images that match as well as those of cameras and scanners do.
fn noisy_waves(grid: &Grid, shift: f64) -> Volume<f32> {
    let mut state = (shift * 1e3) as u32 + 1;
    Volume::from_fn(grid.clone(), |x| {
        let [x, y, z] = x.map(|v| v as f64 + shift);
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = f64::from(state >> 8) / f64::from(1 << 24) - 0.5;
        ((0.41 * x).sin() * (0.37 * y + 0.2 * x).cos() + (0.31 * z + 0.13 * y).sin() + 0.3 * noise) as f32
    })
}
