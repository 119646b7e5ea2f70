//! Benches of speed: kernels, solvers and whole runs, and the memory that they take.

pub(crate) mod gpu;
pub(crate) mod kernels;
pub(crate) mod multigrid;
pub(crate) mod paths;
pub(crate) mod rates;
pub(crate) mod scaling;
mod scaling_model;
mod sequence_scaling;
pub(crate) mod sessions;
pub(crate) mod streams;
pub(crate) mod tracking;
pub(crate) mod volumes;
