//! Where two fields agree, and one of two buffers where what agrees around is enough.
//!
//! [`Agreement`]: *in* two fields and a weight, *out* the weight where the fields are less than a distance apart, 0 elsewhere.
//! [`Replacement`]: *in* sums of such weights over windows, *out* another buffer's samples where the agreeing weight is at least
//! a share of all. [`AddDifference`]: how far two images are apart. *Unit* of fields and distance: the same. *Unknown* (NaN) vectors agree with nothing. *Halo*: none.

mod cpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::{LINE, NAN};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, line};

static AGREEMENT: ShaderSource =
    ShaderSource::wgsl("agreement", &[LINE, NAN, include_str!("agreement.wgsl")]);
static DIFFERENCE: ShaderSource =
    ShaderSource::wgsl("add_difference", &[LINE, NAN, include_str!("add_difference.wgsl")]);
static REPLACEMENT: ShaderSource =
    ShaderSource::wgsl("replacement", &[LINE, include_str!("replacement.wgsl")]);

/// Writes the weight of vectors that agree.
#[derive(Debug)]
pub struct Agreement<'a> {
    /// Distance from which on two vectors do not agree.
    pub distance: f32,
    /// Two fields of as many components.
    pub fields: [&'a [Buffer]; 2],
    /// What a vector weighs.
    pub weight: &'a Buffer,
    /// The weight, or 0.
    pub out: &'a mut Buffer,
}

impl Kernel for Agreement<'_> {
    const NAME: &'static str = "agreement";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (count, n) = (self.fields[0].len(), self.out.len());
        lengths.field("first field", self.fields[0], count, n);
        lengths.field("second field", self.fields[1], count, n).of("weight", self.weight, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::agreement(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.out.len();
        gpu.launch(&AGREEMENT, "agreement")
            .constant("COMPONENTS", self.fields[0].len())
            .uniform(Uniform::new().u(n).f(self.distance * self.distance))
            .inputs(self.fields[0], 3)
            .inputs(self.fields[1], 3)
            .input(self.weight)
            .output(self.out)
            .run(line(n, 256))
    }
}

/// Adds how far two images are apart: `out += min(gain |a − b|, most)`; an unknown sample (NaN) is as far as can be.
#[derive(Debug)]
pub struct AddDifference<'a> {
    /// Of the difference.
    pub gain: f32,
    /// What is added at most.
    pub most: f32,
    /// a and b.
    pub images: [&'a Buffer; 2],
    /// In place.
    pub out: &'a mut Buffer,
}

impl Kernel for AddDifference<'_> {
    const NAME: &'static str = "add_difference";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.out.len();
        lengths.of("first image", self.images[0], n).of("second image", self.images[1], n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::add_difference(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.out.len();
        gpu.launch(&DIFFERENCE, "add_difference")
            .uniform(Uniform::new().u(n).f(self.gain).f(self.most))
            .input(self.images[0])
            .input(self.images[1])
            .output(self.out)
            .run(line(n, 256))
    }
}

/// Replaces samples where enough of what is around agrees.
#[derive(Debug)]
pub struct Replacement<'a> {
    /// The least share.
    pub share: f32,
    /// Sums of the weights that agree.
    pub agreeing: &'a Buffer,
    /// Sums of all weights; where they are 0 nothing is replaced.
    pub all: &'a Buffer,
    /// What takes the place.
    pub by: &'a Buffer,
    /// In place.
    pub out: &'a mut Buffer,
}

impl Kernel for Replacement<'_> {
    const NAME: &'static str = "replacement";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let n = self.out.len();
        lengths.of("agreeing", self.agreeing, n).of("all", self.all, n).of("by", self.by, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::replacement(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.out.len();
        gpu.launch(&REPLACEMENT, "replacement")
            .uniform(Uniform::new().u(n).f(self.share))
            .input(self.agreeing)
            .input(self.all)
            .input(self.by)
            .output(self.out)
            .run(line(n, 256))
    }
}
