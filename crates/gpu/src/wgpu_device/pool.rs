//! The pool of wgpu buffers: a new buffer takes longer than most kernels, because wgpu fills it with zeros.
//!
//! The queue runs work in order, so a buffer can be reused as soon as it is returned.

use crate::buffer_pool::{BufferPool, First, Policy};
use crate::memory::Piece;
use std::sync::Arc;

/// The free buffers of a device.
pub(super) type Pool = BufferPool<wgpu::Buffer>;

pub(super) const POLICY: Policy<wgpu::Buffer> =
    Policy { grain_bytes: 4096, largest_bytes: usize::MAX, most_bytes: usize::MAX, first: First::Newest };

/// A buffer; returned to its pool when dropped.
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
