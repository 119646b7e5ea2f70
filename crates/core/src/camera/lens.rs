//! What a lens does to a ray: where it lands on the plane at distance 1, and back.
//!
//! *Papers*: D. C. Brown, "Close-range camera calibration", Photogrammetric Engineering 37(8), 1971 (radial and tangential, also
//! called *radtan* or *plumb_bob*); D. Claus, A. Fitzgibbon, "A rational function lens distortion model for general cameras", CVPR
//! 2005, doi:10.1109/CVPR.2005.43, as OpenCV has it; J. Kannala, S. Brandt, "A generic camera model and calibration method for
//! conventional, wide-angle, and fish-eye lenses", PAMI 28(8), 2006, doi:10.1109/TPAMI.2006.153 (*equidistant*).

use super::tilt::Tilt;
use crate::error::CoreError;

/// A model of a lens.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Lens {
    /// A pinhole without a lens.
    #[default]
    Ideal,
    /// Radial and tangential distortion, with thin prisms and a tilted sensor.
    RadialTangential {
        /// `k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 τx τy`, as OpenCV orders them: `r` is stretched by
        /// `(1 + k1 r² + k2 r⁴ + k3 r⁶) / (1 + k4 r² + k5 r⁴ + k6 r⁶)`, thin prisms shift by `(s1 r² + s2 r⁴, s3 r² + s4 r⁴)`, and
        /// the sensor is tilted about x and y, radians.
        coefficients: [f64; 14],
        /// The radius of a ray up to which the radius of its picture grows; beyond it the model says nothing.
        most_radius: f64,
        /// What the tilt does; none where there is none.
        tilt: Option<Tilt>,
    },
    /// A fisheye whose picture's radius is `θ (1 + k1 θ² + k2 θ⁴ + k3 θ⁶ + k4 θ⁸)` of the angle θ to the axis.
    Equidistant {
        /// `k1 k2 k3 k4`.
        coefficients: [f64; 4],
        /// The angle, radians, up to which the radius grows; beyond it the model says nothing.
        most_angle_rad: f64,
    },
}

/// Steps in which it is looked up to where a radius grows, and the largest radius that is looked at: 84 degrees off the axis.
const STEP: f64 = 1e-3;
const MOST_RADIUS: f64 = 10.0;
/// Refinements of a ray; each gains digits, and the last are below rounding where a lens is mild.
const ROUNDS: usize = 100;
/// Where a refinement ends.
const ENOUGH: f64 = 1e-14;

impl Lens {
    /// A radial and tangential lens: no coefficient, or `k1 k2 p1 p2`, with `k3`, with `k4 k5 k6`, with `s1 s2 s3 s4` (thin prisms),
    /// with `τx τy` (a tilted sensor).
    ///
    /// # Errors
    /// [`CoreError::Camera`] for another number of coefficients, one that is not finite, or a tilt of a right angle and more.
    pub fn radial_tangential(given: &[f64]) -> Result<Self, CoreError> {
        let is_taken = matches!(given.len(), 0 | 4 | 5 | 8 | 12 | 14);
        require(
            is_taken,
            "4, 5, 8, 12 or 14 coefficients (k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 τx τy)",
            given,
        )?;
        let mut coefficients = [0.0; 14];
        coefficients.iter_mut().zip(given).for_each(|(own, given)| *own = *given);
        if coefficients == [0.0; 14] {
            return Ok(Self::Ideal);
        }
        let angles_rad = [coefficients[12], coefficients[13]];
        if angles_rad.iter().any(|angle| angle.abs() >= std::f64::consts::FRAC_PI_2) {
            let (what, expected) = ("tilt of the sensor".to_owned(), "less than a right angle".to_owned());
            return Err(CoreError::Camera { what, expected, got: format!("{angles_rad:?} rad") });
        }
        let most_radius = growing(MOST_RADIUS, |r| r * stretch(&coefficients, r * r));
        Ok(Self::RadialTangential { coefficients, most_radius, tilt: Tilt::of(angles_rad) })
    }

    /// An equidistant fisheye of four coefficients.
    ///
    /// # Errors
    /// [`CoreError::Camera`] for another number of coefficients, or one that is not finite.
    pub fn equidistant(given: &[f64]) -> Result<Self, CoreError> {
        require(given.len() == 4, "4 coefficients (k1 k2 k3 k4)", given)?;
        let coefficients = [given[0], given[1], given[2], given[3]];
        let most_angle_rad = growing(std::f64::consts::PI, |angle| picture_radius(&coefficients, angle));
        Ok(Self::Equidistant { coefficients, most_angle_rad })
    }

    /// Where a point of the camera's frame is seen, on the plane at distance 1; none where the lens does not see it.
    pub fn distorted(&self, [x, y, z]: [f64; 3]) -> Option<[f64; 2]> {
        match self {
            Self::Ideal => (z > 0.0).then(|| [x / z, y / z]),
            Self::RadialTangential { coefficients, most_radius, tilt } => {
                let ray = [x / z, y / z];
                let is_seen = z > 0.0 && ray[0].hypot(ray[1]) <= *most_radius;
                let upright = is_seen.then(|| radial_tangential(coefficients, ray))?;
                Some(tilt.map_or(upright, |tilt| tilt.tilted(upright)))
            }
            Self::Equidistant { coefficients, most_angle_rad } => {
                let radius = x.hypot(y);
                let angle = radius.atan2(z);
                if angle > *most_angle_rad {
                    return None;
                }
                if radius == 0.0 {
                    return Some([0.0; 2]);
                }
                let scale = picture_radius(coefficients, angle) / radius;
                Some([x * scale, y * scale])
            }
        }
    }

    /// The ray `(x, y)`, at distance 1, of a place on that plane: the inverse of [`distorted`](Self::distorted). None where the
    /// model has none before the camera.
    pub fn ray(&self, seen: [f64; 2]) -> Option<[f64; 2]> {
        match self {
            Self::Ideal => Some(seen),
            Self::RadialTangential { coefficients, most_radius, tilt } => {
                let seen = tilt.map_or(seen, |tilt| tilt.upright(seen));
                let mut ray = seen;
                for _ in 0..ROUNDS {
                    let stretched = stretch(coefficients, ray[0] * ray[0] + ray[1] * ray[1]);
                    let shift = shift(coefficients, ray);
                    let next = [0, 1].map(|a| (seen[a] - shift[a]) / stretched);
                    let change = (next[0] - ray[0]).hypot(next[1] - ray[1]);
                    ray = next;
                    if change <= ENOUGH {
                        break;
                    }
                }
                (ray[0].hypot(ray[1]) <= *most_radius).then_some(ray)
            }
            Self::Equidistant { coefficients, most_angle_rad } => {
                let radius = seen[0].hypot(seen[1]);
                if radius == 0.0 {
                    return Some([0.0; 2]);
                }
                let right_angle = std::f64::consts::FRAC_PI_2;
                let (mut low, mut high) = (0.0, most_angle_rad.min(right_angle));
                if radius >= picture_radius(coefficients, high) {
                    return None;
                }
                // Bisection: the radius grows with the angle, and no start is needed.
                for _ in 0..ROUNDS {
                    let middle = 0.5 * (low + high);
                    if picture_radius(coefficients, middle) < radius { low = middle } else { high = middle }
                }
                let scale = high.tan() / radius;
                Some(seen.map(|v| v * scale))
            }
        }
    }
}

fn require(is_right: bool, expected: &str, given: &[f64]) -> Result<(), CoreError> {
    let what = || "distortion coefficients".to_owned();
    if let Some(value) = given.iter().find(|value| !value.is_finite()) {
        let expected = "finite numbers".to_owned();
        return Err(CoreError::Camera { what: what(), expected, got: value.to_string() });
    }
    if is_right {
        return Ok(());
    }
    let got = format!("{} coefficients", given.len());
    Err(CoreError::Camera { what: what(), expected: expected.to_owned(), got })
}

/// How much a radius is stretched, of its square.
fn stretch([k1, k2, _, _, k3, k4, k5, k6, ..]: &[f64; 14], r2: f64) -> f64 {
    (1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1.0 + r2 * (k4 + r2 * (k5 + r2 * k6)))
}

/// The shift of a ray that is not radial: the tangential part and that of thin prisms.
fn shift([_, _, p1, p2, _, _, _, _, s1, s2, s3, s4, ..]: &[f64; 14], [x, y]: [f64; 2]) -> [f64; 2] {
    let r2 = x * x + y * y;
    let tangential = [2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x), p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y];
    [tangential[0] + r2 * (s1 + r2 * s2), tangential[1] + r2 * (s3 + r2 * s4)]
}

fn radial_tangential(coefficients: &[f64; 14], [x, y]: [f64; 2]) -> [f64; 2] {
    let (stretched, shift) = (stretch(coefficients, x * x + y * y), shift(coefficients, [x, y]));
    [x * stretched + shift[0], y * stretched + shift[1]]
}

fn picture_radius([k1, k2, k3, k4]: &[f64; 4], angle: f64) -> f64 {
    let a2 = angle * angle;
    angle * (1.0 + a2 * (k1 + a2 * (k2 + a2 * (k3 + a2 * k4))))
}

/// Up to where, and at most to `last`, a radius grows with its argument.
fn growing(last: f64, radius: impl Fn(f64) -> f64) -> f64 {
    let steps = (last / STEP) as usize;
    let grows = |&k: &usize| radius((k + 1) as f64 * STEP) > radius(k as f64 * STEP);
    let grown = (0..steps).take_while(grows).count();
    if grown == steps { last } else { grown as f64 * STEP }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: [f64; 2], b: [f64; 2]) -> bool {
        (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-9
    }

    const OF_PRISMS: [f64; 2] = [0.29246612399130656, -0.19468816599420438];
    const OF_A_TILT: [f64; 2] = [0.2926435708432997, -0.19473553498572177];

    fn prisms_and_tilt() -> [f64; 14] {
        [0.2, 0.05, 1e-4, 1e-4, 0.01, 0.4, 0.1, 0.02, 1e-3, -2e-3, 1.5e-3, 5e-4, 0.02, -0.015]
    }

    /// Values of OpenCV 5.0's projectPoints.
    #[test]
    fn prisms_and_tilts_are_as_opencv_has_them() {
        let lens = |count: usize| Lens::radial_tangential(&prisms_and_tilt()[..count]).unwrap();
        let prisms = lens(12).distorted([0.3, -0.2, 1.0]).unwrap();
        assert!(near(prisms, OF_PRISMS), "{prisms:?}");
        let tilted = lens(14).distorted([0.3, -0.2, 1.0]).unwrap();
        assert!(near(tilted, OF_A_TILT), "{tilted:?}");
    }

    #[test]
    fn a_ray_is_found_again_behind_every_lens() {
        let lenses = [
            Lens::Ideal,
            Lens::radial_tangential(&[-0.28, 0.07, 2e-4, -1e-4]).unwrap(),
            Lens::radial_tangential(&[-0.28, 0.07, 2e-4, -1e-4, 0.01]).unwrap(),
            Lens::radial_tangential(&[0.2, 0.05, 1e-4, 1e-4, 0.01, 0.4, 0.1, 0.02]).unwrap(),
            Lens::radial_tangential(&prisms_and_tilt()[..12]).unwrap(),
            Lens::radial_tangential(&prisms_and_tilt()).unwrap(),
            Lens::equidistant(&[-0.01, 0.02, -0.005, 0.001]).unwrap(),
        ];
        for lens in lenses {
            for ray in [[0.0, 0.0], [0.3, -0.2], [-0.6, 0.4], [0.05, 0.7]] {
                let seen = lens.distorted([2.0 * ray[0], 2.0 * ray[1], 2.0]).unwrap();
                assert!(near(lens.ray(seen).unwrap(), ray), "{lens:?} {ray:?}");
            }
            let behind = lens.distorted([0.1, 0.0, -1.0]);
            assert_eq!(behind.is_some(), matches!(lens, Lens::Equidistant { .. }), "{lens:?}");
        }
    }

    #[test]
    fn beyond_the_turn_of_a_barrel_nothing_is_seen() {
        // r (1 - r²/4) turns back at r = 2 / √3.
        let barrel = Lens::radial_tangential(&[-0.25, 0.0, 0.0, 0.0]).unwrap();
        assert!(barrel.distorted([1.15, 0.0, 1.0]).is_some());
        assert_eq!(barrel.distorted([1.16, 0.0, 1.0]), None);
    }

    #[test]
    fn other_numbers_of_coefficients_are_refused() {
        assert_eq!(Lens::radial_tangential(&[]), Ok(Lens::Ideal));
        assert!(Lens::radial_tangential(&[0.1; 3]).unwrap_err().to_string().contains("3 coefficients"));
        assert!(Lens::radial_tangential(&[0.1, 0.0, f64::NAN, 0.0]).is_err());
        assert!(Lens::radial_tangential(&[0.1; 13]).is_err());
        assert!(Lens::radial_tangential(&[1.6; 14]).unwrap_err().to_string().contains("right angle"));
        assert_eq!(Lens::radial_tangential(&[0.0; 14]), Ok(Lens::Ideal));
        assert!(Lens::equidistant(&[0.0; 5]).is_err());
    }
}
