//! Launch of `phase_stereo.wgsl`.

use super::cpu::pixels_per_angle;
use super::{SPREAD_SCALE, Votes};
use crate::phase::gabor::alternate;
use crate::phase::phase_flow::{Place, Sampling};
use crate::shared::{EXPANSION, NAN, PHASES};
use veloxel_gpu::{Bind, Buffer, ComputeError, Gpu, Launch, ShaderSource, Uniform, cover};

static TEXT: ShaderSource =
    ShaderSource::wgsl("phase stereo", &[NAN, EXPANSION, PHASES, include_str!("phase_stereo.wgsl")]);

pub(super) fn phase_stereo(
    gpu: &dyn Gpu,
    (place, votes): (Place<'_>, Votes),
    (left, right, coarser): (&Buffer<u16>, &Buffer<u16>, Option<&Buffer>),
    (out, confidence): (&Buffer, &Buffer),
) -> Result<(), ComputeError> {
    let [nx, ny] = place.levels.size(place.level);
    let Votes { min_orientations, views } = votes;
    let uniform = Uniform::new()
        .u4([nx, ny, nx.div_ceil(2), ny.div_ceil(2)])
        .u4([place.levels.start(place.level)])
        .f4([min_orientations.max(1) as f32, SPREAD_SCALE]);
    let flag = |is_on: bool| f64::from(u8::from(is_on));
    gpu.launch(&Launch {
        source: &TEXT,
        entry: "phase_stereo",
        constants: &[
            ("DISPLACED", flag(place.sampling == Sampling::Displaced)),
            ("COARSER", flag(coarser.is_some())),
        ],
        uniform: alternate(uniform, &pixels_per_angle()),
        buffers: &[
            Bind::In(left),
            Bind::In(right),
            Bind::optional(coarser),
            Bind::Out(out),
            Bind::Out(confidence),
        ],
        groups: [cover(nx, 32), cover(ny, 4), views.count() as u32],
    })
}
