//! Material points of a ventricle's wall in one slice: spokes from the endocardium to the epicardium, layers along them.

use std::f64::consts::{PI, TAU};
use veloxel_core::Polygon;

/// Layers from the endocardium (0) to the epicardium (`LAYERS − 1`).
pub const LAYERS: usize = 5;
/// Spokes around the cavity: spoke 0 points along x, the next ones turn towards y.
pub const SPOKES: usize = 72;

/// Radius of a cap's innermost ring over the radius of its epicardium.
const CAP_SHARE: f64 = 0.25;

/// The points of a wall, layer by layer, spoke by spoke, pixels of the slice.
#[derive(Debug, Clone, PartialEq)]
pub struct WallMesh {
    points_px: Vec<[f64; 2]>,
}

impl WallMesh {
    /// The mesh between two outlines in pixels of this spacing; angles are measured in the plane of millimetres.
    ///
    /// None unless the centre of the cavity lies inside of both, and the epicardium outside of the endocardium on every spoke.
    pub fn between(endo: &Polygon, epi: &Polygon, spacing_mm: [f64; 2]) -> Option<Self> {
        let centre = endo.centroid_px();
        if !endo.contains(centre) || !epi.contains(centre) {
            return None;
        }
        let mut points_px = vec![[0.0; 2]; LAYERS * SPOKES];
        for spoke in 0..SPOKES {
            let angle = Self::angle_rad(spoke);
            let along = [angle.cos() / spacing_mm[0], angle.sin() / spacing_mm[1]];
            let [inner, outer] = [endo, epi].map(|polygon| farthest(polygon, centre, along));
            let (inner, outer) = (inner?, outer?);
            if outer <= inner {
                return None;
            }
            for layer in 0..LAYERS {
                let share = layer as f64 / (LAYERS - 1) as f64;
                let radius = inner + share * (outer - inner);
                points_px[layer * SPOKES + spoke] = [0, 1].map(|k: usize| centre[k] + radius * along[k]);
            }
        }
        Some(Self { points_px })
    }

    /// The mesh of a slice beyond the end of the cavity, which shows muscle alone: rings at shares of the epicardium's radius, from
    /// `CAP_SHARE` to 1.
    ///
    /// None unless the centre lies inside.
    pub fn cap(epi: &Polygon, spacing_mm: [f64; 2]) -> Option<Self> {
        let centre = epi.centroid_px();
        let ring: Vec<[f64; 2]> = epi
            .points_px()
            .iter()
            .map(|p| [0, 1].map(|k: usize| centre[k] + CAP_SHARE * (p[k] - centre[k])))
            .collect();
        Self::between(&Polygon::new(ring).ok()?, epi, spacing_mm)
    }

    /// All points, layer by layer.
    pub fn points_px(&self) -> &[[f64; 2]] {
        &self.points_px
    }

    /// The direction of a spoke.
    pub fn angle_rad(spoke: usize) -> f64 {
        TAU * spoke as f64 / SPOKES as f64
    }
}

/// Distance along a ray at which the ray leaves a polygon for the last time.
fn farthest(polygon: &Polygon, from: [f64; 2], along: [f64; 2]) -> Option<f64> {
    let hit = |[a, b]: [[f64; 2]; 2]| {
        let (edge, to) = ([b[0] - a[0], b[1] - a[1]], [a[0] - from[0], a[1] - from[1]]);
        let det = along[0] * edge[1] - along[1] * edge[0];
        let distance = (to[0] * edge[1] - to[1] * edge[0]) / det;
        let share = (to[0] * along[1] - to[1] * along[0]) / det;
        // Edges along the ray have no determinant: their neighbours are hit.
        (distance > 0.0 && (-1e-9..=1.0 + 1e-9).contains(&share)).then_some(distance)
    };
    polygon.edges_px().filter_map(hit).max_by(f64::total_cmp)
}

/// Where the segments of a slice begin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SegmentFrame {
    /// Direction from the ventricle's centre to the middle of the septum; angles count as those of spokes do.
    pub septum_rad: f64,
    /// 1 if angles grow from the septum towards the anterior wall, −1 if they fall.
    pub towards_anterior: f64,
}

/// Where a slice lies along the long axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SliceLevel {
    /// Segments 1 to 6.
    Basal,
    /// Segments 7 to 12.
    Mid,
    /// Segments 13 to 16.
    Apical,
    /// Segment 17: muscle beyond the end of the cavity.
    Apex,
}

impl SegmentFrame {
    /// The segment of the American Heart Association that a spoke lies in.
    ///
    /// *Paper*: Cerqueira et al.: Standardized myocardial segmentation, Circulation 2002.
    pub fn segment(&self, level: SliceLevel, spoke: usize) -> u8 {
        let turned = (self.towards_anterior * (WallMesh::angle_rad(spoke) - self.septum_rad)).rem_euclid(TAU);
        // From the middle of the septum towards the anterior wall and on around the heart.
        let sixth = ((turned / (PI / 3.0)) as usize).min(5);
        match level {
            SliceLevel::Basal => [2, 1, 6, 5, 4, 3][sixth],
            SliceLevel::Mid => [8, 7, 12, 11, 10, 9][sixth],
            SliceLevel::Apex => 17,
            SliceLevel::Apical => [14, 13, 16, 15][(((turned + PI / 4.0) / (PI / 2.0)) as usize) % 4],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(radius: f64) -> Polygon {
        let at = |i: usize| TAU * i as f64 / 300.0;
        Polygon::new(
            (0..300).map(|i| [10.0 + radius * at(i).cos(), 12.0 + 0.5 * radius * at(i).sin()]).collect(),
        )
        .unwrap()
    }

    #[test]
    fn spokes_are_straight_and_layers_evenly_apart() {
        let mesh = WallMesh::between(&circle(4.0), &circle(8.0), [1.0, 2.0]).unwrap();
        for (nth, [x, y]) in mesh.points_px().iter().enumerate() {
            let (layer, spoke) = (nth / SPOKES, nth % SPOKES);
            let (x, y) = (x - 10.0, 2.0 * (y - 12.0));
            assert!((x.hypot(y) - (4.0 + layer as f64)).abs() < 1e-2);
            let turned = (y.atan2(x) - WallMesh::angle_rad(spoke)).rem_euclid(TAU);
            assert!(!(1e-6..=TAU - 1e-6).contains(&turned));
        }
        assert!(WallMesh::between(&circle(8.0), &circle(4.0), [1.0, 2.0]).is_none());
    }

    #[test]
    fn segments_go_from_the_septum_by_the_anterior_wall_around() {
        // The usual view: the septum to the left, the anterior wall up, y down.
        let view = SegmentFrame { septum_rad: PI, towards_anterior: 1.0 };
        let at = |degrees: usize| degrees * SPOKES / 360;
        let of = |level| [190, 270, 350, 10, 90, 170].map(|d| view.segment(level, at(d)));
        assert_eq!(of(SliceLevel::Basal), [2, 1, 6, 5, 4, 3]);
        assert_eq!(of(SliceLevel::Mid), [8, 7, 12, 11, 10, 9]);
        assert_eq!([180, 270, 0, 90].map(|d| view.segment(SliceLevel::Apical, at(d))), [14, 13, 16, 15]);
        let mirrored = SegmentFrame { septum_rad: 0.0, towards_anterior: -1.0 };
        assert_eq!(mirrored.segment(SliceLevel::Basal, at(350)), 2);
    }
}
