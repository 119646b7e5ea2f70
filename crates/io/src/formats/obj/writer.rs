//! A mesh as a text, a group for each part.

use crate::error::Result;
use crate::write::painted_mesh::{PaintedMesh, part_name};
use crate::write::target::Target;
use crate::write::whole_file;
use std::collections::HashMap;
use std::io::{Error, Write};
use std::ops::Range;

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
                for side in corners(&triangles[polygon]) {
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

/// The corners of a polygon that is a fan of these triangles.
fn corners(fan: &[usize]) -> impl Iterator<Item = Side> + '_ {
    let first = [0, 1].map(|corner| Side { triangle: fan[0], corner });
    first.into_iter().chain(fan.iter().map(|&triangle| Side { triangle, corner: 2 }))
}

/// The triangles of a part as the polygons of the file: whole fans where all of a polygon is in the part.
fn polygons(painted: &PaintedMesh<'_>, triangles: &[usize]) -> Vec<Range<usize>> {
    let (mesh, mut found) = (painted.mesh, Vec::new());
    let whole = mesh.file_face_sizes();
    let mut start = 0;
    while start < triangles.len() {
        let face = mesh.file_face(triangles[start]);
        let own = triangles[start..].iter().take_while(|&&triangle| mesh.file_face(triangle) == face).count();
        if whole.as_ref().is_some_and(|whole| whole[face] as usize == own) {
            found.push(start..start + own);
        } else {
            found.extend((start..start + own).map(|triangle| triangle..triangle + 1));
        }
        start += own;
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
