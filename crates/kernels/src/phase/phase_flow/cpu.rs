//! Processor text of [`super::PhaseFlow`].

use super::{Constraints, ERROR_SCALE, LEAST_DETERMINANT, PhaseFlow, PhaseSampling, PhaseWeighing};
use crate::phase::gabor::{
    BLOCK, Block, ORIENTATIONS, PEAK_FREQUENCY, PerLane, Pixels, by_lane, per_lane, product_over_lanes,
    sum_over_lanes,
};
use crate::shared::expansion::Coarser;
use crate::shared::lanes::each;
use crate::shared::phases::{Angles, Halves, RADIANS, ahead, along, angles, moved, taken};
use multiversion::multiversion;
use veloxel_gpu::Cpu;

/// The values that every pixel needs.
struct LevelInputs<'a> {
    size: [usize; 2],
    /// Phases of the frames, in the order of time.
    frames: &'a [&'a [u16]],
    coarser: Option<[Coarser<'a>; 2]>,
    sampling: PhaseSampling,
    constraints: Constraints,
    frequencies: Frequencies,
}

/// The frequencies ω_q of every lane, and the products of their components.
pub(super) struct Frequencies {
    /// The components of ω_q, in the angles of phases; their factor is one.
    pub along: [PerLane; 2],
    /// The products of components, radians² per pixel².
    pub squares: [PerLane; 3],
}

impl Frequencies {
    pub fn new() -> Self {
        let w = PEAK_FREQUENCY;
        Self {
            along: [per_lane(|[c, _]| w * c * RADIANS), per_lane(|[_, s]| w * s * RADIANS)],
            squares: [
                per_lane(|[c, _]| w * w * c * c),
                per_lane(|[c, s]| w * w * c * s),
                per_lane(|[_, s]| w * w * s * s),
            ],
        }
    }
}

impl Constraints {
    /// The threshold τ_l and the scale of errors in the squared units of phases' angles.
    pub(super) fn of_angles(&self) -> [f32; 2] {
        let square = RADIANS * RADIANS;
        [(f64::from(self.tau_l) / square) as f32, (f64::from(ERROR_SCALE) * square) as f32]
    }
}

pub(super) fn phase_flow(cpu: &Cpu, args: PhaseFlow<'_>) {
    let PhaseFlow { place, constraints, frames, coarser, out, confidence } = args;
    let [nx, ny] = place.size();
    let n = nx * ny;
    let start = ORIENTATIONS * place.levels.start(place.level);
    let frames: Vec<&[u16]> = frames.iter().map(|f| &f.host()[start..start + ORIENTATIONS * n]).collect();
    let coarser = coarser.map(|c| {
        let (x, y) = c.host().split_at(place.coarser_pixels());
        [x, y].map(|samples| Coarser { size: place.coarser_size(), samples })
    });
    let frequencies = Frequencies::new();
    let (sampling, size, frames) = (place.sampling, [nx, ny], &frames[..]);
    let level = LevelInputs { size, frames, coarser, sampling, constraints, frequencies };
    let (out_x, out_y) = out.host_mut().split_at_mut(n);
    cpu.split_rows([out_x, out_y, confidence.host_mut()], nx, 32 * n, |y, out| match frames.len() {
        2 => row::<2>(&level, y, out),
        3 => row::<3>(&level, y, out),
        _ => row::<5>(&level, y, out),
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn row<const T: usize>(level: &LevelInputs<'_>, y: usize, [out_x, out_y, confidence]: [&mut [f32]; 3]) {
    let centre = (T - 1) / 2;
    let [nx, _] = level.size;
    let is_displaced = level.sampling == PhaseSampling::Displaced && level.coarser.is_some();
    for first in (0..nx).step_by(BLOCK) {
        let mut d = [[0.0; BLOCK]; 2];
        if let Some([x, y_plane]) = &level.coarser {
            let coarse = [x.block(first, y), y_plane.block(first, y)];
            for (d, component) in d.iter_mut().zip(coarse) {
                *d = each(|p| if coarse[0][p].is_nan() { 0.0 } else { component[p] });
            }
        }
        let mut own = [0; BLOCK];
        for p in 0..BLOCK {
            // Pixels beyond the row are found with the others and forgotten.
            own[p] = (y * nx + (first + p).min(nx - 1)) as i32;
        }
        let mut seen: Halves = [1; BLOCK * ORIENTATIONS];
        let mut phases: [Angles; T] = [[0; BLOCK * ORIENTATIONS]; T];
        for t in 0..T {
            let nearest = if t == centre || !is_displaced {
                // SAFETY: they are in the row.
                let here = unsafe { taken(level.frames[t], &own) };
                phases[t] = angles(&here);
                here
            } else {
                let time = t as f32 - centre as f32;
                let (nearest, between) = sampled(level.frames[t], level.size, first, y, &d, time);
                phases[t] = between;
                nearest
            };
            for i in 0..BLOCK * ORIENTATIONS {
                seen[i] &= nearest[i];
            }
        }
        let (slope, error) = fit(&phases);
        let found = solve(&slope, &error, &seen, &level.constraints, &level.frequencies);
        let count = BLOCK.min(nx - first);
        for p in 0..count {
            out_x[first + p] = d[0][p] + found[0][p];
            out_y[first + p] = d[1][p] + found[1][p];
            confidence[first + p] = found[2][p];
        }
    }
}

/// Phases of a frame at `x + d t`, and first those of the nearest pixels.
#[inline(always)]
fn sampled(
    frame: &[u16],
    [nx, ny]: [usize; 2],
    first: usize,
    y: usize,
    d: &[Pixels; 2],
    time: f32,
) -> (Halves, Angles) {
    let mut columns = [0; BLOCK];
    for p in 0..BLOCK {
        columns[p] = (first + p) as i32;
    }
    let x = along(&columns, &each(|p| d[0][p] * time), nx);
    let y = along(&[y as i32; BLOCK], &each(|p| d[1][p] * time), ny);
    let (mut near, mut across, mut down) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
    for p in 0..BLOCK {
        let row = y.nearest[p] * nx as i32;
        near[p] = row + x.nearest[p];
        across[p] = row + x.side[p];
        down[p] = y.side[p] * nx as i32 + x.nearest[p];
    }
    // SAFETY: positions are inside.
    let [near, across, down] = unsafe { [taken(frame, &near), taken(frame, &across), taken(frame, &down)] };
    let between = moved(&near, [&across, &down], [&x.away, &y.away]);
    (near, between)
}

/// Slope and mean squared error of the line through each lane's phases.
#[inline(always)]
fn fit<const T: usize>(phases: &[Angles; T]) -> (Block, Block) {
    let step = |to: usize, from: usize| ahead(&phases[to], &phases[from]);
    if T == 2 {
        return (step(1, 0), [0.0; BLOCK * ORIENTATIONS]);
    }
    if T == 3 {
        let (after, before) = (step(2, 1), step(0, 1));
        let slope = each(|i| 0.5 * (after[i] - before[i]));
        // Of three points the residuals are a sixth, a third and a sixth of the bend.
        let error = each(|i| {
            let bend = after[i] + before[i];
            bend * bend * (1.0 / 18.0)
        });
        return (slope, error);
    }
    // From the centre on, frame by frame.
    let (first, second) = (step(3, 2), step(4, 3));
    let (third, fourth) = (step(1, 2), step(0, 1));
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

/// The remaining motion, NaN where it is not determined, and its confidence.
#[inline(always)]
fn solve(
    slope: &Block,
    error: &Block,
    seen: &Halves,
    constraints: &Constraints,
    frequencies: &Frequencies,
) -> [Pixels; 3] {
    let [tau, error_scale] = constraints.of_angles();
    let one: Block = each(|i| if (seen[i] & 1 == 1) & (error[i] < tau) { 1.0 } else { 0.0 });
    // A product, not a choice: divisions behind a condition are done one by one.
    let goodness: Block = each(|i| one[i] * (1.0 / (1.0 + error_scale * error[i])));
    let weight = if constraints.weighing == PhaseWeighing::ByFit { goodness } else { one };
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
