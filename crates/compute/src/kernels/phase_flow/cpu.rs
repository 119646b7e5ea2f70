//! Processor text of [`super::phase_flow`](fn@super::phase_flow).

use super::{Constraints, ERROR_SCALE, LEAST_DETERMINANT, Place, Sampling, Weighing};
use crate::Cpu;
use crate::arctangent::arctangent2;
use crate::expansion::Coarser;
use crate::kernels::gabor::{
    BLOCK, Block, ORIENTATIONS, PEAK_FREQUENCY, PerLane, Pixels, RESPONSES, by_lane, each, per_lane,
    product_over_lanes, sum_over_lanes,
};
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
    for first in (0..nx).step_by(BLOCK) {
        let count = BLOCK.min(nx - first);
        let mut d = [[0.0; BLOCK]; 2];
        // Steps from frame to frame, one after the centre, two after it, one and two before it, as points whose angles they are;
        // what is not there stays invalid.
        let mut steps = [[[0.0; BLOCK * ORIENTATIONS]; 2]; 4];
        let mut least = [0.0; BLOCK * ORIENTATIONS];
        for p in 0..count {
            let x = first + p;
            let coarse = level.coarser.as_ref().map_or([0.0; 2], |c| [c[0].at(x, y), c[1].at(x, y)]);
            let here = if coarse[0].is_nan() { [0.0; 2] } else { coarse };
            [d[0][p], d[1][p]] = here;
            let mut responses = [[0.0; RESPONSES]; T];
            for (t, responses) in responses.iter_mut().enumerate() {
                *responses = if t == centre || !is_displaced {
                    pixel(level.frames[t], y * nx + x)
                } else {
                    let time = t as f32 - centre as f32;
                    sample(
                        level.frames[t],
                        level.size,
                        [x as f32 + here[0] * time, y as f32 + here[1] * time],
                    )
                };
            }
            let mut powers_of_all = powers(&responses[0]);
            for response in &responses[1..] {
                let power = powers(response);
                powers_of_all =
                    each(|l| if power[l] < powers_of_all[l] { power[l] } else { powers_of_all[l] });
            }
            least[p * ORIENTATIONS..(p + 1) * ORIENTATIONS].copy_from_slice(&powers_of_all);
            let [first, second, third, fourth] = &mut steps;
            match T {
                2 => turn(&responses[1], &responses[0], (first, p)),
                3 => {
                    turn(&responses[2], &responses[1], (first, p));
                    turn(&responses[0], &responses[1], (second, p));
                }
                _ => {
                    turn(&responses[3], &responses[2], (first, p));
                    turn(&responses[4], &responses[3], (second, p));
                    turn(&responses[1], &responses[2], (third, p));
                    turn(&responses[0], &responses[1], (fourth, p));
                }
            }
        }
        let found = solve::<T>((&steps, &least), &level.constraints, &level.frequencies);
        for p in 0..count {
            out_x[first + p] = d[0][p] + found[0][p];
            out_y[first + p] = d[1][p] + found[1][p];
            confidence[first + p] = found[2][p];
        }
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

/// Writes the points whose angles say how far the phase of `to` is ahead of that of `from`, of a pixel of a block.
#[inline(always)]
pub(crate) fn turn(to: &Pixel, from: &Pixel, ([re, im], p): (&mut [Block; 2], usize)) {
    const ODD: usize = ORIENTATIONS;
    let at = p * ORIENTATIONS;
    let across: PerLane = each(|l| to[l] * from[l] + to[ODD + l] * from[ODD + l]);
    let along: PerLane = each(|l| to[ODD + l] * from[l] - to[l] * from[ODD + l]);
    re[at..at + ORIENTATIONS].copy_from_slice(&across);
    im[at..at + ORIENTATIONS].copy_from_slice(&along);
}

/// The angles of a block's points.
#[inline(always)]
pub(crate) fn angles([re, im]: &[Block; 2]) -> Block {
    each(|i| arctangent2(im[i], re[i]))
}

/// Squared magnitudes.
#[inline(always)]
pub(crate) fn powers(pixel: &Pixel) -> PerLane {
    each(|l| pixel[l] * pixel[l] + pixel[ORIENTATIONS + l] * pixel[ORIENTATIONS + l])
}

/// Slope and mean squared error of the line through every lane's phases.
#[inline(always)]
fn fit<const T: usize>(steps: &[[Block; 2]; 4]) -> (Block, Block) {
    let first = angles(&steps[0]);
    if T == 2 {
        return (first, [0.0; BLOCK * ORIENTATIONS]);
    }
    let second = angles(&steps[1]);
    if T == 3 {
        let slope = each(|i| 0.5 * (first[i] - second[i]));
        // Of three points the residuals are a sixth, a third and a sixth of the bend.
        let error = each(|i| {
            let bend = first[i] + second[i];
            bend * bend * (1.0 / 18.0)
        });
        return (slope, error);
    }
    let (third, fourth) = (angles(&steps[2]), angles(&steps[3]));
    let mut slope = [0.0; BLOCK * ORIENTATIONS];
    let mut error = slope;
    for i in 0..BLOCK * ORIENTATIONS {
        let (u1, v1) = (first[i], third[i]);
        let (u2, v2) = (u1 + second[i], v1 + fourth[i]);
        let psi = 0.1 * (((u2 - v2) + (u2 - v2)) + (u1 - v1));
        let mean = 0.2 * (((v2 + v1) + u1) + u2);
        slope[i] = psi;
        let twice = psi + psi;
        let (a, b, c, d) = (v2 - mean + twice, v1 - mean + psi, u1 - mean - psi, u2 - mean - twice);
        error[i] = 0.2 * ((((mean * mean + a * a) + b * b) + c * c) + d * d);
    }
    (slope, error)
}

/// The rest of the motion, NaN where it stays open, and its confidence.
#[inline(always)]
fn solve<const T: usize>(
    (steps, least): (&[[Block; 2]; 4], &Block),
    constraints: &Constraints,
    frequencies: &Frequencies,
) -> [Pixels; 3] {
    let (slope, error) = fit::<T>(steps);
    let least2 = constraints.least_magnitude * constraints.least_magnitude;
    let tau = constraints.tau_l;
    let one: Block = each(|i| if (least[i] > least2) & (error[i] < tau) { 1.0 } else { 0.0 });
    // A product, not a choice: divisions behind a condition are done one by one.
    let goodness: Block = each(|i| one[i] * (1.0 / (1.0 + ERROR_SCALE * error[i])));
    let weight = if constraints.weighing == Weighing::ByFit { goodness } else { one };
    let pull = by_lane(&each(|i| weight[i] * slope[i]));
    let [weight, one, goodness] = [by_lane(&weight), by_lane(&one), by_lane(&goodness)];
    let [wx, wy] = &frequencies.along;
    let [xx, xy, yy] = &frequencies.squares;
    let (xx, xy, yy) =
        (product_over_lanes(&weight, xx), product_over_lanes(&weight, xy), product_over_lanes(&weight, yy));
    let (bx, by) = (product_over_lanes(&pull, wx), product_over_lanes(&pull, wy));
    let count = sum_over_lanes(|l, p| one[l][p]);
    let good = sum_over_lanes(|l, p| goodness[l][p]);
    let fewest = constraints.min_orientations as f32;
    let mut out = [[f32::NAN; BLOCK]; 3];
    for p in 0..BLOCK {
        let determinant = xx[p] * yy[p] - xy[p] * xy[p];
        let is_found = (count[p] >= fewest) & (determinant > LEAST_DETERMINANT);
        let x = (xy[p] * by[p] - yy[p] * bx[p]) / determinant;
        let y = (xy[p] * bx[p] - xx[p] * by[p]) / determinant;
        out[0][p] = if is_found { x } else { f32::NAN };
        out[1][p] = if is_found { y } else { f32::NAN };
        out[2][p] = if is_found { 0.125 * good[p] } else { 0.0 };
    }
    out
}
