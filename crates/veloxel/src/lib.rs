//! What a Rust user of Veloxel depends on: measuring fields and labels, and reports of whole runs.

pub mod metrics;

mod error;

pub use error::VeloxelError;
