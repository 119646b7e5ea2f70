//! Results against truths, from files.

use super::{MaskFile, Result, VeloxelError};
use serde::Serialize;
use std::path::{Path, PathBuf};
use veloxel_core::{Mask, TriangleMesh, Warnings};
use veloxel_io::{self as io, CinePlace, ContourReading, IoError, PlainNames, Reading};
use veloxel_measure::MeasureError;
use veloxel_measure::{
    ContourDistances, DisparityError, FlowError, LabelOverlapReport, SegmentationError, disparity_error,
    flow_error, label_overlap, labels_from_samples, segmentation_error,
};
use veloxel_mesh::{CleanMesh, cut_discrepancy};

/// A result and the truth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvaluateJob {
    /// What is measured.
    pub result: PathBuf,
    /// What is true.
    pub truth: PathBuf,
    /// Where it is measured; none: everywhere.
    pub mask: Option<MaskFile>,
    /// How files are read.
    pub reading: Reading,
}

impl EvaluateJob {
    fn mask(&self, warnings: &mut Warnings) -> Result<Option<Mask>> {
        self.mask.as_ref().map(|file| file.read(self.reading, warnings)).transpose()
    }
}

/// What the samples of disparities were multiplied by, where a file does not say so.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DisparityScales {
    /// As [`read_disparity`](io::read_disparity) takes it.
    pub result: Option<f32>,
    /// Likewise.
    pub truth: Option<f32>,
}

/// `veloxel evaluate flow`: end-point and angular error of a field.
///
/// # Errors
/// Anything wrong with the files; as [`flow_error`].
pub fn evaluate_flow(job: &EvaluateJob, warnings: &mut Warnings) -> Result<FlowError> {
    let result = io::read_flow(&job.result, job.reading, warnings)?;
    let truth = io::read_flow(&job.truth, job.reading, warnings)?;
    Ok(flow_error(&result, &truth, job.mask(warnings)?.as_ref())?)
}

/// `veloxel evaluate disparity`: absolute error, bad pixels and density.
///
/// # Errors
/// Anything wrong with the files; as [`disparity_error`].
pub fn evaluate_disparity(
    job: &EvaluateJob,
    scales: DisparityScales,
    warnings: &mut Warnings,
) -> Result<DisparityError> {
    let result = io::read_disparity(&job.result, scales.result, job.reading, warnings)?;
    let truth = io::read_disparity(&job.truth, scales.truth, job.reading, warnings)?;
    Ok(disparity_error(&result, &truth, job.mask(warnings)?.as_ref())?)
}

/// `veloxel evaluate labels`: Dice, Jaccard and Hausdorff 95 of every label.
///
/// # Errors
/// Anything wrong with the files; as [`label_overlap`].
pub fn evaluate_labels(job: &EvaluateJob, warnings: &mut Warnings) -> Result<LabelOverlapReport> {
    let mut labels = |path: &Path| -> Result<_> {
        let samples = io::read_image(path, job.reading, warnings)?;
        Ok(labels_from_samples(&samples, &path.display().to_string())?)
    };
    let (result, truth) = (labels(&job.result)?, labels(&job.truth)?);
    Ok(label_overlap(&result, &truth, job.mask(warnings)?.as_ref())?)
}

/// `veloxel evaluate contours`: distances of outlines, millimetres.
///
/// The spacing of pixels is that of the file that describes its cine, RESULT before TRUTH (JSON, label images), or of `cine`.
///
/// # Errors
/// Anything wrong with the files; [`IoError::Unsupported`] if the spacing stands in none; as [`ContourDistances::measure`].
pub fn evaluate_contours(
    job: &EvaluateJob,
    cine: Option<&Path>,
    names: PlainNames,
    warnings: &mut Warnings,
) -> Result<ContourDistances> {
    let options = ContourReading { names, reading: job.reading, ..ContourReading::default() };
    let mut place = cine.map(|path| place_of(path, job.reading, warnings)).transpose()?;
    if place.is_none() {
        // The file that describes its cine is read first, whichever of the two that is.
        let mut unsaid = Warnings::new();
        let tried =
            [&job.result, &job.truth].map(|path| io::read_contours(path, None, &options, &mut unsaid));
        place = tried.into_iter().flatten().find_map(|file| file.place);
    }
    let Some(place) = place else {
        let hint = "name an image of its cine with --cine, for the spacing of pixels";
        return Err(IoError::unsupported(&job.result, "measuring outlines without their cine", hint).into());
    };
    let mut read = |path: &Path| io::read_contours(path, Some(&place), &options, warnings);
    let (result, truth) = (read(&job.result)?, read(&job.truth)?);
    let [sx, sy, _] = place.grid.spacing_mm();
    Ok(ContourDistances::measure(&result.contours, &truth.contours, [sx, sy])?)
}

/// Grid and frames of a file with a time axis, or of one frame.
fn place_of(path: &Path, reading: Reading, warnings: &mut Warnings) -> Result<CinePlace> {
    let (info, grid) = (io::inspect(path, reading)?, io::read_grid(path, reading, warnings)?);
    let (frames, frame_interval_ms) = (info.frames, info.frame_interval_ms);
    Ok(CinePlace { grid, frames, frame_interval_ms, images: Vec::new() })
}

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
) -> Result<SegmentationReport> {
    let result = io::read_face_labels(&job.result)?;
    let read = |path: &PathBuf| -> Result<_> {
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
    let (what, reason) = ("segmentations", "no truth was given");
    let mean = SegmentationError::mean(&errors).ok_or(MeasureError::NothingToMeasure { what, reason })?;
    Ok(SegmentationReport { mean, truths })
}

/// Labels of a file's faces as those of the cleaned mesh.
fn of_faces(mesh: &TriangleMesh, clean: &CleanMesh, labels: &[u32]) -> Vec<u32> {
    clean.source.iter().map(|&triangle| labels[mesh.file_face(triangle as usize)]).collect()
}
