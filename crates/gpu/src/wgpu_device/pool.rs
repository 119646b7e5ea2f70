//! The pool of wgpu buffers: a new buffer takes longer than most kernels, because wgpu fills it with zeros.
//!
//! The queue runs work in order, so a buffer can be reused as soon as it is returned.

use crate::memory::buffer_pool::BufferPool;
use crate::memory::gpu_memory::Piece;
use std::sync::Arc;

/// The free buffers of a device.
pub(super) type Pool = BufferPool<wgpu::Buffer>;

/// A new buffer, which is not mapped.
pub(super) fn create(
    device: &wgpu::Device,
    label: Option<&str>,
    size: u64,
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
}

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
