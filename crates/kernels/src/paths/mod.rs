//! Shortest paths: products in which sums are least values and products are sums, and what is made of them.
//!
//! No length is negative or NaN; infinity stands where no path leads. A least value depends on no order, and every kernel adds
//! the same pairs of lengths on every device: the same bits everywhere.

pub mod column_rows;
pub mod column_sums;
pub mod floyd_warshall;
pub mod min_plus;
pub mod supernode_sweep;
mod tile;
