//! Launches of `flow_length.wgsl`.

use crate::shared::{LINE, NAN, SUM};
use veloxel_gpu::{
    Bind, Buffer, ComputeError, Device, Gpu, Later, Launch, ShaderSource, Uniform, inputs, partials, sum_rows,
};

static TEXT: ShaderSource =
    ShaderSource::wgsl("flow length", &[LINE, NAN, SUM, include_str!("flow_length.wgsl")]);

pub(super) fn flow_length(
    (device, gpu): (&Device, &dyn Gpu),
    flow: &[Buffer],
    weight: Option<&Buffer>,
) -> Result<Later<(f64, f64)>, ComputeError> {
    let n = flow.first().map_or(0, Buffer::len);
    let (groups, sums) = partials(device, n, 2)?;
    let mut buffers: Vec<_> = inputs(flow, 3).collect();
    buffers.extend([Bind::optional(weight), Bind::Out(&sums)]);
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "flow_length",
        constants: &[("COMPONENTS", flow.len() as f64), ("WEIGHTED", f64::from(u8::from(weight.is_some())))],
        uniform: Uniform::new().u(n),
        buffers: &buffers,
        groups,
    })?;
    Ok(Later::on_device(sums, |sums| {
        let [sum, count] = sum_rows(sums);
        (sum, count)
    }))
}
