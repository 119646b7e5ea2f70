//! Devices, buffers and every kernel: plain arrays in, plain arrays out, no formats and no printing.
//!
//! A kernel is a folder in [`kernels`]: `mod.rs` is the contract (shapes, units, border rule, validation), `cpu.rs` its
//! text for processors, which is also the specification of every other text.
//! Methods own [`Buffer`]s and pass them to kernels; only this crate looks inside.

mod arctangent;
mod buffer;
mod device;
mod error;
mod expansion;
mod exponential;
mod gather;
mod gpu;
mod group_sums;
mod host_memory;
pub mod kernels;
mod lanes;
mod later;
mod phases;
mod processor;
mod rows;
mod shape;
mod stamp;
mod taps;

pub use buffer::{Buffer, Field};
pub use device::{Device, DeviceInfo, Listing};
pub use error::ComputeError;
pub use later::{Later, Pending, fetch};
pub use processor::Cpu;
pub use shape::{Axes, Shape};
pub use stamp::Stamp;
pub use taps::Taps;
pub use veloxel_core::SystemMemory;
