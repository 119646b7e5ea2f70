//! All distances at once by Floyd–Warshall, on the whole matrix or on half of it; rows are copies.
//!
//! *Paper*: the 2011 paper on optical flow and face clustering on GPUs, section 4.1: its two versions over tiles.
//! *Cost*: n³ additions, half as many on half a matrix; 4 n² bytes, or half.
//! *Limits*: the matrix must fit; worth its cost for dense graphs alone.

use super::engine::{Engine, RowBlock, Visit};
use crate::{Graph, MeshError};
use veloxel_gpu::{Cpu, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::paths::floyd_warshall::{FloydWarshall, Half, TileLayout};

/// Every distance, in tiles.
#[derive(Debug)]
pub(super) struct TiledDistances {
    layout: TileLayout,
    lengths: Vec<f32>,
    cpu: Cpu,
}

impl TiledDistances {
    /// Bytes of the matrix.
    pub fn bytes(nodes: usize, half: Half) -> u64 {
        4 * TileLayout::new(nodes, half).len() as u64
    }

    pub fn new(graph: &Graph, half: Half, device: &Device, cpu: &Cpu) -> Result<Self, MeshError> {
        let layout = TileLayout::new(graph.nodes(), half);
        let mut lengths = layout.empty();
        for node in 0..graph.nodes() {
            for (to, length) in graph.neighbours(node as u32) {
                lengths[layout.at(node, to as usize)] = length;
            }
        }
        let mut lengths = device.upload(lengths)?;
        FloydWarshall { layout: &layout, lengths: &mut lengths }.run(device)?;
        Ok(Self { layout, lengths: device.download(lengths)?, cpu: cpu.clone() })
    }
}

impl Engine for TiledDistances {
    fn rows(&self, sources: &[u32], visit: Visit<'_>) -> Result<(), MeshError> {
        self.cpu.split(sources.len(), usize::MAX / 2, |range| {
            let mut row = vec![0.0; self.layout.nodes()];
            for source in &sources[range] {
                self.layout.copy_row(&self.lengths, *source as usize, &mut row);
                visit(RowBlock { sources: std::slice::from_ref(source), rows: &row });
            }
        });
        Ok(())
    }
}
