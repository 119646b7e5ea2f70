//! The wall of the left ventricle: its slices with both outlines, from base to apex, and the places of their segments.

use super::motion::{CineMotion, Way};
use super::setting::Setting;
use std::collections::BTreeSet;
use veloxel_core::{ContourSet, Grid, Polygon, Stopped, Structure, WarningKind, Warnings, number_runs};
use veloxel_measure::{SegmentFrame, SliceLevel, WallMesh, WallMotion};

/// The walls of all slices whose mesh can be followed to every frame.
///
/// # Errors
/// [`Stopped`].
pub(super) fn walls(
    setting: &Setting<'_>,
    motion: &CineMotion,
    warnings: &mut Warnings,
) -> Result<Vec<WallMotion>, Stopped> {
    let (seeds, cine) = (&setting.seeds, setting.request.cine);
    let grid = cine.grid();
    let [sx, sy, _] = grid.spacing_mm();
    let start = Start { contours: &seeds.contours, frame: seeds.reference(), spacing_mm: [sx, sy] };
    let mut meshes = start.meshes(warnings);
    if meshes.is_empty() {
        return Ok(Vec::new());
    }
    let slices: Vec<usize> = meshes.iter().map(|(slice, ..)| *slice).collect();
    let mut levels = start.levels(&slices, warnings);
    if let Some((mesh, is_first)) = start.cap(&slices, &levels) {
        let nth = if is_first { 0 } else { meshes.len() };
        meshes.insert(nth, mesh);
        levels.insert(nth, SliceLevel::Apex);
    }
    let shared = start.septum_rad();
    if shared.is_none() {
        let text = "no outline of the right ventricle: the septum is taken to lie towards the patient's right and front \
                    (an image without orientation: to the left), which decides which segment is which";
        warnings.push(WarningKind::Content, text);
    }
    let follow = |(nth, (slice, mesh, centre)): (usize, (usize, WallMesh, [f64; 2]))| {
        let at = |frame: usize| -> Option<Vec<[f64; 3]>> {
            let point = |&[x, y]: &[f64; 2]| {
                let there = motion.moved_vox(Way::Wanted, [x, y, slice as f64], frame)?;
                Some(grid.world_from_voxel(there))
            };
            mesh.points_px().iter().map(point).collect()
        };
        let septum_rad = start.towards_rv_rad(slice, centre).or(shared);
        let septum_rad = septum_rad.unwrap_or_else(|| usual_septum_rad(grid));
        let segments = SegmentFrame { septum_rad, towards_anterior: towards_anterior(grid, septum_rad) };
        let points_mm = (0..cine.frames().len()).map(at).collect::<Option<_>>()?;
        let moves_across = motion.moves_across();
        Some(WallMotion { slice, level: levels[nth], segments, moves_across, points_mm })
    };
    let count = meshes.len();
    let mut walls: Vec<WallMotion> = Vec::with_capacity(count);
    for mesh in meshes.into_iter().enumerate() {
        setting.session.control().check()?;
        walls.extend(follow(mesh));
    }
    if walls.len() < count {
        let text = format!(
            "{} of {count} slices leave the region where motion is known: they have no strain",
            count - walls.len()
        );
        warnings.push(WarningKind::Field, text);
    }
    Ok(walls)
}

/// A slice with a mesh, and the centre of its cavity, pixels.
type Mesh = (usize, WallMesh, [f64; 2]);

/// The outlines of the reference frame of motion.
struct Start<'a> {
    contours: &'a ContourSet,
    frame: usize,
    /// Distances of pixels along x and y.
    spacing_mm: [f64; 2],
}

impl Start<'_> {
    fn outline(&self, structure: Structure, slice: usize) -> Option<&Polygon> {
        self.contours.get(structure, slice, self.frame).map(|contour| &contour.polygon)
    }

    /// A mesh between the outlines of every slice that has both.
    fn meshes(&self, warnings: &mut Warnings) -> Vec<Mesh> {
        let (mut meshes, mut open) = (Vec::new(), BTreeSet::new());
        for slice in self.contours.slices() {
            let [endo, epi] = [Structure::Endo, Structure::Epi].map(|each| self.outline(each, slice));
            let Some((endo, epi)) = endo.zip(epi) else { continue };
            match WallMesh::between(endo, epi, self.spacing_mm) {
                Some(mesh) => meshes.push((slice, mesh, endo.centroid_px())),
                None => _ = open.insert(slice),
            }
        }
        if !open.is_empty() {
            let (slices, so) =
                (number_runs("slice", &open), if open.len() == 1 { "it has" } else { "they have" });
            let text =
                format!("{slices}: the epicardium does not surround the endocardium, so that {so} no strain");
            warnings.push(WarningKind::Content, text);
        }
        meshes
    }

    /// The slice next to the apical end that shows muscle without a cavity, if it is outlined, and whether it lies before the
    /// others.
    fn cap(&self, slices: &[usize], levels: &[SliceLevel]) -> Option<(Mesh, bool)> {
        let [is_first, is_last] =
            [levels.first(), levels.last()].map(|level| level == Some(&SliceLevel::Apical));
        let slice = match (is_first, is_last) {
            (true, _) => slices.first()?.checked_sub(1)?,
            (_, true) => slices.last()? + 1,
            _ => return None,
        };
        if self.outline(Structure::Endo, slice).is_some() {
            return None;
        }
        let epi = self.outline(Structure::Epi, slice)?;
        Some(((slice, WallMesh::cap(epi, self.spacing_mm)?, epi.centroid_px()), is_first))
    }

    /// Thirds from the base to the apex; the base is the end with the larger epicardium.
    fn levels(&self, slices: &[usize], warnings: &mut Warnings) -> Vec<SliceLevel> {
        let n = slices.len();
        if n < 3 {
            let text = format!(
                "{n} of the slices have both outlines: they count as the middle of the ventricle (segments 7 to 12)"
            );
            warnings.push(WarningKind::Note, text);
            return vec![SliceLevel::Mid; n];
        }
        let area = |of: &[usize]| -> f64 {
            let area = |&slice| self.outline(Structure::Epi, slice).map_or(0.0, Polygon::signed_area_px2);
            of.iter().map(area).sum()
        };
        let third = n.div_ceil(3);
        let base_first = area(&slices[..third]) >= area(&slices[n - third..]);
        let level = |nth: usize| {
            let from_base = if base_first { nth } else { n - 1 - nth };
            match 3 * from_base / n {
                0 => SliceLevel::Basal,
                1 => SliceLevel::Mid,
                _ => SliceLevel::Apical,
            }
        };
        let end = if base_first { slices[0] } else { slices[n - 1] };
        let text = format!("slice {end} is taken as the base: the epicardium is larger at that end");
        warnings.push(WarningKind::Note, text);
        (0..n).map(level).collect()
    }

    /// The direction to the right ventricle's centre in a slice.
    fn towards_rv_rad(&self, slice: usize, centre: [f64; 2]) -> Option<f64> {
        let (rv, [sx, sy]) = (self.outline(Structure::Rv, slice)?.centroid_px(), self.spacing_mm);
        Some((sy * (rv[1] - centre[1])).atan2(sx * (rv[0] - centre[0])))
    }

    /// The mean direction to the right ventricle over all slices that show both.
    fn septum_rad(&self) -> Option<f64> {
        let mut sum = [0.0; 2];
        for slice in self.contours.slices() {
            let centre = self.outline(Structure::Endo, slice).map(Polygon::centroid_px);
            if let Some(angle) = centre.and_then(|centre| self.towards_rv_rad(slice, centre)) {
                sum = [sum[0] + angle.cos(), sum[1] + angle.sin()];
            }
        }
        (sum != [0.0; 2]).then(|| sum[1].atan2(sum[0]))
    }
}

/// The direction of a world vector (LPS) in the plane of slices.
fn in_plane(grid: &Grid, world: [f64; 3]) -> [f64; 2] {
    let direction = grid.direction();
    [0, 1].map(|axis: usize| (0..3).map(|row| direction[row][axis] * world[row]).sum())
}

fn usual_septum_rad(grid: &Grid) -> f64 {
    if grid.is_unplaced() {
        return std::f64::consts::PI;
    }
    let [x, y] = in_plane(grid, [-1.0, -1.0, 0.0]);
    y.atan2(x)
}

/// Whether angles grow from the septum to the anterior wall.
fn towards_anterior(grid: &Grid, septum_rad: f64) -> f64 {
    let [x, y] = if grid.is_unplaced() { [0.0, -1.0] } else { in_plane(grid, [0.0, -1.0, 0.5]) };
    if (y.atan2(x) - septum_rad).sin() >= 0.0 { 1.0 } else { -1.0 }
}
