//! Nested dissection: separators of separators' parts, down to small leaves, as a tree, and the order of nodes that it gives.
//!
//! *Paper*: A. George, "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10(2), 1973,
//! doi:10.1137/0710032.

use super::arcs::Arcs;
use super::piece::{NodePart, Piece};
use super::separator::Separators;
use std::ops::Range;
use std::sync::Mutex;
use veloxel_core::Stopped;
use veloxel_gpu::Cpu;

/// A separator or a leaf, eliminated as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Supernode {
    /// Its places in the order; may be none.
    pub places: Range<usize>,
    /// The first place of everything below it, which ends where its own places begin.
    pub first: usize,
    /// The supernodes right below.
    pub children: Vec<usize>,
    /// Separators above.
    pub depth: usize,
}

/// Work of a piece beside copying a number, for the split over threads: each is a part of its own.
const COST: usize = 1 << 20;

/// The tree, children before their parents.
#[derive(Debug)]
pub(super) struct SeparatorTree {
    /// The node at each place of the order.
    pub node_at: Vec<u32>,
    pub supernodes: Vec<Supernode>,
}

/// A supernode whose places are not known yet.
#[derive(Default)]
struct Branch {
    own: Vec<u32>,
    children: Vec<usize>,
}

/// What a piece falls into.
#[derive(Default)]
struct Cut {
    own: Vec<u32>,
    rest: Vec<Piece>,
}

impl SeparatorTree {
    /// Cuts until a part has at most `leaf` nodes. The same tree for any number of threads.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn new(arcs: &Arcs<'_>, leaf: usize, cpu: &Cpu) -> Result<Self, Stopped> {
        let whole = Piece::whole(arcs);
        let mut branches = vec![Branch::default()];
        let mut level = vec![(0, whole)];
        let memory: Mutex<Vec<Separators>> = Mutex::default();
        while !level.is_empty() {
            let mut cuts: Vec<Cut> = level.iter().map(|_| Cut::default()).collect();
            cpu.split_samples(&mut cuts, COST, |range, cuts| {
                let kept = memory.lock().expect("no thread should have failed").pop();
                let mut separators = kept.unwrap_or_default();
                for ((_, piece), slot) in level[range].iter().zip(cuts) {
                    *slot = cut(piece, leaf, &mut separators);
                }
                memory.lock().expect("no thread should have failed").push(separators);
            });
            cpu.check()?;
            let mut next = Vec::new();
            for ((branch, _), cut) in level.iter().zip(cuts) {
                branches[*branch].own = cut.own;
                for piece in cut.rest {
                    let child = branches.len();
                    branches[*branch].children.push(child);
                    next.push((child, piece));
                    branches.push(Branch::default());
                }
            }
            level = next;
        }
        Ok(Self::numbered(&branches, arcs.nodes()))
    }

    /// Children before parents, without recursion.
    fn numbered(branches: &[Branch], nodes: usize) -> Self {
        let mut tree =
            Self { node_at: Vec::with_capacity(nodes), supernodes: Vec::with_capacity(branches.len()) };
        let mut number = vec![0; branches.len()];
        // A branch, its depth, the first place below it, and how many of its children are done.
        let mut open = vec![(0usize, 0usize, 0usize, 0usize)];
        while let Some((branch, depth, first, done)) = open.last_mut() {
            let Branch { own, children } = &branches[*branch];
            if let Some(&child) = children.get(*done) {
                *done += 1;
                let next = (child, *depth + 1, tree.node_at.len(), 0);
                open.push(next);
                continue;
            }
            let begin = tree.node_at.len();
            tree.node_at.extend(own);
            number[*branch] = tree.supernodes.len();
            let places = begin..tree.node_at.len();
            let children = children.iter().map(|&child| number[child]).collect();
            tree.supernodes.push(Supernode { places, first: *first, children, depth: *depth });
            open.pop();
        }
        tree
    }
}

fn cut(piece: &Piece, leaf: usize, separators: &mut Separators) -> Cut {
    if piece.len() > leaf {
        separators.separate(piece);
        let parts = &separators.parts;
        let halves = piece.halves(parts, &mut separators.number);
        // As in a clique, where one is empty: nothing is gained by a cut.
        if halves.iter().all(|half| half.len() > 0) {
            let own = piece.nodes.iter().zip(parts).filter(|(_, part)| **part == NodePart::Separator);
            return Cut { own: own.map(|(&node, _)| node).collect(), rest: halves.into() };
        }
    }
    Cut { own: piece.nodes.clone(), rest: Vec::new() }
}
