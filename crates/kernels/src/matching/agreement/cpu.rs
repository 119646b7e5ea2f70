//! Processor texts of the kernels in [`super`].

use super::{AddDifference, Agreement, Replacement};
use veloxel_gpu::Cpu;

pub(super) fn agreement(cpu: &Cpu, args: Agreement<'_>) {
    let Agreement { distance, fields, weight, out } = args;
    let [first, second] = fields.map(|field| field.iter().map(|c| c.host()).collect::<Vec<_>>());
    let (weight, most) = (weight.host(), distance * distance);
    cpu.split_samples(out.host_mut(), 4, |range, out| {
        for (i, out) in range.zip(out) {
            let mut distance2 = 0.0;
            for (a, b) in first.iter().zip(&second) {
                let apart = a[i] - b[i];
                distance2 += apart * apart;
            }
            // NaN fails the comparison.
            *out = if distance2 < most { weight[i] } else { 0.0 };
        }
    });
}

pub(super) fn add_difference(cpu: &Cpu, args: AddDifference<'_>) {
    let AddDifference { gain, most, images, out } = args;
    let [a, b] = images.map(|image| image.host());
    cpu.split_samples(out.host_mut(), 3, |range, out| {
        for (i, out) in range.zip(out) {
            let apart = gain * (a[i] - b[i]).abs();
            // NaN fails the comparison.
            *out += if apart < most { apart } else { most };
        }
    });
}

pub(super) fn replacement(cpu: &Cpu, args: Replacement<'_>) {
    let Replacement { share, agreeing, all, by, out } = args;
    let (agreeing, all, by) = (agreeing.host(), all.host(), by.host());
    cpu.split_samples(out.host_mut(), 3, |range, out| {
        for (i, out) in range.zip(out) {
            if all[i] > 0.0 && agreeing[i] >= share * all[i] {
                *out = by[i];
            }
        }
    });
}
