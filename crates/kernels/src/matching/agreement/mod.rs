//! Where two fields agree, and the choice between two buffers by the share of agreeing weight around a sample.
//!
//! [`Agreement`]: *in* two fields and a weight, *out* the weight where the fields are less than a distance apart, 0 elsewhere.
//! [`Replacement`]: *in* sums of such weights over windows, *out* another buffer's samples where the agreeing weight is at
//! least a share of all. [`AddDifference`]: *in* two images, *out* the sum of their differences. *Unit*: fields and distance
//! have the same one. *Unknown* (NaN) vectors agree with no vector. *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::{LINE, NAN};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static AGREEMENT: ShaderSource = wgsl!("agreement", AgreementBindings, [LINE, NAN], "agreement.wgsl");
static DIFFERENCE: ShaderSource =
    wgsl!("add_difference", DifferenceBindings, [LINE, NAN], "add_difference.wgsl");
static REPLACEMENT: ShaderSource = wgsl!("replacement", ReplacementBindings, [LINE], "replacement.wgsl");

bindings! {
    /// What a launch of [`Agreement`] binds.
    struct AgreementBindings<'a> {
        block: AgreementBlock {
            count: u32,
            /// The square of the distance.
            most: f32,
        },
        first[first_x, first_y, first_z]: read f32,
        second[second_x, second_y, second_z]: read f32,
        weight: read f32,
        out: write f32,
    }
}

bindings! {
    /// What a launch of [`AddDifference`] binds.
    struct DifferenceBindings<'a> {
        block: DifferenceBlock { count: u32, gain: f32, most: f32, },
        first: read f32,
        second: read f32,
        out: write f32,
    }
}

bindings! {
    /// What a launch of [`Replacement`] binds.
    struct ReplacementBindings<'a> {
        block: ReplacementBlock { count: u32, share: f32, },
        agreeing: read f32,
        all_weights: read f32,
        by: read f32,
        out: write f32,
    }
}

/// Writes the weight of vectors that agree.
#[derive(Debug)]
pub struct Agreement<'a> {
    /// Distance from which on two vectors do not agree.
    pub distance: f32,
    /// Two fields of as many components.
    pub fields: [&'a [Buffer]; 2],
    /// Weight of each vector.
    pub weight: &'a Buffer,
    /// The weight of vectors that agree, 0 elsewhere.
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
        let [first, second] = self.fields;
        let block = AgreementBlock { count: n, most: self.distance * self.distance };
        gpu.launch_in(first.len(), &AGREEMENT, "agreement")
            .bind(&AgreementBindings { block, first, second, weight: self.weight, out: self.out })
            .run(line(n, 256))
    }
}

/// Adds the difference of two images: `out += min(gain |a − b|, most)`; an unknown sample (NaN) adds `most`.
#[derive(Debug)]
pub struct AddDifference<'a> {
    /// Factor of the difference.
    pub gain: f32,
    /// Greatest number that is added.
    pub most: f32,
    /// The images a and b.
    pub images: [&'a Buffer; 2],
    /// The sum, added to in place.
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
        let [first, second] = self.images;
        let block = DifferenceBlock { count: n, gain: self.gain, most: self.most };
        gpu.launch(&DIFFERENCE, "add_difference")
            .bind(&DifferenceBindings { block, first, second, out: self.out })
            .run(line(n, 256))
    }
}

/// Replaces samples where enough of the weight around them agrees.
#[derive(Debug)]
pub struct Replacement<'a> {
    /// Least share of the weight that must agree.
    pub share: f32,
    /// Sums of the weights that agree.
    pub agreeing: &'a Buffer,
    /// Sums of all weights; where they are 0 nothing is replaced.
    pub all: &'a Buffer,
    /// The samples to replace by.
    pub by: &'a Buffer,
    /// The samples, replaced in place.
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
        let block = ReplacementBlock { count: n, share: self.share };
        let Self { agreeing, all: all_weights, by, out, .. } = self;
        gpu.launch(&REPLACEMENT, "replacement")
            .bind(&ReplacementBindings { block, agreeing, all_weights, by, out })
            .run(line(n, 256))
    }
}
