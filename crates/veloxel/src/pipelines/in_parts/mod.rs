//! The flow of two images that need not fit into memory: boxes of images are read, tiles are kept as they are found, and boxes of the
//! field are handed out as soon as all of their tiles are kept. Nothing here knows where images, tiles and boxes lie.

mod hand_out;
mod key;
mod memory;
mod outcome;
mod prepared;
mod survey;

pub use memory::memory_plan_in_parts;
pub use outcome::PartsResult;
pub use prepared::Preparation;

use super::account::Account;
use super::boxes::PartsKey;
use super::dense::{DenseError, MethodChoice, PairNames, PairStart, StartKind};
use super::memory_plan::{FlowPlan, FlowSketch};
use super::prepare::grids::allow_two_grids;
use crate::{Result, Session};
use hand_out::HandOut;
use key::tile_key;
use memory::is_handed_out_beside;
use prepared::PreparedBoxes;
use std::ops::Range;
use veloxel_core::{Dimension, Grid, GridBox, Stage, WarningKind};
use veloxel_gpu::Device;
use veloxel_io::Strictness;
use veloxel_motion::{
    AnyMethod, BoxedPair, FlowInTiles, FlowPart, GivenInput, ImageBoxes, MotionError, PairMethod,
    TakenImages, TileFollower, TilePlan, TileStore, Tiled,
};

/// Two images of which boxes are read, and what is known of them.
#[derive(Clone, Copy)]
pub struct PartsRequest<'a> {
    /// The image that the flow lives on.
    pub fixed: &'a dyn ImageBoxes,
    /// The image that the flow points into, on a grid of its own.
    pub moving: &'a dyn ImageBoxes,
    /// What they are called in warnings and reports.
    pub names: PairNames<'a>,
    /// What is known before the first step: nothing, or a linear map.
    pub start: PairStart<'a>,
    /// Whether two grids are allowed.
    pub strictness: Strictness,
    /// How to estimate.
    pub method: &'a MethodChoice,
}

/// Where tiles are kept until the field has its place, and where its boxes go meanwhile.
pub trait PartsOutput {
    /// Begins to keep tiles that this decides, or goes on with those of an ended run that it decided; how many are kept already.
    ///
    /// # Errors
    /// What keeps tiles from being kept, such as those of a run that something else decided.
    fn begin(&mut self, key: &PartsKey) -> Result<usize>;

    /// The tiles that are kept, and what takes the boxes of the field; asked for once after [`begin`](Self::begin).
    fn places(&mut self) -> (&mut dyn TileStore, &mut dyn FieldOutput);
}

/// Voxels along each axis of a box of a field, unless the grid ends before: as many as a chunk of a volume in OME-Zarr has.
pub const BOX_VOX: usize = 64;

/// Takes the boxes of a field while its tiles are estimated, each voxel once. Boxes begin at multiples of [`BOX_VOX`].
pub trait FieldOutput: Send {
    /// Takes a box, of which its neighbours are there as well.
    ///
    /// # Errors
    /// What keeps it from being written.
    fn put(&mut self, own: GridBox, seen: &FlowPart) -> Result<()>;
}

impl<'a> PartsRequest<'a> {
    /// Two images of which nothing else is known.
    pub fn new(fixed: &'a dyn ImageBoxes, moving: &'a dyn ImageBoxes, method: &'a MethodChoice) -> Self {
        let (names, start, strictness) = (PairNames::default(), PairStart::None, Strictness::Lenient);
        Self { fixed, moving, names, start, strictness, method }
    }

    /// What the run holds, for a plan of its memory.
    fn sketch<'g>(&'g self, grids: &'g [&'g Grid]) -> FlowSketch<'g> {
        let (method, start) = (self.method, self.start.kind());
        FlowSketch { grids, method, masks: 0, weights: 0, truths: 0, start, samples_moving: false }
    }
}

/// Refuses what is done to images in memory alone.
///
/// # Errors
/// [`DenseError::InParts`], [`DenseError::Takes`], [`MotionError::NotUsed`].
pub(crate) fn require_in_parts(sketch: &FlowSketch<'_>, session: &Session) -> Result<()> {
    let (method, start) = (sketch.method, sketch.start);
    method.require_used(&[(GivenInput::Start, start != StartKind::None)])?;
    let refuse = |what: &str| Err(DenseError::in_parts(what, session.max_memory_bytes()).into());
    match (sketch.grids[0].dimension(), start, method.takes()) {
        (_, _, TakenImages::Windows { .. }) => {
            let (takes, given) = ("a window of frames", "pair of images");
            Err(DenseError::Takes { method: method.draft.method_name(), takes, given }.into())
        }
        (Dimension::Two, ..) => refuse("estimate the flow of pictures"),
        (_, StartKind::Matches, _) => refuse("begin from matches"),
        (_, StartKind::Flow, _) => refuse("begin from a field"),
        _ => Ok(()),
    }
}

/// Estimates the flow from a fixed to a moving image, neither of which need fit into memory, and hands it out in boxes, each as soon as
/// all tiles that reach into it are kept. The field is that of the same plan of tiles with images in memory ([`pair`](super::pair)), bit
/// by bit.
///
/// Preparation is that of images in memory, in passes over the images; holes, padding and values that stand for no data are refused.
/// A run that is ended at any moment goes on with the tiles that were kept.
///
/// # Errors
/// [`DenseError::InParts`] for what is not done in parts, [`DenseError::Memory`], and as [`pair`](super::pair); what images and output
/// fail with.
pub fn pair_in_parts(
    request: &PartsRequest<'_>,
    output: &mut dyn PartsOutput,
    session: &Session,
) -> Result<PartsResult> {
    let Begun { mut account, prepared, white, plan, key } = begin(request, None, session)?;
    let (device, grids) = (session.device()?, [request.fixed.grid(), request.moving.grid()]);
    let kept = output.begin(&key)?;
    if kept > 0 {
        let text = format!("goes on with a run that was ended: {kept} of its tiles are kept");
        account.warnings.push(WarningKind::Note, text);
    }
    let which = 0..plan.tiles.count();
    let (store, field) = output.places();
    let mut hand_out = HandOut::new(grids, field, is_handed_out_beside(&plan), session)?;
    let tiling = Tiling { plan: &plan.tiles, white };
    let solve = || estimated(request, &prepared, tiling, which, &mut *store, &mut hand_out, session);
    let found = account.stages.time("solve", solve);
    let found = found.map_err(|error| hand_out.failed(error))?;
    device.release_kept();
    session.enter(Stage::Write)?;
    account.stages.time("write", || hand_out.rest(&found, store, session))?;
    hand_out.measured().finish(request, found, plan, account)
}

/// Estimates some of a run's tiles alone, by their numbers, and what all of them begin from, if that is not kept yet; gives how many
/// tiles there are in all. What was found of the images is taken from `preparation`, or put there.
///
/// # Errors
/// As [`pair_in_parts`]; what `open` fails with, which opens the store of the tiles that a key decides.
pub fn tiles_in_parts<'s>(
    request: &PartsRequest<'_>,
    preparation: &mut Option<Preparation>,
    which: Option<usize>,
    open: impl FnOnce(&PartsKey) -> Result<Box<dyn TileStore + 's>>,
    session: &Session,
) -> Result<usize> {
    let Begun { prepared, white, plan, key, .. } = begin(request, preparation.take(), session)?;
    *preparation = Some(prepared.found().clone());
    let count = plan.tiles.count();
    let which = which.map_or(0..0, |nth| nth..nth + 1);
    let mut store = open(&key)?;
    let tiling = Tiling { plan: &plan.tiles, white };
    estimated(request, &prepared, tiling, which, &mut *store, &mut (), session)?;
    Ok(count)
}

/// What a run in parts knows before its first tile.
struct Begun<'a> {
    account: Account,
    prepared: PreparedBoxes<'a>,
    white: f32,
    plan: FlowPlan,
    key: PartsKey,
}

fn begin<'a>(
    request: &PartsRequest<'a>,
    preparation: Option<Preparation>,
    session: &Session,
) -> Result<Begun<'a>> {
    session.enter(Stage::Solve)?;
    let mut account = Account::begin(session)?;
    let device = session.device()?;
    let grids = [request.fixed.grid(), request.moving.grid()];
    require_in_parts(&request.sketch(&grids), session)?;
    allow_two_grids(grids[0], grids[1], request.strictness, &mut account.warnings)?;
    // What is kept for other runs gives way to this one.
    session.release_methods();
    let plan = memory_plan_in_parts(&request.sketch(&grids), session)?;
    let room = plan.tiles.device_bytes as usize / 8;
    let Account { stages, warnings, .. } = &mut account;
    let prepared = match preparation {
        Some(found) => PreparedBoxes::again(request, found),
        None => stages.time("prepare", || PreparedBoxes::of(request, room, session, warnings))?,
    };
    let white = prepared.white();
    let opened = request.method.open(grids[0], white, 2, device)?;
    account.parameters = opened.parameters;
    account.errors = request.method.error_curves(grids[0].dimension(), request.start.kind());
    drop(opened.method);
    let key = tile_key(request, &prepared, &plan.tiles, &account)?;
    Ok(Begun { account, prepared, white, plan, key })
}

/// The tiles of these numbers, in a store.
fn estimated(
    request: &PartsRequest<'_>,
    prepared: &PreparedBoxes<'_>,
    tiling: Tiling<'_>,
    which: Range<usize>,
    store: &mut dyn TileStore,
    follower: &mut dyn TileFollower,
    session: &Session,
) -> Result<FlowInTiles> {
    let (grid, device) = (request.fixed.grid(), session.device()?);
    let Tiling { plan, white } = tiling;
    let pair = BoxedPair { start: request.start.of_method(grid)?, ..BoxedPair::new(request.fixed, prepared) };
    let open = |part: &Grid| opened_part(request.method, [part, grid], white, device);
    let tiled = Tiled { open: &open, open_coarse: None, device, plan };
    Ok(tiled.run_some_into(which, &pair, store, follower)?)
}

/// How the fixed grid is split, and what white is in it.
#[derive(Clone, Copy)]
struct Tiling<'a> {
    plan: &'a TilePlan,
    white: f32,
}

fn opened_part(
    method: &MethodChoice,
    grids: [&Grid; 2],
    white: f32,
    device: &Device,
) -> Result<Box<dyn PairMethod>, MotionError> {
    match method.open_part(grids, white, 2, device)?.method {
        AnyMethod::Pair(method) => Ok(method),
        AnyMethod::Window(_) => unreachable!("a method should take pairs of every size or of none"),
    }
}
