//! Colours: the wheel for directions, ramps for scalars.
//!
//! *Source* of the wheel's hues: S. Baker et al., IJCV 92(1), 2011, section 4.2 (red to the right, yellow down, and
//! more steps where more hues can be distinguished).

/// A colour: red, green, blue.
pub(crate) type Rgb = [u8; 3];

/// Hue steps up to each corner of the wheel, and the corner's colour.
const CORNERS: [(f32, [f32; 3]); 7] = [
    (0.0, [1.0, 0.0, 0.0]),
    (15.0, [1.0, 1.0, 0.0]),
    (21.0, [0.0, 1.0, 0.0]),
    (25.0, [0.0, 1.0, 1.0]),
    (36.0, [0.0, 0.0, 1.0]),
    (49.0, [1.0, 0.0, 1.0]),
    (55.0, [1.0, 0.0, 0.0]),
];

/// Colour of a vector (right, down) whose length is a share of the scale: white at 0, full at 1, darker beyond.
///
/// The vector should be finite.
pub(crate) fn wheel(vector: [f32; 2]) -> Rgb {
    let length = vector[0].hypot(vector[1]);
    let hue = interpolate(&CORNERS, 55.0 * turn(vector));
    let tint = |c: f32| if length <= 1.0 { 1.0 - length * (1.0 - c) } else { 0.75 * c };
    hue.map(|c| (255.0 * tint(c)).round() as u8)
}

/// The full colour of a vector's direction (right, down), whatever its length; white at 0.
///
/// The vector should be finite.
pub(crate) fn full_hue(vector: [f32; 2]) -> Rgb {
    // A length of 1 may be rounded to one beyond it, which is darker.
    let length = vector[0].hypot(vector[1]).max(f32::MIN_POSITIVE) * 1.000_01;
    wheel(vector.map(|c| c / length))
}

/// Colour of an orientation, given as `strength · (cos 2θ, sin 2θ)`: the wheel's hues once around for half a turn,
/// black where the strength is 0.
///
/// The vector should be finite.
pub(crate) fn orientation_wheel(doubled: [f32; 2]) -> Rgb {
    let strength = doubled[0].hypot(doubled[1]).min(1.0);
    interpolate(&CORNERS, 55.0 * turn(doubled)).map(|c| (255.0 * strength * c).round() as u8)
}

/// The colours once around a line's profile: bright line, falling edge, dark line, rising edge.
const PROFILE: [(f32, [f32; 3]); 5] = [
    (0.0, [0.98, 0.96, 0.90]),
    (0.25, [0.86, 0.36, 0.24]),
    (0.5, [0.09, 0.08, 0.13]),
    (0.75, [0.20, 0.44, 0.76]),
    (1.0, [0.98, 0.96, 0.90]),
];
/// Grey that a profile fades to without contrast.
const FLAT: f32 = 0.5;

/// Colour of a phase, given as `strength · (cos φ, sin φ)`: light for a bright line (0), dark for a dark one (π), red and
/// blue for the two edges (π/2, −π/2), grey where the strength is 0.
///
/// The vector should be finite.
pub(crate) fn phase_wheel(vector: [f32; 2]) -> Rgb {
    let strength = vector[0].hypot(vector[1]).min(1.0);
    interpolate(&PROFILE, turn(vector)).map(|c| (255.0 * (FLAT + strength * (c - FLAT))).round() as u8)
}

/// The angle of a vector in turns, 0 to 1, from the right downwards.
fn turn([right, down]: [f32; 2]) -> f32 {
    down.atan2(right).rem_euclid(std::f32::consts::TAU) / std::f32::consts::TAU
}

/// A ramp of colours over `[0, 1]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ramp {
    /// Black to white: images.
    Grey,
    /// Dark blue over green to yellow: confidence.
    Sequential,
    /// Near black over red to pale yellow: errors.
    Heat,
    /// Blue over white to red: signed differences.
    Difference,
    /// Navy over green and sand to pale rose, rising in lightness throughout: disparity, near is light.
    Depth,
    /// Violet over white to green: shrinking and growing.
    Volume,
}

impl Ramp {
    fn stops(self) -> &'static [(f32, [f32; 3])] {
        match self {
            Self::Grey => &[(0.0, [0.0; 3]), (1.0, [1.0; 3])],
            Self::Sequential => &[
                (0.0, [0.16, 0.07, 0.32]),
                (0.25, [0.16, 0.28, 0.52]),
                (0.5, [0.10, 0.52, 0.55]),
                (0.75, [0.38, 0.76, 0.41]),
                (1.0, [0.98, 0.91, 0.33]),
            ],
            Self::Heat => &[
                (0.0, [0.04, 0.03, 0.10]),
                (0.25, [0.31, 0.07, 0.42]),
                (0.5, [0.72, 0.18, 0.39]),
                (0.75, [0.97, 0.50, 0.30]),
                (1.0, [0.99, 0.95, 0.75]),
            ],
            Self::Difference => &[
                (0.0, [0.05, 0.19, 0.42]),
                (0.25, [0.26, 0.55, 0.80]),
                (0.5, [0.97, 0.97, 0.96]),
                (0.75, [0.88, 0.42, 0.34]),
                (1.0, [0.45, 0.03, 0.12]),
            ],
            Self::Depth => &[
                (0.0, [0.04, 0.11, 0.29]),
                (0.2, [0.09, 0.29, 0.43]),
                (0.4, [0.20, 0.45, 0.41]),
                (0.6, [0.52, 0.57, 0.22]),
                (0.8, [0.92, 0.64, 0.34]),
                (1.0, [0.99, 0.86, 0.85]),
            ],
            Self::Volume => &[
                (0.0, [0.27, 0.06, 0.38]),
                (0.25, [0.60, 0.44, 0.71]),
                (0.5, [0.97, 0.97, 0.96]),
                (0.75, [0.44, 0.73, 0.46]),
                (1.0, [0.02, 0.29, 0.13]),
            ],
        }
    }

    /// The colour at a share of the ramp; clamped.
    pub fn at(self, share: f32) -> Rgb {
        interpolate(self.stops(), share.clamp(0.0, 1.0)).map(|c| (255.0 * c).round() as u8)
    }
}

/// Straight lines between stops of rising position.
fn interpolate(stops: &[(f32, [f32; 3])], position: f32) -> [f32; 3] {
    let after = stops.iter().position(|s| s.0 >= position).unwrap_or(stops.len() - 1).max(1);
    let ((p0, c0), (p1, c1)) = (stops[after - 1], stops[after]);
    let t = ((position - p0) / (p1 - p0)).clamp(0.0, 1.0);
    [0, 1, 2].map(|k| c0[k] + t * (c1[k] - c0[k]))
}

/// The colour as text: `#rrggbb`.
pub(crate) fn hex(colour: Rgb) -> String {
    format!("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheel_is_red_right_yellow_down_and_white_at_rest() {
        assert_eq!(wheel([1.0, 0.0]), [255, 0, 0]);
        let [r, g, b] = wheel([0.0, 1.0]);
        assert!(r > 220 && g > 220 && b == 0, "down is close to yellow: {r} {g} {b}");
        let [r, g, b] = wheel([-1.0, 0.0]);
        assert!(r == 0 && b == 255 && g > 180, "left is close to cyan: {r} {g} {b}");
        let [r, g, b] = wheel([0.0, -1.0]);
        assert!(b == 255 && g == 0 && r > 50, "up is violet: {r} {g} {b}");
        assert_eq!(wheel([0.0, 0.0]), [255, 255, 255]);
        assert_eq!(wheel([2.0, 0.0]), [191, 0, 0], "beyond the scale is darker");
    }

    /// Rec. 709 luma is close enough to lightness to order colours.
    fn lightness([r, g, b]: Rgb) -> f32 {
        0.2126 * f32::from(r) + 0.7152 * f32::from(g) + 0.0722 * f32::from(b)
    }

    #[test]
    fn nearer_is_always_lighter() {
        let ramp: Vec<f32> = (0..=50).map(|i| lightness(Ramp::Depth.at(i as f32 / 50.0))).collect();
        assert!(ramp.windows(2).all(|w| w[1] > w[0]), "{ramp:?}");
    }

    #[test]
    fn half_a_turn_is_the_same_orientation_and_a_whole_one_the_same_phase() {
        let orientation = |degrees: f32| {
            let (sin, cos) = (2.0 * degrees.to_radians()).sin_cos();
            orientation_wheel([cos, sin])
        };
        assert_eq!(orientation(0.0), [255, 0, 0]);
        let (a, b) = (orientation(10.0), orientation(190.0));
        assert!(a.iter().zip(b).all(|(x, y)| x.abs_diff(y) <= 1), "{a:?} {b:?}");
        assert_eq!(orientation_wheel([0.0, 0.0]), [0; 3]);
        assert!(lightness(phase_wheel([1.0, 0.0])) > 230.0 && lightness(phase_wheel([-1.0, 0.0])) < 30.0);
        assert_eq!(phase_wheel([0.0, 0.0]), [128; 3]);
    }

    #[test]
    fn ramps_end_where_they_say() {
        assert_eq!(Ramp::Grey.at(-1.0), [0; 3]);
        assert_eq!(Ramp::Grey.at(9.0), [255; 3]);
        assert_eq!(Ramp::Difference.at(0.5), [247, 247, 245]);
    }
}
