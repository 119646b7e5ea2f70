//! CPU text of [`Diffusivity`].

use super::{Diffusivity, ImageEdges};
use crate::image::gradient::Scheme;
use crate::image::gradient::cpu::{Difference, derivative_row};
use crate::shared::exponential::exponential;
use crate::shared::lanes::{LANES, Lanes, Pack};
use multiversion::multiversion;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{components, with_scratch};

pub(super) fn diffusivity<const D: usize>(cpu: &Cpu, args: Diffusivity<'_>) {
    let Diffusivity { shape, spacing_edges, epsilon, edges, base, increment, out } = args;
    let nx = shape.size[0];
    let total = Total::<D> { base: components(base), increment: components(increment), shape };
    let share = epsilon.map(|epsilon| spacing_edges.map(|s| 0.5 / (s * epsilon).powi(2)));
    let per_edge = spacing_edges.map(|s| 1.0 / s);
    cpu.split_rows([out.host_mut()], nx, 4 * shape.len(), |row, [psi]| {
        with_scratch(D * (nx + 2) + 2 * nx, |scratch| {
            match share {
                Some(share) => total.weigh(row, share, &mut scratch[..D * (nx + 2)], psi),
                None => psi.fill(1.0),
            }
            if let Some(ImageEdges { kappa, image }) = edges {
                let (slopes, squares) = scratch[..2 * nx].split_at_mut(nx);
                squares.fill(0.0);
                for axis in 0..D {
                    derivative_row(
                        image.host(),
                        Difference { shape, axis, scheme: Scheme::Central4 },
                        row,
                        slopes,
                    );
                    let per_edge = per_edge[axis];
                    squares.iter_mut().zip(slopes.iter()).for_each(|(s, &e)| {
                        let slope = per_edge * e;
                        *s += slope * slope;
                    });
                }
                damp(kappa, squares, psi);
            }
        });
    });
}

/// The displacement so far and the increment.
struct Total<'a, const D: usize> {
    base: [&'a [f32]; D],
    increment: [&'a [f32]; D],
    shape: Shape,
}

/// A row of a component of both.
type Summands<'a> = [&'a [f32]; 2];

impl<const D: usize> Total<'_, D> {
    fn summands(&self, component: usize, row: usize) -> Summands<'_> {
        let nx = self.shape.size[0];
        [self.base, self.increment].map(|field| &field[component][row * nx..][..nx])
    }

    /// Writes a row's weights. Each squared difference belongs half to the voxel on either side.
    fn weigh(&self, row: usize, share: Axes<f32>, own: &mut [f32], psi: &mut [f32]) {
        let [nx, ny, nz] = self.shape.size;
        for (c, own) in own.chunks_exact_mut(nx + 2).enumerate() {
            let [base, increment] = self.summands(c, row);
            add(base, increment, &mut own[1..=nx]);
            (own[0], own[nx + 1]) = (own[1], own[nx]);
        }
        // Beyond the border the row itself, from which it differs by nothing.
        let (y, z) = (row % ny, row / ny);
        let rows = [
            if y > 0 { row - 1 } else { row },
            if y + 1 < ny { row + 1 } else { row },
            if z > 0 { row - ny } else { row },
            if z + 1 < nz { row + ny } else { row },
        ];
        let beside = std::array::from_fn(|c| rows.map(|row| self.summands(c, row)));
        weigh_row::<D>(own, &beside, share, psi);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add(a: &[f32], b: &[f32], out: &mut [f32]) {
    for ((o, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *o = a + b;
    }
}

/// `1 / √(1 + Σ share · squared differences)`: sums are taken from left to right, as in the shader, so that both find the same
/// bits. `own` is padded, component after component; beside it lie the rows before and after along y, and along z.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn weigh_row<const D: usize>(
    own: &[f32],
    beside: &[[Summands<'_>; 4]; D],
    share: Axes<f32>,
    psi: &mut [f32],
) {
    let n = psi.len();
    for x in (0..n).step_by(LANES) {
        let zero = Lanes::splat(0.0);
        let mut here = [zero; D];
        // Along x before and after, then to the rows beside.
        let mut squares = [zero; 6];
        let square = |a: Lanes, b: Lanes| (a - b) * (a - b);
        for c in 0..D {
            let line = &own[c * (n + 2)..][..n + 2];
            here[c] = Lanes::load_or_zero(line, x + 1);
            squares[0] = squares[0] + square(here[c], Lanes::load_or_zero(line, x));
        }
        for c in 0..D {
            let after = Lanes::load_or_zero(&own[c * (n + 2)..][..n + 2], x + 2);
            squares[0] = squares[0] + square(after, here[c]);
        }
        for k in 0..2 * (D - 1) {
            // Along y both sides add to one sum, along z each has its own.
            let sum = if k < 2 { 1 } else { k };
            for c in 0..D {
                let [base, increment] = beside[c][k];
                let other = Lanes::load_or_zero(base, x) + Lanes::load_or_zero(increment, x);
                squares[sum] = squares[sum] + square(here[c], other);
            }
        }
        let mut total = Lanes::splat(1.0) + Lanes::splat(share[0]) * squares[0];
        total = total + Lanes::splat(share[1]) * squares[1];
        if D == 3 {
            total = total + Lanes::splat(share[2]) * (squares[2] + squares[3]);
        }
        (Lanes::splat(1.0) / total.sqrt()).store_what_fits(psi, x);
    }
}

/// `psi ← psi · exp(−κ √squares)`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn damp(kappa: f32, squares: &[f32], psi: &mut [f32]) {
    for (p, &s) in psi.iter_mut().zip(squares) {
        *p *= exponential(-kappa * s.sqrt());
    }
}
