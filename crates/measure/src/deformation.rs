//! What a field does to the matter that it moves, voxel by voxel: the determinant of its Jacobian, the strain tensor, and the
//! principal strains.
//!
//! *In*: a displacement field `d` on its grid. *Out*: volumes on the same grid, numbers without a unit; NaN where the field is
//! unknown, there or at a neighbour.
//! *Definitions*: `F = ∂(X + d)/∂X`, with differences between the two neighbours along each axis of the field's grid (at the border
//! between the voxel and its one neighbour). Determinant `det F`: 1 keeps the volume, 2 doubles it, 0 and below folds.
//! Green–Lagrange strain `E = ½ (FᵀF − I)`: along a unit vector `n` a line becomes `λ` times as long, `nᵀEn = ½ (λ² − 1)`.
//! *Axes*: components of the tensor are along the axes of the field's grid, lengths in millimetres; principal strains belong to no
//! axes. Vectors and derivatives are in the same axes, so grids with flipped or oblique axes have the determinant of the motion.
//! *Paper*: Holzapfel: Nonlinear Solid Mechanics, Wiley 2000, sections 2.4 and 2.5.
//! *Where we differ*: a volume that moves in its planes alone, or has one plane, is measured plane by plane.
//! *Evidence*: the tests below, and `measures_of_fields` of the command.

use crate::MapSummary;
use crate::map_summary::MapSums;
use veloxel_core::matrix3::{IDENTITY, apply, determinant, symmetric_eigenvalues};
use veloxel_core::{Flow, Stopped, Threads, Volume};

/// Names of the tensor's components in a volume, by row and column.
const IN_SPACE: [(&str, usize, usize); 6] = [
    ("strain_xx", 0, 0),
    ("strain_xy", 0, 1),
    ("strain_xz", 0, 2),
    ("strain_yy", 1, 1),
    ("strain_yz", 1, 2),
    ("strain_zz", 2, 2),
];
/// Names of the tensor's components in a plane.
const IN_PLANE: [(&str, usize, usize); 3] = [("strain_xx", 0, 0), ("strain_xy", 0, 1), ("strain_yy", 1, 1)];
/// Names of the principal strains, from the largest to the smallest.
const PRINCIPAL: [&str; 3] = ["principal_1", "principal_2", "principal_3"];

/// A volume that is measured from a field, under the name of its file.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedMap {
    /// `determinant`, `strain_xx` to `strain_zz`, or `principal_1` to `principal_3`.
    pub name: &'static str,
    /// A value for each voxel of the field's grid; NaN where it is unknown.
    pub volume: Volume<f32>,
    /// Its mean and its range.
    pub summary: MapSummary,
}

/// A field as a deformation.
#[derive(Debug, Clone)]
pub struct Deformation<'a> {
    flow: &'a Flow,
    /// Number of axes along which the field is differentiated.
    axes: usize,
    /// `MᵀM` of the matrix `M` that turns voxels into millimetres.
    metric_mm2: [[f64; 3]; 3],
    /// The inverse of the lower triangle `L`, where `LLᵀ` are the products of the axes' unit vectors.
    from_axes: [[f64; 3]; 3],
}

impl<'a> Deformation<'a> {
    /// The deformation that a field is.
    pub fn of(flow: &'a Flow) -> Self {
        let grid = flow.grid();
        let is_still = |z: &f32| *z == 0.0 || z.is_nan();
        let is_planar = grid.dimension().count() == 2
            || grid.size()[2] == 1
            || flow.components_vox().nth(2).is_some_and(|along_z| along_z.iter().all(is_still));
        let m = grid.world_from_voxel_matrix();
        let dot = |a: usize, b: usize| m.iter().map(|row| row[a] * row[b]).sum::<f64>();
        let metric_mm2 = [0, 1, 2].map(|a| [0, 1, 2].map(|b| dot(a, b)));
        let length = [0, 1, 2].map(|a: usize| dot(a, a).sqrt());
        let products = [0, 1, 2].map(|a| [0, 1, 2].map(|b| metric_mm2[a][b] / (length[a] * length[b])));
        let axes = if is_planar { 2 } else { 3 };
        Self { flow, axes, metric_mm2, from_axes: inverse_of_lower_triangle(&products) }
    }

    /// Number of axes along which the field is differentiated: 2 of pictures and of volumes that move in their planes alone.
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// The determinant of the field's Jacobian; by the calling thread where `threads` is a channel alone.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn determinant<'t>(&self, threads: impl Into<Threads<'t>>) -> Result<NamedMap, Stopped> {
        let of = |f: &[[f64; 3]; 3]| [determinant(f) as f32];
        let mut maps = self.measured(["determinant"].into_iter(), of, threads.into())?;
        Ok(maps.remove(0))
    }

    /// The components of the strain tensor, 3 in a plane or 6, and the principal strains from the largest to the smallest; by the calling
    /// thread where `threads` is a channel alone.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn strain<'t>(&self, threads: impl Into<Threads<'t>>) -> Result<Vec<NamedMap>, Stopped> {
        let components: &[(&str, usize, usize)] = if self.axes == 2 { &IN_PLANE } else { &IN_SPACE };
        let of = |f: &[[f64; 3]; 3]| {
            let (mut values, strain) = ([f32::NAN; 9], self.strain_of(f));
            let along_axes = components.iter().map(|&(_, row, column)| strain[row][column]);
            let all = along_axes.chain(self.principal(&strain).into_iter().take(self.axes));
            values.iter_mut().zip(all).for_each(|(value, strain)| *value = strain as f32);
            values
        };
        let principal = &PRINCIPAL[..self.axes];
        let names = components.iter().map(|(name, ..)| *name).chain(principal.iter().copied());
        self.measured(names, of, threads.into())
    }

    /// Values of every voxel, by its matrix `F`, each kind as a map of a name; NaN where `F` is unknown. No more kinds are found than
    /// there are names.
    fn measured<const N: usize>(
        &self,
        names: impl Iterator<Item = &'static str>,
        of: impl Fn(&[[f64; 3]; 3]) -> [f32; N] + Sync,
        threads: Threads<'_>,
    ) -> Result<Vec<NamedMap>, Stopped> {
        let (grid, names) = (self.flow.grid(), names.collect::<Vec<_>>());
        let width = grid.size()[0];
        let mut kinds = vec![vec![0.0f32; grid.len()]; names.len()];
        let found = threads.for_samples(grid.len()).fill(&mut kinds, width, |begin, own| {
            let mut sums = vec![MapSums::default(); own.len()];
            for first in (0..own.first().map_or(0, |kind| kind.len())).step_by(width) {
                threads.control().check()?;
                self.gradients(begin + first, |x, f| {
                    let values = f.map_or([f32::NAN; N], |f| of(&f));
                    own.iter_mut().zip(values).for_each(|(kind, value)| kind[first + x] = value);
                });
                let rows = own.iter().map(|kind| &kind[first..first + width]);
                sums.iter_mut().zip(rows).for_each(|(sums, row)| sums.add(row));
            }
            Ok(sums)
        })?;
        let map = |(nth, (name, values)): (usize, (&'static str, Vec<f32>))| {
            let sums = found.iter().fold(MapSums::default(), |all, own| all.and(&own[nth]));
            let volume = Volume::new(grid.clone(), values)
                .expect("a map should have a value for each voxel of its field");
            NamedMap { name, volume, summary: sums.summary(name) }
        };
        Ok(names.into_iter().zip(kinds).enumerate().map(map).collect())
    }

    /// The matrix `F` at every voxel of a row, in voxels of the grid, by the voxel's place in the row; none where the field is unknown,
    /// there or at a neighbour. `begin` is the index of the row's first voxel.
    fn gradients(&self, begin: usize, mut each: impl FnMut(usize, Option<[[f64; 3]; 3]>)) {
        let grid = self.flow.grid();
        let (size, [_, y, z]) = (grid.size(), grid.position(begin));
        let strides = [1, size[0], size[0] * size[1]];
        // Steps to the neighbours along an axis, and the share of their difference that is the derivative.
        let ends = |axis: usize, at: usize| {
            let [low, high] = [at.min(1), (size[axis] - 1 - at).min(1)];
            (low * strides[axis], high * strides[axis], 1.0 / (low + high).max(1) as f64)
        };
        let across = [ends(1, y), ends(2, z)];
        let components: Vec<&[f32]> = self.flow.components_vox().collect();
        for x in 0..size[0] {
            let (index, ends) = (begin + x, [ends(0, x), across[0], across[1]]);
            let mut f = IDENTITY;
            for (row, component) in components.iter().enumerate() {
                for (axis, (low, high, share)) in ends.into_iter().enumerate().take(self.axes) {
                    let [before, after] = [component[index - low], component[index + high]].map(f64::from);
                    f[row][axis] += (after - before) * share;
                }
            }
            let is_known = components.iter().all(|component| component[index].is_finite())
                && f.iter().flatten().all(|value| value.is_finite());
            each(x, is_known.then_some(f));
        }
    }

    /// The strain along unit vectors of the grid's axes.
    fn strain_of(&self, f: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let s = &self.metric_mm2;
        let column = |axis: usize| [0, 1, 2].map(|row| f[row][axis]);
        let moved = [0, 1, 2].map(|axis| apply(s, column(axis)));
        let after = |a: usize, b: usize| (0..3).map(|row| f[row][a] * moved[b][row]).sum::<f64>();
        let length_mm2 = |a: usize, b: usize| (s[a][a] * s[b][b]).sqrt();
        [0, 1, 2].map(|a| [0, 1, 2].map(|b| 0.5 * (after(a, b) - s[a][b]) / length_mm2(a, b)))
    }

    /// Principal strains from the largest to the smallest; of a plane the first two.
    fn principal(&self, strain: &[[f64; 3]; 3]) -> [f64; 3] {
        // L⁻¹ E L⁻ᵀ: the same tensor along orthogonal axes.
        let from = &self.from_axes;
        let half =
            [0, 1, 2].map(|r| [0, 1, 2].map(|c| (0..3).map(|k| from[r][k] * strain[k][c]).sum::<f64>()));
        let mut own =
            [0, 1, 2].map(|r| [0, 1, 2].map(|c| (0..3).map(|k| half[r][k] * from[c][k]).sum::<f64>()));
        if self.axes == 2 {
            // Nothing is known across the plane: this value comes last.
            own[2] = [0.0, 0.0, f64::NEG_INFINITY];
            (own[0][2], own[1][2]) = (0.0, 0.0);
        }
        symmetric_eigenvalues(own)
    }
}

/// The inverse of the lower triangle `L` for which `LLᵀ` is a symmetric matrix with a diagonal of 1.
fn inverse_of_lower_triangle(m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let l11 = (1.0 - m[1][0].powi(2)).sqrt();
    let l21 = (m[2][1] - m[2][0] * m[1][0]) / l11;
    let l22 = (1.0 - m[2][0].powi(2) - l21.powi(2)).sqrt();
    let [i11, i22] = [1.0 / l11, 1.0 / l22];
    let i10 = -m[1][0] * i11;
    let i21 = -l21 * i11 * i22;
    let i20 = -(m[2][0] + l21 * i10) * i22;
    [[1.0, 0.0, 0.0], [i10, i11, 0.0], [i20, i21, i22]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::{Control, Grid};

    /// The linear map x → Fx of the world, as a field on a grid.
    fn linear(grid: Grid, f: [[f64; 3]; 3]) -> Flow {
        let voxels = grid.clone();
        Flow::from_fn(grid, |voxel| {
            let world = voxels.world_from_voxel(voxel);
            let moved = voxels.voxel_from_world(apply(&f, world));
            [0, 1, 2].map(|axis| moved[axis] - voxel[axis])
        })
    }

    fn is_everywhere(map: &NamedMap, expected: f64) -> bool {
        map.volume.data().iter().all(|&value| (f64::from(value) - expected).abs() < 1e-5)
    }

    /// A map that stretches by 1.2, 0.9 and 1.1 along rotated axes.
    fn stretch() -> [[f64; 3]; 3] {
        let (s, c) = 0.5f64.sin_cos();
        let axes = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
        [0, 1, 2]
            .map(|r| [0, 1, 2].map(|k| (0..3).map(|a| axes[r][a] * [1.2, 0.9, 1.1][a] * axes[k][a]).sum()))
    }

    #[test]
    fn flipped_oblique_and_sheared_axes_have_the_determinant_and_principal_strains_of_the_motion() {
        let (s, c) = 0.4f64.sin_cos();
        let directions = [
            IDENTITY,
            [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]],
            [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]],
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 0.95]],
        ];
        for direction in directions {
            let grid = Grid::volume(5, 4, 3)
                .and_then(|grid| grid.with_spacing_mm([0.7, 1.5, 3.0]))
                .and_then(|grid| grid.with_direction(direction));
            let flow = linear(grid.unwrap().with_origin_mm([4.0, -20.0, 7.0]), stretch());
            let (deformation, control) = (Deformation::of(&flow), Control::default());
            let map = deformation.determinant(&control).unwrap();
            assert!(is_everywhere(&map, 1.2 * 0.9 * 1.1), "{direction:?}: {:?}", map.summary);
            let maps = deformation.strain(&control).unwrap();
            assert_eq!(maps.len(), 9);
            for (map, stretch) in maps[6..].iter().zip([1.2f64, 1.1, 0.9]) {
                assert!(
                    is_everywhere(map, 0.5 * (stretch.powi(2) - 1.0)),
                    "{direction:?}: {:?}",
                    map.summary
                );
            }
        }
    }

    #[test]
    fn components_are_along_the_axes_of_the_grid() {
        // The grid's x axis is the world's y axis, which becomes longer by a tenth.
        let direction = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let grid = Grid::volume(4, 4, 3).and_then(|grid| grid.with_direction(direction)).unwrap();
        let flow = linear(grid, [[1.0, 0.0, 0.0], [0.0, 1.1, 0.0], [0.0, 0.2, 1.0]]);
        let maps = Deformation::of(&flow).strain(&Control::default()).unwrap();
        for (map, expected) in maps.iter().zip([0.5 * (1.21 + 0.04 - 1.0), 0.0, 0.1, 0.0, 0.0, 0.0]) {
            assert!(is_everywhere(map, expected), "{:?}", map.summary);
        }
    }

    #[test]
    fn pictures_and_motion_in_planes_are_measured_in_the_plane() {
        let shear = |[_, y, z]: [f64; 3]| [0.2 * y + 3.0 * z, 0.1 * y, 0.0];
        let [picture, stack] = [Grid::image(6, 5).unwrap(), Grid::volume(6, 5, 3).unwrap()]
            .map(|grid| Flow::from_fn(grid, shear));
        for flow in [&picture, &stack] {
            let (deformation, control) = (Deformation::of(flow), Control::default());
            assert_eq!(deformation.axes(), 2);
            assert!(is_everywhere(&deformation.determinant(&control).unwrap(), 1.1));
            let maps = deformation.strain(&control).unwrap();
            let names: Vec<_> = maps.iter().map(|map| map.name).collect();
            assert_eq!(names, ["strain_xx", "strain_xy", "strain_yy", "principal_1", "principal_2"]);
            assert!(is_everywhere(&maps[1], 0.1) && is_everywhere(&maps[2], 0.5 * (0.04 + 1.21 - 1.0)));
        }
    }

    #[test]
    fn what_is_unknown_stays_unknown_and_a_rotation_is_no_strain() {
        let (s, c) = 0.3f64.sin_cos();
        let turn = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
        let mut flow = linear(Grid::image(7, 7).unwrap(), turn);
        let middle = flow.grid().index([3, 3, 0]);
        flow.components_vox_mut().for_each(|component| component[middle] = f32::NAN);
        let maps = Deformation::of(&flow).strain(&Control::default()).unwrap();
        for map in &maps {
            assert_eq!((map.summary.unknown, map.summary.known), (5, 44));
            assert!(map.volume.data().iter().all(|value| value.is_nan() || value.abs() < 1e-6));
        }
        let stopped = Control::default();
        stopped.stop();
        assert_eq!(Deformation::of(&flow).determinant(&stopped), Err(Stopped));
    }
}
