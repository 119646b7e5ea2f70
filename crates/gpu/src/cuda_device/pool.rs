//! Device memory that is kept for the next of its size: asking the driver takes longer than a small kernel.
//!
//! Kernels run on one stream, so their memory may be taken again as soon as it is given back: whatever still uses it comes
//! first. Uploads do not wait for kernels; their memory is kept apart, with the moment when kernels have done with it.

use super::queue::Queue;
use crate::ComputeError;
use crate::element::Word;
use crate::memory::Piece;
use cudarc::driver::{CudaContext, CudaEvent, result, sys};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A device's memory that is free to take.
pub(super) struct Pool {
    device: String,
    context: Arc<CudaContext>,
    queue: Arc<Queue>,
    free: Mutex<Free>,
}

/// Addresses by size.
#[derive(Default)]
struct Free {
    /// The lowest is taken first: the same requests then get the same memory, and recordings keep their arguments.
    scratch: HashMap<usize, BTreeSet<sys::CUdeviceptr>>,
    /// Oldest first, free once its event has happened.
    landing: HashMap<usize, VecDeque<(sys::CUdeviceptr, CudaEvent)>>,
}

/// A piece of device memory; given back to its pool when dropped.
pub(crate) struct CudaMemory {
    address: sys::CUdeviceptr,
    bytes: usize,
    purpose: Purpose,
    pool: Arc<Pool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Scratch,
    Landing,
}

/// Sizes are rounded up to multiples of this, so that those that differ little can follow each other.
const GRAIN_BYTES: usize = 4096;

impl Pool {
    /// For the device of that name.
    pub fn new((device, context): (String, Arc<CudaContext>), queue: Arc<Queue>) -> Self {
        Self { device, context, queue, free: Mutex::default() }
    }

    /// Memory of kernels for `words` words; what is in it is left from before.
    pub fn take(self: &Arc<Self>, words: usize) -> Result<CudaMemory, ComputeError> {
        let bytes = size_for(words);
        let kept = self.free().scratch.get_mut(&bytes).and_then(BTreeSet::pop_first);
        let address = kept.map_or_else(|| self.ask_in_earnest(bytes), Ok)?;
        Ok(CudaMemory { address, bytes, purpose: Purpose::Scratch, pool: self.clone() })
    }

    /// Memory for an upload of `words` words, and when kernels have done with it, if they may not have yet.
    pub fn take_landing(
        self: &Arc<Self>,
        words: usize,
    ) -> Result<(CudaMemory, Option<CudaEvent>), ComputeError> {
        let bytes = size_for(words);
        let take = |if_idle: bool| {
            let mut free = self.free();
            let kept = free.landing.get_mut(&bytes)?;
            let usable = kept.front().is_some_and(|(_, idle)| !if_idle || idle.is_complete());
            if usable { kept.pop_front() } else { None }
        };
        // What is still in use is waited for only where there is no more memory.
        let (address, idle) = match take(true) {
            Some((address, _)) => (address, None),
            None => match self.ask(bytes) {
                Some(address) => (address, None),
                None => match take(false) {
                    Some((address, idle)) => (address, Some(idle)),
                    None => (self.ask_in_earnest(bytes)?, None),
                },
            },
        };
        Ok((CudaMemory { address, bytes, purpose: Purpose::Landing, pool: self.clone() }, idle))
    }

    /// Memory from the driver, if need be what is kept.
    fn ask_in_earnest(&self, bytes: usize) -> Result<sys::CUdeviceptr, ComputeError> {
        if let Some(address) = self.ask(bytes) {
            return Ok(address);
        }
        // What is kept may be just what is missing.
        self.give_back_to_driver();
        self.ask(bytes).ok_or_else(|| ComputeError::OutOfMemory {
            device: self.device.clone(),
            needed_bytes: bytes,
            free_bytes: self.context.mem_get_info().ok().map(|(free, _)| free),
        })
    }

    fn ask(&self, bytes: usize) -> Option<sys::CUdeviceptr> {
        self.context.bind_to_thread().ok()?;
        // SAFETY: whoever reads the memory writes it first.
        unsafe { result::malloc_sync(bytes) }.ok()
    }

    fn free(&self) -> MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back_to_driver(&self) {
        let Free { scratch, landing } = std::mem::take(&mut *self.free());
        // Kernels may still be using it; a device that failed holds nothing any more.
        let _ = self.queue.synchronise();
        let landing = landing.into_values().flatten().map(|(address, _)| address);
        for address in scratch.into_values().flatten().chain(landing) {
            // SAFETY: nobody has the address, and nothing that used it still runs.
            let _ = unsafe { result::free_sync(address) };
        }
    }
}

fn size_for(words: usize) -> usize {
    words.saturating_mul(size_of::<Word>()).max(1).next_multiple_of(GRAIN_BYTES)
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.context.bind_to_thread().is_ok() {
            self.give_back_to_driver();
        }
    }
}

impl CudaMemory {
    pub fn address(&self) -> sys::CUdeviceptr {
        self.address
    }
}

impl Piece for CudaMemory {}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let (pool, address) = (&self.pool, self.address);
        match self.purpose {
            Purpose::Scratch => {
                pool.free().scratch.entry(self.bytes).or_default().insert(address);
            }
            // Without the event nobody could know when it is free: the device has failed, and its memory with it.
            Purpose::Landing => {
                if let Ok(idle) = pool.queue.record_now() {
                    pool.free().landing.entry(self.bytes).or_default().push_back((address, idle));
                }
            }
        }
    }
}

impl std::fmt::Debug for CudaMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CudaMemory").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}
