//! Device memory that is kept for the next of its size: asking the driver takes longer than a small kernel.
//!
//! Everything runs on one stream, so memory that is given back may be taken again at once: whatever still uses it comes
//! first.

use crate::ComputeError;
use cudarc::driver::{CudaContext, CudaStream, result, sys};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A device's memory that is free to take.
pub(super) struct Pool {
    device: String,
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    free: Mutex<HashMap<usize, Vec<sys::CUdeviceptr>>>,
}

/// A piece of device memory; given back to its pool when dropped.
pub(crate) struct CudaMemory {
    address: sys::CUdeviceptr,
    bytes: usize,
    pool: Arc<Pool>,
}

/// Sizes are rounded up to multiples of this, so that those that differ little can follow each other.
const GRAIN_BYTES: usize = 4096;

impl Pool {
    pub fn new(device: String, context: Arc<CudaContext>, stream: Arc<CudaStream>) -> Self {
        Self { device, context, stream, free: Mutex::default() }
    }

    /// Memory for `len` samples; what is in it is left from before.
    pub fn take(self: &Arc<Self>, len: usize) -> Result<CudaMemory, ComputeError> {
        let bytes = len.saturating_mul(size_of::<f32>()).max(1).next_multiple_of(GRAIN_BYTES);
        let kept = self.free().get_mut(&bytes).and_then(Vec::pop);
        let address = match kept {
            Some(address) => address,
            None => match self.ask(bytes) {
                Some(address) => address,
                // What is kept may be just what is missing.
                None => {
                    self.give_back_to_driver();
                    self.ask(bytes).ok_or_else(|| ComputeError::OutOfMemory {
                        device: self.device.clone(),
                        needed_bytes: bytes,
                        free_bytes: self.context.mem_get_info().ok().map(|(free, _)| free),
                    })?
                }
            },
        };
        Ok(CudaMemory { address, bytes, pool: self.clone() })
    }

    fn ask(&self, bytes: usize) -> Option<sys::CUdeviceptr> {
        self.context.bind_to_thread().ok()?;
        // SAFETY: whoever reads the memory writes it first.
        unsafe { result::malloc_sync(bytes) }.ok()
    }

    fn free(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Vec<sys::CUdeviceptr>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back_to_driver(&self) {
        // Kernels may still be using it; a device that failed holds nothing any more.
        let _ = self.stream.synchronize();
        for address in self.free().drain().flat_map(|(_, addresses)| addresses) {
            // SAFETY: nobody has the address, and nothing that used it still runs.
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

impl Drop for CudaMemory {
    fn drop(&mut self) {
        self.pool.free().entry(self.bytes).or_default().push(self.address);
    }
}

impl std::fmt::Debug for CudaMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CudaMemory").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}
