//! The kernels of a device that were compiled so far, by their texts and constants.

use super::fast_map::FastMap;
use super::kernel_call::Kernel;
use super::said;
use crate::compilations::{CompilationClock, Compilations};
use crate::error::ComputeError;
use crate::launches::launch::{Launch, Variant};
use crate::launches::translation::text_of;
use crate::nvrtc::{CompiledImage, ComputeCapability, Nvrtc};
use cudarc::driver::{CudaContext, result, sys};
use std::ffi::CString;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};
use wgsl_to_cuda::{AWAITS, LaunchExtent};

/// The first compute capability whose kernels can begin while others, whose results they need, still run.
const FIRST_THAT_BEGINS_EARLY: ComputeCapability = ComputeCapability::new(9, 0);

/// The compiled kernels of a device.
pub(super) struct CompiledKernels {
    device: String,
    nvrtc: Nvrtc,
    architecture: ComputeCapability,
    /// The contexts of its GPUs, the first one first.
    contexts: Vec<Arc<CudaContext>>,
    whole: Mutex<FastMap<Variant, Arc<Kernel>>>,
    divided: Mutex<FastMap<Variant, DividedKernel>>,
    clock: CompilationClock,
}

/// A kernel that is launched in parts, and its function on each GPU.
#[derive(Clone)]
pub(super) struct DividedKernel {
    pub kernel: Arc<Kernel>,
    pub functions: Arc<Vec<GpuFunction>>,
}

/// A kernel's function on a GPU.
#[derive(Clone, Copy)]
pub(super) struct GpuFunction(pub sys::CUfunction);

// SAFETY: a function's handle may be used from any thread that has its context current.
unsafe impl Send for GpuFunction {}
// SAFETY: as above.
unsafe impl Sync for GpuFunction {}

impl CompiledKernels {
    /// No kernel is compiled yet; `device` is the device's name, for errors, and `contexts` are those of its GPUs.
    pub fn new(
        device: String,
        nvrtc: Nvrtc,
        architecture: ComputeCapability,
        contexts: Vec<Arc<CudaContext>>,
    ) -> Self {
        let (whole, divided, clock) = Default::default();
        Self { device, nvrtc, architecture, contexts, whole, divided, clock }
    }

    /// The kernel of a launch that the first GPU does alone.
    pub fn whole(&self, launch: &Launch<'_>) -> Result<Arc<Kernel>, ComputeError> {
        let variant = launch.variant();
        let mut kernels = self.whole.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&variant) {
            return Ok(kernel.clone());
        }
        let kernel = self.compiled(launch, LaunchExtent::Whole, &self.contexts[..1])?.kernel;
        kernels.insert(variant, kernel.clone());
        Ok(kernel)
    }

    /// The kernel of a launch that is divided among the GPUs.
    pub fn divided(&self, launch: &Launch<'_>) -> Result<DividedKernel, ComputeError> {
        let variant = launch.variant();
        let mut kernels = self.divided.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&variant) {
            return Ok(kernel.clone());
        }
        let kernel = self.compiled(launch, LaunchExtent::Part, &self.contexts)?;
        kernels.insert(variant, kernel.clone());
        Ok(kernel)
    }

    /// What was compiled so far, and for how long.
    pub fn compilations(&self) -> Compilations {
        self.clock.compilations()
    }

    fn compiled(
        &self,
        launch: &Launch<'_>,
        extent: LaunchExtent,
        contexts: &[Arc<CudaContext>],
    ) -> Result<DividedKernel, ComputeError> {
        let name = (launch.source.name, launch.entry);
        let compile = || self.compile(launch, extent, contexts);
        let compiled = self.clock.time([name.0, name.1], compile);
        compiled.map_err(|reason| ComputeError::DeviceFailed {
            device: self.device.clone(),
            reason: format!("kernel `{}`, `{}`: {reason}", name.0, name.1),
        })
    }

    /// Compiles a kernel and loads it into contexts; it has the function of the first one.
    fn compile(
        &self,
        launch: &Launch<'_>,
        extent: LaunchExtent,
        contexts: &[Arc<CudaContext>],
    ) -> Result<DividedKernel, String> {
        let text = text_of(self.nvrtc.cache(), launch, extent).map_err(in_words)?;
        let file = format!("{}.cu", launch.entry);
        let compiled = self.nvrtc.cached(&text.source, &file, self.architecture).map_err(in_words)?;
        let (CompiledImage::Cubin(image) | CompiledImage::Ptx(image)) = compiled.image;
        let entry = CString::new(text.entry).map_err(in_words)?;
        let load = |context: &Arc<CudaContext>| {
            context.bind_to_thread()?;
            // SAFETY: the image is complete (PTX ends with a zero byte), and the module is never unloaded.
            unsafe {
                let module = result::module::load_data(image.as_ptr().cast())?;
                result::module::get_function(module, entry.clone()).map(GpuFunction)
            }
        };
        let functions = contexts.iter().map(load).collect::<Result<Vec<_>, _>>().map_err(said)?;
        let awaits = self.architecture >= FIRST_THAT_BEGINS_EARLY && text.source.contains(AWAITS);
        let name = (launch.source.name, launch.entry);
        let (bindings, block) = (text.bindings, text.workgroup_size);
        let kernel = Arc::new(Kernel { name, function: functions[0].0, bindings, block, awaits });
        Ok(DividedKernel { kernel, functions: Arc::new(functions) })
    }
}

fn in_words(error: impl Display) -> String {
    error.to_string()
}
