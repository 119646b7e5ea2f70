//! What a Rust user of Veloxel depends on: pipelines from files to reports, measuring fields and labels, and the reports.

pub mod bench;
pub mod metrics;
pub mod pipelines;
pub mod report;

mod error;

pub use error::VeloxelError;
