//! Devices, buffers and kernel launches: the layer that kernels are written on. This crate contains no kernel.
//!
//! A [`Device`] is the processor or a GPU. A [`Buffer`] lies in the memory of one device. A kernel matches on the
//! device's [`DeviceKind`]: on a [`Cpu`] it works on the samples in host memory with the device's threads; on a [`Gpu`] it
//! issues a [`Launch`].
//! The feature `gpu` is on by default. Without it only the processor is available and every GPU is reported as absent;
//! the interface for kernels is the same.
//!
//! # What is stable
//!
//! The library `veloxel` gives on [`Device`], [`DeviceInfo`] and [`ComputeError`] as stable. Everything else here may change in any
//! version; the library has it in its module `unstable`.
#![cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "some is for GPUs alone"))]

mod backends;
#[cfg(feature = "gpu")]
mod chosen_gpus;
mod compilations;
mod concurrent;
#[cfg(feature = "gpu")]
mod cuda_device;
mod device;
mod error;
mod gpu;
mod launches;
mod listing;
mod memory;
#[cfg(feature = "gpu")]
pub mod nvrtc;
mod processor;
pub mod rows;
mod textures;
mod timestamp;
#[cfg(feature = "gpu")]
mod wgpu_device;

pub use compilations::Compilations;
pub use concurrent::Concurrent;
pub use device::{Device, DeviceKind};
pub use error::ComputeError;
pub use gpu::{ErrorCorrection, Gpu, MemoryStretch, QueueNumber};
pub use launches::bindings::{
    BindingDeclaration, BindingSlot, BindingSlots, Bindings, BoundBuffer, BufferAccess,
};
pub use launches::counts::{CountedLaunches, LaunchCounts};
#[cfg(feature = "gpu")]
pub use launches::cuda_source::cuda_source;
pub use launches::launch::{Launch, ShaderSource, cover, line, tile};
pub use launches::reduction::{reduction_groups, sum_rows};
pub use launches::wgsl;
pub use listing::{DeviceInfo, ListedDevice};
pub use memory::buffer::{AnyBuffer, Buffer, Field, require_field};
pub use memory::buffer_pool::MemoryStats;
pub use memory::device_pointer::DevicePointer;
pub use memory::element::Element;
pub use memory::filled::filled;
pub use memory::gpu_memory::GpuMemory;
pub use memory::host_memory::MemoryContent;
pub use memory::pending::{Later, Pending, fetch};
pub use memory::place::PointerPlace;
pub use memory::traffic::Traffic;
pub use processor::Cpu;
pub use textures::{OwnedTexture, Texture, TextureLayout};
pub use timestamp::Timestamp;
