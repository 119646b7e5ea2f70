//! Samples of an image at some of its voxels, by their index: a small part of a large image leaves the device in one transfer.
//!
//! *Units*: the image's. Samples come as they are, NaN included. *Halo*: any voxel of the image.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::LINE;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCE: ShaderSource = wgsl!("gather", Bindings, [LINE], "gather.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { count: u32, },
        image: read f32,
        indices: read u32,
        out: write f32,
    }
}

/// Copies the samples of some voxels: `out[i] = image[indices[i]]`.
#[derive(Debug)]
pub struct Gather<'a> {
    /// The image.
    pub image: &'a Buffer,
    /// Indices of voxels, x fastest, all of them inside of the image.
    pub indices: &'a Buffer<u32>,
    /// As many samples as there are indices.
    pub out: &'a mut Buffer,
}

impl Kernel for Gather<'_> {
    const NAME: &'static str = "gather";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("out", self.out, self.indices.len());
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (image, indices) = (self.image.host(), self.indices.host());
        cpu.split_samples(self.out.host_mut(), 1, |range, part| {
            for (out, index) in part.iter_mut().zip(&indices[range]) {
                *out = image[*index as usize];
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { image, indices, out } = self;
        let count = indices.len();
        let bound = Bindings { block: Block { count }, image, indices, out };
        gpu.launch(&SOURCE, "gather").bind(&bound).run(line(count, 256))
    }
}
