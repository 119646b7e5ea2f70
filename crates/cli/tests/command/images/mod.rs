//! Images by the command: filters, and pairs on two grids.

mod filter;
mod two_grids;
