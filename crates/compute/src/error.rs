//! What can go wrong on a device.

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
    /// Memory for a buffer was refused.
    #[error("out of memory: {needed_bytes} bytes more are needed; crop the image, or use a coarser one")]
    OutOfMemory {
        /// Bytes asked for.
        needed_bytes: usize,
    },
    /// The threads of a pool could not be started.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// There is no such device here.
    #[error("device `{name}` is not available: {reason}")]
    NoDevice {
        /// As asked for.
        name: String,
        /// Why not, and what to do.
        reason: String,
    },
}
