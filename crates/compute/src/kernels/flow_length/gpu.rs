//! Launches of `flow_length.wgsl`.

use crate::gpu::{Bind, Gpu, LINE, Launch, NAN, SUM, Text, Uniform, inputs, partials};
use crate::later::sum_rows;
use crate::{Buffer, ComputeError, Device, Later};

static TEXT: Text = Text { name: "flow length", parts: &[LINE, NAN, SUM, include_str!("flow_length.wgsl")] };

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
        text: &TEXT,
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
