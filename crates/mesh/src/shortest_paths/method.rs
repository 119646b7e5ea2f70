//! The methods by name, and which one runs.

use crate::Graph;

/// How distances are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// The fastest that takes the graph and fits into memory.
    #[default]
    Auto,
    /// A search from every node (Dijkstra 1959).
    Dijkstra,
}

impl Method {
    /// Every method, as users name it.
    pub const ALL: [(&'static str, Self); 2] = [("auto", Self::Auto), ("dijkstra", Self::Dijkstra)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

/// The method that runs, and why.
pub(super) fn choose(asked: Method, _graph: &Graph) -> (Method, String) {
    match asked {
        Method::Auto => (Method::Dijkstra, "the only method".to_owned()),
        method => (method, "asked for".to_owned()),
    }
}
