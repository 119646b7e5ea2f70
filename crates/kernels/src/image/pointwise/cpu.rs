//! Processor text of the kernels in [`super`].

use super::Operation;
use crate::shared::exponential::logarithm_of_one_plus;
use crate::shared::group_sums::group_totals;
use crate::shared::lanes::{LANES, Lanes, Pack};
use crate::variational::operator::norm2_of;
use multiversion::multiversion;
use veloxel_gpu::rows::{Shared, components_mut, ranges_mut};
use veloxel_gpu::{Buffer, Cpu, Element};

pub(super) fn copy(cpu: &Cpu, input: &[f32], out: &mut [f32]) {
    cpu.split_samples(out, 1, |range, out| out.copy_from_slice(&input[range]));
}

pub(super) fn multiply(cpu: &Cpu, factor: &[f32], out: &mut [f32]) {
    cpu.split_samples(out, 1, |range, out| out.iter_mut().zip(&factor[range]).for_each(|(o, &f)| *o *= f));
}

pub(super) fn mix(cpu: &Cpu, share: f32, with: &[f32], out: &mut [f32]) {
    cpu.split_samples(out, 1, |range, out| {
        for (o, &w) in out.iter_mut().zip(&with[range]) {
            let mixed = *o + share * (w - *o);
            *o = if w.is_nan() {
                *o
            } else if o.is_nan() {
                w
            } else {
                mixed
            };
        }
    });
}

pub(super) fn in_place(cpu: &Cpu, operation: Operation, samples: &mut [f32]) {
    let cost = if operation == Operation::LogChange { 4 } else { 1 };
    cpu.split_samples(samples, cost, |_, part| match operation {
        Operation::Fill(value) => part.fill(value),
        Operation::MapAffine { gain, offset } => {
            for v in part {
                let mapped = gain * *v + offset;
                *v = if mapped.is_finite() { mapped } else { 0.0 };
            }
        }
        Operation::Rescale { gain, offset } => part.iter_mut().for_each(|v| *v = gain * *v + offset),
        Operation::LogChange => part.iter_mut().for_each(|v| *v = logarithm_of_one_plus(v.max(-0.95))),
    });
}

pub(super) fn fill<T: Element>(cpu: &Cpu, value: T, out: &mut [T]) {
    cpu.split_samples(out, 1, |_, part| part.fill(value));
}

pub(super) fn norm2(cpu: &Cpu, field: &[Buffer]) -> f64 {
    let n = field.first().map_or(0, Buffer::len);
    const ROW: usize = 1024;
    let [total] = cpu.sum(n.div_ceil(ROW), field.len() * n, |rows| {
        let span = rows.start * ROW..(rows.end * ROW).min(n);
        [field.iter().flat_map(|c| c.host()[span.clone()].chunks(ROW)).map(norm2_of).sum()]
    });
    total
}

pub(super) fn count_known(cpu: &Cpu, samples: &[f32]) -> f64 {
    const ROW: usize = 1024;
    let n = samples.len();
    let [total] = cpu.sum(n.div_ceil(ROW), n, |rows| {
        let known = samples[rows.start * ROW..(rows.end * ROW).min(n)].iter().filter(|v| !v.is_nan()).count();
        [known as f64]
    });
    total
}

pub(super) fn clip_length<const D: usize>(cpu: &Cpu, limit: f32, field: &mut [Buffer]) -> f64 {
    let n = field.first().map_or(0, Buffer::len);
    let parts = components_mut::<D>(field).map(Shared::new);
    // In the order of the other text: when to stop depends on the sum.
    let [sum] = group_totals(cpu, n, 1, |items, [sums]| {
        // SAFETY: ranges are disjoint.
        clip_rows(limit, unsafe { ranges_mut(&parts, items) }, sums);
    });
    sum
}

/// Shortens what is longer than the limit, and adds the lengths that are left to the sums.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn clip_rows<const D: usize>(limit: f32, rows: [&mut [f32]; D], sums: &mut [f32]) {
    for x in (0..sums.len()).step_by(LANES) {
        let mut values = [Lanes::splat(0.0); D];
        let mut squares = Lanes::splat(0.0);
        for c in 0..D {
            values[c] = Lanes::load_or_zero(rows[c], x);
            squares = squares + values[c] * values[c];
        }
        let length = squares.sqrt();
        let kept = Lanes(length.0.map(|length| if length > limit { limit / length } else { 1.0 }));
        for c in 0..D {
            (values[c] * kept).store_what_fits(rows[c], x);
        }
        (Lanes::load_or_zero(sums, x) + length.min(limit)).store_what_fits(sums, x);
    }
}
