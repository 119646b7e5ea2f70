//! Copies of small memory on a GPU that would otherwise read it over the link.
//!
//! A kernel that is divided may read memory that lies on the first GPU alone, such as a coarser grid. Every sample of it is read
//! by several threads, and what comes over the link stays in no large cache: the kernel would wait for it several times as
//! long as for one copy.

use super::super::kernel_call::Call;
use super::{DividedCall, SmallMemory};
use cudarc::driver::{CudaStream, DriverError, result, sys};
use std::sync::{Mutex, PoisonError};

/// Number of bytes below which memory is read over the link: a copy takes longer.
const LEAST_BYTES: usize = 64 << 10;

/// The copies on a GPU: the nth of a launch lies where the nth of the launch before lay, which the GPU's stream has done with.
#[derive(Default)]
pub(super) struct Mirrors {
    copies: Mutex<Vec<SmallMemory>>,
}

impl Mirrors {
    /// Gives the memory back; the context of the GPU must be current.
    pub fn free(&mut self) {
        for copy in self.copies.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: allocated below, and no kernel uses it any more: the driver waits for those that do.
            let _ = unsafe { result::free_sync(copy.address) };
        }
    }

    /// The call with copies in the place of small memory, which the stream makes first; none if there is no such memory.
    pub fn of(&self, divided: &DividedCall, stream: &CudaStream) -> Result<Option<Call>, DriverError> {
        let worth: Vec<_> = divided.small.iter().filter(|memory| memory.bytes >= LEAST_BYTES).collect();
        if worth.is_empty() {
            return Ok(None);
        }
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        let mut call = divided.call.clone();
        for (nth, memory) in worth.into_iter().enumerate() {
            let to = room(&mut copies, nth, memory.bytes, stream)?;
            // SAFETY: both have that many bytes, and the copy's last reader comes earlier on the same stream.
            unsafe { result::memcpy_dtod_async(to, memory.address, memory.bytes, stream.cu_stream())? };
            call.use_instead(memory.address, to);
        }
        Ok(Some(call))
    }
}

/// The nth copy's memory, with room for so many bytes.
fn room(
    copies: &mut Vec<SmallMemory>,
    nth: usize,
    bytes: usize,
    stream: &CudaStream,
) -> Result<sys::CUdeviceptr, DriverError> {
    stream.context().bind_to_thread()?;
    if let Some(old) = copies.get(nth) {
        if old.bytes >= bytes {
            return Ok(old.address);
        }
        stream.synchronize()?;
        // SAFETY: allocated below, and the stream has done with it.
        unsafe { result::free_sync(old.address)? };
    }
    // SAFETY: it is written before it is read.
    let new = SmallMemory { address: unsafe { result::malloc_sync(bytes)? }, bytes };
    match copies.get_mut(nth) {
        Some(old) => *old = new,
        None => copies.push(new),
    }
    Ok(new.address)
}
