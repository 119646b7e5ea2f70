//! The system `A x = rhs`, seen row by row, and the springs between voxels.

use super::Operator;
use super::row::Row;
use crate::shared::lanes::Pack;
use crate::shared::rows::row_loops;
use std::ops::Range;
use veloxel_gpu::rows::{Shared, with_scratch};

/// The operator with its unknowns and its right-hand side.
pub(super) struct System<'a, const D: usize> {
    pub operator: Operator<'a>,
    pub x: [Shared<'a>; D],
    pub rhs: [Shared<'a>; D],
}

impl<'a, const D: usize> System<'a, D> {
    /// Lends scratch for one row after the other.
    pub(crate) fn with_row<R>(&self, work: impl FnOnce(&mut Row<'_, D>) -> R) -> R {
        let n = self.operator.shape.size[0];
        with_scratch(Row::<D>::scratch(n), |scratch| work(&mut Row::new(scratch, &self.operator)))
    }

    /// The samples of a row.
    pub fn span(&self, row: usize) -> Range<usize> {
        let nx = self.operator.shape.size[0];
        row * nx..(row + 1) * nx
    }

    /// A component of the unknowns along a row.
    ///
    /// # Safety
    /// No thread writes the row while the slice lives.
    pub unsafe fn x(&self, component: usize, row: usize) -> &[f32] {
        // SAFETY: forwarded.
        unsafe { self.x[component].get(self.span(row)) }
    }

    /// The tensor's entries along a row; empty without a tensor.
    pub fn tensor(&self, row: usize) -> [&'a [f32]; 6] {
        std::array::from_fn(|e| match self.operator.tensor {
            Some(tensor) if e < self.operator.shape.tensor_entries() => &tensor[e].host()[self.span(row)],
            _ => &[],
        })
    }
}

/// Writes to `links[i]` the spring `scale (ψ_{i−1} + ψ_i) / 2` before voxel i, and after voxel i − 1; those at both ends stay
/// 0.
pub(super) fn link(psi: &[f32], scale: f32, links: &mut [f32]) {
    let n = psi.len();
    edge_weights(&psi[1..], &psi[..n - 1], scale, &mut links[1..n]);
}

row_loops! {
    /// The springs between voxels: `out = scale (a + b) / 2`.
    fn edge_weights([a, b], scale: f32; out) |i| out[i] = spring(scale, a[i], b[i]);
}

/// The spring between two voxels of weights a and b.
#[inline(always)]
pub(super) fn spring<P: Pack>(scale: f32, a: P, b: P) -> P {
    P::splat(0.5 * scale) * (a + b)
}
