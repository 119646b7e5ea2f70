//! Steps of a registration that keep a map rigid, or a similarity: the unknowns of an affine step expressed by those of the smaller
//! group, and the step that they make.
//!
//! *Method*: a step is `exp(G)` about the centre with G a combination of the group's generators in the world (turns, and a common
//! scale), seen in voxels `V⁻¹ G V`; V leads from voxels to the world. The normal equations of the affine step, restricted to the
//! generators (`Bᵀ H B`), are those of the group.

use veloxel_core::matrix3::{IDENTITY, inverse, product};
use veloxel_core::{Axes, Dimension, Grid};
use veloxel_kernels::image::affine_normal_equations::NormalEquations;
use veloxel_kernels::image::warp::VoxelAffine;

/// What the start may move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AffineModel {
    /// A shift that puts the moving image's centre of mass on the fixed one's.
    CentreOfMass,
    /// A turn and a shift in the world.
    Rigid,
    /// A turn, a scale common to all axes, and a shift in the world.
    Similarity,
    /// All entries.
    Affine,
}

/// A 3×3 matrix, row-major.
type Matrix = [[f64; 3]; 3];

/// What a step may be, in the voxels of a level.
#[derive(Debug, Clone)]
pub(crate) struct MotionGroup {
    axes: usize,
    /// Generators of the linear part, in voxels; all of its entries are free if there are none.
    generators: Option<Vec<Matrix>>,
}

impl MotionGroup {
    /// The steps of a model on voxels of a grid that are `spacing_vox` of its own apart; none for a model without steps.
    pub(crate) fn of(model: AffineModel, grid: &Grid, spacing_vox: Axes<f64>) -> Option<Self> {
        let axes = grid.dimension().count();
        let generators = match model {
            AffineModel::CentreOfMass => return None,
            AffineModel::Affine => None,
            AffineModel::Rigid => Some(turns(grid.dimension())),
            AffineModel::Similarity => Some([turns(grid.dimension()), vec![scale(axes)]].concat()),
        };
        // In a plane the axes of the picture are those of the turn.
        let frame = match grid.dimension() {
            Dimension::Two => IDENTITY,
            Dimension::Three => grid.direction(),
        };
        let spacing = grid.spacing_mm();
        let world_from_voxel = frame
            .map(|row| [0, 1, 2].map(|a| row[a] * spacing[a] * if a < axes { spacing_vox[a] } else { 1.0 }));
        let back = inverse(&world_from_voxel);
        let in_voxels = |g: &Matrix| product(&product(&back, g), &world_from_voxel);
        let generators = generators.map(|all| all.iter().map(in_voxels).collect());
        Some(Self { axes, generators })
    }

    /// The equations of the group's unknowns: the weights of its generators, then the shift.
    pub(crate) fn restricted(&self, whole: &NormalEquations) -> NormalEquations {
        let Some(basis) = self.basis() else { return whole.clone() };
        let (n, m) = (whole.unknowns, basis.len());
        let (mut matrix, mut rhs) = (vec![0.0; m * m], vec![0.0; m]);
        for (i, left) in basis.iter().enumerate() {
            rhs[i] = (0..n).map(|k| left[k] * whole.rhs[k]).sum();
            for (j, right) in basis.iter().enumerate() {
                matrix[i * m + j] = (0..n)
                    .map(|r| left[r] * (0..n).map(|c| whole.matrix[r * n + c] * right[c]).sum::<f64>())
                    .sum();
            }
        }
        NormalEquations { unknowns: m, matrix, rhs, mean_energy: whole.mean_energy }
    }

    /// Every unknown as entries of `[δA | δt]`, row by row.
    fn basis(&self) -> Option<Vec<Vec<f64>>> {
        let (d, wide) = (self.axes, self.axes + 1);
        let linear = self.generators.as_ref()?.iter().map(|g| {
            let mut entries = vec![0.0; d * wide];
            (0..d).for_each(|r| entries[r * wide..r * wide + d].copy_from_slice(&g[r][..d]));
            entries
        });
        let shifts = (0..d).map(|r| {
            let mut entries = vec![0.0; d * wide];
            entries[r * wide + d] = 1.0;
            entries
        });
        Some(linear.chain(shifts).collect())
    }

    /// The map of a step, about a centre, voxels.
    pub(crate) fn step(&self, unknowns: &[f64], centre: Axes<f64>) -> VoxelAffine {
        let d = self.axes;
        let (matrix, shift): (Matrix, Vec<f64>) = match &self.generators {
            None => {
                let mut matrix = IDENTITY;
                (0..d).for_each(|r| (0..d).for_each(|c| matrix[r][c] += unknowns[r * (d + 1) + c]));
                (matrix, (0..d).map(|r| unknowns[r * (d + 1) + d]).collect())
            }
            Some(generators) => {
                let mut sum = [[0.0; 3]; 3];
                for (g, weight) in generators.iter().zip(unknowns) {
                    (0..3).for_each(|r| (0..3).for_each(|c| sum[r][c] += weight * g[r][c]));
                }
                (exponential(&sum), unknowns[generators.len()..].to_vec())
            }
        };
        let mut offset = [0.0; 3];
        for r in 0..d {
            let moved: f64 = (0..d).map(|c| (matrix[r][c] - IDENTITY[r][c]) * centre[c]).sum();
            offset[r] = shift[r] - moved;
        }
        VoxelAffine { matrix, offset }
    }
}

/// Turns of the world, generators.
fn turns(dimension: Dimension) -> Vec<Matrix> {
    let turn = |a: usize, b: usize| {
        let mut g = [[0.0; 3]; 3];
        (g[a][b], g[b][a]) = (-1.0, 1.0);
        g
    };
    match dimension {
        Dimension::Two => vec![turn(0, 1)],
        Dimension::Three => vec![turn(1, 2), turn(2, 0), turn(0, 1)],
    }
}

/// A common scale of so many axes, a generator.
fn scale(axes: usize) -> Matrix {
    let mut g = [[0.0; 3]; 3];
    (0..axes).for_each(|a| g[a][a] = 1.0);
    g
}

/// Squarings of the exponential.
const SQUARINGS: i32 = 8;
/// Terms of its series.
const TERMS: usize = 12;

/// `exp(m)` by scaling and squaring of its series.
fn exponential(m: &Matrix) -> Matrix {
    let small = m.map(|row| row.map(|v| v / 2f64.powi(SQUARINGS)));
    let (mut sum, mut term) = (IDENTITY, IDENTITY);
    for k in 1..=TERMS {
        term = product(&term, &small).map(|row| row.map(|v| v / k as f64));
        (0..3).for_each(|r| (0..3).for_each(|c| sum[r][c] += term[r][c]));
    }
    (0..SQUARINGS).fold(sum, |power, _| product(&power, &power))
}

/// The largest part of a step, voxels, an arm's length from the centre.
pub(crate) fn farthest(step: &VoxelAffine, d: usize, centre: [f64; 3]) -> f64 {
    let added = step.added();
    let moved = step.apply(centre);
    let shifts = (0..d).map(|r| (moved[r] - centre[r]).abs());
    let turns = (0..d).flat_map(|r| (0..d).map(move |c| (r, c)));
    turns.map(|(r, c)| added[r][c].abs() * centre[c].max(1.0)).chain(shifts).fold(0.0, f64::max)
}

/// Cholesky with a whiff of damping; none if the images hold too little to determine the map.
pub(crate) fn solve(equations: &NormalEquations) -> Option<Vec<f64>> {
    let n = equations.unknowns;
    let mut a = equations.matrix.clone();
    let mut x = equations.rhs.clone();
    for i in 0..n {
        a[i * n + i] *= 1.0 + 1e-6;
    }
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let value = a[i * n + j] - sum;
            if i == j {
                if value <= 0.0 || !value.is_finite() {
                    return None;
                }
                a[i * n + i] = value.sqrt();
            } else {
                a[i * n + j] = value / a[j * n + j];
            }
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| a[i * n + k] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[k * n + i] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i * n + i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_of_a_turn_turns() {
        let angle = 0.7;
        let found = exponential(&[[0.0, -angle, 0.0], [angle, 0.0, 0.0], [0.0; 3]]);
        let (s, c) = angle.sin_cos();
        let expected = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
        assert!((0..3).all(|r| (0..3).all(|k| (found[r][k] - expected[r][k]).abs() < 1e-12)), "{found:?}");
    }
}
