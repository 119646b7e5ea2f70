//! Launches of `brightness.wgsl`.

use crate::shared::{LINE, NAN, SUM};
use veloxel_gpu::{
    Bind, Buffer, ComputeError, Device, Gpu, Later, Launch, ShaderSource, Uniform, partials, sum_rows,
};

static TEXT: ShaderSource =
    ShaderSource::wgsl("brightness", &[LINE, NAN, SUM, include_str!("brightness.wgsl")]);

pub(super) fn absolute_difference(
    (device, gpu): (&Device, &dyn Gpu),
    (fixed, warped): (&Buffer, &Buffer),
    weight: Option<&Buffer>,
) -> Result<Later<(f64, f64)>, ComputeError> {
    let (groups, sums) = partials(device, fixed.len(), 2)?;
    gpu.launch(&Launch {
        source: &TEXT,
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
