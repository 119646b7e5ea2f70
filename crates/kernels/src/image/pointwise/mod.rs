//! Sample by sample, without neighbours: copies, affine maps, products, mixtures, counts and clipped increments.
//!
//! *Halo*: none.

mod copies;
mod mixtures;
mod sums;

pub use copies::{CopyBuffer, CopyPart, Paste};
pub use mixtures::{Mix, MixByVoxel};
pub use sums::{ClipLength, CountKnown, Norm2};

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::exponential::logarithm_of_one_plus;
use crate::shared::{EXPONENTIAL, LINE, NAN, SUM};
use std::slice::from_mut;
use veloxel_gpu::{AnyBuffer, Buffer, ComputeError, Cpu, Element, ShaderSource, line};

static SOURCE: ShaderSource = wgsl!("pointwise", Bindings, [LINE, NAN, SUM, EXPONENTIAL], "pointwise.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            count: u32,
            /// Numbers that the entry point takes beside the samples: a value, a gain or a limit, and an offset.
            a: f32,
            b: f32,
        },
        /// The first component, or samples of another type in its words.
        out: may_write f32 as any,
        others[out_y, out_z]: write f32,
        input: may_read f32,
        shares: may_read f32,
    } -> sums: f32
}

impl<'a> Bindings<'a> {
    /// Bindings of a field that is overwritten.
    fn of_field(block: Block, field: &'a [Buffer]) -> Self {
        let (out, others) = field.split_first().map_or((None, field), |(out, others)| (Some(out), others));
        Self { block, out: out.map(|out| out as &dyn AnyBuffer), others, input: None, shares: None }
    }
    /// Bindings of samples that are overwritten, and of others that are read.
    fn of_samples(block: Block, out: &'a Buffer, input: &'a Buffer) -> Self {
        Self { block, out: Some(out), others: &[], input: Some(input), shares: None }
    }
}

/// What [`InPlace`] makes of a sample `v`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operation {
    /// The same value everywhere.
    Fill(f32),
    /// The value `gain · v + offset`, or 0 where that is NaN or infinite.
    MapAffine {
        /// Factor.
        gain: f32,
        /// Summand.
        offset: f32,
    },
    /// The value `gain · v + offset`; NaN stays.
    Rescale {
        /// Factor.
        gain: f32,
        /// Summand.
        offset: f32,
    },
    /// The value `ln(1 + max(v, −0.95))`: a determinant minus one becomes the volume change that composition adds up.
    LogChange,
    /// This value where `v` is NaN; every other sample stays as it is, bit by bit.
    ReplaceUnknown(f32),
}

/// Sets every sample to `value`, of any type.
#[derive(Debug)]
pub struct Fill<'a, T: Element = f32> {
    /// The value.
    pub value: T,
    /// The samples that are overwritten.
    pub out: &'a mut Buffer<T>,
}

impl<T: Element> Kernel for Fill<'_, T> {
    const NAME: &'static str = "fill";
    type Output = ();

    fn check(&self, _: &mut Lengths) {}
    fn on_cpu(self, cpu: &Cpu) {
        cpu.split_samples(self.out.host_mut(), 1, |_, part| part.fill(self.value));
    }
    /// Launches the shader, which writes words: smaller elements fill a word together.
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let mut word = [0; size_of::<f32>()];
        word.chunks_exact_mut(size_of::<T>())
            .for_each(|part| part.copy_from_slice(bytemuck::bytes_of(&self.value)));
        let words = (self.out.len() * size_of::<T>()).div_ceil(word.len());
        let block = Block { count: words, a: f32::from_le_bytes(word), b: 0.0 };
        gpu.launch(&SOURCE, "in_place")
            .constant("COMPONENTS", 1usize)
            .constant("OPERATION", 0usize)
            .bind(&Bindings { block, out: Some(self.out), others: &[], input: None, shares: None })
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
            Self::ReplaceUnknown(value) => part.iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = value),
        });
    }
}

/// Replaces every sample of a field.
#[derive(Debug)]
pub struct InPlace<'a> {
    /// What each sample becomes.
    pub operation: Operation,
    /// The field: at most three components, of one length.
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
            Operation::ReplaceUnknown(value) => (4, [value, 0.0]),
        };
        gpu.launch(&SOURCE, "in_place")
            .constant("COMPONENTS", self.field.len())
            .constant("OPERATION", operation)
            .bind(&Bindings::of_field(Block { count: n, a, b }, self.field))
            .run(line(n, 256))
    }
}

/// Multiplies sample by sample: `out ← out · factor`.
#[derive(Debug)]
pub struct Multiply<'a> {
    /// The factors, as many as `out` has samples.
    pub factor: &'a Buffer,
    /// The samples that are multiplied in place.
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
        let block = Block { count: n, ..Block::default() };
        gpu.launch(&SOURCE, "multiply")
            .bind(&Bindings::of_samples(block, self.out, self.factor))
            .run(line(n, 256))
    }
}

fn same_length(lengths: &mut Lengths, field: &[Buffer]) {
    lengths.field("field", field, field.len(), field.first().map_or(0, Buffer::len));
}
