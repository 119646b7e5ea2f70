//! How far outlines lie from the true ones: pairs of closed polygons in, distances in millimetres out.
//!
//! *Papers*: Dubuisson, Jain: A modified Hausdorff distance for object matching, ICPR 1994, eq. 6 and 8 (their `D22`);
//! Huttenlocher, Klanderman, Rucklidge: Comparing images using the Hausdorff distance, PAMI 1993.
//! *Definitions*: `d(A → B)` is the distance of points of `A` to the nearest point of `B`. Modified Hausdorff distance:
//! `max(mean d(A → B), mean d(B → A))`; Hausdorff distance: `max(max d(A → B), max d(B → A))`; mean distance: the mean of both
//! means.
//! *Where we differ*: points are taken at equal distances along each outline, and the nearest point of the other one may lie
//! between its points, so that no distance depends on how densely an outline was drawn.
//! *Cost*: points times edges, twice.

use crate::error::MeasureError;
use serde::Serialize;
use veloxel_core::{Contour, ContourSet, Control, Polygon, Stopped, Structure};

/// Millimetres between the points whose distances are taken.
const STEP_MM: f64 = 0.5;
/// Fewest and most points on an outline.
const POINTS: [usize; 2] = [64, 1024];

/// An outline against the true one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ContourDistance {
    /// The structure that the outline encloses.
    pub structure: Structure,
    /// The outline's frame.
    pub frame: usize,
    /// The outline's slice.
    pub slice: usize,
    /// The larger of the two mean distances.
    pub modified_hausdorff_mm: f64,
    /// The largest distance.
    pub hausdorff_mm: f64,
    /// The mean of the two mean distances.
    pub mean_mm: f64,
    /// Area of the outline.
    pub area_mm2: f64,
    /// Area of the outline minus the true one.
    pub area_difference_mm2: f64,
}

/// All outlines of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ContourSummary {
    /// The structure that the outlines enclose.
    pub structure: Structure,
    /// Number of outlines that were measured.
    pub count: usize,
    /// Mean modified Hausdorff distance.
    pub modified_hausdorff_mm: f64,
    /// The largest modified Hausdorff distance.
    pub worst_modified_hausdorff_mm: f64,
    /// Mean Hausdorff distance.
    pub hausdorff_mm: f64,
    /// Mean distance.
    pub mean_mm: f64,
    /// Mean of the area minus the true one.
    pub area_difference_mm2: f64,
    /// Mean amount of the area minus the true one.
    pub area_difference_abs_mm2: f64,
}

/// Outlines against the true ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContourDistances {
    /// A summary for each structure.
    pub structures: Vec<ContourSummary>,
    /// Outlines of the truth that the result has not.
    pub missing: usize,
    /// Outlines of the result that the truth has not.
    pub not_in_truth: usize,
    /// Every outline that both have, by structure, slice and frame.
    pub contours: Vec<ContourDistance>,
}

impl ContourDistances {
    /// Distances of the outlines that both have, of pixels of this spacing.
    ///
    /// # Errors
    /// [`MeasureError::NothingToMeasure`] if there is none.
    pub fn measure(
        result: &ContourSet,
        truth: &ContourSet,
        spacing_mm: [f64; 2],
        control: &Control,
    ) -> Result<Self, MeasureError> {
        let both =
            truth.contours().iter().filter_map(|t| Some((result.get(t.structure, t.slice, t.frame)?, t)));
        let between = |(r, t): (&Contour, &Contour)| {
            control.check()?;
            Ok(ContourDistance::between(r, &t.polygon, spacing_mm))
        };
        let contours: Vec<ContourDistance> = both.map(between).collect::<Result<_, Stopped>>()?;
        if contours.is_empty() {
            let reason = "result and truth have no outline of one structure on one frame of one slice";
            return Err(MeasureError::nothing("distances of outlines", reason));
        }
        let (missing, not_in_truth) =
            (truth.contours().len() - contours.len(), result.contours().len() - contours.len());
        Ok(Self { structures: summaries(&contours), missing, not_in_truth, contours })
    }

    /// The distances of some of the outlines alone.
    #[must_use]
    pub fn of(&self, keep: impl Fn(&ContourDistance) -> bool) -> Self {
        let contours: Vec<_> = self.contours.iter().filter(|c| keep(c)).copied().collect();
        Self { structures: summaries(&contours), contours, ..*self }
    }

    /// The summary of a structure.
    pub fn structure(&self, structure: Structure) -> Option<&ContourSummary> {
        self.structures.iter().find(|s| s.structure == structure)
    }
}

impl ContourDistance {
    /// The distances of an outline to a closed polygon of the same slice, of pixels of this spacing, mm.
    pub fn between(contour: &Contour, truth: &Polygon, spacing: [f64; 2]) -> Self {
        let polygon = &contour.polygon;
        let [there, back] = [directed(polygon, truth, spacing), directed(truth, polygon, spacing)];
        let pixel = spacing[0] * spacing[1];
        let area_mm2 = polygon.signed_area_px2() * pixel;
        Self {
            structure: contour.structure,
            frame: contour.frame,
            slice: contour.slice,
            modified_hausdorff_mm: there.mean.max(back.mean),
            hausdorff_mm: there.largest.max(back.largest),
            mean_mm: 0.5 * (there.mean + back.mean),
            area_mm2,
            area_difference_mm2: area_mm2 - truth.signed_area_px2() * pixel,
        }
    }
}

struct Directed {
    mean: f64,
    largest: f64,
}

fn directed(from: &Polygon, to: &Polygon, spacing: [f64; 2]) -> Directed {
    let count = ((from.length(spacing) / STEP_MM) as usize).clamp(POINTS[0], POINTS[1]);
    let mm = |p: [f64; 2]| [spacing[0] * p[0], spacing[1] * p[1]];
    let edges: Vec<[[f64; 2]; 2]> = to.edges_px().map(|[a, b]| [mm(a), mm(b)]).collect();
    let nearest =
        |p: [f64; 2]| edges.iter().map(|&e| squared_distance(p, e)).fold(f64::INFINITY, f64::min).sqrt();
    let distances = from.resampled_px(count, spacing).into_iter().map(|p| nearest(mm(p)));
    let (sum, largest) = distances.fold((0.0, 0.0f64), |(sum, most), d| (sum + d, most.max(d)));
    Directed { mean: sum / count as f64, largest }
}

fn squared_distance(p: [f64; 2], [a, b]: [[f64; 2]; 2]) -> f64 {
    let (edge, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length = edge[0] * edge[0] + edge[1] * edge[1];
    let share =
        if length > 0.0 { ((edge[0] * to[0] + edge[1] * to[1]) / length).clamp(0.0, 1.0) } else { 0.0 };
    (to[0] - share * edge[0]).powi(2) + (to[1] - share * edge[1]).powi(2)
}

fn summaries(contours: &[ContourDistance]) -> Vec<ContourSummary> {
    let of = |structure: Structure| {
        let own: Vec<&ContourDistance> = contours.iter().filter(|c| c.structure == structure).collect();
        let mean =
            |value: fn(&ContourDistance) -> f64| own.iter().map(|c| value(c)).sum::<f64>() / own.len() as f64;
        (!own.is_empty()).then(|| ContourSummary {
            structure,
            count: own.len(),
            modified_hausdorff_mm: mean(|c| c.modified_hausdorff_mm),
            worst_modified_hausdorff_mm: own.iter().map(|c| c.modified_hausdorff_mm).fold(0.0, f64::max),
            hausdorff_mm: mean(|c| c.hausdorff_mm),
            mean_mm: mean(|c| c.mean_mm),
            area_difference_mm2: mean(|c| c.area_difference_mm2),
            area_difference_abs_mm2: mean(|c| c.area_difference_mm2.abs()),
        })
    };
    Structure::ALL.into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{PI, TAU};

    fn set(radius: f64, count: usize, frame: usize) -> ContourSet {
        let at = |i: usize| {
            let t = TAU * i as f64 / count as f64;
            [20.0 + radius * t.cos(), 15.0 + 0.5 * radius * t.sin()]
        };
        let polygon = Polygon::new((0..count).map(at).collect()).unwrap();
        ContourSet::new(vec![Contour { structure: Structure::Endo, frame, slice: 0, polygon }]).unwrap()
    }

    #[test]
    fn circles_of_two_radii_lie_their_difference_apart_however_they_are_drawn() {
        // Circles in millimetres where a pixel is 1 mm wide and 2 mm high.
        let spacing = [1.0, 2.0];
        for count in [90, 700] {
            let measured = ContourDistances::measure(
                &set(10.0, count, 3),
                &set(8.0, 300, 3),
                spacing,
                &Control::default(),
            )
            .unwrap();
            let c = measured.contours[0];
            for distance in [c.modified_hausdorff_mm, c.hausdorff_mm, c.mean_mm] {
                assert!((distance - 2.0).abs() < 0.02, "{c:?}");
            }
            assert!((c.area_difference_mm2 - PI * 36.0).abs() < 0.5, "{c:?}");
        }
        let same =
            ContourDistances::measure(&set(10.0, 90, 3), &set(10.0, 90, 3), spacing, &Control::default())
                .unwrap();
        assert!(same.contours[0].hausdorff_mm < 1e-9);
    }

    #[test]
    fn a_bump_moves_the_largest_distance_and_hardly_the_modified_one() {
        let mut points = set(10.0, 200, 0).contours()[0].polygon.points_px().to_vec();
        points[0][0] += 6.0;
        let bump =
            Contour { polygon: Polygon::new(points).unwrap(), ..set(10.0, 200, 0).contours()[0].clone() };
        let bump = ContourSet::new(vec![bump]).unwrap();
        let c = ContourDistances::measure(&bump, &set(10.0, 200, 0), [1.0, 2.0], &Control::default())
            .unwrap()
            .contours[0];
        assert!(c.hausdorff_mm > 5.5 && c.modified_hausdorff_mm < 1.0, "{c:?}");
        let none = ContourDistances::measure(&bump, &set(10.0, 200, 1), [1.0; 2], &Control::default());
        assert!(matches!(none, Err(MeasureError::NothingToMeasure { .. })));
    }
}
