//! Launches of `jacobian.wgsl`.

use super::report;
use crate::gpu::{Bind, Gpu, Launch, NAN, SUM, Text, Uniform, inputs};
use crate::{Axes, Buffer, ComputeError, Device, Later, Shape};
use veloxel_core::JacobianReport;

static TEXT: Text = Text { name: "jacobian", parts: &[NAN, SUM, include_str!("jacobian.wgsl")] };

/// Workgroups of four rows: as many as keep a large device busy while it waits for neighbours.
const MOST_GROUPS: usize = 4096;

pub(super) fn jacobian(
    (device, gpu): (&Device, &dyn Gpu),
    (shape, spacing_edges): (Shape, Axes<f32>),
    (displacement, weight): (&[Buffer], Option<&Buffer>),
    out: &Buffer,
) -> Result<Later<JacobianReport>, ComputeError> {
    let [nx, ny, nz] = shape.size;
    let groups = shape.rows().div_ceil(4).min(shape.len().div_ceil(512)).min(MOST_GROUPS);
    let sums = device.zeros(6 * groups)?;
    let mut buffers: Vec<_> = inputs(displacement, 3).collect();
    buffers.extend([Bind::optional(weight), Bind::Out(out), Bind::Out(&sums)]);
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "jacobian",
        constants: &[
            ("COMPONENTS", shape.components() as f64),
            ("WEIGHTED", f64::from(u8::from(weight.is_some()))),
        ],
        uniform: Uniform::new().u4([nx, ny, nz]).f4(spacing_edges.map(|s| 1.0 / s)),
        buffers: &buffers,
        groups: [groups as u32, 1, 1],
    })?;
    Ok(Later::on_device(sums, |sums| {
        let mut total = [0.0; 4];
        let mut extremes = [f32::INFINITY, f32::NEG_INFINITY];
        for group in sums.chunks_exact(6) {
            total.iter_mut().zip(group).for_each(|(t, &s)| *t += f64::from(s));
            extremes = [extremes[0].min(group[4]), extremes[1].max(group[5])];
        }
        report(total, extremes)
    }))
}
