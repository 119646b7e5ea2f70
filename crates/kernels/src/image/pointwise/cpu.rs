//! Processor text of the kernels in [`super`].

use crate::shared::exponential::logarithm_of_one_plus;
use crate::shared::group_sums::group_totals;
use crate::variational::operator::norm2_of;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu, Element};

/// Calls `work(out part, in part)` in parallel.
fn each(cpu: &Cpu, input: &[f32], out: &mut [f32], work: impl Fn(&mut [f32], &[f32]) + Sync) {
    let n = out.len();
    let out = Shared::new(out);
    cpu.split(n, n, |range| {
        // SAFETY: ranges are disjoint.
        let part = unsafe { out.get_mut(range.clone()) };
        work(part, &input[range]);
    });
}

/// Calls `work(part)` in parallel; `cost` is that of a sample, in copied ones.
fn each_in_place<T: Send + Sync>(cpu: &Cpu, cost: usize, samples: &mut [T], work: impl Fn(&mut [T]) + Sync) {
    let n = samples.len();
    let shared = Shared::new(samples);
    // SAFETY: ranges are disjoint.
    cpu.split(n, cost * n, |range| work(unsafe { shared.get_mut(range) }));
}

pub(super) fn copy(cpu: &Cpu, input: &[f32], out: &mut [f32]) {
    each(cpu, input, out, |out, input| out.copy_from_slice(input));
}

pub(super) fn multiply(cpu: &Cpu, factor: &[f32], out: &mut [f32]) {
    each(cpu, factor, out, |out, factor| out.iter_mut().zip(factor).for_each(|(o, &f)| *o *= f));
}

pub(super) fn map_affine(cpu: &Cpu, (gain, offset): (f32, f32), samples: &mut [f32]) {
    each_in_place(cpu, 1, samples, |part| {
        for v in part {
            let mapped = gain * *v + offset;
            *v = if mapped.is_finite() { mapped } else { 0.0 };
        }
    });
}

pub(super) fn rescale(cpu: &Cpu, (gain, offset): (f32, f32), samples: &mut [f32]) {
    each_in_place(cpu, 1, samples, |part| part.iter_mut().for_each(|v| *v = gain * *v + offset));
}

pub(super) fn fill<T: Element>(cpu: &Cpu, value: T, out: &mut [T]) {
    each_in_place(cpu, 1, out, |part| part.fill(value));
}

pub(super) fn log_change(cpu: &Cpu, change: &mut [f32]) {
    each_in_place(cpu, 4, change, |part| {
        part.iter_mut().for_each(|v| *v = logarithm_of_one_plus(v.max(-0.95)))
    });
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
    let [sum] = group_totals(cpu, (n, 1), |items, [sums]| {
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
