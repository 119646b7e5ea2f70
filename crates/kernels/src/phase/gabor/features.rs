//! Features of a block of pixels, from their responses.

use super::{BLOCK, Bank, ORIENTATIONS, PerLane, Pixels, Sums, per_lane, product_over_lanes, sum_over_lanes};
use crate::shared::arctangent::arctangent2;
use crate::shared::lanes::each;
use std::f32::consts::PI;

/// Cosines and sines of every lane's orientation, and of twice that angle.
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

/// Responses of a block of pixels, lane by lane.
pub(super) struct Responses {
    pub even: [Pixels; ORIENTATIONS],
    pub odd: [Pixels; ORIENTATIONS],
    /// Squared magnitudes.
    pub power: [Pixels; ORIENTATIONS],
}

/// Energy, orientation and phase of every pixel.
#[inline(always)]
pub(super) fn features(responses: &Responses, directions: &Directions, bank: &Bank) -> [Pixels; 3] {
    let least2 = bank.least_magnitude * bank.least_magnitude;
    let Responses { even, odd, power } = responses;
    let mut magnitude = [[0.0; BLOCK]; ORIENTATIONS];
    let mut most = power[0];
    for l in 0..ORIENTATIONS {
        for p in 0..BLOCK {
            magnitude[l][p] = power[l][p].sqrt();
            most[p] = if power[l][p] > most[p] { power[l][p] } else { most[p] };
        }
    }
    let [cos2, sin2] = &directions.twice;
    let (x, y) = (product_over_lanes(&magnitude, cos2), product_over_lanes(&magnitude, sin2));
    let orientation: Pixels = each(|p| {
        let half = 0.5 * arctangent2(y[p], x[p]);
        let turned = if half < 0.0 { half + PI } else { half };
        let turned = if turned >= PI { 0.0 } else { turned };
        if most[p] > least2 { turned } else { f32::NAN }
    });
    let (s, c) = match bank.sums {
        Sums::Plain => (sum_over_lanes(|l, p| odd[l][p]), sum_over_lanes(|l, p| even[l][p])),
        Sums::Weighted => {
            let [cos, sin] = &directions.once;
            let mut along = [[0.0; BLOCK]; ORIENTATIONS];
            for p in 0..BLOCK {
                let [c, s] = half_angle(x[p], y[p]);
                for l in 0..ORIENTATIONS {
                    along[l][p] = cos[l] * c + sin[l] * s;
                }
            }
            (
                sum_over_lanes(|l, p| odd[l][p] * power[l][p] * along[l][p]),
                sum_over_lanes(|l, p| even[l][p] * power[l][p] * along[l][p].abs()),
            )
        }
    };
    let phase: Pixels = each(|p| {
        let angle = arctangent2(s[p], c[p]);
        let angle = if angle <= -PI { PI } else { angle };
        if most[p] > least2 { angle } else { f32::NAN }
    });
    [sum_over_lanes(|l, p| power[l][p]), orientation, phase]
}

/// Cosine and sine (not negative) of half the angle of a point.
#[inline(always)]
fn half_angle(x: f32, y: f32) -> [f32; 2] {
    let length = (x * x + y * y).sqrt();
    let divisor = if length > 0.0 { length } else { 1.0 };
    // The larger of the two first: the other follows from sin 2θ without cancellation.
    let larger = (0.5 + 0.5 * (x.abs() / divisor)).sqrt();
    let smaller = y.abs() / (2.0 * divisor * larger);
    let (cos, sin) = if x >= 0.0 { (larger, smaller) } else { (smaller, larger) };
    let cos = if y < 0.0 { -cos } else { cos };
    if length > 0.0 { [cos, sin] } else { [1.0, 0.0] }
}
