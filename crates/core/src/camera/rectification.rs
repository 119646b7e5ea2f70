//! Rectification: two pictures as if their cameras looked the same way, with one focal length, so that rows agree.
//!
//! *Paper*: J.-Y. Bouguet, "Camera Calibration Toolbox for Matlab", and OpenCV's `stereoRectify` after it with zero disparity at
//! infinity and no zoom: each camera is turned by half of the rotation between them, then both by the smallest rotation that puts
//! the baseline along the rows; A. Fusiello, E. Trucco, A. Verri, "A compact algorithm for rectification of stereo pairs", MVA 12(1),
//! 2000, doi:10.1007/s001380050120, for the geometry.
//! *Notation*: R → `right_from_left`; R1, R2 → `rotations`; P1, P2 → [`projection`](RectifiedView::projection); Q →
//! [`world_from_disparity`](RectifiedView::world_from_disparity).
//! *Where we differ*: rays of corners are found to rounding and not in five steps; the centre of fisheyes follows from the middles of
//! the picture's sides, since their corners may lie at right angles.
//! *Limits*: cameras beside each other; rigs whose cameras lie above each other are refused.

use super::lens::Lens;
use super::pinhole::Camera;
use super::rectified_view::RectifiedView;
use super::rig::StereoRig;
use super::turn::{half_of, rotation};
use crate::error::CoreError;
use crate::matrix3::{apply, product, transpose};
use serde::Serialize;

/// How a pair of pictures is rectified. Both rectified pictures have one size, focal length and centre.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rectification {
    /// Width and height of the rectified pictures, pixels.
    pub size_px: [usize; 2],
    /// Focal length and centre of both, and their distance.
    #[serde(flatten)]
    pub view: RectifiedView,
    /// Rotations from the frame of the left and of the right camera into the rectified ones, row-major.
    pub rotations: [[[f64; 3]; 3]; 2],
    #[serde(skip)]
    cameras: [Camera; 2],
}

impl Rectification {
    /// The rectification of a rig whose pictures have a size.
    ///
    /// # Errors
    /// [`CoreError::Camera`] where a camera was calibrated for another size, the cameras lie above each other or the right one lies
    /// to the left; as [`StereoRig::checked`] and [`Camera::checked`].
    pub fn of(rig: &StereoRig, size_px: [usize; 2]) -> Result<Self, CoreError> {
        let rig = rig.checked()?;
        let cameras = [rig.left.checked()?, rig.right.checked()?];
        for (camera, side) in cameras.iter().zip(["left", "right"]) {
            if camera.size_px.is_some_and(|size| size != size_px) {
                let expected = camera.size_px.map_or_else(String::new, size_text);
                let what = format!("size of the {side} picture, by its calibration");
                return Err(CoreError::Camera { what, expected, got: size_text(size_px) });
            }
        }
        let (half, t) = (half_of(&rig.right_from_left), rig.translation_between_m());
        if t[1].abs() >= t[0].abs() || t[0] >= 0.0 {
            let expected = "the right camera to the right of the left one".to_owned();
            let got = format!("the left camera at {t:?} m, seen from the right one");
            return Err(CoreError::Camera { what: "place of the cameras".to_owned(), expected, got });
        }
        let turn = turn_to_minus_x(t);
        let rotations = [product(&turn, &half), product(&turn, &transpose(&half))];
        let focal_px = 0.5 * (cameras[0].focal_px[1] + cameras[1].focal_px[1]);
        let centres = [0, 1].map(|side| centre(&cameras[side], &rotations[side], focal_px, size_px));
        let centre_px = [0, 1].map(|a| 0.5 * (centres[0][a] + centres[1][a]));
        let view = RectifiedView::new(focal_px, rig.baseline_m(), Some(centre_px), size_px)?;
        Ok(Self { size_px, view, rotations, cameras })
    }

    /// Where a pixel of the left (0) or right (1) rectified picture is found in the picture as it was taken; none where the camera
    /// does not see it.
    ///
    /// # Panics
    /// For another side than 0 and 1.
    pub fn source_px(&self, side: usize, pixel: [f64; 2]) -> Option<[f64; 2]> {
        let RectifiedView { focal_px, centre_px, .. } = self.view;
        let ray = [0, 1].map(|a| (pixel[a] - centre_px[a]) / focal_px);
        let r = &self.rotations[side];
        // The inverse of a rotation is its transpose.
        let point = [0, 1, 2].map(|a| r[0][a] * ray[0] + r[1][a] * ray[1] + r[2][a]);
        self.cameras[side].pixel(point)
    }
}

fn size_text([x, y]: [usize; 2]) -> String {
    format!("{x} × {y} pixels")
}

/// The smallest rotation that turns a vector, which points to the left, along −x.
fn turn_to_minus_x(t: [f64; 3]) -> [[f64; 3]; 3] {
    let length = t.iter().map(|v| v * v).sum::<f64>().sqrt();
    let [x, y, z] = t.map(|v| v / length);
    // The cross product of the vector and (−1, 0, 0), and one more than their scalar product.
    rotation([1.0 - x, 0.0, -z, y])
}

/// The principal point with which the middle of a camera's view lies in the middle of its rectified picture.
fn centre(camera: &Camera, turned: &[[f64; 3]; 3], focal_px: f64, size_px: [usize; 2]) -> [f64; 2] {
    let [right, bottom] = size_px.map(|n| (n - 1) as f64);
    let points = match camera.lens {
        Lens::Equidistant { .. } => {
            [[0.5 * right, 0.0], [0.5 * right, bottom], [0.0, 0.5 * bottom], [right, 0.5 * bottom]]
        }
        _ => [[0.0, 0.0], [right, 0.0], [0.0, bottom], [right, bottom]],
    };
    let seen = points.iter().filter_map(|&pixel| {
        let [x, y] = camera.ray(pixel)?;
        let [x, y, z] = apply(turned, [x, y, 1.0]);
        (z > 0.0).then(|| [focal_px * x / z, focal_px * y / z])
    });
    let seen: Vec<[f64; 2]> = seen.collect();
    let mean = |a: usize| match seen.len() {
        // With a side missing the mean would lean to the others.
        4 => seen.iter().map(|p| p[a]).sum::<f64>() / 4.0,
        _ => 0.0,
    };
    [0.5 * right - mean(0), 0.5 * bottom - mean(1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix3::IDENTITY;

    fn camera(lens: Lens, focal_px: f64, centre_px: [f64; 2]) -> Camera {
        Camera { focal_px: [focal_px, focal_px + 3.0], centre_px, lens, size_px: Some([640, 480]) }
    }

    fn rig(lens: [Lens; 2]) -> StereoRig {
        let right_from_left = rotation([1.0, 0.012, -0.02, 0.015]);
        let left = camera(lens[0], 500.0, [322.0, 237.0]);
        let right = camera(lens[1], 507.0, [315.0, 243.0]);
        StereoRig { left, right, right_from_left, translation_m: [-0.12, 0.004, -0.003] }
    }

    fn lenses() -> [[Lens; 2]; 3] {
        let radial = Lens::radial_tangential(&[-0.28, 0.07, 2e-4, -1e-4, 0.0]).unwrap();
        let fisheye = Lens::equidistant(&[-0.01, 0.02, -0.005, 0.001]).unwrap();
        [[Lens::Ideal; 2], [radial; 2], [fisheye, radial]]
    }

    #[test]
    fn a_point_lies_on_one_row_and_its_disparity_is_its_depth() {
        for lens in lenses() {
            let rig = rig(lens);
            let found = Rectification::of(&rig, [640, 480]).unwrap();
            for point in [[0.2, 0.1, 2.0], [-0.5, 0.3, 1.5], [0.0, 0.0, 7.0], [0.9, -0.6, 3.0]] {
                // As the rectified cameras see it.
                let in_left = apply(&found.rotations[0], point);
                let moved = apply(&rig.right_from_left, point);
                let in_right = apply(&found.rotations[1], [0, 1, 2].map(|a| moved[a] + rig.translation_m[a]));
                let pixel = |[x, y, z]: [f64; 3]| {
                    [
                        found.view.focal_px * x / z + found.view.centre_px[0],
                        found.view.focal_px * y / z + found.view.centre_px[1],
                    ]
                };
                let [left, right] = [pixel(in_left), pixel(in_right)];
                assert!((left[1] - right[1]).abs() < 1e-9, "rows {left:?} {right:?}");
                let depth_m = found.view.focal_px * found.view.baseline_m / (left[0] - right[0]);
                assert!((depth_m - in_left[2]).abs() < 1e-9 * depth_m, "{depth_m}");
                // As the pictures that were taken show it.
                let sources = [found.source_px(0, left), found.source_px(1, right)].map(Option::unwrap);
                let taken = [
                    rig.left.pixel(point).unwrap(),
                    rig.right.pixel([0, 1, 2].map(|a| moved[a] + rig.translation_m[a])).unwrap(),
                ];
                for (source, taken) in sources.iter().zip(taken) {
                    assert!((source[0] - taken[0]).hypot(source[1] - taken[1]) < 1e-8);
                }
                let q = found.view.world_from_disparity();
                let v = [left[0], left[1], left[0] - right[0], 1.0];
                let h = q.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>());
                let world = [0, 1, 2].map(|a| h[a] / h[3]);
                assert!((0..3).all(|a| (world[a] - in_left[a]).abs() < 1e-9), "{world:?} {in_left:?}");
            }
        }
    }

    #[test]
    fn cameras_that_are_rectified_stay() {
        let own = camera(Lens::Ideal, 497.0, [319.5, 239.5]);
        let own = Camera { focal_px: [500.0; 2], ..own };
        let rig =
            StereoRig { left: own, right: own, right_from_left: IDENTITY, translation_m: [-0.1, 0.0, 0.0] };
        let found = Rectification::of(&rig, [640, 480]).unwrap();
        let at = found.source_px(1, [12.0, 400.0]).unwrap();
        assert!((at[0] - 12.0).abs() < 1e-9 && (at[1] - 400.0).abs() < 1e-9, "{at:?}");
        assert_eq!((found.view.focal_px, found.view.baseline_m), (500.0, 0.1));
    }

    #[test]
    fn the_other_camera_first_is_the_same_rig() {
        let own = rig([Lens::Ideal; 2]);
        let back = own.exchanged().exchanged();
        assert!((0..3).all(|a| (back.translation_m[a] - own.translation_m[a]).abs() < 1e-15));
        assert!(Rectification::of(&own.exchanged(), [640, 480]).unwrap_err().to_string().contains("left"));
    }

    #[test]
    fn impossible_rigs_are_refused() {
        let of = |change: &dyn Fn(&mut StereoRig)| {
            let mut rig = rig([Lens::Ideal; 2]);
            change(&mut rig);
            Rectification::of(&rig, [640, 480]).unwrap_err().to_string()
        };
        assert!(of(&|rig| rig.translation_m = [0.0; 3]).contains("length above 0"));
        assert!(of(&|rig| rig.right_from_left[0][0] = 0.5).contains("rotation"));
        assert!(of(&|rig| rig.translation_m = [-0.01, 0.2, 0.0]).contains("place of the cameras"));
        assert!(of(&|rig| rig.left.focal_px[1] = 0.0).contains("focal lengths"));
        assert!(of(&|rig| rig.right.size_px = Some([320, 240])).contains("320 × 240"));
    }
}
