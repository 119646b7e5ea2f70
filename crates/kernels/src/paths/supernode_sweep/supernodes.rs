//! The factor that sweeps run over, in host memory.

use std::ops::Range;

/// A separator or a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupernodeEntry {
    /// Places of its own nodes.
    pub places: Range<usize>,
    /// The first place of its subtree, which ends with its own places.
    pub first: usize,
    /// Number of separators above it.
    pub depth: usize,
    /// Range of its boundary in [`Supernodes::boundary`].
    pub boundary: Range<usize>,
    /// Index of its closure's first entry: own × own lengths, row-major.
    pub closure: usize,
    /// Index of its coupling's first entry: own × boundary lengths, row-major.
    pub coupling: usize,
}

impl SupernodeEntry {
    /// Number of its own nodes.
    pub fn own(&self) -> usize {
        self.places.len()
    }
    /// Places of all nodes in its subtree, its own included.
    pub fn subtree(&self) -> Range<usize> {
        self.first..self.places.end
    }
}

/// An eliminated graph.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Supernodes {
    /// Number of places.
    pub nodes: usize,
    /// The supernodes, children before their parents; their places follow one another.
    pub entries: Vec<SupernodeEntry>,
    /// Places of all boundaries, ascending within each.
    pub boundary: Vec<u32>,
    /// Lengths within each supernode: a row for each node that paths lead to.
    pub closure: Vec<f32>,
    /// Lengths from each supernode to its boundary.
    pub coupling: Vec<f32>,
    /// Lengths to each supernode from its boundary, laid out as [`Self::coupling`]; none if they are the same in both
    /// directions.
    pub downwards: Option<Vec<f32>>,
}

impl Supernodes {
    /// The supernodes of each depth, the root's depth first.
    pub fn levels(&self) -> Vec<Vec<usize>> {
        let depth = self.entries.iter().map(|entry| entry.depth + 1).max().unwrap_or(0);
        let mut levels = vec![Vec::new(); depth];
        for (i, entry) in self.entries.iter().enumerate() {
            levels[entry.depth].push(i);
        }
        levels
    }
    /// Lengths to each supernode from its boundary: own × boundary, row-major.
    pub fn downwards(&self) -> &[f32] {
        self.downwards.as_ref().unwrap_or(&self.coupling)
    }
}
