//! The methods by name, and which one runs.

use crate::{Graph, MeshError};
use veloxel_core::GraphKind;

/// How distances are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The fastest that takes the graph and fits into memory.
    #[default]
    Auto,
    /// A search from every node (Dijkstra 1959).
    Dijkstra,
    /// Elimination over a tree of separators, then two sweeps a source (Sao et al. 2020); undirected graphs.
    Dissection,
}

impl Method {
    /// Every method, as users name it.
    pub const ALL: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("dijkstra", Self::Dijkstra), ("dissection", Self::Dissection)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

/// Nodes below which a search from every node takes no time worth an elimination.
const FEW: usize = 64;

/// The method that runs, and why.
pub(super) fn choose(asked: Method, graph: &Graph) -> Result<(Method, String), MeshError> {
    let is_directed = graph.kind() == GraphKind::Directed;
    match asked {
        Method::Auto if is_directed => Ok((Method::Dijkstra, "the graph is directed".to_owned())),
        Method::Auto if graph.nodes() <= FEW => Ok((Method::Dijkstra, "the graph is small".to_owned())),
        Method::Auto => Ok((Method::Dissection, "the graph is undirected".to_owned())),
        Method::Dissection if is_directed => {
            Err(MeshError::Directed { method: asked.name(), ways_out: "dijkstra" })
        }
        method => Ok((method, "asked for".to_owned())),
    }
}
