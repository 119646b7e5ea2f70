//! Orientations of lanes, and sums over them.

use super::{ORIENTATIONS, direction};
use veloxel_gpu::wgsl::vec4;

/// One number for every lane.
pub(crate) type PerLane = [f32; ORIENTATIONS];

/// A number for every lane, made of the cosine and the sine of its orientation.
pub(crate) fn per_lane(of: impl Fn([f64; 2]) -> f64) -> PerLane {
    std::array::from_fn(|lane| of(direction(lane)) as f32)
}

/// Number of pixels whose lanes are worked on together.
pub(crate) const BLOCK: usize = 16;

/// Every lane of every pixel of a block, pixel by pixel: phases, errors and weights are found in one long loop.
pub(crate) type Block = [f32; BLOCK * ORIENTATIONS];

/// The pixels of a block, one number each.
pub(crate) type Pixels = [f32; BLOCK];

/// Every pixel of every lane of a block, lane by lane: sums over lanes then go over all pixels at a time.
#[inline(always)]
pub(crate) fn by_lane(block: &Block) -> [Pixels; ORIENTATIONS] {
    let mut out = [[0.0; BLOCK]; ORIENTATIONS];
    for half in 0..BLOCK / ORIENTATIONS {
        let mut rows = [[0.0; ORIENTATIONS]; ORIENTATIONS];
        for (k, row) in rows.iter_mut().enumerate() {
            row.copy_from_slice(&block[(half * ORIENTATIONS + k) * ORIENTATIONS..][..ORIENTATIONS]);
        }
        // Three perfect shuffles of rows are a transposition.
        let columns = shuffled(shuffled(shuffled(rows)));
        for (out, column) in out.iter_mut().zip(columns) {
            out[half * ORIENTATIONS..][..ORIENTATIONS].copy_from_slice(&column);
        }
    }
    out
}

/// Rows of both halves, interleaved number by number.
#[inline(always)]
fn shuffled(rows: [PerLane; ORIENTATIONS]) -> [PerLane; ORIENTATIONS] {
    const HALF: usize = ORIENTATIONS / 2;
    let mut out = [[0.0; ORIENTATIONS]; ORIENTATIONS];
    for k in 0..HALF {
        let (a, b) = (rows[k], rows[k + HALF]);
        out[2 * k] = [a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3]];
        out[2 * k + 1] = [a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7]];
    }
    out
}

/// The [`sum_over_lanes`] of each lane's numbers times the lane's factor.
#[inline(always)]
pub(crate) fn product_over_lanes(lanes: &[Pixels; ORIENTATIONS], factors: &PerLane) -> Pixels {
    sum_over_lanes(|lane, pixel| lanes[lane][pixel] * factors[lane])
}

/// Every pixel's sum over lanes, one lane after the other.
#[inline(always)]
pub(crate) fn sum_over_lanes(term: impl Fn(usize, usize) -> f32) -> Pixels {
    let mut total = [0.0; BLOCK];
    for (pixel, total) in total.iter_mut().enumerate() {
        *total = term(0, pixel);
    }
    for lane in 1..ORIENTATIONS {
        for (pixel, total) in total.iter_mut().enumerate() {
            *total += term(lane, pixel);
        }
    }
    total
}

/// Two vectors `vec4<f32>`: the numbers of the first lane of every word, then of the second.
pub(crate) fn alternate(lanes: &PerLane) -> [vec4<f32>; 2] {
    let [a, b, c, d, e, f, g, h] = *lanes;
    [[a, c, e, g].into(), [b, d, f, h].into()]
}
