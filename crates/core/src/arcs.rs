//! Weighted arcs between numbered nodes: a graph as files and callers give it, before it is checked.

/// Whether the arcs of a graph lead one way or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphKind {
    /// An arc leads from its first node to its second alone.
    Directed,
    /// An arc leads both ways at the same weight.
    Undirected,
}

/// An arc between two nodes, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedArc {
    /// Where it begins.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// Its length, in the unit of all distances.
    pub weight: f32,
}

/// The arcs of a graph, unchecked.
#[derive(Debug, Clone, PartialEq)]
pub struct ArcList {
    /// Number of nodes.
    pub nodes: usize,
    /// Whether the arcs lead one way or both.
    pub kind: GraphKind,
    /// The arcs, in any order.
    pub arcs: Vec<WeightedArc>,
}
