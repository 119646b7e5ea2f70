//! A segmentation against those of people.

use crate::VeloxelError;
use serde::Serialize;
use std::path::PathBuf;
use veloxel_core::{TriangleMesh, Warnings};
use veloxel_io::{self as io, Reading};
use veloxel_mesh::{CleanMesh, cut_discrepancy};
use veloxel_report::metrics::{SegmentationError, segmentation_error};

/// A segmentation and one truth or more, all as `.seg` files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvaluateSegmentationJob {
    /// What is measured.
    pub result: PathBuf,
    /// What is true.
    pub truths: Vec<PathBuf>,
    /// The mesh, for the cut discrepancy.
    pub mesh: Option<PathBuf>,
    /// How files are read.
    pub reading: Reading,
}

/// A segmentation against each truth, and on the mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SegmentationReport {
    /// The mean over the truths; the number of true parts is their median.
    pub mean: SegmentationError,
    /// Each of them.
    pub truths: Vec<AgainstTruth>,
}

/// One truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgainstTruth {
    /// Its file.
    pub truth: String,
    /// How far the result differs.
    #[serde(flatten)]
    pub error: SegmentationError,
}

/// `veloxel evaluate segmentation`: Rand index, Hamming distance, consistency errors and, with the mesh, cut discrepancy.
///
/// # Errors
/// Anything wrong with the files; [`VeloxelError::Report`] for another number of faces.
pub fn evaluate_segmentation(
    job: &EvaluateSegmentationJob,
    warnings: &mut Warnings,
) -> Result<SegmentationReport, VeloxelError> {
    let result = io::read_face_labels(&job.result)?;
    let read = |path: &PathBuf| -> Result<_, VeloxelError> {
        let mesh = io::read_surface(path, job.reading, warnings)?;
        let clean = CleanMesh::new(&mesh).map_err(VeloxelError::of_mesh_file(path))?;
        Ok((mesh, clean))
    };
    let mesh = job.mesh.as_ref().map(read).transpose()?;
    let mut truths = Vec::new();
    for path in &job.truths {
        let truth = io::read_face_labels(path)?;
        let mut error = segmentation_error(&result, &truth)?;
        if let Some((mesh, clean)) = &mesh {
            // Both have as many faces as each other, not yet as the mesh.
            segmentation_error(&truth, &vec![0; mesh.file_face_count()])?;
            let labels = [&result, &truth].map(|labels| of_faces(mesh, clean, labels));
            error.cut_discrepancy = cut_discrepancy(clean, &labels[0], &labels[1]);
        }
        truths.push(AgainstTruth { truth: path.display().to_string(), error });
    }
    let errors: Vec<SegmentationError> = truths.iter().map(|truth| truth.error).collect();
    let nothing = || veloxel_report::ReportError::NothingToMeasure {
        what: "segmentations",
        reason: "no truth was given",
    };
    let mean = SegmentationError::mean(&errors).ok_or_else(nothing)?;
    Ok(SegmentationReport { mean, truths })
}

/// Labels of a file's faces as those of the cleaned mesh.
fn of_faces(mesh: &TriangleMesh, clean: &CleanMesh, labels: &[u32]) -> Vec<u32> {
    clean.source.iter().map(|&triangle| labels[mesh.file_face(triangle as usize)]).collect()
}
