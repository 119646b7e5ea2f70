//! Turns whose angle varies from place to place, at constant volume: a torsion in 3-D and a vortex in 2-D and
//! 3-D.

use crate::motions::motion::Motion;

/// Torsion about z: `x + d(x) = R_z(rate·z)·x`; det = 1 everywhere.
///
/// In the plane z = 0 nothing moves: for 2-D grids there is [`Vortex`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Twist {
    /// Radians per millimetre of z.
    pub rate_rad_per_mm: f64,
}

impl Motion for Twist {
    fn displacement_mm(&self, position_mm: [f64; 3]) -> [f64; 3] {
        turn_about_z(position_mm, self.rate_rad_per_mm * position_mm[2])
    }
    fn determinant(&self, _position_mm: [f64; 3]) -> Option<f64> {
        Some(1.0)
    }
}

/// A vortex about z: `x + d(x) = R_z(θ(r))·x` with `θ(r) = θ₀ exp(−r²/2s²)`, `r² = x² + y²`; det = 1
/// everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vortex {
    /// Angle θ₀ at the centre, radians.
    pub angle_rad: f64,
    /// Radius s at which the angle has fallen to 61 %, mm; the displacement is largest there: `0.61 · θ₀ ·
    /// s`.
    pub radius_mm: f64,
}

impl Motion for Vortex {
    fn displacement_mm(&self, position_mm: [f64; 3]) -> [f64; 3] {
        let [x, y, _] = position_mm;
        let square = (x * x + y * y) / (self.radius_mm * self.radius_mm);
        turn_about_z(position_mm, self.angle_rad * (-square / 2.0).exp())
    }
    fn determinant(&self, _position_mm: [f64; 3]) -> Option<f64> {
        Some(1.0)
    }
}

/// `R_z(angle)·x − x`, without the cancellation that `cos − 1` has for small angles.
fn turn_about_z([x, y, _]: [f64; 3], angle_rad: f64) -> [f64; 3] {
    let sin = angle_rad.sin();
    let half = (angle_rad / 2.0).sin();
    let versine = 2.0 * half * half;
    [-versine * x - sin * y, sin * x - versine * y, 0.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motions::motion::checks::{check_determinant, lattice};

    #[test]
    fn a_twist_turns_every_plane_by_its_own_angle() {
        let motion = Twist { rate_rad_per_mm: 0.02 };
        check_determinant(&motion, &lattice(30.0, false));
        let d = motion.displacement_mm([10.0, 0.0, 5.0]);
        let (s, c) = 0.1f64.sin_cos();
        for (got, expected) in d.iter().zip([10.0 * c - 10.0, 10.0 * s, 0.0]) {
            assert!((got - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_vortex_keeps_areas_and_its_largest_displacement_is_where_it_says() {
        let motion = Vortex { angle_rad: 0.3, radius_mm: 12.0 };
        check_determinant(&motion, &lattice(30.0, true));
        let length = |r: f64| motion.displacement_mm([r, 0.0, 0.0]).iter().map(|d| d * d).sum::<f64>().sqrt();
        assert!((length(12.0) - 0.61 * 0.3 * 12.0).abs() < 0.02);
        assert!(length(12.0) > length(9.0) && length(12.0) > length(15.0));
    }
}
