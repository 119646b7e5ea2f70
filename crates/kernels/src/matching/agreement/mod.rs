//! Where two fields agree, and one of two buffers where what agrees around is enough.
//!
//! [`Agreement`]: *in* two fields and a weight, *out* the weight where the fields are less than a distance apart, 0 elsewhere.
//! [`Replacement`]: *in* sums of such weights over windows, *out* another buffer's samples where the agreeing weight is at least
//! a share of all. [`AddDifference`]: how far two images are apart. *Unit* of fields and distance: the same. *Unknown* (NaN) vectors agree with nothing. *Halo*: none.

#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::{LINE, NAN};
use veloxel_gpu::{Bind, Buffer, ComputeError, Cpu, ShaderSource, Uniform, line};

static AGREEMENT: ShaderSource = wgsl!("agreement", [LINE, NAN], "agreement.wgsl");
static DIFFERENCE: ShaderSource = wgsl!("add_difference", [LINE, NAN], "add_difference.wgsl");
static REPLACEMENT: ShaderSource = wgsl!("replacement", [LINE], "replacement.wgsl");

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
        let Self { distance, fields, weight, out } = self;
        let [first, second] = fields.map(|field| field.iter().map(Buffer::host).collect::<Vec<_>>());
        let (weight, most) = (weight.host(), distance * distance);
        cpu.split_samples(out.host_mut(), 4, |range, out| {
            for (i, out) in range.zip(out) {
                let mut distance2 = 0.0;
                for (a, b) in first.iter().zip(&second) {
                    let apart = a[i] - b[i];
                    distance2 += apart * apart;
                }
                // NaN fails the comparison.
                *out = if distance2 < most { weight[i] } else { 0.0 };
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.out.len();
        gpu.launch_in(self.fields[0].len(), &AGREEMENT, "agreement")
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
        let Self { gain, most, images, out } = self;
        let [a, b] = images.map(Buffer::host);
        cpu.split_samples(out.host_mut(), 3, |range, out| {
            for (i, out) in range.zip(out) {
                let apart = gain * (a[i] - b[i]).abs();
                // NaN fails the comparison.
                *out += if apart < most { apart } else { most };
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.out.len();
        gpu.launch(&DIFFERENCE, "add_difference")
            .uniform(Uniform::new().u(n).f(self.gain).f(self.most))
            .bind(self.images.map(Bind::input))
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
        let Self { share, agreeing, all, by, out } = self;
        let (agreeing, all, by) = (agreeing.host(), all.host(), by.host());
        cpu.split_samples(out.host_mut(), 3, |range, out| {
            for (i, out) in range.zip(out) {
                if all[i] > 0.0 && agreeing[i] >= share * all[i] {
                    *out = by[i];
                }
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.out.len();
        gpu.launch(&REPLACEMENT, "replacement")
            .uniform(Uniform::new().u(n).f(self.share))
            .reads([self.agreeing, self.all, self.by])
            .output(self.out)
            .run(line(n, 256))
    }
}
