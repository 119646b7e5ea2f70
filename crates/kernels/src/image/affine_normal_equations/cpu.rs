//! Processor text of [`super::AffineNormalEquations`].

use super::{AffineNormalEquations, SUMS};
use crate::image::gradient::Scheme;
use crate::image::gradient::cpu::{Difference, derivative_row};
use crate::kernel::by_dimension;
use crate::shared::group_sums::{GROUP, sum_by_halves};
use crate::shared::lanes::{LANES, Lanes, Pack};
use multiversion::multiversion;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Cpu, reduction_groups};

/// Number of a workgroup's threads along x, and number of rows that it takes at a time.
const WIDE: usize = 64;
const HIGH: usize = 4;

/// The [`SUMS`] of every workgroup.
pub(super) fn partial_sums(cpu: &Cpu, args: &AffineNormalEquations<'_>) -> Vec<f32> {
    let AffineNormalEquations { shape, centre, zeta, fixed, warped, weight } = *args;
    let [nx, ny, _] = shape.size;
    let groups = reduction_groups(shape.len());
    // A workgroup has an equal stretch of all rows.
    let each = shape.rows().div_ceil(HIGH).div_ceil(groups) * HIGH;
    let centre = centre.map(|c| c as f32);
    let mut partials = vec![0.0; groups * SUMS];
    let out = Shared::new(&mut partials);
    cpu.split(groups, 16 * shape.len(), |range| {
        let mut lanes = vec![0.0; SUMS * GROUP];
        let mut gradient = [vec![0.0; nx], vec![0.0; nx], vec![0.0; nx]];
        for group in range {
            lanes.fill(0.0);
            let end = shape.rows().min((group + 1) * each);
            for first in (group * each..end).step_by(HIGH) {
                for (high, row) in (first..end.min(first + HIGH)).enumerate() {
                    for (axis, out) in gradient.iter_mut().enumerate().take(shape.components()) {
                        let along = Difference { shape, axis, scheme: Scheme::Central4 };
                        derivative_row(warped.host(), along, row, out);
                    }
                    let line = row * nx..(row + 1) * nx;
                    let samples = Row {
                        gradient: &gradient,
                        fixed: &fixed.host()[line.clone()],
                        warped: &warped.host()[line.clone()],
                        weight: weight.map(|weight| &weight.host()[line.clone()]),
                        position: [-centre[0], (row % ny) as f32 - centre[1], (row / ny) as f32 - centre[2]],
                    };
                    by_dimension!(shape, add_row(&samples, zeta * zeta, &mut lanes[high * WIDE..]));
                }
            }
            // SAFETY: every group is one call's.
            let sums = unsafe { out.get_mut(group * SUMS..(group + 1) * SUMS) };
            sums.iter_mut()
                .zip(lanes.chunks_exact_mut(GROUP))
                .for_each(|(s, lanes)| *s = sum_by_halves(lanes));
        }
    });
    partials
}

/// A row of samples.
struct Row<'a> {
    /// Derivatives of the warped image along each axis.
    gradient: &'a [Vec<f32>; 3],
    fixed: &'a [f32],
    warped: &'a [f32],
    weight: Option<&'a [f32]>,
    /// Position of the first sample, relative to the centre from which positions count.
    position: [f32; 3],
}

/// The constraint at each of sixteen voxels; zeros for voxels that do not count.
struct Constraints {
    g: [Lanes; 3],
    difference: Lanes,
    /// The normalisation n.
    scale: Lanes,
    /// The weight of each voxel.
    counts: Lanes,
}

#[inline(always)]
fn constraints<const D: usize>(row: &Row<'_>, zeta2: f32, start: usize) -> Constraints {
    let mut g = [Lanes::splat(0.0); 3];
    for axis in 0..D {
        g[axis] = Lanes::load_or_zero(&row.gradient[axis], start);
    }
    let mut difference = Lanes::load_or_zero(row.warped, start) - Lanes::load_or_zero(row.fixed, start);
    let mut length2 = Lanes::splat(zeta2) + g[0] * g[0] + g[1] * g[1];
    if D == 3 {
        length2 = length2 + g[2] * g[2];
    }
    let mut counts = match row.weight {
        Some(weight) => Lanes::load_or_zero(weight, start),
        None => Lanes::splat(1.0),
    };
    let mut scale = counts / length2;
    for k in 0..LANES {
        let finite = (length2.0[k] + difference.0[k]).abs() < f32::INFINITY;
        let is_in = finite && counts.0[k] > 0.0 && start + k < row.fixed.len();
        for axis in 0..D {
            g[axis].0[k] = if is_in { g[axis].0[k] } else { 0.0 };
        }
        difference.0[k] = if is_in { difference.0[k] } else { 0.0 };
        scale.0[k] = if is_in { scale.0[k] } else { 0.0 };
        counts.0[k] = if is_in { counts.0[k] } else { 0.0 };
    }
    Constraints { g, difference, scale, counts }
}

/// Adds a row to the sums of the workgroup's threads that take it; for each sum, the [`WIDE`] threads from `lanes` on; sums lie
/// [`GROUP`] apart.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_row<const D: usize>(row: &Row<'_>, zeta2: f32, lanes: &mut [f32]) {
    let n = row.fixed.len();
    let one = Lanes::splat(1.0);
    let mut start = 0;
    while start < n {
        let Constraints { g, difference, scale, counts } = constraints::<D>(row, zeta2, start);
        let column = Lanes(std::array::from_fn(|k| (start + k) as f32));
        let p = [
            column + Lanes::splat(row.position[0]),
            Lanes::splat(row.position[1]),
            Lanes::splat(row.position[2]),
        ];
        let a = [p[0] * p[0], p[0] * p[1], p[0] * p[2], p[1] * p[1]];
        let b = [p[1] * p[2], p[2] * p[2], p[0], p[1]];
        let c = [p[2], one];
        let s = [scale * g[0], scale * g[1], scale * g[2]];
        let mut sums = Sums { lanes, at: start % WIDE };
        // Entries of n g gᵀ: xx, xy, xz, yy, yz, zz.
        let entries = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
        for nth in 0..6 {
            let (m, n) = entries[nth];
            if D == 2 && n == 2 {
                continue;
            }
            let entry = s[m] * g[n];
            for k in 0..4 {
                sums.add(4 * nth + k, entry * a[k]);
                sums.add(24 + 4 * nth + k, entry * b[k]);
            }
            for k in 0..2 {
                sums.add(48 + 2 * nth + k, entry * c[k]);
            }
        }
        for axis in 0..D {
            let by = s[axis] * difference;
            for (k, position) in [p[0], p[1], p[2], one].into_iter().enumerate() {
                sums.subtract(60 + 4 * axis + k, by * position);
            }
        }
        sums.add(72, scale * difference * difference);
        sums.add(73, counts);
        start += LANES;
    }
}

/// The sums of sixteen threads.
struct Sums<'a> {
    lanes: &'a mut [f32],
    at: usize,
}

impl Sums<'_> {
    #[inline(always)]
    fn add(&mut self, sum: usize, value: Lanes) {
        let row = &mut self.lanes[sum * GROUP + self.at..][..LANES];
        for k in 0..LANES {
            row[k] += value.0[k];
        }
    }
    #[inline(always)]
    fn subtract(&mut self, sum: usize, value: Lanes) {
        let row = &mut self.lanes[sum * GROUP + self.at..][..LANES];
        for k in 0..LANES {
            row[k] -= value.0[k];
        }
    }
}
