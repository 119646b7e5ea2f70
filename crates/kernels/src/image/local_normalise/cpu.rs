//! Processor text of [`super::LocalNormalise`].

use super::LocalNormalise;
use crate::image::convolve::cpu::convolve;
use crate::shared::group_sums::{GROUP, group_sums, sum_by_halves};
use veloxel_gpu::Cpu;

pub(super) fn local_normalise(cpu: &Cpu, args: LocalNormalise<'_>) {
    let (shape, n, taps, share) = (args.shape, args.shape.len(), args.window(), args.share());
    let image = args.image.host_mut();
    let (mut mean, mut mean_square) = (vec![0.0; n], vec![0.0; n]);
    convolve(cpu, shape, &taps, image, &mut mean);
    let squares: Vec<f32> = image.iter().map(|v| v * v).collect();
    convolve(cpu, shape, &taps, &squares, &mut mean_square);
    let deviation = |i: usize| (mean_square[i] - mean[i] * mean[i]).max(0.0).sqrt();
    // In the order of the other text, so that both find the same bits.
    let [partials] = group_sums(cpu, n, 2, |items, [sums]| {
        items.zip(sums).for_each(|(i, sum)| *sum += deviation(i));
    });
    let mut lanes = [0.0f32; GROUP];
    partials.iter().enumerate().for_each(|(k, p)| lanes[k % GROUP] += p);
    let floor = (share * sum_by_halves(&mut lanes)).max(f32::MIN_POSITIVE);
    cpu.split_samples(image, 1, |range, part| {
        for (v, i) in part.iter_mut().zip(range) {
            *v = (*v - mean[i]) / (deviation(i) + floor);
        }
    });
}
