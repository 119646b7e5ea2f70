//! Colours of parts, and parts as meshes of their own.

use crate::VeloxelError;
use std::path::Path;
use veloxel_core::TriangleMesh;
use veloxel_io::{self as io, PaintedMesh};

/// The colour of a part: hues a golden section of the circle apart, in three lightnesses.
pub(super) fn part_rgb(part: u32) -> [u8; 3] {
    const GOLDEN_TURN: f64 = 0.618_033_988_749_894_9;
    let hue = 6.0 * (0.58 + f64::from(part) * GOLDEN_TURN).fract();
    let (value, chroma) = [(0.95, 0.62), (0.75, 0.6), (0.88, 0.42)][part as usize % 3];
    let channel = |shift: f64| {
        let around = (hue + shift).rem_euclid(6.0);
        let share = around.min(4.0 - around).clamp(0.0, 1.0);
        (255.0 * (value - chroma * share)).round() as u8
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

/// A colour blended to white where it is uncertain (gpgpu2011, section 5.2).
pub(super) fn whitened(rgb: [u8; 3], certainty: f32) -> [u8; 3] {
    rgb.map(|c| (255.0 - certainty.clamp(0.0, 1.0) * (255.0 - f32::from(c))).round() as u8)
}

/// Writes the triangles of one part, with the points that they use.
pub(super) fn part_mesh(painted: &PaintedMesh<'_>, part: u32, path: &Path) -> Result<(), VeloxelError> {
    let triangles: Vec<usize> =
        (0..painted.segment.len()).filter(|&triangle| painted.segment[triangle] == part).collect();
    let mut number = vec![u32::MAX; painted.mesh.points().len()];
    let mut points = Vec::new();
    let mut own = |corner: u32| {
        let number = &mut number[corner as usize];
        if *number == u32::MAX {
            *number = points.len() as u32;
            points.push(painted.mesh.points()[corner as usize]);
        }
        *number
    };
    let corners =
        triangles.iter().map(|&triangle| painted.mesh.triangles()[triangle].map(&mut own)).collect();
    let mesh = TriangleMesh::new(points, corners)?;
    let rgb: Vec<_> = triangles.iter().map(|&triangle| painted.rgb[triangle]).collect();
    let certainty: Vec<_> = triangles.iter().map(|&triangle| painted.certainty[triangle]).collect();
    let segment = vec![part; triangles.len()];
    let painted = PaintedMesh { mesh: &mesh, rgb: &rgb, certainty: &certainty, segment: &segment };
    Ok(io::write_painted_mesh(path, &painted)?)
}
