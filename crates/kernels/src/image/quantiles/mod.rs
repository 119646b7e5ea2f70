//! Order statistics of an image, and its first sample that is not a finite number.
//!
//! GPUs find a sample's place digit by digit, from counts of the samples that share the digits before. No launch waits for the
//! host.
//! *Units*: the image's. *Halo*: none. Samples count where a weight, if one is given, is above 0.

mod cpu;
#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::{LINE, NAN};
use veloxel_gpu::wgsl::atomic;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource};

static SOURCE: ShaderSource = wgsl!("quantiles", Bindings, [LINE, NAN], "quantiles.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            count: u32,
            step: u32,
            /// Lowest bit of the digit that is counted; index of its first count.
            shift: u32,
            first_count: u32,
            /// The two quantiles sought, thousandths.
            first_share: u32,
            second_share: u32,
        },
        image: read f32,
        weight: may_read f32,
        counts: write atomic<u32>,
        /// The state of the search for two keys: the digits found so far (2 words); the ranks among the samples with these
        /// digits (2 words); the number of samples (1 word).
        found: may_write u32,
    }
}

/// Number of values of a digit, and number of digits of a key.
const BASE: usize = 256;
const DIGITS: usize = 4;
/// Number of words that pass from launch to launch.
const FOUND: usize = 5;
/// Most workgroups: enough for every processor, few enough that their counts are soon added.
const MOST_GROUPS: usize = 256;

/// Finds the samples at two shares of the order of all samples that count; none if none counts.
///
/// Every device finds exactly these samples. NaN counts as greater than every number.
#[derive(Debug, Clone, Copy)]
pub struct Quantiles<'a> {
    /// The image.
    pub image: &'a Buffer,
    /// The image counts where this is above 0; none for everywhere.
    pub weight: Option<&'a Buffer>,
    /// Distance between samples that are looked at, voxels.
    pub step: usize,
    /// The two shares in thousandths: 0 is the least sample, 1000 the greatest.
    pub shares: [u32; 2],
}

/// The result of [`Quantiles`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderStatistics {
    /// Number of samples that count.
    pub count: usize,
    /// The samples at the two shares.
    pub samples: [f32; 2],
}

impl Kernel for Quantiles<'_> {
    const NAME: &'static str = "quantiles";
    type Output = Later<Option<OrderStatistics>>;

    fn check(&self, lengths: &mut Lengths) {
        lengths.optional("weight", self.weight, self.image.len());
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        Later::known(cpu::quantiles(cpu, self))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let counts = gpu.device().zeros::<u32>(DIGITS * 2 * BASE)?;
        let found = gpu.device().zeros::<u32>(FOUND)?;
        let count = self.image.len().div_ceil(self.step);
        for digit in 0..DIGITS {
            let [first_share, second_share] = self.shares.map(|share| share as usize);
            let block = Block {
                count,
                step: self.step,
                shift: 8 * (DIGITS - 1 - digit),
                first_count: digit * 2 * BASE,
                first_share,
                second_share,
            };
            let (image, weight) = (self.image, self.weight);
            let launch = |entry, groups| {
                gpu.launch(&SOURCE, entry)
                    .constant("WEIGHTED", self.weight.is_some())
                    .bind(&Bindings { block, image, weight, counts: &counts, found: Some(&found) })
                    .run([groups, 1, 1])
            };
            launch("count_digits", count.div_ceil(256).clamp(1, MOST_GROUPS) as u32)?;
            launch("choose_digits", 1)?;
        }
        Ok(Later::on_device(found, |found: &[u32]| {
            let count = found[4] as usize;
            let samples = [found[0], found[1]].map(value_of);
            (count > 0).then_some(OrderStatistics { count, samples })
        }))
    }
}

/// Finds the index of the first sample that counts and is NaN or infinite.
#[derive(Debug)]
pub struct FirstUnknown<'a> {
    /// The image.
    pub image: &'a Buffer,
    /// The image counts where this is above 0; none for everywhere.
    pub weight: Option<&'a Buffer>,
}

impl Kernel for FirstUnknown<'_> {
    const NAME: &'static str = "first_unknown";
    type Output = Later<Option<usize>>;

    fn check(&self, lengths: &mut Lengths) {
        lengths.optional("weight", self.weight, self.image.len());
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        Later::known(cpu::first_unknown(cpu, &self))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let n = self.image.len();
        let found = gpu.device().zeros::<u32>(1)?;
        let block = Block { count: n, step: 1, ..Block::default() };
        let Self { image, weight, .. } = self;
        gpu.launch(&SOURCE, "first_unknown")
            .constant("WEIGHTED", weight.is_some())
            .bind(&Bindings { block, image, weight, counts: &found, found: None })
            .run([n.div_ceil(256).clamp(1, 2048) as u32, 1, 1])?;
        // What is left after the first, so that 0 means none.
        Ok(Later::on_device(found, move |left| {
            let left = left[0] as usize;
            (left > 0).then(|| n - left)
        }))
    }
}

/// The sample of a key: keys are in the order of samples.
fn value_of(key: u32) -> f32 {
    f32::from_bits(if key & 0x8000_0000 != 0 { key & 0x7fff_ffff } else { !key })
}

/// The place in order of a share, rounded to the nearest, without a product that could exceed 32 bits; the text for GPUs
/// computes the same.
fn rank(share: u32, count: usize) -> usize {
    let (last, share) = (count - 1, share as usize);
    last / 1000 * share + (last % 1000 * share + 500) / 1000
}
