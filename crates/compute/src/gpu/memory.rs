//! Memory of a GPU, owned.

/// A piece of device memory; given back when dropped.
#[derive(Debug)]
pub(crate) enum GpuMemory {
    Wgpu(wgpu::Buffer),
}
