//! Linear interpolation between voxels, sixteen positions at a time, without a check for every sample: cells are inside by
//! construction.

use crate::shared::lanes::{LANES, Lanes, Pack};
use veloxel_core::{Axes, Shape};

/// A shape, or a part of a larger one, prepared for sampling over its first `D` axes; positions count in the larger shape.
pub(crate) struct Lattice<const D: usize> {
    len: usize,
    size: [usize; D],
    /// Size of the larger shape.
    whole: [usize; D],
    /// First voxel of the part in the larger shape.
    begin: [usize; D],
    is_part: bool,
    /// Largest position along each axis.
    last: [f32; D],
    /// Largest lower neighbour along each axis.
    low: [f32; D],
    pub stride: [usize; D],
    /// Offset to the upper neighbour along each axis; 0 where there is only one voxel.
    step: [usize; D],
    /// How far the shape reaches beyond its outermost voxels' centres, voxels.
    reach: f32,
}

/// The voxels around sixteen positions.
pub(crate) struct Cells<const D: usize> {
    /// Index of the lowest voxel.
    base: [usize; LANES],
    /// Weight of the upper neighbours.
    weight: [Lanes; D],
}

impl<const D: usize> Lattice<D> {
    /// A shape that ends at the centres of its outermost voxels.
    pub fn new(shape: Shape) -> Self {
        Self::reaching(shape, 0.0)
    }

    /// A shape that ends this far beyond these centres, voxels.
    pub fn reaching(shape: Shape, reach: f32) -> Self {
        Self { is_part: false, ..Self::part(shape, [0; 3], shape.size, reach) }
    }

    /// A part of a whole shape that ends this far beyond the centres of its outermost voxels.
    pub fn part(shape: Shape, begin: Axes<usize>, whole: Axes<usize>, reach: f32) -> Self {
        let [nx, ny, _] = shape.size;
        let strides = [1, nx, nx * ny];
        let count = |a: usize| shape.size[a];
        Self {
            len: shape.len(),
            size: std::array::from_fn(count),
            whole: std::array::from_fn(|a| whole[a]),
            begin: std::array::from_fn(|a| begin[a]),
            is_part: true,
            last: std::array::from_fn(|a| (whole[a] - 1) as f32),
            low: std::array::from_fn(|a| whole[a].saturating_sub(2) as f32),
            stride: std::array::from_fn(|a| strides[a]),
            step: std::array::from_fn(|a| if count(a) > 1 { strides[a] } else { 0 }),
            reach,
        }
    }

    /// Lower neighbours of positions in voxels along one axis, and weights of the upper ones; positions outside move to the
    /// border, NaN to the origin.
    #[inline(always)]
    pub fn lower(&self, at: Lanes, axis: usize) -> ([i32; LANES], Lanes) {
        let clamped = at.max(0.0).min(self.last[axis]);
        // SAFETY: between 0 and the last voxel but one.
        let low = unsafe { clamped.min(self.low[axis]).whole() };
        (low, clamped - Lanes::from_whole(low))
    }

    /// The cells of positions in voxels.
    #[inline(always)]
    pub fn cells(&self, at: [Lanes; D]) -> Cells<D> {
        let mut cells = Cells { base: [0; LANES], weight: at };
        for a in 0..D {
            let (low, weight) = self.lower(at[a], a);
            cells.weight[a] = weight;
            for k in 0..LANES {
                let low = if self.is_part { self.in_part(low[k] as usize, a, 2) } else { low[k] as usize };
                cells.base[k] += low * self.stride[a];
            }
        }
        cells
    }

    /// The voxel of the part at a voxel of the whole, or the nearest voxel that has `after − 1` more behind it.
    #[inline(always)]
    fn in_part(&self, at: usize, axis: usize, after: usize) -> usize {
        at.saturating_sub(self.begin[axis]).min(self.size[axis].saturating_sub(after))
    }

    /// The sum of `start` and the linear interpolation in samples of the lattice.
    #[inline(always)]
    pub(crate) fn add_linear(&self, start: Lanes, cells: &Cells<D>, samples: &[f32]) -> Lanes {
        assert!(samples.len() == self.len, "samples should belong to the lattice");
        let weight_y = cells.weight[1];
        // SAFETY: the offsets are steps to upper neighbours.
        unsafe {
            if D == 2 {
                let lower = self.along_x(cells, samples, 0);
                return add_lerp(start, lower, self.along_x(cells, samples, self.step[1]), weight_y);
            }
            let step_z = self.step[D - 1];
            let lower = self.in_plane(cells, samples, 0);
            add_lerp(start, lower, self.in_plane(cells, samples, step_z), cells.weight[D - 1])
        }
    }

    /// The interpolation between four neighbours in a plane, beginning at an offset from each cell's lowest voxel.
    ///
    /// # Safety
    /// As [`Self::along_x`].
    #[inline(always)]
    unsafe fn in_plane(&self, cells: &Cells<D>, samples: &[f32], offset: usize) -> Lanes {
        // SAFETY: the caller's promise holds for both rows.
        let [lower, upper] = unsafe {
            [self.along_x(cells, samples, offset), self.along_x(cells, samples, offset + self.step[1])]
        };
        lerp(lower, upper, cells.weight[1])
    }

    /// The interpolation between two neighbours along x. A function and no closure: a closure stays a call of its own, compiled for the
    /// least of processors, in the loops that are compiled for better ones.
    ///
    /// # Safety
    /// The offset is a sum of steps along axes other than x, each at most once, and `samples` belong to the lattice: lower neighbours are
    /// at least one step away from the end of every axis, or there is no step.
    #[inline(always)]
    unsafe fn along_x(&self, cells: &Cells<D>, samples: &[f32], offset: usize) -> Lanes {
        // SAFETY: the caller's promise.
        let [lower, upper] = unsafe {
            [corner(samples, &cells.base, offset), corner(samples, &cells.base, offset + self.step[0])]
        };
        lerp(lower, upper, cells.weight[0])
    }

    /// Indices of the voxels nearest to positions.
    #[inline(always)]
    pub fn nearest(&self, at: [Lanes; D]) -> [usize; LANES] {
        let mut index = [0; LANES];
        for a in 0..D {
            // SAFETY: between 0 and the last voxel.
            let voxel = unsafe { (at[a] + Lanes::splat(0.5)).max(0.0).min(self.last[a]).whole() };
            for k in 0..LANES {
                index[k] += self.in_part(voxel[k] as usize, a, 1) * self.stride[a];
            }
        }
        index
    }

    /// The samples with the most weight among those at the corners of each cell, where equal samples are taken together; the
    /// nearest voxel's sample unless another has more.
    #[inline(always)]
    pub(crate) fn most_weight(&self, at: [Lanes; D], samples: &[f32]) -> Lanes {
        let (cells, nearest) = (self.cells(at), self.nearest(at));
        let mut out = [0.0; LANES];
        for k in 0..LANES {
            let (mut labels, mut weights) = ([0.0; 8], [1.0; 8]);
            for c in 0..1 << D {
                let mut index = cells.base[k];
                for a in 0..D {
                    let (upper, weight) = (c >> a & 1 == 1, cells.weight[a].0[k]);
                    index += if upper { self.step[a] } else { 0 };
                    weights[c] *= if upper { weight } else { 1.0 - weight };
                }
                labels[c] = samples[index];
            }
            let share = |label: f32| {
                (0..1 << D).map(|c| if labels[c] == label { weights[c] } else { 0.0 }).sum::<f32>()
            };
            out[k] = samples[nearest[k]];
            let mut most = share(out[k]);
            for &label in &labels[..1 << D] {
                let share = share(label);
                if share > most {
                    (out[k], most) = (label, share);
                }
            }
        }
        Lanes(out)
    }

    /// The samples from one voxel before `low` along each axis, if the two after it are inside as well.
    #[inline(always)]
    pub fn interior<'s>(&self, low: [usize; D], samples: &'s [f32]) -> Option<&'s [f32]> {
        let (mut inside, mut start) = (true, 0);
        for a in 0..D {
            let low = low[a].wrapping_sub(self.begin[a]);
            inside &= low >= 1 && low < self.size[a].saturating_sub(2);
            start = low.wrapping_sub(1).wrapping_mul(self.stride[a]).wrapping_add(start);
        }
        if inside { samples.get(start..) } else { None }
    }

    /// Copies four samples an axis, from one voxel before `low` on, mirrored at the border.
    pub(crate) fn mirrored_block(&self, low: [usize; D], samples: &[f32]) -> [f32; 64] {
        let mut offsets = [[0; 4]; 3];
        for a in 0..D {
            let low = low[a] as isize;
            let at = |at: isize| self.in_part(mirror(at, self.whole[a]), a, 1) * self.stride[a];
            offsets[a] = [low - 1, low, low + 1, low + 2].map(at);
        }
        let mut block = [0.0; 64];
        for (k, line) in block.chunks_exact_mut(4).enumerate().take(1 << (2 * D - 2)) {
            let start = offsets[1][k % 4] + offsets[2][k / 4];
            for (out, x) in line.iter_mut().zip(offsets[0]) {
                *out = samples[start + x];
            }
        }
        block
    }

    /// The number 0 where a position is inside, NaN elsewhere.
    #[inline(always)]
    pub(crate) fn nan_outside(&self, at: [Lanes; D]) -> Lanes {
        let mut mark = Lanes::splat(0.0);
        for (at, last) in at.into_iter().zip(self.last) {
            let most = last + self.reach;
            for k in 0..LANES {
                let inside = at.0[k] >= -self.reach && at.0[k] <= most;
                mark.0[k] += if inside { 0.0 } else { f32::NAN };
            }
        }
        mark
    }
}

/// The lower and the upper neighbour, along each axis, of the position at the displacement `d` from a pixel, and the weight of
/// the upper one; a position outside moves to the border (`corner.wgsl`). The displacement is rounded, not the position.
#[inline(always)]
pub(crate) fn corner_of(from: [usize; 2], d: [f32; 2], size: [usize; 2]) -> [(usize, usize, f32); 2] {
    std::array::from_fn(|axis| {
        let (d, first, last) = (d[axis], from[axis] as isize, size[axis] as isize - 1);
        let (least, most) = (-first as f32, (last - first) as f32);
        let clamped = if d > least { if d < most { d } else { most } } else { least };
        let low = (first + clamped.floor() as isize).min((last - 1).max(0));
        (low as usize, (low + 1).min(last) as usize, clamped - (low - first) as f32)
    })
}

#[inline(always)]
fn lerp(a: Lanes, b: Lanes, weight: Lanes) -> Lanes {
    // Exact at both ends: the last voxel is the upper neighbour with the weight 1.
    (Lanes::splat(1.0) - weight) * a + weight * b
}

#[inline(always)]
fn add_lerp(start: Lanes, a: Lanes, b: Lanes, weight: Lanes) -> Lanes {
    start + (Lanes::splat(1.0) - weight) * a + weight * b
}

/// The samples at `offset` after each of sixteen.
///
/// # Safety
/// These samples exist.
#[inline(always)]
unsafe fn corner(samples: &[f32], base: &[usize; LANES], offset: usize) -> Lanes {
    let mut out = [0.0; LANES];
    for k in 0..LANES {
        // SAFETY: forwarded.
        out[k] = unsafe { *samples.get_unchecked(base[k] + offset) };
    }
    Lanes(out)
}

/// The index of the sample at `at` when `n` samples are mirrored at both ends.
fn mirror(at: isize, n: usize) -> usize {
    let last = n as isize - 1;
    let at = at.abs();
    (if at > last { 2 * last - at } else { at }).clamp(0, last) as usize
}
