//! Copies of small memory on a GPU that would otherwise read it over the link.
//!
//! A kernel that is divided may read memory that lies on the first GPU alone, such as a coarser grid. Every sample of it is read
//! by several threads, and what comes over the link stays in no large cache: the kernel would wait for it several times as
//! long as for one copy.

use super::super::kernel_call::Call;
use super::graph_kernels::Copied;
use super::spread_memory::LEAST_BYTES as SPREAD_BYTES;
use super::{DividedCall, SmallMemory};
use cudarc::driver::{CudaContext, CudaStream, DriverError, result, sys};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A part that is copied begins and ends at a multiple of so many bytes.
const GRAIN: usize = 128;

/// Number of bytes below which memory is read over the link: a copy takes longer.
const LEAST_BYTES: usize = 64 << 10;

/// The copies on a GPU: the nth of a launch lies where the nth of the launch before lay, which the GPU has done with. Each has
/// room for the largest memory that is not spread, so that it never moves: graphs know the addresses.
#[derive(Default)]
pub(super) struct Mirrors {
    copies: Mutex<Vec<sys::CUdeviceptr>>,
}

/// Memory that is worth a copy.
pub(super) fn copied(small: &[SmallMemory]) -> impl Iterator<Item = &SmallMemory> {
    small.iter().filter(|memory| memory.bytes >= LEAST_BYTES)
}

impl SmallMemory {
    /// The bytes that the nth of `count` shares of the workgroups reads.
    fn read_with(&self, nth: usize, count: usize) -> Range<usize> {
        let Some(nearby) = self.nearby_bytes else { return 0..self.bytes };
        let start = (self.bytes * nth / count).saturating_sub(nearby) / GRAIN * GRAIN;
        let end = (self.bytes * (nth + 1) / count + nearby).next_multiple_of(GRAIN).min(self.bytes);
        start..end
    }
}

impl Mirrors {
    /// Gives the memory back; the context of the GPU must be current.
    pub fn free(&mut self) {
        for copy in self.copies.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: allocated below, and no kernel uses it any more: the driver waits for those that do.
            let _ = unsafe { result::free_sync(copy) };
        }
    }

    /// The copies that the share of the nth of `count` GPUs needs first, and the call with them in the place of small memory.
    pub fn of(
        &self,
        divided: &DividedCall,
        nth_gpu: usize,
        count: usize,
        context: &CudaContext,
    ) -> Result<(Vec<Copied>, Call), DriverError> {
        let mut call = divided.call.clone();
        let mut copies = Vec::new();
        for (nth, memory) in copied(&divided.small).enumerate() {
            let to = self.room(nth, context)?;
            let read = memory.read_with(nth_gpu, count);
            let at = |base: sys::CUdeviceptr| base + read.start as u64;
            copies.push(Copied { to: at(to), from: at(memory.address), bytes: read.len() });
            call.use_instead(memory.address, to);
        }
        Ok((copies, call))
    }

    /// Makes room for so many copies.
    pub fn make_room(&self, count: usize, context: &CudaContext) -> Result<(), DriverError> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        while copies.len() < count {
            context.bind_to_thread()?;
            // SAFETY: it is written before it is read.
            copies.push(unsafe { result::malloc_sync(SPREAD_BYTES)? });
        }
        Ok(())
    }

    /// The nth copy's memory.
    fn room(&self, nth: usize, context: &CudaContext) -> Result<sys::CUdeviceptr, DriverError> {
        self.make_room(nth + 1, context)?;
        Ok(self.copies.lock().unwrap_or_else(PoisonError::into_inner)[nth])
    }
}

/// Makes a copy on a stream of the GPU that it lies on.
pub(super) fn copy(copied: &Copied, stream: &CudaStream) -> Result<(), DriverError> {
    let Copied { to, from, bytes } = *copied;
    // SAFETY: both have that many bytes, and the copy's last reader comes earlier on the same stream.
    unsafe { result::memcpy_dtod_async(to, from, bytes, stream.cu_stream()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_small_memory_are_read_with_what_lies_beside_them() {
        let memory = |nearby_bytes| SmallMemory { address: 0, bytes: 8000, nearby_bytes };
        assert_eq!(memory(None).read_with(2, 4), 0..8000);
        let parts = [0, 1, 2, 3].map(|nth| memory(Some(300)).read_with(nth, 4));
        assert_eq!(parts, [0..2304, 1664..4352, 3584..6400, 5632..8000]);
    }
}
