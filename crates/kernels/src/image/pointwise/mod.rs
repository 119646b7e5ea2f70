//! Sample by sample, without neighbours: copies, affine maps, products, mixtures, counts and clipped increments.
//!
//! *Halo*: none.

mod copies;
mod sums;

pub use copies::{CopyBuffer, CopyPart, Paste};
pub use sums::{ClipLength, CountKnown, Norm2};

use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::exponential::logarithm_of_one_plus;
use crate::shared::{EXPONENTIAL, LINE, NAN, SUM};
use std::slice::from_mut;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Element, ShaderSource, Uniform, line};

static SOURCE: ShaderSource = wgsl!("pointwise", [LINE, NAN, SUM, EXPONENTIAL], "pointwise.wgsl");

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
        cpu.split_samples(self.out.host_mut(), 1, |_, part| part.fill(self.value));
    }
    /// The shader writes words: elements that are smaller fill one together.
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let mut word = [0; size_of::<f32>()];
        word.chunks_exact_mut(size_of::<T>())
            .for_each(|part| part.copy_from_slice(bytemuck::bytes_of(&self.value)));
        let words = (self.out.len() * size_of::<T>()).div_ceil(word.len());
        gpu.launch(&SOURCE, "in_place")
            .constant("COMPONENTS", 1usize)
            .constant("OPERATION", 0usize)
            .uniform(Uniform::new().u(words).f(f32::from_le_bytes(word)).f(0.0))
            .output(self.out)
            .spare(2)
            .run(line(words, 256))
    }
}

impl Operation {
    /// The operation on one buffer.
    pub fn on(self, samples: &mut Buffer) -> InPlace<'_> {
        InPlace { operation: self, field: from_mut(samples) }
    }
    fn on_samples(self, cpu: &Cpu, samples: &mut [f32]) {
        let cost = if self == Self::LogChange { 4 } else { 1 };
        cpu.split_samples(samples, cost, |_, part| match self {
            Self::Fill(value) => part.fill(value),
            Self::MapAffine { gain, offset } => {
                for v in part {
                    let mapped = gain * *v + offset;
                    *v = if mapped.is_finite() { mapped } else { 0.0 };
                }
            }
            Self::Rescale { gain, offset } => part.iter_mut().for_each(|v| *v = gain * *v + offset),
            Self::LogChange => part.iter_mut().for_each(|v| *v = logarithm_of_one_plus(v.max(-0.95))),
        });
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
        self.field.iter_mut().for_each(|component| self.operation.on_samples(cpu, component.host_mut()));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.field.first().map_or(0, Buffer::len);
        let (operation, [a, b]) = match self.operation {
            Operation::Fill(value) => (0usize, [value, 0.0]),
            Operation::MapAffine { gain, offset } => (1, [gain, offset]),
            Operation::Rescale { gain, offset } => (2, [gain, offset]),
            Operation::LogChange => (3, [0.0; 2]),
        };
        gpu.launch(&SOURCE, "in_place")
            .constant("COMPONENTS", self.field.len())
            .constant("OPERATION", operation)
            .uniform(Uniform::new().u(n).f(a).f(b))
            .outputs(self.field, 3)
            .run(line(n, 256))
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
        let factor = self.factor.host();
        cpu.split_samples(self.out.host_mut(), 1, |range, out| {
            out.iter_mut().zip(&factor[range]).for_each(|(o, &f)| *o *= f);
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.out.len();
        let launch = gpu.launch(&SOURCE, "multiply").uniform(Uniform::new().u(n).f(0.0).f(0.0));
        launch.output(self.out).spare(2).input(self.factor).run(line(n, 256))
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
        let (share, with) = (self.share, self.with.host());
        cpu.split_samples(self.out.host_mut(), 1, |range, out| {
            for (o, &w) in out.iter_mut().zip(&with[range]) {
                let mixed = *o + share * (w - *o);
                let known = if o.is_nan() { w } else { mixed };
                *o = if w.is_nan() { *o } else { known };
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.out.len();
        let launch = gpu.launch(&SOURCE, "mix_samples").uniform(Uniform::new().u(n).f(self.share).f(0.0));
        launch.output(self.out).spare(2).input(self.with).run(line(n, 256))
    }
}

fn same_length(lengths: &mut Lengths, field: &[Buffer]) {
    lengths.field("field", field, field.len(), field.first().map_or(0, Buffer::len));
}
