//! Boxes of images and fields that need not fit into memory: where they come from, where they go, and how a grid is split into them.

mod kept;
mod key;
mod paged_field;
mod plan;

use crate::pipelines::dense::DenseError;
use crate::pipelines::memory_plan::PROGRAM_BYTES;
use crate::{Result, Session};
pub use kept::{BoxStore, BoxesOutput, SumStore};
pub(crate) use kept::{FoundBox, KeptBoxes};
pub use key::PartsKey;
pub(crate) use paged_field::{FEWEST_PAGES, PagedField, page_count, page_samples};
pub use plan::BoxesPlan;
use veloxel_core::{Flow, Grid, GridBox};

/// A field of which boxes are read.
pub trait FlowBoxes: Sync {
    /// Where its vectors lie.
    fn grid(&self) -> &Grid;

    /// The vectors of a box, on a grid of its own; the same ones at each call.
    ///
    /// # Errors
    /// What keeps them from being read.
    fn part(&self, part: GridBox) -> Result<Flow>;
}

/// Takes the boxes of an image or a field, each voxel once.
pub trait BoxSink: Sync {
    /// Voxels along x, y and z that boxes begin at multiples of, and end at unless the grid ends there.
    fn step(&self) -> [usize; 3];

    /// Takes a box: the samples of an image or of labels, or a slice for each component of a field, voxels; x fastest.
    ///
    /// # Errors
    /// What keeps it from being written.
    fn put(&self, part: GridBox, slices: &[Vec<f32>]) -> Result<()>;
}

/// Samples that boxes may take at once: without a budget as many as are fast.
pub(crate) fn room_for_boxes(session: &Session) -> usize {
    let room =
        session.max_memory_bytes().map_or(UNBOUNDED_BYTES, |budget| budget.saturating_sub(ALWAYS_BYTES));
    room as usize / size_of::<f32>()
}

/// Voxels of a box of a grid between multiples of `step`, each of which takes so many samples, that fit into the session's budget.
///
/// # Errors
/// [`DenseError::Memory`] where the smallest box does not.
pub(crate) fn require_room(
    grid: &Grid,
    step: [usize; 3],
    samples: usize,
    session: &Session,
) -> Result<usize> {
    let least: usize = (0..3).map(|a| step[a].min(grid.size()[a])).product();
    require_samples(least * samples, session)?;
    Ok(room_for_boxes(session) / samples)
}

/// Refuses a run that takes so many samples at once, where the session's budget is smaller.
///
/// # Errors
/// [`DenseError::Memory`].
pub(crate) fn require_samples(samples: usize, session: &Session) -> Result<()> {
    if room_for_boxes(session) >= samples {
        return Ok(());
    }
    let needed_bytes = bytes_in_parts(samples);
    let budget_bytes = session.max_memory_bytes().unwrap_or_default();
    Err(DenseError::Memory { needed_bytes, budget_bytes, place: "even in parts" }.into())
}

/// Bytes of the process while so many samples are held at once.
pub(crate) fn bytes_in_parts(samples: usize) -> u64 {
    ALWAYS_BYTES + (samples * size_of::<f32>()) as u64
}

/// The program, its threads, and chunks that are decoded and encoded.
const ALWAYS_BYTES: u64 = PROGRAM_BYTES + (12 << 20);
/// What boxes take where no budget is set.
const UNBOUNDED_BYTES: u64 = 1 << 30;

/// A grid's boxes between multiples of `step`, of so many voxels where a step has no more, as long as possible along x, then y.
pub(crate) fn boxes(size: [usize; 3], step: [usize; 3], most_voxels: usize) -> Vec<GridBox> {
    let mut length = [0, 1, 2].map(|a| step[a].min(size[a]));
    for a in 0..3 {
        let across: usize = (0..3).filter(|other| *other != a).map(|other| length[other]).product();
        let steps = (most_voxels / (across * step[a])).clamp(1, size[a].div_ceil(step[a]));
        length[a] = (steps * step[a]).min(size[a]);
    }
    let counts = [0, 1, 2].map(|a| size[a].div_ceil(length[a]));
    let of = |nth: usize| {
        let place = [nth % counts[0], nth / counts[0] % counts[1], nth / (counts[0] * counts[1])];
        let begin = [0, 1, 2].map(|a| place[a] * length[a]);
        GridBox { begin, size: [0, 1, 2].map(|a| length[a].min(size[a] - begin[a])) }
    };
    (0..counts.iter().product()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_cover_each_voxel_once_between_steps() {
        for most in [1, 40_000, 300_000, usize::MAX / 8] {
            let size = [150, 70, 130];
            let all = boxes(size, [64; 3], most);
            assert_eq!(all.iter().map(GridBox::len).sum::<usize>(), 150 * 70 * 130);
            assert!(all.iter().all(|part| part.begin.iter().all(|begin| begin % 64 == 0)));
            assert!(all.iter().all(|part| part.len() <= most.max(64 * 64 * 64)));
            assert!(
                all.iter().enumerate().all(|(i, a)| all[..i].iter().all(|b| a.intersection(b).is_none()))
            );
        }
        assert_eq!(boxes([150, 70, 130], [64; 3], 1).len(), 3 * 2 * 3);
        assert_eq!(boxes([150, 70, 130], [64; 3], usize::MAX / 8).len(), 1);
    }
}
