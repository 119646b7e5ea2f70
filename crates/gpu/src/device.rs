//! A device on which kernels run: the processor, or a GPU through wgpu or CUDA.

use crate::backends;
use crate::compilations::Compilations;
use crate::error::ComputeError;
use crate::gpu::{ErrorCorrection, Gpu};
use crate::launches::counts::LaunchCounts;
use crate::launches::launch::Launch;
use crate::listing::{DeviceInfo, ListedDevice};
use crate::memory::buffer::{Buffer, Memory};
use crate::memory::buffer_pool::MemoryStats;
use crate::memory::result_memory::ResultMemory;
use crate::memory::traffic::{CountedTraffic, Traffic};
use crate::processor::{Cpu, instruction_set};
use crate::textures::{Texture, TextureLayout};
use crate::timestamp::Timestamp;
use std::sync::{Arc, OnceLock};
use veloxel_core::{Axes, Control, Stopped, SystemMemory};

/// The processor or a GPU, on which kernels run; a clone refers to the same device and the same channel, and is cheap.
#[derive(Debug, Clone)]
pub struct Device {
    kind: DeviceKind,
    control: Control,
    results: Arc<ResultMemory>,
    counts: Option<Arc<LaunchCounts>>,
    traffic: Arc<CountedTraffic>,
    host: Arc<HostThreads>,
}

/// Threads of the host beside a GPU, which are started once they are needed; none where they cannot be.
#[derive(Debug, Default)]
struct HostThreads {
    /// How many; 0: as many as the machine has.
    count: usize,
    cpu: OnceLock<Option<Cpu>>,
}

/// The kind of a device; every kernel matches on it to choose its implementation.
#[derive(Debug, Clone)]
pub enum DeviceKind {
    /// The processor.
    Cpu(Cpu),
    /// A GPU.
    Gpu(Arc<dyn Gpu>),
}

impl Device {
    /// The processor with `threads` threads; 0 means as many as the machine has.
    ///
    /// # Errors
    /// [`ComputeError::Threads`] if they cannot be started.
    pub fn cpu(threads: usize) -> Result<Self, ComputeError> {
        let cpu = Cpu::new(threads)?;
        let (control, results, traffic) = (cpu.control.clone(), Arc::default(), Arc::default());
        let host = Arc::default();
        Ok(Self { kind: DeviceKind::Cpu(cpu), control, results, counts: None, traffic, host })
    }

    /// A device with the same threads and memory and another channel: for a run beside another one, which is followed and
    /// stopped on its own.
    #[must_use]
    pub fn controlled_by(&self, control: Control) -> Self {
        let kind = match &self.kind {
            DeviceKind::Cpu(cpu) => DeviceKind::Cpu(cpu.controlled_by(control.clone())),
            gpu => gpu.clone(),
        };
        Self { kind, control, ..self.clone() }
    }

    /// This device, with so many threads beside it for work on the host, if it is a GPU; 0: as many as the machine has.
    #[must_use]
    pub fn with_host_threads(&self, count: usize) -> Self {
        Self { host: Arc::new(HostThreads { count, cpu: OnceLock::new() }), ..self.clone() }
    }

    /// The threads for work on the host: those of the processor that it is, or others beside a GPU; none where these cannot be started.
    pub fn host_threads(&self) -> Option<&Cpu> {
        match &self.kind {
            DeviceKind::Cpu(cpu) => Some(cpu),
            DeviceKind::Gpu(_) => self.host.cpu.get_or_init(|| Cpu::new(self.host.count).ok()).as_ref(),
        }
    }

    /// This device, whose launches on a GPU are counted.
    #[must_use]
    pub fn counting(&self, counts: Arc<LaunchCounts>) -> Self {
        Self { counts: Some(counts), ..self.clone() }
    }

    /// Counts a launch that is made next, where launches are counted.
    #[doc(hidden)]
    pub fn count(&self, launch: &Launch<'_>) {
        if let Some(counts) = &self.counts {
            counts.count(launch);
        }
    }

    /// The channel through which every run on this device reports progress, and is stopped.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Asks whether the run on this device is to go on: [`Control::check`].
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn check(&self) -> Result<(), Stopped> {
        self.control.check()
    }

    /// Opens a device by name: `cpu`, `cuda`, `vulkan`, `metal`, `dx12`, or `wgpu` (any of the last three). A suffix
    /// selects among several GPUs of a kind: `:1` is the second; `cuda:0,1` and `cuda:all` are several that work as one, with
    /// the results of one.
    ///
    /// # Errors
    /// [`ComputeError::NoDevice`] with the reason; [`ComputeError::Threads`] as [`Self::cpu`].
    pub fn named(name: &str, threads: usize) -> Result<Self, ComputeError> {
        if name == "cpu" { Self::cpu(threads) } else { backends::open(name).map(Self::of) }
    }

    /// Opens the first GPU of wgpu for launches of which each is divided into so many, as several GPUs share them: a test that
    /// kernels need nothing of each other's parts, on a machine with one GPU or none.
    ///
    /// # Errors
    /// [`ComputeError::NoDevice`] with the reason.
    #[doc(hidden)]
    pub fn in_parts(parts: usize) -> Result<Self, ComputeError> {
        backends::open_in_parts(parts).map(Self::of)
    }

    /// Opens the fastest device present: CUDA first, then any other GPU, then the processor.
    ///
    /// # Errors
    /// As [`Self::cpu`].
    pub fn auto() -> Result<Self, ComputeError> {
        Self::auto_because(0).map(|(device, _)| device)
    }

    /// Opens the device of [`Self::auto`], with `threads` threads if it is the processor; returns the reason for the choice as
    /// text.
    ///
    /// # Errors
    /// As [`Self::cpu`].
    pub fn auto_because(threads: usize) -> Result<(Self, String), ComputeError> {
        let (gpu, why_not) = backends::fastest();
        let whys = why_not.join("; ");
        Ok(match gpu {
            None => (Self::cpu(threads)?, format!("no GPU can be used: {whys}")),
            Some(gpu) if whys.is_empty() => (Self::of(gpu), "the fastest kind there is".to_owned()),
            Some(gpu) => (Self::of(gpu), format!("the fastest present; {whys}")),
        })
    }

    /// All devices of this machine; kinds that cannot be used are listed with the reason.
    pub fn list() -> Vec<ListedDevice> {
        let cpu = Self::cpu(0).map(|d| ListedDevice::Present(d.info()));
        cpu.into_iter().chain(backends::list()).collect()
    }

    /// Name, description and memory size of this device.
    pub fn info(&self) -> DeviceInfo {
        match &self.kind {
            DeviceKind::Cpu(cpu) => DeviceInfo {
                name: "cpu".to_owned(),
                description: format!("{} threads, {}", cpu.threads(), instruction_set()),
                memory_bytes: SystemMemory::now().map(|memory| memory.total_bytes),
            },
            DeviceKind::Gpu(gpu) => gpu.info(),
        }
    }

    /// Whether the device is a GPU.
    pub fn is_gpu(&self) -> bool {
        self.gpu().is_some()
    }
    /// Number of GPUs that work as this device; 1 for the processor.
    pub fn gpus(&self) -> usize {
        self.gpu().map_or(1, |gpu| gpu.gpus())
    }
    /// The GPUs that work as this device, each as a device of its own under the same control: for work that they do side by side,
    /// frame by frame. A device that is one comes back alone.
    ///
    /// # Errors
    /// [`ComputeError::NoDevice`] with the reason.
    pub fn apart(&self) -> Result<Vec<Self>, ComputeError> {
        let each = self.gpu().map_or(Ok(Vec::new()), |gpu| gpu.each())?;
        if each.is_empty() {
            return Ok(vec![self.clone()]);
        }
        Ok(each.into_iter().map(|gpu| Self { kind: DeviceKind::Gpu(gpu), ..self.clone() }).collect())
    }
    /// The same GPU opened once more under the same control, with queues, memory and loaded kernels of its own: for work whose kernels
    /// should not stand in line with those of this one. None on a processor, of several GPUs as one device, and where nothing is won
    /// by it.
    ///
    /// # Errors
    /// [`ComputeError::NoDevice`] with the reason.
    pub fn again(&self) -> Result<Option<Self>, ComputeError> {
        let gpu = self.gpu().map_or(Ok(None), |gpu| gpu.again())?;
        Ok(gpu.map(|gpu| Self { kind: DeviceKind::Gpu(gpu), ..self.clone() }))
    }
    fn of(gpu: Arc<dyn Gpu>) -> Self {
        let (control, results, traffic, host) = Default::default();
        Self { kind: DeviceKind::Gpu(gpu), control, results, counts: None, traffic, host }
    }
    /// Where the memory of results comes from.
    pub(crate) fn results(&self) -> &ResultMemory {
        &self.results
    }
    /// Bytes that this device and its clones copied between the host and a GPU so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic.so_far()
    }
    /// Counts what goes over the bus.
    pub(crate) fn counted_traffic(&self) -> &CountedTraffic {
        &self.traffic
    }
    fn gpu(&self) -> Option<&Arc<dyn Gpu>> {
        match &self.kind {
            DeviceKind::Cpu(_) => None,
            DeviceKind::Gpu(gpu) => Some(gpu),
        }
    }

    /// A timestamp at the current end of the submitted work; a download after it need not wait for later work. `None`
    /// on the processor and on devices without such timestamps.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn mark(&self) -> Result<Option<Timestamp>, ComputeError> {
        self.gpu().map_or(Ok(None), |gpu| gpu.mark())
    }
    /// Blocks until all submitted work is done. Returns at once on the processor, where each call completes before it
    /// returns.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn synchronise(&self) -> Result<(), ComputeError> {
        self.gpu().map_or(Ok(()), |gpu| gpu.synchronise())
    }
    /// A timestamp at the current end of the submitted work, on the device's clock; on the processor, the current time.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn stamp(&self) -> Result<Timestamp, ComputeError> {
        self.gpu().map_or_else(|| Ok(Timestamp::now()), |gpu| gpu.stamp())
    }
    /// The time that the device spends on `work`, in milliseconds: on its own clock if it has one, else on the host's.
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
    /// Free device memory in bytes; `None` on the processor and where a GPU's driver does not report it.
    pub fn free_bytes(&self) -> Option<usize> {
        self.gpu()?.free_bytes()
    }
    /// A texture of a volume's samples, x fastest; waits for all work that was asked for.
    ///
    /// # Errors
    /// [`ComputeError::Lacks`] on devices whose kernels have no textures; [`ComputeError::Length`] if the buffer does not hold
    /// that volume; [`ComputeError::DeviceFailed`], also for volumes larger than a texture may be.
    pub fn texture<'a>(
        &self,
        samples: &'a Buffer,
        size: Axes<usize>,
        layout: TextureLayout,
    ) -> Result<Texture<'a>, ComputeError> {
        samples.require(size.iter().product(), "texture", "samples")?;
        match (self.kind(), samples.memory()) {
            (DeviceKind::Gpu(gpu), Memory::Gpu(memory)) => {
                Ok(Texture::of(samples, gpu.texture(memory, size, layout)?))
            }
            (DeviceKind::Cpu(_), Memory::Gpu(_)) => Err(ComputeError::WrongDevice),
            _ => Err(ComputeError::Lacks { device: self.info().name, what: "textures" }),
        }
    }
    /// Whether the device's memory is checked and corrected (ECC); `None` on the processor and where a GPU's driver does not
    /// report it.
    pub fn error_correction(&self) -> Option<ErrorCorrection> {
        self.gpu()?.error_correction()
    }
    /// Gives memory that is kept for later requests back to the system or the driver; waits for the device. This helps when the
    /// next work needs pieces of other sizes under a budget.
    pub fn release_kept(&self) {
        self.results.clear();
        match &self.kind {
            DeviceKind::Cpu(cpu) => drop(cpu.memory.drain()),
            DeviceKind::Gpu(gpu) => gpu.release_kept(),
        }
    }
    /// Statistics of the device's memory: allocations so far, and bytes kept for reuse.
    pub fn memory_stats(&self) -> MemoryStats {
        match &self.kind {
            DeviceKind::Cpu(cpu) => cpu.memory.stats(),
            DeviceKind::Gpu(gpu) => gpu.memory_stats(),
        }
    }
    /// The kernels that the driver compiled since the device was opened, and which of them took longest: no stop ends such a
    /// call. `None` on the processor, whose kernels are compiled already.
    pub fn compilations(&self) -> Option<Compilations> {
        Some(self.gpu()?.compilations())
    }
    /// Runs `work` on the thread pool of the processor, so that the kernels in it need not switch threads; on a GPU, on
    /// the calling thread.
    pub fn scope<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.kind {
            DeviceKind::Cpu(cpu) => cpu.install(work),
            DeviceKind::Gpu(_) => work(),
        }
    }

    /// Runs two pieces of work: side by side on the threads of the processor, one after the other on a GPU.
    pub fn join<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match &self.kind {
            DeviceKind::Cpu(cpu) => cpu.join(first, second),
            DeviceKind::Gpu(_) => (first(), second()),
        }
    }

    /// Number of runs of launches that were replayed from a recording; `None` where the device records none.
    pub fn replayed_runs(&self) -> Option<usize> {
        self.gpu()?.replayed_runs()
    }
    /// The kind of the device; kernels choose their implementation by it.
    pub fn kind(&self) -> &DeviceKind {
        &self.kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_has_no_textures() {
        let device = Device::cpu(1).unwrap();
        let samples = device.upload(vec![0.0; 8]).unwrap();
        let error = device.texture(&samples, [2; 3], TextureLayout::Line).unwrap_err();
        assert_eq!(error.to_string(), "cpu has no textures");
        let error = device.texture(&samples, [3; 3], TextureLayout::Volume).unwrap_err();
        assert!(matches!(error, ComputeError::Length { expected: 27, got: 8, .. }), "{error}");
    }
}
