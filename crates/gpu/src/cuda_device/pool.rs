//! The memory pools of a CUDA device.
//!
//! Kernels of a queue run in order. Their memory (`scratch`, one pool a queue) can therefore be reused by that queue as soon
//! as it is returned: work that still uses it runs first. (Other queues that use it are joined before it is returned.)
//! Uploads do not wait for kernels. Their memory (`landing`) has a pool of its own, in which each piece carries the event
//! after which kernels no longer use it.

use super::queues::{MOST_QUEUES, Queues};
use super::several::Several;
use crate::error::ComputeError;
use crate::memory::buffer_pool::{BufferPool, First, MemoryStats, Policy};
use crate::memory::gpu_memory::Piece;
use cudarc::driver::{CudaContext, CudaEvent, result, sys};
use std::sync::Arc;

/// The free memory of a device.
pub(super) struct Pool {
    device: String,
    context: Arc<CudaContext>,
    queues: Arc<Queues>,
    several: Option<Arc<Several>>,
    scratch: [BufferPool<sys::CUdeviceptr>; MOST_QUEUES],
    landing: BufferPool<(sys::CUdeviceptr, CudaEvent)>,
}

/// A piece of device memory; returned to its pool when dropped.
pub(super) struct CudaMemory {
    pub address: sys::CUdeviceptr,
    pub bytes: usize,
    purpose: Purpose,
    pool: Arc<Pool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Memory for the kernels of a queue, by the queue's number.
    Scratch(usize),
    Landing,
}

impl Pool {
    /// `device` is the device's name, for errors; `several` are the GPUs if there is more than one.
    pub fn new(
        device: String,
        context: Arc<CudaContext>,
        queues: Arc<Queues>,
        several: Option<Arc<Several>>,
    ) -> Self {
        // A recording needs no new arguments if the same requests get the same memory.
        let scratch =
            [(); MOST_QUEUES].map(|()| BufferPool::new(Policy::of_gpu(First::Lowest(|address| *address))));
        Self {
            device,
            context,
            queues,
            several,
            scratch,
            landing: BufferPool::new(Policy::of_gpu(First::Oldest)),
        }
    }

    /// Takes memory of `words` words for kernels; its content is undefined.
    pub fn take(self: &Arc<Self>, words: usize) -> Result<CudaMemory, ComputeError> {
        let nth = self.queues.current();
        let scratch = &self.scratch[nth];
        let bytes = scratch.size_for(words);
        let (address, _) = scratch.take(bytes, || self.ask_in_earnest(bytes))?;
        Ok(CudaMemory { address, bytes, purpose: Purpose::Scratch(nth), pool: self.clone() })
    }

    /// Takes memory of `words` words for an upload. The event, if there is one, must happen before the upload writes:
    /// kernels may use the memory until then.
    pub(crate) fn take_landing(
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
        let pools = self.scratch.iter().map(BufferPool::stats).chain([self.landing.stats()]);
        pools.fold(MemoryStats::default(), |a, b| MemoryStats {
            allocations: a.allocations + b.allocations,
            kept_bytes: a.kept_bytes + b.kept_bytes,
            used_bytes: a.used_bytes + b.used_bytes,
            // Together they had at most this much.
            most_used_bytes: a.most_used_bytes + b.most_used_bytes,
        })
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
            free_bytes: self.free_bytes(),
        })
    }

    /// Free memory of the device in bytes, as the driver reports it.
    pub fn free_bytes(&self) -> Option<usize> {
        match &self.several {
            Some(several) => several.free_bytes(),
            None => self.context.mem_get_info().ok().map(|(free, _)| free),
        }
    }

    fn ask(&self, bytes: usize) -> Option<sys::CUdeviceptr> {
        if let Some(several) = &self.several {
            return several.memory.allocate(bytes);
        }
        self.context.bind_to_thread().ok()?;
        // SAFETY: every user writes the memory before it reads it.
        unsafe { result::malloc_sync(bytes) }.ok()
    }

    /// Frees all memory that is kept for later requests.
    pub fn release_kept(&self) {
        if self.context.bind_to_thread().is_ok() {
            self.give_back_to_driver();
        }
    }

    fn give_back_to_driver(&self) {
        let landing = self.landing.drain().into_iter().map(|(address, _)| address);
        let scratch = self.scratch.iter().flat_map(BufferPool::drain);
        let addresses: Vec<_> = scratch.chain(landing).collect();
        // Kernels may still use the memory; after a device has failed, no kernel does.
        self.queues.opened().for_each(|queue| drop(queue.synchronise()));
        for address in addresses {
            match &self.several {
                Some(several) => several.memory.free(address),
                // SAFETY: the address was removed from the pools, and no work that used it still runs.
                None => drop(unsafe { result::free_sync(address) }),
            }
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

impl Piece for CudaMemory {}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let (pool, address) = (&self.pool, self.address);
        match self.purpose {
            Purpose::Scratch(nth) => pool.scratch[nth].keep(self.bytes, address),
            // Without the event the end of its use is unknown. The device has failed then, and its memory is lost with
            // it.
            Purpose::Landing => {
                if let Ok(idle) = pool.queues.queue().record_now() {
                    pool.landing.keep(self.bytes, (address, idle));
                }
            }
        }
    }
}
