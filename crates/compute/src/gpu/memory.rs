//! Memory of a GPU, owned.

use super::cuda_device::CudaMemory;

/// A piece of device memory; given back when dropped.
#[derive(Debug)]
pub(crate) enum GpuMemory {
    Wgpu(wgpu::Buffer),
    Cuda(CudaMemory),
}
