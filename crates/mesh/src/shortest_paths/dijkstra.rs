//! Distances from one node to all others, one source after the other on each thread.
//!
//! *Paper*: E. W. Dijkstra, "A note on two problems in connexion with graphs", 1959, doi:10.1007/BF01386390, with a binary heap
//! from which outdated entries are dropped when they are met.
//! *Cost*: (nodes + arcs) · log nodes a source; twelve bytes a node and thread.
//! *Limits*: none; it is what every other method is compared with.

use super::engine::{Engine, RowBlock, Visit};
use crate::error::MeshError;
use crate::graph::Graph;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use veloxel_core::{Control, Stopped};
use veloxel_gpu::Cpu;

/// Nodes that a search visits, some of them in vain, before it asks again whether to go on.
const VISITS_BETWEEN_QUESTIONS: usize = 1 << 14;

/// Repeated searches over a graph.
#[derive(Debug)]
pub(super) struct Dijkstra {
    pub graph: Graph,
    pub cpu: Cpu,
}

impl Engine for Dijkstra {
    fn rows(&self, sources: &[u32], visit: Visit<'_>) -> Result<(), MeshError> {
        self.cpu.split(sources.len(), Cpu::HEAVY_ITEMS, |range| {
            let mut search = NodeSearch::new(self.graph.nodes());
            for source in &sources[range] {
                // A stop is told below, once for all threads.
                let Ok(rows) = search.run(&self.graph, *source, self.cpu.control()) else { break };
                visit(RowBlock { sources: std::slice::from_ref(source), rows });
            }
        });
        Ok(self.cpu.check()?)
    }
}

/// The memory of one search, used again by the next.
#[derive(Debug)]
pub(super) struct NodeSearch {
    distances: Vec<f32>,
    heap: BinaryHeap<Reverse<u64>>,
}

impl NodeSearch {
    pub fn new(nodes: usize) -> Self {
        Self { distances: vec![f32::INFINITY; nodes], heap: BinaryHeap::new() }
    }

    /// Distances from `source`; infinite where no path leads.
    ///
    /// # Errors
    /// [`Stopped`] if the run is to stop; the next search begins anew.
    pub fn run(&mut self, graph: &Graph, source: u32, control: &Control) -> Result<&[f32], Stopped> {
        control.check()?;
        self.distances.fill(f32::INFINITY);
        self.distances[source as usize] = 0.0;
        self.heap.clear();
        self.heap.push(entry(0.0, source));
        let mut visits = 0usize;
        while let Some(Reverse(next)) = self.heap.pop() {
            visits += 1;
            if visits.is_multiple_of(VISITS_BETWEEN_QUESTIONS) {
                control.check()?;
            }
            let node = next as u32;
            let distance = f32::from_bits((next >> 32) as u32);
            if distance > self.distances[node as usize] {
                continue;
            }
            for (to, weight) in graph.neighbours(node) {
                let longer = distance + weight;
                if longer < self.distances[to as usize] {
                    self.distances[to as usize] = longer;
                    self.heap.push(entry(longer, to));
                }
            }
        }
        Ok(&self.distances)
    }
}

/// Bits of numbers of 0 or more sort as the numbers do.
fn entry(distance: f32, node: u32) -> Reverse<u64> {
    Reverse(u64::from(distance.to_bits()) << 32 | u64::from(node))
}

#[cfg(test)]
mod tests {
    use super::NodeSearch;
    use crate::graph::Graph;
    use veloxel_core::{ArcList, Control, GraphKind, Stopped, WeightedArc};

    #[test]
    fn a_search_after_one_that_was_stopped_begins_anew() {
        let arcs = vec![WeightedArc { from: 0, to: 1, weight: 2.5 }];
        let (control, stopped) = (Control::default(), Control::default());
        let graph = Graph::new(&ArcList { nodes: 2, kind: GraphKind::Directed, arcs }, &control).unwrap();
        let mut search = NodeSearch::new(2);
        stopped.stop();
        assert_eq!(search.run(&graph, 0, &stopped), Err(Stopped));
        assert_eq!(search.run(&graph, 1, &control).unwrap(), [f32::INFINITY, 0.0]);
        assert_eq!(search.run(&graph, 0, &control).unwrap(), [0.0, 2.5]);
    }
}
