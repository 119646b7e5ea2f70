//! Results against truths, from files.

use super::MaskFile;
use crate::VeloxelError;
use std::path::{Path, PathBuf};
use veloxel_core::{Mask, Warnings};
use veloxel_io as io;
use veloxel_io::Reading;
use veloxel_report::metrics::{
    DisparityError, FlowError, LabelOverlapReport, disparity_error, flow_error, label_overlap,
    labels_from_samples,
};

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
    fn mask(&self, warnings: &mut Warnings) -> Result<Option<Mask>, VeloxelError> {
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
pub fn evaluate_flow(job: &EvaluateJob, warnings: &mut Warnings) -> Result<FlowError, VeloxelError> {
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
) -> Result<DisparityError, VeloxelError> {
    let result = io::read_disparity(&job.result, scales.result, job.reading, warnings)?;
    let truth = io::read_disparity(&job.truth, scales.truth, job.reading, warnings)?;
    Ok(disparity_error(&result, &truth, job.mask(warnings)?.as_ref())?)
}

/// `veloxel evaluate labels`: Dice, Jaccard and Hausdorff 95 of every label.
///
/// # Errors
/// Anything wrong with the files; as [`label_overlap`].
pub fn evaluate_labels(
    job: &EvaluateJob,
    warnings: &mut Warnings,
) -> Result<LabelOverlapReport, VeloxelError> {
    let mut labels = |path: &Path| -> Result<_, VeloxelError> {
        let samples = io::read_image(path, job.reading, warnings)?;
        Ok(labels_from_samples(&samples, &path.display().to_string())?)
    };
    let (result, truth) = (labels(&job.result)?, labels(&job.truth)?);
    Ok(label_overlap(&result, &truth, job.mask(warnings)?.as_ref())?)
}
