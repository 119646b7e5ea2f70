//! The pool of wgpu buffers: a new one takes longer than most kernels, because wgpu fills it with zeros.
//!
//! The queue takes launches in turn, so memory may be taken again as soon as it is given back.

use crate::buffer_pool::{BufferPool, First, Policy};
use crate::memory::Piece;
use std::fmt;
use std::sync::Arc;

/// A device's memory that is free to take.
pub(super) type Pool = BufferPool<wgpu::Buffer>;

pub(super) const POLICY: Policy<wgpu::Buffer> =
    Policy { grain_bytes: 4096, largest_bytes: usize::MAX, most_bytes: usize::MAX, first: First::Newest };

/// A buffer; given back to its pool when dropped.
pub(super) struct WgpuMemory {
    pub buffer: wgpu::Buffer,
    pub pool: Arc<Pool>,
}

impl Piece for WgpuMemory {}

impl Drop for WgpuMemory {
    fn drop(&mut self) {
        self.pool.keep(self.buffer.size() as usize, self.buffer.clone());
    }
}

impl fmt::Debug for WgpuMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WgpuMemory").field("bytes", &self.buffer.size()).finish_non_exhaustive()
    }
}
