//! Strain of a ventricle's wall: the material points of its slices on every frame in, strain of slices and segments out.
//!
//! *Definitions*: a material line of length `L₀` on the reference frame has the length `L` on another. Lagrangian strain
//! `(L − L₀) / L₀`; Eulerian strain `(L − L₀) / L`; strain rate: the time derivative of the Lagrangian strain, by central
//! differences. Circumferential: lines around the cavity, along the endocardium, midway, and along the epicardium; a region's is
//! that of all its lines together. Radial: straight lines from the endocardium to the epicardium; a region's is the mean of them.
//! Longitudinal: straight lines midway in the wall from slice to next slice, base to apex; a region's is that of all its lines
//! together, each counted half for either end. It is known where points move across slices.
//! *Paper*: Voigt et al.: Definitions for a common standard for 2D speckle tracking echocardiography, EHJ Cardiovascular Imaging
//! 2015.

use crate::wall_mesh::{LAYERS, SPOKES, SegmentFrame, SliceLevel};
use serde::Serialize;

/// The words that head a table of strains.
pub const DEFINITIONS: &str = "\
# L0: length of a material line on the reference frame; L: its length on another frame.\n\
# lagrangian: (L - L0) / L0. eulerian: (L - L0) / L. rate: time derivative of the Lagrangian strain, 1/s, central differences.\n\
# circumferential: lines around the cavity along the endocardium (endo), midway (mid) and along the epicardium (epi).\n\
# radial: straight lines from the endocardium to the epicardium. thickness: their mean length, mm.\n\
# longitudinal: straight lines midway in the wall from slice to slice, base to apex; where motion is that of the volume, else empty.\n\
# slice: as in the image, from 0 on; all: every slice. segment: of the American Heart Association, 1 to 16; all: the ring.\n\
# segment 17: a slice beyond the end of the cavity; its lines are rings at 1/4, 5/8 and all of the epicardium's radius.\n";

/// A wall in motion.
#[derive(Debug, Clone, PartialEq)]
pub struct WallMotion {
    /// The wall's slice.
    pub slice: usize,
    /// Where the slice lies along the ventricle.
    pub level: SliceLevel,
    /// Where the wall's segments begin.
    pub segments: SegmentFrame,
    /// Whether the wall's points move across slices too.
    pub moves_across: bool,
    /// Points of the wall's mesh on every frame, millimetres.
    pub points_mm: Vec<Vec<[f64; 3]>>,
}

impl WallMotion {
    /// The spokes of the wall in a slice and a segment, or in all of them.
    fn spokes(&self, slice: Option<usize>, segment: Option<u8>) -> impl Iterator<Item = usize> + '_ {
        let is_own = move |&spoke: &usize| {
            slice.is_none_or(|slice| slice == self.slice)
                && segment.is_none_or(|segment| segment == self.segments.segment(self.level, spoke))
        };
        (0..SPOKES).filter(is_own)
    }
}

/// The strain of a region on one frame, Lagrangian.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StrainAt {
    /// Circumferential strain along the endocardium.
    pub circumferential_endo: f64,
    /// Circumferential strain midway in the wall.
    pub circumferential_mid: f64,
    /// Circumferential strain along the epicardium.
    pub circumferential_epi: f64,
    /// Radial strain, across the wall.
    pub radial: f64,
    /// Longitudinal strain, from base to apex; none where points move in planes alone, or no slice lies next to the region's.
    pub longitudinal: Option<f64>,
    /// Mean thickness of the wall.
    pub thickness_mm: f64,
}

/// The strain of a region over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RegionStrain {
    /// The slice; none for all slices.
    pub slice: Option<usize>,
    /// The segment; none for the whole ring.
    pub segment: Option<u8>,
    /// Strain by frame.
    pub frames: Vec<StrainAt>,
}

impl RegionStrain {
    /// One kind of strain by frame.
    pub fn curve(&self, of: fn(&StrainAt) -> f64) -> Vec<f64> {
        self.frames.iter().map(of).collect()
    }
}

/// Eulerian from Lagrangian strain.
pub fn eulerian(lagrangian: f64) -> f64 {
    lagrangian / (1.0 + lagrangian)
}

/// The time derivative of a curve, 1/s. A periodic curve is differentiated across its ends, an open one by one-sided
/// differences there.
pub fn rate_per_s(curve: &[f64], interval_ms: f64, periodic: CurveEnds) -> Vec<f64> {
    let n = curve.len();
    let at = |i: usize| {
        let (before, after) = match periodic {
            CurveEnds::Periodic => ((i + n - 1) % n, (i + 1) % n),
            CurveEnds::Open => (i.saturating_sub(1), (i + 1).min(n - 1)),
        };
        let steps = if periodic == CurveEnds::Periodic { 2 } else { after - before };
        (curve[after] - curve[before]) / (steps.max(1) as f64 * 1e-3 * interval_ms)
    };
    (0..n).map(at).collect()
}

/// Whether the first frame follows the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CurveEnds {
    /// The first frame follows the last one: the curve is one whole cycle.
    Periodic,
    /// Nothing follows the last frame.
    Open,
}

/// The strain of every slice, of every segment in it, of every segment over all slices, and of all, relative to frame `reference`.
pub fn strains(walls: &[WallMotion], reference: usize) -> Vec<RegionStrain> {
    let mut regions = vec![region(walls, reference, None, None)];
    let slices = walls.iter().map(|wall| Some(wall.slice));
    for slice in std::iter::once(None).chain(slices) {
        if slice.is_some() {
            regions.push(region(walls, reference, slice, None));
        }
        for segment in 1..=17 {
            let own = |wall: &WallMotion| wall.spokes(slice, Some(segment)).next().is_some();
            if walls.iter().any(own) {
                regions.push(region(walls, reference, slice, Some(segment)));
            }
        }
    }
    regions
}

fn region(walls: &[WallMotion], reference: usize, slice: Option<usize>, segment: Option<u8>) -> RegionStrain {
    let lines = lines_along(walls, slice, segment);
    let along = |frame: usize| {
        let of = |([a, b], nth, ends): &([&WallMotion; 2], usize, f64)| {
            ends * distance(a.points_mm[frame][*nth], b.points_mm[frame][*nth])
        };
        lines.iter().map(of).sum::<f64>()
    };
    let is_asked = |wall: &&WallMotion| slice.is_none_or(|s| s == wall.slice);
    // A cap has no cavity: it counts for itself alone.
    let is_whole =
        |wall: &&WallMotion| wall.level != SliceLevel::Apex || segment.or(slice.map(|_| 0)).is_some();
    let walls: Vec<&WallMotion> = walls.iter().filter(is_asked).filter(is_whole).collect();
    let frames = walls.first().map_or(0, |wall| wall.points_mm.len());
    // Around the wall along a layer, all slices together.
    let length = |frame: usize, layer: usize| -> f64 {
        let of = |wall: &&WallMotion| -> f64 {
            let points = &wall.points_mm[frame][layer * SPOKES..(layer + 1) * SPOKES];
            let spokes = wall.spokes(slice, segment);
            spokes.map(|s| distance(points[s], points[(s + 1) % SPOKES])).sum()
        };
        walls.iter().map(of).sum()
    };
    let thickness = |frame: usize| -> Vec<f64> {
        let of = |wall: &WallMotion, spoke: usize| {
            distance(wall.points_mm[frame][spoke], wall.points_mm[frame][(LAYERS - 1) * SPOKES + spoke])
        };
        let own = walls.iter().flat_map(|wall| wall.spokes(slice, segment).map(move |spoke| (wall, spoke)));
        own.map(|(wall, spoke)| of(wall, spoke)).collect()
    };
    let layers = [0, LAYERS / 2, LAYERS - 1];
    let (rest, rest_thickness) = (layers.map(|layer| length(reference, layer)), thickness(reference));
    let rest_along = along(reference);
    let at = |frame: usize| {
        let mut circumferential = layers.map(|layer| length(frame, layer));
        circumferential.iter_mut().zip(rest).for_each(|(now, rest)| *now = *now / rest - 1.0);
        let now = thickness(frame);
        let count = now.len().max(1) as f64;
        let radial = now.iter().zip(&rest_thickness).map(|(now, rest)| now / rest - 1.0).sum::<f64>() / count;
        let [endo, mid, epi] = circumferential;
        StrainAt {
            circumferential_endo: endo,
            circumferential_mid: mid,
            circumferential_epi: epi,
            radial,
            longitudinal: (rest_along > 0.0).then(|| along(frame) / rest_along - 1.0),
            thickness_mm: now.iter().sum::<f64>() / count,
        }
    };
    RegionStrain { slice, segment, frames: (0..frames).map(at).collect() }
}

/// Lines midway in the wall from slice to slice that begin or end in a region: for each the two neighbours, the point in their
/// meshes, and how many of the two ends lie in the region.
fn lines_along(
    walls: &[WallMotion],
    slice: Option<usize>,
    segment: Option<u8>,
) -> Vec<([&WallMotion; 2], usize, f64)> {
    let mut lines = Vec::new();
    for pair in walls.windows(2) {
        let [a, b] = [&pair[0], &pair[1]];
        if !(a.moves_across && b.moves_across && a.slice.abs_diff(b.slice) == 1) {
            continue;
        }
        let mut ends = [0.0; SPOKES];
        [a, b].iter().flat_map(|wall| wall.spokes(slice, segment)).for_each(|spoke| ends[spoke] += 1.0);
        let known = ends.into_iter().enumerate().filter(|(_, ends)| *ends > 0.0);
        lines.extend(known.map(|(spoke, ends)| ([a, b], LAYERS / 2 * SPOKES + spoke, ends)));
    }
    lines
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strain_summary::StrainSummary;
    use crate::wall_mesh::WallMesh;

    /// A ring whose points at radius r (10 to 15 mm) move to `at(r)`.
    fn ring(frames: &[fn(f64) -> f64]) -> WallMotion {
        let point = |nth: usize, at: fn(f64) -> f64| {
            let (layer, angle) = (nth / SPOKES, WallMesh::angle_rad(nth % SPOKES));
            let radius = at(10.0 + 5.0 * layer as f64 / (LAYERS - 1) as f64);
            [radius * angle.cos(), radius * angle.sin(), 0.0]
        };
        let points_mm =
            frames.iter().map(|&at| (0..LAYERS * SPOKES).map(|nth| point(nth, at)).collect()).collect();
        let segments = SegmentFrame { septum_rad: 3.0, towards_anterior: 1.0 };
        WallMotion { slice: 4, level: SliceLevel::Mid, segments, moves_across: false, points_mm }
    }

    #[test]
    fn a_stack_that_shortens_and_its_cap_as_computed_by_hand() {
        // Slices 8 mm apart come together by 15 %; the last one shows muscle alone.
        let wall = |nth: usize| {
            let mut wall = ring(&[|r| r, |r| r]);
            (wall.slice, wall.moves_across) = (nth, true);
            wall.level = if nth == 3 { SliceLevel::Apex } else { SliceLevel::Mid };
            for (points, height) in wall.points_mm.iter_mut().zip([8.0, 6.8]) {
                points.iter_mut().for_each(|p| p[2] = height * nth as f64);
            }
            wall
        };
        let walls: Vec<WallMotion> = (0..4).map(wall).collect();
        let all = strains(&walls, 0);
        for region in &all {
            let found =
                StrainSummary::of(region, Some(1)).longitudinal.expect("slices lie next to each other");
            assert!((found.extreme + 0.15).abs() < 1e-9 && found.extreme_frame == 1, "{region:?}");
        }
        let cap = all.iter().find(|r| r.slice.is_none() && r.segment == Some(17)).expect("the apex");
        assert!(cap.frames[1].circumferential_epi.abs() < 1e-9);
        let alone = strains(&walls[..1], 0);
        assert!(alone.iter().all(|region| StrainSummary::of(region, None).longitudinal.is_none()));
    }

    #[test]
    fn a_ring_that_contracts_shortens_and_thickens_as_computed_by_hand() {
        // Radii shrink by 20 % within, by 4 % without: the wall becomes thicker.
        let walls = [ring(&[|r| r, |r| 8.0 + (r - 10.0) * (14.4 - 8.0) / 5.0])];
        let all = strains(&walls, 0);
        // All, six segments over all slices, the slice, its six segments.
        assert_eq!(all.len(), 14);
        for region in &all {
            let [rest, now] = region.frames[..] else { panic!("two frames") };
            assert!(rest.circumferential_mid.abs() < 1e-12 && rest.radial.abs() < 1e-12);
            assert!(
                (now.circumferential_endo + 0.2).abs() < 1e-9
                    && (now.circumferential_epi + 0.04).abs() < 1e-9
            );
            assert!((now.circumferential_mid - (11.2 / 12.5 - 1.0)).abs() < 1e-9);
            assert!((now.radial - (6.4 / 5.0 - 1.0)).abs() < 1e-9 && (now.thickness_mm - 6.4).abs() < 1e-9);
        }
        let summary = StrainSummary::of(&all[0], Some(1));
        let [short, thick] = [summary.circumferential, summary.radial].map(|kind| kind.unwrap());
        assert!(short.extreme < -0.1 && thick.extreme > 0.27);
        assert_eq!(short.end_systolic, Some(short.extreme));
    }

    #[test]
    fn rates_are_exact_on_lines_and_go_around_where_the_curve_does() {
        let line: Vec<f64> = (0..5).map(|i| 0.02 * f64::from(i)).collect();
        assert!(rate_per_s(&line, 40.0, CurveEnds::Open).iter().all(|r| (r - 0.5).abs() < 1e-12));
        let around = rate_per_s(&[0.0, 1.0, 0.0, -1.0], 250.0, CurveEnds::Periodic);
        assert!(around.iter().zip([4.0, 0.0, -4.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert!((eulerian(-0.2) + 0.25).abs() < 1e-12);
    }
}
