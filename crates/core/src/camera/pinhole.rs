//! One camera: its focal lengths, its centre and its lens.

use super::lens::Lens;
use crate::error::CoreError;

/// A camera with a lens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Focal lengths along x and y, pixels.
    pub focal_px: [f64; 2],
    /// Where the axis meets the picture, pixels; the centre of the first pixel is (0, 0).
    pub centre_px: [f64; 2],
    /// What the lens does.
    pub lens: Lens,
    /// Width and height of its pictures, pixels, where they are known.
    pub size_px: Option<[usize; 2]>,
}

impl Camera {
    /// A camera, once its numbers are possible.
    ///
    /// # Errors
    /// [`CoreError::Camera`] for a focal length that is not above 0, a number that is not finite, or an empty picture.
    pub fn checked(self) -> Result<Self, CoreError> {
        let refused = |what: &str, expected: &str, got: String| {
            Err(CoreError::Camera { what: what.to_owned(), expected: expected.to_owned(), got })
        };
        if self.focal_px.iter().any(|f| !(f.is_finite() && *f > 0.0)) {
            return refused("focal lengths", "pixels above 0", format!("{:?}", self.focal_px));
        }
        if self.centre_px.iter().any(|c| !c.is_finite()) {
            return refused("principal point", "finite pixels", format!("{:?}", self.centre_px));
        }
        if self.size_px.is_some_and(|size| size.contains(&0)) {
            return refused("picture size", "pixels above 0", format!("{:?}", self.size_px));
        }
        Ok(self)
    }

    /// The pixel at which a point of the camera's frame is seen; none where it is not.
    pub fn pixel(&self, point: [f64; 3]) -> Option<[f64; 2]> {
        let seen = self.lens.distorted(point)?;
        Some([0, 1].map(|a| self.focal_px[a] * seen[a] + self.centre_px[a]))
    }

    /// The ray of a pixel, `(x, y)` at distance 1; none where the lens has none.
    pub fn ray(&self, pixel: [f64; 2]) -> Option<[f64; 2]> {
        self.lens.ray([0, 1].map(|a| (pixel[a] - self.centre_px[a]) / self.focal_px[a]))
    }
}
