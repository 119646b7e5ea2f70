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
        block: Block {
            count: u32,
            /// Distance of the voxels, where they are not listed.
            step: u32,
        },
        image: read f32,
        indices: may_read u32,
        out: write f32,
    }
}

/// Copies the samples of some voxels.
#[derive(Debug)]
pub struct Gather<'a> {
    /// The image.
    pub image: &'a Buffer,
    /// Which voxels.
    pub places: Places<'a>,
    /// As many samples as there are places.
    pub out: &'a mut Buffer,
}

/// Voxels of an image.
#[derive(Debug, Clone, Copy)]
pub enum Places<'a> {
    /// These indices, x fastest, all of them inside of the image.
    Listed(&'a Buffer<u32>),
    /// Every so many voxels, from the first on.
    Every(usize),
}

impl Places<'_> {
    /// How many there are in an image of so many voxels.
    pub fn count(self, voxels: usize) -> usize {
        match self {
            Self::Listed(indices) => indices.len(),
            Self::Every(step) => voxels.div_ceil(step),
        }
    }
}

impl Kernel for Gather<'_> {
    const NAME: &'static str = "gather";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        lengths.of("out", self.out, self.places.count(self.image.len()));
    }
    fn on_cpu(self, cpu: &Cpu) {
        let image = self.image.host();
        let index = |i: usize| match self.places {
            Places::Listed(indices) => indices.host()[i] as usize,
            Places::Every(step) => i * step,
        };
        cpu.split_samples(self.out.host_mut(), 1, |range, part| {
            part.iter_mut().zip(range).for_each(|(out, i)| *out = image[index(i)]);
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { image, places, out } = self;
        let (count, indices, step) = match places {
            Places::Listed(indices) => (indices.len(), Some(indices), 0),
            Places::Every(step) => (out.len(), None, step),
        };
        let bound = Bindings { block: Block { count, step }, image, indices, out };
        let launch = gpu.launch(&SOURCE, "gather").constant("LISTED", indices.is_some());
        launch.bind(&bound).run(line(count, 256))
    }
}
