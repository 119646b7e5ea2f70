//! Processor text of the Gabor pyramid.

use super::features::{Directions, Responses, features};
use super::{Bank, FILTERS, Filters, Levels, LocalPhase, ORIENTATIONS, RADIUS};
use crate::image::convolve::cpu::pad_line;
use crate::shared::arctangent::turn_steps;
use crate::shared::lanes::{LANES, Lanes, Pack, each};
use multiversion::multiversion;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, with_scratch};

/// Number of rows that a filter covers.
const TAPS: usize = 2 * RADIUS + 1;

pub(super) fn pyramid(cpu: &Cpu, levels: &Levels, out: &mut [f32]) {
    for level in 1..levels.count() {
        let (finer, coarser) = out[levels.start(level - 1)..].split_at_mut(levels.pixels(level - 1));
        let [nx, ny] = levels.size(level);
        let fine_size = levels.size(level - 1);
        cpu.split_rows([&mut coarser[..nx * ny]], nx, 4 * nx * ny, |y, [out]| {
            halve_row(finer, fine_size, y, out);
        });
    }
}

/// Computes one row of the next level: along y, then along x.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn halve_row(finer: &[f32], [nx, ny]: [usize; 2], y: usize, out: &mut [f32]) {
    let row = |offset: usize| {
        let y = (2 * y + offset).saturating_sub(2).min(ny - 1);
        &finer[y * nx..(y + 1) * nx]
    };
    let [a, b, c, d, e] = [row(0), row(1), row(2), row(3), row(4)];
    with_scratch(nx + 4, |line| {
        for (x, out) in line[2..nx + 2].iter_mut().enumerate() {
            *out = (a[x] + e[x]) + 4.0 * (b[x] + d[x]) + 6.0 * c[x];
        }
        pad_line(line, 2..nx + 2);
        for (x, out) in out.iter_mut().enumerate() {
            let s = &line[2 * x..2 * x + 5];
            *out = ((s[0] + s[4]) + 4.0 * (s[1] + s[3]) + 6.0 * s[2]) * (1.0 / 256.0);
        }
    });
}

pub(super) fn local_phase(cpu: &Cpu, args: LocalPhase<'_>) {
    let LocalPhase { levels, bank, image, out } = args;
    let image = image.host();
    let directions = Directions::new();
    let phases = out.phases.map(|b| Shared::new(b.host_mut()));
    let maps = out.features.map(|maps| maps.each_mut().map(|b| Shared::new(b.host_mut())));
    for level in 0..levels.count() {
        let (start, [nx, ny]) = (levels.start(level), levels.size(level));
        let image = &image[start..start + nx * ny];
        cpu.split(ny, 16 * nx * ny, |rows| {
            // One line a filter: border, row, border, and what whole lanes read beyond.
            let width = nx + 2 * RADIUS + LANES;
            with_scratch(FILTERS * width, |lines| {
                for y in rows {
                    let seen = std::array::from_fn(|k| {
                        let y = (y + k).saturating_sub(RADIUS).min(ny - 1);
                        &image[y * nx..(y + 1) * nx]
                    });
                    filter_columns(seen, &bank.filters, lines, width);
                    let row = start + y * nx..start + (y + 1) * nx;
                    // SAFETY: every row is written by one thread.
                    let out = unsafe {
                        Row {
                            phases: (phases.as_ref())
                                .map(|p| p.get_mut(ORIENTATIONS * row.start..ORIENTATIONS * row.end)),
                            features: maps.as_ref().map(|m| m.each_ref().map(|m| m.get_mut(row.clone()))),
                        }
                    };
                    write_row(lines, width, bank, &directions, nx, out);
                }
            });
        });
    }
}

/// The results of a row: eight phases a pixel; energy, orientation and phase.
struct Row<'a> {
    phases: Option<&'a mut [u16]>,
    features: Option<[&'a mut [f32]; 3]>,
}

/// Filters along y into a line each, and repeats the last pixels.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn filter_columns(rows: [&[f32]; TAPS], filters: &Filters, lines: &mut [f32], width: usize) {
    let nx = rows[0].len();
    for x in (0..nx).step_by(LANES) {
        let taps: [Lanes; TAPS] = std::array::from_fn(|k| Lanes::load_or_zero(rows[k], x));
        for (f, line) in lines.chunks_exact_mut(width).enumerate() {
            let (is_even, weights) = (f == 0 || f % 2 == 1, &filters.weights[f]);
            let sum = if is_even { even(|k| taps[k], weights) } else { odd(|k| taps[k], weights) };
            sum.store_what_fits(&mut line[..RADIUS + nx], RADIUS + x);
        }
    }
    for line in lines.chunks_exact_mut(width) {
        pad_line(line, RADIUS..RADIUS + nx);
    }
}

/// Filters lines along x, and writes phases and features of the responses.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn write_row(lines: &[f32], width: usize, bank: &Bank, directions: &Directions, nx: usize, mut out: Row<'_>) {
    let least2 = bank.least_magnitude * bank.least_magnitude;
    for x in (0..nx).step_by(LANES) {
        let count = LANES.min(nx - x);
        let mut all = filter_along(lines, width, &bank.filters, x);
        if let Some(form) = bank.rounding {
            all.iter_mut().flatten().for_each(|r| *r = Lanes(each(|k| form.rounded(r.0[k]))));
        }
        let [even, odd]: [[_; ORIENTATIONS]; 2] = each(|part| each(|lane| all[part][lane].0));
        let mut power = [[0.0; LANES]; ORIENTATIONS];
        // One long loop: of two a compiler makes gathers across lanes.
        let responses = even.as_flattened().iter().zip(odd.as_flattened());
        for (power, (even, odd)) in power.as_flattened_mut().iter_mut().zip(responses) {
            *power = even * even + odd * odd;
        }
        let responses = Responses { even, odd, power };
        if let Some(phases) = &mut out.phases {
            let packed = phases_of(&responses, least2);
            phases[ORIENTATIONS * x..ORIENTATIONS * (x + count)]
                .copy_from_slice(&packed[..ORIENTATIONS * count]);
        }
        if let Some(maps) = &mut out.features {
            let found = features(&responses, directions, bank);
            for (map, found) in maps.iter_mut().zip(found) {
                Lanes(found).store_what_fits(map, x);
            }
        }
    }
}

/// Even and odd responses of sixteen pixels, lane by lane.
#[inline(always)]
fn filter_along(lines: &[f32], width: usize, filters: &Filters, x: usize) -> [[Lanes; ORIENTATIONS]; 2] {
    let is_inside = lines.len() >= FILTERS * width && x + TAPS - 1 + LANES <= width;
    assert!(is_inside, "lines should hold what the last lanes read");
    // Line f, filtered along x by filter g.
    // SAFETY: of each line, no sample beyond `x + TAPS - 1 + LANES` is read.
    let tap = |f: usize, k: usize| unsafe { Lanes::load(lines, f * width + x + k) };
    let even_along = |f: usize, g: usize| even(|k| tap(f, k), &filters.weights[g]);
    let odd_along = |f: usize, g: usize| odd(|k| tap(f, k), &filters.weights[g]);
    let [mut evens, mut odds] = [[Lanes::splat(0.0); ORIENTATIONS]; 2];
    evens[0] = even_along(0, 1);
    odds[0] = odd_along(0, 2);
    let constant = even_along(0, 0) * Lanes::splat(filters.diagonal_constant);
    evens[1] = even_along(1, 0);
    odds[1] = even_along(2, 0);
    for k in 1..4 {
        // Orientation k has the frequencies cos(kπ/8) along x and cos((4 − k)π/8) along y.
        let (along_x, along_y) = (1 + 2 * k, 9 - 2 * k);
        let (ee, oe) = (even_along(along_y, along_x), odd_along(along_y, along_x + 1));
        let ee = if k == 2 { ee - constant } else { ee };
        let (eo, oo) = (even_along(along_y + 1, along_x), odd_along(along_y + 1, along_x + 1));
        evens[2 * k] = ee - oo;
        evens[2 * k + 1] = ee + oo;
        odds[2 * k] = oe + eo;
        odds[2 * k + 1] = eo - oe;
    }
    [evens, odds]
}

/// The response of an even filter: the tap in the middle, then the sums of both sides outwards.
#[inline(always)]
fn even(tap: impl Fn(usize) -> Lanes, weights: &[f32; RADIUS + 1]) -> Lanes {
    let mut total = tap(RADIUS) * Lanes::splat(weights[0]);
    for k in 1..=RADIUS {
        total = total + (tap(RADIUS + k) + tap(RADIUS - k)) * Lanes::splat(weights[k]);
    }
    total
}

/// The response of an odd filter: the differences of both sides, from the middle outwards.
#[inline(always)]
fn odd(tap: impl Fn(usize) -> Lanes, weights: &[f32; RADIUS + 1]) -> Lanes {
    let mut total = (tap(RADIUS + 1) - tap(RADIUS - 1)) * Lanes::splat(weights[1]);
    for k in 2..=RADIUS {
        total = total + (tap(RADIUS + k) - tap(RADIUS - k)) * Lanes::splat(weights[k]);
    }
    total
}

/// Phases packed as the contract says, pixel by pixel.
#[inline(always)]
fn phases_of(responses: &Responses, least2: f32) -> [u16; LANES * ORIENTATIONS] {
    let mut lanes = [[0u16; LANES]; ORIENTATIONS];
    for l in 0..ORIENTATIONS {
        let (even, odd, power) = (&responses.even[l], &responses.odd[l], &responses.power[l]);
        lanes[l] = each(|p| {
            // Half a turn more, which is cut off again, so that what is rounded is positive.
            let steps = turn_steps(odd[p], even[p]) + 32_768.5;
            // SAFETY: between 2¹⁴ and 2¹⁶.
            let steps = unsafe { steps.to_int_unchecked::<i32>() };
            ((steps << 1) | i32::from(power[p] > least2)) as u16
        });
    }
    let mut out = [0; LANES * ORIENTATIONS];
    for p in 0..LANES {
        for l in 0..ORIENTATIONS {
            out[p * ORIENTATIONS + l] = lanes[l][p];
        }
    }
    out
}
