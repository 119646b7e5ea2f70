//! Launch of `phase_flow.wgsl`.

use super::cpu::Frequencies;
use super::{Constraints, Place, Sampling, Weighing};
use crate::phase::gabor::alternate;
use crate::shared::{EXPANSION, NAN, PHASES};
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover};

static TEXT: ShaderSource =
    ShaderSource::wgsl("phase flow", &[NAN, EXPANSION, PHASES, include_str!("phase_flow.wgsl")]);

pub(super) fn phase_flow(
    gpu: &dyn Gpu,
    (place, constraints): (Place<'_>, Constraints),
    (frames, coarser): (&[&Buffer<u16>], Option<&Buffer>),
    (out, confidence): (&Buffer, &Buffer),
) -> Result<(), ComputeError> {
    let [nx, ny] = place.levels.size(place.level);
    let Frequencies { along: [wx, wy], squares: [xx, xy, yy] } = Frequencies::new();
    let Constraints { min_orientations, weighing, .. } = constraints;
    let [tau, error_scale] = constraints.of_angles();
    let uniform = Uniform::new()
        .u4([nx, ny, nx.div_ceil(2), ny.div_ceil(2)])
        .u4([place.levels.start(place.level)])
        .f4([tau, min_orientations as f32, error_scale])
        .f4([0.1, 0.2, 1.0 / 18.0]);
    let uniform = [wx, wy, xx, xy, yy].iter().fold(uniform, alternate);
    let mut buffers: Vec<_> = (0..5).map(|t| Bind::optional(frames.get(t).copied())).collect();
    buffers.extend([Bind::optional(coarser), Bind::Out(out), Bind::Out(confidence)]);
    let flag = |is_on: bool| f64::from(u8::from(is_on));
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "phase_flow",
        constants: &[
            ("FRAMES", frames.len() as f64),
            ("DISPLACED", flag(place.sampling == Sampling::Displaced)),
            ("COARSER", flag(coarser.is_some())),
            ("BY_FIT", flag(weighing == Weighing::ByFit)),
        ],
        uniform,
        buffers: &buffers,
        groups: [cover(nx, 32), cover(ny, 4), 1],
    })
}
