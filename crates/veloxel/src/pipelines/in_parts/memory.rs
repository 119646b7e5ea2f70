//! How much memory a flow takes whose images are read, and whose field is written, in parts.

use crate::pipelines::dense::DenseError;
use crate::pipelines::memory_plan::{
    FlowPlan, FlowSketch, Holdings, MemoryPart, PROGRAM_BYTES, SAMPLE, WHITE, footprint_of, kept_bytes, sum,
};
use crate::{Result, Session};
use veloxel_motion::TilePlan;

/// Chunks that are decoded and encoded, and the lists of tiles.
const BUFFER_BYTES: u64 = 12 << 20;
/// Samples a voxel of the coarse pass on the host: both images, and what was found.
const OF_COARSE: u64 = 6;
/// Samples a voxel of a tile on the host beside what a tile in memory takes, where the moving image is no larger than the fixed one:
/// what the next tile sees of both images.
const OF_TILE: f64 = 2.0;
/// Samples a voxel that are kept of a tile: three components and the confidence.
const KEPT: u64 = 4;
/// How often a plan is made again with less room for tiles.
const MOST_TRIES: usize = 6;

/// The memory that a run in parts would take, and how it is split for that under the session's budget, or at once without one.
///
/// # Errors
/// As [`memory_plan`](crate::pipelines::memory_plan).
pub fn memory_plan_in_parts(sketch: &FlowSketch<'_>, session: &Session) -> Result<FlowPlan> {
    let device = session.device()?;
    let opened = sketch.method.open(sketch.grids[0], WHITE, sketch.grids.len(), device)?;
    let method = sketch.method.draft.method_name();
    let footprint = footprint_of(&opened.method).ok_or(DenseError::NoFootprint { method })?;
    drop(opened);
    let larger =
        sketch.grids[1].len().saturating_sub(sketch.grids[0].len()) as f64 / sketch.grids[0].len() as f64;
    let footprint = Holdings::of(sketch, None).footprint(footprint).overlapping().with_more(OF_TILE + larger);
    let budget_bytes = session.max_memory_bytes();
    let budget = budget_bytes.unwrap_or(u64::MAX);
    let (place, components) = ("even in parts", sketch.grids[0].dimension().count());
    let always = PROGRAM_BYTES + BUFFER_BYTES;
    let mut room = budget.saturating_sub(always);
    let mut needed_bytes = 0;
    for _ in 0..MOST_TRIES {
        let for_tiles = room - kept_bytes(room, components);
        let tiles = TilePlan::new(sketch.grids[0], &footprint, for_tiles).map_err(|least| {
            let needed_bytes = always + least.unwrap_or_else(|| footprint.bytes(sketch.grids[0].len()));
            DenseError::Memory { needed_bytes, budget_bytes: budget, place }
        })?;
        let parts = parts(&tiles, components);
        needed_bytes = sum(&parts);
        if needed_bytes <= budget {
            let disk_bytes = SAMPLE * KEPT * tiles.worked_at_last() as u64;
            return Ok(FlowPlan { disk_bytes, ..FlowPlan::with(budget_bytes, parts, tiles) });
        }
        room = room.saturating_sub(needed_bytes - budget);
    }
    Err(DenseError::Memory { needed_bytes, budget_bytes: budget, place }.into())
}

fn parts(tiles: &TilePlan, components: usize) -> Vec<MemoryPart> {
    let coarse = tiles.coarse.as_ref().map_or(0, |coarse| coarse.plan.grid_size.iter().product::<usize>());
    let bytes = tiles.device_bytes;
    let parts = [
        ("program", PROGRAM_BYTES),
        ("buffers of files", BUFFER_BYTES),
        ("coarse pass", SAMPLE * OF_COARSE * coarse as u64),
        ("method", bytes + kept_bytes(bytes, components)),
        ("a tile on its way to the disk", SAMPLE * KEPT * tiles.most_contributed() as u64),
    ];
    parts.into_iter().map(|(what, bytes)| MemoryPart { what, bytes }).collect()
}
