//! Results and truths from files, measured.

mod claims;
#[cfg(feature = "zarr")]
mod in_parts;

pub use claims::ClaimFiles;

use super::MaskFile;
use super::inputs::cine_place::{place_of, told_place};
use super::inputs::input_error::InputError;
use super::outputs::output_plan::expect_to_read;
use crate::pipelines::{
    self, EvaluateNames, EvaluateRequest, EvaluateSegmentationRequest, FlowEvaluation, SegmentationReport,
    TrueSegmentation,
};
use crate::{Result, Session, VeloxelError};
use std::path::{Path, PathBuf};
use veloxel_core::{Mask, Stage, Warnings};
use veloxel_io::{self as io, ContourReading, PlainNames, ReadOptions};
use veloxel_measure::{ContourDistances, DisparityError, LabelOverlapReport};

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
    pub reading: ReadOptions,
}

impl EvaluateJob {
    /// What result and truth are called in errors.
    fn names(&self) -> [String; 2] {
        [&self.result, &self.truth].map(|path| path.display().to_string())
    }

    /// Begins to read the files.
    fn begin(&self, session: &Session) -> Result<()> {
        self.begin_with([], session)
    }

    /// Begins to read the files, and others beside them.
    fn begin_with<'a>(
        &'a self,
        others: impl IntoIterator<Item = &'a PathBuf>,
        session: &Session,
    ) -> Result<()> {
        let mask = self.mask.as_ref().map(|mask| &mask.path);
        let own = [&self.result, &self.truth].into_iter().chain(mask);
        expect_to_read(own.chain(others), session.control())?;
        Ok(session.enter(Stage::Read)?)
    }

    /// Reads the mask, and then measures.
    fn measure<T, R>(
        &self,
        result: &T,
        truth: &T,
        warnings: &mut Warnings,
        session: &Session,
        measure: impl FnOnce(&EvaluateRequest<'_, T>) -> Result<R>,
    ) -> Result<R> {
        let mask =
            self.mask.as_ref().map(|file| file.read(&session.reading(self.reading), warnings)).transpose()?;
        let mask: Option<&Mask> = mask.as_ref();
        let [ours, true_name] = self.names();
        let names = EvaluateNames { result: &ours, truth: &true_name };
        measure(&EvaluateRequest { result, truth, mask, names })
    }
}

/// What the samples of disparities were multiplied by, where a file does not say so.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DisparityScales {
    /// Scale of the result, as [`read_disparity`](io::read_disparity) takes it.
    pub result: Option<f32>,
    /// Scale of the truth.
    pub truth: Option<f32>,
}

/// `veloxel evaluate flow`: end-point and angular error of a field, the cells in which it folds, and whether what the run said of its
/// errors holds. Where both fields do not fit into the session's budget of memory they are read in boxes.
///
/// # Errors
/// Anything wrong with the files; as [`pipelines::evaluate_flow`]; in boxes as [`pipelines::evaluate_flow_in_parts`], and
/// [`DenseError::InParts`](pipelines::DenseError::InParts) with such claims.
pub fn evaluate_flow(
    job: &EvaluateJob,
    claims: &ClaimFiles,
    warnings: &mut Warnings,
    session: &Session,
) -> Result<FlowEvaluation> {
    job.begin_with(claims.paths(), session)?;
    #[cfg(feature = "zarr")]
    if in_parts::is_of_flow(job, claims, session)? {
        return in_parts::flow(job, warnings, session);
    }
    let reading = &session.reading(job.reading);
    let result = io::read_flow(&job.result, reading, warnings)?;
    let truth = io::read_flow(&job.truth, reading, warnings)?;
    let claims = claims.read(result.grid(), reading, warnings)?;
    job.measure(&result, &truth, warnings, session, |request| {
        pipelines::evaluate_flow(request, &claims.of_field(), session)
    })
}

/// `veloxel evaluate disparity`: absolute error, bad pixels and density.
///
/// # Errors
/// Anything wrong with the files; as [`pipelines::evaluate_disparity`].
pub fn evaluate_disparity(
    job: &EvaluateJob,
    scales: DisparityScales,
    warnings: &mut Warnings,
    session: &Session,
) -> Result<DisparityError> {
    job.begin(session)?;
    let reading = &session.reading(job.reading);
    let result = io::read_disparity(&job.result, scales.result, reading, warnings)?;
    let truth = io::read_disparity(&job.truth, scales.truth, reading, warnings)?;
    job.measure(&result, &truth, warnings, session, |request| pipelines::evaluate_disparity(request, session))
}

/// `veloxel evaluate labels`: Dice, Jaccard and Hausdorff 95 of every label. Where both images do not fit into the session's budget of
/// memory they are read in boxes.
///
/// # Errors
/// Anything wrong with the files; as [`pipelines::evaluate_labels`]; in boxes as [`pipelines::evaluate_labels_in_parts`].
pub fn evaluate_labels(
    job: &EvaluateJob,
    warnings: &mut Warnings,
    session: &Session,
) -> Result<LabelOverlapReport> {
    job.begin(session)?;
    #[cfg(feature = "zarr")]
    if in_parts::is_of_labels(job, session) {
        return in_parts::labels(job, warnings, session);
    }
    let result = io::read_image(&job.result, session.reading(job.reading), warnings)?;
    let truth = io::read_image(&job.truth, session.reading(job.reading), warnings)?;
    job.measure(&result, &truth, warnings, session, |request| pipelines::evaluate_labels(request, session))
}

/// `veloxel evaluate contours`: distances of outlines, millimetres.
///
/// The spacing of pixels is that of the file that describes its cine, RESULT before TRUTH (JSON, label images), or of `cine`.
///
/// # Errors
/// Anything wrong with the files; [`InputError::NoCine`] if the spacing stands in none; as [`pipelines::evaluate_contours`].
pub fn evaluate_contours(
    job: &EvaluateJob,
    cine: Option<&Path>,
    names: PlainNames,
    warnings: &mut Warnings,
    session: &Session,
) -> Result<ContourDistances> {
    job.begin(session)?;
    let reading = session.reading(job.reading);
    let options = ContourReading { names, reading: reading.clone(), ..ContourReading::default() };
    let place = match cine {
        Some(path) => Some(place_of(path, &reading, warnings)?),
        None => told_place(&[&job.result, &job.truth], &options)?,
    };
    let Some(place) = place else {
        return Err(InputError::NoCine { outlines: job.result.clone() }.into());
    };
    let mut read = |path: &Path| io::read_contours(path, Some(&place), &options, warnings);
    let (result, truth) = (read(&job.result)?.contours, read(&job.truth)?.contours);
    let [sx, sy, _] = place.grid.spacing_mm();
    pipelines::evaluate_contours(&EvaluateRequest::new(&result, &truth), [sx, sy], session)
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
    pub reading: ReadOptions,
}

/// `veloxel evaluate segmentation`: Rand index, Hamming distance, consistency errors and, with the mesh, cut discrepancy.
///
/// # Errors
/// Anything wrong with the files; as [`pipelines::evaluate_segmentation`].
pub fn evaluate_segmentation(
    job: &EvaluateSegmentationJob,
    warnings: &mut Warnings,
    session: &Session,
) -> Result<SegmentationReport> {
    session.enter(Stage::Read)?;
    let reading = &session.reading(job.reading);
    let result = io::read_face_labels(&job.result, reading)?;
    let mesh = job.mesh.as_ref().map(|path| io::read_surface(path, reading, warnings)).transpose()?;
    let read = |path: &PathBuf| -> Result<_> {
        let parts = io::read_face_labels(path, reading)?;
        Ok(TrueSegmentation { name: path.display().to_string(), parts })
    };
    let truths = job.truths.iter().map(read).collect::<Result<Vec<_>>>()?;
    let request = EvaluateSegmentationRequest { result: &result, truths: &truths, mesh: mesh.as_ref() };
    pipelines::evaluate_segmentation(&request, session).map_err(|error| match (error, &job.mesh) {
        (VeloxelError::Mesh(source), Some(path)) => VeloxelError::of_mesh_file(path)(source),
        (error, _) => error,
    })
}
