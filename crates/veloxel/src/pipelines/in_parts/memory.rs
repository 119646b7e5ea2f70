//! How much memory a flow takes whose images are read, and whose field is written, in parts.

use super::BOX_VOX;
use super::outcome::samples_of_box;
use crate::pipelines::boxes::boxes;
use crate::pipelines::dense::DenseError;
use crate::pipelines::memory_plan::{
    FlowPlan, FlowSketch, Holdings, MemoryPart, PROGRAM_BYTES, SAMPLE, WHITE, footprint_of, kept_bytes, sum,
};
use crate::{Result, Session};
use std::ops::Range;
use veloxel_core::Grid;
use veloxel_motion::{Footprint, TilePlan};

/// Chunks that are decoded and encoded, and the lists of tiles.
const BUFFER_BYTES: u64 = 12 << 20;
/// Samples a voxel of the coarse pass on the host: both images, and what was found.
const OF_COARSE: u64 = 6;
/// Samples a voxel of a tile on the host beside what a tile in memory takes, where the moving image is no larger than the fixed one:
/// what the next tile sees of both images.
const OF_TILE: f64 = 2.0;
/// Samples a voxel that are kept of a tile: three components and the confidence.
const KEPT: u64 = 4;
/// How closely the least budget is told.
const STEP_BYTES: u64 = 1 << 19;
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
    let plan = |budget| plan_within(budget, sketch.grids[0], &footprint);
    let Some((tiles, parts)) = plan(budget) else {
        let whole = PROGRAM_BYTES + BUFFER_BYTES + 2 * footprint.bytes(sketch.grids[0].len());
        let needed_bytes = least_budget(budget..whole.max(budget), |budget| plan(budget).is_some());
        return Err(DenseError::Memory { needed_bytes, budget_bytes: budget, place: "even in parts" }.into());
    };
    let disk_bytes = SAMPLE * KEPT * tiles.worked_at_last() as u64;
    Ok(FlowPlan { disk_bytes, ..FlowPlan::with(budget_bytes, parts, tiles) })
}

/// What boxes of the field take where they are put together while tiles are estimated.
const BOX_BESIDE: &str = "a box of the field";
/// How much more work tiles may be so that boxes are handed out beside them: afterwards that takes a fifth of the time of the solve.
const MOST_MORE_WORK: f64 = 1.125;

/// Whether a plan has room for boxes of the field beside tiles; where it has none they are put together once all tiles are kept.
pub(super) fn is_handed_out_beside(plan: &FlowPlan) -> bool {
    plan.parts.iter().any(|part| part.what == BOX_BESIDE)
}

/// Tiles whose parts together fit into a budget, and the parts; `None` where no tiles do.
fn plan_within(budget: u64, grid: &Grid, footprint: &Footprint) -> Option<(TilePlan, Vec<MemoryPart>)> {
    let [beside, after] = [true, false].map(|is_beside| plan_of(budget, grid, footprint, is_beside));
    let work = |plan: &(TilePlan, _)| plan.0.worked_voxels();
    match (beside, after) {
        (Some(beside), Some(after)) if work(&beside) > MOST_MORE_WORK * work(&after) => Some(after),
        (beside, after) => beside.or(after),
    }
}

fn plan_of(
    budget: u64,
    grid: &Grid,
    footprint: &Footprint,
    is_beside: bool,
) -> Option<(TilePlan, Vec<MemoryPart>)> {
    let components = grid.dimension().count();
    let mut room = budget.saturating_sub(PROGRAM_BYTES + BUFFER_BYTES);
    for _ in 0..MOST_TRIES {
        let tiles = TilePlan::new(grid, footprint, room - kept_bytes(room, components)).ok()?;
        let parts = parts(&tiles, grid, is_beside);
        let needed_bytes = sum(&parts);
        if needed_bytes <= budget {
            return Some((tiles, parts));
        }
        room = room.saturating_sub(needed_bytes - budget);
    }
    None
}

/// The least budget that does, to within [`STEP_BYTES`], between one that does not and one that does.
fn least_budget(between: Range<u64>, does: impl Fn(u64) -> bool) -> u64 {
    let Range { mut start, mut end } = between;
    while end.saturating_sub(start) > STEP_BYTES {
        let middle = start + (end - start) / 2;
        if does(middle) { end = middle } else { start = middle }
    }
    end
}

fn parts(tiles: &TilePlan, grid: &Grid, is_beside: bool) -> Vec<MemoryPart> {
    let components = grid.dimension().count();
    let all = boxes(grid.size(), [BOX_VOX; 3], 1);
    let of_box = all.into_iter().map(|own| samples_of_box(own, grid)).max().unwrap_or_default();
    let coarse = tiles.coarse.as_ref().map_or(0, |coarse| coarse.plan.grid_size.iter().product::<usize>());
    let bytes = tiles.device_bytes;
    let parts = [
        ("program", PROGRAM_BYTES),
        ("buffers of files", BUFFER_BYTES),
        ("coarse pass", SAMPLE * OF_COARSE * coarse as u64),
        ("method", bytes + kept_bytes(bytes, components)),
        ("a tile on its way to the disk", SAMPLE * KEPT * tiles.most_contributed() as u64),
        (BOX_BESIDE, SAMPLE * of_box),
    ];
    let parts = parts.into_iter().filter(|(what, _)| is_beside || *what != BOX_BESIDE);
    parts.map(|(what, bytes)| MemoryPart { what, bytes }).collect()
}
