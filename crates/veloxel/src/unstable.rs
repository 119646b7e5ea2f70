//! The crates below this one, whole: they may change in any version.
//!
//! Programs that have kernels of their own, compose flows on a device or weigh the arcs of a mesh find here what pipelines are
//! made of.

pub use veloxel_core::{ThreadPool, Threads};
pub use veloxel_gpu as gpu;
pub use veloxel_kernels as kernels;
pub use veloxel_mesh as mesh;
pub use veloxel_motion as motion;
