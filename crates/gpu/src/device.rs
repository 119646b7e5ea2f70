//! Where kernels run.

use crate::host_memory::{Content, HostMemory};
use crate::processor::instruction_set;
use crate::{Buffer, ComputeError, Cpu, DeviceInfo, Field, Gpu, Listing, Stamp, kinds};
use std::ops::Range;
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
        Ok(Self { kind: Kind::Gpu(kinds::open(name)?) })
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
        let why_none = match kinds::fastest() {
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
        cpu.into_iter().chain(kinds::list()).collect()
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

    /// Zeroed memory.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`] with the bytes asked for.
    pub fn zeros(&self, len: usize) -> Result<Buffer, ComputeError> {
        match &self.kind {
            Kind::Cpu(cpu) => cpu.memory(len, Content::Zeros).map(Buffer::on_host),
            Kind::Gpu(gpu) => gpu.zeros(len).map(|memory| Buffer::on_gpu(memory, len)),
        }
    }
    /// Memory that a kernel writes before anyone reads it: it holds what was there before.
    ///
    /// # Errors
    /// As [`Self::zeros`].
    pub fn scratch(&self, len: usize) -> Result<Buffer, ComputeError> {
        match &self.kind {
            Kind::Cpu(cpu) => cpu.memory(len, Content::Any).map(Buffer::on_host),
            Kind::Gpu(gpu) => gpu.scratch(len).map(|memory| Buffer::on_gpu(memory, len)),
        }
    }
    /// [`Self::scratch`] for several components.
    ///
    /// # Errors
    /// As [`Self::zeros`].
    pub fn scratch_field(&self, count: usize, len: usize) -> Result<Field, ComputeError> {
        (0..count).map(|_| self.scratch(len)).collect()
    }
    /// Zeroed memory for several components.
    ///
    /// # Errors
    /// As [`Self::zeros`].
    pub fn zeros_field(&self, count: usize, len: usize) -> Result<Field, ComputeError> {
        (0..count).map(|_| self.zeros(len)).collect()
    }
    /// Samples from the host.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`]; the processor takes the samples as they are.
    pub fn upload(&self, samples: Vec<f32>) -> Result<Buffer, ComputeError> {
        match &self.kind {
            Kind::Cpu(_) => Ok(Buffer::on_host(HostMemory::from_samples(samples))),
            Kind::Gpu(_) => self.upload_copy(&samples),
        }
    }
    /// A copy of samples from the host.
    ///
    /// # Errors
    /// [`ComputeError::OutOfMemory`].
    pub fn upload_copy(&self, samples: &[f32]) -> Result<Buffer, ComputeError> {
        match &self.kind {
            Kind::Cpu(_) => {
                let mut buffer = self.scratch(samples.len())?;
                buffer.host_mut().copy_from_slice(samples);
                Ok(buffer)
            }
            Kind::Gpu(gpu) => {
                let memory = gpu.upload(bytemuck::cast_slice(samples))?;
                Ok(Buffer::on_gpu(memory, samples.len()))
            }
        }
    }
    /// Samples to the host, the buffer given back.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`] if the device was lost.
    pub fn download(&self, buffer: Buffer) -> Result<Vec<f32>, ComputeError> {
        match &self.kind {
            Kind::Cpu(_) => Ok(buffer.into_samples()),
            Kind::Gpu(_) => self.read(&buffer),
        }
    }
    /// [`Self::download`] of several buffers at once, as they were at a [`Self::mark`], whatever the device was asked for
    /// since: one is on its way while another is copied.
    ///
    /// # Errors
    /// As [`Self::download`].
    pub fn download_all_after(
        &self,
        buffers: Vec<Buffer>,
        mark: Option<&Stamp>,
    ) -> Result<Vec<Vec<f32>>, ComputeError> {
        match &self.kind {
            Kind::Cpu(_) => Ok(buffers.into_iter().map(Buffer::into_samples).collect()),
            Kind::Gpu(_) => self.read_all_after(&buffers.iter().collect::<Vec<_>>(), mark),
        }
    }
    /// This point of what the device was asked for, where downloads can begin before what comes later.
    ///
    /// # Errors
    /// [`ComputeError::DeviceFailed`].
    pub fn mark(&self) -> Result<Option<Stamp>, ComputeError> {
        match &self.kind {
            Kind::Cpu(_) => Ok(None),
            Kind::Gpu(gpu) => gpu.mark(),
        }
    }
    /// A copy of the samples on the host.
    ///
    /// # Errors
    /// As [`Self::download`].
    pub fn read(&self, buffer: &Buffer) -> Result<Vec<f32>, ComputeError> {
        Ok(self.read_all_after(&[buffer], None)?.pop().unwrap_or_default())
    }
    /// Copies of parts of buffers on the host, all in one transfer.
    ///
    /// # Errors
    /// As [`Self::download`].
    ///
    /// # Panics
    /// If a part is not in its buffer.
    pub fn read_parts(&self, parts: &[(&Buffer, Range<usize>)]) -> Result<Vec<Vec<f32>>, ComputeError> {
        let is_inside = |(buffer, range): &(&Buffer, Range<usize>)| range.end <= buffer.len();
        assert!(parts.iter().all(is_inside), "a part should lie in its buffer");
        match &self.kind {
            Kind::Cpu(_) => Ok(parts.iter().map(|(b, range)| b.host()[range.clone()].to_vec()).collect()),
            Kind::Gpu(gpu) => {
                let wanted = parts.iter().map(|(buffer, range)| Ok((buffer.gpu()?, range.clone())));
                gpu.download(&wanted.collect::<Result<Vec<_>, _>>()?, None)
            }
        }
    }
    /// Copies of several buffers on the host, as they were at a mark or are now.
    pub(crate) fn read_all_after(
        &self,
        buffers: &[&Buffer],
        mark: Option<&Stamp>,
    ) -> Result<Vec<Vec<f32>>, ComputeError> {
        match &self.kind {
            Kind::Cpu(_) => Ok(buffers.iter().map(|buffer| buffer.host().to_vec()).collect()),
            _ if buffers.is_empty() => Ok(Vec::new()),
            Kind::Gpu(gpu) => {
                let wanted = buffers.iter().map(|buffer| Ok((buffer.gpu()?, 0..buffer.len())));
                gpu.download(&wanted.collect::<Result<Vec<_>, _>>()?, mark)
            }
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
    pub fn stamp(&self) -> Result<Stamp, ComputeError> {
        match &self.kind {
            Kind::Cpu(_) => Ok(Stamp::now()),
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
