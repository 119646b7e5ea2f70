//! Distances from some nodes to all, up and down a tree of separators whose elimination is done.
//!
//! *Paper*: P. Sao, R. Kannan, P. Gera, R. Vuduc, "A supernodal all-pairs shortest path algorithm", PPoPP 2020,
//! doi:10.1145/3332466.3374533; here every column is solved by two sweeps over the factor, as with a triangular factor, in place
//! of their updates of the whole matrix: fewer operations, and no matrix that must be kept.
//! *In*: [`Supernodes`]: places of nodes in the order of elimination; for each supernode the places of its boundary (nodes above
//! it that its subtree touches), lengths within it (its *closure*) and to its boundary (its *coupling*), both through its subtree.
//! *Out*: `down[place][column]`: the distance from the column's source to the node at a place, infinite where no path leads.
//! *Up*: `X = 0` at each source; from the leaves to the root, `X[boundary] = min(X[boundary], couplingᵀ ⊗ X[own])`, over the
//! columns whose sources are in the supernode's subtree. *Down*: from the root to the leaves,
//! `D[own] = min(closure ⊗ X[own], coupling ⊗ D[boundary])`.
//! *Cost*: own × boundary operations a supernode and column on the way down; on the way up only the path from the source.
//! *Halo*: none.

mod cpu;
mod supernodes;

pub use cpu::SweepScratch;
pub use supernodes::{SupernodeEntry, Supernodes};
