//! Fields and labels in files that need not fit into memory, measured against a truth box by box.

use super::{ClaimFiles, EvaluateJob};
use crate::boxes::{FileBoxes, SumFiles, input_state};
use crate::jobs::MaskFile;
use crate::pipelines::{
    self, DenseError, EvaluateLabelPartsRequest, EvaluateNames, EvaluatePartsRequest, FlowEvaluation,
    MaskBoxes, PartsKey, SumStore, evaluate_labels_room, evaluate_room,
};
use crate::{Result, Session};
use std::path::Path;
use veloxel_core::{Grid, Stage, WarningKind, Warnings};
use veloxel_io::{self as io, PartialImage};
use veloxel_measure::LabelOverlapReport;

/// Whether files are measured in boxes: what a run in memory takes on the result's grid does not fit into the session's budget.
fn is_in_parts(job: &EvaluateJob, room: fn(&Grid) -> u64, session: &Session) -> bool {
    let Some(budget_bytes) = session.max_memory_bytes() else { return false };
    let grid = io::read_grid(&job.result, session.reading(job.reading), &mut Warnings::new());
    // What is wrong with a header is said where it is read for the run.
    grid.is_ok_and(|grid| room(&grid) > budget_bytes)
}

/// Whether fields are measured in boxes.
///
/// # Errors
/// [`DenseError::InParts`] where what the run said of its errors is given as well.
pub(super) fn is_of_flow(job: &EvaluateJob, claims: &ClaimFiles, session: &Session) -> Result<bool> {
    let in_parts = is_in_parts(job, evaluate_room, session);
    if in_parts && claims.paths().next().is_some() {
        let what = "measure what a run says of its errors";
        return Err(DenseError::in_parts(what, session.max_memory_bytes()).into());
    }
    Ok(in_parts)
}

/// Whether labels are compared in boxes.
pub(super) fn is_of_labels(job: &EvaluateJob, session: &Session) -> bool {
    is_in_parts(job, evaluate_labels_room, session)
}

/// Compares labels box by box, as [`evaluate_labels`](super::evaluate_labels) does at once.
///
/// # Errors
/// [`DenseError::InParts`] for a file that must be read as a whole; as [`pipelines::evaluate_labels_in_parts`].
pub(super) fn labels(
    job: &EvaluateJob,
    warnings: &mut Warnings,
    session: &Session,
) -> Result<LabelOverlapReport> {
    let reading = session.reading(job.reading);
    let mut open = |path: &Path| FileBoxes::image(path, &reading, session, warnings);
    let (result, truth) = (open(&job.result)?, open(&job.truth)?);
    let mask = OpenedMask::of(job, warnings, session)?;
    let [ours, true_name] = job.names();
    let names = EvaluateNames { result: &ours, truth: &true_name };
    let boxes = mask.as_ref().map(OpenedMask::boxes);
    let request = EvaluateLabelPartsRequest { result: &result, truth: &truth, mask: boxes, names };
    let found = pipelines::evaluate_labels_in_parts(&request, session)?;
    [result.told(), truth.told()].into_iter().for_each(|told| warnings.extend(told));
    mask.into_iter().for_each(|mask| warnings.extend(mask.image.told()));
    Ok(found)
}

/// A mask of which boxes are read.
struct OpenedMask<'a> {
    file: &'a MaskFile,
    image: FileBoxes<PartialImage>,
}

impl<'a> OpenedMask<'a> {
    /// Opens the mask of a job, if there is one.
    fn of(job: &'a EvaluateJob, warnings: &mut Warnings, session: &Session) -> Result<Option<Self>> {
        let Some(file) = &job.mask else { return Ok(None) };
        let image = FileBoxes::image(&file.path, &session.reading(job.reading), session, warnings)?;
        require_labels(file, &image, warnings, session)?;
        Ok(Some(Self { file, image }))
    }

    fn boxes(&self) -> MaskBoxes<'_> {
        MaskBoxes { image: &self.image, labels: &self.file.labels }
    }
}

/// Refuses a mask of labels of which no voxel has one, and tells of those that none has, once all boxes were seen.
fn require_labels(
    mask: &MaskFile,
    image: &FileBoxes<PartialImage>,
    warnings: &mut Warnings,
    session: &Session,
) -> Result<()> {
    if mask.labels.is_empty() {
        return Ok(());
    }
    session.enter(Stage::Read)?;
    let there = pipelines::labels_in_boxes(image, session)?;
    mask.require(&there, warnings)
}

/// Measures a field box by box, as [`evaluate_flow`](super::evaluate_flow) does at once.
///
/// # Errors
/// [`DenseError::InParts`]; as [`pipelines::evaluate_flow_in_parts`].
pub(super) fn flow(job: &EvaluateJob, warnings: &mut Warnings, session: &Session) -> Result<FlowEvaluation> {
    let reading = session.reading(job.reading);
    let mut open = |path: &Path| FileBoxes::flow(path, &reading, session, warnings);
    let (result, truth) = (open(&job.result)?, open(&job.truth)?);
    let mask = OpenedMask::of(job, warnings, session)?;
    let boxes = mask.as_ref().map(OpenedMask::boxes);
    let request = EvaluatePartsRequest { result: &result, truth: &truth, mask: boxes };
    let mut sums = SumFiles::open(&job.result, &key(job, session)?, session);
    if sums.as_ref().is_some_and(SumFiles::go_on) {
        warnings.push(WarningKind::Note, "goes on with a run that was ended".to_owned());
    }
    let store = sums.as_mut().map(|sums| sums as &mut dyn SumStore);
    let found = pipelines::evaluate_flow_in_parts(&request, store, session);
    let found = SumFiles::after(sums, found)?;
    [result.told(), truth.told()].into_iter().for_each(|told| warnings.extend(told));
    mask.into_iter().for_each(|mask| warnings.extend(mask.image.told()));
    Ok(found)
}

/// What decides the sums: also the budget, which decides their boxes.
fn key(job: &EvaluateJob, session: &Session) -> Result<PartsKey> {
    let mask = match &job.mask {
        Some(mask) => vec![input_state(&mask.path, session)?, mask.labels.iter().copied().collect()],
        None => Vec::new(),
    };
    let entries = [
        ("command", "evaluate flow".into()),
        ("result", input_state(&job.result, session)?),
        ("truth", input_state(&job.truth, session)?),
        ("mask", mask.into()),
        ("reading", format!("{:?}", job.reading).into()),
        ("budget of memory", session.max_memory_bytes().into()),
    ];
    Ok(PartsKey::of(entries.map(|(name, value)| (name.to_owned(), value))))
}
