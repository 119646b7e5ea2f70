//! How a launch sees the operator: voxels in packs, constants, uniform block and bindings.

use super::Operator;
use crate::kernel::{Launcher, PreparedLaunch};
use veloxel_core::Axes;
use veloxel_gpu::{Bind, ShaderSource, Uniform, inputs};

/// How a launch sees the operator.
pub(super) struct View<'a> {
    pub operator: Operator<'a>,
    /// Four voxels at a time, with springs that are the same everywhere.
    pub rows: bool,
}

/// What one pass is told beside the operator.
#[derive(Default)]
pub(super) struct Pass {
    /// ω, or the damping.
    pub omega: f32,
    /// Parity of y + z of the rows that the pass takes.
    pub rows: usize,
    /// Parity of x, x + y + z or x + z of the voxels that it takes there.
    pub colour: usize,
    pub sweeps: usize,
    /// Cells of the coarser grid, where there is one.
    pub coarse: Axes<usize>,
}

impl<'a> View<'a> {
    /// Packs of four where rows consist of them and springs are the same everywhere.
    pub fn of(operator: Operator<'a>) -> Self {
        let plain = operator.diffusivity.is_none() && operator.volume_weight.is_none();
        Self { operator, rows: plain && operator.shape.size[0].is_multiple_of(4) }
    }
    /// Voxel by voxel.
    pub fn general(operator: Operator<'a>) -> Self {
        Self { operator, rows: false }
    }
    /// Packs along x, voxels along y and z.
    pub fn packs(&self) -> Axes<usize> {
        let [nx, ny, nz] = self.operator.shape.size;
        [if self.rows { nx / 4 } else { nx }, ny, nz]
    }
    /// Begins a launch over the operator; `fields` are the unknowns and the right-hand side, three bindings each.
    pub fn launch(
        &self,
        gpu: &Launcher<'a>,
        source: &'static ShaderSource,
        entry: &'static str,
        pass: &Pass,
        fields: impl Iterator<Item = Bind<'a>>,
    ) -> PreparedLaunch<'a> {
        let operator = self.operator;
        let launch = gpu
            .launch_in(operator.shape.components(), source, entry)
            .constant("TENSOR", operator.tensor.is_some());
        let (varies, volume) = (operator.diffusivity.is_some(), operator.volume_weight.is_some());
        let launch = match self.rows {
            true => launch,
            false => launch.constants([("DIFFUSIVITY", varies), ("VOLUME", volume)]),
        };
        let uniform = Uniform::new()
            .u4(self.packs())
            .u4(pass.coarse)
            .f4(operator.springs())
            .f4(operator.spacing_edges.map(|s| 1.0 / s))
            .f(pass.omega)
            .u(pass.rows)
            .u(pass.colour)
            .u(pass.sweeps);
        launch
            .uniform(uniform)
            .bind_each(fields)
            .bind_each(inputs(operator.tensor.unwrap_or_default(), 6))
            .optional(operator.diffusivity)
            .optional(operator.volume_weight)
    }
}
