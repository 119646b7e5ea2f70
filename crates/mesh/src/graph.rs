//! A graph with weights of 0 or more on its arcs, checked, in compressed rows.

use crate::error::MeshError;
use veloxel_core::{ArcList, Control, GraphKind, Pace, Stopped, SystemMemory, WeightedArc, sort_by};

/// Arcs, or nodes, between two questions whether to go on: some milliseconds where each is a miss of the cache.
const ARCS_A_QUESTION: usize = 1 << 15;

/// Nodes `0..nodes`, and for each the arcs that leave it, sorted by their ends.
///
/// Guarantees: no two arcs between the same nodes in the same direction, no arc from a node to itself, every weight finite
/// and at least 0; in an undirected graph every arc has its reverse, of the same weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    kind: GraphKind,
    /// Where each node's arcs begin; one more than there are nodes.
    offsets: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<f32>,
    left_out: LeftOut,
}

/// Arcs that were given and change no distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Arcs beside a shorter one, or one of the same length, between the same nodes.
    pub duplicates: usize,
    /// Arcs from a node to itself.
    pub loops: usize,
}

/// An arc without the node that it leaves.
#[derive(Clone, Copy, Default)]
struct End {
    to: u32,
    weight: f32,
}

/// The arcs of each node, one node after the other, in no order.
struct Rows {
    kind: GraphKind,
    /// Where each node's arcs begin; one more than there are nodes.
    offsets: Vec<u32>,
    ends: Vec<End>,
}

impl Graph {
    /// Checks the arcs and sorts them, and asks `control` on the way. Of several arcs between the same nodes the shortest counts.
    ///
    /// # Errors
    /// [`MeshError::NoNodes`], [`MeshError::TooMany`], [`MeshError::NoSuchNode`], [`MeshError::Weight`]; [`MeshError::Memory`] for
    /// more nodes than the system has memory for; [`MeshError::Stopped`].
    pub fn new(list: &ArcList, control: &Control) -> Result<Self, MeshError> {
        Self::within(list, None, control)
    }

    /// Does as [`Self::new`], and takes at most so many bytes; none: what the system has.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn within(list: &ArcList, max_bytes: Option<u64>, control: &Control) -> Result<Self, MeshError> {
        let mut pace = control.once_in(ARCS_A_QUESTION);
        let free_bytes = SystemMemory::now().map_or(u64::MAX, |memory| memory.available_bytes);
        check_memory(list, max_bytes.unwrap_or(u64::MAX).min(free_bytes))?;
        check(list, &mut pace)?;
        let both_ways = list.kind == GraphKind::Undirected;
        let mut left_out = LeftOut::default();
        let mut degrees = vec![0u32; list.nodes + 1];
        let kept = |arc: &&WeightedArc| arc.from != arc.to;
        for arc in list.arcs.iter().filter(kept) {
            pace.step()?;
            degrees[arc.from as usize + 1] += 1;
            if both_ways {
                degrees[arc.to as usize + 1] += 1;
            }
        }
        let mut offsets = degrees;
        for node in 0..list.nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let mut rows = vec![End::default(); offsets[list.nodes] as usize];
        let mut put = |from: u32, to: u32, weight: f32| {
            let slot = &mut next[from as usize];
            rows[*slot as usize] = End { to, weight };
            *slot += 1;
        };
        for arc in &list.arcs {
            pace.step()?;
            if arc.from == arc.to {
                left_out.loops += 1;
                continue;
            }
            put(arc.from, arc.to, arc.weight);
            if both_ways {
                put(arc.to, arc.from, arc.weight);
            }
        }
        Self::of_rows(Rows { kind: list.kind, offsets, ends: rows }, left_out, control)
    }

    /// Sorts each row, and keeps the shortest of several arcs between the same nodes.
    fn of_rows(mut rows: Rows, left_out: LeftOut, control: &Control) -> Result<Self, MeshError> {
        // Equal ends are the same in all respects.
        let order = |a: &End, b: &End| a.to.cmp(&b.to).then(a.weight.total_cmp(&b.weight));
        let (kind, nodes, arcs) = (rows.kind, rows.offsets.len() - 1, rows.ends.len());
        let (targets, weights) = (Vec::with_capacity(arcs), Vec::with_capacity(arcs));
        let mut graph = Self { kind, offsets: Vec::with_capacity(nodes + 1), targets, weights, left_out };
        graph.offsets.push(0);
        let mut pace = control.once_in(ARCS_A_QUESTION);
        for node in rows.offsets.windows(2) {
            pace.step()?;
            let row = &mut rows.ends[node[0] as usize..node[1] as usize];
            if row.len() > ARCS_A_QUESTION {
                sort_by(row, &order, control)?;
            } else {
                row.sort_unstable_by(order);
            }
            let begin = graph.targets.len();
            for &End { to, weight } in row.iter() {
                pace.step()?;
                if graph.targets.len() > begin && graph.targets.last() == Some(&to) {
                    graph.left_out.duplicates += 1;
                    continue;
                }
                graph.targets.push(to);
                // A negative zero would compare as equal and sort as less.
                graph.weights.push(weight.abs());
            }
            graph.offsets.push(graph.targets.len() as u32);
        }
        if kind == GraphKind::Undirected {
            graph.left_out.duplicates /= 2;
        }
        Ok(graph)
    }

    /// The same graph with every arc turned round.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn reversed(&self, control: &Control) -> Result<Self, Stopped> {
        let mut pace = control.once_in(ARCS_A_QUESTION);
        let mut offsets = vec![0; self.nodes() + 1];
        for &to in &self.targets {
            offsets[to as usize + 1] += 1;
        }
        for node in 0..self.nodes() {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let (mut targets, mut weights) = (vec![0; self.arcs()], vec![0.0; self.arcs()]);
        // Nodes come in ascending order, and so do the ends of each row.
        for node in 0..self.nodes() as u32 {
            for (to, weight) in self.neighbours(node) {
                pace.step()?;
                let slot = next[to as usize] as usize;
                (targets[slot], weights[slot]) = (node, weight);
                next[to as usize] += 1;
            }
        }
        Ok(Self { kind: self.kind, offsets, targets, weights, left_out: self.left_out })
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }
    /// Number of arcs; each of an undirected graph counts twice, once for each way.
    pub fn arcs(&self) -> usize {
        self.targets.len()
    }
    /// Whether arcs lead one way or both.
    pub fn kind(&self) -> GraphKind {
        self.kind
    }
    /// Arcs that were given and do not count.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }
    /// The nodes that arcs of `node` lead to, ascending, and the arcs' weights.
    pub fn neighbours(&self, node: u32) -> impl Iterator<Item = (u32, f32)> + '_ {
        let row = self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize;
        self.targets[row.clone()].iter().copied().zip(self.weights[row].iter().copied())
    }
}

fn check(list: &ArcList, pace: &mut Pace<'_>) -> Result<(), MeshError> {
    const MOST: usize = u32::MAX as usize - 1;
    if list.nodes == 0 {
        return Err(MeshError::NoNodes);
    }
    for (what, got) in [("nodes of a graph", list.nodes), ("arcs of a graph", 2 * list.arcs.len())] {
        if got > MOST {
            return Err(MeshError::TooMany { what, got });
        }
    }
    for (arc, &WeightedArc { from, to, weight }) in list.arcs.iter().enumerate() {
        pace.step()?;
        if let Some(node) = [from, to].into_iter().find(|&node| node as usize >= list.nodes) {
            return Err(MeshError::NoSuchNode { arc, node, nodes: list.nodes });
        }
        if !(weight >= 0.0 && weight.is_finite()) {
            return Err(MeshError::Weight { from, to, weight });
        }
    }
    Ok(())
}

/// Refuses a graph whose tables do not fit: one far number in a list of edges makes as many nodes.
fn check_memory(list: &ArcList, budget_bytes: u64) -> Result<(), MeshError> {
    // The list itself; three tables of the nodes; each arc, both ways, before and after sorting.
    let list_bytes = (list.arcs.capacity() * size_of::<WeightedArc>()) as u64;
    let tables_bytes = (list.nodes as u64).saturating_add(1).saturating_mul(12);
    let needed_bytes = tables_bytes.saturating_add(list_bytes + 32 * list.arcs.len() as u64);
    if needed_bytes > budget_bytes {
        let what = format!("a graph of {} nodes", list.nodes);
        let ways_out = "number the nodes without gaps, or allow more";
        return Err(MeshError::Memory { what, needed_bytes, budget_bytes, ways_out });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(nodes: usize, kind: GraphKind, arcs: &[(u32, u32, f32)]) -> ArcList {
        let arcs = arcs.iter().map(|&(from, to, weight)| WeightedArc { from, to, weight }).collect();
        ArcList { nodes, kind, arcs }
    }

    #[test]
    fn the_shortest_of_several_arcs_counts() {
        let arcs = [(0, 1, 3.0), (1, 0, 2.0), (1, 1, 1.0), (2, 1, 0.5)];
        let control = &Control::default();
        let graph = Graph::new(&list(3, GraphKind::Undirected, &arcs), control).unwrap();
        assert_eq!(graph.left_out(), LeftOut { duplicates: 1, loops: 1 });
        assert_eq!(graph.neighbours(1).collect::<Vec<_>>(), [(0, 2.0), (2, 0.5)]);
        let directed = Graph::new(&list(3, GraphKind::Directed, &arcs), control).unwrap();
        assert_eq!(directed.left_out().duplicates, 0);
        assert_eq!(directed.neighbours(0).collect::<Vec<_>>(), [(1, 3.0)]);
        assert_eq!((directed.nodes(), directed.arcs()), (3, 3));
    }

    #[test]
    fn a_stop_ends_it() {
        let control = Control::default();
        control.stop();
        let stopped = Graph::new(&list(2, GraphKind::Directed, &[(0, 1, 1.0)]), &control);
        assert!(matches!(stopped, Err(MeshError::Stopped(_))));
    }

    #[test]
    fn nodes_without_memory_are_refused() {
        let far = list(4_000_000_001, GraphKind::Undirected, &[(0, 4_000_000_000, 1.0)]);
        let line = check_memory(&far, 16 << 30).unwrap_err().to_string();
        assert!(line.contains("4000000001 nodes") && line.contains("without gaps"), "{line}");
        assert_eq!(check_memory(&far, 64 << 30), Ok(()));
        let many = list(1000, GraphKind::Undirected, &[(0, 1, 1.0)]);
        let within = |bytes| Graph::within(&many, Some(bytes), &Control::default());
        let three_nodes = list(3, GraphKind::Directed, &[(0, 1, 1.0); 1000]);
        let of_list = check_memory(&three_nodes, 40_000).unwrap_err();
        assert!(matches!(of_list, MeshError::Memory { needed_bytes: 44_048, .. }), "{of_list}");
        assert!(matches!(within(12_000), Err(MeshError::Memory { budget_bytes: 12_000, .. })));
        assert!(within(13_000).is_ok());
    }

    #[test]
    fn what_is_no_graph_is_refused_in_one_line() {
        let refused = |nodes, arcs: &[(u32, u32, f32)]| {
            Graph::new(&list(nodes, GraphKind::Directed, arcs), &Control::default()).unwrap_err().to_string()
        };
        assert!(refused(0, &[]).contains("no nodes"));
        assert!(refused(2, &[(0, 2, 1.0)]).contains("arc 0 (counted from 0) names node 2"));
        for weight in [-1.0, f32::NAN, f32::INFINITY] {
            let line = refused(2, &[(0, 1, weight)]);
            assert!(line.contains(&weight.to_string()) && line.contains("0 or more"), "{line}");
        }
    }
}
