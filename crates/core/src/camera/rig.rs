//! Two cameras that hold on to each other.

use super::pinhole::Camera;
use super::turn::half_of;
use crate::error::CoreError;
use crate::matrix3::{apply, determinant, transpose};

/// Two cameras: a point `p` of the left one's frame is `right_from_left · p + translation_m` in the right one's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StereoRig {
    /// The left camera.
    pub left: Camera,
    /// The right camera.
    pub right: Camera,
    /// The rotation, row-major.
    pub right_from_left: [[f64; 3]; 3],
    /// The left camera's place in the right one's frame, metres.
    pub translation_m: [f64; 3],
}

/// How far the rows of a rotation may be from unit length and right angles: files round.
const ROTATION_TOLERANCE: f64 = 1e-3;

impl StereoRig {
    /// A rig of two cameras, once rotation and translation are possible.
    ///
    /// # Errors
    /// [`CoreError::Camera`] for a matrix that is no rotation, or cameras at one place.
    pub fn checked(self) -> Result<Self, CoreError> {
        let refused = |what: &str, expected: &str, got: String| {
            Err(CoreError::Camera { what: what.to_owned(), expected: expected.to_owned(), got })
        };
        let r = &self.right_from_left;
        let product = |a: usize, b: usize| (0..3).map(|k| r[a][k] * r[b][k]).sum::<f64>();
        let right = |a: usize, b: usize| {
            let expected = if a == b { 1.0 } else { 0.0 };
            (product(a, b) - expected).abs() <= ROTATION_TOLERANCE
        };
        if !(0..3).all(|a| (0..3).all(|b| right(a, b))) || determinant(r) <= 0.0 {
            return refused("rotation between the cameras", "a rotation matrix", format!("{r:?}"));
        }
        let length = self.baseline_m();
        if !(length.is_finite() && length > 0.0) {
            let got = format!("{:?}", self.translation_m);
            return refused("translation between the cameras", "a length above 0", got);
        }
        Ok(self)
    }

    /// Distance of the two cameras, metres.
    pub fn baseline_m(&self) -> f64 {
        self.translation_m.iter().map(|t| t * t).sum::<f64>().sqrt()
    }

    /// The same rig with another distance of its cameras, metres: for calibrations in a unit of their own.
    #[must_use]
    pub fn with_baseline_m(self, baseline_m: f64) -> Self {
        let factor = baseline_m / self.baseline_m();
        Self { translation_m: self.translation_m.map(|t| t * factor), ..self }
    }

    /// The left camera's place, metres, in a frame that is turned half way from the right camera's to the left one's.
    pub(super) fn translation_between_m(&self) -> [f64; 3] {
        apply(&transpose(&half_of(&self.right_from_left)), self.translation_m)
    }

    /// Whether the cameras stand as their names say: the right one to the right, or both above each other.
    pub fn is_left_first(&self) -> bool {
        let t = self.translation_between_m();
        t[0] <= 0.0 || t[1].abs() >= t[0].abs()
    }

    /// The rig seen from its other camera.
    #[must_use]
    pub fn exchanged(self) -> Self {
        let back = transpose(&self.right_from_left);
        Self {
            left: self.right,
            right: self.left,
            right_from_left: back,
            translation_m: apply(&back, self.translation_m).map(|t| -t),
        }
    }
}
