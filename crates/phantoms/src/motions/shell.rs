//! A thick shell that beats: its wall moves inwards and thickens at constant volume.

use crate::motions::motion::{Motion, smoothstep, smoothstep_slope};

/// What the radius of a shell is measured from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ShellShape {
    /// From the centre: `r² = x² + y² + z²`.
    Sphere,
    /// From the z axis: `r² = x² + y²`. With `axial_stretch = 1` this is the circular shell of 2-D grids.
    Cylinder {
        /// λ: `z' = λ z` everywhere; below 1 the cylinder shortens.
        axial_stretch: f64,
    },
}

/// Radial beating with det F = 1 in the muscle.
///
/// *Formula.* With `n = 3` for the sphere and `n = 2` for the cylinder, `u = rⁿ`:
/// `r'ⁿ = (u + c·w(u)) / λ` (sphere: λ = 1) and `z' = λ z`, so that `det F = 1 + c·w'(u)`.
/// In the muscle, `inner ≤ r ≤ outer`, `w = 1` and the determinant is 1 exactly.
/// Inside, `w` rises from 0 at the centre by a quintic step; outside it falls to 0 at `reach_mm`, so that the
/// displacement is twice continuously differentiable everywhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BeatingShell {
    /// Sphere, cylinder or circle.
    pub shape: ShellShape,
    /// Inner radius of the muscle in the fixed image, mm.
    pub inner_mm: f64,
    /// Outer radius of the muscle in the fixed image, mm.
    pub outer_mm: f64,
    /// Radius beyond which only the axial stretch acts, mm.
    pub reach_mm: f64,
    /// c, mm² or mm³; negative contracts. Folds unless `-innerⁿ < 1.875·c < reachⁿ − outerⁿ`.
    constant: f64,
}

impl BeatingShell {
    /// The shell that takes the inner radius to `inner_after_mm` (before the axial stretch of a cylinder is
    /// paid for by the radius).
    ///
    /// `reach_mm` is twice the outer radius. The inner radius may shrink to `0.69` (cylinder) or `0.78`
    /// (sphere) of itself before the cavity folds.
    pub fn new(shape: ShellShape, inner_mm: f64, outer_mm: f64, inner_after_mm: f64) -> Self {
        let power = exponent(shape);
        let constant = inner_after_mm.powf(power) - inner_mm.powf(power);
        Self { shape, inner_mm, outer_mm, reach_mm: 2.0 * outer_mm, constant }
    }

    /// The circular shell of 2-D grids.
    pub fn circle(inner_mm: f64, outer_mm: f64, inner_after_mm: f64) -> Self {
        Self::new(ShellShape::Cylinder { axial_stretch: 1.0 }, inner_mm, outer_mm, inner_after_mm)
    }

    /// Where a radius of the fixed image lies in the moving image, mm.
    pub(crate) fn moved_radius_mm(&self, radius_mm: f64) -> f64 {
        let power = exponent(self.shape);
        let u = radius_mm.powf(power);
        ((u + self.constant * self.weight(u).0) / self.stretch()).max(0.0).powf(1.0 / power)
    }

    /// `w(u)` and `w'(u)`.
    fn weight(&self, u: f64) -> (f64, f64) {
        let power = exponent(self.shape);
        let [inner, outer, reach] = [self.inner_mm, self.outer_mm, self.reach_mm].map(|r| r.powf(power));
        if u < inner {
            (smoothstep(u / inner), smoothstep_slope(u / inner) / inner)
        } else {
            let width = reach - outer;
            let t = (u - outer) / width;
            (1.0 - smoothstep(t), -smoothstep_slope(t) / width)
        }
    }

    fn stretch(&self) -> f64 {
        match self.shape {
            ShellShape::Sphere => 1.0,
            ShellShape::Cylinder { axial_stretch } => axial_stretch,
        }
    }

    /// Distance from the centre or the axis, mm.
    pub(crate) fn radius_mm(&self, [x, y, z]: [f64; 3]) -> f64 {
        match self.shape {
            ShellShape::Sphere => (x * x + y * y + z * z).sqrt(),
            ShellShape::Cylinder { .. } => x.hypot(y),
        }
    }
}

fn exponent(shape: ShellShape) -> f64 {
    match shape {
        ShellShape::Sphere => 3.0,
        ShellShape::Cylinder { .. } => 2.0,
    }
}

impl Motion for BeatingShell {
    fn displacement_mm(&self, position_mm: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = position_mm;
        let r = self.radius_mm(position_mm);
        // At the centre itself the ratio has a limit, but times zero it does not matter.
        let grow = if r > 0.0 { self.moved_radius_mm(r) / r - 1.0 } else { 0.0 };
        match self.shape {
            ShellShape::Sphere => [grow * x, grow * y, grow * z],
            ShellShape::Cylinder { axial_stretch } => [grow * x, grow * y, (axial_stretch - 1.0) * z],
        }
    }
    fn determinant(&self, position_mm: [f64; 3]) -> Option<f64> {
        let u = self.radius_mm(position_mm).powf(exponent(self.shape));
        Some(1.0 + self.constant * self.weight(u).1)
    }
    fn in_muscle(&self, position_mm: [f64; 3]) -> Option<bool> {
        Some((self.inner_mm..=self.outer_mm).contains(&self.radius_mm(position_mm)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motions::motion::Composed;
    use crate::motions::motion::checks::{check_determinant, lattice};
    use crate::motions::twist::Twist;

    #[test]
    fn the_wall_keeps_its_volume_in_every_shape() {
        let shapes = [ShellShape::Sphere, ShellShape::Cylinder { axial_stretch: 0.87 }];
        for motion in shapes.map(|shape| BeatingShell::new(shape, 12.0, 22.0, 9.8)) {
            let muscle = check_determinant(&motion, &lattice(26.0, false));
            assert!(muscle > 300, "{muscle} points in the muscle of {motion:?}");
        }
        let muscle = check_determinant(&BeatingShell::circle(12.0, 22.0, 9.0), &lattice(26.0, true));
        assert!(muscle > 50, "{muscle} points in the ring");
    }

    #[test]
    fn the_wall_thickens_and_its_inside_moves_most() {
        let motion = BeatingShell::circle(12.0, 22.0, 9.0);
        assert!((motion.moved_radius_mm(12.0) - 9.0).abs() < 1e-12);
        let outer = motion.moved_radius_mm(22.0);
        assert!((22.0f64.powi(2) - 12.0f64.powi(2) - (outer * outer - 81.0)).abs() < 1e-9, "area kept");
        assert!(outer - 9.0 > 10.0 && motion.moved_radius_mm(50.0) == 50.0);
        assert_eq!(motion.displacement_mm([0.0; 3]), [0.0; 3]);
    }

    #[test]
    fn beating_and_twisting_together_keep_volumes_too() {
        let shape = ShellShape::Cylinder { axial_stretch: 0.9 };
        let first = BeatingShell::new(shape, 12.0, 22.0, 9.8);
        let motion = Composed { first, second: Twist { rate_rad_per_mm: 0.01 } };
        assert!(check_determinant(&motion, &lattice(26.0, false)) > 300);
        assert_eq!(motion.in_muscle([17.0, 0.0, 3.0]), Some(true));
        assert_eq!(motion.in_muscle([5.0, 0.0, 3.0]), Some(false));
    }
}
