//! A field and its truth in files that need not fit into memory, measured box by box.

use super::{ClaimFiles, EvaluateJob};
use crate::boxes::FileBoxes;
use crate::pipelines::{self, DenseError, EvaluatePartsRequest, FlowEvaluation, evaluate_room};
use crate::{Result, Session};
use std::path::Path;
use veloxel_core::Warnings;
use veloxel_io as io;

/// Whether fields are measured in boxes: they do not fit into the session's budget of memory.
///
/// # Errors
/// [`DenseError::InParts`] where a mask is given as well, or what the run said of its errors.
pub(super) fn is_in_parts(job: &EvaluateJob, claims: &ClaimFiles, session: &Session) -> Result<bool> {
    let Some(budget_bytes) = session.max_memory_bytes() else { return Ok(false) };
    let grid = io::read_grid(&job.result, session.reading(job.reading), &mut Warnings::new());
    // What is wrong with a header is said where it is read for the run.
    let Ok(grid) = grid else { return Ok(false) };
    if evaluate_room(&grid) <= budget_bytes {
        return Ok(false);
    }
    if job.mask.is_some() {
        return Err(DenseError::in_parts("take a mask", Some(budget_bytes)).into());
    }
    if claims.paths().next().is_some() {
        let what = "measure what a run says of its errors";
        return Err(DenseError::in_parts(what, Some(budget_bytes)).into());
    }
    Ok(true)
}

/// Measures a field box by box, as [`evaluate_flow`](super::evaluate_flow) does at once.
///
/// # Errors
/// [`DenseError::InParts`]; as [`pipelines::evaluate_flow_in_parts`].
pub(super) fn flow(job: &EvaluateJob, warnings: &mut Warnings, session: &Session) -> Result<FlowEvaluation> {
    let reading = session.reading(job.reading);
    let mut open = |path: &Path| FileBoxes::flow(path, &reading, session, warnings);
    let (result, truth) = (open(&job.result)?, open(&job.truth)?);
    let request = EvaluatePartsRequest { result: &result, truth: &truth };
    let found = pipelines::evaluate_flow_in_parts(&request, session)?;
    [result.told(), truth.told()].into_iter().for_each(|told| warnings.extend(told));
    Ok(found)
}
