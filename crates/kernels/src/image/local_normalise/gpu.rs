//! Launches of `local_normalise.wgsl`: the sum of the deviations stays on the device.

use crate::image::convolve::convolve;
use crate::shared::taps::Taps;
use crate::shared::{LINE, SUM};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Bind, Buffer, ComputeError, Device, Gpu, Launch, ShaderSource, Uniform, line, partials};

static TEXT: ShaderSource =
    ShaderSource::wgsl("local_normalise", &[LINE, SUM, include_str!("local_normalise.wgsl")]);

pub(super) fn local_normalise(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, taps, floor_share): (Shape, &Axes<Taps>, f32),
    image: &Buffer,
) -> Result<(), ComputeError> {
    let n = shape.len();
    let launch = |entry, groups, (share, parts), buffers: &[Bind<'_>]| {
        let uniform = Uniform::new().u(n).f(share).u(parts);
        gpu.launch(&Launch { source: &TEXT, entry, constants: &[], uniform, buffers, groups })
    };
    let (mut mean, mut mean_square) = (device.zeros(n)?, device.zeros(n)?);
    let squares = device.zeros(n)?;
    let absent = Bind::Absent;
    launch("square", line(n, 256), (0.0, 0), &[Bind::Out(&squares), Bind::In(image), absent, absent])?;
    convolve(device, (shape, taps), image, &mut mean)?;
    convolve(device, (shape, taps), &squares, &mut mean_square)?;
    let (groups, sums) = partials(device, n, 1)?;
    let [of_mean, of_square] = [Bind::In(&mean), Bind::In(&mean_square)];
    launch("sum_deviations", groups, (0.0, 0), &[Bind::Out(&sums), of_mean, of_square, absent])?;
    let share = (f64::from(floor_share) / n as f64) as f32;
    let buffers = [Bind::Out(image), of_mean, of_square, Bind::In(&sums)];
    launch("normalise", line(n, 256), (share, groups[0] as usize), &buffers)
}
