//! Min-plus elimination over the tree of separators: lengths of shortest paths within each subtree, from the leaves to the root.
//!
//! *Paper*: P. Sao, R. Kannan, P. Gera, R. Vuduc, "A supernodal all-pairs shortest path algorithm", PPoPP 2020,
//! doi:10.1145/3332466.3374533, section 3; in fronts, as J. W. H. Liu, "The multifrontal method for sparse matrix solution",
//! SIAM Review 34(1), 1992, doi:10.1137/1034004.
//! *Memory*: the factor is laid out before the first supernode is eliminated, and written in place; a level's updates lie beside
//! those of the level below until they are taken; fronts are the threads' own.

use super::arcs::Arcs;
use super::front::Front;
use super::separator_tree::SeparatorTree;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;
use veloxel_kernels::paths::supernode_sweep::{SupernodeEntry, Supernodes};

/// What will be eliminated, and what it takes.
pub(super) struct Plan {
    tree: SeparatorTree,
    /// The factor, but for its lengths.
    layout: Supernodes,
    /// Lengths of all closures and of all couplings.
    closure_len: usize,
    coupling_len: usize,
}

impl Plan {
    pub fn new(arcs: &Arcs<'_>, tree: SeparatorTree, place_of: &[u32]) -> Self {
        let mut layout = Supernodes { nodes: tree.node_at.len(), ..Supernodes::default() };
        let (mut closure_len, mut coupling_len) = (0, 0);
        for (supernode, boundary) in tree.supernodes.iter().zip(boundaries(arcs, &tree, place_of)) {
            let (own, begin) = (supernode.places.len(), layout.boundary.len());
            layout.boundary.extend(boundary);
            let boundary = begin..layout.boundary.len();
            let coupled = own * boundary.len();
            layout.entries.push(SupernodeEntry {
                places: supernode.places.clone(),
                first: supernode.first,
                depth: supernode.depth,
                boundary,
                closure: closure_len,
                coupling: coupling_len,
            });
            closure_len += own * own;
            coupling_len += coupled;
        }
        Self { tree, layout, closure_len, coupling_len }
    }

    /// Bytes of the factor, and of the largest fronts with their updates.
    pub fn bytes(&self, arcs: &Arcs<'_>) -> u64 {
        let couplings = if arcs.is_directed() { 2 } else { 1 };
        let factor = (self.closure_len + couplings * self.coupling_len) as u64;
        let updates = |level: Vec<usize>| level.into_iter().map(|i| self.update_len(i) as u64).sum::<u64>();
        let updates = self.layout.levels().into_iter().map(updates).max().unwrap_or(0);
        let side = |entry: &SupernodeEntry| (entry.own() + entry.boundary.len()) as u64;
        let largest = self.layout.entries.iter().map(side).max().unwrap_or(0);
        4 * (factor + 2 * updates + largest * largest)
    }

    /// Additions of the elimination, and of the sweeps for all sources.
    pub fn operations(&self) -> f64 {
        let of = |entry: &SupernodeEntry| {
            let (own, side) = (entry.own() as f64, (entry.own() + entry.boundary.len()) as f64);
            own * side * (side + self.layout.nodes as f64)
        };
        self.layout.entries.iter().map(of).sum()
    }

    fn update_len(&self, i: usize) -> usize {
        self.layout.entries[i].boundary.len().pow(2)
    }

    /// The factor, and the node at each place; the same bits for any number of threads.
    pub fn eliminate(mut self, arcs: &Arcs<'_>, place_of: &[u32], cpu: &Cpu) -> (Supernodes, Vec<u32>) {
        let mut closure = vec![0.0; self.closure_len];
        let mut coupling = vec![0.0; self.coupling_len];
        let mut downwards = vec![0.0; if arcs.is_directed() { self.coupling_len } else { 0 }];
        {
            let [closure, coupling, downwards] =
                [&mut closure, &mut coupling, &mut downwards].map(|lengths| Shared::new(&mut lengths[..]));
            let children = self.tree.children();
            let mut update_at = vec![0; self.layout.entries.len()];
            let (mut updates, mut below) = (Vec::new(), Vec::new());
            for level in self.layout.levels().iter().rev() {
                let mut len = 0;
                for &i in level {
                    update_at[i] = len;
                    len += self.update_len(i);
                }
                std::mem::swap(&mut updates, &mut below);
                // Every update is written whole: what is there already need not be cleared.
                updates.resize(len.max(updates.len()), 0.0);
                let slots = Shared::new(&mut updates);
                cpu.split(level.len(), usize::MAX / 2, |range| {
                    for &i in &level[range] {
                        let entry = &self.layout.entries[i];
                        let (own, count) = (entry.own(), entry.boundary.len());
                        let boundary = &self.layout.boundary[entry.boundary.clone()];
                        Front::with(entry.places.clone(), boundary, |front| {
                            front.take_arcs(arcs, &self.tree.node_at, place_of);
                            for &child in &children[i] {
                                let boundary =
                                    &self.layout.boundary[self.layout.entries[child].boundary.clone()];
                                front.take_update(
                                    boundary,
                                    &below[update_at[child]..][..boundary.len().pow(2)],
                                );
                            }
                            front.eliminate();
                            // SAFETY: every supernode has its own parts of the factor and of the updates.
                            unsafe {
                                front.copy_update(slots.get_mut(update_at[i]..update_at[i] + count * count));
                                front.copy_closure(closure.get_mut(entry.closure..entry.closure + own * own));
                                let coupled = entry.coupling..entry.coupling + own * count;
                                front.copy_coupling(coupling.get_mut(coupled.clone()));
                                if arcs.is_directed() {
                                    front.copy_downwards(downwards.get_mut(coupled));
                                }
                            }
                        });
                    }
                });
            }
        }
        self.layout.closure = closure;
        self.layout.coupling = coupling;
        self.layout.downwards = arcs.is_directed().then_some(downwards);
        (self.layout, self.tree.node_at)
    }
}

/// The places above each supernode that its subtree has arcs to or from, ascending.
fn boundaries(arcs: &Arcs<'_>, tree: &SeparatorTree, place_of: &[u32]) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new(); tree.supernodes.len()];
    for (i, supernode) in tree.supernodes.iter().enumerate() {
        let end = supernode.places.end as u32;
        let mut boundary = std::mem::take(&mut all[i]);
        for &node in &tree.node_at[supernode.places.clone()] {
            boundary.extend(arcs.beside(node).map(|to| place_of[to as usize]).filter(|&place| place >= end));
        }
        boundary.retain(|&place| place >= end);
        boundary.sort_unstable();
        boundary.dedup();
        if let Some(parent) = supernode.parent {
            all[parent].extend(&boundary);
        }
        all[i] = boundary;
    }
    all
}
