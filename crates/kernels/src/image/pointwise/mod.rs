//! Sample by sample, without neighbours: copies, affine maps, products, mixtures, counts and clipped increments.
//!
//! *Halo*: none.

mod cpu;
mod gpu;

use crate::kernel::{Kernel, Launcher, Lengths};
use std::slice::from_mut;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Element, Later};

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

/// `to[first..first + from.len()] = from`.
#[derive(Debug)]
pub struct Paste<'a> {
    /// The samples.
    pub from: &'a Buffer,
    /// Overwritten in part.
    pub to: &'a mut Buffer,
    /// The first that is overwritten.
    pub first: usize,
}

impl Kernel for Paste<'_> {
    const NAME: &'static str = "paste";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.at_least("to", self.to, self.first + self.from.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::copy(cpu, self.from.host(), &mut self.to.host_mut()[self.first..self.first + self.from.len()]);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::paste(gpu, self)
    }
}

/// What [`InPlace`] makes of a sample `v`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operation {
    /// The same value everywhere.
    Fill(f32),
    /// `gain · v + offset`, and 0 where that is NaN or infinite.
    MapAffine {
        /// Factor.
        gain: f32,
        /// Summand.
        offset: f32,
    },
    /// `gain · v + offset`; NaN stays.
    Rescale {
        /// Factor.
        gain: f32,
        /// Summand.
        offset: f32,
    },
    /// `ln(1 + max(v, −0.95))`: a determinant minus one becomes the volume change that composition adds up.
    LogChange,
}

/// Every sample becomes `value`, of any type.
#[derive(Debug)]
pub struct Fill<'a, T: Element = f32> {
    /// The value.
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

impl Operation {
    /// The operation on one buffer.
    pub fn on(self, samples: &mut Buffer) -> InPlace<'_> {
        InPlace { operation: self, field: from_mut(samples) }
    }
}

/// Replaces every sample of a field.
#[derive(Debug)]
pub struct InPlace<'a> {
    /// What each sample becomes.
    pub operation: Operation,
    /// Three components at most, of one length.
    pub field: &'a mut [Buffer],
}

impl Kernel for InPlace<'_> {
    const NAME: &'static str = "in_place";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        same_length(lengths, self.field);
    }
    fn on_cpu(self, cpu: &Cpu) {
        self.field.iter_mut().for_each(|component| cpu::in_place(cpu, self.operation, component.host_mut()));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::in_place(gpu, self)
    }
}

/// `out ← out · factor`.
#[derive(Debug)]
pub struct Multiply<'a> {
    /// As many samples as `out` has.
    pub factor: &'a Buffer,
    /// Multiplied in place.
    pub out: &'a mut Buffer,
}

impl Kernel for Multiply<'_> {
    const NAME: &'static str = "multiply";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("out", self.out, self.factor.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::multiply(cpu, self.factor.host(), self.out.host_mut());
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::multiply(gpu, self)
    }
}

/// `out ← out + share · (with − out)`; where one of them is unknown (NaN) the other stands.
#[derive(Debug)]
pub struct Mix<'a> {
    /// As many samples as `out` has.
    pub with: &'a Buffer,
    /// How much of `with`: 0 leaves `out` as it is.
    pub share: f32,
    /// Mixed in place.
    pub out: &'a mut Buffer,
}

impl Kernel for Mix<'_> {
    const NAME: &'static str = "mix";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("out", self.out, self.with.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::mix(cpu, self.share, self.with.host(), self.out.host_mut());
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::mix(gpu, self)
    }
}

/// Σ |v|² over a field.
#[derive(Debug)]
pub struct Norm2<'a> {
    /// Two or three components of one length.
    pub field: &'a [Buffer],
}

impl Kernel for Norm2<'_> {
    const NAME: &'static str = "norm2";
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        same_length(lengths, self.field);
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        Later::known(cpu::norm2(cpu, self.field))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        gpu::total_of_field(gpu, "norm2", self.field, 0.0)
    }
}

/// How many of the first samples are known, that is not NaN.
#[derive(Debug)]
pub struct CountKnown<'a> {
    /// At least `count` samples.
    pub samples: &'a Buffer,
    /// How many samples are looked at.
    pub count: usize,
}

impl Kernel for CountKnown<'_> {
    const NAME: &'static str = "count_known";
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        lengths.at_least("samples", self.samples, self.count);
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        Later::known(cpu::count_known(cpu, &self.samples.host()[..self.count]))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        gpu::count_known(gpu, self)
    }
}

/// Shortens every vector of a field to a limit; the output is the sum of the lengths after that.
#[derive(Debug)]
pub struct ClipLength<'a> {
    /// The greatest length, unit of the field.
    pub limit: f32,
    /// Two or three components of one length.
    pub field: &'a mut [Buffer],
}

impl Kernel for ClipLength<'_> {
    const NAME: &'static str = "clip_length";
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        same_length(lengths, self.field);
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        let clip = match self.field.len() {
            2 => cpu::clip_length::<2>,
            _ => cpu::clip_length::<3>,
        };
        Later::known(clip(cpu, self.limit, self.field))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        gpu::total_of_field(gpu, "clip_length", self.field, self.limit)
    }
}

fn same_length(lengths: &mut Lengths, field: &[Buffer]) {
    lengths.field("field", field, field.len(), field.first().map_or(0, Buffer::len));
}
