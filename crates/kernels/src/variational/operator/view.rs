//! The operator in the form that a launch needs: voxels in packs, constants, uniform block and bindings.

use super::Operator;
use super::bindings::{Block, Coefficients};
use crate::kernel::{Launcher, PreparedLaunch};
use veloxel_core::Axes;
use veloxel_gpu::ShaderSource;

/// The operator in the form that a launch needs.
pub(super) struct View<'a> {
    pub operator: Operator<'a>,
    /// Whether a thread takes four voxels at a time, with springs that are the same everywhere.
    pub rows: bool,
}

/// Numbers that one pass needs beside the operator.
#[derive(Default)]
pub(super) struct Pass {
    /// The relaxation factor ω, or the damping.
    pub omega: f32,
    /// Parity of y + z of the rows that the pass takes.
    pub rows: usize,
    /// Parity of x, x + y + z or x + z of the voxels that it takes there.
    pub colour: usize,
    pub sweeps: usize,
    /// Number of cells of the coarser grid, if there is one.
    pub coarse: Axes<usize>,
}

impl<'a> View<'a> {
    /// A view in packs of four, if rows consist of them and springs are the same everywhere; else voxel by voxel.
    pub fn of(operator: Operator<'a>) -> Self {
        let plain = operator.diffusivity.is_none() && operator.volume_weight.is_none();
        Self { operator, rows: plain && operator.shape.size[0].is_multiple_of(4) }
    }
    /// A view voxel by voxel.
    pub fn general(operator: Operator<'a>) -> Self {
        Self { operator, rows: false }
    }
    /// Number of packs along x, and of voxels along y and z.
    pub fn packs(&self) -> Axes<usize> {
        let [nx, ny, nz] = self.operator.shape.size;
        [if self.rows { nx / 4 } else { nx }, ny, nz]
    }
    /// Begins a launch over the operator, with its constants.
    pub fn launch(
        &self,
        gpu: &Launcher<'a>,
        source: &'static ShaderSource,
        entry: &'static str,
    ) -> PreparedLaunch<'a> {
        let operator = self.operator;
        let launch = gpu
            .launch_in(operator.shape.components(), source, entry)
            .constant("TENSOR", operator.tensor.is_some());
        let (varies, volume) = (operator.diffusivity.is_some(), operator.volume_weight.is_some());
        match self.rows {
            true => launch,
            false => launch.constants([("DIFFUSIVITY", varies), ("VOLUME", volume)]),
        }
    }
    /// The uniform block of a pass.
    pub fn block(&self, pass: &Pass) -> Block {
        let operator = self.operator;
        Block {
            size: self.packs().into(),
            coarse: pass.coarse.into(),
            spring: operator.springs().into(),
            per_spacing: operator.spacing_edges.map(|s| 1.0 / s).into(),
            omega: pass.omega,
            rows: pass.rows,
            colour: pass.colour,
            sweeps: pass.sweeps,
        }
    }
    /// The operator's buffers.
    pub fn coefficients(&self) -> Coefficients<'a> {
        Coefficients::of(&self.operator)
    }
}
