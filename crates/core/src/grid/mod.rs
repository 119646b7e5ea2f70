//! Where samples lie: size in voxels, and the map from voxel indices to LPS millimetres.

pub(crate) mod grid_box;

use crate::error::CoreError;
use crate::matrix3::{IDENTITY, apply, determinant, inverse};
use grid_box::GridBox;
use serde::{Deserialize, Serialize};

/// Whether a grid is a picture or a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Dimension {
    /// One plane, two flow components.
    #[serde(rename = "2-D")]
    Two,
    /// A volume (one plane thick at least), three flow components.
    #[serde(rename = "3-D")]
    Three,
}

impl Dimension {
    /// 2 or 3: the number of axes and of flow components.
    pub const fn count(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }
}

/// The place of every sample: `world = origin + direction · diag(spacing) · (x, y, z)`, LPS millimetres.
///
/// Guarantees: every size is at least 1 and at most 2^24, and their product at most 2^40; every spacing is finite and above 0;
/// the direction matrix has an inverse (it need not be orthonormal: readers say when it is not).
/// A 2-D grid has `size[2] == 1`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    dimension: Dimension,
    size: [usize; 3],
    spacing_mm: [f64; 3],
    origin_mm: [f64; 3],
    /// Row-major; column `a` is the world direction of axis `a`.
    direction: [[f64; 3]; 3],
}

const MAX_SAMPLES: u128 = 1 << 40;
/// Positions are computed in `f32`, which holds whole numbers exactly up to here.
const MAX_SIDE: usize = 1 << 24;

impl Grid {
    /// A picture of `nx × ny` pixels, spacing 1, origin 0.
    ///
    /// # Errors
    /// [`CoreError::Size`] if an axis is empty or too long, or the product is too large.
    pub fn image(nx: usize, ny: usize) -> Result<Self, CoreError> {
        Self::checked(Dimension::Two, [nx, ny, 1])
    }

    /// A volume of `nx × ny × nz` voxels, spacing 1 mm, origin 0, axes along the world's.
    ///
    /// # Errors
    /// [`CoreError::Size`] if an axis is empty or too long, or the product is too large.
    pub fn volume(nx: usize, ny: usize, nz: usize) -> Result<Self, CoreError> {
        Self::checked(Dimension::Three, [nx, ny, nz])
    }

    fn checked(dimension: Dimension, size: [usize; 3]) -> Result<Self, CoreError> {
        let product = size.iter().try_fold(1u128, |p, &n| p.checked_mul(n as u128));
        match product {
            Some(p) if p > 0 && p <= MAX_SAMPLES && size.iter().all(|&n| n <= MAX_SIDE) => {
                Ok(Self { dimension, size, spacing_mm: [1.0; 3], origin_mm: [0.0; 3], direction: IDENTITY })
            }
            _ => Err(CoreError::Size { size: format!("{} × {} × {} voxels", size[0], size[1], size[2]) }),
        }
    }

    /// The same voxels with another spacing (mm per axis; 2-D grids ignore the third).
    ///
    /// # Errors
    /// [`CoreError::Spacing`] unless every value is finite and above 0.
    pub fn with_spacing_mm(mut self, spacing_mm: [f64; 3]) -> Result<Self, CoreError> {
        if spacing_mm.iter().any(|h| !h.is_finite() || *h <= 0.0) {
            return Err(CoreError::Spacing { spacing_mm });
        }
        self.spacing_mm = spacing_mm;
        Ok(self)
    }

    /// The same voxels with the world position (LPS mm) of voxel (0, 0, 0).
    #[must_use]
    pub fn with_origin_mm(mut self, origin_mm: [f64; 3]) -> Self {
        self.origin_mm = origin_mm;
        self
    }

    /// The same voxels with other axis directions (row-major; column `a` is the world direction of axis `a`).
    ///
    /// # Errors
    /// [`CoreError::Direction`] if the matrix has no inverse.
    pub fn with_direction(mut self, direction: [[f64; 3]; 3]) -> Result<Self, CoreError> {
        let det = determinant(&direction);
        if !det.is_finite() || det.abs() < 1e-9 {
            return Err(CoreError::Direction { direction });
        }
        self.direction = direction;
        Ok(self)
    }

    /// 2-D or 3-D.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }
    /// Voxels per axis, `(x, y, z)`.
    pub fn size(&self) -> [usize; 3] {
        self.size
    }
    /// Millimetres between neighbours, `(x, y, z)`.
    pub fn spacing_mm(&self) -> [f64; 3] {
        self.spacing_mm
    }
    /// World position (LPS mm) of voxel (0, 0, 0).
    pub fn origin_mm(&self) -> [f64; 3] {
        self.origin_mm
    }
    /// Axis directions, row-major; column `a` is the world direction of axis `a`.
    pub fn direction(&self) -> [[f64; 3]; 3] {
        self.direction
    }
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.size.iter().product()
    }
    /// Never true: a grid has at least one sample.
    pub fn is_empty(&self) -> bool {
        false
    }
    pub(crate) fn require_len(&self, got: usize) -> Result<(), CoreError> {
        let expected = self.len();
        if got == expected {
            return Ok(());
        }
        Err(CoreError::SampleCount { expected, got, size: self.size_text() })
    }
    /// Index of voxel `(x, y, z)` in a C-ordered array.
    pub fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }
    /// Voxel `(x, y, z)` of an index.
    pub fn position(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.size;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }
    /// `584 × 388 pixels` or `256 × 300 × 256 voxels`.
    pub fn size_text(&self) -> String {
        let [x, y, z] = self.size;
        match self.dimension {
            Dimension::Two => format!("{x} × {y} pixels"),
            Dimension::Three => format!("{x} × {y} × {z} voxels"),
        }
    }

    /// The grid of a box of this one's voxels, where they lie.
    ///
    /// # Panics
    /// If the box is empty, or reaches beyond the grid.
    #[must_use]
    pub fn part(&self, part: GridBox) -> Self {
        assert!(!part.is_empty(), "a part of a grid should have a voxel");
        assert!((0..3).all(|a| part.end()[a] <= self.size[a]), "a part of a grid should lie within it");
        let origin_mm = self.world_from_voxel(part.begin.map(|b| b as f64));
        Self { size: part.size, origin_mm, ..self.clone() }
    }

    /// Whether nothing is known of the grid's place: spacing 1, origin 0, axes along the world's, as picture formats have it.
    pub fn is_unplaced(&self) -> bool {
        (self.spacing_mm, self.origin_mm, self.direction) == ([1.0; 3], [0.0; 3], IDENTITY)
    }

    /// The 3×3 matrix that turns a voxel vector into a world vector (LPS mm): `direction · diag(spacing)`.
    pub fn world_from_voxel_matrix(&self) -> [[f64; 3]; 3] {
        let mut m = self.direction;
        for row in &mut m {
            for (value, h) in row.iter_mut().zip(self.spacing_mm) {
                *value *= h;
            }
        }
        m
    }
    /// The inverse of [`Self::world_from_voxel_matrix`].
    pub fn voxel_from_world_matrix(&self) -> [[f64; 3]; 3] {
        inverse(&self.world_from_voxel_matrix())
    }
    /// World position (LPS mm) of a voxel position, which may lie between voxels.
    pub fn world_from_voxel(&self, voxel: [f64; 3]) -> [f64; 3] {
        let v = apply(&self.world_from_voxel_matrix(), voxel);
        [v[0] + self.origin_mm[0], v[1] + self.origin_mm[1], v[2] + self.origin_mm[2]]
    }
    /// Voxel position of a world position (LPS mm).
    pub fn voxel_from_world(&self, world_mm: [f64; 3]) -> [f64; 3] {
        let o = self.origin_mm;
        apply(&self.voxel_from_world_matrix(), [world_mm[0] - o[0], world_mm[1] - o[1], world_mm[2] - o[2]])
    }

    /// Checks that `other` has the same samples in the same places; planes are compared where they lie in space.
    ///
    /// Places may differ by a thousandth of a voxel: formats store them in 32 bits.
    ///
    /// # Errors
    /// [`CoreError::GridMismatch`] that names `what` and the first property that differs.
    pub fn require_same(&self, other: &Self, what: &str) -> Result<(), CoreError> {
        let mismatch = |property, left: String, right: String| {
            Err(CoreError::GridMismatch { what: what.to_owned(), property, left, right })
        };
        if self.dimension != other.dimension || self.size != other.size {
            return mismatch("size", self.size_text(), other.size_text());
        }
        let h_min = self.spacing_mm.iter().copied().fold(f64::INFINITY, f64::min);
        // The third axis of a plane has neither a spacing nor a direction that counts.
        let axes = self.dimension.count();
        let close =
            |a: [f64; 3], b: [f64; 3], tol: f64, count: usize| (0..count).all(|i| (a[i] - b[i]).abs() <= tol);
        let places = [
            ("spacing", self.spacing_mm, other.spacing_mm, 1e-3, axes),
            ("origin", self.origin_mm, other.origin_mm, 1e-2, 3),
        ];
        for (property, own, others, tolerance, count) in places {
            if !close(own, others, tolerance * h_min, count) {
                return mismatch(property, format!("{} mm", triple(own)), format!("{} mm", triple(others)));
            }
        }
        if !(0..3).all(|row| close(self.direction[row], other.direction[row], 1e-3, axes)) {
            let text = |g: &Self| g.direction.map(triple).join(" ");
            return mismatch("direction", text(self), text(other));
        }
        Ok(())
    }
}

/// `[10, -20.5, 5]`: without the digits that a header's 32-bit floats bring along.
fn triple(values: [f64; 3]) -> String {
    let [x, y, z] = values.map(|v| (v * 1e6).round() / 1e6 + 0.0);
    format!("[{x}, {y}, {z}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oblique() -> Grid {
        let (s, c) = 0.3f64.sin_cos();
        Grid::volume(4, 5, 6)
            .and_then(|g| g.with_spacing_mm([0.5, 1.0, 3.0]))
            .and_then(|g| g.with_direction([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))
            .unwrap()
            .with_origin_mm([10.0, -20.0, 30.0])
    }

    #[test]
    fn world_and_voxel_are_inverse() {
        let g = oblique();
        let back = g.voxel_from_world(g.world_from_voxel([1.5, 2.0, -3.25]));
        for (a, b) in back.iter().zip([1.5, 2.0, -3.25]) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn positions_and_indices_are_inverse() {
        let g = oblique();
        assert!((0..g.len()).all(|i| g.index(g.position(i)) == i));
        assert_eq!(g.index([1, 0, 0]), 1, "x is fastest");
    }

    #[test]
    fn impossible_grids_are_refused() {
        assert!(matches!(Grid::image(0, 3), Err(CoreError::Size { .. })));
        assert!(Grid::image(1 << 24, 1).is_ok() && Grid::image((1 << 24) + 1, 1).is_err());
        assert!(matches!(Grid::volume(usize::MAX, 2, 2), Err(CoreError::Size { .. })));
        assert!(matches!(oblique().with_spacing_mm([1.0, f64::NAN, 1.0]), Err(CoreError::Spacing { .. })));
        assert!(matches!(oblique().with_direction([[1.0; 3]; 3]), Err(CoreError::Direction { .. })));
    }

    #[test]
    fn a_shifted_origin_is_a_mismatch() {
        let g = oblique();
        assert!(g.require_same(&g, "x").is_ok());
        let error =
            g.require_same(&g.clone().with_origin_mm([10.0, -20.0, 31.0]), "fixed and moving").unwrap_err();
        assert!(error.to_string().contains("origin"), "{error}");
    }

    #[test]
    fn planes_are_compared_where_they_lie_in_space() {
        // Coronal: its second axis is the world's third.
        let coronal = [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]];
        let plane = Grid::image(4, 5).and_then(|g| g.with_direction(coronal)).unwrap();
        let differs = |other: Grid, property: &str| {
            let error = plane.require_same(&other, "planes").unwrap_err().to_string();
            assert!(error.contains(property), "{error}");
        };
        differs(plane.clone().with_origin_mm([0.0, 0.0, 1.0]), "origin");
        differs(plane.clone().with_origin_mm([0.0, 8.0, 0.0]), "origin");
        differs(Grid::image(4, 5).unwrap(), "direction");
        let thick = plane.clone().with_spacing_mm([1.0, 1.0, 8.0]).unwrap();
        assert_eq!(plane.require_same(&thick, ""), Ok(()));
    }
}
