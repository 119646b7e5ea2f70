//! The memory that a comparison takes, asked for before its first method runs.

use super::CompareRequest;
use crate::pipelines::dense::{DenseError, PreparedPair, StartKind};
use crate::pipelines::memory_plan::{FlowSketch, PROGRAM_BYTES, SAMPLE, whole_plan};
use crate::{Result, Session, VeloxelError};
use veloxel_core::SystemMemory;
use veloxel_gpu::DeviceKind;

/// Samples a voxel beside flow and confidence that are kept of a method: what is hidden.
const BESIDE_KEPT: usize = 2;

/// Refuses methods that take more memory than the session allows, or than there is: at the fullest moment one of them runs, beside
/// what was found by those before it. Methods that cannot be opened, or do not say what they take, count nothing; on a GPU, whose own
/// memory their runs take, nothing is refused.
///
/// # Errors
/// [`DenseError::Memory`]; [`VeloxelError::Device`] if there is no device.
pub(super) fn check_room(
    request: &CompareRequest<'_>,
    prepared: &PreparedPair,
    session: &Session,
) -> Result<()> {
    if !matches!(session.device()?.kind(), DeviceKind::Cpu(_)) {
        return Ok(());
    }
    let (fixed, moving) = (prepared.fixed.grid(), prepared.moving.grid());
    let grids = [fixed, moving];
    let kept_bytes = SAMPLE * (fixed.len() * (fixed.dimension().count() + BESIDE_KEPT)) as u64;
    let (mut needed_bytes, mut kept) = (PROGRAM_BYTES, 0);
    for method in request.methods {
        let sketch = FlowSketch {
            grids: &grids,
            method,
            masks: usize::from(prepared.measured().is_some()),
            weights: 0,
            truths: usize::from(request.truth.is_some()),
            start: StartKind::None,
            samples_moving: true,
        };
        match whole_plan(&sketch, session) {
            Ok(Some(plan)) => needed_bytes = needed_bytes.max(plan.peak_bytes + kept),
            Ok(None) | Err(VeloxelError::Motion(_)) => continue,
            Err(error) => return Err(error),
        }
        kept += kept_bytes;
    }
    let refused = |needed_bytes: u64, budget_bytes: u64| DenseError::Memory {
        needed_bytes,
        budget_bytes,
        place: "in all",
    };
    if let Some(budget_bytes) = session.max_memory_bytes().filter(|&bytes| bytes < needed_bytes) {
        return Err(refused(needed_bytes, budget_bytes).into());
    }
    // Program and images are there already.
    let images_bytes = SAMPLE * (fixed.len() + moving.len()) as u64;
    let more_bytes = needed_bytes.saturating_sub(PROGRAM_BYTES + images_bytes);
    match SystemMemory::now() {
        Some(memory) if memory.available_bytes < more_bytes => {
            Err(refused(more_bytes, memory.available_bytes).into())
        }
        _ => Ok(()),
    }
}
