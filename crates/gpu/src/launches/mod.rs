//! Launches of kernels: what a launch holds, reductions, and the CUDA C++ source that a launch is compiled from.

pub(crate) mod bindings;
pub(crate) mod counts;
#[cfg(feature = "gpu")]
pub(crate) mod cuda_check;
#[cfg(feature = "gpu")]
pub(crate) mod cuda_source;
#[cfg(feature = "gpu")]
pub(crate) mod declared;
pub(crate) mod launch;
#[cfg(feature = "gpu")]
pub(crate) mod part_text;
#[cfg(feature = "gpu")]
pub(crate) mod parts;
pub(crate) mod reduction;
#[cfg(feature = "gpu")]
pub(crate) mod translation;
pub mod wgsl;
