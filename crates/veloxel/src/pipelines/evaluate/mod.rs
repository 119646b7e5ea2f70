//! Results in memory against truths.

mod in_parts;

use crate::{Result, Session, VeloxelError};
pub use in_parts::{EvaluatePartsRequest, evaluate_flow_in_parts, evaluate_room};
use serde::Serialize;
use veloxel_core::{ContourSet, Flow, Mask, Stage, TriangleMesh, Volume};
use veloxel_measure::{
    ContourDistances, DisparityError, FlowError, FoldingCertificate, LabelOverlapReport, MeasureError,
    SegmentationError, disparity_error, flow_error, folding_certificate, label_overlap, labels_from_samples,
    segmentation_error,
};
use veloxel_mesh::{CleanMesh, cut_discrepancy};

/// A result and the truth.
#[derive(Debug, Clone, Copy)]
pub struct EvaluateRequest<'a, T> {
    /// The result that is measured.
    pub result: &'a T,
    /// The truth.
    pub truth: &'a T,
    /// Where it is measured; none: everywhere.
    pub mask: Option<&'a Mask>,
    /// What both are called in errors.
    pub names: EvaluateNames<'a>,
}

/// What result and truth are called in errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluateNames<'a> {
    /// Name of the result.
    pub result: &'a str,
    /// Name of the truth.
    pub truth: &'a str,
}

impl Default for EvaluateNames<'_> {
    fn default() -> Self {
        Self { result: "the result", truth: "the truth" }
    }
}

impl<'a, T> EvaluateRequest<'a, T> {
    /// A result against the truth, everywhere.
    pub fn new(result: &'a T, truth: &'a T) -> Self {
        Self { result, truth, mask: None, names: EvaluateNames::default() }
    }
}

/// How far a field is from the truth, and where it folds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FlowEvaluation {
    /// Errors of its vectors.
    #[serde(flatten)]
    pub error: FlowError,
    /// Its cells, as far as it can be proven whether they fold.
    pub cells: FoldingCertificate,
}

/// End-point and angular error of a field, and the cells in which it folds.
///
/// # Errors
/// As [`flow_error`]; [`VeloxelError::Stopped`].
pub fn evaluate_flow(request: &EvaluateRequest<'_, Flow>, session: &Session) -> Result<FlowEvaluation> {
    session.enter(Stage::Measure)?;
    let EvaluateRequest { result, truth, mask, .. } = *request;
    let control = session.control();
    let error = flow_error(result, truth, mask, control)?;
    Ok(FlowEvaluation { error, cells: folding_certificate(result, mask, control)? })
}

/// Absolute error, bad pixels and density of a disparity (pixels, NaN where unknown).
///
/// # Errors
/// As [`disparity_error`]; [`VeloxelError::Stopped`].
pub fn evaluate_disparity(
    request: &EvaluateRequest<'_, Volume<f32>>,
    session: &Session,
) -> Result<DisparityError> {
    session.enter(Stage::Measure)?;
    Ok(disparity_error(request.result, request.truth, request.mask, session.control())?)
}

/// Dice, Jaccard and Hausdorff 95 of every label; labels are samples that are whole numbers.
///
/// # Errors
/// As [`labels_from_samples`] and [`label_overlap`]; [`VeloxelError::Stopped`].
pub fn evaluate_labels(
    request: &EvaluateRequest<'_, Volume<f32>>,
    session: &Session,
) -> Result<LabelOverlapReport> {
    session.enter(Stage::Measure)?;
    let result = labels_from_samples(request.result, request.names.result, session.control())?;
    let truth = labels_from_samples(request.truth, request.names.truth, session.control())?;
    Ok(label_overlap(&result, &truth, request.mask, session.control())?)
}

/// Distances of outlines, millimetres, where pixels are so large along x and y.
///
/// # Errors
/// As [`ContourDistances::measure`]; [`VeloxelError::Stopped`].
pub fn evaluate_contours(
    request: &EvaluateRequest<'_, ContourSet>,
    spacing_mm: [f64; 2],
    session: &Session,
) -> Result<ContourDistances> {
    session.enter(Stage::Measure)?;
    Ok(ContourDistances::measure(request.result, request.truth, spacing_mm, session.control())?)
}

/// A segmentation of a mesh's faces and one truth or more.
#[derive(Debug, Clone, Copy)]
pub struct EvaluateSegmentationRequest<'a> {
    /// The number of its part for every face of the file.
    pub result: &'a [u32],
    /// What is true, by one person or several.
    pub truths: &'a [TrueSegmentation],
    /// The mesh, for the cut discrepancy.
    pub mesh: Option<&'a TriangleMesh>,
}

/// A true segmentation, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrueSegmentation {
    /// Its name.
    pub name: String,
    /// The number of its part for every face.
    pub parts: Vec<u32>,
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
    /// Its name.
    pub truth: String,
    /// How far the result differs.
    #[serde(flatten)]
    pub error: SegmentationError,
}

/// Rand index, Hamming distance, consistency errors and, with the mesh, cut discrepancy.
///
/// # Errors
/// As [`segmentation_error`]; [`VeloxelError::Mesh`] for a mesh without faces; [`VeloxelError::Stopped`].
pub fn evaluate_segmentation(
    request: &EvaluateSegmentationRequest<'_>,
    session: &Session,
) -> Result<SegmentationReport> {
    let EvaluateSegmentationRequest { result, truths, mesh } = *request;
    session.enter(Stage::Measure)?;
    let control = session.control();
    let clean = |mesh| Ok::<_, VeloxelError>((mesh, CleanMesh::new(mesh, control)?));
    let mesh = mesh.map(clean).transpose()?;
    let mut against = Vec::new();
    for TrueSegmentation { name, parts } in truths {
        let mut error = segmentation_error(result, parts, control)?;
        if let Some((mesh, clean)) = &mesh {
            // Both have as many faces as each other, not yet as the mesh.
            segmentation_error(parts, &vec![0; mesh.file_face_count()], control)?;
            let [ours, truth] = [result, parts.as_slice()].map(|labels| of_faces(mesh, clean, labels));
            error.cut_discrepancy = cut_discrepancy(clean, &ours, &truth, control)?;
        }
        against.push(AgainstTruth { truth: name.clone(), error });
    }
    let errors: Vec<SegmentationError> = against.iter().map(|truth| truth.error).collect();
    let (what, reason) = ("segmentations", "no truth was given");
    let mean = SegmentationError::mean(&errors).ok_or(MeasureError::NothingToMeasure { what, reason })?;
    Ok(SegmentationReport { mean, truths: against })
}

/// Labels of a file's faces as those of the cleaned mesh.
fn of_faces(mesh: &TriangleMesh, clean: &CleanMesh, labels: &[u32]) -> Vec<u32> {
    clean.source.iter().map(|&triangle| labels[mesh.file_face(triangle as usize)]).collect()
}
