//! A part of a graph on the way to smaller ones: its nodes, and which of them are joined.

use super::arcs::Arcs;

/// Which part a node belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodePart {
    First,
    Second,
    Separator,
}

/// Nodes `0..nodes.len()` of a part; arcs to nodes of other parts are left out.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// Where each node's arcs begin; one more than there are nodes.
    pub offsets: Vec<u32>,
    /// Where arcs end.
    pub targets: Vec<u32>,
    /// The nodes' numbers in the whole graph.
    pub nodes: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;

impl Piece {
    /// All nodes of a graph, in the order of a search: neighbours lie close in memory then, and in all parts.
    pub fn whole(arcs: &Arcs<'_>) -> Self {
        let mut number = vec![UNSEEN; arcs.nodes()];
        let mut nodes: Vec<u32> = Vec::with_capacity(arcs.nodes());
        for root in 0..arcs.nodes() as u32 {
            let mut head = nodes.len();
            let mut see = |node: u32, nodes: &mut Vec<u32>| {
                if number[node as usize] == UNSEEN {
                    number[node as usize] = nodes.len() as u32;
                    nodes.push(node);
                }
            };
            see(root, &mut nodes);
            while let Some(&node) = nodes.get(head) {
                head += 1;
                arcs.beside(node).for_each(|to| see(to, &mut nodes));
            }
        }
        let (mut offsets, mut targets) = (Vec::with_capacity(nodes.len() + 1), Vec::new());
        offsets.push(0);
        for &node in &nodes {
            targets.extend(arcs.beside(node).map(|to| number[to as usize]));
            offsets.push(targets.len() as u32);
        }
        Self { offsets, targets, nodes }
    }
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    pub fn neighbours(&self, node: u32) -> &[u32] {
        &self.targets[self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize]
    }

    /// The nodes of both sides and the arcs between those of the same one; `number` is memory.
    pub fn halves(&self, parts: &[NodePart], number: &mut Vec<u32>) -> [Self; 2] {
        let mut count = [0u32; 3];
        number.clear();
        number.extend(parts.iter().map(|&part| {
            let next = &mut count[part as usize];
            *next += 1;
            *next - 1
        }));
        [NodePart::First, NodePart::Second].map(|part| {
            let count = count[part as usize] as usize;
            let mut half = Self {
                offsets: Vec::with_capacity(count + 1),
                targets: Vec::with_capacity(self.targets.len() * count / self.len() + 64),
                nodes: Vec::with_capacity(count),
            };
            half.offsets.push(0);
            for (node, _) in parts.iter().enumerate().filter(|(_, own)| **own == part) {
                let inside = self.neighbours(node as u32).iter().filter(|to| parts[**to as usize] == part);
                half.targets.extend(inside.map(|&to| number[to as usize]));
                half.offsets.push(half.targets.len() as u32);
                half.nodes.push(self.nodes[node]);
            }
            half
        })
    }
}
