//! Surfaces and graphs.

pub mod distances;
pub mod mesh;
