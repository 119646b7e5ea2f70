//! Displacements from windows of two images.

pub mod least_eigenvalue;
pub mod local_solve;
pub mod sparse_lucas_kanade;
