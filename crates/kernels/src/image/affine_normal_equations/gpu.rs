//! Launches of `moments.wgsl`.

use super::{NormalEquations, SUMS, equations};
use crate::gpu::{Bind, Gpu, Launch, NAN, Text, Uniform, partials};
use crate::later::sum_rows;
use crate::{Axes, Buffer, ComputeError, Device, Later, Shape};

static TEXT: Text = Text { name: "moments", parts: &[NAN, include_str!("moments.wgsl")] };

pub(super) fn affine_moments(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, centre, zeta): (Shape, Axes<f64>, f32),
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
) -> Result<Later<NormalEquations>, ComputeError> {
    let ([nx, ny, nz], d) = (shape.size, shape.components());
    let (groups, sums) = partials(device, shape.len(), SUMS)?;
    let [cx, cy, cz] = centre.map(|c| c as f32);
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "affine_moments",
        constants: &[("COMPONENTS", d as f64), ("WEIGHTED", f64::from(u8::from(weight.is_some())))],
        uniform: Uniform::new().u4([nx, ny, nz]).f4([cx, cy, cz, zeta * zeta]),
        buffers: &[Bind::In(fixed), Bind::In(warped), Bind::optional(weight), Bind::Out(&sums)],
        groups,
    })?;
    Ok(Later::on_device(sums, move |sums| equations(d, &sum_rows(sums))))
}
