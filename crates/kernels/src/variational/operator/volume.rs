//! The volume-preserving term of a row, and the gradient of its target.

use super::row::Row;
use super::system::{System, edge_weights, link};
use super::{Operator, SubtractVolumeTarget};
use crate::shared::rows::{add, add_product, add_scaled, beside, multiply, replicated, scaled_difference};
use veloxel_core::Shape;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{components_mut, with_scratch};

impl<const D: usize> System<'_, D> {
    /// Adds springs along each component's own axis, and the mixed differences.
    ///
    /// # Safety
    /// No other thread writes what the row's stencil reads.
    pub(super) unsafe fn add_volume(&self, row: usize, weight: &[f32], out: &mut Row<'_, D>) {
        let Operator { shape, spacing_edges, .. } = self.operator;
        let n = shape.size[0];
        let Row { along_x, gathered, work, .. } = out;
        let (edge, rest) = work.split_at_mut(n);
        let (flux, difference) = rest.split_at_mut(n);
        let w = |row: usize| &weight[self.span(row)];
        // SAFETY: forwarded.
        let x = |c: usize, row: usize| unsafe { self.x(c, row) };

        let [first, others @ ..] = &mut gathered.diag[..] else { return };
        others.iter_mut().for_each(|diag| diag.copy_from_slice(first));
        // Springs along a component's own axis: x …
        let per_spacing = spacing_edges.map(|s| 1.0 / s);
        let along = per_spacing.map(|s| s * s);
        link(w(row), along[0], along_x.volume_links);
        add(&along_x.volume_links[..n], gathered.diag[0]);
        add(&along_x.volume_links[1..], gathered.diag[0]);
        // … then y and z.
        for axis in 1..D {
            for to in beside(shape, row, axis).into_iter().flatten() {
                edge_weights(w(row), w(to), along[axis], edge);
                add(edge, gathered.diag[axis]);
                add_product(x(axis, to), edge, gathered.base[axis]);
            }
        }
        // Mixed: base_c −= ∂_cᵀ [w Σ_{e≠c} ∂_e δ_e], central differences on replicated borders.
        for c in 0..D {
            let half = 0.5 * per_spacing[c];
            let flux_of_others = |row: usize, flux: &mut [f32]| {
                flux.fill(0.0);
                for e in (0..D).filter(|&e| e != c) {
                    let half = 0.5 * per_spacing[e];
                    if e == 0 {
                        central_along_x(x(0, row), half, difference);
                    } else {
                        let [low, high] = replicated(shape, row, e).map(|row| x(e, row));
                        scaled_difference(high, low, half, difference);
                    }
                    add(difference, flux);
                }
                multiply(w(row), flux);
            };
            Adjoint { shape, axis: c, half }.subtract(row, flux_of_others, flux, gathered.base[c]);
        }
    }
}

/// The adjoint of central differences along an axis on a replicated border: beyond it the row's own flux counts, negated.
struct Adjoint {
    shape: Shape,
    axis: usize,
    /// The factor 0.5 / s.
    half: f32,
}

impl Adjoint {
    /// Subtracts from a row: `out −= ∂ᵀ flux`; `flux_of` writes the flux of a row to `flux`.
    fn subtract(
        &self,
        row: usize,
        mut flux_of: impl FnMut(usize, &mut [f32]),
        flux: &mut [f32],
        out: &mut [f32],
    ) {
        let half = self.half;
        if self.axis == 0 {
            let n = out.len();
            flux_of(row, flux);
            out[0] += half * flux[0];
            add_scaled(&flux[..n - 1], -half, &mut out[1..]);
            add_scaled(&flux[1..], half, &mut out[..n - 1]);
            out[n - 1] -= half * flux[n - 1];
            return;
        }
        for (beside, sign) in beside(self.shape, row, self.axis).into_iter().zip([-half, half]) {
            flux_of(beside.unwrap_or(row), flux);
            add_scaled(flux, if beside.is_some() { sign } else { -sign }, out);
        }
    }
}

/// Processor text of [`SubtractVolumeTarget`].
pub(super) fn subtract_target<const D: usize>(cpu: &Cpu, args: SubtractVolumeTarget<'_>) {
    let Operator { shape, spacing_edges, .. } = args.operator;
    let Some(weight) = args.operator.volume_weight else { return };
    let (nx, weight, change) = (shape.size[0], weight.host(), args.change.host());
    cpu.split_rows(components_mut::<D>(args.rhs), nx, shape.len(), |row, rhs| {
        with_scratch(nx, |flux| {
            let weighted = |row: usize, flux: &mut [f32]| {
                flux.copy_from_slice(&weight[row * nx..(row + 1) * nx]);
                multiply(&change[row * nx..(row + 1) * nx], flux);
            };
            for (axis, out) in rhs.into_iter().enumerate() {
                let half = 0.5 / spacing_edges[axis];
                Adjoint { shape, axis, half }.subtract(row, weighted, flux, out);
            }
        });
    });
}

/// Half differences along x, replicated at the border.
fn central_along_x(row: &[f32], half: f32, out: &mut [f32]) {
    let n = row.len();
    if n == 1 {
        out[0] = 0.0;
        return;
    }
    out[0] = half * (row[1] - row[0]);
    out[n - 1] = half * (row[n - 1] - row[n - 2]);
    scaled_difference(&row[2..], &row[..n - 2], half, &mut out[1..n - 1]);
}
