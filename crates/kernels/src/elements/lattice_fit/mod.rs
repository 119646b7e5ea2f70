//! A field to control points: those of a lattice whose field is near to it.
//!
//! A control point takes the field's value where it belongs (its Greville abscissa: a third of an element before or after its
//! node), linear between pixels and the border's beyond: Schoenberg's operator, exact for linear fields; what it misses of
//! others is of second order, and the first steps find it. *In*: a field of all problems' pixels, planar. *Out*: the second
//! set of control points, `P = f d`.

mod cpu;

use super::gpu_block::{self, ELEMENTS};
use super::lattice::Elements;
use super::state::Smoothness;
use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::{LATTICE, LINE, NAN, SUM};
use veloxel_core::Axes;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("lattice_fit", &[NAN, LINE, SUM, LATTICE, ELEMENTS, include_str!("lattice_fit.wgsl")]);

/// Writes the second set of control points.
#[derive(Debug)]
pub struct LatticeFit<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// d: planar components of all problems' pixels.
    pub field: &'a [Buffer],
    /// f.
    pub factor: Axes<f32>,
    /// P: two sets.
    pub controls: &'a mut Buffer,
}

impl Kernel for LatticeFit<'_> {
    const NAME: &'static str = "lattice_fit";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let e = self.elements;
        lengths.field("field", self.field, e.components(), e.pixels());
        lengths.of("controls", self.controls, 2 * e.problems * e.unknowns());
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::lattice_fit(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let [first, step] = self.elements.placed;
        let uniform = gpu_block::lattice(self.elements, &Smoothness::NONE)
            .f4(first)
            .f4(step.map(|step| 1.0 / step))
            .f4(self.factor);
        // The state is not looked at.
        gpu_block::launch(gpu, &SOURCE, "lattice_fit", self.elements, uniform, &self.field[0])
            .inputs(self.field, 3)
            .output(self.controls)
            .run(gpu_block::groups(self.elements, self.elements.unknowns()))
    }
}
