//! Launches of `inverse_consistency.wgsl`.

use crate::shared::{LINE, NAN, SUM};
use veloxel_gpu::{
    Bind, Buffer, ComputeError, Device, Gpu, Later, Launch, ShaderSource, Uniform, inputs, partials, sum_rows,
};

static TEXT: ShaderSource =
    ShaderSource::wgsl("inverse consistency", &[LINE, NAN, SUM, include_str!("inverse_consistency.wgsl")]);

pub(super) fn weigh_by_residual(
    (device, gpu): (&Device, &dyn Gpu),
    residual: &[Buffer],
    half_vox: f32,
    confidence: &Buffer,
) -> Result<Later<(f64, f64)>, ComputeError> {
    let (groups, sums) = partials(device, confidence.len(), 2)?;
    let mut buffers: Vec<_> = inputs(residual, 3).collect();
    buffers.extend([Bind::Out(confidence), Bind::Out(&sums)]);
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "weigh_by_residual",
        constants: &[("COMPONENTS", residual.len() as f64)],
        uniform: Uniform::new().u(confidence.len()).f(1.0 / (half_vox * half_vox)),
        buffers: &buffers,
        groups,
    })?;
    Ok(Later::on_device(sums, |sums| {
        let [sum, count] = sum_rows(sums);
        (sum, count)
    }))
}
