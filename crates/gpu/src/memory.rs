//! Memory of a GPU, owned.

use super::cuda_device::CudaMemory;
use super::wgpu_device::WgpuMemory;

/// A piece of device memory; given back when dropped.
#[derive(Debug)]
pub(crate) enum GpuMemory {
    Wgpu(WgpuMemory),
    Cuda(CudaMemory),
}
