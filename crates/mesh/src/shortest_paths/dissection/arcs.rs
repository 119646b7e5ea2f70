//! The arcs of a graph by either of their ends.

use crate::graph::Graph;
use std::borrow::Cow;
use veloxel_core::{Control, GraphKind, Stopped};

/// A graph, and the same with all arcs turned round.
#[derive(Debug)]
pub(super) struct Arcs<'a> {
    graph: &'a Graph,
    reverse: Cow<'a, Graph>,
}

impl<'a> Arcs<'a> {
    pub fn new(graph: &'a Graph, control: &Control) -> Result<Self, Stopped> {
        let reverse = match graph.kind() {
            GraphKind::Undirected => Cow::Borrowed(graph),
            GraphKind::Directed => Cow::Owned(graph.reversed(control)?),
        };
        Ok(Self { graph, reverse })
    }
    pub(crate) fn is_directed(&self) -> bool {
        self.graph.kind() == GraphKind::Directed
    }
    pub fn nodes(&self) -> usize {
        self.graph.nodes()
    }
    /// The ends of arcs that leave a node, and their lengths.
    pub fn from(&self, node: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.graph.neighbours(node)
    }
    /// Where arcs that lead to a node begin, and their lengths.
    pub fn to(&self, node: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.reverse.neighbours(node)
    }
    /// Nodes that arcs join with a node, whichever way they lead; those joined both ways twice.
    pub fn beside(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let also = self.is_directed().then(|| self.to(node)).into_iter().flatten();
        self.from(node).chain(also).map(|(node, _)| node)
    }
}
