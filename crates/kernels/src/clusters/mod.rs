//! Clusters around medoids: how probably a node belongs to each, what a medoid would cost, and what it would cost at least.
//!
//! Distances are rows: one for each medoid or candidate, a number for each node; infinity stands where no path leads. Sums run in
//! the order of a workgroup of 256 threads, so that every device finds the same bits.

pub mod medoid_bounds;
pub mod memberships;
pub mod row_costs;
