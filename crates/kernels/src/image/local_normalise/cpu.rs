//! Processor text of [`super::local_normalise`](fn@super::local_normalise).

use crate::image::convolve::convolve;
use crate::shared::group_sums::{GROUP, group_sums, sum_by_halves};
use crate::shared::taps::Taps;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Device};

pub(super) fn local_normalise(
    (device, cpu): (&Device, &Cpu),
    (shape, taps, floor_share): (Shape, &Axes<Taps>, f32),
    image: &mut Buffer,
) -> Result<(), ComputeError> {
    let mut mean = device.zeros(shape.len())?;
    convolve(device, (shape, taps), image, &mut mean)?;
    let squares = device.upload(image.host().iter().map(|v| v * v).collect())?;
    let mut mean_square = device.zeros(shape.len())?;
    convolve(device, (shape, taps), &squares, &mut mean_square)?;
    let n = shape.len();
    let (mean, mean_square) = (mean.host(), mean_square.host());
    let deviation = |i: usize| (mean_square[i] - mean[i] * mean[i]).max(0.0).sqrt();
    // In the order of the other text, so that both find the same bits.
    let [partials] = group_sums(cpu, (n, 2), |items, [sums]| {
        items.zip(sums).for_each(|(i, sum)| *sum += deviation(i));
    });
    let mut lanes = [0.0f32; GROUP];
    partials.iter().enumerate().for_each(|(k, p)| lanes[k % GROUP] += p);
    let share = (f64::from(floor_share) / n as f64) as f32;
    let floor = (share * sum_by_halves(&mut lanes)).max(f32::MIN_POSITIVE);
    let out = Shared::new(image.host_mut());
    cpu.split(n, n, |range| {
        // SAFETY: ranges are disjoint.
        let part = unsafe { out.get_mut(range.clone()) };
        for (v, i) in part.iter_mut().zip(range) {
            *v = (*v - mean[i]) / (deviation(i) + floor);
        }
    });
    Ok(())
}
