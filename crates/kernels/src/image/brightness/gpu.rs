//! Launches of `brightness.wgsl`.

use crate::gpu::{Bind, Gpu, LINE, Launch, NAN, SUM, Text, Uniform, partials};
use crate::later::sum_rows;
use crate::{Buffer, ComputeError, Device, Later};

static TEXT: Text = Text { name: "brightness", parts: &[LINE, NAN, SUM, include_str!("brightness.wgsl")] };

pub(super) fn absolute_difference(
    (device, gpu): (&Device, &dyn Gpu),
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
) -> Result<Later<(f64, f64)>, ComputeError> {
    let (groups, sums) = partials(device, fixed.len(), 2)?;
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "absolute_difference",
        constants: &[("WEIGHTED", f64::from(u8::from(weight.is_some())))],
        uniform: Uniform::new().u(fixed.len()),
        buffers: &[Bind::In(fixed), Bind::In(warped), Bind::optional(weight), Bind::Out(&sums)],
        groups,
    })?;
    Ok(Later::on_device(sums, |sums| {
        let [sum, count] = sum_rows(sums);
        (sum, count)
    }))
}
