//! A device on which kernels run: the processor, or a GPU through wgpu or CUDA.

use crate::processor::instruction_set;
use crate::{ComputeError, Cpu, DeviceInfo, Gpu, Listing, MemoryStats, Timestamp, backends};
use std::sync::Arc;
use veloxel_core::SystemMemory;

/// A place where kernels run; cheap to clone.
#[derive(Debug, Clone)]
pub struct Device {
    kind: Kind,
}

/// What a device is: the one match every kernel makes.
#[derive(Debug, Clone)]
pub enum Kind {
    /// The processor.
    Cpu(Cpu),
    /// A GPU.
    Gpu(Arc<dyn Gpu>),
}

impl Device {
    /// The processor with `threads` threads (0: as many as the machine has).
    ///
    /// # Errors
    /// [`ComputeError::Threads`] if they cannot be started.
    pub fn cpu(threads: usize) -> Result<Self, ComputeError> {
        Ok(Self { kind: Kind::Cpu(Cpu::new(threads)?) })
    }

    /// The device of a name: `cpu`, `cuda`, `vulkan`, `metal`, `dx12`, `wgpu` (any of these three), each GPU with `:1` for
    /// the second of its kind.
    ///
    /// # Errors
    /// [`ComputeError::NoDevice`] with the reason; [`ComputeError::Threads`].
    pub fn named(name: &str, threads: usize) -> Result<Self, ComputeError> {
        if name == "cpu" {
            return Self::cpu(threads);
        }
        Ok(Self { kind: Kind::Gpu(backends::open(name)?) })
    }

    /// The fastest device present: CUDA, then any other GPU, then the processor.
    ///
    /// # Errors
    /// As [`Self::cpu`].
    pub fn auto() -> Result<Self, ComputeError> {
        Self::auto_because(0).map(|(device, _)| device)
    }

    /// [`Self::auto`] with `threads` for the processor, and why it was chosen.
    ///
    /// # Errors
    /// As [`Self::cpu`].
    pub fn auto_because(threads: usize) -> Result<(Self, String), ComputeError> {
        let why_none = match backends::fastest() {
            Ok((gpu, why_not)) => {
                let because = match why_not.is_empty() {
                    true => "the fastest kind there is".to_owned(),
                    false => format!("the fastest present; {}", why_not.join("; ")),
                };
                return Ok((Self { kind: Kind::Gpu(gpu) }, because));
            }
            Err(why_not) => why_not.join("; "),
        };
        Ok((Self::cpu(threads)?, format!("no GPU can be used: {why_none}")))
    }

    /// Every device of this machine, and why others cannot be used.
    pub fn list() -> Vec<Listing> {
        let cpu = Self::cpu(0).map(|d| Listing::Present(d.info()));
        cpu.into_iter().chain(backends::list()).collect()
    }

    /// What this device is.
    pub fn info(&self) -> DeviceInfo {
        match &self.kind {
            Kind::Cpu(cpu) => DeviceInfo {
                name: "cpu".to_owned(),
                description: format!("{} threads, {}", cpu.threads(), instruction_set()),
                memory_bytes: SystemMemory::now().map(|memory| memory.total_bytes),
            },
            Kind::Gpu(gpu) => gpu.info(),
        }
    }

    /// Whether kernels run on a GPU.
    pub fn is_gpu(&self) -> bool {
        matches!(self.kind, Kind::Gpu(_))
    }

    /// This point of what the device was asked for, where downloads can begin before what comes later.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn mark(&self) -> Result<Option<Timestamp>, ComputeError> {
        match &self.kind {
            Kind::Cpu(_) => Ok(None),
            Kind::Gpu(gpu) => gpu.mark(),
        }
    }
    /// Waits until everything asked for so far is done; on the processor it always is.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn synchronise(&self) -> Result<(), ComputeError> {
        match &self.kind {
            Kind::Cpu(_) => Ok(()),
            Kind::Gpu(gpu) => gpu.synchronise(),
        }
    }
    /// This point of what the device was asked for, on its clock.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn stamp(&self) -> Result<Timestamp, ComputeError> {
        match &self.kind {
            Kind::Cpu(_) => Ok(Timestamp::now()),
            Kind::Gpu(gpu) => gpu.stamp(),
        }
    }
    /// Milliseconds that the device spends on `work`: by its own clock where it has one.
    ///
    /// # Errors
    /// Whatever `work` fails with; [`ComputeError::DeviceFailed`].
    pub fn time_ms(
        &self,
        mut work: impl FnMut() -> Result<(), ComputeError> + Send,
    ) -> Result<f64, ComputeError> {
        let start = self.stamp()?;
        self.scope(&mut work)?;
        self.stamp()?.ms_after(&start)
    }
    /// Bytes of memory that are free, where a GPU's driver says.
    pub fn free_bytes(&self) -> Option<usize> {
        match &self.kind {
            Kind::Cpu(_) => None,
            Kind::Gpu(gpu) => gpu.free_bytes(),
        }
    }
    /// What the device's memory was asked for so far.
    pub fn memory_stats(&self) -> MemoryStats {
        match &self.kind {
            Kind::Cpu(cpu) => cpu.memory_stats(),
            Kind::Gpu(gpu) => gpu.memory_stats(),
        }
    }
    /// Runs a whole method on the device's own threads, so that its kernels need not change threads.
    pub fn scope<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.kind {
            Kind::Cpu(cpu) => cpu.install(work),
            Kind::Gpu(_) => work(),
        }
    }

    /// Runs of launches that came from a recording; none where the device records no launches.
    pub fn replayed_runs(&self) -> Option<usize> {
        match &self.kind {
            Kind::Cpu(_) => None,
            Kind::Gpu(gpu) => gpu.replayed_runs(),
        }
    }
    /// What it is: kernels choose their text by it.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }
}
