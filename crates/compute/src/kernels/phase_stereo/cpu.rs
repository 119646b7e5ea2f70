//! Processor text of [`super::phase_stereo`](fn@super::phase_stereo).

use super::{SPREAD_SCALE, Votes};
use crate::Cpu;
use crate::expansion::Coarser;
use crate::kernels::gabor::{
    BLOCK, ORIENTATIONS, PEAK_FREQUENCY, PerLane, Pixels, RESPONSES, by_lane, each, per_lane, sum_over_lanes,
};
use crate::kernels::phase_flow::{Pixel, Place, Sampling, angles, pixel, powers, turn};
use crate::rows::Shared;
use multiversion::multiversion;

/// The lane that sees no horizontal shift.
const BLIND: usize = 4;

/// What every pixel of a view needs.
struct View<'a> {
    size: [usize; 2],
    here: &'a [f32],
    there: &'a [f32],
    coarser: Option<Coarser<'a>>,
    /// 1: matches lie to the left of a pixel by its disparity; −1: to the right.
    sign: f32,
    sampling: Sampling,
    votes: Votes,
    /// Pixels a radian.
    per_radian: PerLane,
}

/// Pixels a radian of every lane; 0 for the one that is blind.
pub(super) fn pixels_per_radian() -> PerLane {
    let mut per_radian = per_lane(|[c, _]| 1.0 / (PEAK_FREQUENCY * c));
    per_radian[BLIND] = 0.0;
    per_radian
}

pub(super) fn phase_stereo(
    cpu: &Cpu,
    (place, votes): (Place<'_>, Votes),
    (left, right, coarser): (&[f32], &[f32], Option<&[f32]>),
    (out, confidence): (&mut [f32], &mut [f32]),
) {
    let [nx, ny] = place.levels.size(place.level);
    let n = nx * ny;
    let start = RESPONSES * place.levels.start(place.level);
    let [left, right] = [left, right].map(|r| &r[start..start + RESPONSES * n]);
    let size = [nx, ny].map(|n| n.div_ceil(2));
    let plane = size[0] * size[1];
    let views: Vec<View<'_>> = [(left, right, 1.0), (right, left, -1.0)]
        .into_iter()
        .enumerate()
        .take(votes.views.count())
        .map(|(v, (here, there, sign))| View {
            size: [nx, ny],
            here,
            there,
            coarser: coarser.map(|c| Coarser { size, samples: &c[v * plane..(v + 1) * plane] }),
            sign,
            sampling: place.sampling,
            votes,
            per_radian: pixels_per_radian(),
        })
        .collect();
    let out = [out, confidence].map(Shared::new);
    cpu.split(views.len() * ny, 16 * views.len() * n, |rows| {
        for row in rows {
            // SAFETY: every row is written by one thread.
            let out = unsafe { out.each_ref().map(|o| o.get_mut(row * nx..(row + 1) * nx)) };
            view_row(&views[row / ny], row % ny, out);
        }
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn view_row(view: &View<'_>, y: usize, [out, confidence]: [&mut [f32]; 2]) {
    let [nx, _] = view.size;
    let last = (nx - 1) as f32;
    let seeing: PerLane = each(|l| if l == BLIND { 0.0 } else { 1.0 });
    let least2 = view.votes.least_magnitude * view.votes.least_magnitude;
    let rows = [view.here, view.there].map(|r| &r[RESPONSES * y * nx..RESPONSES * (y + 1) * nx]);
    let fewest = view.votes.min_orientations.max(1) as f32;
    let is_displaced = view.sampling == Sampling::Displaced && view.coarser.is_some();
    for first in (0..nx).step_by(BLOCK) {
        let count = BLOCK.min(nx - first);
        // What is not there stays invalid.
        let mut d = [f32::NAN; BLOCK];
        let mut step = [[0.0; BLOCK * ORIENTATIONS]; 2];
        let mut one = [0.0; BLOCK * ORIENTATIONS];
        for p in 0..count {
            let x = first + p;
            d[p] = view.coarser.as_ref().map_or(0.0, |c| c.at(x, y));
            if d[p].is_nan() {
                continue;
            }
            let here = pixel(rows[0], x);
            let there = match is_displaced {
                false => pixel(rows[1], x),
                true => sample_along(rows[1], nx, x as f32 - view.sign * d[p]),
            };
            turn(&there, &here, (&mut step, p));
            let (power, power_there) = (powers(&here), powers(&there));
            let has_phase: PerLane =
                each(|l| if (power[l] > least2) & (power_there[l] > least2) { seeing[l] } else { 0.0 });
            one[p * ORIENTATIONS..(p + 1) * ORIENTATIONS].copy_from_slice(&has_phase);
        }
        let angle = by_lane(&angles(&step));
        let one = by_lane(&one);
        let known = sum_over_lanes(|l, p| one[l][p]);
        let mut shift = [[0.0; BLOCK]; ORIENTATIONS];
        for l in 0..ORIENTATIONS {
            for p in 0..BLOCK {
                shift[l][p] = view.sign * (angle[l][p] * view.per_radian[l]);
            }
        }
        let middle = medians(&shift, &one, &known);
        let agreement = sum_over_lanes(|l, p| {
            let distance = shift[l][p] - middle[p];
            // A product, not a choice: divisions behind a condition are done one by one.
            one[l][p] * (1.0 / (1.0 + SPREAD_SCALE * (distance * distance)))
        });
        for p in 0..count {
            let found = d[p] + middle[p];
            let at = (first + p) as f32 - view.sign * found;
            // An unknown estimate is nowhere inside.
            let is_found = (known[p] >= fewest) & (at >= 0.0) & (at <= last);
            out[first + p] = if is_found { found } else { f32::NAN };
            confidence[first + p] = if is_found { agreement[p] * (1.0 / 7.0) } else { 0.0 };
        }
    }
}

/// Responses between the pixels of a row; a position outside moves to the border.
#[inline(always)]
fn sample_along(row: &[f32], nx: usize, at: f32) -> Pixel {
    let last = (nx - 1) as f32;
    let clamped = if at > 0.0 { if at < last { at } else { last } } else { 0.0 };
    // SAFETY: between 0 and the last pixel.
    let low = (unsafe { clamped.to_int_unchecked::<i32>() } as usize).min(nx.max(2) - 2);
    let weight = clamped - low as f32;
    let [a, b] = [pixel(row, low), pixel(row, (low + 1).min(nx - 1))];
    each(|k| a[k] + weight * (b[k] - a[k]))
}

/// The median of every pixel's valid lanes; of an even number the mean of the middle two. `known` of them are.
#[inline(always)]
fn medians(values: &[Pixels; ORIENTATIONS], one: &[Pixels; ORIENTATIONS], known: &Pixels) -> Pixels {
    // The least four are enough: seven at most are valid.
    let mut sorted = [[f32::MAX; BLOCK]; 4];
    for l in 0..ORIENTATIONS {
        let mut value = [0.0; BLOCK];
        for p in 0..BLOCK {
            value[p] = if one[l][p] > 0.0 { values[l][p] } else { f32::MAX };
        }
        for slot in &mut sorted {
            for p in 0..BLOCK {
                let (a, b) = (slot[p], value[p]);
                slot[p] = if b < a { b } else { a };
                value[p] = if b < a { a } else { b };
            }
        }
    }
    let mut out = [0.0; BLOCK];
    for (p, out) in out.iter_mut().enumerate() {
        let n = known[p];
        let mut lower = if n > 2.5 { sorted[1][p] } else { sorted[0][p] };
        lower = if n > 4.5 { sorted[2][p] } else { lower };
        lower = if n > 6.5 { sorted[3][p] } else { lower };
        let mut upper = if n > 1.5 { sorted[1][p] } else { sorted[0][p] };
        upper = if n > 3.5 { sorted[2][p] } else { upper };
        upper = if n > 5.5 { sorted[3][p] } else { upper };
        // Of an odd number both are the middle one; the mean of two alike is exact.
        *out = 0.5 * (lower + upper);
    }
    out
}
