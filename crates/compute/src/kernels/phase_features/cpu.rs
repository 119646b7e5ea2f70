//! Processor text of [`super::phase_features`](fn@super::phase_features).

use super::Sums;
use crate::arctangent::arctangent2;
use crate::kernels::gabor::{Levels, ORIENTATIONS, PerLane, RESPONSES, each, over_lanes, per_lane};
use crate::rows::Shared;
use crate::{Buffer, Cpu};
use multiversion::multiversion;
use std::f32::consts::PI;

/// Pixels a call.
const BLOCK: usize = 256;

pub(super) fn phase_features(
    cpu: &Cpu,
    (levels, sums, least2): (&Levels, Sums, f32),
    responses: &[f32],
    out: &mut [Buffer; 3],
) {
    let n = levels.len();
    let out = out.each_mut().map(|b| Shared::new(b.host_mut()));
    let directions = Directions::new();
    cpu.split(n.div_ceil(BLOCK), 8 * n, |blocks| {
        for block in blocks {
            let range = block * BLOCK..((block + 1) * BLOCK).min(n);
            let responses = &responses[RESPONSES * range.start..RESPONSES * range.end];
            // SAFETY: every block is written by one thread.
            let out = unsafe { out.each_ref().map(|o| o.get_mut(range.clone())) };
            features((&directions, sums, least2), responses, out);
        }
    });
}

/// Cosines and sines of every lane's orientation, and of twice that.
pub(super) struct Directions {
    pub once: [PerLane; 2],
    pub twice: [PerLane; 2],
}

impl Directions {
    pub fn new() -> Self {
        Self {
            once: [per_lane(|[c, _]| c), per_lane(|[_, s]| s)],
            twice: [per_lane(|[c, s]| c * c - s * s), per_lane(|[c, s]| 2.0 * c * s)],
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn features(
    (directions, sums, least2): (&Directions, Sums, f32),
    responses: &[f32],
    [energy, orientation, phase]: [&mut [f32]; 3],
) {
    let [cos, sin] = directions.once;
    let [cos2, sin2] = directions.twice;
    for (i, pixel) in responses.chunks_exact(RESPONSES).enumerate() {
        let even: PerLane = each(|l| pixel[l]);
        let odd: PerLane = each(|l| pixel[ORIENTATIONS + l]);
        let power: PerLane = each(|l| even[l] * even[l] + odd[l] * odd[l]);
        energy[i] = over_lanes(power);
        if power.iter().all(|&p| p <= least2) {
            [orientation[i], phase[i]] = [f32::NAN; 2];
            continue;
        }
        let magnitude = power.map(f32::sqrt);
        let x = over_lanes(each(|l| magnitude[l] * cos2[l]));
        let y = over_lanes(each(|l| magnitude[l] * sin2[l]));
        let half = 0.5 * arctangent2(y, x);
        let turned = if half < 0.0 { half + PI } else { half };
        orientation[i] = if turned >= PI { 0.0 } else { turned };
        let (s, c) = match sums {
            Sums::Plain => (over_lanes(odd), over_lanes(even)),
            Sums::Weighted => {
                let [c, s] = half_angle(x, y);
                let along: PerLane = each(|l| cos[l] * c + sin[l] * s);
                (
                    over_lanes(each(|l| odd[l] * power[l] * along[l])),
                    over_lanes(each(|l| even[l] * power[l] * along[l].abs())),
                )
            }
        };
        let angle = arctangent2(s, c);
        phase[i] = if angle <= -PI { PI } else { angle };
    }
}

/// Cosine and sine (not negative) of half the angle of a point.
#[inline(always)]
fn half_angle(x: f32, y: f32) -> [f32; 2] {
    let length = (x * x + y * y).sqrt();
    if length <= 0.0 {
        return [1.0, 0.0];
    }
    // The larger of the two first: the other follows from sin 2θ without cancellation.
    let larger = (0.5 + 0.5 * (x.abs() / length)).sqrt();
    let smaller = y.abs() / (2.0 * length * larger);
    let (cos, sin) = if x >= 0.0 { (larger, smaller) } else { (smaller, larger) };
    [if y < 0.0 { -cos } else { cos }, sin]
}
