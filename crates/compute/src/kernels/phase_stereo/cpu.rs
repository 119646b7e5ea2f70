//! Processor text of [`super::phase_stereo`](fn@super::phase_stereo).

use super::{SPREAD_SCALE, Votes};
use crate::Cpu;
use crate::expansion::Coarser;
use crate::kernels::gabor::{ORIENTATIONS, PEAK_FREQUENCY, PerLane, RESPONSES, each, over_lanes, per_lane};
use crate::kernels::phase_flow::{Pixel, Place, Sampling, phase_steps, pixel, powers};
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
    let is_displaced = view.sampling == Sampling::Displaced && view.coarser.is_some();
    for x in 0..nx {
        let d = view.coarser.as_ref().map_or(0.0, |c| c.at(x, y));
        [out[x], confidence[x]] = [f32::NAN, 0.0];
        if d.is_nan() {
            continue;
        }
        let here = pixel(rows[0], x);
        let there = match is_displaced {
            false => pixel(rows[1], x),
            true => sample_along(rows[1], nx, x as f32 - view.sign * d),
        };
        let (power, power_there) = (powers(&here), powers(&there));
        let step = phase_steps(&there, &here);
        let one: PerLane =
            each(|l| if (power[l] > least2) & (power_there[l] > least2) { seeing[l] } else { 0.0 });
        let shift: PerLane = each(|l| view.sign * (step[l] * view.per_radian[l]));
        let count = over_lanes(one) as usize;
        if count < view.votes.min_orientations.max(1) {
            continue;
        }
        let middle = median(&shift, &one, count);
        let found = d + middle;
        let at = x as f32 - view.sign * found;
        if !(at >= 0.0 && at <= last) {
            continue;
        }
        let agreement: PerLane = each(|l| {
            let distance = shift[l] - middle;
            if one[l] > 0.0 { 1.0 / (1.0 + SPREAD_SCALE * (distance * distance)) } else { 0.0 }
        });
        [out[x], confidence[x]] = [found, over_lanes(agreement) * (1.0 / 7.0)];
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

/// The median of the valid lanes; of an even number the mean of the middle two.
#[inline(always)]
fn median(values: &PerLane, one: &PerLane, count: usize) -> f32 {
    // The least four are enough: seven at most are valid.
    let mut sorted = [f32::MAX; 4];
    for l in 0..ORIENTATIONS {
        let mut value = if one[l] > 0.0 { values[l] } else { f32::MAX };
        for slot in &mut sorted {
            let least = if value < *slot { value } else { *slot };
            value = if value < *slot { *slot } else { value };
            *slot = least;
        }
    }
    let (lower, upper) = (sorted[(count - 1) / 2], sorted[count / 2]);
    if count % 2 == 1 { upper } else { 0.5 * (lower + upper) }
}
