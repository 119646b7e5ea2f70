//! Results against truths, from files.

use crate::VeloxelError;
use std::path::Path;
use veloxel_core::Warnings;
use veloxel_io as io;
use veloxel_io::Strictness;
use veloxel_report::metrics::{
    DisparityError, FlowError, LabelOverlapReport, disparity_error, flow_error, label_overlap,
    labels_from_samples,
};

/// `veloxel evaluate flow`: end-point and angular error of a field, within a mask where one is given.
///
/// # Errors
/// Anything wrong with the files; as [`flow_error`].
pub fn evaluate_flow(
    (result, truth): (&Path, &Path),
    mask: Option<&Path>,
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<FlowError, VeloxelError> {
    let result = io::read_flow(result, strictness, warnings)?;
    let truth = io::read_flow(truth, strictness, warnings)?;
    let mask = mask.map(|path| io::read_mask(path, strictness, warnings)).transpose()?;
    Ok(flow_error(&result, &truth, mask.as_ref())?)
}

/// A disparity's file, and what its samples were multiplied by where the file does not say so.
#[derive(Debug, Clone, Copy)]
pub struct DisparityFile<'a> {
    /// `.pfm`, `.tif`, `.png`, ….
    pub path: &'a Path,
    /// As [`read_disparity`](io::read_disparity) takes it.
    pub scale: Option<f32>,
}

/// `veloxel evaluate disparity`: absolute error, bad pixels and density, within a mask where one is given.
///
/// # Errors
/// Anything wrong with the files; as [`disparity_error`].
pub fn evaluate_disparity(
    (result, truth): (DisparityFile<'_>, DisparityFile<'_>),
    mask: Option<&Path>,
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<DisparityError, VeloxelError> {
    let mut read = |file: DisparityFile| io::read_disparity(file.path, file.scale, strictness, warnings);
    let (result, truth) = (read(result)?, read(truth)?);
    let mask = mask.map(|path| io::read_mask(path, strictness, warnings)).transpose()?;
    Ok(disparity_error(&result, &truth, mask.as_ref())?)
}

/// `veloxel evaluate labels`: Dice, Jaccard and Hausdorff 95 of every label, within a mask where one is given.
///
/// # Errors
/// Anything wrong with the files; as [`label_overlap`].
pub fn evaluate_labels(
    (result, truth): (&Path, &Path),
    mask: Option<&Path>,
    strictness: Strictness,
    warnings: &mut Warnings,
) -> Result<LabelOverlapReport, VeloxelError> {
    let mut labels = |path: &Path| -> Result<_, VeloxelError> {
        let samples = io::read_image(path, strictness, warnings)?;
        Ok(labels_from_samples(&samples, &path.display().to_string())?)
    };
    let (result, truth) = (labels(result)?, labels(truth)?);
    let mask = mask.map(|path| io::read_mask(path, strictness, warnings)).transpose()?;
    Ok(label_overlap(&result, &truth, mask.as_ref())?)
}
