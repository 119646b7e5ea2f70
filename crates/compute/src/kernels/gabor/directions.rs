//! Orientations of lanes, and sums over them.

use super::{ORIENTATIONS, direction};
use crate::gpu::Uniform;

/// One number for every lane.
pub(crate) type PerLane = [f32; ORIENTATIONS];

/// A number for every lane, made of the cosine and the sine of its orientation.
pub(crate) fn per_lane(of: impl Fn([f64; 2]) -> f64) -> PerLane {
    std::array::from_fn(|lane| of(direction(lane)) as f32)
}

/// A sum over lanes: those that share filters first.
#[inline(always)]
pub(crate) fn over_lanes(terms: PerLane) -> f32 {
    let pair: [f32; 4] = std::array::from_fn(|k| terms[k] + terms[k + 4]);
    ((pair[0] + pair[1]) + pair[2]) + pair[3]
}

/// Four `vec4<f32>`: two numbers of lane k, then of lane k + 4.
pub(crate) fn pairs(uniform: Uniform, [a, b]: [&PerLane; 2]) -> Uniform {
    (0..4).fold(uniform, |uniform, k| uniform.f4([a[k], b[k], a[k + 4], b[k + 4]]))
}
