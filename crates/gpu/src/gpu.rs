//! The interface that all GPUs share: memory, transfers, and launches of shaders.
//!
//! `WgpuDevice` hands a shader's WGSL to wgpu; `CudaDevice` translates it to CUDA C++. Launches on a device run in the
//! order in which they were made.

use crate::compilations::Compilations;
use crate::error::ComputeError;
use crate::launches::launch::Launch;
use crate::listing::DeviceInfo;
use crate::memory::buffer_pool::MemoryStats;
use crate::memory::gpu_memory::GpuMemory;
use crate::memory::host_memory::MemoryContent;
use crate::memory::place::PointerPlace;
use crate::memory::result_memory::ResultMemory;
use crate::textures::{OwnedTexture, TextureLayout};
use crate::timestamp::Timestamp;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;
use veloxel_core::{Axes, Control};

/// The number of one of a GPU's queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueNumber(pub(crate) usize);

/// Whether a GPU checks and corrects its memory (ECC), as its driver reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCorrection {
    /// Errors of single bits are corrected.
    On,
    /// Nothing is checked.
    Off,
}

/// A range of words in the memory of a GPU.
#[derive(Debug, Clone)]
pub struct MemoryStretch<'a> {
    /// The memory.
    pub memory: &'a GpuMemory,
    /// The words, of four bytes each.
    pub words: Range<usize>,
}

/// What a transfer to the host needs there.
#[derive(Debug, Clone, Copy)]
pub struct HostSide<'a> {
    /// Who may stop the wait for the device.
    pub(crate) control: &'a Control,
    /// Where the memory of results comes from.
    pub(crate) results: &'a ResultMemory,
}

/// A GPU, opened through wgpu or through CUDA.
pub trait Gpu: Debug + Send + Sync {
    /// Name, description and memory size.
    fn info(&self) -> DeviceInfo;
    /// Whether the device compiles sources in CUDA C++; false unless the device overrides it.
    fn takes_cuda(&self) -> bool {
        false
    }
    /// Whether the device is a graphics processor; false for an adapter in software on the processor.
    fn is_hardware(&self) -> bool;
    /// Number of GPUs that work as this device.
    fn gpus(&self) -> usize {
        1
    }
    /// The GPUs that work as this device, opened each for itself; none where it is one.
    ///
    /// # Errors
    /// [`ComputeError::NoDevice`] with the reason.
    fn each(&self) -> Result<Vec<Arc<dyn Gpu>>, ComputeError> {
        Ok(Vec::new())
    }
    /// The same GPU opened once more, with queues and memory of its own; none where that brings nothing.
    ///
    /// # Errors
    /// [`ComputeError::NoDevice`] with the reason.
    fn again(&self) -> Result<Option<Arc<dyn Gpu>>, ComputeError> {
        Ok(None)
    }
    /// Allocates `words` words of four bytes, filled with zeros or of undefined content: the caller then writes each word before it
    /// reads it.
    fn allocate(&self, words: usize, content: MemoryContent) -> Result<GpuMemory, ComputeError>;
    /// Copies `bytes` from the host to new device memory; the last word is padded with zeros.
    fn upload(&self, bytes: &[u8]) -> Result<GpuMemory, ComputeError>;
    /// Reads ranges of words back to the host: one vector for each entry of `wanted`, which holds the entry's ranges one after
    /// the other. Waits for all work submitted before `after`, or before this call if `after` is `None`; asks while it waits
    /// whether to go on, and leaves the work to the device once it is not.
    fn download(
        &self,
        wanted: &[Vec<MemoryStretch<'_>>],
        after: Option<&Timestamp>,
        host: HostSide<'_>,
    ) -> Result<Vec<Vec<u32>>, ComputeError>;
    /// Launches a kernel; it runs after all work submitted before.
    fn launch(&self, launch: &Launch<'_>) -> Result<(), ComputeError>;
    /// Takes a queue, which waits for everything that the calling thread asked for so far; none if no queue is free.
    fn fork(&self) -> Result<Option<QueueNumber>, ComputeError> {
        Ok(None)
    }
    /// Sends what the calling thread asks for from here on to a queue; returns the queue before.
    fn switch(&self, _: QueueNumber) -> QueueNumber {
        QueueNumber(0)
    }
    /// Makes the calling thread's queue wait for a taken one, and frees that one. A failure of the device is reported by the
    /// next call.
    fn join(&self, _: QueueNumber) {}
    /// Blocks until all submitted work is done.
    fn synchronise(&self) -> Result<(), ComputeError>;
    /// A timestamp at the current end of the submitted work; a download after it need not wait for later work. `None`
    /// where the device has no such timestamps.
    fn mark(&self) -> Result<Option<Timestamp>, ComputeError> {
        Ok(None)
    }
    /// A timestamp at the current end of the submitted work. By default, for devices without a clock of their own:
    /// waits for the work and reads the host's clock.
    fn stamp(&self) -> Result<Timestamp, ComputeError> {
        self.synchronise()?;
        Ok(Timestamp::now())
    }
    /// Number of runs of launches that were replayed from a recording; `None` where the device records none.
    fn replayed_runs(&self) -> Option<usize> {
        None
    }
    /// The address of memory, and the stream to which all work that writes it was submitted.
    ///
    /// # Errors
    /// [`ComputeError::NoAddress`] unless the device overrides it.
    fn address(&self, _: &GpuMemory) -> Result<(u64, PointerPlace), ComputeError> {
        Err(ComputeError::NoAddress { device: self.info().name })
    }
    /// Where memory of this device lies, for other libraries that work on it, and the stream that work goes to from here on; none
    /// where others cannot use it.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    fn place(&self) -> Result<Option<PointerPlace>, ComputeError> {
        Ok(None)
    }
    /// Copies words at an address of this device's memory to new memory, after everything that was submitted to the stream of
    /// [`Self::place`].
    ///
    /// # Errors
    /// [`ComputeError::NoAddress`] unless the device overrides it; [`ComputeError::OutOfMemory`]; [`ComputeError::DeviceFailed`].
    fn copy_from(&self, _address: u64, _words: usize) -> Result<GpuMemory, ComputeError> {
        Err(ComputeError::NoAddress { device: self.info().name })
    }
    /// Makes all later work wait for what was submitted to a stream of another library on this device.
    ///
    /// # Errors
    /// [`ComputeError::NoAddress`] unless the device overrides it; [`ComputeError::DeviceFailed`].
    fn wait_for_stream(&self, _stream: u64) -> Result<(), ComputeError> {
        Err(ComputeError::NoAddress { device: self.info().name })
    }
    /// A texture of the samples of a volume, x fastest; waits for all work that was asked for.
    ///
    /// # Errors
    /// [`ComputeError::Lacks`] unless the device overrides it; [`ComputeError::DeviceFailed`].
    fn texture(&self, _: &GpuMemory, _: Axes<usize>, _: TextureLayout) -> Result<OwnedTexture, ComputeError> {
        Err(ComputeError::Lacks { device: self.info().name, what: "textures" })
    }
    /// The kernels that its driver compiled, and which of them took longest.
    fn compilations(&self) -> Compilations {
        Compilations::default()
    }
    /// Statistics of the device's memory: allocations so far, and bytes kept for reuse.
    fn memory_stats(&self) -> MemoryStats;
    /// Gives memory that is kept for later requests back to the driver; waits for the device.
    fn release_kept(&self) {}
    /// Free device memory in bytes; `None` where the driver does not report it.
    fn free_bytes(&self) -> Option<usize> {
        None
    }
    /// Whether the device's memory is checked and corrected (ECC); `None` where the driver does not report it.
    fn error_correction(&self) -> Option<ErrorCorrection> {
        None
    }
}
