//! Images by the command: filters, pairs on two grids, planes in space, and NumPy's arrays.

mod arrays;
mod filter;
mod planes;
mod two_grids;
