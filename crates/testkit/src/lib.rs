//! What tests of several crates share: one body for every device, and tolerances with their reasons.
//!
//! A dependency of tests alone; phantoms with known motion are `veloxel-phantoms`.

pub mod every_device;
pub mod parity;
pub mod tolerances;
