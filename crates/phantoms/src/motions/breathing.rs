//! Breathing: the diaphragm moves along the body's axis, the chest's front a little, the apex of the lungs not at all.

use crate::motions::motion::Motion;
use std::f64::consts::PI;

/// `d_z = A s(z)`, `d_y = B s(z)`, with `s = ½ (1 + cos πt)`, t from 0 at the diaphragm to 1 at the apex and constant beyond.
///
/// It does not fold as long as `π A / 2` is below the distance from the diaphragm to the apex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breathing {
    /// A: how far the diaphragm moves along z, mm.
    pub diaphragm_mm: f64,
    /// B: how far everything at its height moves along y, mm.
    pub front_mm: f64,
    /// Where along z the diaphragm is, and the apex, mm.
    pub from_to_mm: [f64; 2],
}

impl Breathing {
    fn part(&self, z_mm: f64) -> f64 {
        let [from, to] = self.from_to_mm;
        ((z_mm - from) / (to - from)).clamp(0.0, 1.0)
    }
}

impl Motion for Breathing {
    fn displacement_mm(&self, [_, _, z_mm]: [f64; 3]) -> [f64; 3] {
        let share = 0.5 * (1.0 + (PI * self.part(z_mm)).cos());
        [0.0, self.front_mm * share, self.diaphragm_mm * share]
    }
    fn determinant(&self, [_, _, z_mm]: [f64; 3]) -> Option<f64> {
        let [from, to] = self.from_to_mm;
        let slope = -0.5 * PI * (PI * self.part(z_mm)).sin() / (to - from);
        Some(1.0 + self.diaphragm_mm * slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motions::motion::checks::{check_determinant, lattice};

    const MOTION: Breathing = Breathing { diaphragm_mm: 20.0, front_mm: 4.0, from_to_mm: [-35.0, 40.0] };

    #[test]
    fn the_determinant_is_the_derivative() {
        check_determinant(&MOTION, &lattice(30.0, false));
    }

    #[test]
    fn the_diaphragm_moves_and_the_apex_does_not() {
        assert_eq!(MOTION.displacement_mm([3.0, 2.0, -50.0]), [0.0, 4.0, 20.0]);
        assert!(MOTION.displacement_mm([3.0, 2.0, 41.0]).iter().all(|d| d.abs() < 1e-12));
    }
}
