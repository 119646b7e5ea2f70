//! Control points to a field: at every pixel, or at the control points of a finer lattice.
//!
//! ```text
//! d_c(X) = f_c Σ_i ψ_i(X) P_ic
//! ```
//!
//! *In*: the accepted set of every problem. *Out*: a displacement of all problems' pixels, planar ([`NodalField`]); or the set
//! on trial of the finer lattice of [`Elements::refining`], whose accepted set is taken to be the first ([`RefinedControls`]).
//! *Halo*: none.

use super::gpu_block::{self, ELEMENTS, Lattice, Tables};
use super::lattice::Elements;
use super::projection::values_of_row;
use super::state::{STATE, States};
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::{LINE, SUM};
use veloxel_core::Axes;
use veloxel_gpu::rows::components_mut;
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("nodal_field", Bindings, [LINE, SUM, ELEMENTS], "nodal_field.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { lattice: Lattice, factor: vec4<f32>, },
        tables: group Tables<'a>,
        controls: read f32,
        finer: may_write f32,
        out[out_x, out_y, out_z]: write f32,
    }
}

/// Writes the displacement of every pixel.
#[derive(Debug)]
pub struct NodalField<'a> {
    /// The lattice.
    pub elements: &'a Elements,
    /// The [`super::state`] of the problems.
    pub state: &'a Buffer,
    /// The control points P: two sets.
    pub controls: &'a Buffer,
    /// The factor f of each axis.
    pub factor: Axes<f32>,
    /// Planar components of all problems' pixels.
    pub out: &'a mut [Buffer],
}

/// Writes the control points of a finer lattice.
#[derive(Debug)]
pub struct RefinedControls<'a> {
    /// The lattice that [`Elements::refining`] made.
    pub elements: &'a Elements,
    /// The [`super::state`] of the coarser lattice.
    pub state: &'a Buffer,
    /// The control points P of the coarser lattice: two sets.
    pub controls: &'a Buffer,
    /// The control points P of the finer lattice: two sets, of which the second is written.
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
        by_dimension!(self.elements, nodal_field(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { elements, controls, out, .. } = self;
        let block = Block { lattice: Lattice::without_smoothness(elements), factor: self.factor.into() };
        let tables = Tables::of(elements, self.state);
        gpu_block::launch(gpu, &SOURCE, "nodal_field", elements)
            .bind(&Bindings { block, tables, controls, finer: None, out })
            .run(gpu_block::groups(elements, elements.shape.len()))
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
        by_dimension!(self.elements, refined_controls(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { elements, controls, out, .. } = self;
        let block = Block { lattice: Lattice::without_smoothness(elements), factor: [1.0; 3].into() };
        let tables = Tables::of(elements, self.state);
        gpu_block::launch(gpu, &SOURCE, "refined_controls", elements)
            .bind(&Bindings { block, tables, controls, finer: Some(out), out: &[] })
            .run(gpu_block::groups(elements, elements.shape.len()))
    }
}

fn nodal_field<const D: usize>(cpu: &Cpu, args: NodalField<'_>) {
    let NodalField { elements, state, controls, factor, out } = args;
    let (nx, rows) = (elements.shape.size[0], elements.shape.rows());
    cpu.split_rows(components_mut::<D>(out), nx, 4 * D * elements.pixels(), |index, out| {
        let (problem, row) = (index / rows, index % rows);
        for (c, out) in out.into_iter().enumerate() {
            values_of_row(elements, accepted(elements, state, controls, problem * D + c), row, out);
            out.iter_mut().for_each(|v| *v *= factor[c]);
        }
    });
}

fn refined_controls<const D: usize>(cpu: &Cpu, args: RefinedControls<'_>) {
    let RefinedControls { elements, state, controls, out } = args;
    let (nx, rows, half) = (elements.shape.size[0], elements.shape.rows(), D * elements.pixels());
    let out = &mut out.host_mut()[half..];
    cpu.split_rows([out], nx, 4 * half, |job, [out]| {
        let own = accepted(elements, state, controls, job / rows);
        values_of_row(elements, own, job % rows, out);
    });
}

/// The accepted control points of a component of a problem.
fn accepted<'a>(elements: &Elements, state: &Buffer, controls: &'a Buffer, unit: usize) -> &'a [f32] {
    let (d, count) = (elements.components(), elements.controls_of_problem());
    &controls.host()[(States(state.host()).accepted(unit / d) * d + unit % d) * count..][..count]
}
