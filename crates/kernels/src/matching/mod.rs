//! Displacements from windows of two images.

pub mod best_candidate;
pub mod least_eigenvalue;
pub mod local_solve;
pub mod match_confidence;
pub mod sparse_lucas_kanade;
pub mod window_scores;
