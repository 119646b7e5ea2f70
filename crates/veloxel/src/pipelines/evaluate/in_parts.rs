//! A field that need not fit into memory, measured against a truth that need not either: the numbers of both in memory, bit by bit.

use super::kept_sums::KeptSums;
use super::mask_boxes::MaskBoxes;
use super::{CertaintyEvaluation, FlowEvaluation};
use crate::pipelines::boxes::{FlowBoxes, SumStore, boxes, require_room};
use crate::pipelines::memory_plan::{PROGRAM_BYTES, SAMPLE};
use crate::{Result, Session, VeloxelError};
use veloxel_core::{Flow, Grid, GridBox, Mask, Stage};
use veloxel_measure::{ComparedFlows, MeasureError};
use veloxel_motion::over::beside::read_and_written_beside;

/// A field and the truth, of which boxes are read.
#[derive(Clone, Copy)]
pub struct EvaluatePartsRequest<'a> {
    /// The field that is measured.
    pub result: &'a dyn FlowBoxes,
    /// The truth, on the same grid.
    pub truth: &'a dyn FlowBoxes,
    /// Where they are compared; none: everywhere.
    pub mask: Option<MaskBoxes<'a>>,
}

/// What was read of a box: both fields, and the mask if there is one.
struct ReadBox {
    own: GridBox,
    /// The box of the result, and of the mask.
    seen: GridBox,
    result: Flow,
    truth: Flow,
    mask: Option<Mask>,
}

impl ReadBox {
    /// Both fields where they are compared, and the mask there.
    fn compared<R>(self, compare: impl FnOnce(&ComparedFlows<'_>) -> R) -> Result<R> {
        let Self { own, seen, result, truth, mask } = self;
        let (within, grid) = (own.within(&seen), truth.grid().clone());
        let components = result.components_vox().map(|c| within.of(c, seen.size)).collect();
        let mask = mask.map(|mask| Mask::new(grid.clone(), within.of(mask.data(), seen.size))).transpose()?;
        let result = Flow::new(grid, components)?;
        Ok(compare(&ComparedFlows { estimate: &result, truth: &truth, mask: mask.as_ref() }))
    }
}

/// Samples a voxel of a box: both fields' vectors as they are read, of the next box, and without the voxels beside it; with a mask its
/// samples, and which of them are inside.
const OF_BOX: usize = 24;
const OF_MASKED_BOX: usize = 27;
/// Samples of a voxel that are held in memory: both fields, and errors with the places where they were measured.
const OF_VOXEL: u64 = 11;
/// Voxels along x, y and z that boxes begin at multiples of: those of chunks that this program writes.
const STEP: [usize; 3] = [64; 3];

/// Bytes that measuring a field on a grid takes in memory.
pub fn evaluate_room(grid: &Grid) -> u64 {
    PROGRAM_BYTES + SAMPLE * OF_VOXEL * grid.len() as u64
}

/// End-point and angular error of a field, and the cells in which it folds, as [`evaluate_flow`](super::evaluate_flow) gives them. Both
/// fields are read twice. A run that was ended goes on with the sums that are kept in `store`, if there is one.
///
/// # Errors
/// [`MeasureError::Core`] if the grids differ; [`MeasureError::NothingToMeasure`];
/// [`DenseError::Memory`](crate::pipelines::DenseError::Memory); what fields and store fail with; [`VeloxelError::Stopped`].
pub fn evaluate_flow_in_parts(
    request: &EvaluatePartsRequest<'_>,
    store: Option<&mut dyn SumStore>,
    session: &Session,
) -> Result<FlowEvaluation> {
    session.enter(Stage::Measure)?;
    let EvaluatePartsRequest { result, truth, mask } = *request;
    let (grid, control) = (truth.grid(), session.control());
    grid.require_same(result.grid(), "truth and estimate").map_err(MeasureError::from)?;
    if let Some(mask) = mask {
        grid.require_same(mask.image.grid(), "truth and mask").map_err(MeasureError::from)?;
    }
    let of_box = if mask.is_some() { OF_MASKED_BOX } else { OF_BOX };
    let all = boxes(grid.size(), STEP, require_room(grid, STEP, of_box, session)?);
    let count = 2.0 * all.len() as f64;
    let mut sums = KeptSums::of(grid, store)?;
    let read = |own: GridBox, seen: GridBox| {
        let mask = mask.map(|mask| Ok::<_, VeloxelError>(Mask::new(grid.part(seen), mask.inside(seen)?)?));
        Ok(ReadBox {
            own,
            seen,
            result: result.part(seen)?,
            truth: truth.part(own)?,
            mask: mask.transpose()?,
        })
    };
    // The cells that begin in a box end at the next voxels.
    let with_next = |own: GridBox| read(own, own.grown([0; 3], [1; 3], grid.size()));
    let left = all.get(sums.seen()..).unwrap_or_default();
    each_box(left, with_next, |found: ReadBox| {
        control.step(sums.seen() as f64 / count, [None; 2])?;
        let (mask, planes) = (found.mask.as_ref(), found.own.size[2]);
        sums.folding.add_within(&found.result, mask, planes, session.threads())?;
        found.compared(|compared| sums.first.add(compared, control))??;
        sums.saw_a_box(None);
        Ok(())
    })?;
    let mut again = sums.first.clone().again()?;
    sums.go_on_again(&mut again);
    let left = all.get(sums.seen() - all.len()..).unwrap_or_default();
    each_box(
        left,
        |own| read(own, own),
        |found: ReadBox| {
            control.step(sums.seen() as f64 / count, [None; 2])?;
            found.compared(|compared| again.add(compared, control))??;
            sums.saw_a_box(Some(&mut again));
            Ok(())
        },
    )?;
    let certainty = CertaintyEvaluation::default();
    Ok(FlowEvaluation { error: again.finish(), cells: sums.folding.certificate(), certainty })
}

/// Measures boxes while the next one is read.
pub(super) fn each_box<T: Send>(
    all: &[GridBox],
    read: impl Fn(GridBox) -> Result<T> + Sync,
    mut measure: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    read_and_written_beside(
        |deliver| all.iter().try_for_each(|own| deliver(read(*own)?)),
        |piece, _| measure(piece),
        |(): ()| Ok::<_, VeloxelError>(()),
    )
}
