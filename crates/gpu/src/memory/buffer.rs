//! Typed buffers in the memory of a device.

use crate::error::ComputeError;
use crate::memory::element::{Element, Word, elements_of, words_of};
use crate::memory::gpu_memory::GpuMemory;
use crate::memory::host_memory::HostMemory;
use crate::memory::planar_memory::PlanarPart;
use std::fmt::Debug;
use std::sync::Arc;

/// Samples in the memory of one device, of type `f32` unless another [`Element`] is named. Only kernels access them
/// directly.
///
/// The memory is allocated once. [`Self::resize`] changes only the number of samples in use, so that the workspace of a
/// solver's finest level also serves the coarser ones.
#[derive(Debug)]
pub struct Buffer<T: Element = f32> {
    memory: Memory<T>,
    len: usize,
    capacity: usize,
}

#[derive(Debug)]
pub(crate) enum Memory<T> {
    Host(HostMemory),
    /// One component of a field whose components lie one after the other in host memory.
    Part(PlanarPart),
    /// Samples that others hold too, and that are only read.
    Shared(Arc<Vec<T>>),
    Gpu(GpuMemory),
}

/// Planar components, one buffer each: `(x, y)` or `(x, y, z)` of a vector field, or the entries of a tensor.
pub type Field = Vec<Buffer>;

const WRONG_DEVICE: &str = "a kernel of the processor was given a buffer of a GPU";

impl<T: Element> Buffer<T> {
    pub(crate) fn new(memory: Memory<T>, len: usize) -> Self {
        Self { memory, len, capacity: len }
    }
    /// The memory itself.
    pub(crate) fn memory(&self) -> &Memory<T> {
        &self.memory
    }
    /// Number of samples in use.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether no sample is in use.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Number of samples that the memory has room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }
    /// Sets the number of samples in use to `len`; new samples are undefined until they are written.
    ///
    /// # Errors
    /// [`ComputeError::Capacity`] if the memory is too small; the length then stays as it is.
    pub fn resize(&mut self, len: usize) -> Result<(), ComputeError> {
        if len > self.capacity {
            return Err(ComputeError::Capacity { capacity: self.capacity, asked: len });
        }
        self.len = len;
        Ok(())
    }
    /// The samples in host memory, for kernels on the processor.
    ///
    /// # Panics
    /// If the buffer is on a GPU: the caller mixed devices.
    pub fn host(&self) -> &[T] {
        match &self.memory {
            Memory::Host(memory) => &bytemuck::cast_slice(memory.words())[..self.len],
            Memory::Part(part) => &bytemuck::cast_slice(part.words())[..self.len],
            Memory::Shared(samples) => &samples[..self.len],
            Memory::Gpu(_) => panic!("{WRONG_DEVICE}"),
        }
    }
    /// Whether others hold the samples too, so that they may only be read.
    pub fn is_shared(&self) -> bool {
        matches!(self.memory, Memory::Shared(_))
    }
    /// The samples in host memory, writable.
    ///
    /// # Panics
    /// As [`Self::host`]; and if the samples [are shared](Self::is_shared).
    pub fn host_mut(&mut self) -> &mut [T] {
        match &mut self.memory {
            Memory::Host(memory) => &mut bytemuck::cast_slice_mut(memory.words_mut())[..self.len],
            Memory::Part(part) => &mut bytemuck::cast_slice_mut(part.words_mut())[..self.len],
            Memory::Shared(_) => panic!("samples that are shared should only be read"),
            Memory::Gpu(_) => panic!("{WRONG_DEVICE}"),
        }
    }
    /// Whether the memory is one component of a field whose components lie one after the other, and all of it is in use.
    pub(crate) fn is_whole_part(&self) -> bool {
        matches!(self.memory, Memory::Part(_)) && self.len == self.capacity
    }
    /// The component of a field whose components lie one after the other; none if the memory is something else.
    pub(crate) fn into_part(self) -> Option<PlanarPart> {
        match self.memory {
            Memory::Part(part) => Some(part),
            _ => None,
        }
    }
    /// # Panics
    /// As [`Self::host`].
    pub(crate) fn into_samples(self) -> Vec<T> {
        match self.memory {
            Memory::Host(memory) => elements_of(memory.into_words(), 0, self.len),
            Memory::Part(part) => match PlanarPart::join(vec![part]) {
                Ok(words) => elements_of(words, 0, self.len),
                Err(parts) => bytemuck::cast_slice(parts[0].words())[..self.len].to_vec(),
            },
            Memory::Shared(samples) => samples[..self.len].to_vec(),
            Memory::Gpu(_) => panic!("{WRONG_DEVICE}"),
        }
    }
    /// The same memory as a buffer of words; the last word may be used only in part.
    pub(crate) fn into_words(self) -> Buffer<Word> {
        let (len, capacity) = (words_of::<T>(self.len), words_of::<T>(self.capacity));
        let memory = match self.memory {
            Memory::Host(memory) => Memory::Host(memory),
            Memory::Part(part) => Memory::Part(part),
            Memory::Shared(samples) => Memory::Shared(Arc::new(bytemuck::pod_collect_to_vec(&samples))),
            Memory::Gpu(memory) => Memory::Gpu(memory),
        };
        Buffer { memory, len, capacity }
    }
    /// Checks that the buffer has `expected` samples.
    ///
    /// # Errors
    /// [`ComputeError::Length`] with the names of the kernel and its argument; [`ComputeError::TooManySamples`].
    pub fn require(
        &self,
        expected: usize,
        kernel: &'static str,
        buffer: &'static str,
    ) -> Result<(), ComputeError> {
        require_indexed(expected, kernel, buffer)?;
        let got = self.len();
        if got == expected { Ok(()) } else { Err(ComputeError::Length { kernel, buffer, expected, got }) }
    }
}

/// A buffer of any [`Element`] type, as a launch binds it.
pub trait AnyBuffer: Debug {
    /// The memory on a GPU.
    ///
    /// # Errors
    /// [`ComputeError::WrongDevice`] if the buffer is on the processor.
    fn gpu(&self) -> Result<&GpuMemory, ComputeError>;
    /// Length of the samples in use, in bytes.
    fn bytes(&self) -> usize;
}

impl<T: Element> AnyBuffer for Buffer<T> {
    fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }
    fn gpu(&self) -> Result<&GpuMemory, ComputeError> {
        match &self.memory {
            Memory::Gpu(memory) => Ok(memory),
            Memory::Host(_) | Memory::Part(_) | Memory::Shared(_) => Err(ComputeError::WrongDevice),
        }
    }
}

/// Maximal number of samples of a buffer: kernels index them with 32 bits.
const MOST_SAMPLES: u64 = 1 << 32;

/// Checks that 32-bit indices suffice for `samples` samples.
fn require_indexed(samples: usize, kernel: &'static str, buffer: &'static str) -> Result<(), ComputeError> {
    match samples as u64 > MOST_SAMPLES {
        true => Err(ComputeError::TooManySamples { kernel, buffer, samples }),
        false => Ok(()),
    }
}

/// Checks that a field has `count` components of `expected` samples each.
///
/// # Errors
/// [`ComputeError::Length`] with the names of the kernel and its argument.
pub fn require_field(
    field: &[Buffer],
    count: usize,
    expected: usize,
    kernel: &'static str,
    name: &'static str,
) -> Result<(), ComputeError> {
    if field.len() != count {
        let (expected, got) = (count * expected, field.iter().map(Buffer::len).sum());
        return Err(ComputeError::Length { kernel, buffer: name, expected, got });
    }
    field.iter().try_for_each(|b| b.require(expected, kernel, name))
}

#[cfg(test)]
mod tests {
    use super::require_indexed;
    use crate::device::Device;
    use crate::error::ComputeError;
    use crate::memory::buffer::Buffer;

    #[test]
    fn kernels_index_with_32_bits() {
        assert_eq!(require_indexed(1 << 32, "warp", "moving"), Ok(()));
        let error = require_indexed((1 << 32) + 1, "warp", "moving").unwrap_err().to_string();
        assert!(error.contains("4294967297 samples") && error.contains("crop"), "{error}");
    }

    #[test]
    fn a_length_may_shrink_and_grow_within_the_memory() {
        let device = Device::cpu(1).unwrap();
        let mut buffer = device.upload(vec![1.0, 2.0, 3.0]).unwrap();
        buffer.resize(2).unwrap();
        assert_eq!((buffer.len(), buffer.capacity(), buffer.host()), (2, 3, &[1.0, 2.0][..]));
        assert_eq!(buffer.resize(4), Err(ComputeError::Capacity { capacity: 3, asked: 4 }));
        assert_eq!(device.read(&buffer).unwrap(), [1.0, 2.0]);
        buffer.resize(3).unwrap();
        assert_eq!(device.download(buffer).unwrap().len(), 3);
    }

    #[test]
    fn every_element_goes_up_and_comes_down() {
        let device = Device::cpu(1).unwrap();
        let bytes: Buffer<u8> = device.upload(vec![1, 2, 3, 4, 5]).unwrap();
        assert_eq!(device.read_parts(&[(&bytes, 1..4)]).unwrap(), [[2, 3, 4]]);
        assert_eq!(device.download(bytes).unwrap(), [1, 2, 3, 4, 5]);
        let mut halves = device.zeros::<u16>(5).unwrap();
        halves.host_mut()[4] = 7;
        assert_eq!(device.download(halves).unwrap(), [0, 0, 0, 0, 7]);
        let labels = device.upload_copy(&[-1i32, 5]).unwrap();
        assert_eq!(device.download(labels).unwrap(), [-1, 5]);
    }
}
