//! The trait of motions with an exactly known displacement, and two motions in a row.

/// A motion that is known in closed form.
///
/// Positions and displacements are LPS millimetres; positions count from the centre of the grid ([`crate::CentredFrame`]). A
/// displacement `d` belongs to a point of the *fixed* image and points to the same material point in the *moving* one:
/// `fixed(x) = moving(x + d(x))`. On a 2-D grid, which has to lie in the world's x-y plane, motions are evaluated at z = 0 and
/// must give a displacement in that plane.
pub trait Motion {
    /// Displacement (mm) of the material point which the fixed image shows at `position_mm`.
    fn displacement_mm(&self, position_mm: [f64; 3]) -> [f64; 3];

    /// `det(I + ∂d/∂x)` at `position_mm`, where a closed form is known.
    fn determinant(&self, _position_mm: [f64; 3]) -> Option<f64> {
        None
    }

    /// Whether `position_mm` of the fixed image lies in the muscle, where the determinant is exactly 1;
    /// `None` for motions without a muscle.
    fn in_muscle(&self, _position_mm: [f64; 3]) -> Option<bool> {
        None
    }
}

/// The motion `second` after `first`: `d(x) = d₁(x) + d₂(x + d₁(x))`, determinants multiply.
///
/// The muscle is what every part that has one calls muscle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Composed<A, B> {
    /// Acts on the fixed positions.
    pub first: A,
    /// Acts on the positions that `first` gave.
    pub second: B,
}

impl<A: Motion, B: Motion> Motion for Composed<A, B> {
    fn displacement_mm(&self, position_mm: [f64; 3]) -> [f64; 3] {
        let d1 = self.first.displacement_mm(position_mm);
        let d2 = self.second.displacement_mm(add(position_mm, d1));
        add(d1, d2)
    }
    fn determinant(&self, position_mm: [f64; 3]) -> Option<f64> {
        let between = add(position_mm, self.first.displacement_mm(position_mm));
        Some(self.first.determinant(position_mm)? * self.second.determinant(between)?)
    }
    fn in_muscle(&self, position_mm: [f64; 3]) -> Option<bool> {
        let between = add(position_mm, self.first.displacement_mm(position_mm));
        match (self.first.in_muscle(position_mm), self.second.in_muscle(between)) {
            (Some(a), Some(b)) => Some(a && b),
            (a, b) => a.or(b),
        }
    }
}

/// The sum of two vectors, component by component.
pub(crate) fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Quintic step from 0 at `t ≤ 0` to 1 at `t ≥ 1` with vanishing first and second derivatives at both ends.
pub(crate) fn smoothstep(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (10.0 + t * (-15.0 + 6.0 * t))
}

/// Derivative of [`smoothstep`]; its largest value is 15/8.
pub(crate) fn smoothstep_slope(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    30.0 * t * t * (1.0 - t) * (1.0 - t)
}

/// Checks by central differences, shared by the tests of every motion.
#[cfg(test)]
pub(crate) mod checks {
    use super::Motion;

    /// `det(I + ∂d/∂x)` by central differences of step `1e-4` mm.
    pub(crate) fn numeric_determinant(motion: &dyn Motion, position_mm: [f64; 3]) -> f64 {
        let step = 1e-4;
        let column = |axis: usize| {
            let shifted = |sign: f64| {
                let mut p = position_mm;
                p[axis] += sign * step;
                motion.displacement_mm(p)
            };
            let (plus, minus) = (shifted(1.0), shifted(-1.0));
            let mut c = [0, 1, 2].map(|r| (plus[r] - minus[r]) / (2.0 * step));
            c[axis] += 1.0;
            c
        };
        let [a, b, c] = [column(0), column(1), column(2)];
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    }

    /// A lattice of positions from `-extent_mm` to `extent_mm`, off the axes; z = 0 if `planar`.
    pub(crate) fn lattice(extent_mm: f64, planar: bool) -> Vec<[f64; 3]> {
        let n = 13;
        let at = |i: usize| extent_mm * ((i as f64 + 0.37) / n as f64 * 2.0 - 1.0);
        let depth = if planar { 1 } else { n };
        let z_at = |i: usize| if planar { 0.0 } else { at(i) };
        (0..depth)
            .flat_map(|z| (0..n).flat_map(move |y| (0..n).map(move |x| [at(x), at(y), z_at(z)])))
            .collect()
    }

    /// The closed-form determinant is the numeric one everywhere, and 1 within 1e-3 in the muscle.
    pub(crate) fn check_determinant(motion: &dyn Motion, positions_mm: &[[f64; 3]]) -> usize {
        let mut muscle = 0;
        for &p in positions_mm {
            let numeric = numeric_determinant(motion, p);
            if let Some(exact) = motion.determinant(p) {
                assert!((exact - numeric).abs() < 1e-4, "{p:?}: {exact} against {numeric}");
            }
            if motion.in_muscle(p) == Some(true) {
                muscle += 1;
                assert!((numeric - 1.0).abs() < 1e-3, "{p:?}: {numeric} in the muscle");
            }
            assert!(numeric > 0.0, "{p:?} folds: {numeric}");
        }
        muscle
    }
}
