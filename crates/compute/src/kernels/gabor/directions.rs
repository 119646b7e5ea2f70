//! Orientations of lanes, and sums over them.

use super::{ORIENTATIONS, direction};
use crate::gpu::Uniform;

/// One number for every lane.
pub(crate) type PerLane = [f32; ORIENTATIONS];

/// An array made number by number; unlike the standard library's it is always part of its caller, with the instructions that
/// the caller was compiled for.
#[inline(always)]
pub(crate) fn each<const N: usize>(mut of: impl FnMut(usize) -> f32) -> [f32; N] {
    let mut out = [0.0; N];
    for (k, out) in out.iter_mut().enumerate() {
        *out = of(k);
    }
    out
}

/// A number for every lane, made of the cosine and the sine of its orientation.
pub(crate) fn per_lane(of: impl Fn([f64; 2]) -> f64) -> PerLane {
    std::array::from_fn(|lane| of(direction(lane)) as f32)
}

/// A sum over lanes, one after the other: those that share filters follow each other.
#[inline(always)]
pub(crate) fn over_lanes(terms: PerLane) -> f32 {
    let mut total = terms[0] + terms[4];
    for k in 1..4 {
        total = (total + terms[k]) + terms[k + 4];
    }
    total
}

/// Four `vec4<f32>`: two numbers of lane k, then of lane k + 4.
pub(crate) fn pairs(uniform: Uniform, [a, b]: [&PerLane; 2]) -> Uniform {
    (0..4).fold(uniform, |uniform, k| uniform.f4([a[k], b[k], a[k + 4], b[k + 4]]))
}
