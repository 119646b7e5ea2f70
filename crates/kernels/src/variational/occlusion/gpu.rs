//! Launches of `occlusion.wgsl`.

use super::{OUTSIDE, Scales};
use crate::gpu::{Bind, EXPONENTIAL, Gpu, Launch, NAN, Text, Uniform, cover, inputs};
use crate::{Axes, Buffer, ComputeError, Shape};

static TEXT: Text = Text { name: "occlusion", parts: &[NAN, EXPONENTIAL, include_str!("occlusion.wgsl")] };

pub(super) fn visibility(
    gpu: &dyn Gpu,
    (shape, spacing_edges, scales): (Shape, Axes<f32>, Scales),
    (displacement, fixed, warped): (&[Buffer], &Buffer, &Buffer),
    out: &Buffer,
) -> Result<(), ComputeError> {
    let [nx, ny, nz] = shape.size;
    let mut buffers: Vec<_> = inputs(displacement, 3).collect();
    buffers.extend([Bind::In(fixed), Bind::In(warped), Bind::Out(out)]);
    let scales = [0.5 / scales.divergence.powi(2), 0.5 / scales.intensity.powi(2), OUTSIDE];
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "visibility",
        constants: &[("COMPONENTS", shape.components() as f64)],
        uniform: Uniform::new().u4([nx, ny, nz]).f4(spacing_edges.map(|s| 1.0 / s)).f4(scales),
        buffers: &buffers,
        groups: [cover(nx, 64), cover(ny, 4), nz as u32],
    })
}
