//! Images by the command: filters, pairs on two grids, and planes in space.

mod filter;
mod planes;
mod two_grids;
