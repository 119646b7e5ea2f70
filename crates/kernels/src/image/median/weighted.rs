//! Processor text of [`super::Median`]: the weighted median, [`LANES`] neighbours at a time.

use super::{Median, WeightedMedian};
use crate::shared::exponential::exponential;
use crate::shared::lanes::{LANES, Lanes, Pack};
use crate::shared::rows::cut;
use multiversion::multiversion;
use veloxel_core::Shape;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{components_mut, with_scratch};

/// The largest vote: votes are whole numbers from 1 on, whose sums do not depend on the order.
const FULL_VOTE: f32 = 16384.0;
/// Number of halvings of the bracket around the weighted median.
const HALVINGS: usize = 16;

/// Blends the weighted median into a field that the plain median made, where a motion edge is near.
pub(super) fn weighted(cpu: &Cpu, window: WeightedMedian, args: Median<'_>) {
    let Median { shape, guide, vote, out: field, .. } = args;
    let [nx, ny, _] = shape.size;
    let edges = motion_edges(cpu, shape, window, [field[0].host(), field[1].host()]);
    let padded = |samples: &[f32]| Padded::new(cpu, samples, nx, window.radius);
    let voters = Voters {
        size: [nx, ny],
        window,
        guide: padded(guide.host()),
        vote: vote.map(|vote| padded(vote.host())),
        input: [padded(field[0].host()), padded(field[1].host())],
    };
    cpu.split_rows(components_mut::<2>(field), nx, 64 * shape.len(), |y, mut lines| {
        let (mut votes, mut near, mut from) = (Vec::new(), vec![0.0; nx], 0);
        most_of_rows(&edges, y, window.reach, &mut near);
        while let Some(skipped) = near[from..].iter().position(|&share| share > 0.0) {
            let x = from + skipped;
            let middles = weighted_medians(&voters, x, y, &mut votes);
            for (line, middle) in lines.iter_mut().zip(middles) {
                for ((value, share), middle) in line[x..].iter_mut().zip(&near[x..]).zip(middle.0) {
                    if *share > 0.0 {
                        *value += share * middle;
                    }
                }
            }
            from = (x + LANES).min(nx);
        }
    });
}

/// The greatest of the rows within reach, in every column.
fn most_of_rows(edges: &[f32], y: usize, reach: usize, most: &mut [f32]) {
    let nx = most.len();
    most.fill(0.0);
    for row in cut(y, reach, edges.len() / nx) {
        most.iter_mut().zip(&edges[row * nx..][..nx]).for_each(|(most, edge)| *most = most.max(*edge));
    }
}

/// How much of a motion edge lies within reach along x: 0 to 1.
fn motion_edges(cpu: &Cpu, shape: Shape, window: WeightedMedian, input: [&[f32]; 2]) -> Vec<f32> {
    let [nx, ny, _] = shape.size;
    let [begin, per_square] = window.ramp();
    let mut edges = vec![0.0; nx * ny];
    let bends = |y: usize, bent: &mut [f32]| {
        bent.fill(0.0);
        for component in input {
            // Second differences: a slope, however steep, is no edge.
            let line = |y: usize| &component[y * nx..][..nx];
            let here = line(y);
            for (bent, w) in bent.iter_mut().skip(1).zip(here.windows(3)) {
                *bent = bent.max((w[2] - 2.0 * w[1] + w[0]).abs());
            }
            if y > 0 && y + 1 < ny {
                let (above, below) = (line(y - 1), line(y + 1));
                for x in 0..nx {
                    bent[x] = bent[x].max((below[x] - 2.0 * here[x] + above[x]).abs());
                }
            }
        }
    };
    cpu.split_rows([&mut edges], nx, 4 * shape.len(), |y, [edges]| {
        with_scratch(nx, |bent| {
            bends(y, bent);
            for (x, edge) in edges.iter_mut().enumerate() {
                let most = bent[cut(x, window.reach, nx)].iter().copied().fold(0.0, f32::max);
                *edge = ((most * most - begin) * per_square).clamp(0.0, 1.0);
            }
        });
    });
    edges
}

/// Rows with room on both sides, so that no window leaves them.
struct Padded {
    samples: Vec<f32>,
    stride: usize,
    before: usize,
}

impl Padded {
    fn new(cpu: &Cpu, samples: &[f32], nx: usize, radius: usize) -> Self {
        let stride = nx + 2 * radius + LANES;
        let rows = samples.len() / nx;
        let mut padded = vec![0.0; rows * stride];
        cpu.split_rows([&mut padded], stride, samples.len(), |row, [padded]| {
            padded[radius..][..nx].copy_from_slice(&samples[row * nx..][..nx]);
        });
        Self { samples: padded, stride, before: radius }
    }

    /// Samples from `x` on, which may lie up to the radius outside.
    #[inline(always)]
    fn lanes(&self, x: isize, y: usize) -> Lanes {
        let at = y * self.stride + self.before.wrapping_add_signed(x);
        Lanes::load_or_zero(&self.samples, at)
    }
}

/// The voters of a window.
struct Voters {
    size: [usize; 2],
    window: WeightedMedian,
    guide: Padded,
    vote: Option<Padded>,
    /// Both components.
    input: [Padded; 2],
}

/// A place of the window: its weights, and how both components differ from the middle's.
struct Votes {
    weight: Lanes,
    values: [Lanes; 2],
}

/// By how much the weighted medians around `(x, y)`, `(x + 1, y)`, … differ from the field, to 2⁻¹⁶ of the weighted standard
/// deviation.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn weighted_medians(voters: &Voters, x: usize, y: usize, votes: &mut Vec<Votes>) -> [Lanes; 2] {
    let (window, [nx, ny]) = (voters.window, voters.size);
    let per_distance = 0.5 / (window.sigma_vox * window.sigma_vox);
    let per_intensity = 0.5 / (window.sigma_intensity * window.sigma_intensity);
    let steps = || (-(window.radius as isize)..=window.radius as isize).step_by(window.stride.max(1));
    let x = x as isize;
    let here = voters.guide.lanes(x, y);
    let own = [voters.input[0].lanes(x, y), voters.input[1].lanes(x, y)];
    votes.clear();
    for dy in steps() {
        let Some(row) = y.checked_add_signed(dy).filter(|&row| row < ny) else { continue };
        for dx in steps() {
            let difference = voters.guide.lanes(x + dx, row) - here;
            let spatial = per_distance * (dx * dx + dy * dy) as f32;
            let vote = voters.vote.as_ref().map_or(Lanes::splat(1.0), |vote| vote.lanes(x + dx, row));
            let mut weight = Lanes::splat(0.0);
            for k in 0..LANES {
                let alike = exponential(-spatial - difference.0[k] * difference.0[k] * per_intensity);
                // SAFETY: weights and votes are from 0 to 1.
                let whole: i32 = unsafe { (FULL_VOTE * (alike * vote.0[k]) + 0.5).to_int_unchecked() };
                // Places outside do not vote.
                let inside = (0..nx as i32).contains(&((x + dx) as i32 + k as i32));
                weight.0[k] = if inside { whole as f32 + 1.0 } else { 0.0 };
            }
            let values =
                [voters.input[0].lanes(x + dx, row) - own[0], voters.input[1].lanes(x + dx, row) - own[1]];
            votes.push(Votes { weight, values });
        }
    }
    // Not by a closure: it would be compiled without the instruction set of this function.
    [middle_of_votes(votes, 0), middle_of_votes(votes, 1)]
}

/// The weighted median in each lane.
#[inline(always)]
fn middle_of_votes(votes: &[Votes], component: usize) -> Lanes {
    // In the order of the other text; later sums are of whole numbers.
    let mut sums = [Lanes::splat(0.0); 3];
    for vote in votes {
        let value = vote.values[component];
        sums[0] = sums[0] + vote.weight;
        sums[1] = sums[1] + vote.weight * value;
        sums[2] = sums[2] + vote.weight * value * value;
    }
    let [weight, first, second] = sums;
    let mean = first / weight;
    let variance = second / weight - mean * mean;
    let deviation = Lanes(std::array::from_fn(|k| variance.0[k].max(0.0).sqrt()));
    let half = Lanes::splat(0.5);
    // In standard deviations from the mean.
    let (mut low, mut high) = (Lanes::splat(-1.0), Lanes::splat(1.0));
    for _ in 0..HALVINGS {
        let middle = half * (low + high);
        let bound = mean + middle * deviation;
        let mut below = Lanes::splat(0.0);
        for vote in votes {
            let value = &vote.values[component].0;
            for k in 0..LANES {
                // A product, which is exact: a choice would become a branch a lane.
                below.0[k] += vote.weight.0[k] * if value[k] < bound.0[k] { 1.0 } else { 0.0 };
            }
        }
        for k in 0..LANES {
            let is_below = below.0[k] > 0.5 * weight.0[k];
            high.0[k] = if is_below { middle.0[k] } else { high.0[k] };
            low.0[k] = if is_below { low.0[k] } else { middle.0[k] };
        }
    }
    mean + half * (low + high) * deviation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_votes_win() {
        for heavy in 0..7 {
            let votes: Vec<Votes> = (0..49)
                .map(|i| (i % 7) as f32)
                .map(|v| Votes {
                    weight: Lanes::splat(if v == heavy as f32 { 30.0 } else { 1.0 }),
                    values: [Lanes::splat(v), Lanes::count()],
                })
                .collect();
            let got = middle_of_votes(&votes, 0).0;
            assert!(got.iter().all(|got| (got - heavy as f32).abs() < 0.05), "{got:?} against {heavy}");
            assert_eq!(middle_of_votes(&votes, 1).0, Lanes::count().0, "all agree");
        }
    }

    /// What a step of some height along x is taken for, at every pixel of 20 × 9.
    fn edges_of_step(height: f32, reach: usize) -> Vec<f32> {
        let shape = Shape { size: [20, 9, 1], dimension: veloxel_core::Dimension::Two };
        let step: Vec<f32> = (0..180).map(|i| if i % 20 < 10 { 0.0 } else { height }).collect();
        let window =
            WeightedMedian { radius: 6, stride: 2, sigma_vox: 6.0, sigma_intensity: 0.03, edge: 0.1, reach };
        let cpu = Cpu::new(1).unwrap();
        motion_edges(&cpu, shape, window, [&step, &[0.0; 180]])
    }

    #[test]
    fn edges_reach_as_far_as_asked() {
        let edges = edges_of_step(1.0, 3);
        let mut near = vec![0.0; 20];
        most_of_rows(&edges, 4, 3, &mut near);
        let columns: Vec<usize> = (0..20).filter(|&x| near[x] > 0.98).collect();
        assert_eq!(columns, (6..=13).collect::<Vec<_>>());
        assert!((0..20).all(|x| columns.contains(&x) || near[x] == 0.0));
    }

    #[test]
    fn no_rounding_decides_what_is_an_edge() {
        for (height, expected) in [(0.01, 0.0), (0.09, 0.0), (0.1, 0.5), (0.11, 1.0), (1.0, 1.0)] {
            let found = edges_of_step(height, 1)[4 * 20 + 9];
            assert!((found - expected).abs() < 1e-3, "{height}: {found}");
        }
    }
}
