//! Parts one by one: what there is to say of each, each as a mesh of its own, and those of polygons.

use super::SegmentResult;
use super::method::Found;
use crate::Result;
use veloxel_core::{CoreError, TriangleMesh};
use veloxel_mesh::{CleanMesh, DualGraph, cut_rings};
use veloxel_report::{SegmentedPart, part_rgb};

/// A part as a mesh of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct PartMesh {
    /// Its triangles with the points that they use.
    pub mesh: TriangleMesh,
    /// The triangles of the whole mesh that these are; caps come after them.
    pub triangles: Vec<usize>,
    /// The part of each of them.
    pub labels: Vec<u32>,
    /// How certain that is, 0 to 1.
    pub certainty: Vec<f32>,
}

/// What becomes of the holes that a part has where it was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CutEnds {
    /// They stay open.
    #[default]
    Open,
    /// A fan of triangles around the middle of the ring closes each; those triangles have the certainty 0.
    Capped,
}

impl SegmentResult {
    /// A part of the mesh that was segmented.
    ///
    /// # Errors
    /// [`CoreError`] for another mesh.
    pub fn part_mesh(&self, mesh: &TriangleMesh, part: u32, ends: CutEnds) -> Result<PartMesh, CoreError> {
        let triangles: Vec<usize> = (0..self.labels.len()).filter(|&t| self.labels[t] == part).collect();
        let mut number = vec![u32::MAX; mesh.points().len()];
        let mut used = Vec::new();
        let mut own = |corner: u32| {
            let number = &mut number[corner as usize];
            if *number == u32::MAX {
                *number = used.len() as u32;
                used.push(mesh.points()[corner as usize]);
            }
            *number
        };
        let mut corners: Vec<[u32; 3]> =
            triangles.iter().map(|&triangle| mesh.triangles()[triangle].map(&mut own)).collect();
        let mut certainty: Vec<f32> = triangles.iter().map(|&triangle| self.certainty[triangle]).collect();
        if ends == CutEnds::Capped {
            let rings = cut_rings(mesh, &self.labels, part);
            let rings: Vec<Vec<u32>> =
                rings.into_iter().map(|ring| ring.into_iter().map(&mut own).collect()).collect();
            rings.iter().for_each(|ring| cap(ring, &mut used, &mut corners));
            certainty.resize(corners.len(), 0.0);
        }
        let labels = vec![part; corners.len()];
        Ok(PartMesh { mesh: TriangleMesh::new(used, corners)?, triangles, labels, certainty })
    }
}

/// Closes a ring by a fan around its middle.
fn cap(ring: &[u32], points: &mut Vec<[f64; 3]>, corners: &mut Vec<[u32; 3]>) {
    let mean = |axis: usize| {
        ring.iter().map(|&corner| points[corner as usize][axis]).sum::<f64>() / ring.len() as f64
    };
    let middle = points.len() as u32;
    points.push([mean(0), mean(1), mean(2)]);
    let next = ring.iter().cycle().skip(1);
    corners.extend(ring.iter().zip(next).map(|(&from, &to)| [from, to, middle]));
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
