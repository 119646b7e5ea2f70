//! Min-plus elimination over the tree of separators: lengths of shortest paths within each subtree, from the leaves to the root.
//!
//! *Paper*: P. Sao, R. Kannan, P. Gera, R. Vuduc, "A supernodal all-pairs shortest path algorithm", PPoPP 2020,
//! doi:10.1145/3332466.3374533, section 3; in fronts, as J. W. H. Liu, "The multifrontal method for sparse matrix solution",
//! SIAM Review 34(1), 1992, doi:10.1137/1034004.
//! *Notation*: a front holds the supernode's own nodes (s of them) before its boundary (r of them), and lengths between all.

use super::separator_tree::SeparatorTree;
use crate::Graph;
use std::sync::Mutex;
use veloxel_gpu::Cpu;
use veloxel_kernels::paths::min_plus::{Product, ProductSize, Rows, accumulate_product};
use veloxel_kernels::paths::supernode_sweep::{SupernodeEntry, Supernodes};

/// Own nodes that are eliminated together.
const PIVOTS: usize = 16;
/// Columns of a front come in whole lanes.
const LANES: usize = 16;

/// What a supernode leaves: its closure and coupling for good, its update until the parent has taken it.
#[derive(Debug, Default)]
struct Eliminated {
    closure: Vec<f32>,
    coupling: Vec<f32>,
    update: Vec<f32>,
}

/// What will be eliminated, and what it takes.
pub(super) struct Plan {
    tree: SeparatorTree,
    boundaries: Vec<Vec<u32>>,
}

impl Plan {
    pub fn new(graph: &Graph, tree: SeparatorTree, place_of: &[u32]) -> Self {
        let boundaries = boundaries(graph, &tree, place_of);
        Self { tree, boundaries }
    }

    /// Bytes of the factor, twice while it is joined, and of the largest front with its updates.
    pub fn bytes(&self) -> u64 {
        let sizes = self.tree.supernodes.iter().zip(&self.boundaries);
        let sizes = sizes.map(|(own, boundary)| [own.places.len() as u64, boundary.len() as u64]);
        let factor: u64 = sizes.clone().map(|[own, boundary]| own * (own + boundary)).sum();
        let largest = sizes.map(|[own, boundary]| (own + boundary).pow(2)).max().unwrap_or(0);
        4 * (2 * factor + 3 * largest)
    }

    /// The factor, and the node at each place.
    pub fn eliminate(self, graph: &Graph, place_of: &[u32], cpu: &Cpu) -> (Supernodes, Vec<u32>) {
        let supernodes = eliminate(graph, &self.tree, (place_of, self.boundaries), cpu);
        (supernodes, self.tree.node_at)
    }
}

/// Eliminates a graph; the same bits for any number of threads.
fn eliminate(
    graph: &Graph,
    tree: &SeparatorTree,
    (place_of, boundaries): (&[u32], Vec<Vec<u32>>),
    cpu: &Cpu,
) -> Supernodes {
    let mut children = vec![Vec::new(); tree.supernodes.len()];
    for (i, supernode) in tree.supernodes.iter().enumerate() {
        if let Some(parent) = supernode.parent {
            children[parent].push(i);
        }
    }
    let done: Vec<Mutex<Eliminated>> = tree.supernodes.iter().map(|_| Mutex::default()).collect();
    for level in tree.levels().iter().rev() {
        cpu.split(level.len(), usize::MAX / 2, |range| {
            for &i in &level[range] {
                let mut front = Front::new(i, tree, &boundaries);
                front.take_arcs(graph, &tree.node_at, place_of);
                for &child in &children[i] {
                    let update = std::mem::take(&mut lock(&done[child]).update);
                    front.take_update(&boundaries[child], &update);
                }
                front.eliminate();
                *lock(&done[i]) = front.parts();
            }
        });
    }
    joined(tree, boundaries, done)
}

fn lock(slot: &Mutex<Eliminated>) -> std::sync::MutexGuard<'_, Eliminated> {
    slot.lock().expect("no thread should have failed")
}

fn joined(tree: &SeparatorTree, boundaries: Vec<Vec<u32>>, done: Vec<Mutex<Eliminated>>) -> Supernodes {
    let mut all = Supernodes { nodes: tree.node_at.len(), ..Supernodes::default() };
    for ((supernode, boundary), done) in tree.supernodes.iter().zip(boundaries).zip(done) {
        let done = done.into_inner().expect("no thread should have failed");
        let begin = all.boundary.len();
        all.boundary.extend(boundary);
        all.entries.push(SupernodeEntry {
            places: supernode.places.clone(),
            first: supernode.first,
            depth: supernode.depth,
            boundary: begin..all.boundary.len(),
            closure: all.closure.len(),
            coupling: all.coupling.len(),
        });
        all.closure.extend(done.closure);
        all.coupling.extend(done.coupling);
    }
    all
}

/// The places above each supernode that its subtree has arcs to, ascending.
fn boundaries(graph: &Graph, tree: &SeparatorTree, place_of: &[u32]) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new(); tree.supernodes.len()];
    for (i, supernode) in tree.supernodes.iter().enumerate() {
        let end = supernode.places.end as u32;
        let mut boundary = std::mem::take(&mut all[i]);
        for &node in &tree.node_at[supernode.places.clone()] {
            boundary.extend(graph.neighbours(node).map(|(to, _)| place_of[to as usize]));
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

/// Lengths between a supernode's own nodes and its boundary.
struct Front<'a> {
    /// The first own place.
    begin: usize,
    own: usize,
    boundary: &'a [u32],
    /// Samples from one row to the next.
    stride: usize,
    lengths: Vec<f32>,
}

impl<'a> Front<'a> {
    fn new(i: usize, tree: &SeparatorTree, boundaries: &'a [Vec<u32>]) -> Self {
        let places = &tree.supernodes[i].places;
        let (own, boundary) = (places.len(), &boundaries[i][..]);
        let side = own + boundary.len();
        let stride = side.next_multiple_of(LANES);
        let mut lengths = vec![f32::INFINITY; side * stride];
        for k in 0..side {
            lengths[k * stride + k] = 0.0;
        }
        Self { begin: places.start, own, boundary, stride, lengths }
    }

    fn side(&self) -> usize {
        self.own + self.boundary.len()
    }

    /// The row of a place.
    fn row(&self, place: u32) -> usize {
        match (place as usize).checked_sub(self.begin).filter(|&row| row < self.own) {
            Some(row) => row,
            None => {
                self.own
                    + self.boundary.binary_search(&place).expect("the boundary should hold every neighbour")
            }
        }
    }

    fn shorten(&mut self, row: usize, column: usize, length: f32) {
        let slot = &mut self.lengths[row * self.stride + column];
        *slot = slot.min(length);
    }

    /// Arcs of own nodes to each other and to the boundary; those to places below are in the children's updates.
    fn take_arcs(&mut self, graph: &Graph, node_at: &[u32], place_of: &[u32]) {
        for row in 0..self.own {
            for (to, length) in graph.neighbours(node_at[self.begin + row]) {
                let place = place_of[to as usize];
                if place as usize >= self.begin {
                    let column = self.row(place);
                    self.shorten(row, column, length);
                    self.shorten(column, row, length);
                }
            }
        }
    }

    /// Lengths between a child's boundary, all of which is in this front.
    fn take_update(&mut self, boundary: &[u32], update: &[f32]) {
        let rows: Vec<usize> = boundary.iter().map(|&place| self.row(place)).collect();
        for (&row, lengths) in rows.iter().zip(update.chunks_exact(rows.len().max(1))) {
            for (&column, &length) in rows.iter().zip(lengths) {
                self.shorten(row, column, length);
            }
        }
    }

    /// Floyd–Warshall over the own nodes, by blocks of pivots.
    fn eliminate(&mut self) {
        let (side, stride) = (self.side(), self.stride);
        for begin in (0..self.own).step_by(PIVOTS) {
            let count = PIVOTS.min(self.own - begin);
            let rows = begin * stride..(begin + count) * stride;
            self.close(begin, count);
            let square: Vec<f32> = (0..count)
                .flat_map(|k| self.lengths[(begin + k) * stride + begin..][..count].to_vec())
                .collect();
            let old = self.lengths[rows.clone()].to_vec();
            let size = ProductSize { rows: count, depth: count, columns: stride };
            let square = Rows { samples: &square, stride: count };
            let product = Product { size, a: square, b: Rows { samples: &old, stride } };
            accumulate_product(product, &mut self.lengths[rows.clone()], stride);
            // Lengths are the same both ways: the panel's columns are its rows.
            let panel = self.lengths[rows].to_vec();
            let mut columns = vec![0.0; side * count];
            for (row, columns) in columns.chunks_exact_mut(count).enumerate() {
                columns.iter_mut().enumerate().for_each(|(k, slot)| *slot = panel[k * stride + row]);
            }
            for range in [0..begin, begin + count..side] {
                let size = ProductSize { rows: range.len(), depth: count, columns: stride };
                let a = Rows { samples: &columns[range.start * count..], stride: count };
                let c = &mut self.lengths[range.start * stride..range.end * stride];
                let product = Product { size, a, b: Rows { samples: &panel, stride } };
                accumulate_product(product, c, stride);
            }
        }
    }

    /// Shortest lengths between some own nodes, through each other.
    fn close(&mut self, begin: usize, count: usize) {
        for k in begin..begin + count {
            for i in begin..begin + count {
                let first = self.lengths[i * self.stride + k];
                for j in begin..begin + count {
                    let length = first + self.lengths[k * self.stride + j];
                    self.shorten(i, j, length);
                }
            }
        }
    }

    fn parts(self) -> Eliminated {
        let side = self.side();
        let block = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| -> Vec<f32> {
            let row = |row: usize| &self.lengths[row * self.stride..][columns.clone()];
            rows.flat_map(|i| row(i).iter().copied()).collect()
        };
        Eliminated {
            closure: block(0..self.own, 0..self.own),
            coupling: block(0..self.own, self.own..side),
            update: block(self.own..side, self.own..side),
        }
    }
}
