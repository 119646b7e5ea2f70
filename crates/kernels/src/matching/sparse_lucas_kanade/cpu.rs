//! Processor text of [`SparseLucasKanade`]: a row of a window is one vector or two.

use super::{PointFate, PointSearch, SparseLucasKanade};
use crate::phase::gabor::Levels;
use crate::shared::lanes::LANES;
use crate::shared::registers::{Sixteen, Work, widest};
use std::ops::Range;
use veloxel_gpu::rows::{Shared, ranges_mut};
use veloxel_gpu::{Buffer, Cpu};

/// Most rows of a window, and of the samples that its derivatives need.
const MOST_ROWS: usize = 2 * super::MOST_RADIUS + 1;
const MOST_SAMPLES: usize = (MOST_ROWS + 3) * (2 * LANES + 3);

/// The weights of Scharr's filter, 3/32 and 10/32.
const BESIDE: f32 = 0.09375;
const MIDDLE: f32 = 0.3125;

/// Greatest factor by which steps are lengthened.
const MOST_LENGTHENED: f32 = 2.0;

/// Whether a position lies in a picture, or at most `beyond` from its outermost pixels.
#[inline(always)]
fn inside([x, y]: [f32; 2], size: [usize; 2], beyond: f32) -> bool {
    let [last_x, last_y] = size.map(|n| (n - 1) as f32);
    x >= -beyond && y >= -beyond && x <= last_x + beyond && y <= last_y + beyond
}

/// The pictures and settings that all points share.
struct Pictures<'a> {
    levels: &'a Levels,
    search: PointSearch,
    first: &'a [f32],
    second: &'a [f32],
    points: [&'a [f32]; 2],
    /// Positions from which points are searched.
    guesses: Option<[&'a [f32]; 2]>,
}

/// The position of a point, and the results there.
#[derive(Clone, Copy)]
struct Found {
    at: [f32; 2],
    error: f32,
    fate: PointFate,
}

pub(super) fn track(cpu: &Cpu, args: SparseLucasKanade<'_>) {
    let SparseLucasKanade { levels, search, first, second, points, guesses, moved, error, fate } = args;
    let (points, guesses) = (points.map(Buffer::host), guesses.map(|g| g.map(Buffer::host)));
    let pictures = Pictures { levels, search, first: first.host(), second: second.host(), points, guesses };
    let [x, y] = moved;
    let out = [x, y, error, fate].map(|b| Shared::new(b.host_mut()));
    let (n, rows) = (points[0].len(), 2 * search.radius + 1);
    cpu.split(n, 100 * rows * n, |range| {
        // SAFETY: ranges are disjoint.
        let out = unsafe { ranges_mut(&out, range.clone()) };
        widest(Share { pictures: &pictures, range, out });
    });
}

/// The points of a thread.
struct Share<'a> {
    pictures: &'a Pictures<'a>,
    range: Range<usize>,
    out: [&'a mut [f32]; 4],
}

impl Work for Share<'_> {
    #[inline(always)]
    fn run<P: Sixteen>(self) {
        match 2 * self.pictures.search.radius + 1 {
            0..=LANES => self.track::<P, 1>(),
            _ => self.track::<P, 2>(),
        }
    }
}

impl Share<'_> {
    #[inline(always)]
    fn track<P: Sixteen, const V: usize>(self) {
        let Self { pictures, range, out: [x, y, error, fate] } = self;
        let Pictures { points, guesses, .. } = pictures;
        let mut window = PointWindow::<P, V>::new(pictures.search.radius);
        for (nth, i) in range.enumerate() {
            let point = [points[0][i], points[1][i]];
            let guess = guesses.map(|g| [g[0][i], g[1][i]]).filter(|g| !g[0].is_nan() && !g[1].is_nan());
            let found = window.track(pictures, point, guess.unwrap_or(point));
            let is_found = found.fate == PointFate::Found;
            let or_nan = |value: f32| if is_found { value } else { f32::NAN };
            (x[nth], y[nth], error[nth]) = (or_nan(found.at[0]), or_nan(found.at[1]), or_nan(found.error));
            fate[nth] = found.fate.code();
        }
    }
}

/// A row of a window.
type Row<P, const V: usize> = [P; V];

/// The window of one point on one level.
struct PointWindow<P, const V: usize> {
    rows: usize,
    /// Factor of each lane: 1 where it is a column of the window, else 0.
    inside: Row<P, V>,
    samples: [Row<P, V>; MOST_ROWS],
    gradients: [[Row<P, V>; 2]; MOST_ROWS],
    /// Copied samples, where the window reaches over the border.
    copied: [f32; MOST_SAMPLES],
}

/// The sum of a row of lanes: first its vectors, then every fourth lane of their sum, then these four.
#[inline(always)]
fn total<P: Sixteen, const V: usize>(row: Row<P, V>) -> f32 {
    let mut lanes = row[0];
    for beyond in &row[1..] {
        lanes = lanes + *beyond;
    }
    let lanes = lanes.samples();
    let sums = [0, 1, 2, 3].map(|k| lanes[k] + lanes[k + 4] + lanes[k + 8] + lanes[k + 12]);
    sums[0] + sums[1] + sums[2] + sums[3]
}

/// The number `a + t (b − a)`, in the form that compilers for GPUs leave as it is.
#[inline(always)]
fn between<P: Sixteen>(a: P, b: P, t: P) -> P {
    a + t * (b - a)
}

impl<P: Sixteen, const V: usize> PointWindow<P, V> {
    #[inline(always)]
    fn new(radius: usize) -> Self {
        let rows = 2 * radius + 1;
        let zero = [P::splat(0.0); V];
        let lane = |v: usize, k: usize| if v * LANES + k < rows { 1.0 } else { 0.0 };
        Self {
            rows,
            inside: std::array::from_fn(|v| P::of(std::array::from_fn(|k| lane(v, k)))),
            samples: [zero; MOST_ROWS],
            gradients: [[zero; 2]; MOST_ROWS],
            copied: [0.0; MOST_SAMPLES],
        }
    }

    #[inline(always)]
    fn track(&mut self, pictures: &Pictures<'_>, point: [f32; 2], guess: [f32; 2]) -> Found {
        let Pictures { levels, search, .. } = pictures;
        let lost = |fate: PointFate| Found { at: point, error: 0.0, fate };
        if point[0].is_nan() || point[1].is_nan() {
            return lost(PointFate::Undefined);
        }
        if !inside(point, levels.size(0), 0.0) {
            return lost(PointFate::Outside);
        }
        let radius = search.radius as f32;
        let mut scale = 1.0 / (1u32 << (levels.count() - 1)) as f32;
        let mut here = guess.map(|g| g * scale);
        let mut error = 0.0;
        for level in (0..levels.count()).rev() {
            let (size, start) = (levels.size(level), levels.start(level));
            let end = start + size[0] * size[1];
            let [first, second] = [pictures.first, pictures.second]
                .map(|pyramid| Picture { samples: &pyramid[start..end], size });
            let corner = point.map(|p| p * scale - radius);
            scale *= 2.0;
            let matrix = self.take(first, corner);
            let is_finest = level == 0;
            if !(least_eigenvalue(matrix, self.rows) >= search.least_eigenvalue && determinant(matrix) > 0.0)
            {
                if is_finest {
                    return lost(PointFate::Flat);
                }
                here = here.map(|h| 2.0 * h);
                continue;
            }
            let limit = search.limits_px2()[usize::from(!is_finest)];
            here = self.arrive(second, matrix, search, limit, here);
            if is_finest {
                if !inside(here, size, 0.0) {
                    return lost(PointFate::Left);
                }
                let [sum, _] = self.compare::<false>(second, here.map(|h| h - radius));
                error = sum / (self.rows * self.rows) as f32;
            } else {
                here = here.map(|h| 2.0 * h);
            }
        }
        Found { at: here, error, fate: PointFate::Found }
    }

    /// Makes the steps on one level, from a position on.
    #[inline(always)]
    fn arrive(
        &mut self,
        second: Picture<'_>,
        matrix: [f32; 3],
        search: &PointSearch,
        limit: f32,
        mut here: [f32; 2],
    ) -> [f32; 2] {
        let radius = search.radius as f32;
        let ([a, b, c], divisor) = (matrix, determinant(matrix));
        // The step before as it was taken, and as the matrix gave it.
        let (mut taken, mut given) = ([0.0; 2], [0.0; 2]);
        for _ in 0..search.iterations {
            if !inside(here, second.size, radius) {
                break;
            }
            let [bx, by] = self.compare::<true>(second, here.map(|h| h - radius));
            let step = [(b * by - c * bx) / divisor, (b * bx - a * by) / divisor];
            // By the way that was taken the steps fell by so much; the secant through both says where they vanish.
            let (way, fall) = (dot(taken, taken), dot(taken, [given[0] - step[0], given[1] - step[1]]));
            let factor = match fall {
                _ if fall > way / MOST_LENGTHENED => way / fall,
                _ if fall > 0.0 => MOST_LENGTHENED,
                _ => 1.0,
            };
            let (square, before) = (dot(step, step), dot(given, given));
            (taken, given) = (step.map(|s| factor * s), step);
            here = [here[0] + taken[0], here[1] + taken[1]];
            // The next one would be shorter by as much as this one is.
            if square <= limit || square * square <= limit * before {
                break;
            }
        }
        here
    }

    /// Takes the window with this corner, and its derivatives; returns Σ g gᵀ of these: 11, 12, 22.
    #[inline(always)]
    fn take(&mut self, image: Picture<'_>, corner: [f32; 2]) -> [f32; 3] {
        let ([x, y], [tx, ty]) = parts(corner);
        let (tx, ty) = (P::splat(tx), P::splat(ty));
        let (needed, rows) = ([V * LANES + 3, self.rows + 3], self.rows);
        let (samples, stride) = region(image, [x - 1, y - 1], needed, &mut self.copied);
        let (beside, middle) = (P::splat(BESIDE), P::splat(MIDDLE));
        let zero = P::splat(0.0);
        let mut sums = [[zero; V]; 3];
        for v in 0..V {
            // The last two rows: three neighbours each.
            let (mut a, mut b) = ([zero; 3], [zero; 3]);
            let mut above = three_along(samples, v * LANES, tx);
            for j in 0..rows + 2 {
                let below = three_along(samples, (j + 1) * stride + v * LANES, tx);
                let c = [
                    between(above[0], below[0], ty),
                    between(above[1], below[1], ty),
                    between(above[2], below[2], ty),
                ];
                above = below;
                if j >= 2 {
                    let gx = beside * (a[2] - a[0] + c[2] - c[0]) + middle * (b[2] - b[0]);
                    let gy = beside * (c[0] - a[0] + c[2] - a[2]) + middle * (c[1] - a[1]);
                    self.samples[j - 2][v] = b[1];
                    self.gradients[j - 2][0][v] = gx * self.inside[v];
                    self.gradients[j - 2][1][v] = gy * self.inside[v];
                }
                (a, b) = (b, c);
            }
        }
        for [gx, gy] in &self.gradients[..rows] {
            for v in 0..V {
                sums[0][v] = sums[0][v] + gx[v] * gx[v];
                sums[1][v] = sums[1][v] + gx[v] * gy[v];
                sums[2][v] = sums[2][v] + gy[v] * gy[v];
            }
        }
        [total(sums[0]), total(sums[1]), total(sums[2])]
    }

    /// Compares with the window of the other picture at a corner: returns Σ (J − I) g or, without `WEIGHED`, Σ |J − I| alone.
    /// No closure distinguishes the two, because it would not be compiled for the processor at hand.
    #[inline(always)]
    fn compare<const WEIGHED: bool>(&mut self, image: Picture<'_>, corner: [f32; 2]) -> [f32; 2] {
        let (corner, [tx, ty]) = parts(corner);
        let (tx, ty) = (P::splat(tx), P::splat(ty));
        let (samples, stride) = region(image, corner, [V * LANES + 1, self.rows + 1], &mut self.copied);
        let mut sums = [[P::splat(0.0); V]; 2];
        let mut above = [P::splat(0.0); V];
        for j in 0..=self.rows {
            for v in 0..V {
                let at = j * stride + v * LANES;
                // SAFETY: the region holds these samples.
                let (low, high) = unsafe { (P::load(samples, at), P::load(samples, at + 1)) };
                let below = between(low, high, tx);
                if j > 0 {
                    let difference = between(above[v], below, ty) - self.samples[j - 1][v];
                    if WEIGHED {
                        let [gx, gy] = &self.gradients[j - 1];
                        sums[0][v] = sums[0][v] + difference * gx[v];
                        sums[1][v] = sums[1][v] + difference * gy[v];
                    } else {
                        sums[0][v] = sums[0][v] + difference.abs() * self.inside[v];
                    }
                }
                above[v] = below;
            }
        }
        [total(sums[0]), total(sums[1])]
    }
}

/// A picture, in rows.
#[derive(Clone, Copy)]
struct Picture<'a> {
    samples: &'a [f32],
    size: [usize; 2],
}

/// Samples between columns: sixteen, and those one and two columns further.
#[inline(always)]
fn three_along<P: Sixteen>(samples: &[f32], at: usize, t: P) -> [P; 3] {
    // SAFETY: the region holds these samples.
    let [a, b] = unsafe { [P::load(samples, at), P::load(samples, at + 1)] };
    // SAFETY: likewise.
    let [c, d] = unsafe { [P::load(samples, at + 2), P::load(samples, at + 3)] };
    [between(a, b, t), between(b, c, t), between(c, d, t)]
}

/// The pixel before a position, and the distance from it.
#[inline(always)]
fn parts([x, y]: [f32; 2]) -> ([i32; 2], [f32; 2]) {
    let low = [x.floor(), y.floor()];
    (low.map(|l| l as i32), [x - low[0], y - low[1]])
}

/// The samples from a corner on, and the distance of their rows: those of the image, or a copy with its border repeated.
#[inline(always)]
fn region<'s>(
    image: Picture<'s>,
    [x, y]: [i32; 2],
    [width, rows]: [usize; 2],
    copied: &'s mut [f32],
) -> (&'s [f32], usize) {
    let Picture { samples: image, size: [nx, ny] } = image;
    if x >= 0 && y >= 0 && x as usize + width <= nx && y as usize + rows <= ny {
        return (&image[y as usize * nx + x as usize..], nx);
    }
    let clamped = |at: i32, k: usize, count: usize| (at + k as i32).clamp(0, count as i32 - 1) as usize;
    for j in 0..rows {
        let row = &image[clamped(y, j, ny) * nx..][..nx];
        for (k, out) in copied[j * width..][..width].iter_mut().enumerate() {
            *out = row[clamped(x, k, nx)];
        }
    }
    (copied, width)
}

#[inline(always)]
fn dot(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[0] + a[1] * b[1]
}

#[inline(always)]
fn determinant([a, b, c]: [f32; 3]) -> f32 {
    a * c - b * b
}

/// The least eigenvalue of the mean over this many rows and columns.
#[inline(always)]
fn least_eigenvalue([a, b, c]: [f32; 3], rows: usize) -> f32 {
    let half = 0.5 * (a - c);
    (0.5 * (a + c) - (half * half + b * b).sqrt()) / (rows * rows) as f32
}
