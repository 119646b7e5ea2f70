//! Displacements from windows and patches of two images, and the smooth field between matches.

pub mod agreement;
pub mod best_candidate;
pub mod census;
pub mod confirmation;
pub mod least_eigenvalue;
pub mod local_models;
pub mod local_solve;
pub mod local_step;
pub mod match_confidence;
pub mod match_nodes;
pub mod patch_match;
pub mod preference;
pub mod sparse_lucas_kanade;
pub mod window_scores;
