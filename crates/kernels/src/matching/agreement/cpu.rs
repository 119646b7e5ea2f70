//! Processor text of [`super::Agreement`] and [`super::Replacement`].

use super::{AddDifference, Agreement, Replacement};
use veloxel_gpu::Cpu;

/// Samples of a piece of the work.
const PIECE: usize = 4096;

pub(super) fn agreement(cpu: &Cpu, args: Agreement<'_>) {
    let Agreement { distance, fields, weight, out } = args;
    let [first, second] = fields.map(|field| field.iter().map(|c| c.host()).collect::<Vec<_>>());
    let (weight, most, n) = (weight.host(), distance * distance, out.len());
    cpu.split_rows([out.host_mut()], PIECE.min(n), 4 * n, |piece, [out]| {
        for (k, out) in out.iter_mut().enumerate() {
            let i = piece * PIECE.min(n) + k;
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
    let ([a, b], n) = (images.map(|image| image.host()), out.len());
    cpu.split_rows([out.host_mut()], PIECE.min(n), 4 * n, |piece, [out]| {
        let first = piece * PIECE.min(n);
        for (i, out) in (first..).zip(out) {
            let apart = gain * (a[i] - b[i]).abs();
            // NaN fails the comparison.
            *out += if apart < most { apart } else { most };
        }
    });
}

pub(super) fn replacement(cpu: &Cpu, args: Replacement<'_>) {
    let Replacement { share, agreeing, all, by, out } = args;
    let (agreeing, all, by, n) = (agreeing.host(), all.host(), by.host(), out.len());
    cpu.split_rows([out.host_mut()], PIECE.min(n), 4 * n, |piece, [out]| {
        let first = piece * PIECE.min(n);
        for (i, out) in (first..).zip(out) {
            if all[i] > 0.0 && agreeing[i] >= share * all[i] {
                *out = by[i];
            }
        }
    });
}
