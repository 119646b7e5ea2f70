//! Processor text of [`super::relax`](fn@super::relax).

use super::Operator;
use super::cpu::{Row, Rows, scratch_rows};
use crate::Buffer;
use crate::device::Cpu;
use crate::rows::{Shared, with_scratch};
use multiversion::multiversion;

pub(super) fn relax(cpu: &Cpu, operator: &Operator<'_>, (x, rhs): (&mut [Buffer], &[Buffer]), omega: f32) {
    match operator.shape.components() {
        2 => relax_in::<2>(cpu, operator, (x, rhs), omega),
        _ => relax_in::<3>(cpu, operator, (x, rhs), omega),
    }
}

/// What one pass updates; passes of a sweep together update every voxel once.
#[derive(Clone, Copy)]
enum Pass {
    /// Rows with this parity of `y + z`: even x, then odd x, while the row is in the cache.
    Rows(usize),
    /// Voxels with this parity of `x + y + z`: the consistent order that over-relaxation needs (Young 1954).
    Chequer(usize),
    /// Rows with the first parity of `y + z`, there voxels with the second parity of `x + z`: the four colours that
    /// mixed differences need, which couple (y, z) to (y ± 1, z ± 1).
    Quarter(usize, usize),
}

impl Pass {
    fn takes_row(self, y: usize, z: usize) -> bool {
        match self {
            Self::Rows(parity) | Self::Quarter(parity, _) => (y + z) % 2 == parity,
            Self::Chequer(_) => true,
        }
    }
    /// Parities of x, in order.
    fn order(self, y: usize, z: usize) -> &'static [usize] {
        let one = |parity: usize| &[0, 1][parity % 2..=parity % 2];
        match self {
            Self::Rows(_) => &[0, 1],
            Self::Chequer(colour) => one(colour + y + z),
            Self::Quarter(_, colour) => one(colour + z),
        }
    }
}

fn relax_in<const D: usize>(
    cpu: &Cpu,
    operator: &Operator<'_>,
    (x, rhs): (&mut [Buffer], &[Buffer]),
    omega: f32,
) {
    let shared: Vec<Shared<'_>> = x.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let rhs: [&[f32]; D] = std::array::from_fn(|c| rhs[c].host());
    let passes: &[Pass] = if operator.volume_weight.is_some() {
        &[Pass::Quarter(0, 0), Pass::Quarter(0, 1), Pass::Quarter(1, 0), Pass::Quarter(1, 1)]
    } else if omega > 1.0 {
        &[Pass::Chequer(0), Pass::Chequer(1)]
    } else {
        &[Pass::Rows(0), Pass::Rows(1)]
    };
    for &pass in passes {
        run_pass(cpu, operator, (&shared, rhs), (pass, omega));
    }
}

fn run_pass<const D: usize>(
    cpu: &Cpu,
    operator: &Operator<'_>,
    (x, rhs): (&[Shared<'_>], [&[f32]; D]),
    (pass, omega): (Pass, f32),
) {
    let [nx, ny, _] = operator.shape.size;
    let rows = Rows::new(operator);
    let system_rows = scratch_rows(D) + D * (D + 1) / 2 + D;
    cpu.split(operator.shape.rows(), operator.shape.len(), |range| {
        with_scratch(system_rows * nx + 2 * D + D * nx, |scratch| {
            let (gathered, scratch) = scratch.split_at_mut(scratch_rows(D) * nx);
            let (inverse, scratch) = scratch.split_at_mut(D * (D + 1) / 2 * nx);
            let (padded, update) = scratch.split_at_mut(D * (nx + 2));
            for row in range.filter(|row| pass.takes_row(row % ny, row / ny)) {
                let span = row * nx..(row + 1) * nx;
                let own_rhs: [&[f32]; 3] =
                    std::array::from_fn(|c| if c < D { &rhs[c][span.clone()] } else { &[] });
                // SAFETY: this pass writes only rows (or, with a volume term, voxels) of a colour that is not in the
                // stencil of another one of the same colour; the row itself belongs to this thread.
                let system = unsafe { rows.gather::<D>(x, (Some(own_rhs), row), gathered) };
                let tensor = tensor_row::<D>(operator, span.clone());
                invert::<D>(tensor, &system, inverse);
                for &odd in pass.order(row % ny, row / ny) {
                    for c in 0..D {
                        // SAFETY: as above.
                        let own = unsafe { x[c].get(span.clone()) };
                        padded[c * (nx + 2) + 1..][..nx].copy_from_slice(own);
                        padded[c * (nx + 2)] = 0.0;
                        padded[(c + 1) * (nx + 2) - 1] = 0.0;
                    }
                    candidate::<D>(&system, (padded, inverse), operator.volume_weight.is_some(), update);
                    for c in 0..D {
                        // SAFETY: as above.
                        let own = unsafe { x[c].get_mut(span.clone()) };
                        blend(&update[c * nx..][..nx], odd, omega, own);
                    }
                }
            }
        });
    });
}

/// The tensor's entries of a row; empty without a tensor.
pub(super) fn tensor_row<'a, const D: usize>(
    operator: &Operator<'a>,
    span: std::ops::Range<usize>,
) -> [&'a [f32]; 6] {
    let entries = D * (D + 1) / 2;
    std::array::from_fn(|e| match operator.tensor {
        Some(tensor) if e < entries => &tensor[e].host()[span.clone()],
        _ => &[],
    })
}

/// Inverts the diagonal block of every voxel of a row: `inverse` holds the entries as the tensor does.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(super) fn invert<const D: usize>(tensor: [&[f32]; 6], row: &Row<'_>, inverse: &mut [f32]) {
    let n = row.left.len();
    let diag: [&[f32]; D] = std::array::from_fn(|c| &row.diag[c][..n]);
    if tensor[0].is_empty() {
        inverse.fill(0.0);
        let diagonal: [usize; D] = std::array::from_fn(|c| c * (2 * D + 1 - c) / 2);
        for c in 0..D {
            let out = &mut inverse[diagonal[c] * n..][..n];
            for i in 0..n {
                out[i] = 1.0 / diag[c][i].max(f32::MIN_POSITIVE);
            }
        }
        return;
    }
    let (i0, rest) = inverse.split_at_mut(n);
    let (i1, rest) = rest.split_at_mut(n);
    let (i2, rest) = rest.split_at_mut(n);
    let j: [&[f32]; 6] =
        std::array::from_fn(|e| if e < D * (D + 1) / 2 { &tensor[e][..n] } else { tensor[0] });
    if D == 2 {
        for i in 0..n {
            let (a, b, c) = (j[0][i] + diag[0][i], j[1][i], j[2][i] + diag[1][i]);
            let scale = 1.0 / (a * c - b * b).max(f32::MIN_POSITIVE);
            i0[i] = c * scale;
            i1[i] = -b * scale;
            i2[i] = a * scale;
        }
    } else {
        let (i3, rest) = rest.split_at_mut(n);
        let (i4, i5) = rest.split_at_mut(n);
        let i5 = &mut i5[..n];
        for i in 0..n {
            let (a, b, c) = (j[0][i] + diag[0][i], j[1][i], j[2][i]);
            let (d, e, f) = (j[3][i] + diag[1][i], j[4][i], j[5][i] + diag[2 % D][i]);
            let (c00, c01, c02) = (d * f - e * e, c * e - b * f, b * e - c * d);
            let scale = 1.0 / (a * c00 + b * c01 + c * c02).max(f32::MIN_POSITIVE);
            i0[i] = c00 * scale;
            i1[i] = c01 * scale;
            i2[i] = c02 * scale;
            i3[i] = (a * f - c * c) * scale;
            i4[i] = (b * c - a * e) * scale;
            i5[i] = (a * d - b * b) * scale;
        }
    }
}

/// The block solution of every voxel of a row, given its neighbours as they are.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn candidate<const D: usize>(
    row: &Row<'_>,
    (padded, inverse): (&[f32], &[f32]),
    volume: bool,
    out: &mut [f32],
) {
    let n = row.left.len();
    let (left, right) = (&row.left[..n], &row.right[..n]);
    let (o0, rest) = out.split_at_mut(n);
    let (o1, o2) = rest.split_at_mut(n);
    let near = |c: usize| (&padded[c * (n + 2)..][..n], &padded[c * (n + 2) + 2..][..n]);
    // First the right-hand sides, each a plain loop …
    {
        let gather = |c: usize, o: &mut [f32]| {
            let ((l, r), base) = (near(c), &row.base[c][..n]);
            let o = &mut o[..n];
            for i in 0..n {
                o[i] = base[i] + left[i] * l[i] + right[i] * r[i];
            }
        };
        gather(0, o0);
        gather(1, o1);
        if D == 3 {
            gather(2, o2);
        }
        if volume {
            let ((l, r), vl, vr) = (near(0), &row.volume_left[..n], &row.volume_right[..n]);
            for i in 0..n {
                o0[i] += vl[i] * l[i] + vr[i] * r[i];
            }
        }
    }
    // … then the block's inverse.
    let m = |e: usize| &inverse[e * n..][..n];
    if D == 2 {
        let (m0, m1, m2) = (m(0), m(1), m(2));
        let o1 = &mut o1[..n];
        for i in 0..n {
            let (a, b) = (o0[i], o1[i]);
            o0[i] = m0[i] * a + m1[i] * b;
            o1[i] = m1[i] * a + m2[i] * b;
        }
    } else {
        let (m0, m1, m2, m3, m4, m5) = (m(0), m(1), m(2), m(3), m(4), m(5));
        let (o1, o2) = (&mut o1[..n], &mut o2[..n]);
        for i in 0..n {
            let (a, b, c) = (o0[i], o1[i], o2[i]);
            o0[i] = m0[i] * a + m1[i] * b + m2[i] * c;
            o1[i] = m1[i] * a + m3[i] * b + m4[i] * c;
            o2[i] = m2[i] * a + m4[i] * b + m5[i] * c;
        }
    }
}

/// `x += ω (update − x)` at the voxels of one parity.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn blend(update: &[f32], odd: usize, omega: f32, x: &mut [f32]) {
    for (i, (x, &u)) in x.iter_mut().zip(update).enumerate() {
        let next = *x + omega * (u - *x);
        *x = if i % 2 == odd { next } else { *x };
    }
}
