//! Launch of `match_check.wgsl`.

use super::Matches;
use crate::gpu::{Bind, Gpu, Launch, NAN, Text, Uniform, cover};
use crate::{Buffer, ComputeError};

static TEXT: Text = Text { name: "match check", parts: &[NAN, include_str!("match_check.wgsl")] };

pub(super) fn match_check(
    gpu: &dyn Gpu,
    ([nx, ny], threshold_px): ([usize; 2], f32),
    (matches, confidence): (Matches<'_>, &Buffer),
    (out, confidence_out): (&Buffer, &Buffer),
) -> Result<(), ComputeError> {
    let [forward, backward] = matches.buffers();
    gpu.launch(&Launch {
        text: &TEXT,
        entry: "match_check",
        constants: &[("COMPONENTS", matches.components() as f64)],
        uniform: Uniform::new().u(nx).u(ny).f(threshold_px * threshold_px),
        buffers: &[
            Bind::In(forward),
            Bind::In(backward),
            Bind::In(confidence),
            Bind::Out(out),
            Bind::Out(confidence_out),
        ],
        groups: [cover(nx, 32), cover(ny, 4), 1],
    })
}
