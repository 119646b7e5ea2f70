//! What a Rust user of Veloxel depends on: measuring fields and labels, and reports of whole runs.

pub mod metrics;
pub mod report;

mod error;

pub use error::VeloxelError;
