//! CPU text of [`RobustTensor`].

use super::RobustTensor;
use crate::shared::lanes::{LANES, Lanes, Pack};
use multiversion::multiversion;
use std::ops::Range;
use veloxel_gpu::rows::{Shared, components};
use veloxel_gpu::{Buffer, Cpu};

/// `D` components, `E` spatial entries and mixed ones.
pub(super) fn robust_tensor<const D: usize, const E: usize>(cpu: &Cpu, args: RobustTensor<'_>) {
    let RobustTensor { shape, epsilon, groups, increment, out } = args;
    let nx = shape.size[0];
    let out: Vec<Shared<'_>> = out.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let (delta, per_epsilon2) = (components::<D>(increment), 1.0 / (epsilon * epsilon));
    cpu.split(shape.rows(), 4 * shape.len(), |rows| {
        for row in rows {
            let span = row * nx..(row + 1) * nx;
            let delta = delta.map(|delta| &delta[span.clone()]);
            // SAFETY: every row is written by one thread.
            let mut out: [&mut [f32]; E] = std::array::from_fn(|e| unsafe { out[e].get_mut(span.clone()) });
            for (nth, group) in groups.iter().enumerate() {
                let constraint = Constraint::<D, E>::of(group.tensor, span.clone(), group.gain);
                match nth {
                    0 => add_weighed::<D, E, true>(&constraint, delta, per_epsilon2, &mut out),
                    _ => add_weighed::<D, E, false>(&constraint, delta, per_epsilon2, &mut out),
                }
            }
        }
    });
}

/// A row of a constraint.
struct Constraint<'a, const D: usize, const E: usize> {
    entries: [&'a [f32]; E],
    tt: &'a [f32],
    gain: f32,
}

impl<'a, const D: usize, const E: usize> Constraint<'a, D, E> {
    fn of(tensor: &'a [Buffer], span: Range<usize>, gain: f32) -> Self {
        let entries = std::array::from_fn(|e| &tensor[e].host()[span.clone()]);
        Self { entries, tt: &tensor[E].host()[span.clone()], gain }
    }
}

/// Adds a constraint, or writes the `FIRST`, times `gain · ψ'((δ, 1)ᵀ J (δ, 1))`.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_weighed<const D: usize, const E: usize, const FIRST: bool>(
    constraint: &Constraint<'_, D, E>,
    delta: [&[f32]; D],
    per_epsilon2: f32,
    out: &mut [&mut [f32]; E],
) {
    for x in (0..delta[0].len()).step_by(LANES) {
        let mut j = [Lanes::splat(0.0); E];
        for e in 0..E {
            j[e] = Lanes::load_or_zero(constraint.entries[e], x);
        }
        let mut step = [Lanes::splat(0.0); D];
        for c in 0..D {
            step[c] = Lanes::load_or_zero(delta[c], x);
        }
        let mut residual = Lanes::load_or_zero(constraint.tt, x);
        let mut entry = 0;
        for r in 0..D {
            for c in r..D {
                let twice = if r == c { 1.0 } else { 2.0 };
                residual = residual + Lanes::splat(twice) * j[entry] * step[r] * step[c];
                entry += 1;
            }
        }
        for r in 0..D {
            residual = residual - Lanes::splat(2.0) * j[entry + r] * step[r];
        }
        let root = Lanes::splat(1.0) + residual.max(0.0) * Lanes::splat(per_epsilon2);
        let psi = Lanes::splat(constraint.gain) / root.sqrt();
        for e in 0..E {
            let before = if FIRST { Lanes::splat(0.0) } else { Lanes::load_or_zero(out[e], x) };
            (before + j[e] * psi).store_what_fits(out[e], x);
        }
    }
}
