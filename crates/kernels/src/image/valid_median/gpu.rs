//! Launch of `valid_median.wgsl`.

use super::{Planes, Window};
use crate::shared::{EXPANSION, NAN};
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover};

static TEXT: ShaderSource =
    ShaderSource::wgsl("valid median", &[NAN, EXPANSION, include_str!("valid_median.wgsl")]);

pub(super) fn valid_median(
    gpu: &dyn Gpu,
    (planes, window): (Planes, Window),
    (estimates, coarser): (&Buffer, Option<&Buffer>),
    (out, confidence): (&Buffer, Option<&Buffer>),
) -> Result<(), ComputeError> {
    let [nx, ny] = planes.size;
    let radius = window.radius();
    let half = ((2 * radius + 1) * (2 * radius + 1)).div_ceil(2);
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "valid_median",
        constants: &[
            ("RADIUS", radius as f64),
            ("HALF", half as f64),
            ("SIDE", (2 * radius + 1) as f64),
            ("COARSER", f64::from(u8::from(coarser.is_some()))),
        ],
        uniform: Uniform::new()
            .u4([nx, ny, nx.div_ceil(2), ny.div_ceil(2)])
            .u(confidence.map_or(0, |c| c.len() / (nx * ny))),
        buffers: &[
            Bind::In(estimates),
            Bind::optional(coarser),
            Bind::Out(out),
            confidence.map_or(Bind::Spare, Bind::output),
        ],
        groups: [cover(nx, 32), cover(ny, 4), planes.count as u32],
    })
}
