//! A mesh as a text, a group for each part.

use crate::error::Result;
use crate::write::painted_mesh::{PaintedMesh, part_name};
use crate::write::target::Target;
use crate::write::whole_file;
use std::collections::{HashMap, HashSet};
use std::io::{Error, Write};
use veloxel_core::TriangleMesh;

/// Polygons that are written between two questions whether to go on.
const POLYGONS_BETWEEN: usize = 1 << 13;

pub(super) fn write(target: &Target, painted: &PaintedMesh<'_>) -> Result<()> {
    let (mesh, groups) = (painted.mesh, painted.parts());
    let (places, place_of) = places(mesh.texture().unwrap_or_default());
    whole_file::write(target, |file| {
        writeln!(file, "# Veloxel {}", env!("CARGO_PKG_VERSION"))?;
        for [x, y, z] in mesh.points() {
            writeln!(file, "v {x} {y} {z}")?;
        }
        for [u, v] in &places {
            writeln!(file, "vt {u} {v}")?;
        }
        for (part, triangles) in groups.iter().enumerate().filter(|(_, triangles)| !triangles.is_empty()) {
            writeln!(file, "g {}", part_name(part, groups.len()))?;
            for (nth, polygon) in polygons(painted, triangles).into_iter().enumerate() {
                if nth.is_multiple_of(POLYGONS_BETWEEN) {
                    target.check().map_err(Error::other)?;
                }
                write!(file, "f")?;
                for side in polygon {
                    let point = mesh.triangles()[side.triangle][side.corner] + 1;
                    match place_of.get(3 * side.triangle + side.corner) {
                        Some(place) => write!(file, " {point}/{}", place + 1)?,
                        None => write!(file, " {point}")?,
                    }
                }
                writeln!(file)?;
            }
        }
        Ok(())
    })
}

/// A corner of a triangle.
struct Side {
    triangle: usize,
    corner: usize,
}

/// The corners of a polygon that was cut into these triangles: of a fan, or of any whose sides make one ring.
fn corners(mesh: &TriangleMesh, triangles: &[usize]) -> Option<Vec<Side>> {
    let all = mesh.triangles();
    let is_fan =
        triangles.windows(2).all(|two| all[two[0]][0] == all[two[1]][0] && all[two[0]][2] == all[two[1]][1]);
    if is_fan {
        let first = [0, 1].map(|corner| Side { triangle: triangles[0], corner });
        return Some(
            first.into_iter().chain(triangles.iter().map(|&triangle| Side { triangle, corner: 2 })).collect(),
        );
    }
    let sides = || triangles.iter().flat_map(|&triangle| [0, 1, 2].map(|corner| Side { triangle, corner }));
    let ends = |side: &Side| [all[side.triangle][side.corner], all[side.triangle][(side.corner + 1) % 3]];
    let inner: HashSet<[u32; 2]> = sides().map(|side| ends(&side)).collect();
    let mut next: HashMap<u32, Side> = HashMap::new();
    for side in sides().filter(|side| !inner.contains(&[ends(side)[1], ends(side)[0]])) {
        // A ring that passes a point twice cannot be told from two.
        if next.insert(ends(&side)[0], side).is_some() {
            return None;
        }
    }
    let count = next.len();
    let mut at = *next.keys().min()?;
    let mut ring = Vec::with_capacity(count);
    while let Some(side) = next.remove(&at) {
        at = ends(&side)[1];
        ring.push(side);
    }
    (ring.len() == count && count == triangles.len() + 2).then_some(ring)
}

/// The triangles of a part as the polygons of the file, where all of a polygon is in the part.
fn polygons(painted: &PaintedMesh<'_>, triangles: &[usize]) -> Vec<Vec<Side>> {
    let (mesh, mut found) = (painted.mesh, Vec::new());
    let whole = mesh.file_face_sizes();
    let mut start = 0;
    while start < triangles.len() {
        let face = mesh.file_face(triangles[start]);
        let own = triangles[start..].iter().take_while(|&&triangle| mesh.file_face(triangle) == face).count();
        let own = &triangles[start..start + own];
        let is_whole = whole.as_ref().is_some_and(|whole| whole[face] as usize == own.len());
        match Some(own).filter(|_| is_whole).and_then(|own| corners(mesh, own)) {
            Some(polygon) => found.push(polygon),
            None => found
                .extend(own.iter().map(|&triangle| [0, 1, 2].map(|corner| Side { triangle, corner }).into())),
        }
        start += own.len();
    }
    found
}

/// The different places in a texture in the order of the corners, and the one of each corner.
fn places(texture: &[[[f32; 2]; 3]]) -> (Vec<[f32; 2]>, Vec<usize>) {
    let (mut places, mut number) = (Vec::new(), HashMap::new());
    let mut of = |place: &[f32; 2]| {
        *number.entry(place.map(f32::to_bits)).or_insert_with(|| {
            places.push(*place);
            places.len() - 1
        })
    };
    let place_of = texture.iter().flatten().map(&mut of).collect();
    (places, place_of)
}
