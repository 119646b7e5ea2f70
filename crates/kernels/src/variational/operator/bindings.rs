//! What launches of the operator bind.

use super::Operator;
use crate::bindings::{bindings, block, slots};
use crate::shared::Pack;
use veloxel_gpu::wgsl::{Scalar, Stored, Type, vec4};

block! {
    /// Numbers that every launch of the operator needs.
    pub(super) struct Block {
        /// Packs along x, voxels along y and z.
        size: vec4<u32>,
        /// Cells of the coarser grid along x, y, z, if there is one.
        coarse: vec4<u32>,
        /// The factor α / s², per axis.
        spring: vec4<f32>,
        /// The factor 1 / s, per axis.
        per_spacing: vec4<f32>,
        /// The relaxation factor ω, or the damping of Jacobi's method.
        omega: f32,
        /// Parity of y + z of the rows that a pass updates.
        rows: u32,
        /// Parity of x, x + y + z or x + z of the voxels that a pass updates in these rows.
        colour: u32,
        sweeps: u32,
    }
}

slots! {
    /// The operator's coefficients; texts over rows of whole packs read the tensor alone.
    pub(super) struct Coefficients<'a> {
        tensor[j0, j1, j2, j3, j4, j5]: read Pack,
        psi: may_read f32,
        volume_weight: may_read f32,
    }
}

impl<'a> Coefficients<'a> {
    pub fn of(operator: &Operator<'a>) -> Self {
        let tensor = operator.tensor.unwrap_or_default();
        Self { tensor, psi: operator.diffusivity, volume_weight: operator.volume_weight }
    }
}

/// A sample of the residual, or a pack of them, as each text stores them.
#[derive(Debug)]
pub(super) enum Out {}

impl Stored for Out {
    const TYPE: Type = Type::Alias("Out", &[Scalar::F32]);
    type Sample = f32;
}

bindings! {
    /// What a sweep in place binds.
    pub(super) struct RelaxBindings<'a> {
        block: Block,
        x[x0, x1, x2]: write Pack,
        rhs[rhs0, rhs1, rhs2]: read Pack,
        coefficients: group Coefficients<'a>,
    }
}

bindings! {
    /// What a sweep of a picture, tile by tile, binds.
    pub(super) struct TileBindings<'a> {
        block: Block,
        x[x0, x1, x2]: read Pack,
        rhs[rhs0, rhs1, rhs2]: read Pack,
        coefficients: group Coefficients<'a>,
        out[out0, out1]: write f32,
    }
}

bindings! {
    /// What the product binds: the residual overwrites the right-hand side.
    pub(super) struct ProductBindings<'a> {
        block: Block,
        x[x0, x1, x2]: read Pack,
        rhs[rhs0, rhs1, rhs2]: write Pack,
        coefficients: group Coefficients<'a>,
    } -> sums: f32
}

bindings! {
    /// What the residual binds: unknowns and right-hand side are only read; results go to other buffers.
    pub(super) struct ResidualBindings<'a> {
        block: Block,
        x[x0, x1, x2]: read Pack,
        rhs[rhs0, rhs1, rhs2]: read Pack,
        coefficients: group Coefficients<'a>,
        out[out0, out1, out2]: write Out,
    } -> sums: f32
}

bindings! {
    /// What the gradient of the volume term binds.
    pub(super) struct TargetBindings<'a> {
        block: TargetBlock {
            size: vec4<u32>,
            /// The factor 0.5 / s, per axis.
            half: vec4<f32>,
        },
        volume_weight: read f32,
        change: read f32,
        rhs[rhs0, rhs1, rhs2]: write f32,
    }
}

bindings! {
    /// What a launch of both passes of a sweep at once binds, in CUDA C++.
    pub(super) struct FusedBindings<'a> {
        block: FusedBlock {
            /// Packs along x, voxels along y and z.
            size: vec4<u32>,
            /// The factor α / s², per axis.
            spring: vec4<f32>,
            omega: f32,
            /// Number of planes between the passes.
            lag: u32,
        },
        x[x0, x1, x2]: write vec4<f32>,
        rhs[rhs0, rhs1, rhs2]: read vec4<f32>,
        tensor[j0, j1, j2, j3, j4, j5]: read vec4<f32>,
        /// The state, all zero at the start: a counter; from word 32 on, a flag for each tile of the first pass.
        state: write u32,
    }
}
