//! GPUs through wgpu: Vulkan, Metal and DX12.
//!
//! Launches are recorded and given to the queue many at a time, in one pass; a transfer gives what is recorded first.
//! Texts run without wgpu's bounds checks, which cost a quarter of the bandwidth: every kernel validates its buffers
//! before it launches, and the tests of parity run each text at sizes that do not divide evenly.

use super::{Bind, Gpu, GpuMemory, Launch};
use crate::device::Listing;
use crate::{ComputeError, DeviceInfo, Stamp};
use pollster::block_on;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// An adapter, opened with its own limits.
pub(super) struct WgpuDevice {
    info: DeviceInfo,
    hardware: bool,
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Stand in where a buffer is absent: one for inputs, the others for outputs, which may not be shared.
    nothing: [wgpu::Buffer; 1 + MOST_SPARE],
    pipelines: Mutex<HashMap<Variant, Arc<Pipeline>>>,
    recording: Mutex<Recording>,
}

/// What one compilation is for.
#[derive(PartialEq, Eq, Hash)]
struct Variant {
    /// Where the text stands: every text is a `static`.
    text: usize,
    entry: &'static str,
    /// Values of the constants, as bits; a text's constants come in a fixed order.
    constants: Vec<u64>,
    /// How each buffer is bound.
    writes: Vec<bool>,
}

struct Pipeline {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// Launches that the queue has not seen yet.
#[derive(Default)]
struct Recording {
    launches: Vec<Recorded>,
    uniforms: Vec<u8>,
}

struct Recorded {
    pipeline: Arc<Pipeline>,
    buffers: Vec<wgpu::Buffer>,
    /// Where its uniform block begins, and how long it is.
    uniform: (u64, u64),
    groups: [u32; 3],
}

/// Outputs that a launch may leave unused.
const MOST_SPARE: usize = 8;
/// Downloads that are larger together are split.
const MOST_TOGETHER_BYTES: usize = 16 << 20;
/// Launches given to the queue at a time.
const LAUNCHES_PER_SUBMISSION: usize = 128;

impl WgpuDevice {
    /// Opens the `ordinal`-th adapter of a kind.
    pub fn open((kind, ordinal): (&str, usize)) -> Result<Self, ComputeError> {
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
            required_limits: adapter.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let (device, queue) = block_on(adapter.request_device(&descriptor))
            .map_err(|e| refuse(format!("the driver refuses it: {e}")))?;
        // Errors are caught where they can arise; what is left is a lost device, which the next transfer reports.
        device.on_uncaptured_error(Arc::new(|_| {}));
        let nothing = std::array::from_fn(|_| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage: wgpu::BufferUsages::STORAGE,
                mapped_at_creation: false,
            })
        });
        let info = describe(&adapter, name);
        let hardware = adapter.get_info().device_type != wgpu::DeviceType::Cpu;
        let (pipelines, recording) = Default::default();
        Ok(Self { info, hardware, device, queue, nothing, pipelines, recording })
    }

    fn failed(&self, reason: impl fmt::Display) -> ComputeError {
        ComputeError::DeviceFailed { device: self.info.name.clone(), reason: reason.to_string() }
    }

    fn create(&self, len: usize) -> Result<wgpu::Buffer, ComputeError> {
        let needed_bytes = (len * size_of::<f32>()).max(16);
        let limits = self.device.limits();
        let most_bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size) as usize;
        if needed_bytes > most_bytes {
            return Err(ComputeError::BufferTooLarge {
                device: self.info.name.clone(),
                needed_bytes,
                most_bytes,
            });
        }
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: needed_bytes as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        match block_on(scope.pop()) {
            None => Ok(buffer),
            Some(_) => Err(self.out_of_memory(needed_bytes)),
        }
    }

    fn out_of_memory(&self, needed_bytes: usize) -> ComputeError {
        ComputeError::OutOfMemory { device: self.info.name.clone(), needed_bytes, free_bytes: None }
    }

    fn pipeline(&self, launch: &Launch<'_>) -> Result<Arc<Pipeline>, ComputeError> {
        let writes: Vec<bool> =
            launch.buffers.iter().map(|b| matches!(b, Bind::Out(_) | Bind::Spare)).collect();
        let variant = Variant {
            text: std::ptr::from_ref(launch.text).addr(),
            entry: launch.entry,
            constants: launch.constants.iter().map(|c| c.1.to_bits()).collect(),
            writes,
        };
        let mut pipelines = self.pipelines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = pipelines.get(&variant) {
            return Ok(pipeline.clone());
        }
        let pipeline = Arc::new(self.compile(launch, &variant.writes)?);
        pipelines.insert(variant, pipeline.clone());
        Ok(pipeline)
    }

    fn compile(&self, launch: &Launch<'_>, writes: &[bool]) -> Result<Pipeline, ComputeError> {
        super::cuda_check::check(launch).map_err(|reason| {
            self.failed(format!("kernel `{}`, `{}`, as CUDA: {reason}", launch.text.name, launch.entry))
        })?;
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let (source, constants) = match super::unroll::unrolled(launch) {
            Some(module) => (wgpu::ShaderSource::Naga(Cow::Owned(module)), &[][..]),
            None => (wgpu::ShaderSource::Wgsl(launch.text.whole().into()), launch.constants),
        };
        let descriptor = wgpu::ShaderModuleDescriptor { label: Some(launch.text.name), source };
        // SAFETY: kernels validate their buffers' lengths before they launch, and the texts stay inside them.
        let module = unsafe {
            self.device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
        };
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
        let storage = |(i, &writes): (usize, &bool)| {
            entry(i as u32 + 1, wgpu::BufferBindingType::Storage { read_only: !writes })
        };
        let entries: Vec<_> = std::iter::once(entry(0, wgpu::BufferBindingType::Uniform))
            .chain(writes.iter().enumerate().map(storage))
            .collect();
        let layout = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(launch.text.name),
            entries: &entries,
        });
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(launch.text.name),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(launch.entry),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(launch.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        match block_on(scope.pop()) {
            None => Ok(Pipeline { pipeline, layout }),
            Some(error) => {
                Err(self.failed(format!("kernel `{}`, `{}`: {error}", launch.text.name, launch.entry)))
            }
        }
    }

    /// Gives everything recorded to the queue.
    fn submit(&self, recording: &mut Recording) {
        if recording.launches.is_empty() {
            return;
        }
        let Recording { launches, uniforms } = std::mem::take(recording);
        let uniform_buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("uniforms"),
            size: uniforms.len() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&uniform_buffer, 0, &uniforms);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for Recorded { pipeline, buffers, uniform: (offset, size), groups } in &launches {
                let block = wgpu::BufferBinding {
                    buffer: &uniform_buffer,
                    offset: 0,
                    size: std::num::NonZeroU64::new(*size),
                };
                let mut entries =
                    vec![wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(block) }];
                entries.extend(buffers.iter().enumerate().map(|(i, b)| wgpu::BindGroupEntry {
                    binding: i as u32 + 1,
                    resource: b.as_entire_binding(),
                }));
                let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: None,
                    layout: &pipeline.layout,
                    entries: &entries,
                });
                pass.set_pipeline(&pipeline.pipeline);
                pass.set_bind_group(0, &group, &[*offset as u32]);
                let [x, y, z] = *groups;
                pass.dispatch_workgroups(x, y, z);
            }
        }
        self.queue.submit([encoder.finish()]);
    }

    fn submit_all(&self) {
        self.submit(&mut self.recording.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn wait(&self) -> Result<(), ComputeError> {
        self.device.poll(wgpu::PollType::wait_indefinitely()).map(|_| ()).map_err(|e| self.failed(e))
    }

    fn memory_of<'m>(&self, memory: &'m GpuMemory) -> Result<&'m wgpu::Buffer, ComputeError> {
        match memory {
            GpuMemory::Wgpu(buffer) => Ok(buffer),
            GpuMemory::Cuda(_) => Err(ComputeError::WrongDevice),
        }
    }
}

impl Gpu for WgpuDevice {
    fn info(&self) -> DeviceInfo {
        self.info.clone()
    }
    fn is_hardware(&self) -> bool {
        self.hardware
    }
    fn zeros(&self, len: usize) -> Result<GpuMemory, ComputeError> {
        // wgpu zeroes what is read before it is written.
        self.create(len).map(GpuMemory::Wgpu)
    }
    fn upload(&self, samples: &[f32]) -> Result<GpuMemory, ComputeError> {
        let buffer = self.create(samples.len())?;
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(samples));
        Ok(GpuMemory::Wgpu(buffer))
    }
    fn download(
        &self,
        wanted: &[(&GpuMemory, usize)],
        _after: Option<&Stamp>,
    ) -> Result<Vec<Vec<f32>>, ComputeError> {
        self.submit_all();
        let bytes: usize = wanted.iter().map(|(_, len)| len * size_of::<f32>()).sum();
        if bytes == 0 {
            return Ok(vec![Vec::new(); wanted.len()]);
        }
        if bytes > MOST_TOGETHER_BYTES && wanted.len() > 1 {
            let (first, others) = wanted.split_at(wanted.len() / 2);
            let mut samples = self.download(first, None)?;
            samples.extend(self.download(others, None)?);
            return Ok(samples);
        }
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("download"),
            size: bytes as u64,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        if block_on(scope.pop()).is_some() {
            return Err(self.out_of_memory(bytes));
        }
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut offset = 0;
        for &(memory, len) in wanted {
            let bytes = (len * size_of::<f32>()) as u64;
            encoder.copy_buffer_to_buffer(self.memory_of(memory)?, 0, &staging, offset, bytes);
            offset += bytes;
        }
        self.queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        staging.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver lives until the end of this function.
            let _ = sender.send(result);
        });
        self.wait()?;
        receiver.recv().map_err(|e| self.failed(e))?.map_err(|e| self.failed(e))?;
        let view = staging.get_mapped_range(..).map_err(|e| self.failed(e))?;
        let mut left: &[f32] = bytemuck::cast_slice(&view);
        let mut take = |len: usize| {
            let (samples, rest) = left.split_at(len);
            left = rest;
            samples.to_vec()
        };
        Ok(wanted.iter().map(|&(_, len)| take(len)).collect())
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
                Bind::In(buffer) | Bind::Out(buffer) => self.memory_of(buffer.gpu()?).cloned(),
                Bind::Absent => Ok(self.nothing[0].clone()),
                Bind::Spare => {
                    Ok(spare.next().expect("a launch should not have so many spare outputs").clone())
                }
            })
            .collect::<Result<_, _>>()?;
        let block = launch.uniform.clone().bytes();
        let mut recording = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        let alignment = self.device.limits().min_uniform_buffer_offset_alignment as usize;
        let offset = recording.uniforms.len();
        recording.uniforms.extend_from_slice(&block);
        let padded = recording.uniforms.len().next_multiple_of(alignment);
        recording.uniforms.resize(padded, 0);
        recording.launches.push(Recorded {
            pipeline,
            buffers,
            uniform: (offset as u64, block.len() as u64),
            groups: launch.groups,
        });
        if recording.launches.len() == LAUNCHES_PER_SUBMISSION {
            self.submit(&mut recording);
        }
        Ok(())
    }
    fn synchronise(&self) -> Result<(), ComputeError> {
        self.submit_all();
        self.wait()
    }
}

impl fmt::Debug for WgpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WgpuDevice").field("info", &self.info).finish_non_exhaustive()
    }
}

/// Whether the system shows a graphics card at all: asking every driver takes longer than a small image.
pub(super) fn card_may_be_there() -> bool {
    !cfg!(target_os = "linux")
        || ["/dev/dri", "/dev/nvidiactl", "/dev/dxg", "/dev/kfd"]
            .iter()
            .any(|p| std::path::Path::new(p).exists())
}

/// The adapters of a kind, graphics processors first.
fn adapters(kind: &str) -> Vec<wgpu::Adapter> {
    let backends = match kind {
        "vulkan" => wgpu::Backends::VULKAN,
        "metal" => wgpu::Backends::METAL,
        "dx12" => wgpu::Backends::DX12,
        _ => wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
    };
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    let mut adapters = block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends));
    let rank = |adapter: &wgpu::Adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu | wgpu::DeviceType::Other => 2,
        wgpu::DeviceType::Cpu => 3,
    };
    adapters.sort_by_key(rank);
    adapters
}

fn describe(adapter: &wgpu::Adapter, name: String) -> DeviceInfo {
    let info = adapter.get_info();
    let driver = format!("{} {}", info.driver, info.driver_info);
    let software = if info.device_type == wgpu::DeviceType::Cpu { ", in software" } else { "" };
    DeviceInfo {
        name,
        description: format!("{} ({:?}, {}{software})", info.name, info.backend, driver.trim()),
        memory_bytes: None,
    }
}

/// The kinds that can exist on this system.
const KINDS: &[&str] = if cfg!(target_os = "macos") {
    &["metal"]
} else if cfg!(windows) {
    &["vulkan", "dx12"]
} else {
    &["vulkan"]
};

fn absent(kind: &str) -> String {
    if kind != "wgpu" && !KINDS.contains(&kind) {
        return "this system has no such interface".to_owned();
    }
    "no adapter was found; install the driver of the graphics card".to_owned()
}

/// Every adapter, and why kinds without one are absent.
pub(super) fn list() -> Vec<Listing> {
    let mut out = Vec::new();
    for kind in KINDS {
        let found = adapters(kind);
        if found.is_empty() {
            out.push(Listing::Absent { name: (*kind).to_owned(), reason: absent(kind) });
        }
        out.extend(found.iter().enumerate().map(|(i, adapter)| {
            let name = if i == 0 { (*kind).to_owned() } else { format!("{kind}:{i}") };
            Listing::Present(describe(adapter, name))
        }));
    }
    out
}
