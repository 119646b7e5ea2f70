//! Matches over any range of motion, and the smooth field between them.

pub mod census;
pub mod confirmation;
pub mod local_models;
pub mod match_nodes;
pub mod patch_match;
