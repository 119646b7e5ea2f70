//! A graph on the way to coarser ones: nodes that stand for several, arcs that stand for several; and its coarsening.
//!
//! *Paper*: G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM J. Sci.
//! Comput. 20(1), 1998, doi:10.1137/S1064827595287997, section 3.1 (heavy-edge matching).

/// Counts instead of lengths: how many nodes and arcs of the finest graph each stands for.
#[derive(Debug, Clone)]
pub(super) struct WeightedGraph {
    /// Where each node's arcs begin; one more than there are nodes.
    pub offsets: Vec<u32>,
    /// Where arcs end.
    pub targets: Vec<u32>,
    /// Arcs that an arc stands for.
    pub arc_weights: Vec<u32>,
    /// Nodes that a node stands for.
    pub node_weights: Vec<u32>,
}

/// A coarser graph, and the node of it that each finer node belongs to.
pub(super) struct Coarser {
    pub graph: WeightedGraph,
    pub coarse_of_fine: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl WeightedGraph {
    pub fn nodes(&self) -> usize {
        self.node_weights.len()
    }
    pub fn neighbours(&self, node: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let row = self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize;
        self.targets[row.clone()].iter().copied().zip(self.arc_weights[row].iter().copied())
    }
    pub fn total(&self) -> u32 {
        self.node_weights.iter().sum()
    }

    /// Joins each node with the neighbour that most arcs lead to, among those that are free; of equals the lightest.
    pub fn coarser(&self, seed: u32) -> Coarser {
        let n = self.nodes();
        let mut mate = vec![NONE; n];
        let mut coarse_of_fine = vec![NONE; n];
        for node in shuffled(n, seed) {
            if mate[node as usize] != NONE {
                continue;
            }
            let free = self.neighbours(node).filter(|(to, _)| mate[*to as usize] == NONE);
            let lightness = |to: u32| u32::MAX - self.node_weights[to as usize];
            let best = free.max_by_key(|&(to, weight)| (weight, lightness(to))).map_or(node, |(to, _)| to);
            mate[node as usize] = best;
            mate[best as usize] = node;
        }
        // Numbered as the finer nodes are, so that neighbours stay close in memory.
        let mut pairs = Vec::with_capacity(n);
        for (node, &mate) in mate.iter().enumerate() {
            let node = node as u32;
            if node <= mate {
                coarse_of_fine[node as usize] = pairs.len() as u32;
                coarse_of_fine[mate as usize] = pairs.len() as u32;
                pairs.push([node, mate]);
            }
        }
        Coarser { graph: self.joined(&pairs, &coarse_of_fine), coarse_of_fine }
    }

    /// The graph of pairs; a node may be paired with itself.
    fn joined(&self, pairs: &[[u32; 2]], coarse_of_fine: &[u32]) -> Self {
        let mut joined = Self {
            offsets: Vec::with_capacity(pairs.len() + 1),
            targets: Vec::with_capacity(self.targets.len()),
            arc_weights: Vec::with_capacity(self.targets.len()),
            node_weights: Vec::with_capacity(pairs.len()),
        };
        joined.offsets.push(0);
        let mut place = vec![NONE; pairs.len()];
        for (coarse, &[first, second]) in pairs.iter().enumerate() {
            let begin = joined.targets.len();
            let members = if first == second { &[first][..] } else { &[first, second] };
            for (to, weight) in members.iter().flat_map(|&node| self.neighbours(node)) {
                let to = coarse_of_fine[to as usize];
                if to == coarse as u32 {
                    continue;
                }
                match joined.arc_weights.get_mut(place[to as usize] as usize) {
                    Some(sum) if place[to as usize] as usize >= begin => *sum += weight,
                    _ => {
                        place[to as usize] = joined.targets.len() as u32;
                        joined.targets.push(to);
                        joined.arc_weights.push(weight);
                    }
                }
            }
            joined.node_weights.push(members.iter().map(|&node| self.node_weights[node as usize]).sum());
            joined.offsets.push(joined.targets.len() as u32);
        }
        joined
    }
}

/// `0..count` in an order that looks random and depends on the seed alone.
pub(super) fn shuffled(count: usize, seed: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    let mut state = u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for last in (1..count).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        order.swap(last, (((state >> 32) * (last as u64 + 1)) >> 32) as usize);
    }
    order
}
