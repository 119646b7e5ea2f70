//! A linear map between two spaces in millimetres: what a rigid, a similarity or an affine registration finds.

use crate::error::CoreError;
use crate::grid::Dimension;
use crate::matrix3::{IDENTITY, apply, determinant, inverse, product};
use serde::{Deserialize, Serialize};

/// The map `x → matrix · x + offset` from points of the fixed image's space to where they are found in the moving one's, LPS mm
/// (pixels where images have no place); the direction of ITK's resampling and of [`Flow`](crate::Flow).
///
/// Guarantees: every value is finite, the determinant is above 0, and the three columns are far from one plane.
/// A 2-D map leaves the third axis alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinearTransform {
    dimension: Dimension,
    /// Row-major.
    matrix: [[f64; 3]; 3],
    offset_mm: [f64; 3],
}

/// Determinants of the matrix with columns of length 1 that are below have no inverse worth the name.
const LEAST_DETERMINANT: f64 = 1e-6;
/// A matrix is a rotation if its transpose is its inverse to so much.
const RIGID: f64 = 1e-6;

impl LinearTransform {
    /// The map of a matrix (row-major) and an offset, mm; a 2-D map's third row, column and offset are not looked at.
    ///
    /// # Errors
    /// [`CoreError::Transform`] if a value is not finite, the matrix has no inverse, or it mirrors.
    pub fn new(dimension: Dimension, matrix: [[f64; 3]; 3], offset_mm: [f64; 3]) -> Result<Self, CoreError> {
        let (mut own, mut offset) = (IDENTITY, [0.0; 3]);
        for row in 0..dimension.count() {
            offset[row] = offset_mm[row];
            own[row][..dimension.count()].copy_from_slice(&matrix[row][..dimension.count()]);
        }
        let refused = |reason: String| Err(CoreError::Transform { reason });
        if !own.iter().flatten().chain(&offset).all(|value| value.is_finite()) {
            return refused("has a value that is not finite".to_owned());
        }
        let det = determinant(&own);
        let length = |axis: usize| own.iter().map(|row| row[axis] * row[axis]).sum::<f64>().sqrt();
        let relative = det / (length(0) * length(1) * length(2));
        if !relative.is_finite() || relative.abs() < LEAST_DETERMINANT {
            return refused(format!("is singular (determinant {det:e}): it has no inverse"));
        }
        if det < 0.0 {
            return refused(format!("mirrors (determinant {det}): left and right would be exchanged"));
        }
        Ok(Self { dimension, matrix: own, offset_mm: offset })
    }

    /// The map that moves nothing.
    pub fn identity(dimension: Dimension) -> Self {
        Self { dimension, matrix: IDENTITY, offset_mm: [0.0; 3] }
    }

    /// 2-D or 3-D.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }
    /// The matrix, row-major.
    pub fn matrix(&self) -> [[f64; 3]; 3] {
        self.matrix
    }
    /// Where the origin goes, mm.
    pub fn offset_mm(&self) -> [f64; 3] {
        self.offset_mm
    }

    /// Where a point (LPS mm) goes.
    pub fn apply(&self, point_mm: [f64; 3]) -> [f64; 3] {
        let turned = apply(&self.matrix, point_mm);
        [0, 1, 2].map(|axis| turned[axis] + self.offset_mm[axis])
    }

    /// This map after another one: `x → self(first(x))`.
    ///
    /// # Errors
    /// [`CoreError::Transform`] if one is 2-D and the other 3-D, or if together they are singular.
    pub fn after(&self, first: &Self) -> Result<Self, CoreError> {
        if self.dimension != first.dimension {
            return Err(CoreError::Transform {
                reason: "is 2-D, and another one of the chain 3-D".to_owned(),
            });
        }
        Self::new(self.dimension, product(&self.matrix, &first.matrix), self.apply(first.offset_mm))
    }

    /// The way back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let matrix = inverse(&self.matrix);
        Self { matrix, offset_mm: apply(&matrix, self.offset_mm).map(|v| -v), ..*self }
    }

    /// Whether it turns and shifts, and neither scales nor shears.
    pub fn is_rigid(&self) -> bool {
        let m = &self.matrix;
        (0..3).all(|a| {
            (0..3).all(|b| {
                let dot: f64 = m.iter().map(|row| row[a] * row[b]).sum();
                (dot - f64::from(u8::from(a == b))).abs() < RIGID
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> LinearTransform {
        let matrix = [[1.1, 0.2, -0.1], [-0.15, 0.9, 0.05], [0.02, -0.3, 1.2]];
        LinearTransform::new(Dimension::Three, matrix, [10.0, -200.0, 35.5]).unwrap()
    }

    #[test]
    fn a_map_and_its_inverse_lead_home() {
        let map = example();
        for both in [map.after(&map.inverse()).unwrap(), map.inverse().after(&map).unwrap()] {
            for point in [[0.0; 3], [120.0, -80.0, 33.0], [-5.0, 400.0, 1.0]] {
                let found = both.apply(point);
                assert!((0..3).all(|a| (found[a] - point[a]).abs() < 1e-10), "{found:?}");
            }
        }
        assert!(!map.is_rigid());
    }

    #[test]
    fn maps_follow_each_other_from_right_to_left() {
        let shift = LinearTransform::new(Dimension::Three, IDENTITY, [5.0, 0.0, 0.0]).unwrap();
        let both = example().after(&shift).unwrap();
        let (found, expected) = (both.apply([1.0, 2.0, 3.0]), example().apply([6.0, 2.0, 3.0]));
        assert!((0..3).all(|a| (found[a] - expected[a]).abs() < 1e-12), "{found:?} {expected:?}");
        assert!(shift.is_rigid());
    }

    #[test]
    fn singular_and_mirrored_maps_are_refused_by_name() {
        let refused =
            |matrix| LinearTransform::new(Dimension::Three, matrix, [0.0; 3]).unwrap_err().to_string();
        assert!(refused([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 1.0]]).contains("singular"));
        assert!(refused([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).contains("mirrors"));
        assert!(refused([[f64::NAN, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).contains("not finite"));
        assert!(refused([[0.0; 3]; 3]).contains("singular"));
        // Small is not singular.
        let small =
            LinearTransform::new(Dimension::Three, IDENTITY.map(|row| row.map(|v| 1e-4 * v)), [0.0; 3]);
        assert!(small.is_ok());
    }

    #[test]
    fn planes_keep_their_third_axis() {
        let map = LinearTransform::new(
            Dimension::Two,
            [[0.0, -1.0, 7.0], [1.0, 0.0, 7.0], [7.0; 3]],
            [1.0, 2.0, 9.0],
        );
        let map = map.unwrap();
        assert_eq!(map.apply([3.0, 4.0, 5.0]), [-3.0, 5.0, 5.0]);
        assert!(map.is_rigid() && map.after(&example()).is_err());
    }
}
