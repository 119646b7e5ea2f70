//! All distances at once by Floyd–Warshall, on the whole matrix or on half of it; rows are copies.
//!
//! *Paper*: the 2011 paper on optical flow and face clustering on GPUs, section 4.1: its two versions over tiles.
//! *Cost*: n³ additions, half as many on half a matrix; 4 n² bytes, or half.
//! *Limits*: the matrix must fit; worth its cost for dense graphs alone.

use super::DistanceRequest;
use super::engine::{Engine, RowBlock, Visit};
use super::precision::{DistancePrecision, DistanceStep};
use crate::error::MeshError;
use crate::graph::Graph;
use veloxel_gpu::{Cpu, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::paths::floyd_warshall::{FloydWarshall, Length, MatrixHalf, TileLayout};

/// Every distance, in tiles.
#[derive(Debug)]
pub(super) struct TiledDistances {
    layout: TileLayout,
    lengths: Lengths,
    cpu: Cpu,
}

#[derive(Debug)]
enum Lengths {
    Floats(Vec<f32>),
    /// Multiples of a step.
    Steps(Vec<u16>, DistanceStep),
}

/// Bytes of the matrix.
pub(super) fn matrix_bytes(nodes: usize, half: MatrixHalf, precision: DistancePrecision) -> u64 {
    let bytes = match precision {
        DistancePrecision::F32 => 4,
        DistancePrecision::U16 => 2,
    };
    TileLayout::len_of(nodes, half).saturating_mul(bytes)
}

impl TiledDistances {
    /// # Errors
    /// [`MeshError::Memory`] for a matrix above the request's budget; [`MeshError::TooManyArcs`]; [`MeshError::Compute`].
    pub fn new(
        graph: &Graph,
        half: MatrixHalf,
        request: DistanceRequest,
        device: &Device,
        cpu: &Cpu,
    ) -> Result<Self, MeshError> {
        let needed_bytes = matrix_bytes(graph.nodes(), half, request.precision);
        let budget_bytes = request.budget();
        if needed_bytes > budget_bytes {
            let what = format!("the matrix of distances of {} nodes", graph.nodes());
            let ways_out = "use the methods dissection or dijkstra, which keep no matrix, or allow more";
            return Err(MeshError::Memory { what, needed_bytes, budget_bytes, ways_out });
        }
        let layout = TileLayout::new(graph.nodes(), half);
        let lengths = match request.precision {
            DistancePrecision::F32 => Lengths::Floats(closed(graph, &layout, device, |length| length)?),
            DistancePrecision::U16 => {
                let step = DistanceStep::of_arcs(graph, device.control())?;
                Lengths::Steps(closed(graph, &layout, device, |length| step.steps(length))?, step)
            }
        };
        Ok(Self { layout, lengths, cpu: cpu.clone() })
    }
}

/// The lengths of shortest paths.
fn closed<T: Length>(
    graph: &Graph,
    layout: &TileLayout,
    device: &Device,
    rounded: impl Fn(f32) -> T,
) -> Result<Vec<T>, MeshError> {
    let mut lengths = layout.empty::<T>();
    for node in 0..graph.nodes() {
        for (to, length) in graph.neighbours(node as u32) {
            lengths[layout.at(node, to as usize)] = rounded(length);
        }
    }
    let mut lengths = device.upload(lengths)?;
    FloydWarshall { layout, lengths: &mut lengths }.run(device)?;
    Ok(device.download(lengths)?)
}

impl Engine for TiledDistances {
    fn rows(&self, sources: &[u32], visit: Visit<'_>) -> Result<(), MeshError> {
        let (layout, nodes) = (&self.layout, self.layout.nodes());
        self.cpu.split(sources.len(), Cpu::HEAVY_ITEMS, |range| {
            let (mut held, mut row) = (Vec::new(), vec![0.0; nodes]);
            for source in sources[range].iter().take_while(|_| self.cpu.check().is_ok()) {
                match &self.lengths {
                    Lengths::Floats(lengths) => layout.copy_row(lengths, *source as usize, &mut row),
                    Lengths::Steps(lengths, step) => {
                        held.resize(nodes, 0);
                        layout.copy_row(lengths, *source as usize, &mut held);
                        row.iter_mut().zip(&held).for_each(|(slot, &steps)| *slot = step.distance(steps));
                    }
                }
                visit(RowBlock { sources: std::slice::from_ref(source), rows: &row });
            }
        });
        Ok(self.cpu.check()?)
    }
}
