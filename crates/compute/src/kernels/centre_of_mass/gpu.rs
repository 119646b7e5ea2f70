//! Launches of `centre_of_mass.wgsl`.

use super::{centre, origin};
use crate::gpu::{Bind, Gpu, LINE, Launch, NAN, SUM, Text, Uniform, partials};
use crate::later::sum_rows;
use crate::{Axes, Buffer, ComputeError, Device, Later, Shape};

static TEXT: Text =
    Text { name: "centre of mass", parts: &[LINE, NAN, SUM, include_str!("centre_of_mass.wgsl")] };

pub(super) fn centre_of_mass(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, image): (Shape, &Buffer),
    (gain, offset): (f32, f32),
) -> Result<Later<Option<Axes<f64>>>, ComputeError> {
    let (groups, sums) = partials(device, shape.len(), 4)?;
    let [nx, ny, nz] = shape.size;
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "centre_of_mass",
        constants: &[],
        uniform: Uniform::new().u4([nx, ny, nz, shape.len()]).f4(origin(shape)).f(gain).f(offset),
        buffers: &[Bind::In(image), Bind::Out(&sums)],
        groups,
    })?;
    Ok(Later::on_device(sums, move |sums| centre(shape, sum_rows(sums))))
}
