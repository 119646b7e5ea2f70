//! Memory of a device.

use crate::host_memory::HostMemory;
use crate::{ComputeError, GpuMemory};

/// `f32` samples in the memory of a device; only kernels look inside.
#[derive(Debug)]
pub struct Buffer {
    memory: Memory,
    len: usize,
}

#[derive(Debug)]
enum Memory {
    Host(HostMemory),
    Gpu(GpuMemory),
}

/// Planar components, `(x, y)` or `(x, y, z)`, or the entries of a tensor: one buffer each.
pub type Field = Vec<Buffer>;

impl Buffer {
    pub(crate) fn on_host(memory: HostMemory) -> Self {
        Self { len: memory.samples().len(), memory: Memory::Host(memory) }
    }
    /// `len` samples in memory of a GPU.
    pub fn on_gpu(memory: GpuMemory, len: usize) -> Self {
        Self { memory: Memory::Gpu(memory), len }
    }
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there is no sample at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The samples, for kernels of the processor.
    ///
    /// # Panics
    /// If they are on a GPU: a method mixed devices.
    pub fn host(&self) -> &[f32] {
        match &self.memory {
            Memory::Host(memory) => memory.samples(),
            Memory::Gpu(_) => panic!("a kernel of the processor was given a buffer of a GPU"),
        }
    }
    /// [`Self::host`], to be written.
    ///
    /// # Panics
    /// As [`Self::host`].
    pub fn host_mut(&mut self) -> &mut [f32] {
        match &mut self.memory {
            Memory::Host(memory) => memory.samples_mut(),
            Memory::Gpu(_) => panic!("a kernel of the processor was given a buffer of a GPU"),
        }
    }
    /// The memory on a GPU.
    pub(crate) fn gpu(&self) -> Result<&GpuMemory, ComputeError> {
        match &self.memory {
            Memory::Gpu(memory) => Ok(memory),
            Memory::Host(_) => Err(ComputeError::WrongDevice),
        }
    }
    /// # Panics
    /// As [`Self::host`].
    pub(crate) fn into_samples(self) -> Vec<f32> {
        match self.memory {
            Memory::Host(memory) => memory.into_samples(),
            Memory::Gpu(_) => panic!("a kernel of the processor was given a buffer of a GPU"),
        }
    }
    /// Checks that the buffer has `expected` samples.
    ///
    /// # Errors
    /// [`ComputeError::Length`] with the names of the kernel and its argument.
    pub fn require(
        &self,
        expected: usize,
        kernel: &'static str,
        buffer: &'static str,
    ) -> Result<(), ComputeError> {
        let got = self.len();
        if got == expected { Ok(()) } else { Err(ComputeError::Length { kernel, buffer, expected, got }) }
    }
}

/// Checks that a field has `count` components of `expected` samples each.
///
/// # Errors
/// [`ComputeError::Length`] with the names of the kernel and its argument.
pub fn require_field(
    field: &[Buffer],
    (count, expected): (usize, usize),
    kernel: &'static str,
    name: &'static str,
) -> Result<(), ComputeError> {
    if field.len() != count {
        let (expected, got) = (count * expected, field.iter().map(Buffer::len).sum());
        return Err(ComputeError::Length { kernel, buffer: name, expected, got });
    }
    field.iter().try_for_each(|b| b.require(expected, kernel, name))
}
