//! The JSON of a segmentation.

use crate::run::header::RunHeader;
use serde::Serialize;
use veloxel_core::CleaningReport;

/// A mesh in parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SegmentReport {
    /// The run.
    #[serde(flatten)]
    pub header: RunHeader,
    /// The mesh's file.
    pub mesh: String,
    /// Faces of the file, polygons counted as one.
    pub faces: usize,
    /// What was found in the mesh and mended.
    pub cleaning: CleaningReport,
    /// Number of parts.
    pub parts: usize,
    /// Origin of that number: `asked for`, or `chosen`.
    pub count_from: &'static str,
    /// Mean certainty over the area.
    pub mean_certainty: f64,
    /// Every part, in the order of their numbers.
    pub segments: Vec<SegmentedPart>,
}

/// A part of a mesh.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SegmentedPart {
    /// Number of the part in files.
    pub part: u32,
    /// Number of triangles.
    pub triangles: usize,
    /// Share in the mesh's area.
    pub area_share: f64,
    /// Mean thickness (shape diameter) as a share of the square root of the mesh's area.
    pub thickness: f64,
    /// Mean certainty over its area.
    pub mean_certainty: f64,
    /// Colour: red, green and blue.
    pub rgb: [u8; 3],
}
