//! Launches of `occlusion.wgsl`.

use super::{OUTSIDE, Scales};
use crate::shared::{EXPONENTIAL, NAN};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover, inputs};

static TEXT: ShaderSource =
    ShaderSource::wgsl("occlusion", &[NAN, EXPONENTIAL, include_str!("occlusion.wgsl")]);

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
        source: &TEXT,
        entry: "visibility",
        constants: &[("COMPONENTS", shape.components() as f64)],
        uniform: Uniform::new().u4([nx, ny, nz]).f4(spacing_edges.map(|s| 1.0 / s)).f4(scales),
        buffers: &buffers,
        groups: [cover(nx, 64), cover(ny, 4), nz as u32],
    })
}
