//! What tests of several crates share: one body for every device, and tolerances with their reasons.
//!
//! Only tests depend on this crate; phantoms with known motion are in `veloxel-phantoms`.

pub mod every_device;
pub mod parity;
pub mod tolerances;
