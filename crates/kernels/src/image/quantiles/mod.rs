//! Order statistics of an image, and its first sample that is no number.
//!
//! *Units*: the image's. *Halo*: none. Samples count where a weight, if one is given, is above 0.

mod cpu;
mod gpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later};

/// Finds the samples at two shares of the order of all samples that count; none if none counts.
///
/// Exactly these samples, on every device. NaN counts as greater than everything.
#[derive(Debug, Clone, Copy)]
pub struct Quantiles<'a> {
    /// The image.
    pub image: &'a Buffer,
    /// Where it counts; none: everywhere.
    pub weight: Option<&'a Buffer>,
    /// Distance from one sample that is looked at to the next, voxels.
    pub step: usize,
    /// Thousandths: 0 is the least sample, 1000 the greatest.
    pub shares: [u32; 2],
}

/// What [`Quantiles`] finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderStatistics {
    /// How many samples count.
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
        gpu::quantiles(gpu, self)
    }
}

/// Finds the index of the first sample that counts and is NaN or infinite.
#[derive(Debug)]
pub struct FirstUnknown<'a> {
    /// The image.
    pub image: &'a Buffer,
    /// Where it counts; none: everywhere.
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
        gpu::first_unknown(gpu, self)
    }
}

/// The place in order of a share, to the nearest, without a product that could leave 32 bits; the same as the text for GPUs.
fn rank(share: u32, count: usize) -> usize {
    let (last, share) = (count - 1, share as usize);
    last / 1000 * share + (last % 1000 * share + 500) / 1000
}
