//! Where an address of device memory is valid.

/// Where an address is valid, and in which order work on it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PointerPlace {
    /// In the memory of the host; everything that writes there is done.
    Host,
    /// In the memory of a CUDA device, in its primary context.
    Cuda {
        /// The number of the device, counted from 0.
        ordinal: usize,
        /// The stream (`CUstream`) to which all work that writes the memory was submitted: work of others must run on it, or wait
        /// for an event recorded on it.
        stream: u64,
    },
}
