//! Images and labels that need not fit into memory, pulled back onto a field's grid box by box: the samples of the whole, bit by bit.

use super::labels::carried;
use super::{LabelChoice, WarpNames};
use crate::pipelines::account::Account;
use crate::pipelines::boxes::{
    BoxesOutput, BoxesPlan, FlowBoxes, FoundBox, KeptBoxes, boxes, require_room, room_for_boxes,
};
use crate::pipelines::dense::DenseError;
use crate::pipelines::memory_plan::{PROGRAM_BYTES, SAMPLE};
use crate::pipelines::prepare::grids::{OutsideFill, allow_two_grids};
use crate::{Result, Session, VeloxelError};
use veloxel_core::{Flow, Grid, GridBox, Stage, Volume};
use veloxel_gpu::Device;
use veloxel_io::Strictness;
use veloxel_kernels::image::warp::Interpolation;
use veloxel_motion::over::beside::{Deliver, read_and_written_beside};
use veloxel_motion::{Border, ImageBoxes, PartWarp};

/// A field and an image or labels that it points into, of which boxes are read.
#[derive(Clone, Copy)]
pub struct WarpPartsRequest<'a> {
    /// The field.
    pub flow: &'a dyn FlowBoxes,
    /// The image or the labels, on a grid of their own.
    pub image: &'a dyn ImageBoxes,
    /// Whether two grids are allowed.
    pub strictness: Strictness,
    /// What the images are called in warnings and errors.
    pub names: WarpNames<'a>,
}

/// Samples a voxel of a box: its vectors as they are read and while it is warped, and the results of two boxes.
const OF_BOX: usize = 17;
/// Samples of the image that a box reaches at once, over its voxels; a box that reaches more is warped in pieces.
const REACHED: usize = 4;
/// Copies of these: those of the next box, of this one, on the device, and what labels are made of.
const OF_REACHED: usize = 10;
/// The largest label and its negative that 32-bit floats hold beside all smaller ones.
const LABEL_END: f32 = 16_777_216.0;

/// Bytes that warping takes in memory: a field and an image on these grids with their copies on the device, and the result.
pub fn warp_room([field, image]: [&Grid; 2]) -> u64 {
    let components = field.dimension().count();
    PROGRAM_BYTES + SAMPLE * ((2 * components + 3) * field.len() + 3 * image.len()) as u64
}

/// Memory and boxes of a warp; in memory where no step of boxes is given.
///
/// # Errors
/// [`DenseError::Memory`] where the smallest box does not fit into the session's budget.
pub fn warp_plan(
    [field, image]: [&Grid; 2],
    step: Option<[usize; 3]>,
    session: &Session,
) -> Result<BoxesPlan> {
    let plan = BoxesPlan::in_memory(field, warp_room([field, image]), session);
    let Some(step) = step else { return Ok(plan) };
    let most_voxels = require_room(field, step, OF_BOX + REACHED * OF_REACHED, session)?;
    let all = boxes(field.size(), step, most_voxels);
    let largest = all.iter().map(GridBox::len).max().unwrap_or_default();
    Ok(plan.in_boxes(&all, largest * (OF_BOX + REACHED * OF_REACHED), 1))
}

/// Pulls an image back that is sampled as it is, as [`warp_image`](super::warp_image) does; boxes of the result go to `out`.
/// A run that was ended goes on with those that are kept there.
///
/// # Errors
/// [`DenseError::InParts`] for an image with samples that are no numbers, and a field with infinite vectors; [`DenseError::Memory`]; as
/// [`warp_image`](super::warp_image); what field, image and result fail with.
pub fn warp_image_in_parts(
    request: &WarpPartsRequest<'_>,
    interpolation: Interpolation,
    outside: OutsideFill,
    out: BoxesOutput<'_>,
    session: &Session,
) -> Result<Account> {
    let (border, name) = (outside.border(), request.names.image);
    let (unknown, mut account) =
        warped_in_parts(request, interpolation, border, out, session, |piece, warp, device| {
            let Some((seen, samples)) = &piece.seen else {
                let mut nothing = vec![f32::NAN; piece.part.len()];
                let unknown = outside.fill_samples(&mut nothing);
                return Ok((nothing, unknown));
            };
            if samples.iter().any(|v| !v.is_finite()) {
                let what = format!("fill samples that are NaN or infinite: {name} has some");
                return Err(DenseError::in_parts(&what, session.max_memory_bytes()).into());
            }
            let mut warped = warp.warped(device, [piece.part, *seen], samples, &piece.flow)?;
            let unknown = outside.fill_samples(&mut warped);
            Ok((warped, unknown))
        })?;
    outside.note([unknown, request.flow.grid().len()], request.names.warped, &mut account.warnings);
    Ok(account)
}

/// Pulls labels back as [`warp_labels`](super::warp_labels) does; boxes of the result go to `out`.
///
/// # Errors
/// As [`warp_image_in_parts`].
pub fn warp_labels_in_parts(
    request: &WarpPartsRequest<'_>,
    choice: LabelChoice,
    out: BoxesOutput<'_>,
    session: &Session,
) -> Result<Account> {
    // The voxels around a place, and one more, by which a label's part is thin or not.
    let interpolation = Interpolation::MostWeight;
    let work = |piece: &Piece, warp: &PartWarp<'_>, device: &Device| -> Result<(Vec<f32>, usize)> {
        let Some((seen, samples)) = &piece.seen else { return Ok((vec![0.0; piece.part.len()], 0)) };
        let own = samples.iter().map(|&v| v as i32).collect();
        let labels = Volume::new(request.image.grid().part(*seen), own)?;
        let looked_up = |samples: &Volume<f32>, interpolation| -> Result<Volume<f32>> {
            let warp = PartWarp { interpolation, ..*warp };
            let found = warp.warped(device, [piece.part, *seen], samples.data(), &piece.flow)?;
            Ok(Volume::new(piece.flow.grid().clone(), found)?)
        };
        let moved = carried(&labels, choice, session.threads(), looked_up)?;
        Ok((moved.data().iter().map(|&label| label as f32).collect(), 0))
    };
    Ok(warped_in_parts(request, interpolation, Border::Voxels, out, session, work)?.1)
}

/// The least and the largest of labels of which boxes are read, and 0.
///
/// # Errors
/// [`DenseError::InParts`] for samples that are no whole numbers below 2^24 either way; what reading fails with.
pub fn label_ends(labels: &dyn ImageBoxes, name: &str, session: &Session) -> Result<[i32; 2]> {
    let grid = labels.grid();
    let mut ends = [0, 0];
    for part in boxes(grid.size(), [64; 3], room_for_boxes(session) / 4) {
        session.control().check()?;
        let samples = labels.samples(part)?;
        if let Some(value) = samples.iter().find(|v| v.fract() != 0.0 || v.abs() >= LABEL_END) {
            let what = format!("take labels that are no whole numbers below 2^24: {name} has {value}");
            return Err(DenseError::in_parts(&what, session.max_memory_bytes()).into());
        }
        for label in samples.iter().map(|&v| v as i32) {
            ends = [ends[0].min(label), ends[1].max(label)];
        }
    }
    Ok(ends)
}

/// A part of a box of the field, and what it reaches of the image.
struct Piece {
    /// The box that is written at once.
    own: GridBox,
    part: GridBox,
    flow: Flow,
    /// Samples of the image in a box; none where nothing is reached.
    seen: Option<(GridBox, Vec<f32>)>,
    /// Whether the box is whole with this piece.
    is_last: bool,
}

/// What comes next of the result.
enum Next {
    Piece(Box<Piece>),
    /// A box that an ended run has kept.
    Kept(FoundBox),
}

/// Boxes of the result, each put together of pieces that `work` gives the samples of, and how many of these were unknown; the unknown ones
/// of all.
fn warped_in_parts(
    request: &WarpPartsRequest<'_>,
    interpolation: Interpolation,
    border: Border,
    out: BoxesOutput<'_>,
    session: &Session,
    mut work: impl FnMut(&Piece, &PartWarp<'_>, &Device) -> Result<(Vec<f32>, usize)>,
) -> Result<(usize, Account)> {
    let (device, mut account) = (session.device()?, Account::begin(session)?);
    session.enter(Stage::Solve)?;
    let [grid, moving] = [request.flow.grid(), request.image.grid()];
    allow_two_grids(grid, moving, request.strictness, &mut account.warnings)?;
    let step = out.sink.step();
    let most_voxels = require_room(grid, step, OF_BOX + REACHED * OF_REACHED, session)?;
    let kept = KeptBoxes::of(boxes(grid.size(), step, most_voxels), out);
    kept.tell(&mut account.warnings);
    let most_reached = REACHED * kept.all().iter().map(GridBox::len).max().unwrap_or_default();
    let warp = PartWarp { grid, moving, interpolation, border };
    let read = |nth: usize, deliver: &mut Deliver<'_, Next, VeloxelError>| match kept.read(nth, 1)? {
        Some(found) => deliver(Next::Kept(found)),
        None => read_pieces(request, &warp, kept.all()[nth], most_reached, deliver),
    };
    let (count, mut done, mut unknown) = (kept.all().len(), 0, 0);
    let mut own = Pieces::default();
    account.stages.time("warp", || {
        read_and_written_beside(
            |deliver| (0..count).try_for_each(|nth| read(nth, deliver)),
            |next, put| {
                device.control().step(done as f64 / count as f64, [None; 2])?;
                let found = match next {
                    Next::Kept(found) => Some(found),
                    Next::Piece(piece) => {
                        let (samples, missing) = work(&piece, &warp, device)?;
                        own.add(&piece, &samples, missing)
                    }
                };
                let Some(found) = found else { return Ok(()) };
                (done, unknown) = (done + 1, unknown + found.missing[0]);
                put(found)
            },
            |found: FoundBox| out.put(&found),
        )
    })?;
    Ok((unknown, account))
}

/// The pieces of a box that were found so far.
#[derive(Default)]
struct Pieces {
    samples: Vec<f32>,
    unknown: usize,
}

impl Pieces {
    /// Adds a piece; the box, if it is whole then.
    fn add(&mut self, piece: &Piece, found: &[f32], unknown: usize) -> Option<FoundBox> {
        let Piece { own, part, is_last, .. } = piece;
        self.samples.resize(own.len(), f32::NAN);
        part.within(own).copy_from(own.size, &mut self.samples, GridBox::all(part.size), part.size, found);
        self.unknown += unknown;
        is_last.then(|| {
            let Self { samples, unknown } = std::mem::take(self);
            FoundBox { part: *own, slices: vec![samples], missing: [unknown, 0], is_kept: false }
        })
    }
}

/// The pieces of a box, each of which reaches no more of the image than there is room for.
fn read_pieces(
    request: &WarpPartsRequest<'_>,
    warp: &PartWarp<'_>,
    own: GridBox,
    most_reached: usize,
    deliver: &mut Deliver<'_, Next, VeloxelError>,
) -> Result<()> {
    let flow = request.flow.part(own)?;
    if flow.components_vox().flatten().any(|v| v.is_infinite()) {
        return Err(DenseError::in_parts("take a field with infinite vectors", None).into());
    }
    let mut waiting = vec![own];
    while let Some(part) = waiting.pop() {
        let within = part.within(&own);
        let components: Vec<Vec<f32>> = flow.components_vox().map(|c| within.of(c, own.size)).collect();
        let reached = warp.reached(part, &components, 1);
        if reached.is_some_and(|seen| seen.len() > most_reached)
            && let Some([first, second]) = halves(part)
        {
            waiting.extend([second, first]);
            continue;
        }
        let seen = match reached {
            Some(seen) => Some((seen, request.image.samples(seen)?.into_owned())),
            None => None,
        };
        let flow = Flow::new(flow.grid().part(within), components)?;
        deliver(Next::Piece(Box::new(Piece { own, part, flow, seen, is_last: waiting.is_empty() })))?;
    }
    Ok(())
}

/// A box in two along its longest axis; a voxel cannot be halved.
fn halves(part: GridBox) -> Option<[GridBox; 2]> {
    let axis = (0..3).max_by_key(|a| part.size[*a]).unwrap_or_default();
    if part.size[axis] < 2 {
        return None;
    }
    let (mut first, mut second) = (part, part);
    first.size[axis] = part.size[axis] / 2;
    second.begin[axis] += first.size[axis];
    second.size[axis] -= first.size[axis];
    Some([first, second])
}
