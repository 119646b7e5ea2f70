//! A closed polygon in the plane of an image.

use super::crossings::{TooCrowded, first_crossing};
use crate::error::CoreError;

/// A closed polygon, pixels of its plane: pixel (0, 0) has its centre at (0, 0), x to the right, y down the rows.
///
/// Guarantees at least three points, all finite; the last one is joined to the first.
/// [`Polygon::new`] guarantees more: no edge crosses another, and the area is positive (x turns towards y).
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon {
    pub(super) points_px: Vec<[f64; 2]>,
}

/// A row of an image through a polygon.
#[derive(Debug, Clone, PartialEq)]
pub struct PolygonRow {
    /// Where edges cross the row, ascending.
    crossings_px: Vec<f64>,
}

impl PolygonRow {
    /// Whether the point of the row at `x` lies inside (even-odd rule), as [`Polygon::contains`] finds it.
    pub fn contains(&self, x: f64) -> bool {
        let before = self.crossings_px.partition_point(|&crossing| crossing <= x);
        (self.crossings_px.len() - before) % 2 == 1
    }
}

/// A line counts as open if the gap between its last and its first point is above so many of its longest other edge, and above
/// [`GAP_SHARE`].
const GAP_EDGES: f64 = 4.0;
/// Share of the line's length that the gap of an open line exceeds.
const GAP_SHARE: f64 = 0.12;
/// Pairs of edges that are compared for a new outline: less than a second.
const MOST_COMPARISONS: usize = 1 << 26;

impl Polygon {
    /// A polygon of points in order, in either direction of turn; repeated points and a last one like the first are left out.
    ///
    /// # Errors
    /// [`CoreError::Outline`] for fewer than three different points, one that is not finite, an area of 0, an open line
    /// (its ends lie far from each other), edges that cross, and thousands of long edges side by side.
    pub fn new(points_px: Vec<[f64; 2]>) -> Result<Self, CoreError> {
        let fail = |reason: String| Err(CoreError::Outline { reason });
        if let Some(bad) = points_px.iter().find(|p| !p.iter().all(|v| v.is_finite())) {
            return fail(format!("a point is ({}, {}): every coordinate must be finite", bad[0], bad[1]));
        }
        let mut points = points_px;
        points.dedup();
        if points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        if points.len() < 3 {
            return fail(format!("it has {} different points: at least 3 are needed", points.len()));
        }
        let mut polygon = Self { points_px: points };
        if let Some(gap_px) = polygon.gap_px() {
            return fail(format!(
                "it is open: {gap_px:.1} px lie between its last point and its first, far more than between others"
            ));
        }
        match polygon.crossing_within(MOST_COMPARISONS) {
            Ok(None) => {}
            Ok(Some([x, y])) => return fail(format!("it crosses itself at ({x:.1}, {y:.1}) px")),
            Err(TooCrowded) => {
                let count = polygon.points_px.len();
                return fail(format!("its {count} points lie too close beside each other: give fewer"));
            }
        }
        let area = polygon.signed_area_px2();
        if area.abs() < 1e-9 {
            return fail("its area is 0".to_owned());
        }
        if area < 0.0 {
            polygon.points_px.reverse();
        }
        Ok(polygon)
    }

    /// Points that were an outline and have moved: they may cross each other, or turn the other way.
    ///
    /// # Errors
    /// [`CoreError::Outline`] for fewer than three points, or one that is not finite.
    pub fn of_moved(points_px: Vec<[f64; 2]>) -> Result<Self, CoreError> {
        if points_px.len() > 2 && points_px.iter().flatten().all(|v| v.is_finite()) {
            return Ok(Self { points_px });
        }
        Err(CoreError::Outline {
            reason: "a point of it leaves the image, or nothing is known of it".to_owned(),
        })
    }

    /// The points in order, without the first one repeated.
    pub fn points_px(&self) -> &[[f64; 2]] {
        &self.points_px
    }

    /// The edges, each from a point to the next; the last one ends at the first point.
    pub fn edges_px(&self) -> impl Iterator<Item = [[f64; 2]; 2]> {
        let ends = self.points_px.iter().cycle().skip(1);
        self.points_px.iter().zip(ends).map(|(&a, &b)| [a, b])
    }

    /// Its area, positive where x turns towards y.
    pub fn signed_area_px2(&self) -> f64 {
        // Relative to a point of its own: no digits are lost far from the origin.
        let [ox, oy] = self.points_px[0];
        let cross = |[a, b]: [[f64; 2]; 2]| (a[0] - ox) * (b[1] - oy) - (b[0] - ox) * (a[1] - oy);
        0.5 * self.edges_px().map(cross).sum::<f64>()
    }

    /// The centre of its area.
    pub fn centroid_px(&self) -> [f64; 2] {
        let [ox, oy] = self.points_px[0];
        let (mut area, mut sum) = (0.0, [0.0; 2]);
        for [a, b] in self.edges_px() {
            let (a, b) = ([a[0] - ox, a[1] - oy], [b[0] - ox, b[1] - oy]);
            let cross = a[0] * b[1] - b[0] * a[1];
            area += cross;
            (0..2).for_each(|k| sum[k] += cross * (a[k] + b[k]));
        }
        [ox + sum[0] / (3.0 * area), oy + sum[1] / (3.0 * area)]
    }

    /// The length of its edges together where pixels have this spacing.
    pub fn length(&self, spacing: [f64; 2]) -> f64 {
        self.edges_px().map(|[a, b]| distance(a, b, spacing)).sum()
    }

    /// Points at equal distances along it, `count` of them from its first point on, where pixels have this spacing.
    pub fn resampled_px(&self, count: usize, spacing: [f64; 2]) -> Vec<[f64; 2]> {
        let step = self.length(spacing) / count as f64;
        let (mut points, mut walked) = (Vec::with_capacity(count), 0.0);
        for [a, b] in self.edges_px() {
            let edge = distance(a, b, spacing);
            while points.len() < count && points.len() as f64 * step < walked + edge {
                let share = (points.len() as f64 * step - walked) / edge;
                points.push([0, 1].map(|k: usize| a[k] + share * (b[k] - a[k])));
            }
            walked += edge;
        }
        // Rounding may leave the last one over.
        points.resize(count, self.points_px[self.points_px.len() - 1]);
        points
    }

    /// Whether a point lies inside (even-odd rule).
    pub fn contains(&self, [x, y]: [f64; 2]) -> bool {
        let crosses = |[a, b]: &[[f64; 2]; 2]| {
            (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        };
        self.edges_px().filter(crosses).count() % 2 == 1
    }

    /// What [`Self::contains`] needs for a whole row: points of it are found in the time of a search.
    pub fn row(&self, y: f64) -> PolygonRow {
        let meets = |[a, b]: &[[f64; 2]; 2]| (a[1] > y) != (b[1] > y);
        let place = |[a, b]: [[f64; 2]; 2]| a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
        let mut crossings_px: Vec<f64> = self.edges_px().filter(meets).map(place).collect();
        crossings_px.sort_unstable_by(f64::total_cmp);
        PolygonRow { crossings_px }
    }

    /// Where two of its edges cross, if some do.
    pub fn crossing_px(&self) -> Option<[f64; 2]> {
        self.crossing_within(usize::MAX).unwrap_or(None)
    }

    fn crossing_within(&self, most_comparisons: usize) -> Result<Option<[f64; 2]>, TooCrowded> {
        first_crossing(&self.edges_px().collect::<Vec<_>>(), most_comparisons)
    }

    /// The gap between last and first point, if the line is an open one.
    fn gap_px(&self) -> Option<f64> {
        let mut lengths: Vec<f64> = self.edges_px().map(|[a, b]| distance(a, b, [1.0; 2])).collect();
        let gap = lengths.pop()?;
        let (longest, all) = (lengths.iter().copied().fold(0.0, f64::max), lengths.iter().sum::<f64>());
        (lengths.len() > 3 && gap > GAP_EDGES * longest && gap > GAP_SHARE * all).then_some(gap)
    }
}

fn distance(a: [f64; 2], b: [f64; 2], spacing: [f64; 2]) -> f64 {
    (spacing[0] * (a[0] - b[0])).hypot(spacing[1] * (a[1] - b[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    fn circle(count: usize, radius: f64) -> Vec<[f64; 2]> {
        (0..count)
            .map(|i| TAU * i as f64 / count as f64)
            .map(|t| [9.0 + radius * t.cos(), 7.0 + radius * t.sin()])
            .collect()
    }

    fn refused(points: Vec<[f64; 2]>) -> String {
        Polygon::new(points).unwrap_err().to_string()
    }

    #[test]
    fn a_circle_has_its_area_length_and_centre_in_either_turn() {
        let mut points = circle(400, 5.0);
        points.push(points[0]);
        let polygon = Polygon::new(points.clone()).unwrap();
        points.reverse();
        let reversed = Polygon::new(points).unwrap();
        for p in [&polygon, &reversed] {
            assert_eq!(p.points_px().len(), 400);
            assert!((p.signed_area_px2() - 25.0 * PI).abs() < 0.01);
            assert!((p.length([1.0; 2]) - 10.0 * PI).abs() < 0.01);
            assert!((p.length([2.0; 2]) - 20.0 * PI).abs() < 0.01);
            let [x, y] = p.centroid_px();
            assert!((x - 9.0).abs() < 1e-9 && (y - 7.0).abs() < 1e-9);
            assert!(p.contains([9.0, 11.9]) && !p.contains([9.0, 12.1]));
            for [x, y] in (0..400).map(|i| [f64::from(i % 20), f64::from(i / 20)]) {
                assert_eq!(p.row(y).contains(x), p.contains([x, y]), "({x}, {y})");
            }
        }
        let even = polygon.resampled_px(90, [1.0; 2]);
        let steps = even.windows(2).map(|w| distance(w[0], w[1], [1.0; 2]));
        assert!(even.len() == 90 && steps.into_iter().all(|s| (s - 10.0 * PI / 90.0).abs() < 1e-3));
    }

    #[test]
    fn lines_that_are_no_outline_are_refused() {
        assert!(refused(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0]]).contains("2 different points"));
        assert!(
            refused(vec![[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
                .contains("crosses itself at (1.0, 1.0)")
        );
        assert!(refused(vec![[0.0, 0.0], [1.0, f64::NAN], [1.0, 1.0]]).contains("finite"));
        assert!(refused(vec![[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]).contains("area"));
        let arc: Vec<_> = circle(100, 5.0).into_iter().take(70).collect();
        assert!(refused(arc).contains("open"));
        assert!(Polygon::new(vec![[0.0, 0.0], [9.0, 0.0], [9.0, 1.0]]).is_ok(), "a triangle has long edges");
        let teeth = (0..40_000).map(|i| [f64::from(i % 2) * 1e3, f64::from(i) * 1e-6]);
        let comb: Vec<_> = teeth.chain([[1e3, 900.0], [0.0, 900.0]]).collect();
        assert!(refused(comb).contains("too close beside each other"));
    }
}
