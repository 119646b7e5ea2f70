//! Processor text of [`super::phase_flow`](fn@super::phase_flow).

use super::{Constraints, ERROR_SCALE, LEAST_DETERMINANT, Place, Sampling, Weighing};
use crate::Cpu;
use crate::arctangent::arctangent2;
use crate::expansion::Coarser;
use crate::kernels::gabor::{ORIENTATIONS, PEAK_FREQUENCY, PerLane, RESPONSES, each, over_lanes, per_lane};
use crate::rows::Shared;
use multiversion::multiversion;

/// What every pixel needs.
struct Level<'a> {
    size: [usize; 2],
    /// In the order of time.
    frames: &'a [&'a [f32]],
    coarser: Option<[Coarser<'a>; 2]>,
    sampling: Sampling,
    constraints: Constraints,
    frequencies: Frequencies,
}

/// ω_q of every lane, radians per pixel, and the products of its components.
pub(super) struct Frequencies {
    pub along: [PerLane; 2],
    pub squares: [PerLane; 3],
}

impl Frequencies {
    pub fn new() -> Self {
        let w = PEAK_FREQUENCY;
        Self {
            along: [per_lane(|[c, _]| w * c), per_lane(|[_, s]| w * s)],
            squares: [
                per_lane(|[c, _]| w * w * c * c),
                per_lane(|[c, s]| w * w * c * s),
                per_lane(|[_, s]| w * w * s * s),
            ],
        }
    }
}

pub(super) fn phase_flow(
    cpu: &Cpu,
    (place, constraints): (Place<'_>, Constraints),
    (frames, coarser): (&[&[f32]], Option<&[f32]>),
    (out, confidence): (&mut [f32], &mut [f32]),
) {
    let [nx, ny] = place.levels.size(place.level);
    let n = nx * ny;
    let range = RESPONSES * place.levels.start(place.level)..;
    let frames: Vec<&[f32]> = frames.iter().map(|f| &f[range.clone()][..RESPONSES * n]).collect();
    let size = [nx, ny].map(|n| n.div_ceil(2));
    let coarser = coarser.map(|c| {
        let (x, y) = c.split_at(size[0] * size[1]);
        [x, y].map(|samples| Coarser { size, samples })
    });
    let frequencies = Frequencies::new();
    let level = Level {
        size: [nx, ny],
        frames: &frames,
        coarser,
        sampling: place.sampling,
        constraints,
        frequencies,
    };
    let (out_x, out_y) = out.split_at_mut(n);
    let out = [out_x, out_y, confidence].map(Shared::new);
    cpu.split(ny, 32 * n, |rows| {
        for y in rows {
            // SAFETY: every row is written by one thread.
            let out = unsafe { out.each_ref().map(|o| o.get_mut(y * nx..(y + 1) * nx)) };
            match frames.len() {
                2 => row_of_two(&level, y, out),
                3 => row_of_three(&level, y, out),
                _ => row_of_five(&level, y, out),
            }
        }
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn row_of_two(level: &Level<'_>, y: usize, out: [&mut [f32]; 3]) {
    row::<2>(level, y, out);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn row_of_three(level: &Level<'_>, y: usize, out: [&mut [f32]; 3]) {
    row::<3>(level, y, out);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn row_of_five(level: &Level<'_>, y: usize, out: [&mut [f32]; 3]) {
    row::<5>(level, y, out);
}

#[inline(always)]
fn row<const T: usize>(level: &Level<'_>, y: usize, [out_x, out_y, confidence]: [&mut [f32]; 3]) {
    let centre = (T - 1) / 2;
    let [nx, _] = level.size;
    let is_displaced = level.sampling == Sampling::Displaced && level.coarser.is_some();
    for x in 0..nx {
        let coarse = level.coarser.as_ref().map_or([0.0; 2], |c| [c[0].at(x, y), c[1].at(x, y)]);
        let d = if coarse[0].is_nan() { [0.0; 2] } else { coarse };
        let mut responses = [[0.0; RESPONSES]; T];
        for (t, responses) in responses.iter_mut().enumerate() {
            *responses = if t == centre || !is_displaced {
                pixel(level.frames[t], y * nx + x)
            } else {
                let time = t as f32 - centre as f32;
                sample(level.frames[t], level.size, [x as f32 + d[0] * time, y as f32 + d[1] * time])
            };
        }
        let (increment, sure) = solve(&responses, &level.constraints, &level.frequencies);
        out_x[x] = d[0] + increment[0];
        out_y[x] = d[1] + increment[1];
        confidence[x] = sure;
    }
}

/// Even responses of eight lanes, then odd ones.
pub(crate) type Pixel = [f32; RESPONSES];

#[inline(always)]
pub(crate) fn pixel(responses: &[f32], index: usize) -> Pixel {
    let mut out = [0.0; RESPONSES];
    out.copy_from_slice(&responses[RESPONSES * index..RESPONSES * (index + 1)]);
    out
}

/// Responses between pixels; a position outside moves to the border. It is not NaN.
#[inline(always)]
pub(crate) fn sample(responses: &[f32], [nx, ny]: [usize; 2], at: [f32; 2]) -> Pixel {
    let cell = |at: f32, count: usize| {
        let last = (count - 1) as f32;
        let clamped = if at > 0.0 { if at < last { at } else { last } } else { 0.0 };
        // SAFETY: between 0 and the last pixel.
        let low = (unsafe { clamped.to_int_unchecked::<i32>() } as usize).min(count.max(2) - 2);
        (low, (low + 1).min(count - 1), clamped - low as f32)
    };
    let ((x0, x1, wx), (y0, y1, wy)) = (cell(at[0], nx), cell(at[1], ny));
    let [a, b] = [pixel(responses, y0 * nx + x0), pixel(responses, y0 * nx + x1)];
    let [c, d] = [pixel(responses, y1 * nx + x0), pixel(responses, y1 * nx + x1)];
    each(|k| {
        let top = a[k] + wx * (b[k] - a[k]);
        let bottom = c[k] + wx * (d[k] - c[k]);
        top + wy * (bottom - top)
    })
}

/// How far the phase of `to` is ahead of that of `from`, in every lane.
#[inline(always)]
pub(crate) fn phase_steps(to: &Pixel, from: &Pixel) -> PerLane {
    const ODD: usize = ORIENTATIONS;
    each(|l| {
        let re = to[l] * from[l] + to[ODD + l] * from[ODD + l];
        let im = to[ODD + l] * from[l] - to[l] * from[ODD + l];
        arctangent2(im, re)
    })
}

/// Squared magnitudes.
#[inline(always)]
pub(crate) fn powers(pixel: &Pixel) -> PerLane {
    each(|l| pixel[l] * pixel[l] + pixel[ORIENTATIONS + l] * pixel[ORIENTATIONS + l])
}

/// Slope and mean squared error of the line through every lane's phases.
#[inline(always)]
fn fit<const T: usize>(responses: &[Pixel; T]) -> (PerLane, PerLane) {
    match T {
        2 => (phase_steps(&responses[1], &responses[0]), [0.0; ORIENTATIONS]),
        3 => {
            let after = phase_steps(&responses[2], &responses[1]);
            let before = phase_steps(&responses[0], &responses[1]);
            let slope = each(|l| 0.5 * (after[l] - before[l]));
            let error = each(|l| {
                let bend = after[l] + before[l];
                // Of three points the residuals are a sixth, a third and a sixth of the bend.
                bend * bend * (1.0 / 18.0)
            });
            (slope, error)
        }
        _ => {
            let after = phase_steps(&responses[3], &responses[2]);
            let after2 = phase_steps(&responses[4], &responses[3]);
            let before = phase_steps(&responses[1], &responses[2]);
            let before2 = phase_steps(&responses[0], &responses[1]);
            let mut slope = [0.0; ORIENTATIONS];
            let error = each(|l| {
                let (u1, v1) = (after[l], before[l]);
                let (u2, v2) = (u1 + after2[l], v1 + before2[l]);
                let psi = 0.1 * (((u2 - v2) + (u2 - v2)) + (u1 - v1));
                let mean = 0.2 * (((v2 + v1) + u1) + u2);
                slope[l] = psi;
                let twice = psi + psi;
                let [a, b, c, d] = [v2 - mean + twice, v1 - mean + psi, u1 - mean - psi, u2 - mean - twice];
                0.2 * ((((mean * mean + a * a) + b * b) + c * c) + d * d)
            });
            (slope, error)
        }
    }
}

/// The rest of the motion, NaN where it stays open, and its confidence.
#[inline(always)]
fn solve<const T: usize>(
    responses: &[Pixel; T],
    constraints: &Constraints,
    frequencies: &Frequencies,
) -> ([f32; 2], f32) {
    let (slope, error) = fit(responses);
    let mut least = powers(&responses[0]);
    for response in &responses[1..] {
        let power = powers(response);
        least = each(|l| if power[l] < least[l] { power[l] } else { least[l] });
    }
    let least2 = constraints.least_magnitude * constraints.least_magnitude;
    let tau = constraints.tau_l;
    let one: PerLane = each(|l| if (least[l] > least2) & (error[l] < tau) { 1.0 } else { 0.0 });
    let goodness: PerLane = each(|l| if one[l] > 0.0 { 1.0 / (1.0 + ERROR_SCALE * error[l]) } else { 0.0 });
    let weight = if constraints.weighing == Weighing::ByFit { goodness } else { one };
    let product = |a: &PerLane, b: &PerLane| over_lanes(each(|l| a[l] * b[l]));
    let pull: PerLane = each(|l| weight[l] * slope[l]);
    let [xx, xy, yy] = frequencies.squares.each_ref().map(|s| product(&weight, s));
    let [bx, by] = frequencies.along.each_ref().map(|w| product(&pull, w));
    let determinant = xx * yy - xy * xy;
    let count = over_lanes(one);
    if count < constraints.min_orientations as f32 || determinant <= LEAST_DETERMINANT {
        return ([f32::NAN; 2], 0.0);
    }
    let x = (xy * by - yy * bx) / determinant;
    let y = (xy * bx - xx * by) / determinant;
    ([x, y], 0.125 * over_lanes(goodness))
}
