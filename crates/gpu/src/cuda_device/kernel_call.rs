//! One launch of a compiled kernel, with its arguments' values.

use super::launch_dependencies::Access;
use crate::launches::launch::Launch;
use cudarc::driver::{CudaStream, DriverError, result, sys};
use std::ffi::c_void;
use std::sync::Arc;
use wgsl_to_cuda::{Binding, LaunchPart};

/// A compiled kernel. Its module is never unloaded while the device lives.
pub(super) struct Kernel {
    /// Names of the kernel and of its entry point, for messages.
    pub name: (&'static str, &'static str),
    pub function: sys::CUfunction,
    pub bindings: Vec<Binding>,
    pub block: [u32; 3],
    /// Whether the kernel itself waits for kernels that still run ([`wgsl_to_cuda::AWAITS`]).
    pub awaits: bool,
}

// SAFETY: a function's handle may be used from any thread that has its context current.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

/// All values that a launch of a kernel needs; it may be launched later, and more than once.
#[derive(Clone)]
pub(super) struct Call {
    pub kernel: Arc<Kernel>,
    pub groups: [u32; 3],
    /// The memory of the bound buffers, and whether the kernel writes it.
    pub accesses: Vec<Access>,
    /// The arguments' values in order; each starts at a word of its own.
    words: Vec<u64>,
}

/// Number of words of an argument.
fn words_of(binding: &Binding) -> usize {
    match binding {
        Binding::Uniform { size, .. } => (*size as usize).div_ceil(size_of::<u64>()),
        Binding::Storage { .. } => 1,
    }
}

impl Call {
    /// `bound` holds the memory of each buffer of the launch, `None` where a buffer is absent; the kernel then gets a
    /// null pointer.
    pub fn new(kernel: Arc<Kernel>, launch: &Launch<'_>, bound: &[Option<Access>]) -> Self {
        let mut words = Vec::with_capacity(kernel.bindings.iter().map(words_of).sum());
        for binding in &kernel.bindings {
            match *binding {
                Binding::Uniform { size, .. } => {
                    let block = launch.uniform;
                    assert!(size as usize <= block.len(), "a uniform block should be as long as its struct");
                    words.extend(block[..size as usize].chunks(size_of::<u64>()).map(|bytes| {
                        let mut word = [0; size_of::<u64>()];
                        word[..bytes.len()].copy_from_slice(bytes);
                        u64::from_ne_bytes(word)
                    }));
                }
                Binding::Storage { binding } => {
                    words.push(bound[binding as usize - 1].map_or(0, |access| access.address));
                }
            }
        }
        let accesses = bound.iter().flatten().copied().collect();
        Self { kernel, groups: launch.groups, accesses, words }
    }

    /// The kernel's name and how many threads it has, about.
    pub(crate) fn profile_name(&self) -> String {
        let ([gx, gy, gz], [bx, by, bz]) = (self.groups, self.kernel.block);
        let threads = u64::from(gx * bx) * u64::from(gy * by) * u64::from(gz * bz);
        let (name, entry) = self.kernel.name;
        format!("{name}, {entry}, 2^{}", threads.ilog2())
    }

    /// Makes the kernel use the memory at `to` wherever it would use that at `from`.
    pub(crate) fn use_instead(&mut self, from: u64, to: u64) {
        let mut at = 0;
        for binding in &self.kernel.bindings {
            match binding {
                Binding::Storage { .. } if self.words[at] == from => self.words[at] = to,
                _ => {}
            }
            at += words_of(binding);
        }
    }

    /// Whether both calls have the same argument values; both must be of the same kernel.
    pub(crate) fn has_values_of(&self, other: &Self) -> bool {
        self.words == other.words
    }

    /// Pointers to the arguments' values; they are valid while the call lives.
    fn arguments(&self) -> Vec<*mut c_void> {
        let mut at = 0;
        let start = |binding: &Binding| {
            let value = &self.words[at];
            at += words_of(binding);
            std::ptr::from_ref(value).cast_mut().cast()
        };
        self.kernel.bindings.iter().map(start).collect()
    }

    /// Launches the kernel on `stream`.
    pub fn launch(&self, stream: &CudaStream) -> Result<(), DriverError> {
        let ([gx, gy, gz], [bx, by, bz]) = (self.groups, self.kernel.block);
        let (function, stream) = (self.kernel.function, stream.cu_stream());
        let mut arguments = self.arguments();
        // SAFETY: the arguments are those of the kernel's bindings, and live until the call returns. Kernels validate
        // their buffers' lengths before they launch, and the sources access nothing outside them.
        unsafe { result::launch_kernel(function, (gx, gy, gz), (bx, by, bz), 0, stream, &mut arguments) }
    }

    /// Launches a part of the workgroups on `stream`, whose context must be current, with a function that takes the part as its
    /// last argument.
    pub fn launch_part(
        &self,
        function: sys::CUfunction,
        groups: [u32; 3],
        part: LaunchPart,
        stream: &CudaStream,
    ) -> Result<(), DriverError> {
        let ([gx, gy, gz], [bx, by, bz]) = (groups, self.kernel.block);
        let mut arguments = self.arguments();
        arguments.push(std::ptr::from_ref(&part).cast_mut().cast());
        // SAFETY: as in `launch`; the part lives until the call returns.
        unsafe {
            result::launch_kernel(function, (gx, gy, gz), (bx, by, bz), 0, stream.cu_stream(), &mut arguments)
        }
    }

    /// Calls `take` with the parameters of a kernel node of a CUDA graph. The pointers in them are valid until `take`
    /// returns.
    pub(crate) fn as_node<R>(&self, take: impl FnOnce(&sys::CUDA_KERNEL_NODE_PARAMS) -> R) -> R {
        take(&self.node(self.kernel.function, self.groups, &mut self.arguments()))
    }

    /// Calls `take` with the parameters of a node that does a part of the workgroups, of a function that takes the part as its last
    /// argument.
    pub(crate) fn as_part_node<R>(
        &self,
        function: sys::CUfunction,
        groups: [u32; 3],
        part: LaunchPart,
        take: impl FnOnce(&sys::CUDA_KERNEL_NODE_PARAMS) -> R,
    ) -> R {
        let mut arguments = self.arguments();
        arguments.push(std::ptr::from_ref(&part).cast_mut().cast());
        take(&self.node(function, groups, &mut arguments))
    }

    /// A node whose pointers are valid as long as the arguments.
    fn node(
        &self,
        function: sys::CUfunction,
        groups: [u32; 3],
        arguments: &mut [*mut c_void],
    ) -> sys::CUDA_KERNEL_NODE_PARAMS {
        let ([gx, gy, gz], [bx, by, bz]) = (groups, self.kernel.block);
        sys::CUDA_KERNEL_NODE_PARAMS {
            func: function,
            gridDimX: gx,
            gridDimY: gy,
            gridDimZ: gz,
            blockDimX: bx,
            blockDimY: by,
            blockDimZ: bz,
            sharedMemBytes: 0,
            kernelParams: arguments.as_mut_ptr(),
            extra: std::ptr::null_mut(),
            kern: std::ptr::null_mut(),
            ctx: std::ptr::null_mut(),
        }
    }
}
