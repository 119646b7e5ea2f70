//! Processor text of the kernels that apply the operator: product, norm, restriction and volume target.

use super::Operator;
use super::cpu::{Row, Rows, adjoint_along_x, scratch_rows};
use super::relax::tensor_row;
use super::uniform::{Uniform, entry, own_padded, residual};
use multiversion::multiversion;
use veloxel_core::Shape;
use veloxel_gpu::rows::{Shared, with_scratch};
use veloxel_gpu::{Buffer, Cpu};

/// What one row of `rhs − A x` needs: scratch, cut up once for many rows.
pub(super) struct ResidualRows<'a, 's, const D: usize> {
    operator: &'a Operator<'a>,
    rows: Rows<'a>,
    uniform: Option<Uniform>,
    x: [Shared<'a>; D],
    rhs: &'a [Shared<'a>],
    pub system: Row<'s>,
    /// The springs' total along x, where they are the same everywhere.
    along_x: &'s mut [f32],
    /// The row, component after component.
    pub out: &'s mut [f32],
    padded: &'s mut [f32],
}

/// Scratch of [`ResidualRows`] for rows of `n` samples.
pub(super) const fn residual_scratch(components: usize, n: usize) -> usize {
    (scratch_rows(components) + components + 1) * n + components * own_padded(n)
}

impl<'a, 's, const D: usize> ResidualRows<'a, 's, D> {
    /// # Safety
    /// While this lives, a row of `rhs` that [`Self::row`] reads is written by nobody else.
    pub unsafe fn new(
        operator: &'a Operator<'a>,
        (x, rhs): (&'a [Buffer], &'a [Shared<'a>]),
        scratch: &'s mut [f32],
    ) -> Self {
        let nx = operator.shape.size[0];
        let (out, scratch) = scratch.split_at_mut(D * nx);
        let (padded, scratch) = scratch.split_at_mut(D * own_padded(nx));
        let (along_x, gathered) = scratch.split_at_mut(nx);
        let uniform = Uniform::of(operator);
        if let Some(uniform) = &uniform {
            uniform.springs_along_x(along_x);
        }
        Self {
            operator,
            rows: Rows::new(operator),
            uniform,
            x: std::array::from_fn(|c| Shared::read_only(x[c].host())),
            rhs,
            system: Row::new::<D>(gathered, nx),
            along_x,
            out,
            padded,
        }
    }

    /// Writes row `row` of `rhs − A x` into `out`; returns the sum of its squares.
    pub fn row(&mut self, row: usize) -> f64 {
        let nx = self.operator.shape.size[0];
        match &self.uniform {
            Some(uniform) => {
                let span = row * nx..(row + 1) * nx;
                // SAFETY: by the promise that `new` asks for.
                let rhs: [&[f32]; D] = std::array::from_fn(|c| unsafe { self.rhs[c].get(span.clone()) });
                // SAFETY: `x` is borrowed immutably as long as this lives.
                let around = unsafe { uniform.around(self.operator, (&self.x, rhs), row) };
                around.pad(self.padded);
                residual(&around, (self.padded, self.along_x, uniform.spring_x()), self.out);
            }
            None => self.general_row(row),
        }
        norm2_of(self.out)
    }

    /// Writes the sums of row `row` into `out`, gathered in `system`: the right-hand side and what neighbours bring.
    pub fn sums(&mut self, row: usize) {
        let nx = self.operator.shape.size[0];
        let span = row * nx..(row + 1) * nx;
        // SAFETY: by the promise that `new` asks for; `x` is borrowed immutably as long as this lives.
        unsafe {
            let rhs: [&[f32]; D] = std::array::from_fn(|c| self.rhs[c].get(span.clone()));
            self.rows.gather::<D>(&self.x, (rhs, row), &mut self.system);
        }
        let padded = &mut self.padded[..own_padded(nx)];
        for (c, out) in self.out.chunks_exact_mut(nx).enumerate() {
            // SAFETY: as above.
            let own = unsafe { self.x[c].get(span.clone()) };
            self.rows.add_along_x((&self.system, c), own, padded, out);
        }
    }

    /// [`Self::row`] where springs differ.
    fn general_row(&mut self, row: usize) {
        self.sums(row);
        let nx = self.operator.shape.size[0];
        let span = row * nx..(row + 1) * nx;
        // SAFETY: `x` is borrowed immutably as long as this lives.
        let x: [&[f32]; D] = std::array::from_fn(|c| unsafe { self.x[c].get(span.clone()) });
        let tensor = tensor_row::<D>(self.operator, span);
        for (c, out) in self.out.chunks_exact_mut(nx).enumerate() {
            let j: Option<[&[f32]; D]> =
                (!tensor[0].is_empty()).then(|| std::array::from_fn(|e| tensor[entry::<D>(c, e)]));
            subtract_block::<D>((x, x[c]), (self.system.diag[c], j), out);
        }
    }
}

/// `out −= diag · own + Σ_e J_e x_e`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn subtract_block<const D: usize>(
    (x, own): ([&[f32]; D], &[f32]),
    (diag, tensor): (&[f32], Option<[&[f32]; D]>),
    out: &mut [f32],
) {
    let n = out.len();
    let (x, own, diag) = (x.map(|x| &x[..n]), &own[..n], &diag[..n]);
    match tensor {
        None => (0..n).for_each(|i| out[i] -= diag[i] * own[i]),
        Some(j) => {
            let j = j.map(|j| &j[..n]);
            for i in 0..n {
                let mut rest = out[i] - diag[i] * own[i];
                for e in 0..D {
                    rest -= j[e][i] * x[e][i];
                }
                out[i] = rest;
            }
        }
    }
}

/// Lanes of a row's sum of squares: enough for every instruction set, and a fixed order for all.
const LANES: usize = 16;

/// The sum of squares of a row.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(crate) fn norm2_of(values: &[f32]) -> f64 {
    let mut lanes = [0.0f32; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest: f32 = chunks.remainder().iter().map(|v| v * v).sum();
    for chunk in chunks {
        for k in 0..LANES {
            lanes[k] += chunk[k] * chunk[k];
        }
    }
    lanes.iter().map(|&l| f64::from(l)).sum::<f64>() + f64::from(rest)
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
        with_scratch(residual_scratch(D, nx), |scratch| {
            // SAFETY: every row of the target is read and written by one thread.
            let mut rows = unsafe { ResidualRows::<D>::new(operator, (x, &target), scratch) };
            let mut norm2 = 0.0;
            for row in range {
                norm2 += rows.row(row);
                for (target, rest) in target.iter().zip(rows.out.chunks_exact(nx)) {
                    // SAFETY: as above.
                    unsafe { target.get_mut(row * nx..(row + 1) * nx) }.copy_from_slice(rest);
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
    let rhs: Vec<Shared<'_>> = rhs.iter().map(|b| Shared::read_only(b.host())).collect();
    let [total] = cpu.sum(operator.shape.rows(), operator.shape.len(), |range| {
        with_scratch(residual_scratch(D, nx), |scratch| {
            // SAFETY: nobody writes.
            let mut rows = unsafe { ResidualRows::<D>::new(operator, (x, &rhs), scratch) };
            [range.map(|row| rows.row(row)).sum()]
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
    use crate::variational::multigrid_transfer::{add_pairs, cells};
    let ([nx, ny, nz], [cx, cy, _]) = (operator.shape.size, to.size);
    let rhs: Vec<Shared<'_>> = rhs.iter().map(|b| Shared::read_only(b.host())).collect();
    let coarse: Vec<Shared<'_>> = coarse.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let [norm2] = cpu.sum(to.rows(), operator.shape.len(), |range| {
        with_scratch(residual_scratch(D, nx), |scratch| {
            // SAFETY: nobody writes the right-hand side.
            let mut rows = unsafe { ResidualRows::<D>::new(operator, (x, &rhs), scratch) };
            let mut norm2 = 0.0;
            for row in range {
                let (ys, zs) = (cells(row % cy, ny, to.size[1]), cells(row / cy, nz, to.size[2]));
                let share = 1.0 / (ys.len() * zs.len()) as f32;
                for (first, fine_row) in zs.flat_map(|z| ys.clone().map(move |y| z * ny + y)).enumerate() {
                    norm2 += rows.row(fine_row);
                    for (c, fine) in rows.out.chunks_exact(nx).enumerate() {
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
