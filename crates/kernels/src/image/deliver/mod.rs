//! Samples as they leave the device: whole, as two halves or as four bytes in each word, the first in its lowest bits.
//!
//! *In*: a stretch of samples in their own units. *Out*, by [`SampleForm`]: the bits of the samples; binary16 (IEEE 754), the nearest
//! number and of two the even one, NaN as 0x7e00, and what is finite beyond ±65,504 as ±65,504; shares of 0 to 1 as 0 to 255, the
//! nearest number, halves up, NaN as 0; angles as 0 to 254 of a period of 255, the nearest number, and 255 where the angle is NaN. Bytes
//! beyond the last sample are 0. *Halo*: none.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::{LINE, NAN};
use std::ops::Range;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCE: ShaderSource = wgsl!("deliver", Bindings, [LINE, NAN], "deliver.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// The first sample.
            first: u32,
            /// Number of samples.
            count: u32,
            /// Number of words.
            words: u32,
            /// Periods a unit; 0 of shares.
            per_unit: f32,
        },
        samples: read f32,
        out: write u32,
    }
}

/// What a number that leaves says of its sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleForm {
    /// All of it, in four bytes.
    Whole,
    /// It rounded, in two bytes.
    Half,
    /// A share of 1, in a byte.
    Share,
    /// A share of a period, in a byte.
    Angle {
        /// After which an angle is the same again, in the samples' units.
        period: f32,
    },
}

/// The largest finite number of two bytes.
const MOST_HALF: u32 = 0x7bff;
/// NaN in two bytes.
const NAN_HALF: u32 = 0x7e00;
/// Bits of 65,520, from which on a number is nearer to infinity than to the largest half.
const BEYOND: u32 = 0x477f_f000;
/// Bits of infinity.
const INFINITY: u32 = 0x7f80_0000;
/// Bits of 2⁻¹⁴, the smallest half that is normal.
const LEAST_NORMAL: u32 = 0x3880_0000;
/// Bits of 2⁻²⁵, up to which a number is nearer to 0 than to the least half.
const LEAST: u32 = 0x3300_0000;

impl SampleForm {
    /// Numbers in each word.
    pub const fn per_word(self) -> usize {
        match self {
            Self::Whole => 1,
            Self::Half => 2,
            Self::Share | Self::Angle { .. } => 4,
        }
    }

    /// Words that hold so many numbers.
    pub const fn words(self, count: usize) -> usize {
        count.div_ceil(self.per_word())
    }

    /// The words of samples.
    pub fn encoded(self, samples: &[f32]) -> Vec<u32> {
        let mut words = vec![0; self.words(samples.len())];
        self.encode(samples, &mut words);
        words
    }

    fn encode(self, samples: &[f32], words: &mut [u32]) {
        let each = self.per_word();
        for (word, samples) in words.iter_mut().zip(samples.chunks(each)) {
            *word = match (self, samples) {
                (Self::Whole, [sample, ..]) => sample.to_bits(),
                _ => samples.iter().rev().fold(0, |word, &sample| word << (32 / each) | self.number(sample)),
            };
        }
    }

    /// The number that stands for a sample.
    #[inline(always)]
    fn number(self, sample: f32) -> u32 {
        match self {
            Self::Whole => sample.to_bits(),
            Self::Half => half(sample),
            Self::Share => share(sample),
            Self::Angle { period } => angle(sample, 1.0 / period),
        }
    }

    fn per_unit(self) -> f32 {
        match self {
            Self::Angle { period } => 1.0 / period,
            _ => 0.0,
        }
    }

    fn entry(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Half => "halves",
            Self::Share | Self::Angle { .. } => "bytes",
        }
    }
}

/// Binary16.
#[inline(always)]
fn half(sample: f32) -> u32 {
    let bits = sample.to_bits();
    let (sign, size) = ((bits >> 16) & 0x8000, bits & 0x7fff_ffff);
    let exponent = size >> 23;
    if size > INFINITY {
        return NAN_HALF;
    }
    if size >= BEYOND {
        return sign | if size == INFINITY { INFINITY >> 13 & 0x7c00 } else { MOST_HALF };
    }
    if size >= LEAST_NORMAL {
        let shifted = size - ((127 - 15) << 23);
        return sign | ((shifted + 0xfff + ((shifted >> 13) & 1)) >> 13);
    }
    if size <= LEAST {
        return sign;
    }
    // In units of 2⁻²⁴: at least one bit of the 24 of the number goes to the right of it.
    let (digits, right) = ((size & 0x7f_ffff) | 0x80_0000, 126 - exponent);
    let odd = (digits >> right) & 1;
    sign | ((digits + (1 << (right - 1)) - 1 + odd) >> right)
}

/// A share of 1 in a byte.
#[inline(always)]
fn share(sample: f32) -> u32 {
    if sample.is_nan() {
        return 0;
    }
    let inside = if sample > 0.0 { sample } else { 0.0 };
    let inside = if inside < 1.0 { inside } else { 1.0 };
    (inside * 255.0 + 0.5).floor() as u32
}

/// A share of a period in a byte.
#[inline(always)]
fn angle(sample: f32, per_unit: f32) -> u32 {
    let turns = sample * per_unit;
    let part = turns - turns.floor();
    if part.is_nan() {
        return 255;
    }
    let number = (part * 255.0 + 0.5).floor() as u32;
    if number < 255 { number } else { 0 }
}

/// Writes a stretch of samples in the form in which they leave.
#[derive(Debug)]
pub struct Deliver<'a> {
    /// What the numbers say.
    pub form: SampleForm,
    /// The stretch of the samples.
    pub stretch: Range<usize>,
    /// The samples.
    pub samples: &'a Buffer,
    /// [`SampleForm::words`] words.
    pub out: &'a mut Buffer<u32>,
}

impl Kernel for Deliver<'_> {
    const NAME: &'static str = "deliver";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let words = self.form.words(self.stretch.len());
        lengths.at_least("samples", self.samples, self.stretch.end).of("out", self.out, words);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let Self { form, stretch, samples, out } = self;
        let (samples, each) = (&samples.host()[stretch], form.per_word());
        cpu.split_samples(out.host_mut(), each, |words, part| {
            form.encode(&samples[words.start * each..(words.end * each).min(samples.len())], part);
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { form, stretch, samples, out } = self;
        let words = form.words(stretch.len());
        let block = Block { first: stretch.start, count: stretch.len(), words, per_unit: form.per_unit() };
        gpu.launch(&SOURCE, form.entry()).bind(&Bindings { block, samples, out }).run(line(words, 256))
    }
}

#[cfg(test)]
mod tests;
