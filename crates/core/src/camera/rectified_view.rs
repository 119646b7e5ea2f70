//! The cameras of a rectified pair, as far as disparities are told from depths.

use crate::error::CoreError;
use serde::Serialize;

/// Two cameras beside each other that look the same way, with one focal length and centre.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RectifiedView {
    /// Focal length, pixels.
    pub focal_px: f64,
    /// Principal point of both pictures, pixels; the centre of the first pixel is (0, 0).
    pub centre_px: [f64; 2],
    /// Distance of the cameras, metres.
    pub baseline_m: f64,
}

impl RectifiedView {
    /// The cameras of pictures that are rectified already, whose principal point is the middle where it is not known.
    ///
    /// # Errors
    /// [`CoreError::Camera`] for a length that is not above 0, or a centre that is not finite.
    pub fn new(
        focal_px: f64,
        baseline_m: f64,
        centre_px: Option<[f64; 2]>,
        size_px: [usize; 2],
    ) -> Result<Self, CoreError> {
        for (what, value) in [("focal length (pixels)", focal_px), ("baseline (metres)", baseline_m)] {
            if !(value.is_finite() && value > 0.0) {
                let expected = "a number above 0".to_owned();
                return Err(CoreError::Camera { what: what.to_owned(), expected, got: value.to_string() });
            }
        }
        let centre_px = centre_px.unwrap_or_else(|| size_px.map(|n| 0.5 * (n as f64 - 1.0)));
        if centre_px.iter().any(|c| !c.is_finite()) {
            let (what, expected) = ("principal point".to_owned(), "finite pixels".to_owned());
            return Err(CoreError::Camera { what, expected, got: format!("{centre_px:?}") });
        }
        Ok(Self { focal_px, centre_px, baseline_m })
    }

    /// The depth of a disparity, metres along the axis; NaN for one that is unknown or not above 0.
    pub fn depth_m(&self, disparity_px: f32) -> f32 {
        match disparity_px > 0.0 {
            true => (self.focal_px * self.baseline_m / f64::from(disparity_px)) as f32,
            false => f32::NAN,
        }
    }

    /// The place of a pixel at a depth, metres in the rectified left camera's frame: x right, y down, z forward.
    pub fn point_m(&self, pixel: [usize; 2], depth_m: f32) -> [f32; 3] {
        let z = f64::from(depth_m);
        let along = |a: usize| ((pixel[a] as f64 - self.centre_px[a]) * z / self.focal_px) as f32;
        [along(0), along(1), depth_m]
    }

    /// The matrix that turns `(x, y, disparity, 1)` into homogeneous metres of the rectified left frame: Q.
    pub fn world_from_disparity(&self) -> [[f64; 4]; 4] {
        let (f, [cx, cy]) = (self.focal_px, self.centre_px);
        let per_m = 1.0 / self.baseline_m;
        [[1.0, 0.0, 0.0, -cx], [0.0, 1.0, 0.0, -cy], [0.0, 0.0, 0.0, f], [0.0, 0.0, per_m, 0.0]]
    }

    /// The projection of the left (0) or right (1) camera from metres in the rectified left frame to pixels: P1 and P2.
    pub fn projection(&self, side: usize) -> [[f64; 4]; 3] {
        let (f, [cx, cy]) = (self.focal_px, self.centre_px);
        let shift = if side == 0 { 0.0 } else { -f * self.baseline_m };
        [[f, 0.0, cx, shift], [0.0, f, cy, 0.0], [0.0, 0.0, 1.0, 0.0]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_focal_length_times_baseline_over_disparity() {
        let view = RectifiedView::new(500.0, 0.12, None, [5, 3]).unwrap();
        assert_eq!(view.centre_px, [2.0, 1.0]);
        assert_eq!([60.0, 6.0].map(|d| view.depth_m(d)), [1.0, 10.0]);
        assert!([0.0, -1.0, f32::NAN].iter().all(|d| view.depth_m(*d).is_nan()));
        assert_eq!(view.point_m([4, 0], 5.0), [0.02, -0.01, 5.0]);
        let q = view.world_from_disparity();
        let h = q.map(|row| row.iter().zip([4.0, 0.0, 12.0, 1.0]).map(|(a, b)| a * b).sum::<f64>());
        assert!((h[2] / h[3] - 5.0).abs() < 1e-12 && (h[0] / h[3] - 0.02).abs() < 1e-12);
        for refused in [
            RectifiedView::new(0.0, 0.1, None, [1, 1]),
            RectifiedView::new(500.0, f64::NAN, None, [1, 1]),
            RectifiedView::new(500.0, 0.1, Some([f64::INFINITY, 0.0]), [1, 1]),
        ] {
            assert!(refused.is_err());
        }
    }
}
