//! Errors of devices.

/// A kernel or a device could not do what was asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ComputeError {
    /// A buffer does not belong to the shape.
    #[error("kernel `{kernel}`: buffer `{buffer}` holds {got} samples where {expected} are needed")]
    Length {
        /// The kernel.
        kernel: &'static str,
        /// Its argument.
        buffer: &'static str,
        /// Samples needed.
        expected: usize,
        /// Samples given.
        got: usize,
    },
    /// A buffer was asked for a length that its memory has no room for.
    #[error("a buffer with room for {capacity} samples cannot hold {asked}")]
    Capacity {
        /// Samples that it has room for.
        capacity: usize,
        /// Samples asked for.
        asked: usize,
    },
    /// Memory for a buffer was refused.
    #[error("out of memory on {device}: {needed_bytes} bytes more are needed{}; crop the image, or use a coarser one{}",
        free_bytes.map(|f| format!(", {f} are free")).unwrap_or_default(),
        if device == "cpu" { "" } else { ", or --device cpu" })]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// Bytes asked for.
        needed_bytes: usize,
        /// Bytes free at that time, where the driver says.
        free_bytes: Option<usize>,
    },
    /// A buffer is larger than the device can give to a kernel.
    #[error(
        "{device} gives a kernel at most {most_bytes} bytes a buffer, and {needed_bytes} are needed; crop the image, or use --device cpu"
    )]
    BufferTooLarge {
        /// The device's name.
        device: String,
        /// Bytes asked for.
        needed_bytes: usize,
        /// The device's limit.
        most_bytes: usize,
    },
    /// More samples than a kernel can index.
    #[error(
        "kernel `{kernel}`: buffer `{buffer}` would hold {samples} samples, and kernels index at most 2^32: crop the image, or use a \
         coarser one"
    )]
    TooManySamples {
        /// The kernel.
        kernel: &'static str,
        /// Its argument.
        buffer: &'static str,
        /// Samples asked for.
        samples: usize,
    },
    /// A GPU or its driver failed.
    #[error("{device} failed: {reason}; update its driver, or use --device cpu")]
    DeviceFailed {
        /// The device's name.
        device: String,
        /// What the driver said.
        reason: String,
    },
    /// A kernel was given a buffer of another device.
    #[error("a kernel of a GPU was given a buffer of another device")]
    WrongDevice,
    /// The threads of a pool could not be started.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// There is no such device here.
    #[error(
        "device `{name}` is not available: {reason}; `--device cpu` is always there, `--device auto` takes the fastest that is"
    )]
    NoDevice {
        /// As asked for.
        name: String,
        /// Why not, and what to do.
        reason: String,
    },
}
