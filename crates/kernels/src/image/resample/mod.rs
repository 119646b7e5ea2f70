//! An image on a finer or coarser grid over the same extent, linearly interpolated, times a factor.
//!
//! *In, out*: one buffer each with its shape; voxel centres of the two grids are related by `x_in = (x_out + ½) n_in / n_out −
//! ½` along every axis. *Border*: replicate. *Unit*: the input's, times `factor`. Each plane of a shape of two dimensions is a
//! picture of its own. Smooth the image first if the output is coarser ([`super::convolve`]).

mod cpu;
#[cfg(test)]
mod parity;
mod part;

pub use part::{PartOf, resample_part};

use crate::bindings::{bindings, block};
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use veloxel_core::{Axes, Dimension, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, cover};

/// WGSL functions that find where a voxel of one grid lies in another one.
pub(crate) const BETWEEN: &str = include_str!("between.wgsl");
static SOURCE: ShaderSource = wgsl!("resample", Bindings, [BETWEEN], "resample.wgsl");

block! {
    /// The numbers of two grids that [`BETWEEN`] needs.
    pub(crate) struct Grids {
        /// Voxels along x, y, z of the input and of the output.
        size_in: vec4<u32>,
        size_out: vec4<u32>,
        /// The quotient 256 n_in / (2 n_out) for each axis: whole part and remainder.
        whole: vec4<u32>,
        rest: vec4<u32>,
    }
}

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { grids: Grids, gain: f32, },
        input[input_x, input_y, input_z]: read f32,
        out[out_x, out_y, out_z]: write f32,
    }
}

/// Most components of one launch.
const MOST: usize = 3;

/// Samples every component of `input` onto the voxels of the output's shape.
#[derive(Debug)]
pub struct Resample<'a> {
    /// An image, or a field's components.
    pub input: &'a [Buffer],
    /// Shape of each component of the input.
    pub input_shape: Shape,
    /// The result, as many components.
    pub output: &'a mut [Buffer],
    /// Shape of each component of the output.
    pub output_shape: Shape,
    /// Factor of samples.
    pub factor: f32,
}

impl Kernel for Resample<'_> {
    const NAME: &'static str = "resample";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let count = self.input.len();
        let [from, to] = [self.input_shape, self.output_shape];
        lengths.field("input", self.input, count, from.len()).field("output", self.output, count, to.len());
        assert!(
            from.dimension == Dimension::Three || from.size[2] == to.size[2],
            "pictures stay as many as they are"
        );
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::resample(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (from, to) = (self.input_shape.size, self.output_shape.size);
        let block = Block { grids: Grids::of(from, to), gain: self.factor };
        for (input, out) in self.input.chunks(MOST).zip(self.output.chunks(MOST)) {
            gpu.launch(&SOURCE, "resample")
                .constant("COMPONENTS", input.len())
                .constant("PLANES", self.input_shape.dimension == Dimension::Two)
                .bind(&Bindings { block, input, out })
                .run([cover(to[0], 32), cover(to[1], 4), cover(to[2], 4)])?;
        }
        Ok(())
    }
}

impl Grids {
    /// The block of two grids: their sizes, and 256 steps of half voxels.
    pub(crate) fn of(from: Axes<usize>, to: Axes<usize>) -> Self {
        let steps = [0, 1, 2].map(|a| (256 * from[a], 2 * to[a]));
        let (whole, rest) = (steps.map(|(dividend, divisor)| dividend / divisor), steps.map(|(n, d)| n % d));
        Self { size_in: from.into(), size_out: to.into(), whole: whole.into(), rest: rest.into() }
    }
}
