//! How much memory a run over the frames of a sequence takes that holds all of them.

use super::SequenceJob;
use super::maps::is_folder;
use crate::jobs::MemoryPart;
use crate::pipelines::{FlowSketch, StartKind};
use crate::{Result, Session};
use veloxel_core::Grid;

/// Volumes of samples that are held of every frame at the fullest moment: as it was read, as it is compared, and on its way to both.
/// Measured: 4.1 to 4.7, over 3 to 12 frames of 96 × 80 × 72 voxels.
const OF_FRAME: usize = 5;

/// Plans a run over so many frames in memory from its sketch; gives what was planned, and what such a run holds beside that.
///
/// # Errors
/// As `plan`; a device that is not there.
pub(in crate::jobs) fn planned_in_memory<T>(
    job: &SequenceJob,
    grid: &Grid,
    frames: usize,
    session: &Session,
    plan: impl FnOnce(&FlowSketch<'_>) -> Result<T>,
) -> Result<(T, Vec<MemoryPart>)> {
    let options = &job.options;
    let method = &options.choice();
    let at_once = method.frames_at_once(grid, frames, session.device()?)?;
    let sketch = FlowSketch {
        grids: &vec![grid; at_once],
        method,
        masks: options.mask.iter().chain(&options.moving_mask).chain(&options.volume_mask).count(),
        weights: options.weight.iter().count(),
        truths: job.truth.iter().count(),
        start: StartKind::None,
        samples_moving: job.warped.is_some() || job.html.is_some(),
    };
    let planned = plan(&sketch)?;
    let frame_bytes = size_of_val(&0.0f32) * grid.len();
    // Maps of one file wait for the last of them.
    let stacks = [&job.confidence, &job.warped].into_iter().flatten().filter(|path| !is_folder(path));
    let held = [
        ("other frames", OF_FRAME * frames - at_once.min(frames)),
        ("maps of one file", stacks.count() * (frames - 1)),
    ];
    let held = held.into_iter().filter(|(_, count)| *count > 0);
    let held = held.map(|(what, count)| MemoryPart { what, bytes: (count * frame_bytes) as u64 });
    Ok((planned, held.collect()))
}
