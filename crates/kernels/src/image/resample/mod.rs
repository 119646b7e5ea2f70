//! An image on a finer or coarser grid over the same extent, linearly interpolated, times a factor.
//!
//! *In, out*: one buffer each with its shape; voxel centres of the two grids are related by
//! `x_in = (x_out + ½) n_in / n_out − ½` along every axis. *Border*: replicate. *Unit*: the input's, times `factor`.
//! Planes of a shape of two dimensions are pictures for themselves. Going coarser, smooth first ([`super::convolve`]).

mod cpu;
#[cfg(test)]
mod parity;
mod part;

pub use part::{PartOf, resample_part};

use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use veloxel_core::{Axes, Dimension, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover};

/// Where a voxel of one grid lies in another one.
pub(crate) const BETWEEN: &str = include_str!("between.wgsl");
static SOURCE: ShaderSource = wgsl!("resample", [BETWEEN], "resample.wgsl");

/// Components of one launch.
const MOST: usize = 3;

/// Samples every component of `input` onto the voxels of the output's shape.
#[derive(Debug)]
pub struct Resample<'a> {
    /// An image, or a field's components.
    pub input: &'a [Buffer],
    /// Of each component of the input.
    pub input_shape: Shape,
    /// As many components.
    pub output: &'a mut [Buffer],
    /// Of each component of the output.
    pub output_shape: Shape,
    /// What samples are multiplied by.
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
        let uniform = sizes(from, to).f(self.factor);
        for (input, output) in self.input.chunks(MOST).zip(self.output.chunks(MOST)) {
            gpu.launch(&SOURCE, "resample")
                .constant("COMPONENTS", input.len())
                .constant("PLANES", self.input_shape.dimension == Dimension::Two)
                .uniform(uniform.clone())
                .inputs(input, MOST)
                .outputs(output, MOST)
                .run([cover(to[0], 32), cover(to[1], 4), cover(to[2], 4)])?;
        }
        Ok(())
    }
}

/// Begins a uniform block with what [`BETWEEN`] needs of two grids: their sizes, and 256 steps of half voxels.
pub(crate) fn sizes(from: Axes<usize>, to: Axes<usize>) -> Uniform {
    let steps = [0, 1, 2].map(|a| (256 * from[a], 2 * to[a]));
    let (whole, rest) = (steps.map(|(dividend, divisor)| dividend / divisor), steps.map(|(n, d)| n % d));
    Uniform::new().u4(from).u4(to).u4(whole).u4(rest)
}
