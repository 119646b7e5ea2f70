//! Processor text of [`super::median`](fn@super::median).

use super::{Median, WeightedMedian};
use crate::Cpu;
use crate::exponential::exponential;
use crate::rows::Shared;
use crate::{Buffer, Shape};
use multiversion::multiversion;
use std::ops::Range;

pub(super) fn median(
    cpu: &Cpu,
    (shape, kind): (Shape, Median),
    (field, guide, vote): (&[Buffer], &[f32], Option<&[f32]>),
    out: &mut [Buffer],
) {
    let radius = match kind {
        Median::Plain { radius } => radius,
        Median::Weighted(_) => 2,
    };
    for (input, out) in field.iter().zip(out.iter_mut()) {
        plain(cpu, (shape, radius), input.host(), out.host_mut());
    }
    if let Median::Weighted(window) = kind {
        weighted(cpu, (shape, window), (guide, vote), out);
    }
}

/// The part of a window that lies inside.
fn cut(at: usize, radius: usize, count: usize) -> Range<usize> {
    at.saturating_sub(radius)..(at + radius + 1).min(count)
}

fn plain(cpu: &Cpu, (shape, radius): (Shape, usize), input: &[f32], out: &mut [f32]) {
    let [nx, ny, nz] = shape.size;
    let out = Shared::new(out);
    cpu.split(shape.rows(), 16 * shape.len(), |rows| {
        let mut lines: Vec<&[f32]> = Vec::new();
        let mut lanes = Vec::new();
        for row in rows {
            let (y, z) = (row % ny, row / ny);
            let zs = if shape.components() == 3 { cut(z, radius, nz) } else { 0..1 };
            lines.clear();
            lines.extend(
                zs.flat_map(|z| cut(y, radius, ny).map(move |y| (z * ny + y) * nx))
                    .map(|s| &input[s..][..nx]),
            );
            // SAFETY: every row is written by one thread.
            let out = unsafe { out.get_mut(row * nx..(row + 1) * nx) };
            let inner = radius.min(nx)..nx.saturating_sub(radius).max(radius.min(nx));
            for x in (0..inner.start).chain(inner.end..nx) {
                let mut values: Vec<f32> =
                    lines.iter().flat_map(|l| l[cut(x, radius, nx)].iter().copied()).collect();
                out[x] = middle(&mut values);
            }
            let mut x = inner.start;
            while x < inner.end {
                let width = LANES.min(inner.end - x);
                lanes.clear();
                for line in &lines {
                    for offset in 0..=2 * radius {
                        let from = x + offset - radius;
                        let mut lane = [0.0; LANES];
                        lane[..width].copy_from_slice(&line[from..from + width]);
                        lanes.push(lane);
                    }
                }
                out[x..x + width].copy_from_slice(&middle_of_lanes(&mut lanes)[..width]);
                x += width;
            }
        }
    });
}

/// The middle value; of an even number the mean of the middle two, so that mirrored fields have mirrored medians.
fn middle(values: &mut [f32]) -> f32 {
    let n = values.len();
    let (below, upper, _) = values.select_nth_unstable_by(n / 2, f32::total_cmp);
    let upper = *upper;
    if n % 2 == 1 {
        return upper;
    }
    let lower = below.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    0.5 * (lower + upper)
}

/// Pixels whose medians are found together.
const LANES: usize = 16;

/// The median of each lane, by forgetting: of `k = n/2 + 2` values the least and the greatest cannot be the median, so
/// both are dropped and the next value is let in, until one is left. Only minima and maxima: every lane takes the same path.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn middle_of_lanes(values: &mut [[f32; LANES]]) -> [f32; LANES] {
    let n = values.len();
    if n.is_multiple_of(2) {
        // A window cut at the border may be even: the upper middle, as the scalar form takes it.
        let mut out = [0.0; LANES];
        for (lane, out) in out.iter_mut().enumerate() {
            let mut column: Vec<f32> = values.iter().map(|v| v[lane]).collect();
            *out = middle(&mut column);
        }
        return out;
    }
    let mut first = 0;
    let mut last = (n / 2 + 2).min(n);
    while last - first > 1 {
        // Least to the front, greatest to the back of the active range.
        for i in first + 1..last {
            order(values, first, i);
        }
        for i in first + 1..last - 1 {
            order(values, i, last - 1);
        }
        // Forget both; let the next one in, in the greatest one's place.
        let seen = last + first;
        first += 1;
        if seen < n {
            values[last - 1] = values[seen];
        } else {
            last -= 1;
        }
    }
    values[first]
}

/// Puts the smaller value of each lane at `low`, the greater at `high`.
#[inline(always)]
fn order(values: &mut [[f32; LANES]], low: usize, high: usize) {
    let (a, b) = (values[low], values[high]);
    let (mut least, mut greatest) = (a, b);
    for k in 0..LANES {
        least[k] = if a[k] < b[k] { a[k] } else { b[k] };
        greatest[k] = if a[k] < b[k] { b[k] } else { a[k] };
    }
    values[low] = least;
    values[high] = greatest;
}

/// Votes of a window: values of both components and weights.
struct Votes {
    offsets: Vec<(isize, isize, f32)>,
    values: [Vec<f32>; 2],
    weights: Vec<f32>,
}

fn weighted(
    cpu: &Cpu,
    (shape, window): (Shape, WeightedMedian),
    (guide, vote): (&[f32], Option<&[f32]>),
    field: &mut [Buffer],
) {
    let [nx, ny, _] = shape.size;
    let input: Vec<Vec<f32>> = field.iter().map(|b| b.host().to_vec()).collect();
    let near_edge = motion_edges((shape, window), &input);
    let out: Vec<Shared<'_>> = field.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let per_i2 = 0.5 / (window.sigma_intensity * window.sigma_intensity);
    cpu.split(ny, 64 * shape.len(), |rows| {
        let mut votes = Votes::new(window);
        for y in rows {
            // SAFETY: every row is written by one thread.
            let mut lines: Vec<&mut [f32]> =
                out.iter().map(|o| unsafe { o.get_mut(y * nx..(y + 1) * nx) }).collect();
            for x in (0..nx).filter(|x| near_edge[y * nx + x] > 0.0) {
                let here = y * nx + x;
                votes.gather((nx, ny), (x, y), |i, spatial| {
                    let difference = guide[i] - guide[here];
                    let weight =
                        exponential(-spatial - difference * difference * per_i2) * vote.map_or(1.0, |v| v[i]);
                    (
                        (FULL_VOTE * weight + 0.5) as i32 as f32 + 1.0,
                        [0, 1].map(|c: usize| input[c][i] - input[c][here]),
                    )
                });
                for (component, line) in lines.iter_mut().enumerate() {
                    line[x] += near_edge[here] * weighted_median(&votes.values[component], &votes.weights);
                }
            }
        }
    });
}

/// How much each pixel is within reach of a jump: 0 to 1.
fn motion_edges((shape, window): (Shape, WeightedMedian), input: &[Vec<f32>]) -> Vec<f32> {
    let [nx, ny, _] = shape.size;
    let [begin, per_square] = window.ramp();
    let mut bent = vec![0.0f32; nx * ny];
    for component in input {
        for y in 0..ny {
            for x in 0..nx {
                let i = y * nx + x;
                // Second differences: a slope, however steep, is no edge.
                let bend = |inside: bool, step: usize| match inside {
                    true => (component[i + step] - 2.0 * component[i] + component[i - step]).abs(),
                    false => 0.0,
                };
                let most = bend(x > 0 && x + 1 < nx, 1).max(bend(y > 0 && y + 1 < ny, nx));
                bent[i] = bent[i].max(most);
            }
        }
    }
    // Dilation, one axis after the other.
    let along = |edge: &[f32], (count, stride): (usize, usize)| -> Vec<f32> {
        let most = |i: usize| {
            let at = i / stride % count;
            cut(at, window.reach, count).map(|k| edge[i + k * stride - at * stride]).fold(0.0, f32::max)
        };
        (0..edge.len()).map(most).collect()
    };
    let mut edge = along(&bent, (nx, 1));
    edge.iter_mut().for_each(|most| {
        let square = *most * *most;
        *most = ((square - begin) * per_square).clamp(0.0, 1.0);
    });
    along(&edge, (ny, nx))
}

impl Votes {
    fn new(window: WeightedMedian) -> Self {
        let r = window.radius as isize;
        let scale = 0.5 / (window.sigma_vox * window.sigma_vox);
        let steps = || (-r..=r).step_by(window.stride.max(1));
        let offsets = steps()
            .flat_map(|dy| steps().map(move |dx| (dx, dy, scale * (dx * dx + dy * dy) as f32)))
            .collect();
        Self { offsets, values: [Vec::new(), Vec::new()], weights: Vec::new() }
    }

    fn gather(
        &mut self,
        (nx, ny): (usize, usize),
        (x, y): (usize, usize),
        vote: impl Fn(usize, f32) -> (f32, [f32; 2]),
    ) {
        self.weights.clear();
        self.values.iter_mut().for_each(Vec::clear);
        for &(dx, dy, spatial) in &self.offsets {
            let (xx, yy) = (x as isize + dx, y as isize + dy);
            if xx < 0 || yy < 0 || xx >= nx as isize || yy >= ny as isize {
                continue;
            }
            let (weight, values) = vote(yy as usize * nx + xx as usize, spatial);
            self.weights.push(weight);
            self.values[0].push(values[0]);
            self.values[1].push(values[1]);
        }
    }
}

/// Votes are whole numbers, from 1 on, whose sums do not depend on the order.
const FULL_VOTE: f32 = 16384.0;
/// Halvings of the bracket around the weighted median.
const HALVINGS: usize = 16;

/// The weighted median, to 2⁻¹⁶ of the weighted standard deviation.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn weighted_median(values: &[f32], weights: &[f32]) -> f32 {
    // In the order of the other text; later sums are of whole numbers.
    let (mut weight, mut first, mut second) = (0.0f32, 0.0f32, 0.0f32);
    for (v, w) in values.iter().zip(weights) {
        weight += w;
        first += w * v;
        second += w * v * v;
    }
    let (value_rest, weight_rest) =
        (values.chunks_exact(LANES).remainder(), weights.chunks_exact(LANES).remainder());
    let total = |lanes: [f32; LANES]| lanes.iter().sum::<f32>();
    let mean = first / weight;
    let deviation = (second / weight - mean * mean).max(0.0).sqrt();
    // In standard deviations from the mean.
    let (mut low, mut high) = (-1.0f32, 1.0f32);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let bound = mean + middle * deviation;
        let mut below = [0.0f32; LANES];
        for (v, w) in values.chunks_exact(LANES).zip(weights.chunks_exact(LANES)) {
            for k in 0..LANES {
                below[k] += if v[k] < bound { w[k] } else { 0.0 };
            }
        }
        for (k, (v, w)) in value_rest.iter().zip(weight_rest).enumerate() {
            below[k] += if *v < bound { *w } else { 0.0 };
        }
        if total(below) > 0.5 * weight { high = middle } else { low = middle }
    }
    mean + 0.5 * (low + high) * deviation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgetting_finds_the_median() {
        for n in [1, 3, 9, 15, 25, 27] {
            let mut lanes: Vec<[f32; LANES]> =
                (0..n).map(|i| std::array::from_fn(|k| ((i * 37 + k * 11) as f32 * 0.7).sin())).collect();
            let expected: Vec<f32> = (0..LANES)
                .map(|k| {
                    let mut column: Vec<f32> = lanes.iter().map(|l| l[k]).collect();
                    column.sort_by(f32::total_cmp);
                    column[n / 2]
                })
                .collect();
            assert_eq!(middle_of_lanes(&mut lanes).to_vec(), expected, "{n} values");
        }
    }

    #[test]
    fn heavy_votes_win() {
        let values: Vec<f32> = (0..49).map(|i| (i % 7) as f32).collect();
        for heavy in 0..7 {
            let weights: Vec<f32> =
                values.iter().map(|&v| if v == heavy as f32 { 30.0 } else { 1.0 }).collect();
            let got = weighted_median(&values, &weights);
            assert!((got - heavy as f32).abs() < 0.05, "{got} against {heavy}");
        }
    }

    #[test]
    fn edges_reach_as_far_as_asked() {
        let shape = Shape { size: [20, 9, 1], dimension: veloxel_core::Dimension::Two };
        let step: Vec<f32> = (0..180).map(|i| if i % 20 < 10 { 0.0 } else { 1.0 }).collect();
        let window = WeightedMedian {
            radius: 6,
            stride: 2,
            sigma_vox: 6.0,
            sigma_intensity: 0.03,
            edge: 0.1,
            reach: 3,
        };
        let near = motion_edges((shape, window), &[step.clone(), vec![0.0; 180]]);
        let columns: Vec<usize> = (0..20).filter(|&x| near[4 * 20 + x] > 0.98).collect();
        assert_eq!(columns, (6..=13).collect::<Vec<_>>());
        assert!((0..20).all(|x| columns.contains(&x) || near[4 * 20 + x] == 0.0));
    }

    #[test]
    fn no_rounding_decides_what_is_an_edge() {
        let shape = Shape { size: [20, 9, 1], dimension: veloxel_core::Dimension::Two };
        let window = WeightedMedian {
            radius: 6,
            stride: 2,
            sigma_vox: 6.0,
            sigma_intensity: 0.03,
            edge: 0.1,
            reach: 1,
        };
        for (height, expected) in [(0.01, 0.0), (0.09, 0.0), (0.1, 0.5), (0.11, 1.0), (1.0, 1.0)] {
            let step: Vec<f32> = (0..180).map(|i| if i % 20 < 10 { 0.0 } else { height }).collect();
            let near = motion_edges((shape, window), &[step, vec![0.0; 180]]);
            assert!((near[4 * 20 + 9] - expected).abs() < 1e-3, "{height}: {}", near[4 * 20 + 9]);
        }
    }
}
