//! Results in memory against truths.

mod in_parts;
mod kept_sums;
mod labels_in_parts;
mod mask_boxes;

use crate::{Result, Session, VeloxelError};
pub use in_parts::{EvaluatePartsRequest, evaluate_flow_in_parts, evaluate_room};
pub use labels_in_parts::{
    EvaluateLabelPartsRequest, evaluate_labels_in_parts, evaluate_labels_room, labels_in_boxes,
};
pub use mask_boxes::MaskBoxes;
use serde::Serialize;
use veloxel_core::{ContourSet, Control, Flow, FlowCovariance, Mask, Portion, Stage, TriangleMesh, Volume};
use veloxel_measure::{
    ContourDistances, DisparityError, EllipseCoverage, FlowError, FoldingCertificate, Foretold,
    LabelOverlapReport, MeasureError, Reliability, SegmentationError, Sparsification, disparity_error,
    ellipse_coverage, flow_error, folding_certificate, label_overlap, labels_from_samples, reliability,
    segmentation_error, sparsification,
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowEvaluation {
    /// Errors of its vectors.
    #[serde(flatten)]
    pub error: FlowError,
    /// Its cells, as far as it can be proven whether they fold.
    pub cells: FoldingCertificate,
    /// Whether what the run said of its errors holds.
    pub certainty: CertaintyEvaluation,
}

/// What a run says of the errors of its field, on its grid; all of it may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FlowClaims<'a> {
    /// Confidences, any scale, larger is better.
    pub confidence: Option<&'a Volume<f32>>,
    /// Expected errors, voxels.
    pub expected_error_vox: Option<&'a Volume<f32>>,
    /// Probabilities, 0 to 1, that errors are below `within_vox`.
    pub probability: Option<&'a Volume<f32>>,
    /// The threshold of the probabilities, voxels; none: half a voxel.
    pub within_vox: Option<f32>,
    /// Covariances, squared voxels.
    pub covariance: Option<&'a FlowCovariance>,
}

/// The threshold of a probability where none is given, voxels.
pub const WITHIN_VOX: f32 = 0.5;

/// Whether what a run said of the errors of its field holds; what it did not say is left out.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct CertaintyEvaluation {
    /// The curve of errors over the confidence, and the area between it and the errors' own (AUSE).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sparsification: Option<Sparsification>,
    /// Expected errors against those found, voxels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_error: Option<Reliability>,
    /// Probabilities against the shares found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<Reliability>,
    /// The ellipses of 50, 90 and 95 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ellipses: Option<Vec<EllipseCoverage>>,
}

/// End-point and angular error of a field, the cells in which it folds, and whether what the run said of its errors holds.
///
/// # Errors
/// As [`flow_error`], [`sparsification`], [`reliability`] and [`ellipse_coverage`]; [`VeloxelError::Stopped`].
pub fn evaluate_flow(
    request: &EvaluateRequest<'_, Flow>,
    claims: &FlowClaims<'_>,
    session: &Session,
) -> Result<FlowEvaluation> {
    session.enter(Stage::Measure)?;
    let EvaluateRequest { result, truth, mask, .. } = *request;
    let control = session.control();
    let threads = session.threads().telling();
    let nth = |nth| Portion::nth_of(nth, 2);
    let error = control.portion(nth(0), || flow_error(result, truth, mask, threads))?;
    let cells = control.portion(nth(1), || folding_certificate(result, mask, threads))?;
    Ok(FlowEvaluation { error, cells, certainty: certainty(request, claims, control)? })
}

fn certainty(
    request: &EvaluateRequest<'_, Flow>,
    claims: &FlowClaims<'_>,
    control: &Control,
) -> Result<CertaintyEvaluation, MeasureError> {
    let EvaluateRequest { result, truth, mask, .. } = *request;
    let within_vox = f64::from(claims.within_vox.unwrap_or(WITHIN_VOX));
    let against = |foretold| reliability(result, truth, foretold, mask, control);
    let curve = |confidence| sparsification(result, truth, confidence, mask, control);
    let coverage = |covariance| ellipse_coverage(result, truth, covariance, mask, control);
    let expected = |map| against(Foretold::Error { map });
    let probable = |map| against(Foretold::Probability { map, within_vox });
    Ok(CertaintyEvaluation {
        sparsification: claims.confidence.map(curve).transpose()?,
        expected_error: claims.expected_error_vox.map(expected).transpose()?,
        probability: claims.probability.map(probable).transpose()?,
        ellipses: claims.covariance.map(coverage).transpose()?,
    })
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
    let threads = session.threads();
    let result = labels_from_samples(request.result, request.names.result, threads)?;
    let truth = labels_from_samples(request.truth, request.names.truth, threads)?;
    Ok(label_overlap(&result, &truth, request.mask, threads.telling())?)
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
