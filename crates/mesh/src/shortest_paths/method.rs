//! The methods by name, and which one runs.

use super::DistanceRequest;
use super::floyd_warshall::matrix_bytes;
use crate::error::MeshError;
use crate::graph::Graph;
use veloxel_core::GraphKind;
use veloxel_gpu::Device;
use veloxel_kernels::paths::floyd_warshall::MatrixHalf;

/// How distances are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DistanceMethod {
    /// The fastest that takes the graph and fits into memory.
    #[default]
    Auto,
    /// A search from every node (Dijkstra 1959).
    Dijkstra,
    /// The whole matrix, three phases a block of pivots (Katz & Kider 2008).
    FloydWarshall,
    /// The lower-triangle tiles of the matrix, three phases a block of pivots; for undirected graphs.
    FloydWarshallUndirected,
    /// Elimination over a tree of separators, then two sweeps a source (Sao et al. 2020).
    Dissection,
}

impl DistanceMethod {
    /// Every method, as users name it.
    pub const ALL: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("dijkstra", Self::Dijkstra),
        ("floyd-warshall", Self::FloydWarshall),
        ("floyd-warshall-undirected", Self::FloydWarshallUndirected),
        ("dissection", Self::Dissection),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

/// Nodes below which a search from every node takes no time worth an elimination.
const FEW: usize = 64;

/// The method that runs, and why; dissection where it is to be tried.
pub(super) fn choose(request: DistanceRequest, graph: &Graph) -> Result<(DistanceMethod, String), MeshError> {
    match request.method {
        DistanceMethod::Auto if graph.nodes() <= FEW => {
            Ok((DistanceMethod::Dijkstra, "the graph is small".to_owned()))
        }
        DistanceMethod::Auto => Ok((DistanceMethod::Dissection, "the graph has small separators".to_owned())),
        method @ DistanceMethod::FloydWarshallUndirected if graph.kind() == GraphKind::Directed => {
            let ways_out = "dissection, dijkstra or floyd-warshall";
            Err(MeshError::Directed { method: method.name(), ways_out })
        }
        method => Ok((method, "asked for".to_owned())),
    }
}

/// Additions of dissection, sixteen at a time, that take as long as a search takes for a node or an arc and a level of its heap.
const ADDITIONS_PER_STEP: f64 = 60.0;

/// Whether searches take longer than so many additions of dissection.
pub(super) fn is_worth(operations: f64, graph: &Graph) -> bool {
    let (nodes, arcs) = (graph.nodes() as f64, graph.arcs() as f64);
    operations <= ADDITIONS_PER_STEP * nodes * (nodes + arcs) * nodes.log2()
}

/// What runs in place of dissection where that takes more memory than there may be.
pub(super) fn without_memory(needed_bytes: u64, budget_bytes: u64) -> (DistanceMethod, String) {
    let dissection = DistanceMethod::Dissection.name();
    let because =
        format!("{dissection} would take {needed_bytes} bytes of memory, and {budget_bytes} may be used");
    (DistanceMethod::Dijkstra, because)
}

/// What runs in place of dissection on a graph without small separators.
pub(super) fn without_separators(
    request: DistanceRequest,
    graph: &Graph,
    device: &Device,
) -> (DistanceMethod, String) {
    let matrix_bytes = matrix_bytes(graph.nodes(), MatrixHalf::Both, request.precision);
    let free = device.free_bytes().map_or(0, |free| free as u64);
    if device.is_gpu() && matrix_bytes.saturating_mul(2) <= free.min(request.budget()) {
        return (
            DistanceMethod::FloydWarshall,
            "the graph has no small separators, and the matrix fits on the GPU".to_owned(),
        );
    }
    (DistanceMethod::Dijkstra, "the graph has no small separators".to_owned())
}
