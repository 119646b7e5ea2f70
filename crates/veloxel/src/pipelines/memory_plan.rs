//! How much memory a flow takes, part by part, and whether it is run in tiles for that.
//!
//! On the processor a budget bounds the memory of the whole process; on a GPU that of the device, of which no more than what is
//! free is used in any case.

use crate::pipelines::dense::{DenseError, MethodChoice, StartKind};
use crate::{Result, Session, VeloxelError};
use serde::Serialize;
use veloxel_core::{Grid, WarningKind, Warnings};
use veloxel_gpu::Device;
use veloxel_motion::{AnyMethod, Footprint, TilePlan, Tiling, VoxelAffine, voxel_map};
use veloxel_report::number::size;

/// The program, its threads, and the buffers of files.
pub(crate) const PROGRAM_BYTES: u64 = 24 << 20;
/// What the processor's pool keeps at most for the next request.
const MOST_KEPT_BYTES: u64 = 48 << 20;
/// Bytes of a sample.
pub(crate) const SAMPLE: u64 = 4;
/// Share of a GPU's free memory that a run may take: drivers keep some.
const OF_FREE: f64 = 0.92;

/// Memory that one thing takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemoryPart {
    /// What.
    pub what: &'static str,
    /// Bytes.
    pub bytes: u64,
}

/// The memory of a run, at its fullest moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowPlan {
    /// What was allowed, bytes: of the process on the processor, of the device on a GPU.
    pub budget_bytes: Option<u64>,
    /// Peak memory of the process, bytes.
    pub peak_bytes: u64,
    /// What it consists of.
    pub parts: Vec<MemoryPart>,
    /// Memory of the device, bytes; on the processor a part of the process's memory.
    pub device_bytes: u64,
    /// How the fixed grid is split; one tile is all of it.
    pub tiles: TilePlan,
    /// Room on the disk beside the output, bytes, where tiles are kept until all are found; 0 where they are in memory.
    pub disk_bytes: u64,
}

/// A run without its samples: all that its memory depends on.
#[derive(Debug, Clone, Copy)]
pub struct FlowSketch<'a> {
    /// The grids of the fixed and the moving image, or of a window's frames.
    pub grids: &'a [&'a Grid],
    /// How to estimate.
    pub method: &'a MethodChoice,
    /// How many masks there are.
    pub masks: usize,
    /// How many weight images there are.
    pub weights: usize,
    /// How many true flows there are.
    pub truths: usize,
    /// What the run starts from.
    pub start: StartKind,
    /// Whether the moving image is sampled for an output.
    pub samples_moving: bool,
}

/// What a run holds beside its method.
pub(super) struct Holdings<'a> {
    sketch: FlowSketch<'a>,
    fixed: &'a Grid,
    moving: &'a Grid,
    /// Frames beside these two, on the fixed grid.
    more_frames: u64,
    /// The memory of a run that begins from matches, where it does.
    matched: Option<Footprint>,
}

impl Holdings<'_> {
    /// Bytes of so many volumes of samples on the fixed grid.
    fn volumes(&self, count: u64) -> u64 {
        SAMPLE * self.fixed.len() as u64 * count
    }

    fn components(&self) -> u64 {
        self.fixed.dimension().count() as u64
    }

    /// How many flows are given to start from.
    fn given_starts(&self) -> u64 {
        u64::from(self.sketch.start == StartKind::Flow)
    }

    /// On the host from the beginning to the end.
    fn parts(&self) -> Vec<MemoryPart> {
        let fields = self.given_starts() + self.sketch.truths as u64;
        let parts = [
            ("program", PROGRAM_BYTES),
            ("images", self.volumes(1 + self.more_frames) + SAMPLE * self.moving.len() as u64),
            ("masks", (self.fixed.len() * self.sketch.masks) as u64),
            ("weights", self.volumes(self.sketch.weights as u64)),
            ("start and truth", self.volumes(fields * self.components())),
        ];
        let there = parts.into_iter().filter(|(_, bytes)| *bytes > 0);
        there.map(|(what, bytes)| MemoryPart { what, bytes }).collect()
    }

    /// The flow and its confidence.
    fn result(&self) -> MemoryPart {
        MemoryPart { what: "flow and confidence", bytes: self.volumes(self.components() + 1) }
    }

    /// What is made of the flow once it is there.
    fn measures(&self) -> MemoryPart {
        let volumes = 1 + u64::from(self.sketch.samples_moving);
        MemoryPart { what: "determinant and warped image", bytes: self.volumes(volumes) }
    }

    /// The method's memory with masks, a start, and a moving image that may be larger than the fixed one.
    pub fn footprint(&self, method: Footprint) -> Footprint {
        let larger = self.moving.len().saturating_sub(self.fixed.len()) as f64 / self.fixed.len() as f64;
        let one_grid = voxel_map(self.fixed, self.moving) == VoxelAffine::IDENTITY;
        let from_rest = self.sketch.start == StartKind::None;
        let method = if one_grid && from_rest { method } else { method.overlapping() };
        method.with_masks(self.sketch.masks + self.sketch.weights).with_more(3.0 * larger)
    }

    /// The method's memory, or that of the matches that it begins from.
    fn at_once(&self, method: Footprint) -> Footprint {
        self.footprint(self.matched.unwrap_or(method))
    }

    /// Bytes on the device without tiles: the whole grid at once holds a start that is given, and the warped image is sampled.
    fn whole_bytes(&self, method: Footprint) -> u64 {
        let start = (self.given_starts() * self.components()) as f64;
        let more = start + if self.sketch.samples_moving { 3.0 } else { 0.0 };
        self.at_once(method).with_more(more).bytes(self.fixed.len())
    }

    /// The next coarser level's field, from which exact tiles begin, and its pictures, where they are made of all frames at once;
    /// of so much smaller axes, or, as long as that is open, of the least that they shrink by.
    fn coarser_level(&self, footprint: &Footprint, shrinking: Option<usize>) -> Option<MemoryPart> {
        let (share, volumes) = match footprint.tiling {
            Tiling::Local { eta, .. } => (eta.powi(self.components() as i32), self.components()),
            Tiling::Halves { .. } => {
                let factor = shrinking.unwrap_or(2) as f64;
                // The field there, and of two frames the one back.
                let fields = if self.more_frames == 0 { 4 } else { 2 };
                (1.0 / (factor * factor), fields + 2 + self.more_frames)
            }
            _ => return None,
        };
        let bytes = (share * self.volumes(volumes) as f64) as u64;
        Some(MemoryPart { what: "the next coarser level", bytes })
    }

    /// How the fixed grid is split.
    fn split(&self, footprint: &Footprint, room: u64) -> Result<TilePlan, Option<u64>> {
        match self.matched {
            Some(matched) => TilePlan::with_matches(self.fixed, [footprint, &self.footprint(matched)], room),
            None => TilePlan::new(self.fixed, footprint, room),
        }
    }
}

pub(super) fn sum(parts: &[MemoryPart]) -> u64 {
    parts.iter().map(|part| part.bytes).sum()
}

/// What the processor's pool keeps of a method that takes so much: buffers of coarse levels.
pub(super) fn kept_bytes(bytes: u64, components: usize) -> u64 {
    (bytes / if components > 2 { 20 } else { 7 }).min(MOST_KEPT_BYTES)
}

/// The fuller one of two moments.
fn fuller(first: Vec<MemoryPart>, second: Vec<MemoryPart>) -> Vec<MemoryPart> {
    if sum(&second) > sum(&first) { second } else { first }
}

/// The memory that a run would take, and how it is split for that under the session's budget. A method is opened for it; no
/// samples are needed.
///
/// # Errors
/// [`DenseError::Memory`] if the budget is too small, or the method does not run in tiles; [`DenseError::NoFootprint`] if it does
/// not say what it takes; [`VeloxelError::Motion`] if it cannot be opened for these grids.
///
/// # Panics
/// If there is no grid.
pub fn memory_plan(sketch: &FlowSketch<'_>, session: &Session) -> Result<FlowPlan> {
    let device = session.device()?;
    let opened = sketch.method.open(sketch.grids[0], WHITE, sketch.grids.len(), device)?;
    let footprint = footprint_of(&opened.method);
    let matched = match sketch.start {
        StartKind::Matches => footprint_of(&opened.method.matched()),
        _ => None,
    };
    FlowPlan::of(sketch, footprint, matched, session)
}

/// The memory that a run would take over the whole grid at once, whatever the session allows; none of a method that does not say what
/// it takes. A method is opened for it.
///
/// # Errors
/// [`VeloxelError::Motion`] if it cannot be opened for these grids; on a GPU as [`memory_plan`].
///
/// # Panics
/// If there is no grid.
pub(super) fn whole_plan(sketch: &FlowSketch<'_>, session: &Session) -> Result<Option<FlowPlan>> {
    let device = session.device()?;
    let opened = sketch.method.open(sketch.grids[0], WHITE, sketch.grids.len(), device)?;
    let plan = |footprint| FlowPlan::new(&Holdings::of(sketch, None), footprint, None, device);
    Ok(footprint_of(&opened.method).map(plan).transpose()?)
}

/// A GPU's driver is not asked for the free memory before runs that take no more than this: the question takes as long as many
/// kernels of so small a run.
const NEVER_SHORT_BYTES: u64 = 64 << 20;

/// What white is where nothing depends on it.
pub(super) const WHITE: f32 = 255.0;

/// The tiles that a run of an opened method needs, which a note tells; none if it takes the whole grid at once.
///
/// # Errors
/// As [`memory_plan`].
pub(crate) fn tiles_of(
    sketch: &FlowSketch<'_>,
    opened: &AnyMethod,
    session: &Session,
    warnings: &mut Warnings,
) -> Result<Option<TilePlan>> {
    // Without a budget the processor has what the system has.
    let is_bounded = session.max_memory_bytes().is_some();
    if !is_bounded && !session.device()?.is_gpu() {
        return Ok(None);
    }
    let footprint = footprint_of(opened).filter(|_| !is_bounded && sketch.start != StartKind::Matches);
    if footprint.is_some_and(|method| Holdings::of(sketch, None).whole_bytes(method) <= NEVER_SHORT_BYTES) {
        return Ok(None);
    }
    let plan = || match sketch.start {
        // A method that begins from matches is opened with them around it.
        StartKind::Matches => memory_plan(sketch, session),
        _ => FlowPlan::of(sketch, footprint_of(opened), None, session),
    };
    let needs_more = |plan: &Result<FlowPlan>| match plan {
        Ok(plan) => plan.tiles.count() > 1,
        Err(error) => matches!(error, VeloxelError::Dense(DenseError::Memory { .. })),
    };
    let mut found = plan();
    // What is kept for other runs gives way to this one.
    if needs_more(&found) && session.release_methods() {
        found = plan();
    }
    let plan = match found {
        // Without a footprint a run is not cut into tiles, unless a budget asks for it.
        Err(VeloxelError::Dense(DenseError::NoFootprint { .. })) if !is_bounded => return Ok(None),
        plan => plan?,
    };
    Ok(plan.split().map(|(tiles, why)| {
        warnings.push(WarningKind::Note, why);
        tiles
    }))
}

pub(super) fn footprint_of(method: &AnyMethod) -> Option<Footprint> {
    match method {
        AnyMethod::Pair(method) => method.footprint(),
        AnyMethod::Window(method) => method.footprint(),
    }
}

impl<'a> Holdings<'a> {
    pub fn of(sketch: &FlowSketch<'a>, matched: Option<Footprint>) -> Self {
        let (grids, sketch) = (sketch.grids, *sketch);
        let [fixed, moving] = [grids[0], grids[grids.len().min(2) - 1]];
        let more_frames = grids.len().saturating_sub(2) as u64;
        Self { sketch, fixed, moving, more_frames, matched }
    }
}

impl FlowPlan {
    fn of(
        sketch: &FlowSketch<'_>,
        footprint: Option<Footprint>,
        matched: Option<Footprint>,
        session: &Session,
    ) -> Result<Self> {
        let method = sketch.method.draft.method_name();
        let footprint = footprint.ok_or(DenseError::NoFootprint { method })?;
        let holdings = Holdings::of(sketch, matched);
        Ok(Self::new(&holdings, footprint, session.max_memory_bytes(), session.device()?)?)
    }

    fn new(
        holdings: &Holdings<'_>,
        method: Footprint,
        budget_bytes: Option<u64>,
        device: &Device,
    ) -> Result<Self, DenseError> {
        let footprint = holdings.footprint(method);
        let (held, components) = (holdings.parts(), holdings.components() as usize);
        let after = [held.clone(), vec![holdings.result(), holdings.measures()]].concat();
        let at_once = holdings.at_once(method);
        let whole_bytes = holdings.whole_bytes(method);
        let one_tile = || {
            let tiles = holdings.split(&footprint, u64::MAX).expect("without a limit one tile should do");
            TilePlan { device_bytes: whole_bytes, ..tiles }
        };
        // Tiles of so much room, beside what is always there.
        let tiles = |room: u64, always: u64, budget_bytes: u64, place: &'static str| {
            holdings.split(&footprint, room).map_err(|least| {
                let needed_bytes = always + least.unwrap_or(at_once.bytes(holdings.fixed.len()));
                DenseError::Memory { needed_bytes, budget_bytes, place }
            })
        };
        if device.is_gpu() {
            let free = device.free_bytes().map(|free| (OF_FREE * free as f64) as u64);
            let most = [free, budget_bytes].into_iter().flatten().min();
            let room = most.unwrap_or(u64::MAX);
            let tiles = if whole_bytes <= room { one_tile() } else { tiles(room, 0, room, "on the device")? };
            return Ok(Self::with(most, after, tiles));
        }
        let kept = |bytes: u64| kept_bytes(bytes, components);
        let while_solving = |result: Option<MemoryPart>, bytes: u64| {
            let method = MemoryPart { what: "method", bytes: bytes + kept(bytes) };
            held.iter().cloned().chain(result).chain([method]).collect::<Vec<_>>()
        };
        let parts = fuller(while_solving(None, whole_bytes), after.clone());
        let Some(budget) = budget_bytes.filter(|budget| sum(&parts) > *budget) else {
            return Ok(Self::with(budget_bytes, parts, one_tile()));
        };
        let coarser_bytes = holdings.coarser_level(&footprint, None).map_or(0, |part| part.bytes);
        let always = sum(&held) + holdings.result().bytes + coarser_bytes;
        let room = budget.saturating_sub(always);
        let tiles = tiles(room - kept(room), always, budget, "in all")?;
        let slabs = MemoryPart { what: "slabs", bytes: tiles.device_bytes / 4 };
        let measuring = [after, vec![slabs]].concat();
        let mut solving = while_solving(Some(holdings.result()), tiles.device_bytes);
        let shrinking = tiles.coarse.as_ref().map(|coarse| coarse.shrinking[0]);
        solving.extend(holdings.coarser_level(&footprint, shrinking).filter(|_| tiles.exact));
        let parts = fuller(solving, measuring);
        let needed_bytes = sum(&parts);
        if needed_bytes > budget {
            return Err(DenseError::Memory { needed_bytes, budget_bytes: budget, place: "in all" });
        }
        Ok(Self::with(budget_bytes, parts, tiles))
    }

    pub(super) fn with(budget_bytes: Option<u64>, parts: Vec<MemoryPart>, tiles: TilePlan) -> Self {
        let (peak_bytes, device_bytes) = (sum(&parts), tiles.device_bytes);
        Self { budget_bytes, peak_bytes, parts, device_bytes, tiles, disk_bytes: 0 }
    }

    /// The tiles where there is more than one, and a sentence that says why.
    pub(crate) fn split(self) -> Option<(TilePlan, String)> {
        let (count, room) = (self.tiles.count(), size(self.budget_bytes.unwrap_or(self.peak_bytes)));
        (count > 1)
            .then(|| (self.tiles, format!("estimated in {count} tiles: {room} of memory are available")))
    }
}
