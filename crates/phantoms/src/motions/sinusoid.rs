//! A smooth standing wave, different in every component.

use crate::motions::motion::Motion;
use std::f64::consts::TAU;
use veloxel_core::matrix3::{IDENTITY, determinant};

/// `d_a(x) = A_a · sin(2π x_b / L + φ_a) · cos(2π x_c / L)` with `(a, b, c)` cyclic.
///
/// No component depends on its own coordinate, so div d = 0 everywhere, yet det ≠ 1: the shears interact.
/// Without a z amplitude `x` follows `y` and `y` follows `x` (`c = z`); in 2-D, where z = 0, that is
/// `d_x = A sin(2π y / L)`, `d_y = A sin(2π x / L + 1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sinusoid {
    /// Amplitude A of each component, mm; 0 for z on 2-D grids.
    pub amplitude_mm: [f64; 3],
    /// Wavelength L, mm; at least `2π·A` or the motion folds.
    pub wavelength_mm: f64,
}

impl Sinusoid {
    /// Phases φ of the components, radians: without them the centre would be at rest.
    const PHASE_RAD: [f64; 3] = [0.0, 1.0, 2.0];

    /// Component `a` of the motion.
    fn wave(&self, a: usize, position_mm: [f64; 3]) -> Wave {
        let k = TAU / self.wavelength_mm;
        // The planar motion has its shears in x and y alone: y follows x, x follows y.
        let planar = self.amplitude_mm[2] == 0.0;
        let [b, c] = match (planar, a) {
            (true, 0) => [1, 2],
            (true, 1) => [0, 2],
            _ => [(a + 1) % 3, (a + 2) % 3],
        };
        let (sin, sin_slope) = (k * position_mm[b] + Self::PHASE_RAD[a]).sin_cos();
        let (cos_slope, cos) = (k * position_mm[c]).sin_cos();
        let amplitude = self.amplitude_mm[a];
        Wave {
            displacement_mm: amplitude * sin * cos,
            slopes: [(b, amplitude * (k * sin_slope) * cos), (c, amplitude * sin * (-k * cos_slope))],
        }
    }
}

/// A component of the motion, and its derivatives along two axes.
struct Wave {
    displacement_mm: f64,
    slopes: [(usize, f64); 2],
}

impl Motion for Sinusoid {
    fn displacement_mm(&self, position_mm: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|a| self.wave(a, position_mm).displacement_mm)
    }
    fn determinant(&self, position_mm: [f64; 3]) -> Option<f64> {
        let mut gradient = IDENTITY;
        for (a, row) in gradient.iter_mut().enumerate() {
            self.wave(a, position_mm).slopes.into_iter().for_each(|(axis, slope)| row[axis] += slope);
        }
        Some(determinant(&gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motions::motion::checks::{check_determinant, lattice};

    #[test]
    fn the_determinant_is_the_numeric_one_in_space_and_in_the_plane() {
        check_determinant(
            &Sinusoid { amplitude_mm: [2.0, 1.5, 1.0], wavelength_mm: 40.0 },
            &lattice(30.0, false),
        );
        let planar = Sinusoid { amplitude_mm: [2.0, 2.0, 0.0], wavelength_mm: 32.0 };
        check_determinant(&planar, &lattice(30.0, true));
        assert_eq!(planar.displacement_mm([3.0, 8.0, 0.0])[0], 2.0, "a quarter wave along y");
    }

    #[test]
    fn no_component_depends_on_its_own_coordinate() {
        let motion = Sinusoid { amplitude_mm: [2.0, 1.5, 1.0], wavelength_mm: 40.0 };
        for p in lattice(20.0, false) {
            for a in 0..3 {
                let mut q = p;
                q[a] += 3.0;
                assert!((motion.displacement_mm(p)[a] - motion.displacement_mm(q)[a]).abs() < 1e-12);
            }
        }
    }
}
