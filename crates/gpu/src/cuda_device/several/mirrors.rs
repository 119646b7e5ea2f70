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
use std::sync::{Mutex, PoisonError};

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

impl Mirrors {
    /// Gives the memory back; the context of the GPU must be current.
    pub fn free(&mut self) {
        for copy in self.copies.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: allocated below, and no kernel uses it any more: the driver waits for those that do.
            let _ = unsafe { result::free_sync(copy) };
        }
    }

    /// The copies that a launch needs first, and the call with them in the place of small memory.
    pub fn of(
        &self,
        divided: &DividedCall,
        context: &CudaContext,
    ) -> Result<(Vec<Copied>, Call), DriverError> {
        let mut call = divided.call.clone();
        let mut copies = Vec::new();
        for (nth, memory) in copied(&divided.small).enumerate() {
            let to = self.room(nth, context)?;
            copies.push(Copied { to, from: memory.address, bytes: memory.bytes });
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
