//! Kernels of stereo by semi-global matching (Hirschmüller 2008): the costs of a band of disparities around an estimate, summed
//! along paths of the picture; the least of them; what both views agree on; what is filled in.
//!
//! Costs are whole numbers, so sums are the same on every device in any order.

pub mod confirmed_disparity;
pub mod disparity_band;
pub mod least_cost;
pub mod path_costs;
pub mod row_filling;
