//! Whether the values of an image are those of labels, which form regions, or of a grey image, which are scattered.

use std::collections::HashMap;

/// Most values that an image of labels is assumed to have without a closer look: more may be those of a grey image.
const FEW_LABELS: usize = 32;

/// How many voxels each value has, and how many of their neighbours along x and y have it as well.
#[derive(Debug, Clone, Default)]
pub(super) struct Scatter(HashMap<u32, [usize; 2]>);

impl Scatter {
    /// Adds a row along x, with the voxel after its last one and the row at the next y, as far as the image goes there.
    pub fn add_row(&mut self, row: &[u32], after: Option<u32>, below: Option<&[u32]>) {
        let mut begin = 0;
        for run in row.chunk_by(|a, b| a == b) {
            let end = begin + run.len();
            let equal_below =
                below.map_or(0, |below| below[begin..end].iter().filter(|v| **v == run[0]).count());
            let equal_after = usize::from(end == row.len() && after == Some(run[0]));
            let [voxels, equal] = self.0.entry(run[0]).or_default();
            *voxels += run.len();
            *equal += run.len() - 1 + equal_after + equal_below;
            begin = end;
        }
    }

    /// Adds what was counted elsewhere in the image.
    pub fn and(&mut self, other: &Self) {
        for (label, [voxels, equal]) in &other.0 {
            let all = self.0.entry(*label).or_default();
            *all = [all[0] + voxels, all[1] + equal];
        }
    }

    /// How many values there are.
    pub fn values(&self) -> usize {
        self.0.len()
    }

    /// Whether there are many values and most of them form no regions: fewer than half of their voxels have an equal neighbour along x
    /// or y.
    pub fn is_grey(&self) -> bool {
        let scattered = self.0.values().filter(|[voxels, equal]| equal < voxels).count();
        self.values() > FEW_LABELS && 2 * scattered > self.values()
    }
}
