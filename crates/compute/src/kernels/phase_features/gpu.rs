//! Launch of `phase_features.wgsl`.

use super::Sums;
use super::cpu::Directions;
use crate::gpu::{ARCTANGENT, Bind, Gpu, LINE, Launch, NAN, Text, line};
use crate::kernels::gabor::{Levels, pairs};
use crate::{Buffer, ComputeError};

static TEXT: Text =
    Text { name: "phase features", parts: &[LINE, NAN, ARCTANGENT, include_str!("phase_features.wgsl")] };

pub(super) fn phase_features(
    gpu: &dyn Gpu,
    (levels, sums, least2): (&Levels, Sums, f32),
    responses: &Buffer,
    out: &[Buffer; 3],
) -> Result<(), ComputeError> {
    let Directions { once, twice } = Directions::new();
    let uniform = [once, twice].iter().fold(levels.uniform(), |u, [cos, sin]| pairs(u, [cos, sin]));
    let [energy, orientation, phase] = out;
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "phase_features",
        constants: &[("PLAIN", f64::from(u8::from(sums == Sums::Plain)))],
        uniform: uniform.u(levels.len()).f(least2),
        buffers: &[Bind::In(responses), Bind::Out(energy), Bind::Out(orientation), Bind::Out(phase)],
        groups: line(levels.len(), 256),
    })
}
