//! The memory pools of a CUDA device.
//!
//! Kernels run on one stream. Their memory (`scratch`) can therefore be reused as soon as it is returned: work that
//! still uses it runs first. Uploads do not wait for kernels. Their memory (`landing`) has a pool of its own, in which
//! each piece carries the event after which kernels no longer use it.

use super::queue::Queue;
use crate::ComputeError;
use crate::buffer_pool::{BufferPool, First, MemoryStats, Policy};
use crate::memory::Piece;
use cudarc::driver::{CudaContext, CudaEvent, result, sys};
use std::sync::Arc;

/// The free memory of a device.
pub(super) struct Pool {
    device: String,
    context: Arc<CudaContext>,
    queue: Arc<Queue>,
    scratch: BufferPool<sys::CUdeviceptr>,
    landing: BufferPool<(sys::CUdeviceptr, CudaEvent)>,
}

const fn policy<P>(first: First<P>) -> Policy<P> {
    Policy { grain_bytes: 4096, largest_bytes: usize::MAX, most_bytes: usize::MAX, first }
}

/// A piece of device memory; returned to its pool when dropped.
pub(super) struct CudaMemory {
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

impl Pool {
    /// `device` is the device's name, for errors.
    pub fn new(device: String, context: Arc<CudaContext>, queue: Arc<Queue>) -> Self {
        // A recording needs no new arguments if the same requests get the same memory.
        let scratch = BufferPool::new(policy(First::Lowest(|address| *address)));
        Self { device, context, queue, scratch, landing: BufferPool::new(policy(First::Oldest)) }
    }

    /// Takes memory of `words` words for kernels; its content is undefined.
    pub fn take(self: &Arc<Self>, words: usize) -> Result<CudaMemory, ComputeError> {
        let bytes = self.scratch.size_for(words);
        let (address, _) = self.scratch.take(bytes, || self.ask_in_earnest(bytes))?;
        Ok(CudaMemory { address, bytes, purpose: Purpose::Scratch, pool: self.clone() })
    }

    /// Takes memory of `words` words for an upload. The event, if there is one, must happen before the upload writes:
    /// kernels may use the memory until then.
    pub fn take_landing(
        self: &Arc<Self>,
        words: usize,
    ) -> Result<(CudaMemory, Option<CudaEvent>), ComputeError> {
        let bytes = self.landing.size_for(words);
        let memory = |address| CudaMemory { address, bytes, purpose: Purpose::Landing, pool: self.clone() };
        if let Some((address, _)) = self.landing.take_kept_if(bytes, |(_, idle)| idle.is_complete()) {
            return Ok((memory(address), None));
        }
        if let Some(address) = self.ask(bytes) {
            self.landing.count_allocation(bytes);
            return Ok((memory(address), None));
        }
        // Memory that is still in use is taken, and waited for, only when the driver has no more.
        if let Some((address, idle)) = self.landing.take_kept_if(bytes, |_| true) {
            return Ok((memory(address), Some(idle)));
        }
        let address = self.ask_in_earnest(bytes)?;
        self.landing.count_allocation(bytes);
        Ok((memory(address), None))
    }

    pub fn stats(&self) -> MemoryStats {
        let (scratch, landing) = (self.scratch.stats(), self.landing.stats());
        MemoryStats {
            allocations: scratch.allocations + landing.allocations,
            kept_bytes: scratch.kept_bytes + landing.kept_bytes,
            used_bytes: scratch.used_bytes + landing.used_bytes,
            // Together they had at most this much.
            most_used_bytes: scratch.most_used_bytes + landing.most_used_bytes,
        }
    }

    /// Allocates memory from the driver; if that fails, frees all memory kept in the pools and tries again.
    fn ask_in_earnest(&self, bytes: usize) -> Result<sys::CUdeviceptr, ComputeError> {
        if let Some(address) = self.ask(bytes) {
            return Ok(address);
        }
        self.give_back_to_driver();
        self.ask(bytes).ok_or_else(|| ComputeError::OutOfMemory {
            device: self.device.clone(),
            needed_bytes: bytes,
            free_bytes: self.context.mem_get_info().ok().map(|(free, _)| free),
        })
    }

    fn ask(&self, bytes: usize) -> Option<sys::CUdeviceptr> {
        self.context.bind_to_thread().ok()?;
        // SAFETY: every user writes the memory before it reads it.
        unsafe { result::malloc_sync(bytes) }.ok()
    }

    /// Frees what is only kept.
    pub fn release_kept(&self) {
        if self.context.bind_to_thread().is_ok() {
            self.give_back_to_driver();
        }
    }

    fn give_back_to_driver(&self) {
        let landing = self.landing.drain().into_iter().map(|(address, _)| address);
        let addresses: Vec<_> = self.scratch.drain().into_iter().chain(landing).collect();
        // Kernels may still use the memory; after a device has failed, no kernel does.
        let _ = self.queue.synchronise();
        for address in addresses {
            // SAFETY: the address was removed from the pools, and no work that used it still runs.
            let _ = unsafe { result::free_sync(address) };
        }
    }
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
            Purpose::Scratch => pool.scratch.keep(self.bytes, address),
            // Without the event the end of its use is unknown. The device has failed then, and its memory is lost with
            // it.
            Purpose::Landing => {
                if let Ok(idle) = pool.queue.record_now() {
                    pool.landing.keep(self.bytes, (address, idle));
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
