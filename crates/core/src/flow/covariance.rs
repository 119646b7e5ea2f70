//! How uncertain the vectors of a flow are: a covariance, which is a symmetric matrix, for every voxel.

use crate::error::CoreError;
use crate::grid::Grid;

/// The covariance of the error of every vector of a flow, on the flow's grid.
///
/// Entries xx, xy, yy of pictures and xx, xy, xz, yy, yz, zz of volumes, in squared voxels (pixels) along the grid's own axes, one
/// after the other in one planar buffer; an unknown matrix is NaN in every entry.
///
/// The ellipse (ellipsoid) that holds a share p of the errors of a normal distribution is `eᵀ C⁻¹ e ≤ q`, with q the p-quantile of
/// the chi-squared distribution with as many degrees of freedom as there are axes: [`Self::level`].
#[derive(Debug, Clone, PartialEq)]
pub struct FlowCovariance {
    grid: Grid,
    planar_vox2: Vec<f32>,
}

/// The axes of every entry in the order of the planar buffer, pictures.
const ENTRIES_2: [[usize; 2]; 3] = [[0, 0], [0, 1], [1, 1]];
/// The axes of every entry in the order of the planar buffer, volumes.
const ENTRIES_3: [[usize; 2]; 6] = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];

impl FlowCovariance {
    /// Puts one planar buffer on the flow's grid: all samples of the first entry, squared voxels, then all of the next one.
    ///
    /// # Errors
    /// [`CoreError::SampleCount`] unless the buffer has a sample for each voxel and entry.
    pub fn from_planar_vox2(grid: Grid, planar_vox2: Vec<f32>) -> Result<Self, CoreError> {
        let (expected, got) = (Self::entries_of(&grid).len() * grid.len(), planar_vox2.len());
        if expected != got {
            return Err(CoreError::SampleCount { expected, got, size: grid.size_text() });
        }
        Ok(Self { grid, planar_vox2 })
    }

    /// The axes `[row, column]` of every entry on a grid, in the order of the planar buffer: three or six.
    pub fn entries_of(grid: &Grid) -> &'static [[usize; 2]] {
        if grid.dimension().count() == 2 { &ENTRIES_2 } else { &ENTRIES_3 }
    }

    /// The flow's grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// All entries, squared voxels, as they lie.
    pub fn planar_vox2(&self) -> &[f32] {
        &self.planar_vox2
    }

    /// [`Self::planar_vox2`], without its grid and without a copy.
    pub fn into_planar_vox2(self) -> Vec<f32> {
        self.planar_vox2
    }

    /// The matrix at an index, squared voxels; of a picture the third row and column are those of the unit matrix.
    pub fn matrix_vox2(&self, index: usize) -> [[f64; 3]; 3] {
        let mut matrix = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        for (nth, [row, column]) in Self::entries_of(&self.grid).iter().enumerate() {
            let value = f64::from(self.planar_vox2[nth * self.grid.len() + index]);
            matrix[*row][*column] = value;
            matrix[*column][*row] = value;
        }
        matrix
    }

    /// The number q of the ellipse `eᵀ C⁻¹ e ≤ q` that holds a share, from 0 to 1 exclusively, of the errors of a normal distribution
    /// with so many axes, 2 or 3: the quantile of the chi-squared distribution.
    pub fn level(axes: usize, share: f64) -> f64 {
        if axes == 2 {
            return -2.0 * (1.0 - share).ln();
        }
        // The share below q rises: halve the interval until it is as short as its rounding.
        let (mut low, mut high) = (0.0_f64, 64.0_f64);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if share_below_3(middle) < share { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

/// The share below q of the chi-squared distribution with three degrees of freedom: `erf(√(q/2)) − √(2 q/π) e^(−q/2)`, by the series
/// of the incomplete gamma function.
fn share_below_3(q: f64) -> f64 {
    let x = 0.5 * q;
    let (mut term, mut sum, mut n) = (1.0 / 1.5, 1.0 / 1.5, 1.5);
    while term > 1e-17 * sum {
        n += 1.0;
        term *= x / n;
        sum += term;
    }
    // Γ(3/2) = √π / 2.
    sum * (1.5 * x.ln() - x).exp() / (0.5 * std::f64::consts::PI.sqrt())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails where a value is missing")]
    use super::*;

    #[test]
    fn levels_are_those_of_the_tables_of_the_distribution() {
        let tables = [(2, [1.386_294, 4.605_170, 5.991_465]), (3, [2.365_974, 6.251_389, 7.814_728])];
        for (axes, levels) in tables {
            for (share, level) in [0.5, 0.9, 0.95].into_iter().zip(levels) {
                assert!((FlowCovariance::level(axes, share) - level).abs() < 2e-6, "{axes} axes, {share}");
            }
        }
    }

    #[test]
    fn a_matrix_is_symmetric_and_its_entries_lie_one_after_the_other() {
        let grid = Grid::volume(1, 2, 1).unwrap();
        let entries = (0..12).map(|nth| nth as f32).collect();
        let covariance = FlowCovariance::from_planar_vox2(grid, entries).unwrap();
        assert_eq!(covariance.matrix_vox2(1), [[1.0, 3.0, 5.0], [3.0, 7.0, 9.0], [5.0, 9.0, 11.0]]);
        let picture =
            FlowCovariance::from_planar_vox2(Grid::image(1, 1).unwrap(), vec![4.0, -1.0, 2.0]).unwrap();
        assert_eq!(picture.matrix_vox2(0), [[4.0, -1.0, 0.0], [-1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]);
        let wrong = FlowCovariance::from_planar_vox2(Grid::image(2, 1).unwrap(), vec![0.0; 5]);
        assert!(matches!(wrong, Err(CoreError::SampleCount { expected: 6, got: 5, .. })));
    }
}
