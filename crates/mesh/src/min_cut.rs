//! The cheapest cut between two sides of a graph, by blocking flows along shortest paths.
//!
//! *Paper*: E. A. Dinic, "Algorithm for Solution of a Problem of Maximum Flow in Networks with Power Estimation", Soviet Math.
//! Doklady 11, 1970. Bands between parts are narrow, so that paths are short and phases few.

use std::collections::VecDeque;
use veloxel_core::{Control, Pace, Stopped};

/// Arcs that a search looks at between two questions whether to go on: some milliseconds.
const ARCS_AT_ONCE: usize = 1 << 18;

/// A graph with a first and a second side that some nodes are tied to.
pub(crate) struct MinCut {
    /// The arcs that leave each node; the last two nodes are the sides.
    leaving: Vec<Vec<u32>>,
    /// Arcs in pairs, there and back.
    ends: Vec<u32>,
    capacities: Vec<f64>,
    nodes: usize,
}

impl MinCut {
    pub fn new(nodes: usize) -> Self {
        Self { leaving: vec![Vec::new(); nodes + 2], ends: Vec::new(), capacities: Vec::new(), nodes }
    }

    /// Joins two nodes by an arc; cutting them apart costs this much.
    pub fn join(&mut self, a: usize, b: usize, cost: f64) {
        self.arc(a, b, [cost, cost]);
    }

    pub(crate) fn tie_to_first(&mut self, node: usize, cost: f64) {
        self.arc(self.nodes, node, [cost, 0.0]);
    }

    pub(crate) fn tie_to_second(&mut self, node: usize, cost: f64) {
        self.arc(node, self.nodes + 1, [cost, 0.0]);
    }

    fn arc(&mut self, from: usize, to: usize, capacities: [f64; 2]) {
        for (from, to) in [(from, to), (to, from)] {
            self.leaving[from].push(self.ends.len() as u32);
            self.ends.push(to as u32);
        }
        self.capacities.extend(capacities);
    }

    /// For each node whether it lies on the first side; nodes that no tie reaches do not.
    pub fn sides(mut self, control: &Control) -> Result<Vec<bool>, Stopped> {
        let mut pace = control.once_in(ARCS_AT_ONCE);
        let (source, sink) = (self.nodes, self.nodes + 1);
        loop {
            let level = self.levels(source);
            if level[sink] == u32::MAX {
                return Ok(level[..self.nodes].iter().map(|&level| level != u32::MAX).collect());
            }
            self.block([source, sink], &level, &mut pace)?;
        }
    }

    /// How many arcs with room lead from the source to each node.
    fn levels(&self, source: usize) -> Vec<u32> {
        let mut level = vec![u32::MAX; self.leaving.len()];
        level[source] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            for &arc in &self.leaving[node] {
                let to = self.ends[arc as usize] as usize;
                if self.capacities[arc as usize] > 0.0 && level[to] == u32::MAX {
                    level[to] = level[node] + 1;
                    queue.push_back(to);
                }
            }
        }
        level
    }

    /// Fills shortest paths until none has room.
    fn block(
        &mut self,
        [source, sink]: [usize; 2],
        level: &[u32],
        pace: &mut Pace<'_>,
    ) -> Result<(), Stopped> {
        let mut next = vec![0; self.leaving.len()];
        let mut path: Vec<u32> = Vec::new();
        let mut node = source;
        loop {
            pace.step()?;
            if node == sink {
                let room =
                    path.iter().map(|&arc| self.capacities[arc as usize]).fold(f64::INFINITY, f64::min);
                for &arc in &path {
                    // The narrowest arc is left with exactly nothing.
                    self.capacities[arc as usize] -= room;
                    self.capacities[arc as usize ^ 1] += room;
                }
                let full = path.iter().position(|&arc| self.capacities[arc as usize] <= 0.0).unwrap_or(0);
                node = self.ends[path[full] as usize ^ 1] as usize;
                path.truncate(full);
                continue;
            }
            match self.leaving[node].get(next[node]) {
                Some(&arc) => {
                    let to = self.ends[arc as usize] as usize;
                    if self.capacities[arc as usize] > 0.0 && level[to] == level[node] + 1 {
                        path.push(arc);
                        node = to;
                    } else {
                        next[node] += 1;
                    }
                }
                None => {
                    let Some(arc) = path.pop() else { return Ok(()) };
                    node = self.ends[arc as usize ^ 1] as usize;
                    next[node] += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_of_all_cuts() {
        // A ladder of 2 × 5 nodes with costs from a hash: every split is tried.
        let cost = |n: usize| ((n.wrapping_mul(2_654_435_761) >> 7) % 97) as f64 + 1.0;
        for seed in 0..20 {
            let mut arcs = Vec::new();
            for column in 0..5 {
                arcs.push((2 * column, 2 * column + 1, cost(100 * seed + arcs.len())));
                if column > 0 {
                    arcs.push((2 * column - 2, 2 * column, cost(100 * seed + arcs.len())));
                    arcs.push((2 * column - 1, 2 * column + 1, cost(100 * seed + arcs.len())));
                }
            }
            let mut cut = MinCut::new(10);
            arcs.iter().for_each(|&(a, b, cost)| cut.join(a, b, cost));
            [0, 1].iter().for_each(|&node| cut.tie_to_first(node, 1e6));
            [8, 9].iter().for_each(|&node| cut.tie_to_second(node, 1e6));
            let value = |is_first: &dyn Fn(usize) -> bool| -> f64 {
                arcs.iter().filter(|(a, b, _)| is_first(*a) != is_first(*b)).map(|arc| arc.2).sum()
            };
            let sides = cut.sides(&Control::default()).unwrap();
            assert!(sides[0] && sides[1] && !sides[8] && !sides[9]);
            let least = (0..64).map(|inner| value(&|n| n < 2 || (n < 8 && inner >> (n - 2) & 1 == 1)));
            assert_eq!(value(&|n| sides[n]), least.fold(f64::INFINITY, f64::min));
        }
    }
}
