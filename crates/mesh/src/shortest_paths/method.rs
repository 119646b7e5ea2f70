//! The methods by name, and which one runs.

use super::Request;
use super::floyd_warshall::TiledDistances;
use crate::{Graph, MeshError};
use veloxel_core::GraphKind;
use veloxel_gpu::Device;
use veloxel_kernels::paths::floyd_warshall::Half;

/// How distances are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The fastest that takes the graph and fits into memory.
    #[default]
    Auto,
    /// A search from every node (Dijkstra 1959).
    Dijkstra,
    /// The whole matrix, three phases a block of pivots (Katz & Kider 2008).
    FloydWarshall,
    /// The same on lower-triangle tiles; undirected graphs.
    FloydWarshallUndirected,
    /// Elimination over a tree of separators, then two sweeps a source (Sao et al. 2020); undirected graphs.
    Dissection,
}

impl Method {
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

/// The method that runs, and why.
pub(super) fn choose(
    request: Request,
    graph: &Graph,
    device: &Device,
) -> Result<(Method, String), MeshError> {
    let is_directed = graph.kind() == GraphKind::Directed;
    let matrix_bytes = TiledDistances::bytes(graph.nodes(), Half::Both);
    let fits = || {
        let free = device.free_bytes().map_or(0, |free| free as u64);
        2 * matrix_bytes <= free.min(request.budget())
    };
    match request.method {
        Method::Auto if graph.nodes() <= FEW => Ok((Method::Dijkstra, "the graph is small".to_owned())),
        Method::Auto if is_directed && device.is_gpu() && fits() => {
            Ok((Method::FloydWarshall, "the graph is directed, and the matrix fits on the GPU".to_owned()))
        }
        Method::Auto if is_directed => Ok((Method::Dijkstra, "the graph is directed".to_owned())),
        Method::Auto => Ok((Method::Dissection, "the graph is undirected".to_owned())),
        method @ (Method::Dissection | Method::FloydWarshallUndirected) if is_directed => {
            Err(MeshError::Directed { method: method.name(), ways_out: "dijkstra or floyd-warshall" })
        }
        method => Ok((method, "asked for".to_owned())),
    }
}
