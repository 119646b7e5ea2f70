//! Closed outlines through guide points: a few clicked points of an outline in order, in pixels, in; a smooth closed outline out.
//!
//! *Paper*: A. A. Young, B. R. Cowan, S. F. Thrupp, W. J. Hedley, L. J. Dell'Italia, "Left ventricular mass and volume: fast
//! calculation with guide-point modeling on MR images", Radiology 2000, which B. Li, A. A. Young, B. R. Cowan (MICCAI 2008,
//! section 4) start from: a finite-element model is fitted to guide points by least squares.
//!
//! *Energy*: the outline is `x(ξ) = Σ_e ψ_e(ξ) P_e` over `K` closed elements, the cubic Bézier elements of
//! [`finite_elements`](crate::finite_elements) along one axis.
//!
//! ```text
//! E(P) = 1/n Σ_k |x(ξ_k) − p_k|² + κ/T ∫ |x'' + x − c|² dt = min,     t = 2π ξ / K from 0 to T = 2π
//! ∫ |y'' + y|² = ∫ |y''|² − 2 |y'|² + |y|²     with y = x − c, around a closed curve
//! ```
//!
//! An ellipse about the centre `c` costs nothing, so that a few clicks on a round outline are enough and none is shrunk.
//!
//! *Notation*
//!
//! | symbol | code | unit |
//! |---|---|---|
//! | p_k, n | `clicks`, their number | mm |
//! | ξ_k | `places` | elements |
//! | K | `elements` | |
//! | κ | `smoothness` | |
//! | c | `centre`: of the outline before | mm |
//!
//! *Method*: ξ_k are shares of the clicks' polygon first, then the feet of the clicks on the outline just found, in rounds:
//! of the ellipse that fits best first (κ = 1), then with κ falling to its own value.
//! *Where we differ* from the paper: points alone, no edges of the image; each outline by itself, as `track` carries it over time.
//! *Cost*: a dense system of 2 K unknowns a round, in double precision on one thread.
//! *Evidence*: the tests below; `tests/in_memory/contours.rs` of the library carries such an outline over a cine.
//! *Limits*: clicks stand in order around the outline; what bends between two clicks is not known. Sparse clicks of an outline
//! that is far from an ellipse, such as a crescent, need to stand densely where it bends.

use crate::error::{MotionError, Result};
use std::f64::consts::TAU;
use veloxel_core::parameters::ParameterError;
use veloxel_core::{CoreError, Polygon};
use veloxel_kernels::elements::lattice::{closed_matrices, values};

/// How often an outline is fitted: a third of them with κ = 1, a third with κ falling, and a third with its own value.
const ROUNDS: usize = 24;
/// Points of an outline between two nodes.
const POINTS_OF_ELEMENT: usize = 12;
/// Numbers of elements that an outline can have.
const ELEMENTS: std::ops::RangeInclusive<usize> = 4..=64;
/// Greatest smoothness.
const MOST_SMOOTHNESS: f64 = 1e3;
/// Clicks leave an outline open if the gap between the last and the first is above so many of their longest other distance.
const GAP_EDGES: f64 = 1.75;

/// How outlines are laid through guide points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GuidePointFit {
    /// Elements around an outline, K: 4 to 64. Few: round outlines; many: every click counts for itself.
    pub elements: usize,
    /// Weight of what is no ellipse, κ: 1e-9 to 1000. Small: through every click; large: an ellipse.
    pub smoothness: f64,
}

impl Default for GuidePointFit {
    fn default() -> Self {
        Self { elements: 12, smoothness: 1e-4 }
    }
}

impl GuidePointFit {
    /// Refuses settings out of their ranges.
    ///
    /// # Errors
    /// [`MotionError::Parameter`].
    pub fn validate(&self) -> Result<()> {
        let refused = |name: &str, got: String, expected: String| {
            let place = String::new();
            Err(MotionError::Parameter(ParameterError::Value { name: name.to_owned(), got, expected, place }))
        };
        let Self { elements, smoothness } = *self;
        if !ELEMENTS.contains(&elements) {
            let expected = format!("a whole number from {} to {}", ELEMENTS.start(), ELEMENTS.end());
            return refused("elements", elements.to_string(), expected);
        }
        if !(1e-9..=MOST_SMOOTHNESS).contains(&smoothness) {
            let expected = format!("a number from 1e-9 to {MOST_SMOOTHNESS}");
            return refused("smoothness", smoothness.to_string(), expected);
        }
        Ok(())
    }

    /// The outline through clicks, where pixels have this spacing along x and y, millimetres.
    ///
    /// # Errors
    /// [`MotionError::Parameter`] for settings out of their ranges; [`MotionError::Input`] for clicks that leave the outline open,
    /// and for an outline that crosses itself.
    pub fn outline(&self, clicks: &Polygon, spacing_mm: [f64; 2]) -> Result<Polygon> {
        self.validate()?;
        let [sx, sy] = spacing_mm;
        let points: Vec<[f64; 2]> = clicks.points_px().iter().map(|[x, y]| [sx * x, sy * y]).collect();
        require_closed(&points)?;
        let closed = Closed::new(self.elements);
        let (mut places, mut centre) = (shares(&points, self.elements), centre_of(&points));
        let mut curve = Vec::new();
        for round in 0..ROUNDS {
            let smoothness = self.smoothness_of(round);
            curve = closed.curve(&closed.fitted(&points, &places, Pull { smoothness, centre }));
            (places, centre) = (closed.places_of(&curve, &points, &places), centre_of(&curve));
        }
        Ok(Polygon::new(curve.into_iter().map(|[x, y]| [x / sx, y / sy]).collect())?)
    }

    /// κ of a round: 1, then falling, then its own.
    fn smoothness_of(&self, round: usize) -> f64 {
        let third = ROUNDS / 3;
        let share = round.saturating_sub(third).min(third) as f64 / third as f64;
        self.smoothness.max(self.smoothness.min(1.0).powf(share))
    }
}

/// Refuses clicks along a part of an outline.
fn require_closed(points: &[[f64; 2]]) -> Result<()> {
    let mut edges: Vec<f64> = edges(points).collect();
    let gap = edges.pop().unwrap_or(0.0);
    let longest = edges.iter().copied().fold(0.0, f64::max);
    if edges.len() < 3 || gap <= GAP_EDGES * longest {
        return Ok(());
    }
    let reason = format!(
        "its clicks leave it open: {gap:.1} mm lie between the last and the first, {longest:.1} mm at most between others; click all around"
    );
    Err(CoreError::Outline { reason }.into())
}

/// Distances between neighbours of a closed line, the last one to the first point.
fn edges(points: &[[f64; 2]]) -> impl Iterator<Item = f64> {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1]))
}

/// The places of points by their shares of the closed line through them, in elements.
fn shares(points: &[[f64; 2]], elements: usize) -> Vec<f64> {
    let length: f64 = edges(points).sum();
    let mut walked = 0.0;
    let place = |edge: f64| {
        let here = elements as f64 * walked / length;
        walked += edge;
        here
    };
    edges(points).map(place).collect()
}

/// The centre of the area within a closed line.
fn centre_of(points: &[[f64; 2]]) -> [f64; 2] {
    let [ox, oy] = points[0];
    let (mut area, mut sum) = (0.0, [0.0; 2]);
    for (a, b) in points.iter().zip(points.iter().cycle().skip(1)) {
        let (a, b) = ([a[0] - ox, a[1] - oy], [b[0] - ox, b[1] - oy]);
        let cross = a[0] * b[1] - b[0] * a[1];
        area += cross;
        (0..2).for_each(|k| sum[k] += cross * (a[k] + b[k]));
    }
    [ox + sum[0] / (3.0 * area), oy + sum[1] / (3.0 * area)]
}

/// Closed elements, with the matrix of what is no ellipse.
struct Closed {
    elements: usize,
    /// 1/T ∫ (ψ_i'' + ψ_i)(ψ_j'' + ψ_j) dt, dense.
    penalty: Vec<f64>,
}

/// What pulls an outline to an ellipse: κ, and the centre of that.
#[derive(Clone, Copy)]
struct Pull {
    smoothness: f64,
    centre: [f64; 2],
}

impl Closed {
    fn new(elements: usize) -> Self {
        let [value, slope, curvature] = closed_matrices(elements);
        // Elements are 2π / K long in t: a derivative by t is K / 2π of one by elements, and T = K elements.
        let per_t = (elements as f64 / TAU).powi(2);
        let entry = |i: usize| curvature[i] * per_t * per_t - 2.0 * slope[i] * per_t + value[i];
        let share = 1.0 / elements as f64;
        Self { elements, penalty: (0..value.len()).map(|i| share * entry(i)).collect() }
    }

    fn unknowns(&self) -> usize {
        2 * self.elements
    }

    /// The control points that a place depends on, with their weights.
    fn taps(&self, place: f64) -> [(usize, f64); 4] {
        let wrapped = place.rem_euclid(self.elements as f64);
        let element = (wrapped as usize).min(self.elements - 1);
        let weights = values(wrapped - element as f64);
        [0, 1, 2, 3].map(|tap: usize| ((2 * element + tap) % self.unknowns(), weights[tap]))
    }

    /// The control points of least energy.
    fn fitted(&self, points: &[[f64; 2]], places: &[f64], pull: Pull) -> Vec<[f64; 2]> {
        let (unknowns, Pull { smoothness, centre }) = (self.unknowns(), pull);
        let mut matrix: Vec<f64> = self.penalty.iter().map(|entry| smoothness * entry).collect();
        let mut right = vec![[0.0; 2]; unknowns];
        let share = 1.0 / points.len() as f64;
        for (point, &place) in points.iter().zip(places) {
            for (i, wi) in self.taps(place) {
                (0..2).for_each(|k| right[i][k] += share * wi * (point[k] - centre[k]));
                for (j, wj) in self.taps(place) {
                    matrix[i * unknowns + j] += share * wi * wj;
                }
            }
        }
        solve(&mut matrix, &mut right);
        right.iter().map(|y| [0, 1].map(|k: usize| centre[k] + y[k])).collect()
    }

    /// Points of the outline, [`POINTS_OF_ELEMENT`] for each element.
    fn curve(&self, controls: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let at = |nth: usize| {
            let taps = self.taps(nth as f64 / POINTS_OF_ELEMENT as f64);
            [0, 1].map(|k: usize| taps.iter().map(|&(i, weight)| weight * controls[i][k]).sum())
        };
        (0..POINTS_OF_ELEMENT * self.elements).map(at).collect()
    }

    /// The feet of clicks on an outline, each within half a gap of where the click was, so that clicks keep their order.
    fn places_of(&self, curve: &[[f64; 2]], points: &[[f64; 2]], places: &[f64]) -> Vec<f64> {
        let count = curve.len();
        let per_point = self.elements as f64 / count as f64;
        let apart = |a: f64, b: f64| {
            let away = (a - b).abs();
            away.min(self.elements as f64 - away)
        };
        let place = |(k, point): (usize, &[f64; 2])| {
            let others = [places[(k + 1) % places.len()], places[(k + places.len() - 1) % places.len()]];
            let reach =
                0.5 * others.map(|other| apart(places[k], other)).into_iter().fold(f64::MAX, f64::min);
            let near = |i: &usize| apart(*i as f64 * per_point, places[k]) <= reach.max(per_point);
            let square = |i: usize| (curve[i][0] - point[0]).powi(2) + (curve[i][1] - point[1]).powi(2);
            let nearest = (0..count).filter(near).min_by(|&a, &b| square(a).total_cmp(&square(b)));
            let Some(nearest) = nearest else { return places[k] };
            per_point * (nearest as f64 + foot(curve, nearest, *point))
        };
        points.iter().enumerate().map(place).collect()
    }
}

/// How far before or behind a point of a curve the foot of another point lies, in steps of the curve.
fn foot(curve: &[[f64; 2]], nearest: usize, point: [f64; 2]) -> f64 {
    let count = curve.len();
    let [before, here, after] = [count - 1, 0, 1].map(|shift| curve[(nearest + shift) % count]);
    let step = [0, 1].map(|k: usize| 0.5 * (after[k] - before[k]));
    let to = [0, 1].map(|k: usize| point[k] - here[k]);
    let length = step[0] * step[0] + step[1] * step[1];
    if length > 0.0 { ((step[0] * to[0] + step[1] * to[1]) / length).clamp(-0.5, 0.5) } else { 0.0 }
}

/// Solves a symmetric positive definite system by Cholesky's factors, in place, for two right sides.
fn solve(matrix: &mut [f64], right: &mut [[f64; 2]]) {
    let n = right.len();
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|k| matrix[i * n + k] * matrix[j * n + k]).sum();
            let rest = matrix[i * n + j] - sum;
            // Rounding alone could make a pivot of a matrix that is positive definite too small.
            matrix[i * n + j] =
                if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / matrix[j * n + j] };
        }
    }
    for k in 0..2 {
        for i in 0..n {
            let sum: f64 = (0..i).map(|j| matrix[i * n + j] * right[j][k]).sum();
            right[i][k] = (right[i][k] - sum) / matrix[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|j| matrix[j * n + i] * right[j][k]).sum();
            right[i][k] = (right[i][k] - sum) / matrix[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clicks at these angles on an ellipse with a bulge, pixels of 1 mm by 2 mm, around (40, 25) px.
    fn clicks(angles_deg: &[f64], bulge: f64) -> Polygon {
        Polygon::new(angles_deg.iter().map(|deg| at(deg.to_radians(), bulge)).collect()).unwrap()
    }

    fn at(t: f64, bulge: f64) -> [f64; 2] {
        let scale = 1.0 + bulge * (3.0 * t).cos();
        [40.0 + 24.0 * scale * t.cos(), 25.0 + 10.0 * scale * t.sin()]
    }

    /// The largest distance between the fit and the shape, mm.
    fn error_mm(angles_deg: &[f64], bulge: f64, fit: GuidePointFit) -> f64 {
        let outline = fit.outline(&clicks(angles_deg, bulge), [1.0, 2.0]).unwrap();
        let shape: Vec<[f64; 2]> = (0..2000).map(|i| at(TAU * f64::from(i) / 2000.0, bulge)).collect();
        let nearest = |p: &[f64; 2]| {
            shape.iter().map(|q| (p[0] - q[0]).hypot(2.0 * (p[1] - q[1]))).fold(f64::MAX, f64::min)
        };
        outline.points_px().iter().map(nearest).fold(0.0, f64::max)
    }

    #[test]
    fn few_clicks_make_an_outline() {
        let fit = GuidePointFit::default();
        for (angles, bulge, most_mm) in [
            (&[0.0, 90.0, 180.0, 270.0][..], 0.0, 0.3),
            (&[10.0, 60.0, 150.0, 200.0, 290.0][..], 0.0, 0.3),
            (&[0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0][..], 0.05, 0.5),
        ] {
            let error = error_mm(angles, bulge, fit);
            println!("{} clicks, bulge {bulge}: {error:.3} mm", angles.len());
            assert!(error < most_mm, "{angles:?}: {error} mm");
        }
        let many: Vec<f64> = (0..24).map(|i| 15.0 * f64::from(i)).collect();
        assert!(error_mm(&many, 0.1, GuidePointFit { elements: 16, ..fit }) < 0.1);
        let [smooth, exact] =
            [1e3, 1e-9].map(|smoothness| error_mm(&many, 0.1, GuidePointFit { smoothness, ..fit }));
        assert!(smooth > 1.0 && exact < 0.1, "{smooth} and {exact} mm");
    }

    #[test]
    fn the_turn_of_the_clicks_does_not_matter() {
        let (fit, one) = (GuidePointFit::default(), clicks(&[0.0, 80.0, 170.0, 260.0], 0.0));
        let other = clicks(&[260.0, 170.0, 80.0, 0.0], 0.0);
        let areas = [one, other].map(|c| fit.outline(&c, [1.0, 2.0]).unwrap().signed_area_px2());
        assert!((areas[0] / areas[1] - 1.0).abs() < 1e-3, "{areas:?}");
    }

    #[test]
    fn what_is_no_outline_is_refused() {
        let fit = GuidePointFit::default();
        let part = fit.outline(&clicks(&[0.0, 40.0, 80.0, 120.0, 160.0], 0.0), [1.0, 2.0]);
        assert!(part.unwrap_err().to_string().contains("leave it open"));
        let all = clicks(&[0.0, 90.0, 180.0, 270.0], 0.0);
        for wrong in [GuidePointFit { elements: 3, ..fit }, GuidePointFit { smoothness: f64::NAN, ..fit }] {
            let error = wrong.outline(&all, [1.0; 2]).unwrap_err().to_string();
            assert!(error.contains("expected a"), "{error}");
        }
    }
}
