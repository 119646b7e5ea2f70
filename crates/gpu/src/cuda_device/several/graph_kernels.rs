//! Kernels that the graphs of several GPUs have beside those of a run: GPUs wait for each other, and copy small memory, without the
//! host and its events.
//!
//! On four H100, a small kernel on each and a wait take 6.6 µs in graphs; with events that the host asks for they take 34 µs, all
//! of it the host's.

use super::super::compiled_kernels::GpuFunction;
use super::super::said;
use crate::nvrtc::{CompiledImage, ComputeCapability, Nvrtc};
use cudarc::driver::{CudaContext, DriverError, result, sys};
use std::ffi::c_void;
use std::sync::Arc;

const SOURCE: &str = include_str!("graph_kernels.cu");
/// The largest number of GPUs, of which the wait has the addresses.
const MOST_GPUS: usize = 16;
/// Words of a GPU's flags: 32 for each of the others, which then lie in lines of their own, and the number of rounds.
const WORDS: usize = 32 * (MOST_GPUS + 1);
/// Threads of a block of the wait and of the copy, and blocks of the copy at most.
const THREADS: [u32; 2] = [32, 256];
const MOST_BLOCKS: u32 = 256;

/// The kernels on each GPU, and the memory in which GPUs tell each other how far they are.
pub(in super::super) struct GraphKernels {
    gpus: Vec<OnGpu>,
    flags: [sys::CUdeviceptr; MOST_GPUS],
}

struct OnGpu {
    context: Arc<CudaContext>,
    wait: GpuFunction,
    copy: GpuFunction,
}

/// A copy of another GPU's memory.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Copied {
    pub to: sys::CUdeviceptr,
    pub from: sys::CUdeviceptr,
    /// A multiple of a word's.
    pub bytes: usize,
}

/// The first compute capability whose loads and stores order others for other GPUs.
const FIRST_THAT_ORDERS: ComputeCapability = ComputeCapability::new(7, 0);

impl GraphKernels {
    /// Whether so many GPUs of a kind can wait for each other in graphs: not where the driver waits for every launch before the next.
    pub fn take(count: usize, architecture: ComputeCapability) -> bool {
        let blocks = std::env::var_os("CUDA_LAUNCH_BLOCKING").is_some_and(|asked| asked != "0");
        count <= MOST_GPUS && architecture >= FIRST_THAT_ORDERS && !blocks
    }

    /// Compiles the kernels, and lays the flags out, for GPUs that [it takes](Self::take).
    ///
    /// # Errors
    /// What the compiler or the driver says.
    pub fn new(
        contexts: &[Arc<CudaContext>],
        nvrtc: &Nvrtc,
        architecture: ComputeCapability,
    ) -> Result<Self, String> {
        let compiled = nvrtc.cached(SOURCE, "graph_kernels.cu", architecture).map_err(|e| e.to_string())?;
        let (CompiledImage::Cubin(image) | CompiledImage::Ptx(image)) = compiled.image;
        let mut kernels = Self { gpus: Vec::new(), flags: [0; MOST_GPUS] };
        contexts.iter().try_for_each(|context| kernels.add(context, &image)).map_err(said)?;
        Ok(kernels)
    }

    fn add(&mut self, context: &Arc<CudaContext>, image: &[u8]) -> Result<(), DriverError> {
        context.bind_to_thread()?;
        let (nth, bytes) = (self.gpus.len(), WORDS * size_of::<u32>());
        // SAFETY: the image is complete (PTX ends with a zero byte), and the module is never unloaded; the flags are set before
        // any kernel sees them.
        unsafe {
            let module = result::module::load_data(image.as_ptr().cast())?;
            let function = |name: &std::ffi::CStr| {
                result::module::get_function(module, name.to_owned()).map(GpuFunction)
            };
            let (wait, copy) = (function(c"wait_for_each_other")?, function(c"copy_here")?);
            self.flags[nth] = result::malloc_sync(bytes)?;
            self.gpus.push(OnGpu { context: context.clone(), wait, copy });
            result::memset_d8_sync(self.flags[nth], 0, bytes)?;
        }
        // It may be under way still.
        context.synchronize()
    }

    /// Calls `take` with the parameters of a GPU's node that waits for the other GPUs.
    pub fn wait<R>(&self, nth: usize, take: impl FnOnce(&sys::CUDA_KERNEL_NODE_PARAMS) -> R) -> R {
        let (mut flags, mut own, mut count) = (self.flags, nth as u32, self.gpus.len() as u32);
        let mut arguments: [*mut c_void; 3] =
            [flags.as_mut_ptr().cast(), (&raw mut own).cast(), (&raw mut count).cast()];
        take(&node_of(&self.gpus[nth].wait, 1, THREADS[0], &mut arguments))
    }

    /// Calls `take` with the parameters of a GPU's node that copies memory to it.
    pub fn copy<R>(
        &self,
        nth: usize,
        copied: &Copied,
        take: impl FnOnce(&sys::CUDA_KERNEL_NODE_PARAMS) -> R,
    ) -> R {
        let Copied { mut to, mut from, bytes } = *copied;
        let mut words = (bytes / size_of::<u32>()) as u32;
        let blocks = words.div_ceil(THREADS[1]).clamp(1, MOST_BLOCKS);
        let mut arguments: [*mut c_void; 3] =
            [(&raw mut to).cast(), (&raw mut from).cast(), (&raw mut words).cast()];
        take(&node_of(&self.gpus[nth].copy, blocks, THREADS[1], &mut arguments))
    }
}

/// A node of a kernel whose blocks and threads are in one line; its arguments are valid as long as those given.
fn node_of(
    function: &GpuFunction,
    blocks: u32,
    threads: u32,
    arguments: &mut [*mut c_void; 3],
) -> sys::CUDA_KERNEL_NODE_PARAMS {
    sys::CUDA_KERNEL_NODE_PARAMS {
        func: function.0,
        gridDimX: blocks,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: threads,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: arguments.as_mut_ptr(),
        extra: std::ptr::null_mut(),
        kern: std::ptr::null_mut(),
        ctx: std::ptr::null_mut(),
    }
}

impl Drop for GraphKernels {
    fn drop(&mut self) {
        for (OnGpu { context, .. }, &flags) in self.gpus.iter().zip(&self.flags) {
            if context.bind_to_thread().is_ok() {
                // SAFETY: allocated above; the driver waits for kernels that use it.
                let _ = unsafe { result::free_sync(flags) };
            }
        }
    }
}

#[cfg(test)]
mod needs_nvrtc {
    use super::*;
    use crate::nvrtc::Nvrtc;
    use veloxel_testkit::every_device::here;

    #[test]
    fn they_compile() {
        let nvrtc = here("nvrtc", Nvrtc::find());
        let compiled = nvrtc.compile(SOURCE, "graph_kernels.cu", ComputeCapability::new(9, 0)).unwrap();
        assert_eq!(compiled.log, "");
    }
}
