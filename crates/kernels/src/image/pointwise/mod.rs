//! Voxel by voxel, without neighbours: copies, scalings, affine maps of intensity, clipped increments.
//!
//! *Halo*: none.

mod cpu;
mod gpu;

use crate::kernel::{Kernel, Launcher, Lengths};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Device, Element, Kind, Later, require_field};

/// `to = from`.
#[derive(Debug)]
pub struct CopyBuffer<'a> {
    /// The samples.
    pub from: &'a Buffer,
    /// As many, overwritten.
    pub to: &'a mut Buffer,
}

impl<'a> CopyBuffer<'a> {
    fn whole(self) -> CopyPart<'a> {
        CopyPart { from: self.from, first: 0, to: self.to }
    }
}

impl Kernel for CopyBuffer<'_> {
    const NAME: &'static str = "copy";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("to", self.to, self.from.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        self.whole().on_cpu(cpu);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        self.whole().on_gpu(gpu)
    }
}

/// `to = from[first..first + to.len()]`.
#[derive(Debug)]
pub struct CopyPart<'a> {
    /// The samples.
    pub from: &'a Buffer,
    /// The first that is copied.
    pub first: usize,
    /// Overwritten.
    pub to: &'a mut Buffer,
}

impl Kernel for CopyPart<'_> {
    const NAME: &'static str = "copy_part";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.at_least("from", self.from, self.first + self.to.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::copy(cpu, &self.from.host()[self.first..self.first + self.to.len()], self.to.host_mut());
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::copy(gpu, self)
    }
}

/// `v ← gain · v + offset`, and NaN or infinity becomes 0.
///
/// # Errors
/// [`ComputeError::DeviceFailed`].
pub fn map_affine(
    device: &Device,
    (gain, offset): (f32, f32),
    samples: &mut Buffer,
) -> Result<(), ComputeError> {
    match device.kind() {
        Kind::Cpu(cpu) => cpu::map_affine(cpu, (gain, offset), samples.host_mut()),
        Kind::Gpu(gpu) => gpu::one(&**gpu, "map_affine", [gain, offset], samples)?,
    }
    Ok(())
}

/// `v ← gain · v`.
///
/// # Errors
/// As [`map_affine`].
pub fn scale(device: &Device, gain: f32, samples: &mut Buffer) -> Result<(), ComputeError> {
    map_affine(device, (gain, 0.0), samples)
}

/// `v ← gain · v + offset`; NaN stays.
///
/// # Errors
/// As [`map_affine`].
pub fn rescale(
    device: &Device,
    (gain, offset): (f32, f32),
    samples: &mut Buffer,
) -> Result<(), ComputeError> {
    match device.kind() {
        Kind::Cpu(cpu) => cpu::rescale(cpu, (gain, offset), samples.host_mut()),
        Kind::Gpu(gpu) => gpu::one(&**gpu, "rescale", [gain, offset], samples)?,
    }
    Ok(())
}

/// Every sample becomes `value`.
#[derive(Debug)]
pub struct Fill<'a, T: Element = f32> {
    /// Of any type.
    pub value: T,
    /// Overwritten.
    pub out: &'a mut Buffer<T>,
}

impl<T: Element> Kernel for Fill<'_, T> {
    const NAME: &'static str = "fill";
    type Output = ();

    fn check(&self, _: &mut Lengths) {}
    fn on_cpu(self, cpu: &Cpu) {
        cpu::fill(cpu, self.value, self.out.host_mut());
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::fill(gpu, self)
    }
}

/// Every component (three at most) becomes 0.
///
/// # Errors
/// [`ComputeError::Length`] if the components differ in length.
pub fn clear(device: &Device, field: &mut [Buffer]) -> Result<(), ComputeError> {
    let n = field.first().map_or(0, Buffer::len);
    require_field(field, (field.len(), n), "clear", "field")?;
    match device.kind() {
        Kind::Cpu(cpu) => field.iter_mut().for_each(|component| cpu::fill(cpu, 0.0, component.host_mut())),
        Kind::Gpu(gpu) => gpu::clear(&**gpu, field)?,
    }
    Ok(())
}

/// Σ |v|² over a field.
///
/// # Errors
/// [`ComputeError::Length`] if the components differ in length.
pub fn norm2(device: &Device, field: &[Buffer]) -> Result<Later<f64>, ComputeError> {
    let n = field.first().map_or(0, Buffer::len);
    require_field(field, (field.len(), n), "norm2", "field")?;
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(cpu::norm2(cpu, field))),
        Kind::Gpu(gpu) => gpu::norm2((device, &**gpu), field),
    }
}

/// How many of the first `count` samples are known, that is not NaN.
///
/// # Errors
/// [`ComputeError::Length`] if there are not as many.
pub fn count_known(device: &Device, samples: &Buffer, count: usize) -> Result<Later<f64>, ComputeError> {
    if samples.len() < count {
        samples.require(count, "count_known", "samples")?;
    }
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(cpu::count_known(cpu, &samples.host()[..count]))),
        Kind::Gpu(gpu) => gpu::count_known((device, &**gpu), samples, count),
    }
}

/// Shortens every vector of a field to at most `limit` (same unit); returns the sum of the lengths after that.
///
/// # Errors
/// [`ComputeError::Length`] if the components differ in length.
pub fn clip_length(device: &Device, limit: f32, field: &mut [Buffer]) -> Result<Later<f64>, ComputeError> {
    let n = field.first().map_or(0, Buffer::len);
    require_field(field, (field.len(), n), "clip_length", "field")?;
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(cpu::clip_length(cpu, limit, field))),
        Kind::Gpu(gpu) => gpu::clip_length((device, &**gpu), limit, field),
    }
}

/// `v ← ln(1 + max(v, −0.95))`: a determinant minus one becomes the volume change that composition adds up.
///
/// # Errors
/// As [`map_affine`].
pub fn log_change(device: &Device, change: &mut Buffer) -> Result<(), ComputeError> {
    match device.kind() {
        Kind::Cpu(cpu) => cpu::log_change(cpu, change.host_mut()),
        Kind::Gpu(gpu) => gpu::one(&**gpu, "log_change", [0.0; 2], change)?,
    }
    Ok(())
}

/// `out ← out · factor`.
///
/// # Errors
/// [`ComputeError::Length`] if the lengths differ.
pub fn multiply(device: &Device, factor: &Buffer, out: &mut Buffer) -> Result<(), ComputeError> {
    out.require(factor.len(), "multiply", "out")?;
    match device.kind() {
        Kind::Cpu(cpu) => cpu::multiply(cpu, factor.host(), out.host_mut()),
        Kind::Gpu(gpu) => gpu::two(&**gpu, "multiply", factor, out)?,
    }
    Ok(())
}
