//! What is known about an image before anything is done with it: order statistics, and samples that are no numbers.
//!
//! *Units*: the image's. *Halo*: none.

mod cpu;
mod gpu;

use veloxel_gpu::{Buffer, ComputeError, Device, Kind, Later};

/// The samples that count: every `step`-th, where a weight is given only those above 0.
#[derive(Debug, Clone, Copy)]
pub struct Samples<'a> {
    /// The image.
    pub image: &'a Buffer,
    /// Where it counts; none: everywhere.
    pub weight: Option<&'a Buffer>,
    /// Distance from one sample to the next, voxels.
    pub step: usize,
}

impl Samples<'_> {
    fn validate(&self, kernel: &'static str) -> Result<(), ComputeError> {
        self.weight.map_or(Ok(()), |weight| weight.require(self.image.len(), kernel, "weight"))
    }
    /// Samples, counted before any weight.
    fn count(&self) -> usize {
        self.image.len().div_ceil(self.step)
    }
}

/// How many samples count, and two of them.
pub type Quantiles = (usize, [f32; 2]);

/// How many samples count, and the ones at two shares of their order, in thousandths (0 is the least, 1000 the greatest); none
/// if none counts.
///
/// Exactly these samples, on every device. NaN counts as greater than everything.
///
/// # Errors
/// [`ComputeError::Length`] if the weight does not belong to the image; [`ComputeError::DeviceFailed`].
pub fn quantiles(
    device: &Device,
    samples: Samples<'_>,
    shares: [u32; 2],
) -> Result<Later<Option<Quantiles>>, ComputeError> {
    samples.validate("quantiles")?;
    match device.kind() {
        Kind::Cpu(_) => Ok(Later::known(cpu::quantiles(samples, shares))),
        Kind::Gpu(gpu) => gpu::quantiles((device, &**gpu), samples, shares),
    }
}

/// The first sample that counts and is NaN or infinite.
///
/// # Errors
/// As [`quantiles`].
pub fn first_unknown(
    device: &Device,
    image: &Buffer,
    weight: Option<&Buffer>,
) -> Result<Later<Option<usize>>, ComputeError> {
    let samples = Samples { image, weight, step: 1 };
    samples.validate("first_unknown")?;
    match device.kind() {
        Kind::Cpu(cpu) => Ok(Later::known(cpu::first_unknown(cpu, samples))),
        Kind::Gpu(gpu) => gpu::first_unknown((device, &**gpu), samples),
    }
}

/// The place in order of a share, to the nearest, without a product that could leave 32 bits; the same as the text for GPUs.
fn rank(share: u32, count: usize) -> usize {
    let (last, share) = (count - 1, share as usize);
    last / 1000 * share + (last % 1000 * share + 500) / 1000
}
