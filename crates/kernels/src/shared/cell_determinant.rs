//! Bounds of the determinant of a map between voxels, where it is linear along each axis.
//!
//! In a cell the determinant is a polynomial, and nowhere less than the least of its Bernstein coefficients: in a picture these are the
//! determinants at the four corners, in a volume 27 means of determinants of edges, the corners' eight among them.
//! Where the diagonal dominates each row, or each column, in the whole cell, the determinant exceeds the product of what the diagonals
//! have more (A. Ostrowski, Proc. AMS 3, 1952): that is most cells, and the 64 determinants are spared.
//! The same steps as cell_determinant.wgsl. A cell with a corner that is not finite has folded.

use crate::shared::lanes::{LANES, Lanes, Pack as _, each};
use multiversion::multiversion;
use std::array::from_fn;
use veloxel_core::Axes;

/// Determinant that stands for a cell that cannot fold, or for no cell.
pub(crate) const NO_FOLD: f32 = 3.0e38;
/// The determinant above which none is computed, at least: a step begins near rest there.
const NEAR_REST: f32 = 0.25;

/// What the shader takes: the bound above which a determinant need not be known, that above which it is not computed, and 0, which it
/// uses to keep sums as they are written.
pub(crate) fn limits(least: f32) -> [f32; 3] {
    [least, least.max(NEAR_REST), 0.0]
}

/// The cells between a row of voxels and the next ones.
pub(crate) struct CellRow<'a, const D: usize> {
    /// The displacement.
    pub field: [&'a [f32]; D],
    /// What makes voxels of it.
    pub per_edge: Axes<f32>,
    /// Voxels along each axis.
    pub size: Axes<usize>,
    /// The row's place along y and z.
    pub place: [usize; 2],
    /// Index of the row's first voxel.
    pub own: usize,
    /// The bound above which a determinant need not be known.
    pub least: f32,
}

impl<const D: usize> CellRow<'_, D> {
    /// Voxels to the next one along each axis; 0 where there is none.
    fn strides(&self) -> Axes<usize> {
        let [nx, ny, nz] = self.size;
        [usize::from(nx > 1), if ny > 1 { nx } else { 0 }, if D == 3 && nz > 1 { nx * ny } else { 0 }]
    }

    /// First voxels of the rows that the corners of the row's cells lie on; none where there are no cells.
    pub fn lines(&self) -> impl Iterator<Item = usize> {
        let ([_, y, z], own, count) = (self.strides(), self.own, if self.has_cells() { 4 } else { 0 });
        (0..count).map(move |k| own + (k & 1) * y + (k >> 1) * z)
    }

    /// The corners of the cell after a voxel of the row; none where there is no cell.
    pub fn corners(&self, x: usize) -> impl Iterator<Item = usize> {
        let is_cell = x + 1 < self.size[0] || self.size[0] == 1;
        let along_x = self.strides()[0];
        let lines = self.lines().filter(move |_| is_cell);
        lines.flat_map(move |line| [line + x, line + x + along_x])
    }

    fn has_cells(&self) -> bool {
        !(1..D).any(|axis| self.size[axis] > 1 && self.place[axis - 1] + 1 == self.size[axis])
    }

    /// Writes the lower bound of the determinant of each cell; [`NO_FOLD`] where it is sure to exceed `least`, or where there is no cell.
    pub fn bounds(&self, line: &mut [f32]) {
        let size = self.size;
        line.fill(NO_FOLD);
        if !self.has_cells() {
            return;
        }
        let count = if size[0] > 1 { size[0] - 1 } else { 1 };
        let line = &mut line[..count];
        let strides = self.strides();
        let corner = |k: usize| self.own + (0..D).map(|axis| (k >> axis & 1) * strides[axis]).sum::<usize>();
        if D == 2 {
            let at = [0, 1, 2, 3].map(corner);
            for (x, bound) in line.iter_mut().enumerate() {
                let v = at.map(|at| [0, 1].map(|c| self.field[c][at + x] * self.per_edge[c]));
                *bound = least_in_square(v);
            }
            return;
        }
        let at: [usize; 8] = from_fn(corner);
        let lines = [0, 1, 2].map(|c| at.map(|at| &self.field[c.min(D - 1)][at..at + count]));
        mark(&lines, &self.per_edge, limits(self.least)[1], line);
        bound_undecided(&lines, &self.per_edge, line);
    }
}

/// Writes [`NO_FOLD`] where dominance proves the determinant greater than `sure`, its negative where a corner is not finite, else 0;
/// `lines[c][k]` is component c at the cells' kth corners.
#[multiversion(targets("x86_64+avx", "aarch64+neon"))]
fn mark(lines: &[[&[f32]; 8]; 3], per_edge: &Axes<f32>, sure: f32, line: &mut [f32]) {
    for x in (0..line.len()).step_by(LANES) {
        let v = corners(|c, k| Lanes::load_or_zero(lines[c][k], x) * Lanes::splat(per_edge[c]));
        dominance(&v, sure).store_what_fits(line, x);
    }
}

/// The displacement at the corners of cells, component by component. (Arrays that are mapped would be copied about.)
#[inline(always)]
fn corners(of: impl Fn(usize, usize) -> Lanes) -> [[Lanes; 8]; 3] {
    let mut v = [[Lanes::splat(0.0); 8]; 3];
    for (c, component) in v.iter_mut().enumerate() {
        for (k, corner) in component.iter_mut().enumerate() {
            *corner = of(c, k);
        }
    }
    v
}

/// Writes the least coefficient where [`mark`] has written 0: sixteen such cells are computed together, wherever they lie.
#[multiversion(targets("x86_64+avx", "aarch64+neon"))]
fn bound_undecided(lines: &[[&[f32]; 8]; 3], per_edge: &Axes<f32>, line: &mut [f32]) {
    let (mut cells, mut count) = ([0; LANES], 0);
    for x in 0..line.len() {
        cells[count] = x;
        count += usize::from(line[x] == 0.0);
        if count == LANES || (count > 0 && x + 1 == line.len()) {
            let v = corners(|c, k| {
                let row = lines[c][k];
                Lanes(each(|l| row[cells[l]])) * Lanes::splat(per_edge[c])
            });
            let least = least_coefficients(&v);
            cells.iter().zip(least.0).take(count).for_each(|(cell, least)| line[*cell] = least);
            count = 0;
        }
    }
}

/// The least determinant at the corners of a square, whose displacements are given.
fn least_in_square(v: [[f32; 2]; 4]) -> f32 {
    let along = |high: usize, low: usize| [v[high][0] - v[low][0], v[high][1] - v[low][1]];
    let ([low_x, high_x], [low_y, high_y]) = ([along(1, 0), along(3, 2)], [along(2, 0), along(3, 1)]);
    let of = |x: [f32; 2], y: [f32; 2]| (1.0 + x[0]) * (1.0 + y[1]) - y[0] * x[1];
    of(low_x, low_y).min(of(low_x, high_y)).min(of(high_x, low_y)).min(of(high_x, high_y))
}

/// The lower corner of the nth edge along an axis: edges are counted by the corners of the other axes, the lower one first.
const LOW: [[usize; 4]; 3] = [[0, 2, 4, 6], [0, 1, 4, 5], [0, 1, 2, 3]];

/// The state of cells by dominance, as [`mark`] writes it.
#[inline(always)]
fn dominance(v: &[[Lanes; 8]; 3], sure: f32) -> Lanes {
    let edge = |c: usize, axis: usize, nth: usize| {
        let low = LOW[axis][nth];
        v[c][low + (1 << axis)] - v[c][low]
    };
    let most = |c: usize, axis: usize| {
        let larger = |a: f32, b: f32| if a > b { a } else { b };
        let mut most = Lanes::splat(0.0);
        for nth in 0..4 {
            let along = edge(c, axis, nth);
            most = Lanes(each(|l| larger(along.0[l].abs(), most.0[l])));
        }
        most
    };
    let lowest = |a: usize| {
        let mut lowest = Lanes::splat(NO_FOLD);
        for nth in 0..4 {
            let along = Lanes::splat(1.0) + edge(a, a, nth);
            lowest = Lanes(each(|l| if along.0[l] < lowest.0[l] { along.0[l] } else { lowest.0[l] }));
        }
        lowest
    };
    let (xy, xz, yx) = (most(0, 1), most(0, 2), most(1, 0));
    let (yz, zx, zy) = (most(1, 2), most(2, 0), most(2, 1));
    let [x, y, z] = [lowest(0), lowest(1), lowest(2)];
    let product = |[a, b, c]: [Lanes; 3]| {
        let product = a * b * c;
        let are_positive = |l: usize| (a.0[l] > 0.0) & (b.0[l] > 0.0) & (c.0[l] > 0.0);
        Lanes(each(|l| if are_positive(l) { product.0[l] } else { 0.0 }))
    };
    let rows = product([x - (xy + xz), y - (yx + yz), z - (zx + zy)]);
    let columns = product([x - (yx + zx), y - (xy + zy), z - (xz + yz)]);
    let mut sum = Lanes::splat(0.0);
    for k in 0..8 {
        sum = sum + v[0][k] + v[1][k] + v[2][k];
    }
    let state = |l: usize| match (rows.0[l] > sure) | (columns.0[l] > sure) {
        // Every comparison with what is not a number is false.
        is_sure if sum.0[l].abs() < NO_FOLD => {
            if is_sure {
                NO_FOLD
            } else {
                0.0
            }
        }
        _ => -NO_FOLD,
    };
    Lanes(each(state))
}

/// The least of the 27 Bernstein coefficients of trilinear maps' determinants: each is a mean of determinants of edges.
#[inline(always)]
fn least_coefficients(v: &[[Lanes; 8]; 3]) -> Lanes {
    let mut edges = [[[Lanes::splat(0.0); 3]; 4]; 3];
    for (axis, edges) in edges.iter_mut().enumerate() {
        for (low, edge) in LOW[axis].into_iter().zip(edges) {
            for (c, along) in edge.iter_mut().enumerate() {
                *along = v[c][low + (1 << axis)] - v[c][low];
            }
            edge[axis] = Lanes::splat(1.0) + edge[axis];
        }
    }
    let [x, y, z] = &edges;
    let mut sums = [Lanes::splat(0.0); 27];
    for (q, y) in y.iter().enumerate() {
        for (r, z) in z.iter().enumerate() {
            let first = y[1] * z[2] - y[2] * z[1];
            let second = y[2] * z[0] - y[0] * z[2];
            let third = y[0] * z[1] - y[1] * z[0];
            for (p, x) in x.iter().enumerate() {
                // An axis' degree is the sum of the places of the edges along the two others.
                let degrees = [(q & 1) + (r & 1), (p & 1) + (r >> 1), (p >> 1) + (q >> 1)];
                let nth = degrees[0] + 3 * degrees[1] + 9 * degrees[2];
                sums[nth] = sums[nth] + (x[0] * first + x[1] * second + x[2] * third);
            }
        }
    }
    let share = |degree: usize| if degree == 1 { 0.5 } else { 1.0 };
    let mut least = Lanes::splat(NO_FOLD);
    for (k, sum) in sums.iter().enumerate() {
        let mean = Lanes::splat(share(k % 3) * share(k / 3 % 3) * share(k / 9)) * *sum;
        least = Lanes(each(|l| if mean.0[l] < least.0[l] { mean.0[l] } else { least.0[l] }));
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_bound_the_determinant_of_a_cell() {
        // A map of the unit cell that folds inside although no corner does: two opposite corners turn against each other.
        let mut seed = 1u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / 16_777_216.0 - 0.5
        };
        let mut bounded_alone = 0;
        for _ in 0..200 {
            let field: [Vec<f32>; 3] = std::array::from_fn(|_| (0..8).map(|_| 1.6 * next()).collect());
            let field = field.each_ref().map(|c| &c[..]);
            let (mut line, per_edge) = ([0.0; 2], [1.0; 3]);
            CellRow { field, per_edge, size: [2; 3], place: [0; 2], own: 0, least: 0.05 }.bounds(&mut line);
            let bound = line[0];
            if bound == NO_FOLD {
                continue;
            }
            let corner = |k: usize, c: usize| f64::from(field[c][k]) + [k & 1, k >> 1 & 1, k >> 2][c] as f64;
            let slope = |c: usize, a: usize, at: [f64; 3]| -> f64 {
                (0..8usize)
                    .map(|k| {
                        let weight = |b: usize| match (b == a, k >> b & 1) {
                            (true, 1) => 1.0,
                            (true, _) => -1.0,
                            (false, 1) => at[b],
                            (false, _) => 1.0 - at[b],
                        };
                        weight(0) * weight(1) * weight(2) * corner(k, c)
                    })
                    .sum()
            };
            let (mut inside, mut corners) = (f64::MAX, f64::MAX);
            for k in 0..125 {
                let at = [k % 5, k / 5 % 5, k / 25].map(|v| f64::from(v) / 4.0);
                let m: [[f64; 3]; 3] = std::array::from_fn(|a| std::array::from_fn(|c| slope(c, a, at)));
                let minor = |p: usize, q: usize| m[1][p] * m[2][q] - m[1][q] * m[2][p];
                let found = m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1);
                inside = inside.min(found);
                if at.iter().all(|v| *v == 0.0 || *v == 1.0) {
                    corners = corners.min(found);
                }
            }
            assert!(inside >= f64::from(bound) - 1e-5, "{inside} below {bound}");
            bounded_alone += usize::from(corners > 0.05 && inside <= 0.05);
        }
        assert!(bounded_alone > 0, "corners alone should not suffice");
    }
}
