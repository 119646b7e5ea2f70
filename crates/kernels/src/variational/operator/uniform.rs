//! Rows of the operator with the same spring everywhere along an axis and without volume term, sixteen voxels at a time.
//!
//! The split of a row is that of [`super::cpu`]; nothing but the springs' total along x, which falls at the border, needs
//! scratch. Rows are [`LANES`] long at least.

use super::Operator;
use super::relax::tensor_row;
use crate::shared::lanes::{LANES, Lanes, starts};
use multiversion::multiversion;
use veloxel_core::Axes;
use veloxel_gpu::rows::Shared;

/// What every row of such an operator shares.
pub(super) struct Uniform {
    size: Axes<usize>,
    /// α / s_a².
    spring: Axes<f32>,
}

/// A row and its neighbours.
pub(super) struct Around<'a, const D: usize> {
    /// Empty without a tensor.
    tensor: [&'a [f32]; 6],
    rhs: [&'a [f32]; D],
    own: [&'a [f32]; D],
    /// Of each component: y − 1, y + 1, z − 1, z + 1; beyond a border the row itself stands in, with weight 0.
    near: [[&'a [f32]; 4]; D],
    weights: [f32; 4],
}

impl Uniform {
    /// Whether the operator is one of these.
    pub fn of(operator: &Operator<'_>) -> Option<Self> {
        let [nx, ..] = operator.shape.size;
        let uniform = operator.diffusivity.is_none() && operator.volume_weight.is_none() && nx >= LANES;
        uniform.then(|| Self {
            size: operator.shape.size,
            spring: operator.spacing_edges.map(|s| operator.alpha / (s * s)),
        })
    }

    /// The springs' total along x of each voxel of a row.
    pub fn springs_along_x(&self, out: &mut [f32]) {
        let n = out.len();
        out.fill(2.0 * self.spring[0]);
        out[0] = self.spring[0];
        out[n - 1] = self.spring[0];
    }

    /// # Safety
    /// While the rows live, nobody writes what their stencils read.
    pub unsafe fn around<'a, const D: usize>(
        &self,
        operator: &Operator<'a>,
        (x, rhs): (&'a [Shared<'_>], [&'a [f32]; D]),
        row: usize,
    ) -> Around<'a, D> {
        let [nx, ny, nz] = self.size;
        let (y, z) = (row % ny, row / ny);
        let steps = [
            (y > 0).then(|| (row - 1, self.spring[1])),
            (y + 1 < ny).then(|| (row + 1, self.spring[1])),
            (z > 0).then(|| (row - ny, self.spring[2])),
            (z + 1 < nz).then(|| (row + ny, self.spring[2])),
        ]
        .map(|step| step.unwrap_or((row, 0.0)));
        let span = |row: usize| row * nx..(row + 1) * nx;
        // SAFETY: forwarded.
        let field = |c: usize, row: usize| unsafe { x[c].get(span(row)) };
        Around {
            tensor: tensor_row::<D>(operator, span(row)),
            rhs,
            own: std::array::from_fn(|c| field(c, row)),
            near: std::array::from_fn(|c| steps.map(|(to, _)| field(c, to))),
            weights: steps.map(|step| step.1),
        }
    }
    /// α / s_x².
    pub fn spring_x(&self) -> f32 {
        self.spring[0]
    }
}

impl<const D: usize> Around<'_, D> {
    /// Copies each component between two zeros, one after the other: the springs beyond the border pull at nothing.
    pub fn pad(&self, padded: &mut [f32]) {
        for (own, out) in self.own.iter().zip(padded.chunks_exact_mut(own_padded(self.own[0].len()))) {
            let n = own.len();
            out[0] = 0.0;
            out[1..=n].copy_from_slice(own);
            out[n + 1] = 0.0;
        }
    }
    /// Every row holds `n` samples.
    fn require(&self, n: usize) {
        let entries = if self.tensor[0].is_empty() { 0 } else { D * (D + 1) / 2 };
        let rows = self.tensor[..entries].iter().chain(&self.rhs).chain(&self.own);
        assert!(rows.chain(self.near.iter().flatten()).all(|r| r.len() == n), "rows should be equally long");
    }
}

/// Samples of a padded row.
pub(super) const fn own_padded(n: usize) -> usize {
    n + 2
}

/// Writes `base`, component after component, and the `inverse` of each diagonal block, entry after entry.
///
/// `along_x` holds the springs' total along x; `ahead` samples on lies what the next row brings in.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(super) fn gather_and_invert<const D: usize>(
    row: &Around<'_, D>,
    (along_x, ahead): (&[f32], usize),
    (base, inverse): (&mut [f32], &mut [f32]),
) {
    let n = along_x.len();
    row.require(n);
    let entries = D * (D + 1) / 2;
    assert!(base.len() == D * n && inverse.len() == entries * n, "scratch should hold the row");
    let w = row.weights;
    let across: f32 = w[..2 * (D - 1)].iter().sum();
    for at in starts(n) {
        // SAFETY: every row holds n samples, and the lanes end at n.
        unsafe {
            let diag = Lanes::load(along_x, at) + Lanes::splat(across);
            let inverted = if row.tensor[0].is_empty() {
                invert_diagonal::<D>(diag)
            } else {
                let mut block = [Lanes::splat(0.0); 6];
                for (block, tensor) in block.iter_mut().zip(&row.tensor).take(entries) {
                    *block = Lanes::load(tensor, at);
                    prefetch(tensor, at + ahead);
                }
                invert::<D>(block, diag)
            };
            for e in 0..entries {
                inverted[e].store(inverse, e * n + at);
            }
            for c in 0..D {
                let sum = neighbours_sum(row, c, at);
                sum.store(base, c * n + at);
                prefetch(row.rhs[c], at + ahead);
                prefetch(row.near[c][3], at + ahead);
            }
        }
    }
}

/// `rhs + Σ weight · neighbour` along y and z.
///
/// # Safety
/// The rows hold the lanes from `at`.
#[inline(always)]
unsafe fn neighbours_sum<const D: usize>(row: &Around<'_, D>, c: usize, at: usize) -> Lanes {
    // SAFETY: forwarded.
    unsafe {
        let near = |k: usize| Lanes::splat(row.weights[k]) * Lanes::load(row.near[c][k], at);
        let mut sum = Lanes::load(row.rhs[c], at) + near(0) + near(1);
        if D == 3 {
            sum = sum + near(2) + near(3);
        }
        sum
    }
}

/// The inverse of `diag · 1`, entries as in the tensor.
#[inline(always)]
fn invert_diagonal<const D: usize>(diag: Lanes) -> [Lanes; 6] {
    let mut out = [Lanes::splat(0.0); 6];
    for c in 0..D {
        out[entry::<D>(c, c)] = Lanes::splat(1.0) / diag.max(f32::MIN_POSITIVE);
    }
    out
}

/// The inverse of `block + diag · 1`, entries as in the tensor.
#[inline(always)]
fn invert<const D: usize>(block: [Lanes; 6], diag: Lanes) -> [Lanes; 6] {
    let one = Lanes::splat(1.0);
    let mut out = [one; 6];
    if D == 2 {
        let (a, b, c) = (block[0] + diag, block[1], block[2] + diag);
        let scale = one / (a * c - b * b).max(f32::MIN_POSITIVE);
        out[0] = c * scale;
        out[1] = Lanes::splat(0.0) - b * scale;
        out[2] = a * scale;
    } else {
        let (a, b, c) = (block[0] + diag, block[1], block[2]);
        let (d, e, f) = (block[3] + diag, block[4], block[5] + diag);
        let (c00, c01, c02) = (d * f - e * e, c * e - b * f, b * e - c * d);
        let scale = one / (a * c00 + b * c01 + c * c02).max(f32::MIN_POSITIVE);
        out[0] = c00 * scale;
        out[1] = c01 * scale;
        out[2] = c02 * scale;
        out[3] = (a * f - c * c) * scale;
        out[4] = (b * c - a * e) * scale;
        out[5] = (a * d - b * b) * scale;
    }
    out
}

/// `out = x + step (inverse · (base + spring · x neighbours) − x)`, one step at even x and another one at odd x.
///
/// `x` is padded.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(super) fn update<const D: usize>(
    x: &[f32],
    (inverse, base, spring): (&[f32], &[f32], f32),
    [even, odd]: [f32; 2],
    out: [&mut [f32]; D],
) {
    let n = base.len() / D;
    let entries = D * (D + 1) / 2;
    assert!(base.len() == D * n && inverse.len() == entries * n, "scratch should hold the row");
    assert!(x.len() == D * own_padded(n) && out.iter().all(|o| o.len() == n), "rows should be equally long");
    let steps = [Lanes::alternate(even, odd), Lanes::alternate(odd, even)];
    let spring = Lanes::splat(spring);
    for at in starts(n) {
        let step = steps[at % 2];
        // SAFETY: every row holds n samples, and the lanes end at n.
        unsafe {
            let mut sums = [Lanes::splat(0.0); D];
            let mut own = sums;
            for c in 0..D {
                let here = c * own_padded(n) + 1 + at;
                own[c] = Lanes::load(x, here);
                let pull = Lanes::load(x, here - 1) + Lanes::load(x, here + 1);
                sums[c] = Lanes::load(base, c * n + at) + spring * pull;
            }
            for c in 0..D {
                let mut change = Lanes::load(inverse, entry::<D>(c, 0) * n + at) * sums[0] - own[c];
                for e in 1..D {
                    change = change + Lanes::load(inverse, entry::<D>(c, e) * n + at) * sums[e];
                }
                (own[c] + step * change).store(out[c], at);
            }
        }
    }
}

/// Writes `rhs − A x`, component after component; `padded` holds the row's own components.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(super) fn residual<const D: usize>(
    row: &Around<'_, D>,
    (padded, along_x, spring): (&[f32], &[f32], f32),
    out: &mut [f32],
) {
    let n = along_x.len();
    row.require(n);
    assert!(padded.len() == D * own_padded(n) && out.len() == D * n, "scratch should hold the row");
    let spring = Lanes::splat(spring);
    let across = Lanes::splat(row.weights[..2 * (D - 1)].iter().sum());
    for at in starts(n) {
        // SAFETY: every row holds n samples, and the lanes end at n.
        unsafe {
            let diag = Lanes::load(along_x, at) + across;
            let mut own = [diag; D];
            let mut rest = [diag; D];
            for c in 0..D {
                let here = c * own_padded(n) + 1 + at;
                own[c] = Lanes::load(padded, here);
                let pull = Lanes::load(padded, here - 1) + Lanes::load(padded, here + 1);
                rest[c] = neighbours_sum(row, c, at) + spring * pull - diag * own[c];
                prefetch(row.rhs[c], at + n);
                prefetch(row.near[c][3], at + n);
            }
            if !row.tensor[0].is_empty() {
                for (e, tensor) in row.tensor.iter().enumerate().take(D * (D + 1) / 2) {
                    let (r, c) = position::<D>(e);
                    let j = Lanes::load(tensor, at);
                    prefetch(tensor, at + n);
                    rest[r] = rest[r] - j * own[c];
                    if r != c {
                        rest[c] = rest[c] - j * own[r];
                    }
                }
            }
            for c in 0..D {
                rest[c].store(out, c * n + at);
            }
        }
    }
}

/// The row and column of an entry: the inverse of [`entry`].
#[inline(always)]
const fn position<const D: usize>(e: usize) -> (usize, usize) {
    match (D, e) {
        (_, 0) => (0, 0),
        (_, 1) => (0, 1),
        (2, _) => (1, 1),
        (_, 2) => (0, 2),
        (_, 3) => (1, 1),
        (_, 4) => (1, 2),
        _ => (2, 2),
    }
}

/// Where entry `(r, c)` of a symmetric block stands.
pub(super) const fn entry<const D: usize>(r: usize, c: usize) -> usize {
    let (low, high) = if r < c { (r, c) } else { (c, r) };
    low * (2 * D + 1 - low) / 2 + high - low
}

/// Asks for the lanes from `at`, which need not exist; a hint that changes no result.
#[inline(always)]
fn prefetch(row: &[f32], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching reads nothing and may point anywhere.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (row, at);
}
