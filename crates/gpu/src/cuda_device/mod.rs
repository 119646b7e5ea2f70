//! NVIDIA GPUs through the CUDA driver API; a build of Veloxel needs no CUDA toolkit.
//!
//! A kernel's WGSL is translated to CUDA C++ ([`wgsl_to_cuda`]) and compiled by NVRTC when it is first launched;
//! compiled kernels are cached on disk. Kernels run on one stream, in the order in which they were launched. Transfers
//! have streams of their own; events order them with the kernels, without a wait on the host.

mod compiled_kernels;
mod downloads;
mod fast_map;
mod foreign;
mod graphs;
mod kernel_call;
mod launch_dependencies;
mod pinned;
mod pool;
mod profile;
mod queue;
mod queues;
mod recording;
mod several;
mod task;
mod textures;
mod uploads;

use crate::chosen_gpus::ChosenGpus;
use crate::compilations::Compilations;
use crate::error::ComputeError;
use crate::gpu::{ErrorCorrection, Gpu, HostSide, MemoryStretch, QueueNumber};
use crate::launches::bindings::BoundBuffer;
use crate::launches::launch::Launch;
use crate::listing::{DeviceInfo, ListedDevice};
use crate::memory::buffer_pool::MemoryStats;
use crate::memory::element::Word;
use crate::memory::gpu_memory::GpuMemory;
use crate::memory::host_memory::MemoryContent;
use crate::memory::place::PointerPlace;
use crate::nvrtc::{ComputeCapability, Nvrtc};
use crate::textures::{OwnedTexture, TextureLayout};
use crate::timestamp::{Moment, Timestamp};
use compiled_kernels::{CompiledKernels, DividedKernel};
use cudarc::driver::{CudaContext, CudaEvent, DriverError, sys};
use downloads::{Downloads, Ready};
use kernel_call::{Call, Kernel};
use launch_dependencies::Access;
use pinned::Copyists;
use pool::{CudaMemory, Pool};
use profile::HostTimes;
use queue::{Queue, Refusal};
use queues::Queues;
use several::{DividedCall, Several, SmallMemory, UsedMemory};
use std::fmt;
use std::sync::Arc;
use uploads::Uploads;
use veloxel_core::Axes;

/// An open CUDA device: a GPU, or several that work as one.
pub(crate) struct CudaDevice {
    info: DeviceInfo,
    context: Arc<CudaContext>,
    queues: Arc<Queues>,
    pool: Arc<Pool>,
    /// The GPUs, if there is more than one.
    several: Option<Arc<Several>>,
    /// The numbers of its GPUs.
    ordinals: Vec<usize>,
    kernels: CompiledKernels,
    uploads: Uploads,
    downloads: Downloads,
    times: Arc<HostTimes>,
}

impl CudaDevice {
    /// Opens the GPUs that were chosen, as one device.
    pub fn open(chosen: &ChosenGpus) -> Result<Self, ComputeError> {
        let name = format!("cuda{chosen}");
        let refuse = |reason: String| ComputeError::NoDevice { name: name.clone(), reason };
        let ordinals = chosen.among(count().map_err(&refuse)?).map_err(&refuse)?;
        let refuse_driver = |e: DriverError| refuse(format!("the driver refuses it: {}", said(e)));
        let contexts = ordinals.iter().map(|&ordinal| CudaContext::new(ordinal));
        let contexts = contexts.collect::<Result<Vec<_>, _>>().map_err(refuse_driver)?;
        let context = contexts[0].clone();
        let transfers = || context.new_stream().map_err(refuse_driver);
        let (up, down) = (transfers()?, transfers()?);
        let driver = driver_version().map_err(refuse_driver)?;
        let nvrtc = Nvrtc::find_for(driver / 1000).map_err(|e| refuse(e.to_string()))?;
        let (major, minor) = context.compute_capability().map_err(refuse_driver)?;
        let architecture = ComputeCapability::new(major.unsigned_abs(), minor.unsigned_abs());
        let several = match contexts.len() {
            1 => None,
            _ => Some(Arc::new(Several::join(&name, &contexts, &nvrtc, architecture)?)),
        };
        let (copyists, times) = (Arc::new(Copyists::default()), Arc::new(HostTimes::asked_for()));
        let queues = Queues::open(context.clone(), several.clone(), driver, times.clone());
        let queues = Arc::new(queues.map_err(refuse_driver)?);
        let one = describe(&context, &nvrtc, driver).map_err(refuse_driver)?;
        let description = match &several {
            None => one,
            Some(several) => format!("{} × {one}, {}", several.count(), several.transport.text()),
        };
        let memory = contexts.iter().map(|context| context.total_mem().ok().map(|bytes| bytes as u64));
        let info = DeviceInfo { description, memory_bytes: memory.sum(), name };
        let pool = Pool::new(info.name.clone(), context.clone(), queues.clone(), several.clone());
        let (pool, info_name) = (Arc::new(pool), info.name.clone());
        Ok(Self {
            info,
            kernels: CompiledKernels::new(info_name, nvrtc, architecture, contexts),
            context,
            queues,
            pool,
            several,
            ordinals,
            uploads: Uploads::new(up, copyists.clone(), times.clone()),
            downloads: Downloads::new(down, copyists, times.clone()),
            times,
        })
    }

    fn failed(&self, reason: impl fmt::Display) -> ComputeError {
        ComputeError::DeviceFailed { device: self.info.name.clone(), reason: reason.to_string() }
    }

    /// Makes room for the copies of small memory that a divided launch needs; if that fails, once more without what the pools keep.
    fn make_room(&self, several: &Several, small: &[SmallMemory]) -> Result<(), ComputeError> {
        let again = |_| {
            self.pool.release_kept();
            several.make_room(small)
        };
        several.make_room(small).or_else(again).map_err(|_| ComputeError::OutOfMemory {
            device: self.info.name.clone(),
            needed_bytes: small.iter().map(|memory| memory.bytes).sum(),
            free_bytes: self.pool.free_bytes(),
        })
    }

    fn call(&self, kernel: Arc<Kernel>, launch: &Launch<'_>) -> Result<Call, ComputeError> {
        let mut bound = Vec::with_capacity(launch.buffers.len());
        for bind in launch.buffers {
            bound.push(match bind {
                BoundBuffer::In(buffer) | BoundBuffer::Out(buffer) => {
                    let address = buffer.gpu()?.piece::<CudaMemory>()?.address;
                    Some(Access { address, writes: matches!(bind, BoundBuffer::Out(_)) })
                }
                BoundBuffer::Absent | BoundBuffer::Spare => None,
            });
        }
        Ok(Call::new(kernel, launch, &bound))
    }
}

/// The GPU of a number, by itself.
fn opened(ordinal: usize) -> Result<Arc<dyn Gpu>, ComputeError> {
    Ok(Arc::new(CudaDevice::open(&ChosenGpus::of(ordinal))?))
}

/// The memory of a launch's buffers.
fn used_memory(launch: &Launch<'_>) -> Result<Vec<UsedMemory>, ComputeError> {
    let used = launch.buffers.iter().filter_map(|bound| match bound {
        BoundBuffer::In(buffer) => Some((buffer, false)),
        BoundBuffer::Out(buffer) => Some((buffer, true)),
        BoundBuffer::Absent | BoundBuffer::Spare => None,
    });
    used.map(|(buffer, writes)| {
        let &CudaMemory { address, bytes, .. } = buffer.gpu()?.piece::<CudaMemory>()?;
        Ok(UsedMemory { address, bytes, writes })
    })
    .collect()
}

impl Gpu for CudaDevice {
    fn info(&self) -> DeviceInfo {
        self.info.clone()
    }
    fn takes_cuda(&self) -> bool {
        true
    }
    fn is_hardware(&self) -> bool {
        true
    }
    fn allocate(&self, words: usize, content: MemoryContent) -> Result<GpuMemory, ComputeError> {
        let memory = self.pool.take(words)?;
        if content == MemoryContent::Zeros {
            self.queues.queue().clear(memory.address, words * size_of::<Word>());
        }
        Ok(GpuMemory::new(memory))
    }
    fn upload(&self, bytes: &[u8]) -> Result<GpuMemory, ComputeError> {
        let (memory, idle) = self.pool.take_landing(bytes.len().div_ceil(size_of::<Word>()))?;
        let there = self.uploads.send(bytes, memory.address, idle).map_err(|e| self.failed(said(e)))?;
        self.queues.queue().wait_for(&there).map_err(|e| self.failed(e))?;
        Ok(GpuMemory::new(memory))
    }
    fn download(
        &self,
        wanted: &[Vec<MemoryStretch<'_>>],
        after: Option<&Timestamp>,
        host: HostSide<'_>,
    ) -> Result<Vec<Vec<Word>>, ComputeError> {
        let now = if after.is_some() { None } else { self.mark()? };
        let ready = after.or(now.as_ref()).ok_or(ComputeError::WrongDevice)?.moment::<CudaMoment>()?;
        ready.require().map_err(|e| self.failed(e))?;
        let address = |MemoryStretch { memory, words }: &MemoryStretch<'_>| {
            let start = memory.piece::<CudaMemory>()?.address;
            Ok((start + (words.start * size_of::<Word>()) as u64, words.len()))
        };
        let addresses = |own: &Vec<MemoryStretch<'_>>| own.iter().map(address).collect();
        let wanted = wanted.iter().map(addresses).collect::<Result<Vec<_>, ComputeError>>()?;
        let ready = Ready { event: &ready.event, host };
        let found = self.downloads.fetch(&wanted, ready, |e| self.failed(said(e)));
        if now.is_some() {
            self.queues.queue().host_waited();
        }
        found
    }
    fn mark(&self) -> Result<Option<Timestamp>, ComputeError> {
        let stamp = self.stamp()?;
        self.queues.queue().flush().map_err(|e| self.failed(e))?;
        Ok(Some(stamp))
    }
    fn launch(&self, launch: &Launch<'_>) -> Result<(), ComputeError> {
        if launch.groups.contains(&0) {
            return Ok(());
        }
        self.times.time("launches: ask", || {
            let queue = self.queues.queue();
            if let Some(several) = &self.several
                && let Some(small) = several.divides(launch, &used_memory(launch)?)
            {
                self.make_room(several, &small)?;
                let DividedKernel { kernel, functions } = self.kernels.divided(launch)?;
                let divided = DividedCall { call: self.call(kernel, launch)?, functions, small };
                return queue.launch_divided(divided).map_err(|e| self.failed(e));
            }
            let call = self.call(self.kernels.whole(launch)?, launch)?;
            queue.launch(call).map_err(|e| self.failed(e))
        })
    }
    fn synchronise(&self) -> Result<(), ComputeError> {
        self.queues.queue().synchronise().map_err(|e| self.failed(e))
    }
    fn stamp(&self) -> Result<Timestamp, ComputeError> {
        let event = self.context.new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT));
        let event = Arc::new(event.map_err(|e| self.failed(said(e)))?);
        self.queues.queue().record(event.clone());
        let (queues, nth, device) = (self.queues.clone(), self.queues.current(), self.info.name.clone());
        Ok(Timestamp::of(CudaMoment { event, queues, nth, device }))
    }
    fn address(&self, memory: &GpuMemory) -> Result<(u64, PointerPlace), ComputeError> {
        let address = memory.piece::<CudaMemory>()?.address;
        let stream = self.queues.queue().submitted_to().map_err(|e| self.failed(e))?;
        Ok((address, PointerPlace::Cuda { ordinal: self.context.ordinal(), stream }))
    }
    fn place(&self) -> Result<Option<PointerPlace>, ComputeError> {
        // Memory of several GPUs is spread over them: no library has its tensors so.
        if self.several.is_some() {
            return Ok(None);
        }
        let stream = self.queues.queue().submitted_to().map_err(|e| self.failed(e))?;
        Ok(Some(PointerPlace::Cuda { ordinal: self.context.ordinal(), stream }))
    }
    fn copy_from(&self, address: u64, words: usize) -> Result<GpuMemory, ComputeError> {
        let memory = self.pool.take(words)?;
        let copied = self.queues.queue().copy(address, memory.address, words * size_of::<Word>());
        copied.map_err(|e| self.failed(e))?;
        Ok(GpuMemory::new(memory))
    }
    fn wait_for_stream(&self, stream: u64) -> Result<(), ComputeError> {
        let event = foreign::recorded_on(&self.context, stream).map_err(|e| self.failed(said(e)))?;
        self.queues.queue().wait_for(&event).map_err(|e| self.failed(e))
    }
    fn texture(
        &self,
        memory: &GpuMemory,
        size: Axes<usize>,
        layout: TextureLayout,
    ) -> Result<OwnedTexture, ComputeError> {
        let address = memory.piece::<CudaMemory>()?.address;
        self.synchronise()?;
        textures::texture(self.context.clone(), self.queues.clone(), address, size, layout)
            .map_err(|e| self.failed(said(e)))
    }
    fn release_kept(&self) {
        self.pool.release_kept();
    }
    fn compilations(&self) -> Compilations {
        self.kernels.compilations()
    }
    fn memory_stats(&self) -> MemoryStats {
        self.pool.stats()
    }
    fn replayed_runs(&self) -> Option<usize> {
        Some(self.queues.opened().map(Queue::replayed).sum())
    }
    fn fork(&self) -> Result<Option<QueueNumber>, ComputeError> {
        if self.several.is_some() {
            return Ok(None);
        }
        Ok(self.queues.fork().map_err(|e| self.failed(e))?.map(QueueNumber))
    }
    fn switch(&self, queue: QueueNumber) -> QueueNumber {
        QueueNumber(self.queues.switch(queue.0))
    }
    fn join(&self, queue: QueueNumber) {
        // The driver's error comes again at the next call.
        let _ = self.queues.join(queue.0);
    }
    fn free_bytes(&self) -> Option<usize> {
        self.pool.free_bytes()
    }
    fn gpus(&self) -> usize {
        self.several.as_ref().map_or(1, |several| several.count())
    }
    fn each(&self) -> Result<Vec<Arc<dyn Gpu>>, ComputeError> {
        if self.several.is_none() {
            return Ok(Vec::new());
        }
        self.ordinals.iter().map(|ordinal| opened(*ordinal)).collect()
    }
    fn again(&self) -> Result<Option<Arc<dyn Gpu>>, ComputeError> {
        match self.ordinals[..] {
            [only] => opened(only).map(Some),
            _ => Ok(None),
        }
    }
    fn error_correction(&self) -> Option<ErrorCorrection> {
        let enabled = sys::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_ECC_ENABLED;
        let state = self.context.attribute(enabled).ok()?;
        Some(if state == 0 { ErrorCorrection::Off } else { ErrorCorrection::On })
    }
}

/// A timestamp on the GPU's clock. Its event may still wait in the queue.
struct CudaMoment {
    event: Arc<CudaEvent>,
    queues: Arc<Queues>,
    /// The number of the queue that the event was recorded on.
    nth: usize,
    device: String,
}

impl CudaMoment {
    /// Submits the event if it still waits in the queue.
    fn require(&self) -> Result<(), Refusal> {
        self.queues.nth(self.nth).require(&self.event)
    }
}

impl Moment for CudaMoment {
    fn ms_after(&self, earlier: &Timestamp) -> Result<f64, ComputeError> {
        let earlier = earlier.moment::<Self>()?;
        let failed = |reason| ComputeError::DeviceFailed { device: self.device.clone(), reason };
        for stamp in [earlier, self] {
            stamp.require().map_err(failed)?;
        }
        let ms = self.event.synchronize().and_then(|()| earlier.event.elapsed_ms(&self.event));
        ms.map(f64::from).map_err(|e| failed(said(e)))
    }
}

impl fmt::Debug for CudaMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaMoment").field("device", &self.device).finish_non_exhaustive()
    }
}

impl fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaDevice").field("info", &self.info).finish_non_exhaustive()
    }
}

/// The driver's text and name for an error.
fn said(error: DriverError) -> String {
    match (error.error_name(), error.error_string()) {
        (Ok(name), Ok(text)) => format!("{} ({})", text.to_string_lossy(), name.to_string_lossy()),
        _ => format!("{error:?}"),
    }
}

/// Number of GPUs that the driver reports, at least 1; otherwise the reason why there is none.
fn count() -> Result<usize, String> {
    // SAFETY: it only checks whether the library can be loaded; without the library every other call would panic.
    if !unsafe { sys::is_culib_present() } {
        return Err("NVIDIA's driver (libcuda) is not installed".to_owned());
    }
    let count = CudaContext::device_count().map_err(|e| format!("the driver does not start: {}", said(e)))?;
    match usize::try_from(count) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err("the driver sees no GPU".to_owned()),
    }
}

/// The newest CUDA version that the driver supports, as 1000 · major + 10 · minor.
fn driver_version() -> Result<i32, DriverError> {
    let mut version = 0;
    // SAFETY: it writes one number, to a valid place.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result()?;
    Ok(version)
}

fn describe(context: &CudaContext, nvrtc: &Nvrtc, driver: i32) -> Result<String, DriverError> {
    let (major, minor) = context.compute_capability()?;
    let (nvrtc_major, nvrtc_minor) = nvrtc.version();
    Ok(format!(
        "{} (compute capability {major}.{minor}, driver for CUDA {}.{}, NVRTC {nvrtc_major}.{nvrtc_minor})",
        context.name()?,
        driver / 1000,
        driver % 1000 / 10,
    ))
}

/// All CUDA devices, or the reason why there is none.
pub(crate) fn list() -> Vec<ListedDevice> {
    let count = match count() {
        Ok(count) => count,
        Err(reason) => return vec![ListedDevice::Absent { name: "cuda".to_owned(), reason }],
    };
    (0..count)
        .map(|ordinal| match CudaDevice::open(&ChosenGpus::of(ordinal)) {
            Ok(device) => ListedDevice::Present(device.info),
            Err(ComputeError::NoDevice { name, reason }) => ListedDevice::Absent { name, reason },
            Err(error) => ListedDevice::Absent { name: format!("cuda:{ordinal}"), reason: error.to_string() },
        })
        .collect()
}
