//! All distances of a graph in memory, whole or as a lower triangle.

/// Which part of the matrix is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixStorage {
    /// Every pair.
    Full,
    /// Pairs `(row, column)` with `column ≤ row`: half the memory; for undirected graphs alone.
    LowerTriangle,
}

impl MatrixStorage {
    /// Distances that are kept of a graph of `nodes` nodes.
    pub fn len(self, nodes: usize) -> usize {
        self.begin(nodes, nodes)
    }
    /// The place of a row's first distance.
    pub(super) fn begin(self, row: usize, nodes: usize) -> usize {
        match self {
            Self::Full => row * nodes,
            Self::LowerTriangle => row * (row + 1) / 2,
        }
    }
    /// Distances of a row that are kept.
    pub(super) fn row_len(self, row: usize, nodes: usize) -> usize {
        match self {
            Self::Full => nodes,
            Self::LowerTriangle => row + 1,
        }
    }
}

/// All distances of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct DistanceMatrix {
    pub(super) nodes: usize,
    pub(super) storage: MatrixStorage,
    pub(super) distances: Vec<f32>,
}

impl DistanceMatrix {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }
    /// Which part is kept.
    pub fn storage(&self) -> MatrixStorage {
        self.storage
    }
    /// The distances that are kept, row after row.
    pub fn distances(&self) -> &[f32] {
        &self.distances
    }
    /// The distances that are kept, taken out.
    pub(crate) fn into_distances(self) -> Vec<f32> {
        self.distances
    }
    /// The distance from one node to another; infinite if no path leads there.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn at(&self, from: usize, to: usize) -> f32 {
        assert!(from < self.nodes && to < self.nodes, "both nodes should be of the graph");
        let (row, column) = match self.storage {
            MatrixStorage::Full => (from, to),
            MatrixStorage::LowerTriangle => (from.max(to), from.min(to)),
        };
        self.distances[self.storage.begin(row, self.nodes) + column]
    }
}
