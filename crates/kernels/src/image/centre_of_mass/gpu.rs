//! Launches of `centre_of_mass.wgsl`.

use super::{centre, origin};
use crate::shared::{LINE, NAN, SUM};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{
    Bind, Buffer, ComputeError, Device, Gpu, Later, Launch, ShaderSource, Uniform, partials, sum_rows,
};

static TEXT: ShaderSource =
    ShaderSource::wgsl("centre of mass", &[LINE, NAN, SUM, include_str!("centre_of_mass.wgsl")]);

pub(super) fn centre_of_mass(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, image): (Shape, &Buffer),
    (gain, offset): (f32, f32),
) -> Result<Later<Option<Axes<f64>>>, ComputeError> {
    let (groups, sums) = partials(device, shape.len(), 4)?;
    let [nx, ny, nz] = shape.size;
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "centre_of_mass",
        constants: &[],
        uniform: Uniform::new().u4([nx, ny, nz, shape.len()]).f4(origin(shape)).f(gain).f(offset),
        buffers: &[Bind::In(image), Bind::Out(&sums)],
        groups,
    })?;
    Ok(Later::on_device(sums, move |sums| centre(shape, sum_rows(sums))))
}
