//! A step of dense Lucas-Kanade in pictures: the moving image warped, every pixel's constraints, their sums over windows, and
//! what these agree on, added to the displacement. All in one, because a launch of a GPU takes longer than its part of a picture.
//!
//! *Paper*: B. D. Lucas, T. Kanade, IJCAI 1981; the constraints are those of [`crate::variational::motion_tensor`], of the images
//! and, with weight γ, of their derivatives; windows are boxes ([`crate::image::window_sum`]).
//! *In*: both images of a level, on one grid; the displacement, edges. *Out*: the displacement after the step, edges, and
//! Σ |δ| over the pixels. *Border*: as of the kernels that it is made of (cpu.rs names them). *Halo*: r + 4 pixels, and a gather.

mod cpu;
mod gpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::variational::motion_tensor::Constraint;
use veloxel_core::{Axes, Dimension, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later};

/// Half a window at most, pixels: what more needs does not fit the memory of a workgroup.
pub const MOST_RADIUS: usize = 3;
/// Buffers that the processor works in.
pub const CPU_BUFFERS: usize = 29;

/// What a step finds its vectors by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// Half a window, pixels, 1 to [`MOST_RADIUS`].
    pub radius: usize,
    /// Scaling of brightness constancy, and of gradient constancy.
    pub constraints: [Constraint; 2],
    /// γ, the weight of gradient constancy; 0: none.
    pub gamma: f32,
    /// λ of [`super::local_solve::LocalSolve`].
    pub ridge: f32,
    /// Longest increment, edges.
    pub limit: f32,
}

/// Makes a step.
#[derive(Debug)]
pub struct LocalStep<'a> {
    /// Of every buffer; a picture of two pixels along each axis at least.
    pub shape: Shape,
    /// Pixel spacing in edges.
    pub spacing_edges: Axes<f32>,
    /// What vectors are found by.
    pub terms: Terms,
    /// The fixed image and the moving one.
    pub images: [&'a Buffer; 2],
    /// Before the step, edges.
    pub displacement: &'a [Buffer],
    /// After it.
    pub out: &'a mut [Buffer],
    /// [`CPU_BUFFERS`] that the processor works in; a GPU needs none.
    pub memory: &'a mut [Buffer],
}

/// Whether a step can be made of these.
pub fn takes(shape: Shape, radius: usize) -> bool {
    let is_picture = shape.dimension == Dimension::Two && shape.size[0] > 1 && shape.size[1] > 1;
    is_picture && (1..=MOST_RADIUS).contains(&radius)
}

impl Kernel for LocalStep<'_> {
    const NAME: &'static str = "local_step";
    /// Σ |δ|, edges.
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        let n = self.shape.len();
        lengths.count("axes", self.shape.components(), 2..=2).count(
            "radius",
            self.terms.radius,
            1..=MOST_RADIUS,
        );
        lengths.of("fixed", self.images[0], n).of("moving", self.images[1], n);
        lengths.field("displacement", self.displacement, 2, n).field("out", self.out, 2, n);
        lengths.count("memory", self.memory.len(), 0..=CPU_BUFFERS);
        for buffer in &*self.memory {
            lengths.of("memory", buffer, n);
        }
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        cpu::step(cpu, self)
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        gpu::step(gpu, self)
    }
}
