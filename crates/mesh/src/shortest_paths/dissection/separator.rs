//! A small set of nodes whose removal cuts a graph into two parts of about the same size.
//!
//! *Paper*: Karypis & Kumar 1998: coarsen, cut the coarsest graph, refine on the way back; then the fewest nodes that touch every
//! arc across the cut (König's theorem: as many as a largest matching of these arcs).

use super::refinement::Sides;
use super::weighted_graph::WeightedGraph;

/// Which part a node belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    First,
    Second,
    Separator,
}

/// Nodes of the coarsest graph.
const COARSEST: usize = 90;
/// Seeds from which the first side of the coarsest graph grows; the best counts.
const TRIALS: u32 = 3;

/// The part of every node.
pub(super) fn separate(graph: &WeightedGraph) -> Vec<Part> {
    let sides = bisect(graph, 1);
    let mut parts: Vec<Part> =
        sides.of.iter().map(|&side| if side == 0 { Part::First } else { Part::Second }).collect();
    for node in least_cover(graph, &sides) {
        parts[node as usize] = Part::Separator;
    }
    parts
}

fn bisect(graph: &WeightedGraph, seed: u32) -> Sides {
    if graph.nodes() > COARSEST {
        let coarser = graph.coarser(seed);
        if coarser.graph.nodes() * 20 < graph.nodes() * 19 {
            let coarse = bisect(&coarser.graph, seed + 1);
            let of = coarser.coarse_of_fine.iter().map(|&node| coarse.of[node as usize]).collect();
            let mut sides = Sides { of, ..coarse };
            sides.refine(graph);
            return sides;
        }
    }
    let tried = (0..TRIALS).map(|trial| {
        let first = (u64::from(trial) * graph.nodes() as u64 / u64::from(TRIALS)) as u32;
        let mut sides = Sides::new(graph, grown(graph, first));
        sides.refine(graph);
        sides
    });
    tried.min_by_key(Sides::badness).expect("there should be trials")
}

/// One side grown breadth first until it holds half of the nodes; where a component ends, the next one follows.
fn grown(graph: &WeightedGraph, first: u32) -> Vec<u8> {
    let n = graph.nodes() as u32;
    let mut of = vec![1; n as usize];
    let mut queue = std::collections::VecDeque::new();
    let (mut weight, half) = (0, graph.total() / 2);
    for root in (first..n).chain(0..first) {
        if weight >= half {
            break;
        }
        queue.push_back(root);
        while let Some(node) = queue.pop_front() {
            if of[node as usize] == 0 || weight >= half {
                continue;
            }
            of[node as usize] = 0;
            weight += graph.node_weights[node as usize];
            queue.extend(graph.neighbours(node).map(|(to, _)| to).filter(|&to| of[to as usize] == 1));
        }
    }
    of
}

/// The fewest nodes that touch every arc across the cut.
fn least_cover(graph: &WeightedGraph, sides: &Sides) -> Vec<u32> {
    let across = |node: u32| {
        let side = sides.of[node as usize];
        graph.neighbours(node).map(|(to, _)| to).filter(move |&to| sides.of[to as usize] != side)
    };
    let left: Vec<u32> = (0..graph.nodes() as u32)
        .filter(|&node| sides.of[node as usize] == 0 && across(node).next().is_some())
        .collect();
    let mut matching = Matching { mate: vec![NONE; graph.nodes()], seen: vec![0; graph.nodes()], round: 0 };
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
struct Matching {
    mate: Vec<u32>,
    /// The round in which a node was met last.
    seen: Vec<u32>,
    round: u32,
}

impl Matching {
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
