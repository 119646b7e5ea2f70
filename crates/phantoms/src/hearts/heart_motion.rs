//! The motion of a left ventricle: material points at end-diastole to positions at any state, and back, in
//! closed form.
//!
//! *Formula.* In cylindrical coordinates around the long axis z, with `u = r²` and material coordinates at
//! end-diastole, three maps follow each other; in the muscle:
//! 1. contraction and its price in radius: `U = (u − κ·a²(z)) / λ`, where `a(z)` is the radius of the
//!    endocardium;
//! 2. axial shortening: `Z = λ·z`;
//! 3. twist: `Φ = φ + τ·Z / length`.
//!
//! `r dr dφ dz = ½ du dφ dz`, so the determinants are `1/λ`, `λ` and 1: their product is exactly 1.
//! The endocardium stays an ellipsoid, its volume falls to `1 − κ`: κ is the ejection fraction.
//!
//! *Elsewhere.* In the cavity and outside the muscle `u → U` and `z → Z` continue as increasing curves
//! (`MonotoneCurve`), which come to rest at `REACH` and beyond `FADE_LENGTH`; shortening and twist fade with
//! the radius. The displacement is continuous, and so is its gradient (but for the very tip of the cavity);
//! the inverse is exact, by the inverses of the three maps in reverse order: nothing is undefined anywhere.

use crate::hearts::monotone::MonotoneCurve;
use crate::motions::motion::{Motion, smoothstep};

/// The shape at end-diastole, millimetres from the grid's centre; the long axis is z, the apex points to −z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HeartGeometry {
    /// One unit, mm; all lengths below are multiples of it.
    pub(crate) unit_mm: f64,
}

impl HeartGeometry {
    /// Largest radius of the endocardium, and of the epicardium.
    const ENDO_RADIUS: f64 = 22.0;
    const EPI_RADIUS: f64 = 33.0;
    /// Half lengths of the two ellipsoids along z, and their common middle.
    const ENDO_HALF_LENGTH: f64 = 44.0;
    const EPI_HALF_LENGTH: f64 = 53.0;
    const MIDDLE: f64 = 10.0;
    /// Plane of the valve: above it there is no muscle.
    pub(crate) const BASE: f64 = 28.0;
    /// Tip of the epicardium.
    const APEX: f64 = Self::MIDDLE - Self::EPI_HALF_LENGTH;
    /// Plane that neither shifts nor turns: midway between apex and base.
    const ANCHOR: f64 = (Self::BASE + Self::APEX) / 2.0;
    /// Radius up to which the muscle's law holds, and radius beyond which everything is at rest.
    const LAW_RADIUS: f64 = 34.0;
    const REACH: f64 = 55.0;
    /// Beyond apex and base the shortening fades over this length.
    const FADE_LENGTH: f64 = 22.0;

    /// a²(z), mm²: 0 below the cavity's tip, rounded off where it leaves 0.
    pub(crate) fn endo_square_mm(&self, z_mm: f64) -> f64 {
        const ROUNDING: f64 = 0.05;
        let zeta = (z_mm / self.unit_mm - Self::MIDDLE) / Self::ENDO_HALF_LENGTH;
        let h = 1.0 - zeta * zeta;
        let profile = if h <= 0.0 {
            0.0
        } else if h < ROUNDING {
            h * h / (2.0 * ROUNDING)
        } else {
            h - ROUNDING / 2.0
        };
        (Self::ENDO_RADIUS * self.unit_mm).powi(2) * profile
    }

    /// Square of the epicardium's radius, mm²; negative beyond its tips.
    pub(crate) fn epi_square_mm(&self, z_mm: f64) -> f64 {
        let zeta = (z_mm / self.unit_mm - Self::MIDDLE) / Self::EPI_HALF_LENGTH;
        (Self::EPI_RADIUS * self.unit_mm).powi(2) * (1.0 - zeta * zeta)
    }

    /// Whether a material point belongs to the muscle.
    pub(crate) fn in_muscle(&self, [x, y, z]: [f64; 3]) -> bool {
        let u = x * x + y * y;
        z <= Self::BASE * self.unit_mm && u >= self.endo_square_mm(z) && u <= self.epi_square_mm(z)
    }

    /// Whether a material point belongs to the ventricle's cavity.
    pub(crate) fn in_cavity(&self, [x, y, z]: [f64; 3]) -> bool {
        z <= Self::BASE * self.unit_mm && x * x + y * y < self.endo_square_mm(z)
    }
}

/// How far the heart is from end-diastole (all at rest).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HeartState {
    pub(crate) geometry: HeartGeometry,
    /// κ: share of the cavity's volume ejected so far.
    pub(crate) ejected: f64,
    /// λ: length over length at end-diastole.
    pub(crate) stretch: f64,
    /// τ: angle between base and apex, radians.
    pub(crate) twist_rad: f64,
}

impl HeartState {
    /// Where a material point is in this state (mm).
    pub(crate) fn position_from_material(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let u = x * x + y * y;
        let moved_u = self.radial(z).at(u);
        let moved_z = self.axial(moved_u).at(z);
        let grow = if u > 0.0 { (moved_u / u).sqrt() } else { 1.0 };
        let [x, y] = turned([grow * x, grow * y], self.angle_rad(moved_u, moved_z));
        [x, y, moved_z]
    }

    /// Which material point is at a position (mm) in this state.
    pub(crate) fn material_from_position(&self, [x, y, moved_z]: [f64; 3]) -> [f64; 3] {
        let moved_u = x * x + y * y;
        let z = self.axial(moved_u).inverse(moved_z);
        let u = self.radial(z).inverse(moved_u);
        let grow = if moved_u > 0.0 { (u / moved_u).sqrt() } else { 1.0 };
        let [x, y] = turned([grow * x, grow * y], -self.angle_rad(moved_u, moved_z));
        [x, y, z]
    }

    /// The curve `u → U` at a material height.
    fn radial(&self, z_mm: f64) -> MonotoneCurve {
        let endo = self.geometry.endo_square_mm(z_mm);
        let law = (HeartGeometry::LAW_RADIUS * self.geometry.unit_mm).powi(2);
        let reach = (HeartGeometry::REACH * self.geometry.unit_mm).powi(2);
        let slope = 1.0 / self.stretch;
        let moved = |u: f64| (u - self.ejected * endo) * slope;
        // In the middle of the cavity the curve starts flatter than its secant, to end at the muscle's slope;
        // at rest it is the identity.
        let rest = 1.0 - self.ejected;
        let start = slope * rest * (rest + 0.6 * (1.0 - rest * rest));
        MonotoneCurve::new([
            [0.0, 0.0, start],
            [endo, moved(endo), slope],
            [law, moved(law), slope],
            [reach, reach, 1.0],
        ])
    }

    /// The curve `z → Z` on the cylinder whose squared radius is `moved_u`.
    fn axial(&self, moved_u: f64) -> MonotoneCurve {
        let unit = self.geometry.unit_mm;
        let stretch = 1.0 - (1.0 - self.stretch) * self.presence(moved_u);
        let [low, high, anchor] =
            [HeartGeometry::APEX, HeartGeometry::BASE, HeartGeometry::ANCHOR].map(|v| v * unit);
        let moved = |z: f64| anchor + stretch * (z - anchor);
        let fade = HeartGeometry::FADE_LENGTH * unit;
        MonotoneCurve::new([
            [low - fade, low - fade, 1.0],
            [low, moved(low), stretch],
            [high, moved(high), stretch],
            [high + fade, high + fade, 1.0],
        ])
    }

    /// The angle Φ − φ, radians.
    fn angle_rad(&self, moved_u: f64, moved_z: f64) -> f64 {
        let unit = self.geometry.unit_mm;
        let length = self.stretch * (HeartGeometry::BASE - HeartGeometry::APEX) * unit;
        let height = moved_z - HeartGeometry::ANCHOR * unit;
        let beyond = (height.abs() - length / 2.0) / (HeartGeometry::FADE_LENGTH * unit);
        self.twist_rad * self.presence(moved_u) * (1.0 - smoothstep(beyond)) * height / length
    }

    /// How much of the motion acts: 1 where the muscle can be, falling to 0 at the reach.
    fn presence(&self, moved_u: f64) -> f64 {
        let reach = (HeartGeometry::REACH * self.geometry.unit_mm).powi(2);
        let law = (HeartGeometry::LAW_RADIUS * self.geometry.unit_mm).powi(2) / self.stretch;
        1.0 - smoothstep((moved_u - law) / (reach - law))
    }
}

fn turned([x, y]: [f64; 2], angle_rad: f64) -> [f64; 2] {
    let (s, c) = angle_rad.sin_cos();
    [c * x - s * y, s * x + c * y]
}

/// The motion between two states of a heart: `d(x) = position_to(material_from(x)) − x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeartMotion {
    pub(crate) from: HeartState,
    pub(crate) to: HeartState,
}

impl Motion for HeartMotion {
    fn displacement_mm(&self, position_mm: [f64; 3]) -> [f64; 3] {
        let moved = self.to.position_from_material(self.from.material_from_position(position_mm));
        [0, 1, 2].map(|a| moved[a] - position_mm[a])
    }
    fn in_muscle(&self, position_mm: [f64; 3]) -> Option<bool> {
        Some(self.from.geometry.in_muscle(self.from.material_from_position(position_mm)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motions::motion::checks::{check_determinant, lattice};

    fn state(ejected: f64, stretch: f64, twist_rad: f64) -> HeartState {
        HeartState { geometry: HeartGeometry { unit_mm: 0.9 }, ejected, stretch, twist_rad }
    }

    #[test]
    fn rest_is_the_identity_up_to_the_radial_fade() {
        for p in lattice(60.0, false) {
            let q = state(0.0, 1.0, 0.0).position_from_material(p);
            assert!((0..3).all(|a| (p[a] - q[a]).abs() < 1e-10), "{p:?} to {q:?}");
        }
    }

    #[test]
    fn the_inverse_is_exact_everywhere() {
        for s in [state(0.3, 0.95, 0.1), state(0.55, 0.85, 0.27)] {
            for p in lattice(60.0, false) {
                let q = s.material_from_position(s.position_from_material(p));
                assert!((0..3).all(|a| (p[a] - q[a]).abs() < 1e-9), "{p:?} to {q:?}");
            }
        }
    }

    #[test]
    fn the_muscle_keeps_its_volume_between_any_two_states() {
        let (rest, half, full) = (state(0.0, 1.0, 0.0), state(0.3, 0.95, 0.1), state(0.55, 0.85, 0.27));
        for (from, to) in [(rest, full), (full, rest), (half, full)] {
            let muscle = check_determinant(&HeartMotion { from, to }, &lattice(48.0, false));
            assert!(muscle > 150, "{muscle}");
        }
    }
}
