//! Moves nodes between the two sides of a graph until fewer arcs cross.
//!
//! *Paper*: C. M. Fiduccia, R. M. Mattheyses, "A linear-time heuristic for improving network partitions", DAC 1982,
//! doi:10.1145/800263.809204, with heaps, begun at the nodes on the cut alone, and ended early as Karypis & Kumar 1998 do.

use super::weighted_graph::WeightedGraph;
use std::collections::BinaryHeap;

/// The side of each node, 0 or 1.
#[derive(Debug, Clone)]
pub(super) struct Sides {
    pub of: Vec<u8>,
    /// Weight of the nodes of each side.
    pub weights: [u32; 2],
    /// Weight of the arcs that cross.
    pub cut: u32,
}

/// A side holds at most this share of all nodes.
const MOST_SHARE: f64 = 0.58;
/// Moves in a row that may make nothing better.
const PATIENCE: usize = 60;
const MOST_PASSES: usize = 3;

impl Sides {
    pub fn new(graph: &WeightedGraph, of: Vec<u8>) -> Self {
        let mut sides = Self { of, weights: [0; 2], cut: 0 };
        for node in 0..graph.nodes() as u32 {
            let side = sides.of[node as usize];
            sides.weights[side as usize] += graph.node_weights[node as usize];
            let crossing = graph.neighbours(node).filter(|(to, _)| sides.of[*to as usize] != side);
            sides.cut += crossing.map(|(_, weight)| weight).sum::<u32>();
        }
        sides.cut /= 2;
        sides
    }

    /// How far the heavier side is above its share.
    fn excess(&self) -> u32 {
        let most = (f64::from(self.weights[0] + self.weights[1]) * MOST_SHARE) as u32;
        self.weights[0].max(self.weights[1]).saturating_sub(most)
    }

    /// Less is better: first the balance, then the cut, then the balance again.
    pub fn badness(&self) -> (u32, u32, u32) {
        (self.excess(), self.cut, self.weights[0].abs_diff(self.weights[1]))
    }

    /// Passes until none makes it better.
    pub fn refine(&mut self, graph: &WeightedGraph) {
        let mut memory = Memory { gains: vec![0; graph.nodes()], moved: vec![false; graph.nodes()] };
        for _ in 0..MOST_PASSES {
            let before = self.badness();
            self.pass(graph, &mut memory);
            if self.badness() >= before {
                break;
            }
        }
    }

    fn gain(&self, graph: &WeightedGraph, node: u32) -> i32 {
        let side = self.of[node as usize];
        let signed = |(to, weight): (u32, u32)| {
            if self.of[to as usize] == side { -(weight as i32) } else { weight as i32 }
        };
        graph.neighbours(node).map(signed).sum()
    }

    fn flip(&mut self, graph: &WeightedGraph, node: u32, gain: i32) {
        let side = self.of[node as usize];
        let weight = graph.node_weights[node as usize];
        self.of[node as usize] = 1 - side;
        self.weights[side as usize] -= weight;
        self.weights[1 - side as usize] += weight;
        self.cut = self.cut.wrapping_add_signed(-gain);
    }

    /// Moves every node at most once, the best first, and takes back what came after the best state.
    fn pass(&mut self, graph: &WeightedGraph, memory: &mut Memory) {
        let mut heaps = [BinaryHeap::new(), BinaryHeap::new()];
        memory.moved.fill(false);
        for node in 0..graph.nodes() as u32 {
            let side = self.of[node as usize];
            if graph.neighbours(node).any(|(to, _)| self.of[to as usize] != side) {
                memory.gains[node as usize] = self.gain(graph, node);
                heaps[side as usize].push((memory.gains[node as usize], node));
            } else {
                memory.gains[node as usize] = i32::MIN;
            }
        }
        let mut moves: Vec<u32> = Vec::new();
        let (mut best, mut kept) = (self.badness(), 0);
        while moves.len() < kept + PATIENCE {
            let Some((gain, node)) = self.next(&mut heaps, memory) else { break };
            self.flip(graph, node, gain);
            memory.moved[node as usize] = true;
            moves.push(node);
            for (to, _) in graph.neighbours(node) {
                if !memory.moved[to as usize] {
                    let gain = self.gain(graph, to);
                    memory.gains[to as usize] = gain;
                    heaps[self.of[to as usize] as usize].push((gain, to));
                }
            }
            if self.badness() < best {
                (best, kept) = (self.badness(), moves.len());
            }
        }
        for &node in moves[kept..].iter().rev() {
            let gain = self.gain(graph, node);
            self.flip(graph, node, gain);
        }
    }

    /// The best move that keeps, or mends, the balance.
    fn next(&self, heaps: &mut [BinaryHeap<(i32, u32)>; 2], memory: &Memory) -> Option<(i32, u32)> {
        for (side, heap) in heaps.iter_mut().enumerate() {
            let is_stale = |&(gain, node): &(i32, u32)| {
                memory.moved[node as usize]
                    || memory.gains[node as usize] != gain
                    || self.of[node as usize] as usize != side
            };
            while heap.peek().is_some_and(is_stale) {
                heap.pop();
            }
        }
        let heavier = usize::from(self.weights[1] > self.weights[0]);
        let from = match [heaps[0].peek(), heaps[1].peek()] {
            _ if self.excess() > 0 && !heaps[heavier].is_empty() => heavier,
            [Some(a), Some(b)] if a.0 == b.0 => heavier,
            [a, b] => usize::from(b.map(|b| b.0) > a.map(|a| a.0)),
        };
        heaps[from].pop()
    }
}

/// Memory of a pass.
struct Memory {
    gains: Vec<i32>,
    moved: Vec<bool>,
}
