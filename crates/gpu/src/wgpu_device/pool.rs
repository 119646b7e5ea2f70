//! Memory that is kept for the next of its size: a driver that is asked for a volume takes longer than most kernels, and
//! wgpu zeroes it first.
//!
//! The queue takes launches in turn, so memory may be taken again as soon as it is given back.

use crate::element::Word;
use crate::memory::Piece;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A device's memory that is free to take: buffers by size.
#[derive(Default)]
pub(super) struct Pool {
    free: Mutex<HashMap<u64, Vec<wgpu::Buffer>>>,
}

/// A buffer; given back to its pool when dropped.
pub(crate) struct WgpuMemory {
    buffer: wgpu::Buffer,
    pool: Arc<Pool>,
}

/// Sizes are rounded up to multiples of this, so that those that differ little can follow each other.
const GRAIN_BYTES: u64 = 4096;

impl Pool {
    /// What is asked for `words` words.
    pub fn bytes_for(words: usize) -> u64 {
        (words.saturating_mul(size_of::<Word>()).max(1) as u64).next_multiple_of(GRAIN_BYTES)
    }

    /// Memory that was in use before.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Option<WgpuMemory> {
        let buffer = self.free().get_mut(&bytes)?.pop()?;
        Some(self.own(buffer))
    }

    /// New memory, of a size that [`Self::bytes_for`] gives.
    pub fn own(self: &Arc<Self>, buffer: wgpu::Buffer) -> WgpuMemory {
        WgpuMemory { buffer, pool: self.clone() }
    }

    pub fn give_back_to_driver(&self) {
        self.free().clear();
    }

    fn free(&self) -> MutexGuard<'_, HashMap<u64, Vec<wgpu::Buffer>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WgpuMemory {
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

impl Piece for WgpuMemory {}

impl Drop for WgpuMemory {
    fn drop(&mut self) {
        self.pool.free().entry(self.buffer.size()).or_default().push(self.buffer.clone());
    }
}

impl fmt::Debug for WgpuMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WgpuMemory").field("bytes", &self.buffer.size()).finish_non_exhaustive()
    }
}
