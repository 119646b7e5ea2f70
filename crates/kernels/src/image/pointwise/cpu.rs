//! Processor text of the kernels in [`super`].

use super::Operation;
use crate::shared::exponential::logarithm_of_one_plus;
use crate::shared::group_sums::group_totals;
use crate::variational::operator::norm2_of;
use veloxel_gpu::rows::Shared;
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

pub(super) fn clip_length(cpu: &Cpu, limit: f32, field: &mut [Buffer]) -> f64 {
    let n = field.first().map_or(0, Buffer::len);
    let parts: Vec<Shared<'_>> = field.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    // In the order of the other text: when to stop depends on the sum.
    let [sum] = group_totals(cpu, n, 1, |items, [sums]| {
        // SAFETY: ranges are disjoint.
        let mut rows: Vec<&mut [f32]> = parts.iter().map(|p| unsafe { p.get_mut(items.clone()) }).collect();
        for (i, sum) in sums.iter_mut().enumerate() {
            let length = rows.iter().map(|r| r[i] * r[i]).sum::<f32>().sqrt();
            if length > limit {
                let shrink = limit / length;
                rows.iter_mut().for_each(|r| r[i] *= shrink);
            }
            *sum += length.min(limit);
        }
    });
    sum
}
