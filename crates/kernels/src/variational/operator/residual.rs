//! Processor text of the kernels that apply the operator: product, norm and restriction.

use super::row::{Purpose, Row};
use super::system::System;
use super::{ResidualNorm2, RestrictResidual, SubtractProduct};
use crate::variational::multigrid_transfer::{add_pairs, cells};
use multiversion::multiversion;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, components, components_mut, ranges_mut};

impl<const D: usize> System<'_, D> {
    /// Writes the residual of a row's equations; returns the sum of its squares.
    ///
    /// # Safety
    /// No other thread writes what the row's stencil reads.
    unsafe fn residual(&self, row: usize, out: &mut Row<'_, D>) -> f64 {
        // SAFETY: forwarded.
        unsafe { self.gather(row, self.operator.shape.size[0], Purpose::Residual, out) };
        norm2_of(out.solved.residual)
    }
}

/// Cost of a voxel, in units of copying a sample.
const COST: usize = 4;

/// Number of lanes of a row's sum of squares: enough for every instruction set, and a fixed order for all.
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

pub(super) fn subtract_product<const D: usize>(cpu: &Cpu, args: SubtractProduct<'_>) -> f64 {
    let SubtractProduct { operator, x, target } = args;
    let (shape, nx) = (operator.shape, operator.shape.size[0]);
    let (x, rhs) = (components::<D>(x).map(Shared::read_only), components_mut::<D>(target).map(Shared::new));
    let system = System { operator, x, rhs };
    let [norm2] = cpu.sum(shape.rows(), COST * shape.len(), |range| {
        system.with_row(|equations| {
            let mut norm2 = 0.0;
            for row in range {
                // SAFETY: every row of the target is read and written by one thread.
                norm2 += unsafe { system.residual(row, equations) };
                // SAFETY: as above.
                let target = unsafe { ranges_mut(&system.rhs, system.span(row)) };
                for (target, rest) in target.into_iter().zip(equations.solved.residual.chunks_exact(nx)) {
                    target.copy_from_slice(rest);
                }
            }
            [norm2]
        })
    });
    norm2
}

pub(super) fn norm2<const D: usize>(cpu: &Cpu, args: ResidualNorm2<'_>) -> f64 {
    let ResidualNorm2 { operator, x, rhs } = args;
    let [x, rhs] = [x, rhs].map(|field| components::<D>(field).map(Shared::read_only));
    let system = System { operator, x, rhs };
    let [total] = cpu.sum(operator.shape.rows(), COST * operator.shape.len(), |range| {
        // SAFETY: no thread writes.
        system.with_row(|equations| [range.map(|row| unsafe { system.residual(row, equations) }).sum()])
    });
    total
}

pub(super) fn restrict<const D: usize>(cpu: &Cpu, args: RestrictResidual<'_>) -> f64 {
    let RestrictResidual { operator, x, rhs, coarse_shape, coarse } = args;
    let [x, rhs] = [x, rhs].map(|field| components::<D>(field).map(Shared::read_only));
    let system = System { operator, x, rhs };
    let ([nx, ny, nz], [cx, cy, cz]) = (operator.shape.size, coarse_shape.size);
    let coarse = components_mut::<D>(coarse).map(Shared::new);
    let [norm2] = cpu.sum(coarse_shape.rows(), operator.shape.len(), |range| {
        system.with_row(|equations| {
            let mut norm2 = 0.0;
            for row in range {
                let (ys, zs) = (cells(row % cy, ny, cy), cells(row / cy, nz, cz));
                let share = 1.0 / (ys.len() * zs.len()) as f32;
                for (first, fine_row) in zs.flat_map(|z| ys.clone().map(move |y| z * ny + y)).enumerate() {
                    // SAFETY: no thread writes unknowns or right-hand side.
                    norm2 += unsafe { system.residual(fine_row, equations) };
                    for (coarse, fine) in coarse.iter().zip(equations.solved.residual.chunks_exact(nx)) {
                        // SAFETY: every coarse row is written by one thread.
                        let out = unsafe { coarse.get_mut(row * cx..(row + 1) * cx) };
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
