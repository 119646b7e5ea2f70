//! Parts one by one: what there is to say of each, each as a mesh of its own, and those of polygons.

use super::SegmentResult;
use super::method::Found;
use crate::Result;
use veloxel_core::{CoreError, TriangleMesh};
use veloxel_mesh::{CleanMesh, DualGraph};
use veloxel_report::{SegmentedPart, part_rgb};

/// A part as a mesh of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct PartMesh {
    /// Its triangles with the points that they use.
    pub mesh: TriangleMesh,
    /// The triangles of the whole mesh that these are.
    pub triangles: Vec<usize>,
    /// The part of each of them.
    pub labels: Vec<u32>,
    /// How certain that is, 0 to 1.
    pub certainty: Vec<f32>,
}

impl SegmentResult {
    /// A part of the mesh that was segmented.
    ///
    /// # Errors
    /// [`CoreError`] for another mesh.
    pub fn part_mesh(&self, mesh: &TriangleMesh, part: u32) -> Result<PartMesh, CoreError> {
        let triangles: Vec<usize> = (0..self.labels.len()).filter(|&t| self.labels[t] == part).collect();
        let mut number = vec![u32::MAX; mesh.points().len()];
        let mut points = Vec::new();
        let mut own = |corner: u32| {
            let number = &mut number[corner as usize];
            if *number == u32::MAX {
                *number = points.len() as u32;
                points.push(mesh.points()[corner as usize]);
            }
            *number
        };
        let corners = triangles.iter().map(|&triangle| mesh.triangles()[triangle].map(&mut own)).collect();
        let certainty = triangles.iter().map(|&triangle| self.certainty[triangle]).collect();
        let labels = vec![part; triangles.len()];
        Ok(PartMesh { mesh: TriangleMesh::new(points, corners)?, triangles, labels, certainty })
    }
}

/// For each polygon of the mesh the part of its largest triangle; `labels` are those of triangles.
pub(super) fn polygon_labels(
    mesh: &TriangleMesh,
    clean: &CleanMesh,
    graph: &DualGraph,
    labels: &[u32],
) -> Vec<u32> {
    let mut largest = vec![(-1.0, 0); mesh.file_face_count()];
    for (triangle, &label) in labels.iter().enumerate() {
        let face = clean.face_of[triangle] as usize;
        // A triangle without an area of its own counts less than any with one.
        let stands = clean.source[face] as usize == triangle;
        let area = if stands { graph.areas[face] } else { 0.0 };
        let best = &mut largest[mesh.file_face(triangle)];
        if area > best.0 {
            *best = (area, label);
        }
    }
    largest.into_iter().map(|(_, label)| label).collect()
}

/// All parts, measured.
pub(super) struct Measured {
    pub segments: Vec<SegmentedPart>,
    pub mean_certainty: f64,
}

/// Measures every part over the faces of the cleaned mesh.
pub(super) fn measured(found: &Found, graph: &DualGraph) -> Measured {
    let Found { answer, thickness, .. } = found;
    let mut segments: Vec<SegmentedPart> = (0..answer.count as u32)
        .map(|part| SegmentedPart {
            part,
            triangles: 0,
            area_share: 0.0,
            thickness: 0.0,
            mean_certainty: 0.0,
            rgb: part_rgb(part),
        })
        .collect();
    for (face, &label) in answer.labels.iter().enumerate() {
        let (segment, area) = (&mut segments[label as usize], graph.areas[face]);
        segment.triangles += 1;
        segment.area_share += area;
        segment.thickness += area * thickness[face];
        segment.mean_certainty += area * f64::from(answer.certainty[face]);
    }
    let mean_certainty = segments.iter().map(|segment| segment.mean_certainty).sum();
    for segment in &mut segments {
        segment.thickness /= segment.area_share;
        segment.mean_certainty /= segment.area_share;
    }
    Measured { segments, mean_certainty }
}
