//! The GPU back ends: opens a GPU by name, opens the fastest one, and lists all.

pub(crate) use of_this_build::{fastest, list, open, open_in_parts};

use crate::error::ComputeError;
use crate::gpu::Gpu;
use crate::listing::ListedDevice;
use std::sync::Arc;

/// The fastest GPU present, and for each faster kind the reason why it cannot be used.
type Found = (Option<Arc<dyn Gpu>>, Vec<String>);

#[cfg(feature = "gpu")]
mod of_this_build {
    use super::*;
    use crate::chosen_gpus::ChosenGpus;
    use crate::{cuda_device, wgpu_device};

    /// Kinds of GPU, fastest first.
    const BY_SPEED: [&str; 2] = ["cuda", "wgpu"];

    /// Opens a GPU by name.
    pub(crate) fn open(name: &str) -> Result<Arc<dyn Gpu>, ComputeError> {
        let refuse =
            |reason: &str| ComputeError::NoDevice { name: name.to_owned(), reason: reason.to_owned() };
        let (kind, numbers) = name.split_once(':').unwrap_or((name, "0"));
        let chosen: ChosenGpus = numbers.parse().map_err(|reason: String| refuse(&reason))?;
        match kind {
            "cuda" => Ok(Arc::new(cuda_device::CudaDevice::open(&chosen)?)),
            "vulkan" | "metal" | "dx12" | "wgpu" => match chosen {
                ChosenGpus::These(numbers) if numbers.len() == 1 => {
                    Ok(Arc::new(wgpu_device::WgpuDevice::open(kind, numbers[0])?))
                }
                _ => Err(refuse("several GPUs work as one through CUDA alone: `cuda:0,1` or `cuda:all`")),
            },
            _ => Err(refuse("there is no such kind")),
        }
    }

    /// Opens the first GPU of wgpu for launches that are divided into so many.
    pub(crate) fn open_in_parts(parts: usize) -> Result<Arc<dyn Gpu>, ComputeError> {
        Ok(Arc::new(wgpu_device::WgpuDevice::open_in_parts("wgpu", 0, parts)?))
    }

    /// Opens the fastest GPU present.
    pub(crate) fn fastest() -> Found {
        let mut why_not = Vec::new();
        for name in BY_SPEED {
            if name == "wgpu" && !wgpu_device::card_may_be_there() {
                why_not.push("vulkan: the system shows no graphics card".to_owned());
                continue;
            }
            match open(name) {
                Ok(gpu) if gpu.is_hardware() => return (Some(gpu), why_not),
                Ok(gpu) => why_not.push(format!("{name}: {} is no graphics card", gpu.info().description)),
                Err(ComputeError::NoDevice { name, reason }) => why_not.push(format!("{name}: {reason}")),
                Err(error) => why_not.push(format!("{name}: {error}")),
            }
        }
        (None, why_not)
    }

    /// All GPUs; absent kinds with the reason.
    pub(crate) fn list() -> Vec<ListedDevice> {
        cuda_device::list().into_iter().chain(wgpu_device::list()).collect()
    }
}

/// The build without the feature `gpu`: every GPU is reported as absent.
#[cfg(not(feature = "gpu"))]
mod of_this_build {
    use super::*;

    const REASON: &str = "built without GPU support";

    pub(crate) fn open(name: &str) -> Result<Arc<dyn Gpu>, ComputeError> {
        Err(ComputeError::NoDevice { name: name.to_owned(), reason: REASON.to_owned() })
    }

    pub(crate) fn open_in_parts(_: usize) -> Result<Arc<dyn Gpu>, ComputeError> {
        open("wgpu")
    }

    pub(crate) fn fastest() -> Found {
        (None, vec![REASON.to_owned()])
    }

    pub(crate) fn list() -> Vec<ListedDevice> {
        ["cuda", "vulkan"]
            .map(|name| ListedDevice::Absent { name: name.to_owned(), reason: REASON.to_owned() })
            .into()
    }
}
