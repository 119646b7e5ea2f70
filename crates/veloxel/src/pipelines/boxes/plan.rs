//! What a run over fields takes, in memory or box by box.

use super::bytes_in_parts;
use crate::Session;
use crate::pipelines::memory_plan::SAMPLE;
use serde::Serialize;
use veloxel_core::{Grid, GridBox};

/// Memory and boxes of a run that applies, composes or inverts fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BoxesPlan {
    /// What was allowed, bytes of the process.
    pub budget_bytes: Option<u64>,
    /// Memory of the process at its fullest moment, bytes.
    pub peak_bytes: u64,
    /// What the same run takes in memory, bytes.
    pub in_memory_bytes: u64,
    /// Voxels of the result along x, y and z.
    pub size: [usize; 3],
    /// In how many boxes it is found; 1: in memory.
    pub boxes: usize,
    /// Voxels of the largest box along x, y and z.
    pub box_size: [usize; 3],
    /// What boxes that are found take of the disk until the result has its name, bytes.
    pub disk_bytes: u64,
}

impl BoxesPlan {
    /// A run in memory, which takes so many bytes.
    pub(crate) fn in_memory(result: &Grid, in_memory_bytes: u64, session: &Session) -> Self {
        let size = result.size();
        Self {
            budget_bytes: session.max_memory_bytes(),
            peak_bytes: in_memory_bytes,
            in_memory_bytes,
            size,
            boxes: 1,
            box_size: size,
            disk_bytes: 0,
        }
    }

    /// The same run in boxes, while which so many samples are held at once; the result has so many components.
    pub(crate) fn in_boxes(self, all: &[GridBox], samples: usize, components: usize) -> Self {
        let largest = all.iter().map(|part| part.size).max_by_key(|size| size.iter().product::<usize>());
        let box_size = largest.unwrap_or(self.size);
        let voxels: usize = all.iter().map(GridBox::len).sum();
        let disk_bytes = SAMPLE * (components * voxels) as u64;
        Self { peak_bytes: bytes_in_parts(samples), boxes: all.len(), box_size, disk_bytes, ..self }
    }
}
