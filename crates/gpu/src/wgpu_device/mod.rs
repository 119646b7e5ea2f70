//! GPUs through wgpu: Vulkan, Metal and DX12.
//!
//! Launches are recorded and submitted to the queue many at a time, in one compute pass; a transfer submits what is
//! recorded first. Shaders run without wgpu's bounds checks, which cost a quarter of the bandwidth: every kernel
//! validates its buffers before it launches, and the parity tests run each shader at sizes that do not divide evenly.

mod adapters;
mod pool;
mod readback;
mod recording;

pub(crate) use adapters::{card_may_be_there, list};

use crate::compilations::{CompilationClock, Compilations};
use crate::error::ComputeError;
use crate::gpu::{Gpu, HostSide, MemoryStretch};
use crate::launches::bindings::{BoundBuffer, BufferAccess, Declared};
use crate::launches::launch::{Launch, Variant};
use crate::launches::part_text::{PART_BYTES, in_parts, part_bytes};
use crate::launches::parts::{Rectangle, divided};
use crate::launches::{cuda_check, declared};
use crate::listing::DeviceInfo;
use crate::memory::buffer_pool::{First, MemoryStats, Origin, Policy};
use crate::memory::element::Word;
use crate::memory::gpu_memory::GpuMemory;
use crate::memory::host_memory::MemoryContent;
use crate::timestamp::Timestamp;
use adapters::{absent, adapters, describe};
use pollster::block_on;
use pool::{Pool, WgpuMemory, create};
use recording::{MOST_STEPS, MOST_STEPS_IN_SOFTWARE, Pipeline, Recorded, Recording};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use veloxel_core::Control;
use wgsl_to_cuda::LaunchExtent;

/// An open wgpu device, with the adapter's own limits.
pub(crate) struct WgpuDevice {
    info: DeviceInfo,
    hardware: bool,
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Placeholders for absent buffers: the first one for inputs, the others for outputs, which may not share a buffer.
    nothing: [wgpu::Buffer; 1 + MOST_SPARE],
    pipelines: Mutex<Pipelines>,
    compilations: CompilationClock,
    recording: Mutex<Recording>,
    pool: Arc<Pool>,
    /// Number of launches that the work of a launch is divided into.
    parts: usize,
}

/// Compiled pipelines.
type Pipelines = HashMap<Variant, Arc<Pipeline>>;

/// Maximal number of [`BoundBuffer::Spare`] outputs of a launch.
const MOST_SPARE: usize = 8;
/// Time between two questions whether to go on, while the host waits for the device.
const ASK_EVERY: Duration = Duration::from_millis(20);

impl WgpuDevice {
    /// Opens adapter number `ordinal` of a kind, counted from 0.
    pub fn open(kind: &str, ordinal: usize) -> Result<Self, ComputeError> {
        Self::open_in_parts(kind, ordinal, 1)
    }

    /// [`Self::open`] for launches that are divided into so many, as several GPUs would share them. The last part comes first: no
    /// part may need what another one does.
    pub fn open_in_parts(kind: &str, ordinal: usize, parts: usize) -> Result<Self, ComputeError> {
        let name = if ordinal == 0 { kind.to_owned() } else { format!("{kind}:{ordinal}") };
        let refuse = |reason: String| ComputeError::NoDevice { name: name.clone(), reason };
        let mut adapters = adapters(kind);
        if ordinal >= adapters.len() {
            return Err(refuse(match adapters.len() {
                0 => absent(kind),
                n => format!("there {} {n}, counted from 0", if n == 1 { "is only" } else { "are only" }),
            }));
        }
        let adapter = adapters.swap_remove(ordinal);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("veloxel"),
            required_features: if parts > 1 { wgpu::Features::IMMEDIATES } else { wgpu::Features::empty() },
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let (device, queue) = block_on(adapter.request_device(&descriptor))
            .map_err(|e| refuse(format!("the driver refuses it: {e}")))?;
        // Errors are caught by error scopes where they can arise. The only other error is a lost device, which the next
        // transfer reports.
        device.on_uncaptured_error(Arc::new(|_| {}));
        let nothing = std::array::from_fn(|_| create(&device, None, 16, wgpu::BufferUsages::STORAGE));
        let info = describe(&adapter, name);
        let hardware = adapter.get_info().device_type != wgpu::DeviceType::Cpu;
        let (pipelines, compilations) = Default::default();
        let most_steps = if hardware { MOST_STEPS } else { MOST_STEPS_IN_SOFTWARE };
        let recording = Mutex::new(Recording::of_steps(most_steps));
        let pool = Arc::new(Pool::new(Policy::of_gpu(First::Newest)));
        Ok(Self { info, hardware, device, queue, nothing, pipelines, compilations, recording, pool, parts })
    }

    fn failed(&self, reason: impl fmt::Display) -> ComputeError {
        ComputeError::DeviceFailed { device: self.info.name.clone(), reason: reason.to_string() }
    }

    /// Takes a buffer of `words` words from the pool, or a new one.
    fn take(&self, words: usize) -> Result<(WgpuMemory, Origin), ComputeError> {
        let bytes = self.pool.size_for(words);
        let limits = self.device.limits();
        let most_bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) as usize;
        if bytes > most_bytes {
            let (device, needed_bytes) = (self.info.name.clone(), bytes);
            return Err(ComputeError::BufferTooLarge { device, needed_bytes, most_bytes });
        }
        let (buffer, origin) = self.pool.take(bytes, || self.new_buffer(bytes))?;
        Ok((WgpuMemory { buffer, pool: self.pool.clone() }, origin))
    }

    /// Allocates a buffer; if memory is short, frees all buffers kept in the pool and tries again.
    fn new_buffer(&self, bytes: usize) -> Result<wgpu::Buffer, ComputeError> {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        if let Some(buffer) = self.ask(bytes as u64, usage) {
            return Ok(buffer);
        }
        // wgpu frees the buffers only when no submitted work uses them any more.
        drop(self.pool.drain());
        self.submit_all();
        self.wait(&Control::default())?;
        self.ask(bytes as u64, usage).ok_or_else(|| self.out_of_memory(bytes))
    }

    /// Allocates a buffer; `None` if memory is short.
    fn ask(&self, size: u64, usage: wgpu::BufferUsages) -> Option<wgpu::Buffer> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = create(&self.device, None, size, usage);
        block_on(scope.pop()).is_none().then_some(buffer)
    }

    fn out_of_memory(&self, needed_bytes: usize) -> ComputeError {
        ComputeError::OutOfMemory { device: self.info.name.clone(), needed_bytes, free_bytes: None }
    }

    fn pipeline(&self, launch: &Launch<'_>) -> Result<Arc<Pipeline>, ComputeError> {
        let key = launch.variant();
        let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = pipelines.get(&key) {
            return Ok(pipeline.clone());
        }
        let pipeline =
            Arc::new(self.compilations.time([launch.source.name, launch.entry], || self.compile(launch))?);
        pipelines.insert(key, pipeline.clone());
        Ok(pipeline)
    }

    fn compile(&self, launch: &Launch<'_>) -> Result<Pipeline, ComputeError> {
        declared::check(launch.source);
        let extent = if self.divides(launch) { LaunchExtent::Part } else { LaunchExtent::Whole };
        cuda_check::check(launch, extent).map_err(|reason| {
            self.failed(format!("kernel `{}`, `{}`, as CUDA: {reason}", launch.source.name, launch.entry))
        })?;
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let wgsl = launch.source.whole_wgsl();
        let in_parts = self.divides(launch).then(|| in_parts(&wgsl, launch.entry)).flatten();
        let immediate_size = if in_parts.is_some() { PART_BYTES } else { 0 };
        let source = wgpu::ShaderSource::Wgsl(in_parts.unwrap_or(wgsl).into());
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(launch.source.name), source };
        // SAFETY: kernels validate their buffers' lengths before they launch, and the shaders access nothing outside
        // them.
        let module = unsafe {
            self.device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
        };
        let layout = self.layout(launch);
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(launch.source.name),
            bind_group_layouts: &[Some(&layout)],
            immediate_size,
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(launch.entry),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(launch.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: launch.constants,
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        match block_on(scope.pop()) {
            None => Ok(Pipeline { pipeline, layout, takes_part: immediate_size > 0 }),
            Some(error) => {
                Err(self.failed(format!("kernel `{}`, `{}`: {error}", launch.source.name, launch.entry)))
            }
        }
    }

    /// What the launches of a source bind.
    fn layout(&self, launch: &Launch<'_>) -> wgpu::BindGroupLayout {
        let entry = |binding: u32, ty: wgpu::BufferBindingType| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset: ty == wgpu::BufferBindingType::Uniform,
                min_binding_size: None,
            },
            count: None,
        };
        let storage = |(buffer, binding): (Declared, u32)| {
            entry(
                binding,
                wgpu::BufferBindingType::Storage { read_only: buffer.access == BufferAccess::Read },
            )
        };
        let entries: Vec<_> = std::iter::once(entry(0, wgpu::BufferBindingType::Uniform))
            .chain(launch.source.declaration.buffers().into_iter().zip(1..).map(storage))
            .collect();
        self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(launch.source.name),
            entries: &entries,
        })
    }

    /// Whether the work of a launch is divided.
    fn divides(&self, launch: &Launch<'_>) -> bool {
        self.parts > 1 && launch.source.divides()
    }

    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Submits everything recorded to the queue.
    fn submit_all(&self) {
        self.recording().submit(&self.device, &self.queue);
    }

    /// Waits until all that was submitted is done, or the run is to stop.
    fn wait(&self, control: &Control) -> Result<(), ComputeError> {
        loop {
            let timeout = Some(ASK_EVERY);
            match self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout }) {
                Ok(_) => break,
                Err(wgpu::PollError::Timeout) => control.check()?,
                Err(error) => return Err(self.failed(error)),
            }
        }
        self.recording().idle();
        Ok(())
    }

    fn memory_of<'m>(&self, memory: &'m GpuMemory) -> Result<&'m wgpu::Buffer, ComputeError> {
        memory.piece::<WgpuMemory>().map(|memory| &memory.buffer)
    }
}

impl Gpu for WgpuDevice {
    fn info(&self) -> DeviceInfo {
        self.info.clone()
    }
    fn is_hardware(&self) -> bool {
        self.hardware
    }
    fn each(&self) -> Result<Vec<Arc<dyn Gpu>>, ComputeError> {
        if self.parts == 1 {
            return Ok(Vec::new());
        }
        (0..self.parts).map(|_| Ok(Arc::new(Self::open("wgpu", 0)?) as Arc<dyn Gpu>)).collect()
    }
    fn allocate(&self, words: usize, content: MemoryContent) -> Result<GpuMemory, ComputeError> {
        let (memory, origin) = self.take(words)?;
        // wgpu zeroes new memory that is read before it is written.
        if content == MemoryContent::Zeros && origin == Origin::Kept {
            self.recording().clear(memory.buffer.clone());
        }
        Ok(GpuMemory::new(memory))
    }
    fn upload(&self, bytes: &[u8]) -> Result<GpuMemory, ComputeError> {
        let (memory, origin) = self.take(bytes.len().div_ceil(size_of::<Word>()))?;
        // `write_buffer` runs before all command buffers submitted later. Recorded work that used the memory before
        // must be submitted first.
        if origin == Origin::Kept {
            self.submit_all();
        }
        // `write_buffer` takes only whole words.
        let (whole, rest) = bytes.split_at(bytes.len() / size_of::<Word>() * size_of::<Word>());
        self.queue.write_buffer(&memory.buffer, 0, whole);
        if !rest.is_empty() {
            let mut last = [0; size_of::<Word>()];
            last[..rest.len()].copy_from_slice(rest);
            self.queue.write_buffer(&memory.buffer, whole.len() as u64, &last);
        }
        Ok(GpuMemory::new(memory))
    }
    fn download(
        &self,
        wanted: &[Vec<MemoryStretch<'_>>],
        _after: Option<&Timestamp>,
        host: HostSide<'_>,
    ) -> Result<Vec<Vec<Word>>, ComputeError> {
        self.submit_all();
        self.read_back(wanted, host)
    }
    fn launch(&self, launch: &Launch<'_>) -> Result<(), ComputeError> {
        if launch.groups.contains(&0) {
            return Ok(());
        }
        let pipeline = self.pipeline(launch)?;
        let mut spare = self.nothing[1..].iter();
        let buffers = launch
            .buffers
            .iter()
            .map(|bind| match bind {
                BoundBuffer::In(buffer) | BoundBuffer::Out(buffer) => self.memory_of(buffer.gpu()?).cloned(),
                BoundBuffer::Absent => Ok(self.nothing[0].clone()),
                BoundBuffer::Spare => {
                    Ok(spare.next().expect("a launch should not have so many spare outputs").clone())
                }
            })
            .collect::<Result<Vec<_>, _>>()?;
        let alignment = self.device.limits().min_uniform_buffer_offset_alignment as usize;
        let mut recording = self.recording();
        let parts = if pipeline.takes_part { self.parts } else { 1 };
        for Rectangle { first, groups } in divided(launch.groups, parts).into_iter().flatten().rev() {
            let part = pipeline.takes_part.then(|| part_bytes(first, launch.groups));
            let launched = Recorded { pipeline: pipeline.clone(), buffers: buffers.clone(), groups, part };
            recording.launch(launched, launch.uniform, alignment);
        }
        if recording.is_due() {
            recording.submit(&self.device, &self.queue);
        }
        Ok(())
    }
    fn synchronise(&self) -> Result<(), ComputeError> {
        self.submit_all();
        self.wait(&Control::default())
    }
    fn release_kept(&self) {
        self.submit_all();
        // A buffer that work still uses lives until that is done.
        if self.wait(&Control::default()).is_ok() {
            drop(self.pool.drain());
        }
    }
    fn compilations(&self) -> Compilations {
        self.compilations.compilations()
    }
    fn memory_stats(&self) -> MemoryStats {
        self.pool.stats()
    }
}

impl fmt::Debug for WgpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WgpuDevice").field("info", &self.info).finish_non_exhaustive()
    }
}
