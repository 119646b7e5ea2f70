//! Nested dissection: separators of separators' parts, down to small leaves, as a tree, and the order of nodes that it gives.
//!
//! *Paper*: A. George, "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10(2), 1973,
//! doi:10.1137/0710032.

use super::separator::{Part, separate};
use super::weighted_graph::WeightedGraph;
use crate::Graph;
use std::ops::Range;
use std::sync::Mutex;
use veloxel_gpu::Cpu;

/// A separator or a leaf, eliminated as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Supernode {
    /// Its places in the order; may be none.
    pub places: Range<usize>,
    /// The first place of everything below it, which ends where its own places begin.
    pub first: usize,
    /// The separator above.
    pub parent: Option<usize>,
    /// Separators above.
    pub depth: usize,
}

/// The tree, children before their parents.
#[derive(Debug)]
pub(super) struct SeparatorTree {
    /// The node at each place of the order.
    pub node_at: Vec<u32>,
    pub supernodes: Vec<Supernode>,
}

/// A part of the graph and its nodes' numbers there.
struct Piece {
    graph: WeightedGraph,
    nodes: Vec<u32>,
}

/// A supernode whose places are not known yet.
#[derive(Default)]
struct Branch {
    own: Vec<u32>,
    children: Vec<usize>,
}

/// What a piece falls into.
struct Cut {
    own: Vec<u32>,
    rest: Vec<Piece>,
}

impl SeparatorTree {
    /// Cuts until a part has at most `leaf` nodes. The same tree for any number of threads.
    pub fn new(graph: &Graph, leaf: usize, cpu: &Cpu) -> Self {
        let whole = WeightedGraph {
            offsets: graph.offsets().to_vec(),
            targets: graph.targets().to_vec(),
            arc_weights: vec![1; graph.targets().len()],
            node_weights: vec![1; graph.nodes()],
        };
        let mut branches = vec![Branch::default()];
        let mut level = vec![(0, Piece { graph: whole, nodes: (0..graph.nodes() as u32).collect() })];
        while !level.is_empty() {
            let cuts: Vec<Mutex<Option<Cut>>> = level.iter().map(|_| Mutex::new(None)).collect();
            cpu.split(level.len(), usize::MAX / 2, |range| {
                for i in range {
                    *cuts[i].lock().expect("no thread should have failed") = Some(level[i].1.cut(leaf));
                }
            });
            let mut next = Vec::new();
            for ((branch, _), cut) in level.iter().zip(cuts) {
                let cut = cut.into_inner().ok().flatten().expect("every piece should have been cut");
                branches[*branch].own = cut.own;
                for piece in cut.rest {
                    let child = branches.len();
                    branches[*branch].children.push(child);
                    next.push((child, piece));
                    branches.push(Branch::default());
                }
            }
            level = next;
        }
        Self::numbered(&branches, graph.nodes())
    }

    /// Children before parents, without recursion.
    fn numbered(branches: &[Branch], nodes: usize) -> Self {
        let mut tree =
            Self { node_at: Vec::with_capacity(nodes), supernodes: Vec::with_capacity(branches.len()) };
        let mut number = vec![0; branches.len()];
        // A branch, its depth, the first place below it, and how many of its children are done.
        let mut open = vec![(0usize, 0usize, 0usize, 0usize)];
        while let Some((branch, depth, first, done)) = open.last_mut() {
            let Branch { own, children } = &branches[*branch];
            if let Some(&child) = children.get(*done) {
                *done += 1;
                let next = (child, *depth + 1, tree.node_at.len(), 0);
                open.push(next);
                continue;
            }
            let begin = tree.node_at.len();
            tree.node_at.extend(own);
            number[*branch] = tree.supernodes.len();
            let places = begin..tree.node_at.len();
            tree.supernodes.push(Supernode { places, first: *first, parent: None, depth: *depth });
            open.pop();
        }
        for (branch, Branch { children, .. }) in branches.iter().enumerate() {
            for &child in children {
                tree.supernodes[number[child]].parent = Some(number[branch]);
            }
        }
        tree
    }

    /// The supernodes of each depth, the root's first.
    pub fn levels(&self) -> Vec<Vec<usize>> {
        let depth = self.supernodes.iter().map(|supernode| supernode.depth + 1).max().unwrap_or(0);
        let mut levels = vec![Vec::new(); depth];
        for (i, supernode) in self.supernodes.iter().enumerate() {
            levels[supernode.depth].push(i);
        }
        levels
    }
}

impl Piece {
    fn cut(&self, leaf: usize) -> Cut {
        if self.nodes.len() <= leaf {
            return Cut { own: self.nodes.clone(), rest: Vec::new() };
        }
        let parts = separate(&self.graph);
        let of = |part: Part| {
            self.nodes.iter().zip(&parts).filter(move |(_, p)| **p == part).map(|(&node, _)| node)
        };
        let own: Vec<u32> = of(Part::Separator).collect();
        let rest: Vec<Piece> = [Part::First, Part::Second].map(|part| self.part(&parts, part)).into();
        if rest.iter().any(|piece| piece.nodes.is_empty()) {
            // As in a clique: nothing is gained by a cut.
            return Cut { own: self.nodes.clone(), rest: Vec::new() };
        }
        Cut { own, rest }
    }

    /// The nodes of one part and the arcs between them.
    fn part(&self, parts: &[Part], part: Part) -> Piece {
        let members: Vec<u32> =
            (0..parts.len() as u32).filter(|&node| parts[node as usize] == part).collect();
        let mut number = vec![u32::MAX; parts.len()];
        for (i, &node) in members.iter().enumerate() {
            number[node as usize] = i as u32;
        }
        let (mut offsets, mut targets) = (vec![0], Vec::new());
        for &node in &members {
            let inside = self.graph.neighbours(node).map(|(to, _)| number[to as usize]);
            targets.extend(inside.filter(|&to| to != u32::MAX));
            offsets.push(targets.len() as u32);
        }
        let arc_weights = vec![1; targets.len()];
        let node_weights = vec![1; members.len()];
        let graph = WeightedGraph { offsets, targets, arc_weights, node_weights };
        Piece { graph, nodes: members.iter().map(|&node| self.nodes[node as usize]).collect() }
    }
}
