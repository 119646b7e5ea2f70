//! Whether a job's result is found in memory or box by box.

use crate::pipelines::DenseError;
use crate::{Result, Session};
use std::path::Path;
use veloxel_io::StoreBoxes;

/// Whether a job whose run in memory takes so many bytes is done in boxes: they do not fit into the session's budget, and the result goes
/// to a store that is written so. On a GPU a budget is of the device, and all is held in memory.
///
/// # Errors
/// A device that is not there; [`DenseError::Memory`] where another format of the result holds it as a whole.
pub(crate) fn is_in_boxes(needed_bytes: u64, output: &Path, session: &Session) -> Result<bool> {
    let Some(budget_bytes) = session.max_memory_bytes() else { return Ok(false) };
    if needed_bytes <= budget_bytes || session.device()?.is_gpu() {
        return Ok(false);
    }
    if StoreBoxes::takes(output) {
        return Ok(true);
    }
    let place = "unless the result is a folder named .ome.zarr";
    Err(DenseError::Memory { needed_bytes, budget_bytes, place }.into())
}
