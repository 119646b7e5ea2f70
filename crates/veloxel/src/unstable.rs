//! The crates below this one, whole: they may change in any version.
//!
//! Whoever writes kernels, composes flows on a device or weighs the arcs of a mesh finds here what pipelines are made of.

pub use veloxel_gpu as gpu;
pub use veloxel_kernels as kernels;
pub use veloxel_mesh as mesh;
pub use veloxel_motion as motion;
