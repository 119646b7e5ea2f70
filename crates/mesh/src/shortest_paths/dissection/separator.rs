//! A small set of nodes whose removal cuts a graph into two parts of about the same size.
//!
//! Level sets are cut, the best of them refined; then the fewest nodes that touch every arc across the cut (König's theorem: as
//! many as a largest matching of these arcs).

use super::level_sets::LevelSets;
use super::piece::{NodePart, Piece};
use super::refinement::{Memory, Sides};

/// Cuts that are refined; the best counts.
const TRIALS: usize = 2;

/// Memory of a thread for the separators of pieces, one after the other.
#[derive(Debug, Default)]
pub(super) struct Separators {
    level_sets: LevelSets,
    memory: Memory,
    sides: [Sides; 2],
    matching: Matching,
    /// The part of every node of the last piece.
    pub parts: Vec<NodePart>,
    /// For the numbers of nodes in parts.
    pub number: Vec<u32>,
}

impl Separators {
    /// Finds the part of every node.
    pub(crate) fn separate(&mut self, piece: &Piece) {
        let cuts = self.level_sets.cuts(piece);
        let [best, tried] = &mut self.sides;
        for (trial, cut) in cuts[..TRIALS].iter().enumerate() {
            let sides = if trial == 0 { &mut *best } else { &mut *tried };
            sides.of.clear();
            sides.of.extend(
                (0..piece.len()).map(|node| u8::from(self.level_sets.level(cut.of, node) >= cut.below)),
            );
            sides.count(piece, &mut self.memory);
            sides.refine(piece, &mut self.memory);
            if trial > 0 && tried.badness() < best.badness() {
                std::mem::swap(best, tried);
            }
        }
        self.parts.clear();
        self.parts
            .extend(best.of.iter().map(|&side| if side == 0 { NodePart::First } else { NodePart::Second }));
        for node in least_cover(piece, best, &mut self.matching) {
            self.parts[node as usize] = NodePart::Separator;
        }
    }
}

/// The fewest nodes that touch every arc across the cut.
fn least_cover(piece: &Piece, sides: &Sides, matching: &mut Matching) -> Vec<u32> {
    let across = |node: u32| {
        let side = sides.of[node as usize];
        piece.neighbours(node).iter().copied().filter(move |&to| sides.of[to as usize] != side)
    };
    let left: Vec<u32> = (0..piece.len() as u32)
        .filter(|&node| sides.of[node as usize] == 0 && across(node).next().is_some())
        .collect();
    matching.clear(piece.len());
    for &node in &left {
        matching.round += 1;
        matching.augment(node, &across);
    }
    // What alternating paths from free nodes of the first side reach: König's construction.
    matching.round += 1;
    for &node in left.iter().filter(|&&node| matching.mate[node as usize] == NONE).collect::<Vec<_>>() {
        matching.reach(node, &across);
    }
    let is_reached = |node: u32| matching.seen[node as usize] == matching.round;
    let mut cover: Vec<u32> = left.iter().copied().filter(|&node| !is_reached(node)).collect();
    let mut right: Vec<u32> =
        left.iter().flat_map(|&node| across(node)).filter(|&node| is_reached(node)).collect();
    right.sort_unstable();
    right.dedup();
    cover.extend(right);
    cover
}

const NONE: u32 = u32::MAX;

/// A largest matching of the arcs across a cut, in the making.
#[derive(Debug, Default)]
struct Matching {
    mate: Vec<u32>,
    /// The round in which a node was met last.
    seen: Vec<u32>,
    round: u32,
}

impl Matching {
    fn clear(&mut self, nodes: usize) {
        self.mate.clear();
        self.mate.resize(nodes, NONE);
        self.seen.clear();
        self.seen.resize(nodes, 0);
        self.round = 0;
    }

    /// Finds an alternating path from a free node to another, without recursion: paths may be long.
    fn augment<I: Iterator<Item = u32>>(&mut self, root: u32, across: &impl Fn(u32) -> I) {
        let mut path = vec![(root, across(root), NONE)];
        while let Some((_, targets, through)) = path.last_mut() {
            let round = self.round;
            let Some(to) = targets.find(|&to| self.seen[to as usize] != round) else {
                path.pop();
                continue;
            };
            self.seen[to as usize] = round;
            *through = to;
            let next = self.mate[to as usize];
            if next == NONE {
                for (node, _, to) in &path {
                    self.mate[*node as usize] = *to;
                    self.mate[*to as usize] = *node;
                }
                return;
            }
            path.push((next, across(next), NONE));
        }
    }

    fn reach<I: Iterator<Item = u32>>(&mut self, root: u32, across: &impl Fn(u32) -> I) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            self.seen[node as usize] = self.round;
            for to in across(node) {
                if self.seen[to as usize] != self.round {
                    self.seen[to as usize] = self.round;
                    open.push(self.mate[to as usize]);
                }
            }
        }
    }
}
