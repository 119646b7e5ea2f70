//! What a flow would take, memory, tiles and time, from the grids of its images alone.

use super::dense::{MethodChoice, StartKind};
use super::in_parts::{memory_plan_in_parts, require_in_parts};
use super::memory_plan::{FlowPlan, FlowSketch, memory_plan};
use super::prepare::grids::allow_two_grids;
use crate::{Result, Session};
use serde::Serialize;
use veloxel_core::{Dimension, Grid, Stage, Volume, Warnings};
use veloxel_gpu::Device;
use veloxel_io::Strictness;
use veloxel_motion::{AnyMethod, FlowExtras, GivenInput, Pair, TakenImages};

/// A run without its samples.
#[derive(Debug, Clone, Copy)]
pub struct DryRunRequest<'a> {
    /// All that its memory depends on.
    pub sketch: FlowSketch<'a>,
    /// Whether two grids are allowed.
    pub strictness: Strictness,
    /// Where images and field would lie.
    pub residence: Residence,
}

/// Where images and field lie while a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Residence {
    /// They lie in memory.
    #[default]
    Memory,
    /// They lie elsewhere, and parts of them are read and written ([`pair_in_parts`](super::pair_in_parts)).
    Parts,
}

/// What a run would take.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// Memory and tiles.
    pub memory: FlowPlan,
    /// Time.
    pub time: TimeEstimate,
    /// Warnings about the grids.
    pub warnings: Warnings,
}

/// How long a run would take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimeEstimate {
    /// Time of the method alone, without files, milliseconds.
    pub solve_ms: f64,
    /// What one voxel took in a run of the same method, parameters and device over a small pair of noisy images.
    pub ns_per_voxel: f64,
    /// Voxels of that pair per axis.
    pub measured_size: [usize; 3],
}

/// Estimates what a run would take. The time is measured on a small pair of made-up images.
///
/// # Errors
/// As [`memory_plan`]; [`VeloxelError::Core`](crate::VeloxelError::Core) for grids that do not belong together.
///
/// # Panics
/// If there are fewer than two grids.
pub fn dry_run(request: &DryRunRequest<'_>, session: &Session) -> Result<Forecast> {
    let (sketch, mut warnings) = (&request.sketch, Warnings::new());
    let (grids, fixed) = (sketch.grids, sketch.grids[0]);
    sketch.method.require_used(&[
        (GivenInput::Weight, sketch.weights > 0),
        (GivenInput::Start, sketch.start != StartKind::None),
    ])?;
    match sketch.method.takes() {
        TakenImages::Pairs => allow_two_grids(fixed, grids[1], request.strictness, &mut warnings)?,
        TakenImages::Windows { .. } => {
            let mut others = grids.iter().enumerate().skip(1);
            others.try_for_each(|(t, grid)| fixed.require_same(grid, &format!("frames 0 and {t}")))?;
        }
    }
    session.enter(Stage::Solve)?;
    let memory = match request.residence {
        Residence::Memory => memory_plan(sketch, session)?,
        Residence::Parts => {
            require_in_parts(sketch, session)?;
            memory_plan_in_parts(sketch, session)?
        }
    };
    let voxels = memory.tiles.worked_voxels();
    let time = TimeEstimate::measure(sketch.method, grids, session.device()?, voxels)?;
    Ok(Forecast { memory, time, warnings })
}

/// Pixels and voxels an axis of the pair that the time is measured on: more than a processor's caches hold.
const MEASURED_SIDE: [usize; 2] = [384, 56];

impl TimeEstimate {
    fn measure(method: &MethodChoice, like: &[&Grid], device: &Device, voxels: f64) -> Result<Self> {
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
            match method.open(&grid, 255.0, like.len(), device)?.method {
                AnyMethod::Pair(mut method) => method.run_with(&pair, FlowExtras::default())?,
                AnyMethod::Window(mut method) => method.run(&window, None, FlowExtras::default())?,
            };
            best_ms = best_ms.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let ns_per_voxel = 1e6 * best_ms / grid.len() as f64;
        Ok(Self { solve_ms: 1e-6 * ns_per_voxel * voxels, ns_per_voxel, measured_size: grid.size() })
    }
}

/// Waves that move by `shift` voxels, under noise that does not: images that match as well as those of cameras and scanners do.
pub(super) fn noisy_waves(grid: &Grid, shift: f64) -> Volume<f32> {
    let mut state = (shift * 1e3) as u32 + 1;
    Volume::from_fn(grid.clone(), |x| {
        let [x, y, z] = x.map(|v| v as f64 + shift);
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = f64::from(state >> 8) / f64::from(1 << 24) - 0.5;
        ((0.41 * x).sin() * (0.37 * y + 0.2 * x).cos() + (0.31 * z + 0.13 * y).sin() + 0.3 * noise) as f32
    })
}
