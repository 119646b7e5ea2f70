//! Memory of a device.

use crate::ComputeError;
use crate::gpu::GpuMemory;

/// `f32` samples in the memory of a device; only kernels look inside.
#[derive(Debug)]
pub struct Buffer {
    memory: Memory,
    len: usize,
}

#[derive(Debug)]
enum Memory {
    /// The samples from `start` on, between what it takes to start them on a cache line.
    Host {
        samples: Vec<f32>,
        start: usize,
    },
    Gpu(GpuMemory),
}

/// A cache line: vectors that straddle two of them cost twice.
const LINE_BYTES: usize = 64;

/// Planar components, `(x, y)` or `(x, y, z)`, or the entries of a tensor: one buffer each.
pub type Field = Vec<Buffer>;

impl Buffer {
    pub(crate) fn zeros(len: usize) -> Result<Self, ComputeError> {
        let padded = len + LINE_BYTES / size_of::<f32>();
        // Asked for first, so that too much is an error; then taken as zeroed pages, which cost nothing until touched.
        Vec::<f32>::new().try_reserve_exact(padded).map_err(|_| ComputeError::OutOfMemory {
            device: "cpu".to_owned(),
            needed_bytes: len.saturating_mul(size_of::<f32>()),
            free_bytes: None,
        })?;
        let memory = vec![0.0; padded];
        ask_for_large_pages(&memory);
        let address = memory.as_ptr().addr();
        let start = (address.next_multiple_of(LINE_BYTES) - address) / size_of::<f32>();
        Ok(Self { memory: Memory::Host { samples: memory, start }, len })
    }
    pub(crate) fn from_samples(samples: Vec<f32>) -> Self {
        Self { len: samples.len(), memory: Memory::Host { samples, start: 0 } }
    }
    pub(crate) fn on_gpu(memory: GpuMemory, len: usize) -> Self {
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
    /// # Panics
    /// If the samples are on a GPU: a method mixed devices.
    pub(crate) fn host(&self) -> &[f32] {
        match &self.memory {
            Memory::Host { samples, start } => &samples[*start..*start + self.len],
            Memory::Gpu(_) => panic!("a kernel of the processor was given a buffer of a GPU"),
        }
    }
    /// # Panics
    /// As [`Self::host`].
    pub(crate) fn host_mut(&mut self) -> &mut [f32] {
        match &mut self.memory {
            Memory::Host { samples, start } => &mut samples[*start..*start + self.len],
            Memory::Gpu(_) => panic!("a kernel of the processor was given a buffer of a GPU"),
        }
    }
    /// The memory on a GPU.
    pub(crate) fn gpu(&self) -> Result<&GpuMemory, ComputeError> {
        match &self.memory {
            Memory::Gpu(memory) => Ok(memory),
            Memory::Host { .. } => Err(ComputeError::WrongDevice),
        }
    }
    /// # Panics
    /// As [`Self::host`].
    pub(crate) fn into_samples(self) -> Vec<f32> {
        match self.memory {
            Memory::Host { mut samples, start } => {
                samples.truncate(start + self.len);
                samples.drain(..start);
                samples
            }
            Memory::Gpu(_) => panic!("a kernel of the processor was given a buffer of a GPU"),
        }
    }
    /// Fails unless the buffer has `expected` samples.
    pub(crate) fn require(
        &self,
        expected: usize,
        kernel: &'static str,
        buffer: &'static str,
    ) -> Result<(), ComputeError> {
        let got = self.len();
        if got == expected { Ok(()) } else { Err(ComputeError::Length { kernel, buffer, expected, got }) }
    }
}

/// Smaller buffers have no room for a large page between its borders.
const LARGE_BUFFER_BYTES: usize = 8 << 20;

/// Lets the system back a large buffer by large pages: touching it first is several times cheaper then, and planes that lie
/// far apart stay within reach of the address cache. A hint: refused or unknown, nothing changes.
pub(crate) fn ask_for_large_pages<T>(samples: &[T]) {
    #[cfg(target_os = "linux")]
    if size_of_val(samples) >= LARGE_BUFFER_BYTES {
        const PAGE: usize = 4096;
        let start = samples.as_ptr().addr().next_multiple_of(PAGE);
        let end = (samples.as_ptr().addr() + size_of_val(samples)) / PAGE * PAGE;
        // SAFETY: the range lies inside the buffer, and the advice changes neither its content nor its protection.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (samples, LARGE_BUFFER_BYTES);
}

/// Memory of the host for `len` samples, asked for as large pages; nothing is written to it yet.
pub(crate) fn room_for(len: usize) -> Result<Vec<f32>, ComputeError> {
    let mut room = Vec::new();
    room.try_reserve_exact(len).map_err(|_| ComputeError::OutOfMemory {
        device: "cpu".to_owned(),
        needed_bytes: len.saturating_mul(size_of::<f32>()),
        free_bytes: None,
    })?;
    ask_for_large_pages(room.spare_capacity_mut());
    Ok(room)
}

/// Fails unless every buffer of a field has `expected` samples and there are `count` of them.
pub(crate) fn require_field(
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
