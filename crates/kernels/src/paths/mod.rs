//! Shortest paths: matrix products in which minima take the place of sums, and sums that of products; and kernels made of them.
//!
//! No length is negative or NaN; infinity stands where no path leads. A minimum does not depend on the order of its terms, and
//! every kernel adds the same pairs of lengths on every device, so all compute the same bits.

pub mod column_rows;
pub mod column_sums;
pub mod floyd_warshall;
pub mod min_plus;
pub mod supernode_sweep;
mod tile;
