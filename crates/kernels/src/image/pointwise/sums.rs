//! Sums over samples and vectors.

use super::{Bindings, Block, SOURCE, same_length};
use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::group_sums::group_totals;
use crate::shared::lanes::{LANES, Lanes, Pack};
use crate::variational::operator::norm2_of;
use multiversion::multiversion;
use veloxel_gpu::rows::{Shared, components_mut, ranges_mut};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later};

/// Number of samples that the processor takes together.
const ROW: usize = 1024;

/// The squared norm Σ |v|² of a field.
#[derive(Debug)]
pub struct Norm2<'a> {
    /// The field: two or three components of one length.
    pub field: &'a [Buffer],
}

impl Kernel for Norm2<'_> {
    const NAME: &'static str = "norm2";
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        same_length(lengths, self.field);
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        let (field, n) = (self.field, self.field.first().map_or(0, Buffer::len));
        let [total] = cpu.sum(n.div_ceil(ROW), field.len() * n, |rows| {
            let span = rows.start * ROW..(rows.end * ROW).min(n);
            [field.iter().flat_map(|c| c.host()[span.clone()].chunks(ROW)).map(norm2_of).sum()]
        });
        Later::known(total)
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        total_of_field(gpu, "norm2", self.field, 0.0)
    }
}

/// Number of the first samples that are known, that is not NaN.
#[derive(Debug)]
pub struct CountKnown<'a> {
    /// The samples, at least `count` of them.
    pub samples: &'a Buffer,
    /// Number of samples to look at.
    pub count: usize,
}

impl Kernel for CountKnown<'_> {
    const NAME: &'static str = "count_known";
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        lengths.at_least("samples", self.samples, self.count);
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        let samples = &self.samples.host()[..self.count];
        let [total] = cpu.sum(self.count, self.count, |range| {
            [samples[range].iter().filter(|v| !v.is_nan()).count() as f64]
        });
        Later::known(total)
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        let block = Block { count: self.count, ..Block::default() };
        gpu.launch(&SOURCE, "count_known")
            .bind(&Bindings { block, out: None, others: &[], input: Some(self.samples), shares: None })
            .sums(self.count, |[count]| count)
    }
}

/// Shortens every vector of a field to a limit; the output is the sum of the lengths after that.
#[derive(Debug)]
pub struct ClipLength<'a> {
    /// The greatest length, unit of the field.
    pub limit: f32,
    /// The field: two or three components of one length.
    pub field: &'a mut [Buffer],
}

impl Kernel for ClipLength<'_> {
    const NAME: &'static str = "clip_length";
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        same_length(lengths, self.field);
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        let clip = if self.field.len() == 2 { clip_length::<2> } else { clip_length::<3> };
        Later::known(clip(cpu, self.limit, self.field))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        total_of_field(gpu, "clip_length", self.field, self.limit)
    }
}

fn clip_length<const D: usize>(cpu: &Cpu, limit: f32, field: &mut [Buffer]) -> f64 {
    let n = field.first().map_or(0, Buffer::len);
    let parts = components_mut::<D>(field).map(Shared::new);
    // In the order of the other text: when to stop depends on the sum.
    let [sum] = group_totals(cpu, n, 1, |items, [sums]| {
        // SAFETY: ranges are disjoint.
        clip_rows(limit, unsafe { ranges_mut(&parts, items) }, sums);
    });
    sum
}

/// Shortens vectors that are longer than the limit, and adds the resulting lengths to the sums.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn clip_rows<const D: usize>(limit: f32, rows: [&mut [f32]; D], sums: &mut [f32]) {
    for x in (0..sums.len()).step_by(LANES) {
        let mut values = [Lanes::splat(0.0); D];
        let mut squares = Lanes::splat(0.0);
        for c in 0..D {
            values[c] = Lanes::load_or_zero(rows[c], x);
            squares = squares + values[c] * values[c];
        }
        let length = squares.sqrt();
        let kept = Lanes(length.0.map(|length| if length > limit { limit / length } else { 1.0 }));
        for c in 0..D {
            (values[c] * kept).store_what_fits(rows[c], x);
        }
        (Lanes::load_or_zero(sums, x) + length.min(limit)).store_what_fits(sums, x);
    }
}

/// Adds up a number of every vector of a field.
fn total_of_field(
    gpu: &Launcher<'_>,
    entry: &'static str,
    field: &[Buffer],
    limit: f32,
) -> Result<Later<f64>, ComputeError> {
    let n = field.first().map_or(0, Buffer::len);
    gpu.launch(&SOURCE, entry)
        .constant("COMPONENTS", field.len())
        .bind(&Bindings::of_field(Block { count: n, a: limit, b: 0.0 }, field))
        .sums(n, |[sum]| sum)
}
