//! What a method does once it is opened: it gives rows of the matrix of distances, in any order.

use super::{SumsOf, WeightedSums};
use crate::error::MeshError;
use std::fmt::Debug;
use std::sync::Mutex;
use veloxel_gpu::Buffer;

/// Some rows of the matrix of distances.
#[derive(Debug, Clone, Copy)]
pub struct RowBlock<'a> {
    /// The nodes that the rows belong to.
    pub sources: &'a [u32],
    /// For each source its distances to all nodes, infinite where no path leads.
    pub rows: &'a [f32],
}

impl<'a> RowBlock<'a> {
    /// Each source with its distances to all nodes.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &'a [f32])> + use<'a> {
        let nodes = self.rows.len() / self.sources.len().max(1);
        self.sources.iter().copied().zip(self.rows.chunks_exact(nodes.max(1)))
    }
}

/// Takes blocks of rows, on any thread.
pub(super) type Visit<'a> = &'a (dyn Fn(RowBlock<'_>) + Sync);

/// A method that is opened for a graph.
pub(super) trait Engine: Debug + Send + Sync {
    /// Gives the row of every source to `visit`, once, in any order and from any thread.
    fn rows(&self, sources: &[u32], visit: Visit<'_>) -> Result<(), MeshError>;

    /// A row for each source on the method's GPU, in their order, where they are made there.
    fn resident_rows(&self, _sources: &[u32]) -> Option<Result<Buffer, MeshError>> {
        None
    }

    /// Weighted sums of all rows; by default from the rows.
    fn weighted_sums(&self, nodes: usize, of: SumsOf<'_>) -> Result<WeightedSums, MeshError> {
        let sources: Vec<u32> = (0..nodes as u32).collect();
        let found = Mutex::new(WeightedSums::zeros(nodes, of.columns));
        self.rows(&sources, &|block| {
            for (source, row) in block.iter() {
                let (sums, unreachable) = of.of_row(row);
                let mut found = found.lock().expect("no thread should have failed");
                found.put(source as usize, sums.into_iter().map(|sum| sum as f32), unreachable);
            }
        })?;
        Ok(found.into_inner().expect("no thread should have failed"))
    }
}
