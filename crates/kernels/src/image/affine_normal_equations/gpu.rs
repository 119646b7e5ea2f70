//! Launches of `affine_normal_equations.wgsl`.

use super::{NormalEquations, SUMS, equations};
use crate::shared::NAN;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{
    Bind, Buffer, ComputeError, Device, Gpu, Later, Launch, ShaderSource, Uniform, partials, sum_rows,
};

static TEXT: ShaderSource =
    ShaderSource::wgsl("moments", &[NAN, include_str!("affine_normal_equations.wgsl")]);

pub(super) fn affine_normal_equations(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, centre, zeta): (Shape, Axes<f64>, f32),
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
) -> Result<Later<NormalEquations>, ComputeError> {
    let ([nx, ny, nz], d) = (shape.size, shape.components());
    let (groups, sums) = partials(device, shape.len(), SUMS)?;
    let [cx, cy, cz] = centre.map(|c| c as f32);
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "affine_normal_equations",
        constants: &[("COMPONENTS", d as f64), ("WEIGHTED", f64::from(u8::from(weight.is_some())))],
        uniform: Uniform::new().u4([nx, ny, nz]).f4([cx, cy, cz, zeta * zeta]),
        buffers: &[Bind::In(fixed), Bind::In(warped), Bind::optional(weight), Bind::Out(&sums)],
        groups,
    })?;
    Ok(Later::on_device(sums, move |sums| equations(d, &sum_rows(sums))))
}
