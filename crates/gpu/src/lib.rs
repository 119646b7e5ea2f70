//! Devices, buffers and kernel launches: the layer that kernels are written on. This crate contains no kernel.
//!
//! A [`Device`] is the processor or a GPU. A [`Buffer`] lies in the memory of one device. A kernel matches on the
//! device's [`Kind`]: on a [`Cpu`] it works on the samples in host memory with the device's threads; on a [`Gpu`] it
//! issues a [`Launch`].
//! The feature `gpu` is on by default. Without it only the processor is available and every GPU is reported as absent;
//! the interface for kernels is the same.
#![cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "some is for GPUs alone"))]

mod backends;
mod buffer;
mod buffer_pool;
mod concurrent;
#[cfg(feature = "gpu")]
mod cuda_check;
#[cfg(feature = "gpu")]
mod cuda_device;
#[cfg(feature = "gpu")]
mod cuda_source;
mod device;
mod element;
mod error;
mod gpu;
mod host_memory;
mod launch;
mod listing;
mod memory;
#[cfg(feature = "gpu")]
pub mod nvrtc;
mod pending;
mod processor;
mod reduction;
pub mod rows;
mod timestamp;
mod transfers;
#[cfg(feature = "gpu")]
mod translation;
mod uniform;
#[cfg(feature = "gpu")]
mod wgpu_device;

pub use buffer::{AnyBuffer, Buffer, Field, require_field};
pub use buffer_pool::MemoryStats;
pub use concurrent::Concurrent;
#[cfg(feature = "gpu")]
pub use cuda_source::cuda_source;
pub use device::{Device, Kind};
pub use element::Element;
pub use error::ComputeError;
pub use gpu::{Gpu, Lane};
pub use host_memory::Content;
pub use launch::{Bind, Launch, ShaderSource, cover, inputs, line, outputs, tile};
pub use listing::{DeviceInfo, Listing};
pub use memory::GpuMemory;
pub use pending::{Later, Pending, fetch};
pub use processor::Cpu;
pub use reduction::{reduction_groups, sum_rows};
pub use timestamp::Timestamp;
pub use uniform::Uniform;
