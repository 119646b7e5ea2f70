//! The least and the greatest sample of an image, and whether all samples are finite.
//!
//! *Units*: the image's. Samples that are NaN or infinite do not count. *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::LINE;
use std::ops::Range;
pub use veloxel_core::Extremes;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource, reduction_groups};

static SOURCE: ShaderSource = wgsl!("extremes", Bindings, [LINE], "extremes.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { count: u32, },
        image: read f32,
    } -> sums: f32
}

/// Finds [`Extremes`].
#[derive(Debug, Clone, Copy)]
pub struct FindExtremes<'a> {
    /// The image.
    pub image: &'a Buffer,
}

/// Numbers of a workgroup: least, greatest, and 1 where a sample is not finite.
const EACH: usize = 3;

/// The extremes of all workgroups.
fn of_groups(partials: &[f32]) -> Extremes {
    partials.chunks_exact(EACH).fold(Extremes::NONE, |all, own| {
        let are_finite = all.are_finite && own[2] == 0.0;
        // A group without finite samples leaves its first values, greatest before least.
        let has_samples = own[0] <= own[1];
        let known = if has_samples { all.with(own[0]).with(own[1]) } else { all };
        Extremes { are_finite, ..known }
    })
}

impl Kernel for FindExtremes<'_> {
    const NAME: &'static str = "extremes";
    type Output = Later<Extremes>;

    fn check(&self, _: &mut Lengths) {}
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        let samples = self.image.host();
        let of_range = |range: Range<usize>| Extremes::of(&samples[range]);
        Later::known(cpu.fold(samples.len(), samples.len(), &of_range, &Extremes::joined))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let Self { image } = self;
        let groups = [reduction_groups(image.len()) as u32, 1, 1];
        let bound = Bindings { block: Block { count: image.len() }, image };
        gpu.launch(&SOURCE, "extremes").bind(&bound).partials(groups, EACH, of_groups)
    }
}
