//! Moves nodes between the two sides of a piece until fewer arcs cross.
//!
//! *Paper*: C. M. Fiduccia, R. M. Mattheyses, "A linear-time heuristic for improving network partitions", DAC 1982,
//! doi:10.1145/800263.809204, with heaps, begun at the nodes on the cut alone, and ended early as G. Karypis, V. Kumar, SIAM J.
//! Sci. Comput. 20(1), 1998, doi:10.1137/S1064827595287997, do.

use super::piece::Piece;
use std::collections::BinaryHeap;

/// The side of each node, 0 or 1.
#[derive(Debug, Clone, Default)]
pub(super) struct Sides {
    pub of: Vec<u8>,
    /// Nodes of each side.
    pub weights: [u32; 2],
    /// Arcs that cross.
    pub cut: u32,
}

/// Less is better: first the balance, then the cut, then the balance again.
pub(super) type Badness = (u32, u32, u32);

/// A side holds at most this share of all nodes.
const MOST_SHARE: f64 = 0.58;
/// Nodes of the largest piece whose gains are checked where assertions are on.
const MOST_CHECKED: usize = 4096;
/// Moves in a row that may make nothing better.
const PATIENCE: usize = 60;
const MOST_PASSES: usize = 4;

/// How far the heavier side is above its share.
pub(super) fn excess_of(weights: [u32; 2]) -> u32 {
    let most = (f64::from(weights[0] + weights[1]) * MOST_SHARE) as u32;
    weights[0].max(weights[1]).saturating_sub(most)
}

/// Memory of the passes.
#[derive(Debug, Default)]
pub(super) struct Memory {
    gains: Vec<i32>,
    /// The pass in which a node's gain was counted last; moves of its neighbours have changed it since.
    counted: Vec<u32>,
    /// The pass in which a node was moved last.
    moved: Vec<u32>,
    heaps: [BinaryHeap<(i32, u32)>; 2],
    moves: Vec<u32>,
    /// Nodes that may be on the cut.
    front: Vec<u32>,
}

impl Sides {
    /// Counts what the sides hold; nodes on the cut go to the memory.
    pub fn count(&mut self, piece: &Piece, memory: &mut Memory) {
        (self.weights, self.cut) = ([0; 2], 0);
        memory.front.clear();
        for node in 0..piece.len() as u32 {
            let side = self.of[node as usize];
            self.weights[side as usize] += 1;
            let crossing = piece.neighbours(node).iter().filter(|to| self.of[**to as usize] != side).count();
            self.cut += crossing as u32;
            if crossing > 0 {
                memory.front.push(node);
            }
        }
        self.cut /= 2;
    }

    pub(crate) fn badness(&self) -> Badness {
        (excess_of(self.weights), self.cut, self.weights[0].abs_diff(self.weights[1]))
    }

    /// Passes until none makes it better; the memory knows the cut.
    pub fn refine(&mut self, piece: &Piece, memory: &mut Memory) {
        memory.gains.clear();
        memory.gains.resize(piece.len(), i32::MIN);
        memory.counted.clear();
        memory.counted.resize(piece.len(), 0);
        memory.moved.clear();
        memory.moved.resize(piece.len(), 0);
        for pass in 1..=MOST_PASSES as u32 {
            let before = self.badness();
            self.pass(piece, memory, pass);
            if self.badness() >= before {
                break;
            }
        }
    }

    fn gain(&self, piece: &Piece, node: u32) -> i32 {
        let side = self.of[node as usize];
        piece.neighbours(node).iter().map(|&to| if self.of[to as usize] == side { -1 } else { 1 }).sum()
    }

    /// Counts the gains of a node's neighbours where that was not done in this pass: the hub of a star is counted once, not
    /// once for every leaf that moves.
    fn count_beside(&self, piece: &Piece, memory: &mut Memory, pass: u32, node: u32) {
        for &to in piece.neighbours(node) {
            if memory.counted[to as usize] != pass {
                memory.counted[to as usize] = pass;
                memory.gains[to as usize] = self.gain(piece, to);
            }
        }
    }

    /// The gains of the neighbours of a node that has moved; a neighbour that is joined both ways changes twice.
    fn follow(&self, piece: &Piece, memory: &mut Memory, pass: u32, node: u32) {
        for &to in piece.neighbours(node) {
            let at = to as usize;
            if memory.moved[at] != pass {
                memory.gains[at] += if self.of[at] == self.of[node as usize] { -2 } else { 2 };
                memory.heaps[self.of[at] as usize].push((memory.gains[at], to));
            }
        }
        debug_assert!(piece.len() > MOST_CHECKED || self.are_counted(piece, memory, pass, node));
    }

    /// Whether the gains of the neighbours that may still move are those that a new count finds.
    fn are_counted(&self, piece: &Piece, memory: &Memory, pass: u32, node: u32) -> bool {
        let mut left = piece.neighbours(node).iter().filter(|to| memory.moved[**to as usize] != pass);
        left.all(|&to| memory.gains[to as usize] == self.gain(piece, to))
    }

    fn flip(&mut self, node: u32, gain: i32) {
        let side = self.of[node as usize];
        self.of[node as usize] = 1 - side;
        self.weights[side as usize] -= 1;
        self.weights[1 - side as usize] += 1;
        self.cut = self.cut.wrapping_add_signed(-gain);
    }

    /// Moves every node at most once, the best first, and takes back what came after the best state.
    fn pass(&mut self, piece: &Piece, memory: &mut Memory, pass: u32) {
        memory.heaps.iter_mut().for_each(BinaryHeap::clear);
        memory.moves.clear();
        memory.front.retain(|&node| {
            let side = self.of[node as usize];
            piece.neighbours(node).iter().any(|&to| self.of[to as usize] != side)
        });
        for &node in &memory.front {
            let gain = self.gain(piece, node);
            memory.gains[node as usize] = gain;
            memory.counted[node as usize] = pass;
            memory.heaps[self.of[node as usize] as usize].push((gain, node));
        }
        let (mut best, mut kept) = (self.badness(), 0);
        while memory.moves.len() < kept + PATIENCE {
            let Some((gain, node)) = self.next(memory, pass) else { break };
            self.count_beside(piece, memory, pass, node);
            self.flip(node, gain);
            memory.moved[node as usize] = pass;
            memory.moves.push(node);
            self.follow(piece, memory, pass, node);
            if self.badness() < best {
                (best, kept) = (self.badness(), memory.moves.len());
            }
        }
        for &node in memory.moves[kept..].iter().rev() {
            let gain = self.gain(piece, node);
            self.flip(node, gain);
        }
        // What was moved is on the new cut, or next to it.
        for &node in &memory.moves[..kept] {
            memory.front.push(node);
            memory.front.extend(piece.neighbours(node));
        }
        memory.front.sort_unstable();
        memory.front.dedup();
    }

    /// The best move that keeps, or mends, the balance.
    fn next(&self, memory: &mut Memory, pass: u32) -> Option<(i32, u32)> {
        let Memory { gains, moved, heaps, .. } = memory;
        for (side, heap) in heaps.iter_mut().enumerate() {
            let is_stale = |&(gain, node): &(i32, u32)| {
                moved[node as usize] == pass
                    || gains[node as usize] != gain
                    || self.of[node as usize] as usize != side
            };
            while heap.peek().is_some_and(is_stale) {
                heap.pop();
            }
        }
        let heavier = usize::from(self.weights[1] > self.weights[0]);
        let from = match [heaps[0].peek(), heaps[1].peek()] {
            _ if excess_of(self.weights) > 0 && !heaps[heavier].is_empty() => heavier,
            [Some(a), Some(b)] if a.0 == b.0 => heavier,
            [a, b] => usize::from(b.map(|b| b.0) > a.map(|a| a.0)),
        };
        heaps[from].pop()
    }
}
