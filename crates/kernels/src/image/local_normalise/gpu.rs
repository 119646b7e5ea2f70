//! Launches of `local_normalise.wgsl`: the sum of the deviations stays on the device.

use crate::gpu::{Bind, Gpu, LINE, Launch, SUM, Text, Uniform, line, partials};
use crate::kernels::convolve::convolve;
use crate::{Axes, Buffer, ComputeError, Device, Shape, Taps};

static TEXT: Text =
    Text { name: "local_normalise", parts: &[LINE, SUM, include_str!("local_normalise.wgsl")] };

pub(super) fn local_normalise(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, taps, floor_share): (Shape, &Axes<Taps>, f32),
    image: &Buffer,
) -> Result<(), ComputeError> {
    let n = shape.len();
    let launch = |entry, groups, (share, parts), buffers: &[Bind<'_>]| {
        let uniform = Uniform::new().u(n).f(share).u(parts);
        gpu.launch(&Launch { text: &TEXT, entry, constants: &[], uniform, buffers, groups })
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
