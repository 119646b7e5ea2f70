//! Chains and inverses of fields that need not fit into memory, box by box: the vectors of the whole, bit by bit.

use super::{MapsError, require_unfolded, say};
use crate::pipelines::account::Account;
use crate::pipelines::boxes::{
    BoxesOutput, BoxesPlan, FEWEST_PAGES, FlowBoxes, FoundBox, KeptBoxes, PagedField, boxes, page_count,
    page_samples, require_samples, room_for_boxes,
};
use crate::pipelines::memory_plan::{PROGRAM_BYTES, SAMPLE};
use crate::{Result, Session, VeloxelError};
use veloxel_core::{Flow, Grid, GridBox, LinearTransform, Stage, Stopped};
use veloxel_measure::FoldingSums;
use veloxel_motion::over::beside::read_and_written_beside;
use veloxel_motion::require_sampled;
use veloxel_motion::steps::maps::{Inversion, Map, MappedField, chained_part};

/// A link of a chain.
#[derive(Clone, Copy)]
pub enum MapBoxes<'a> {
    /// A displacement field in a volume, of which boxes are read.
    Field(&'a dyn FlowBoxes),
    /// A linear transform, LPS mm.
    Linear(LinearTransform),
}

impl MapBoxes<'_> {
    fn grid(&self) -> Option<&Grid> {
        match self {
            Self::Field(field) => Some(field.grid()),
            Self::Linear(_) => None,
        }
    }
}

/// Maps that follow each other, of which boxes are read, and the grid of the field that they become.
#[derive(Clone, Copy)]
pub struct ComposePartsRequest<'a> {
    /// The maps, the first one first.
    pub maps: &'a [MapBoxes<'a>],
    /// The grid of the result.
    pub grid: &'a Grid,
}

/// Samples a voxel of a box of the result: its vectors as they are found, handed over and written, and a chunk that is encoded.
const OF_BOX: usize = 10;
/// Samples of a page while it is read: its components, the same as a field, and a chunk that is decoded.
const OF_PAGE: usize = 3;
/// Samples a voxel of a box that is certified: its vectors as they are read, the next one's, and sums.
const OF_CERTIFIED: usize = 16;

/// Bytes that composing or inverting fields on these grids takes in memory, and the result.
pub fn maps_room(fields: &[&Grid], result: &Grid) -> u64 {
    let vectors = |grid: &Grid| grid.dimension().count() * grid.len();
    let held: usize = fields.iter().map(|grid| vectors(grid)).sum();
    // The samples of a file become a field, and the vectors of the result have a copy while they are written.
    let read = fields.iter().map(|grid| vectors(grid)).max().unwrap_or_default();
    PROGRAM_BYTES + SAMPLE * (held + read.max(vectors(result)) + vectors(result)) as u64
}

/// Memory and boxes of fields on these grids that are composed or inverted; in memory where no step of boxes is given.
///
/// # Errors
/// [`DenseError::Memory`](crate::pipelines::DenseError::Memory) where boxes do not fit into the session's budget.
pub fn maps_plan(
    fields: &[&Grid],
    result: &Grid,
    step: Option<[usize; 3]>,
    session: &Session,
) -> Result<BoxesPlan> {
    let plan = BoxesPlan::in_memory(result, maps_room(fields, result), session);
    let Some(step) = step else { return Ok(plan) };
    let most = pages_each(fields, result, step, session)?;
    let pages = |grid: &&Grid| page_samples(grid) * most.min(page_count(grid));
    let samples = fields.iter().map(pages).sum::<usize>() + beside_pages(fields, result, step);
    let components = result.dimension().count();
    Ok(plan.in_boxes(&boxes(result.size(), step, 1), samples, components))
}

/// Several maps as one, as [`compose`](super::compose) gives them; boxes of the field go to `out`. A run that was ended goes on with
/// those that are kept there.
///
/// # Errors
/// [`MapsError::Empty`], [`MapsError::Apart`]; [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for a picture's grid;
/// [`DenseError::Memory`](crate::pipelines::DenseError::Memory); what fields and result fail with;
/// [`VeloxelError::Stopped`].
pub fn compose_in_parts(
    request: &ComposePartsRequest<'_>,
    out: BoxesOutput<'_>,
    session: &Session,
) -> Result<Account> {
    session.enter(Stage::Solve)?;
    let ComposePartsRequest { maps, grid } = *request;
    if maps.is_empty() {
        return Err(MapsError::Empty.into());
    }
    let fields: Vec<&Grid> = maps.iter().filter_map(MapBoxes::grid).collect();
    let most = pages_each(&fields, grid, out.sink.step(), session)?;
    let mut paged = Vec::new();
    for map in maps {
        if let MapBoxes::Field(field) = map {
            require_sampled(grid, field.grid())?;
            paged.push(PagedField::new(*field, most));
        }
    }
    let mut next = paged.iter();
    let linked = |map: &MapBoxes<'_>| match map {
        MapBoxes::Linear(transform) => Map::Linear(*transform),
        MapBoxes::Field(_) => Map::Field(next.next().expect("every field should have its pages")),
    };
    let maps: Vec<Map<'_, PagedField<'_>>> = maps.iter().map(linked).collect();
    let mut account = Account::default();
    let kept = &KeptBoxes::of(boxes(grid.size(), out.sink.step(), 1), out);
    kept.tell(&mut account.warnings);
    let work = Work { grid, fields: &paged, kept, out, session };
    let find = |part| chained_part(&maps, grid, part, session.control());
    let missing = account.stages.time("compose", || work.done(find))?;
    say(&mut account.warnings, missing, grid.len())?;
    Ok(account)
}

/// The way back of a field, as [`invert`](super::invert) finds it; boxes of it go to `out`, in their order. A run that was ended goes on
/// after the last row of boxes that is kept there as a whole.
///
/// # Errors
/// [`MapsError::Folds`], [`MapsError::Apart`]; as [`compose_in_parts`].
pub fn invert_in_parts(
    field: &dyn FlowBoxes,
    grid: &Grid,
    out: BoxesOutput<'_>,
    session: &Session,
) -> Result<Account> {
    session.enter(Stage::Solve)?;
    require_sampled(grid, field.grid())?;
    let mut account = Account::default();
    let most = pages_each(&[field.grid()], grid, out.sink.step(), session)?;
    let kept = &KeptBoxes::of(boxes(grid.size(), out.sink.step(), 1), out).in_whole_rows();
    // No box is found of a field that folds.
    if kept.tell(&mut account.warnings) == 0 {
        account.stages.time("certify", || certified(field, session))?;
    }
    let paged = [PagedField::new(field, most)];
    let mut inversion = Inversion::new(&paged[0], grid);
    let work = Work { grid, fields: &paged, kept, out, session };
    let find = |part| inversion.part(part, session.control());
    let missing = account.stages.time("invert", || work.done(find))?;
    say(&mut account.warnings, missing, grid.len())?;
    Ok(account)
}

/// How many pages each of some fields may keep.
fn pages_each(fields: &[&Grid], grid: &Grid, step: [usize; 3], session: &Session) -> Result<usize> {
    let beside = beside_pages(fields, grid, step);
    let of_each: usize = fields.iter().map(|field| page_samples(field)).sum();
    require_samples(beside + FEWEST_PAGES * of_each, session)?;
    Ok((room_for_boxes(session) - beside) / of_each.max(1))
}

/// Samples that are held beside pages of fields.
fn beside_pages(fields: &[&Grid], grid: &Grid, step: [usize; 3]) -> usize {
    let of_box = OF_BOX * (0..3).map(|a| step[a].min(grid.size()[a])).product::<usize>();
    let largest = fields.iter().map(|field| page_samples(field)).max();
    of_box + OF_PAGE * largest.unwrap_or_default()
}

/// Refuses a field that folds, box by box.
fn certified(field: &dyn FlowBoxes, session: &Session) -> Result<()> {
    let (size, control) = (field.grid().size(), session.control());
    let all = boxes(size, [64; 3], room_for_boxes(session) / OF_CERTIFIED);
    let mut sums = FoldingSums::default();
    read_and_written_beside(
        |deliver| {
            all.into_iter().try_for_each(|own| deliver((own, field.part(own.grown([0; 3], [1; 3], size))?)))
        },
        |(own, flow): (GridBox, Flow), _| {
            control.check()?;
            Ok::<_, VeloxelError>(sums.add(&flow, own.size[2], session.threads())?)
        },
        |(): ()| Ok(()),
    )?;
    Ok(require_unfolded(&sums.certificate().everywhere)?)
}

/// A result that is found box by box.
struct Work<'a> {
    grid: &'a Grid,
    fields: &'a [PagedField<'a>],
    kept: &'a KeptBoxes<'a>,
    out: BoxesOutput<'a>,
    session: &'a Session,
}

impl Work<'_> {
    /// Finds boxes that are not kept, in the order of rows, and hands each out beside the next one; how many vectors of all are missing,
    /// and unresolved.
    fn done(&self, mut find: impl FnMut(GridBox) -> Result<MappedField, Stopped>) -> Result<[usize; 2]> {
        let Self { grid, fields, kept, out, session } = self;
        let components = grid.dimension().count();
        let (count, mut missing) = (kept.all().len(), [0; 2]);
        read_and_written_beside(
            |deliver| (0..count).try_for_each(|nth| deliver((nth, kept.read(nth, components)?))),
            |(nth, kept_box), put| {
                session.control().step(nth as f64 / count as f64, [None; 2])?;
                let found = match kept_box {
                    Some(found) => found,
                    None => found_box(kept.all()[nth], &mut find)?,
                };
                fields.iter().try_for_each(PagedField::failure)?;
                missing = [missing[0] + found.missing[0], missing[1] + found.missing[1]];
                put(found)
            },
            |found: FoundBox| out.put(&found),
        )?;
        Ok(missing)
    }
}

fn found_box(
    part: GridBox,
    find: &mut impl FnMut(GridBox) -> Result<MappedField, Stopped>,
) -> Result<FoundBox> {
    let MappedField { flow, unknown, unresolved } = find(part)?;
    let slices = flow.components_vox().map(<[f32]>::to_vec).collect();
    Ok(FoundBox { part, slices, missing: [unknown, unresolved], is_kept: false })
}
