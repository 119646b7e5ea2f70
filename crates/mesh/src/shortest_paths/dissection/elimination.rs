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
use crate::graph::Graph;
use veloxel_core::Stopped;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;
use veloxel_kernels::paths::supernode_sweep::{SupernodeEntry, Supernodes};

/// Nodes of a part that is not cut further.
const LEAF: usize = 48;

/// A graph whose order of elimination is known, and what that takes.
pub struct EliminationPlan<'a> {
    arcs: Arcs<'a>,
    pub(super) tree: SeparatorTree,
    /// The place of each node.
    pub(super) place_of: Vec<u32>,
    /// The factor, but for its lengths.
    layout: Supernodes,
    /// Lengths of all closures and of all couplings.
    closure_len: usize,
    coupling_len: usize,
}

/// Bytes that finding the order takes for a node, and for an arc: the pieces of two levels, and what cuts them.
const NODE_BYTES: u64 = 96;
const ARC_BYTES: u64 = 16;

impl<'a> EliminationPlan<'a> {
    /// Bytes that it takes to make the plan of a graph, about.
    pub fn bytes_to_make(graph: &Graph) -> u64 {
        NODE_BYTES * graph.nodes() as u64 + ARC_BYTES * graph.arcs() as u64
    }

    /// # Errors
    /// [`Stopped`].
    pub fn new(graph: &'a Graph, cpu: &Cpu) -> Result<Self, Stopped> {
        let arcs = Arcs::new(graph, cpu.control())?;
        let tree = SeparatorTree::new(&arcs, LEAF, cpu)?;
        let mut place_of = vec![0; graph.nodes()];
        for (place, &node) in tree.node_at.iter().enumerate() {
            place_of[node as usize] = place as u32;
        }
        let mut layout = Supernodes { nodes: graph.nodes(), ..Supernodes::default() };
        let (mut closure_len, mut coupling_len) = (0, 0);
        for (supernode, boundary) in tree.supernodes.iter().zip(boundaries(&arcs, &tree, &place_of)) {
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
        Ok(Self { arcs, tree, place_of, layout, closure_len, coupling_len })
    }

    /// Bytes of the factor, and of the largest fronts with their updates.
    pub fn bytes(&self) -> u64 {
        let couplings = if self.arcs.is_directed() { 2 } else { 1 };
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

    /// The factor, whose layout is taken out of the plan; the same bits for any number of threads.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(crate) fn eliminate(&mut self, cpu: &Cpu) -> Result<Supernodes, Stopped> {
        let is_directed = self.arcs.is_directed();
        let mut closure = vec![0.0; self.closure_len];
        let mut coupling = vec![0.0; self.coupling_len];
        let mut downwards = vec![0.0; if is_directed { self.coupling_len } else { 0 }];
        {
            let [closure, coupling, downwards] =
                [&mut closure, &mut coupling, &mut downwards].map(|lengths| Shared::new(&mut lengths[..]));
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
                cpu.split(level.len(), Cpu::HEAVY_ITEMS, |range| {
                    for &i in level[range].iter().take_while(|_| cpu.check().is_ok()) {
                        let entry = &self.layout.entries[i];
                        let boundary_of =
                            |i: usize| &self.layout.boundary[self.layout.entries[i].boundary.clone()];
                        let (own, count) = (0..entry.own(), entry.boundary.len());
                        Front::with(entry.places.clone(), boundary_of(i), |front| {
                            front.take_arcs(&self.arcs, &self.tree.node_at, &self.place_of);
                            for &child in &self.tree.supernodes[i].children {
                                let update = &below[update_at[child]..][..self.update_len(child)];
                                front.take_update(boundary_of(child), update);
                            }
                            front.eliminate();
                            let beyond = own.end..own.end + count;
                            let coupled = entry.coupling..entry.coupling + own.end * count;
                            let closed = entry.closure..entry.closure + own.end * own.end;
                            let updated = update_at[i]..update_at[i] + count * count;
                            // SAFETY: every supernode has its own parts of the factor and of the updates.
                            unsafe {
                                front.copy(&beyond, &beyond, slots.get_mut(updated));
                                front.copy_turned(&own, &own, closure.get_mut(closed));
                                front.copy(&own, &beyond, coupling.get_mut(coupled.clone()));
                                if is_directed {
                                    front.copy_turned(&beyond, &own, downwards.get_mut(coupled));
                                }
                            }
                        });
                    }
                });
                cpu.check()?;
            }
        }
        let downwards = is_directed.then_some(downwards);
        Ok(Supernodes { closure, coupling, downwards, ..std::mem::take(&mut self.layout) })
    }
}

/// The places above each supernode that its subtree has arcs to or from, ascending.
fn boundaries(arcs: &Arcs<'_>, tree: &SeparatorTree, place_of: &[u32]) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = Vec::with_capacity(tree.supernodes.len());
    for supernode in &tree.supernodes {
        let own = tree.node_at[supernode.places.clone()].iter().flat_map(|&node| arcs.beside(node));
        let below = supernode.children.iter().flat_map(|&child| all[child].iter().copied());
        let beside = own.map(|to| place_of[to as usize]).chain(below);
        let mut boundary: Vec<u32> = beside.filter(|&place| place as usize >= supernode.places.end).collect();
        boundary.sort_unstable();
        boundary.dedup();
        all.push(boundary);
    }
    all
}
