//! All distances at once by Floyd–Warshall, on the whole matrix or on half of it; rows are copies.
//!
//! *Paper*: the 2011 paper on optical flow and face clustering on GPUs, section 4.1: its two versions over tiles.
//! *Cost*: n³ additions, half as many on half a matrix; 4 n² bytes, or half.
//! *Limits*: the matrix must fit; worth its cost for dense graphs alone.

use super::engine::{Engine, RowBlock, Visit};
use super::precision::{Precision, Step};
use crate::{Graph, MeshError};
use veloxel_gpu::{Cpu, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::paths::floyd_warshall::{FloydWarshall, Half, Length, TileLayout};

/// Every distance, in tiles.
#[derive(Debug)]
pub(super) struct TiledDistances<T> {
    layout: TileLayout,
    lengths: Vec<T>,
    /// What a length of 16 bits counts.
    step: Option<Step>,
    cpu: Cpu,
}

/// Where a matrix of distances is made.
#[derive(Clone, Copy)]
pub(super) struct Machines<'a> {
    pub device: &'a Device,
    pub cpu: &'a Cpu,
}

/// Bytes of the matrix.
pub(super) fn matrix_bytes(nodes: usize, half: Half, precision: Precision) -> u64 {
    let bytes = match precision {
        Precision::F32 => 4,
        Precision::U16 => 2,
    };
    bytes * TileLayout::new(nodes, half).len() as u64
}

impl TiledDistances<f32> {
    pub fn new(graph: &Graph, half: Half, on: Machines<'_>) -> Result<Self, MeshError> {
        Self::of(graph, TileLayout::new(graph.nodes(), half), on, |length| length)
    }
}

impl TiledDistances<u16> {
    pub fn in_steps(graph: &Graph, half: Half, on: Machines<'_>, step: Step) -> Result<Self, MeshError> {
        let found = Self::of(graph, TileLayout::new(graph.nodes(), half), on, |length| step.steps(length))?;
        Ok(Self { step: Some(step), ..found })
    }
}

impl<T: Length> TiledDistances<T> {
    fn of(
        graph: &Graph,
        layout: TileLayout,
        Machines { device, cpu }: Machines<'_>,
        rounded: impl Fn(f32) -> T,
    ) -> Result<Self, MeshError> {
        let mut lengths = layout.empty::<T>();
        for node in 0..graph.nodes() {
            for (to, length) in graph.neighbours(node as u32) {
                lengths[layout.at(node, to as usize)] = rounded(length);
            }
        }
        let mut lengths = device.upload(lengths)?;
        FloydWarshall { layout: &layout, lengths: &mut lengths }.run(device)?;
        Ok(Self { layout, lengths: device.download(lengths)?, step: None, cpu: cpu.clone() })
    }
}

impl Engine for TiledDistances<f32> {
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

impl Engine for TiledDistances<u16> {
    fn rows(&self, sources: &[u32], visit: Visit<'_>) -> Result<(), MeshError> {
        let step = self.step.expect("lengths of 16 bits should have a step");
        self.cpu.split(sources.len(), usize::MAX / 2, |range| {
            let (mut steps, mut row) = (vec![0; self.layout.nodes()], vec![0.0; self.layout.nodes()]);
            for source in &sources[range] {
                self.layout.copy_row(&self.lengths, *source as usize, &mut steps);
                row.iter_mut().zip(&steps).for_each(|(slot, &steps)| *slot = step.distance(steps));
                visit(RowBlock { sources: std::slice::from_ref(source), rows: &row });
            }
        });
        Ok(())
    }
}
