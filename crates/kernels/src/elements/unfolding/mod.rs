//! Local step control: where a lattice's motion would fold, its steps are shortened until it does not.
//!
//! At every pixel the determinant of `I + ∇d` is taken with each choice of the neighbours before and after along the axes: a
//! picture's map, linear between pixels, has its least determinant at one of these, and central differences are their mean. A
//! control point with a pixel in its support whose least determinant is at most `least` goes half of its way back to where
//! the lattice began. Called again and again this ends at the beginning, which does not fold, wherever it must.
//! *In*: the field at the pixels, in their voxels; the control points that the lattice began with. *Out*: the accepted set; the
//! least determinant of every pixel. *Border*: neighbours that are not there have no determinant.

mod cpu;

use super::gpu_block::{self, ELEMENTS};
use super::lattice::Elements;
use super::state::{STATE, Smoothness};
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use crate::shared::{LINE, SUM};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("unfolding", &[LINE, SUM, ELEMENTS, include_str!("unfolding.wgsl")]);

/// Shortens the steps of control points around folds by half.
#[derive(Debug)]
pub struct Unfolding<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// [`super::state`].
    pub state: &'a Buffer,
    /// d: planar components of all problems' pixels, voxels.
    pub field: &'a [Buffer],
    /// What the control points were at the beginning: one set.
    pub begin: &'a Buffer,
    /// A determinant up to this is a fold.
    pub least: f32,
    /// The least determinant of every pixel.
    pub determinant: &'a mut Buffer,
    /// P: two sets.
    pub controls: &'a mut Buffer,
}

impl Kernel for Unfolding<'_> {
    const NAME: &'static str = "unfolding";
    /// Whether something folded, where that is known at once.
    type Output = Option<bool>;

    fn check(&self, lengths: &mut Lengths) {
        let e = self.elements;
        let all = e.problems * e.unknowns();
        lengths.of("state", self.state, STATE * e.problems);
        lengths.field("field", self.field, (e.shape.components(), e.pixels()));
        lengths.of("begin", self.begin, all).of("controls", self.controls, 2 * all);
        lengths.of("determinant", self.determinant, e.pixels());
    }
    fn on_cpu(self, cpu: &Cpu) -> Option<bool> {
        Some(by_dimension!(self.elements.shape, cpu::unfold(cpu, self)))
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Option<bool>, ComputeError> {
        let e = self.elements;
        let uniform = || gpu_block::lattice(e, &Smoothness::NONE).f4([self.least]);
        gpu_block::launch(gpu, (&SOURCE, "least_determinant"), (e, uniform()), self.state)
            .inputs(self.field, 3)
            .absent(1)
            .output(self.determinant)
            .spare(1)
            .run(gpu_block::groups(e, e.shape.len()))?;
        gpu_block::launch(gpu, (&SOURCE, "shorten"), (e, uniform()), self.state)
            .absent(3)
            .input(self.begin)
            .output(self.determinant)
            .output(self.controls)
            .run(gpu_block::groups(e, e.unknowns()))?;
        Ok(None)
    }
}
