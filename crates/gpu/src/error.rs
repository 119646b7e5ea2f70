//! Errors of devices.

use veloxel_core::{Diagnosis, ErrorKind, Hint, Stopped};

/// Errors of kernels and devices.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ComputeError {
    /// The length of a buffer does not fit the shape.
    #[error("kernel `{kernel}`: buffer `{buffer}` holds {got} samples where {expected} are needed")]
    Length {
        /// The name of the kernel.
        kernel: &'static str,
        /// The name of the argument.
        buffer: &'static str,
        /// Samples needed.
        expected: usize,
        /// Samples given.
        got: usize,
    },
    /// A device whose memory has no address that other libraries could use.
    #[error(
        "memory of {device} has no address that other libraries could use: take the samples to the host, or use CUDA"
    )]
    NoAddress {
        /// The device's name.
        device: String,
    },
    /// A kernel was asked for something that only other devices have.
    #[error("{device} has no {what}")]
    Lacks {
        /// The device's name.
        device: String,
        /// What it lacks.
        what: &'static str,
    },
    /// A buffer was resized beyond its capacity.
    #[error("a buffer with room for {capacity} samples cannot hold {asked}")]
    Capacity {
        /// Samples that it has room for.
        capacity: usize,
        /// Samples asked for.
        asked: usize,
    },
    /// The system or the driver has too little memory for a buffer.
    #[error("out of memory on {device}: {needed_bytes} bytes more are needed{}; crop the image, or use a coarser one{}",
        free_bytes.map(|f| format!(", {f} are free")).unwrap_or_default(),
        if device == "cpu" { "" } else { ", or the processor" })]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// Bytes asked for.
        needed_bytes: usize,
        /// Bytes free at that time; `None` where the driver does not report it.
        free_bytes: Option<usize>,
    },
    /// A buffer is larger than the device can bind to a kernel.
    #[error(
        "{device} gives a kernel at most {most_bytes} bytes a buffer, and {needed_bytes} are needed; crop the image, or use the processor"
    )]
    BufferTooLarge {
        /// The device's name.
        device: String,
        /// Bytes asked for.
        needed_bytes: usize,
        /// The device's limit.
        most_bytes: usize,
    },
    /// A buffer would hold more samples than a kernel can index.
    #[error(
        "kernel `{kernel}`: buffer `{buffer}` would hold {samples} samples, and kernels index at most 2^32: crop the image, or use a \
         coarser one"
    )]
    TooManySamples {
        /// The name of the kernel.
        kernel: &'static str,
        /// The name of the argument.
        buffer: &'static str,
        /// Samples asked for.
        samples: usize,
    },
    /// A GPU or its driver failed.
    #[error("{device} failed: {reason}; update its driver, or use the processor")]
    DeviceFailed {
        /// The device's name.
        device: String,
        /// The driver's message.
        reason: String,
    },
    /// A buffer or a timestamp belongs to another device.
    #[error("a kernel of a GPU was given a buffer of another device")]
    WrongDevice,
    /// The threads of a pool could not be started.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// The system's message.
        reason: String,
    },
    /// The device named does not exist here or cannot be used.
    #[error("device `{name}` is not available: {reason}")]
    NoDevice {
        /// The name asked for.
        name: String,
        /// The reason, and what to do.
        reason: String,
    },
    /// The run was stopped by its observer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl Diagnosis for ComputeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::OutOfMemory { .. } | Self::BufferTooLarge { .. } => ErrorKind::Memory,
            Self::TooManySamples { .. } => ErrorKind::Input,
            Self::DeviceFailed { .. } | Self::NoDevice { .. } | Self::Threads { .. } => ErrorKind::Device,
            Self::NoAddress { .. } | Self::Lacks { .. } => ErrorKind::Unsupported,
            Self::Stopped(_) => ErrorKind::Stopped,
            Self::Length { .. } | Self::Capacity { .. } | Self::WrongDevice => ErrorKind::Internal,
        }
    }
    fn hint(&self) -> Option<Hint> {
        match self {
            Self::OutOfMemory { device, .. } if device == "cpu" => Some(Hint::MaxMemory),
            Self::OutOfMemory { .. }
            | Self::BufferTooLarge { .. }
            | Self::DeviceFailed { .. }
            | Self::NoDevice { .. } => Some(Hint::Device),
            _ => None,
        }
    }
}
