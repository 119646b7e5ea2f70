//! Processor text of the kernels that apply the operator: product, norm, restriction and volume target.

use super::Operator;
use super::cpu::{Row, Rows, adjoint_along_x, scratch_rows};
use super::relax::tensor_row;
use crate::device::Cpu;
use crate::rows::{Shared, with_scratch};
use crate::{Buffer, Shape};
use multiversion::multiversion;

/// One row of `rhs − A x`, and the system it came from.
pub(super) struct ResidualRow<'s> {
    pub system: Row<'s>,
    /// Σ of the squares over row and components.
    pub norm2: f64,
}

/// Writes row `row` of `rhs − A x` (0 − A x without a right-hand side) into `out`, component after component.
///
/// `scratch` needs `scratch_rows(D) · nx + D · (nx + 2)` samples.
pub(super) fn residual_row<'s, const D: usize>(
    operator: &Operator<'_>,
    (x, rhs): (&[Buffer], Option<&[Buffer]>),
    row: usize,
    (out, scratch): (&mut [f32], &'s mut [f32]),
) -> ResidualRow<'s> {
    let nx = operator.shape.size[0];
    let span = row * nx..(row + 1) * nx;
    let (gathered, padded) = scratch.split_at_mut(scratch_rows(D) * nx);
    let rows = Rows::new(operator);
    let own_rhs: Option<[&[f32]; 3]> =
        rhs.map(|r| std::array::from_fn(|c| if c < D { &r[c].host()[span.clone()] } else { &[] as &[f32] }));
    let shared: [Shared<'_>; D] = std::array::from_fn(|c| Shared::read_only(x[c].host()));
    // SAFETY: `x` is borrowed immutably for the whole call.
    let system = unsafe { rows.gather::<D>(&shared, (own_rhs, row), gathered) };
    for c in 0..D {
        let line = &mut padded[c * (nx + 2)..][..nx + 2];
        line[1..=nx].copy_from_slice(&x[c].host()[span.clone()]);
        line[0] = 0.0;
        line[nx + 1] = 0.0;
    }
    subtract_row::<D>(&system, (tensor_row::<D>(operator, span), padded), out);
    if operator.volume_weight.is_some() {
        volume_springs(&system, &padded[..nx + 2], &mut out[..nx]);
    }
    let norm2 = out[..D * nx].iter().map(|&r| f64::from(r) * f64::from(r)).sum();
    ResidualRow { system, norm2 }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn subtract_row<const D: usize>(row: &Row<'_>, (tensor, padded): ([&[f32]; 6], &[f32]), out: &mut [f32]) {
    let n = row.left.len();
    let (left, right) = (&row.left[..n], &row.right[..n]);
    let near = |c: usize| {
        let line = &padded[c * (n + 2)..][..n + 2];
        (&line[..n], &line[1..n + 1], &line[2..])
    };
    for (c, out) in out.chunks_exact_mut(n).enumerate().take(D) {
        let ((l, own, r), base, diag) = (near(c), &row.base[c][..n], &row.diag[c][..n]);
        for i in 0..n {
            out[i] = base[i] + left[i] * l[i] + right[i] * r[i] - diag[i] * own[i];
        }
        if tensor[0].is_empty() {
            continue;
        }
        for e in 0..D {
            let (low, high) = if c < e { (c, e) } else { (e, c) };
            let j = &tensor[low * (2 * D + 1 - low) / 2 + high - low][..n];
            let x = near(e).1;
            for i in 0..n {
                out[i] -= j[i] * x[i];
            }
        }
    }
}

/// Adds what the volume term's springs along x hold of the x component's neighbours.
fn volume_springs(row: &Row<'_>, line: &[f32], out: &mut [f32]) {
    let n = out.len();
    for i in 0..n {
        out[i] += row.volume_left[i] * line[i] + row.volume_right[i] * line[i + 2];
    }
}

pub(super) fn subtract_product(
    cpu: &Cpu,
    operator: &Operator<'_>,
    x: &[Buffer],
    target: &mut [Buffer],
) -> f64 {
    match operator.shape.components() {
        2 => subtract_product_in::<2>(cpu, operator, x, target),
        _ => subtract_product_in::<3>(cpu, operator, x, target),
    }
}

fn subtract_product_in<const D: usize>(
    cpu: &Cpu,
    operator: &Operator<'_>,
    x: &[Buffer],
    target: &mut [Buffer],
) -> f64 {
    let nx = operator.shape.size[0];
    let target: Vec<Shared<'_>> = target.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let [norm2] = cpu.sum(operator.shape.rows(), operator.shape.len(), |range| {
        with_scratch((scratch_rows(D) + D) * nx + D * (nx + 2), |scratch| {
            let (product, scratch) = scratch.split_at_mut(D * nx);
            let mut norm2 = 0.0;
            for row in range {
                residual_row::<D>(operator, (x, None), row, (&mut *product, &mut *scratch));
                for (c, product) in product.chunks_exact(nx).enumerate() {
                    // SAFETY: every row is written by one thread.
                    let target = unsafe { target[c].get_mut(row * nx..(row + 1) * nx) };
                    for (t, &p) in target.iter_mut().zip(product) {
                        *t += p;
                        norm2 += f64::from(*t) * f64::from(*t);
                    }
                }
            }
            [norm2]
        })
    });
    norm2
}

pub(super) fn norm2(cpu: &Cpu, operator: &Operator<'_>, x: &[Buffer], rhs: &[Buffer]) -> f64 {
    match operator.shape.components() {
        2 => norm2_in::<2>(cpu, operator, x, rhs),
        _ => norm2_in::<3>(cpu, operator, x, rhs),
    }
}

fn norm2_in<const D: usize>(cpu: &Cpu, operator: &Operator<'_>, x: &[Buffer], rhs: &[Buffer]) -> f64 {
    let nx = operator.shape.size[0];
    let [total] = cpu.sum(operator.shape.rows(), operator.shape.len(), |range| {
        with_scratch((scratch_rows(D) + D) * nx + D * (nx + 2), |scratch| {
            let (out, scratch) = scratch.split_at_mut(D * nx);
            [range
                .map(|row| residual_row::<D>(operator, (x, Some(rhs)), row, (&mut *out, &mut *scratch)).norm2)
                .sum()]
        })
    });
    total
}

pub(super) fn restrict(
    cpu: &Cpu,
    operator: &Operator<'_>,
    fine: (&[Buffer], &[Buffer]),
    coarse: (&mut [Buffer], Shape),
) -> f64 {
    match operator.shape.components() {
        2 => restrict_in::<2>(cpu, operator, fine, coarse),
        _ => restrict_in::<3>(cpu, operator, fine, coarse),
    }
}

fn restrict_in<const D: usize>(
    cpu: &Cpu,
    operator: &Operator<'_>,
    (x, rhs): (&[Buffer], &[Buffer]),
    (coarse, to): (&mut [Buffer], Shape),
) -> f64 {
    use crate::kernels::multigrid_transfer::{add_pairs, cells};
    let ([nx, ny, nz], [cx, cy, _]) = (operator.shape.size, to.size);
    let coarse: Vec<Shared<'_>> = coarse.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let [norm2] = cpu.sum(to.rows(), operator.shape.len(), |range| {
        with_scratch((scratch_rows(D) + D) * nx + D * (nx + 2), |scratch| {
            let (fine, scratch) = scratch.split_at_mut(D * nx);
            let mut norm2 = 0.0;
            for row in range {
                let (ys, zs) = (cells(row % cy, ny, to.size[1]), cells(row / cy, nz, to.size[2]));
                let share = 1.0 / (ys.len() * zs.len()) as f32;
                for (first, fine_row) in zs.flat_map(|z| ys.clone().map(move |y| z * ny + y)).enumerate() {
                    norm2 +=
                        residual_row::<D>(operator, (x, Some(rhs)), fine_row, (&mut *fine, &mut *scratch))
                            .norm2;
                    for (c, fine) in fine.chunks_exact(nx).enumerate() {
                        // SAFETY: every coarse row is written by one thread.
                        let out = unsafe { coarse[c].get_mut(row * cx..(row + 1) * cx) };
                        if first == 0 {
                            out.fill(0.0);
                        }
                        add_pairs(fine, share, out);
                    }
                }
            }
            [norm2]
        })
    });
    norm2
}

pub(super) fn subtract_volume_target(cpu: &Cpu, operator: &Operator<'_>, change: &[f32], rhs: &mut [Buffer]) {
    let Some(weight) = operator.volume_weight.map(Buffer::host) else { return };
    let [nx, ny, nz] = operator.shape.size;
    let half = operator.spacing_edges.map(|s| 0.5 / s);
    let rhs: Vec<Shared<'_>> = rhs.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    cpu.split(operator.shape.rows(), operator.shape.len(), |range| {
        with_scratch(nx, |flux| {
            for row in range {
                let weighted = |row: usize, flux: &mut [f32]| {
                    for (x, f) in flux.iter_mut().enumerate() {
                        *f = weight[row * nx + x] * change[row * nx + x];
                    }
                };
                // SAFETY: every row is written by one thread.
                let out = |c: usize| unsafe { rhs[c].get_mut(row * nx..(row + 1) * nx) };
                weighted(row, flux);
                adjoint_along_x(flux, half[0], out(0));
                for (c, rhs_half) in half.iter().enumerate().take(rhs.len()).skip(1) {
                    let (at, count, stride) = if c == 1 { (row % ny, ny, 1) } else { (row / ny, nz, ny) };
                    for forward in [false, true] {
                        let inside = if forward { at + 1 < count } else { at > 0 };
                        let from = match (inside, forward) {
                            (false, _) => row,
                            (true, true) => row + stride,
                            (true, false) => row - stride,
                        };
                        let sign = if forward == inside { *rhs_half } else { -rhs_half };
                        weighted(from, flux);
                        for (o, &f) in out(c).iter_mut().zip(flux.iter()) {
                            *o += sign * f;
                        }
                    }
                }
            }
        });
    });
}
