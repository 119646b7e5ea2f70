//! Control points to a field: at every pixel, or at the control points of a finer lattice.
//!
//! ```text
//! d_c(X) = f_c Σ_i ψ_i(X) P_ic
//! ```
//!
//! *In*: the accepted set of every problem. *Out*: a displacement of all problems' pixels, planar ([`NodalField`]); or the set
//! on trial of the finer lattice that [`Elements::refining`] speaks of, whose accepted set is taken to be the first
//! ([`RefinedControls`]). *Halo*: none.

mod cpu;

use super::gpu_block::{self, ELEMENTS};
use super::lattice::Elements;
use super::state::{STATE, Smoothness};
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use crate::shared::{LINE, SUM};
use veloxel_core::Axes;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("nodal_field", &[LINE, SUM, ELEMENTS, include_str!("nodal_field.wgsl")]);

/// Writes the displacement of every pixel.
#[derive(Debug)]
pub struct NodalField<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// [`super::state`].
    pub state: &'a Buffer,
    /// P: two sets.
    pub controls: &'a Buffer,
    /// f.
    pub factor: Axes<f32>,
    /// Planar components of all problems' pixels.
    pub out: &'a mut [Buffer],
}

/// Writes the control points of a finer lattice.
#[derive(Debug)]
pub struct RefinedControls<'a> {
    /// Made by [`Elements::refining`].
    pub elements: &'a Elements,
    /// [`super::state`] of the coarser lattice.
    pub state: &'a Buffer,
    /// P of the coarser lattice: two sets.
    pub controls: &'a Buffer,
    /// P of the finer one: two sets, of which the second is written.
    pub out: &'a mut Buffer,
}

impl Kernel for NodalField<'_> {
    const NAME: &'static str = "nodal_field";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let e = self.elements;
        lengths.of("state", self.state, STATE * e.problems);
        lengths.of("controls", self.controls, 2 * e.problems * e.unknowns());
        lengths.field("out", self.out, e.components(), e.pixels());
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.elements, cpu::nodal_field(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let uniform = gpu_block::lattice(self.elements, &Smoothness::NONE).f4(self.factor);
        gpu_block::launch(gpu, &SOURCE, "nodal_field", self.elements, uniform, self.state)
            .input(self.controls)
            .spare(1)
            .outputs(self.out, 3)
            .run(gpu_block::groups(self.elements, self.elements.shape.len()))
    }
}

impl Kernel for RefinedControls<'_> {
    const NAME: &'static str = "refined_controls";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let e = self.elements;
        lengths.of("state", self.state, STATE * e.problems);
        lengths.of("controls", self.controls, 2 * e.problems * e.unknowns());
        lengths.of("out", self.out, 2 * e.components() * e.pixels());
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.elements, cpu::refined_controls(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let uniform = gpu_block::lattice(self.elements, &Smoothness::NONE).f4([1.0; 3]);
        gpu_block::launch(gpu, &SOURCE, "refined_controls", self.elements, uniform, self.state)
            .input(self.controls)
            .output(self.out)
            .spare(3)
            .run(gpu_block::groups(self.elements, self.elements.shape.len()))
    }
}
