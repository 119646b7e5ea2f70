//! How much memory a flow takes, part by part, and whether it is run in tiles for that.
//!
//! On the processor a budget bounds the memory of the whole process; on a GPU that of the device, of which no more than what is
//! free is used in any case.

use crate::VeloxelError;
use serde::Serialize;
use veloxel_core::Grid;
use veloxel_gpu::Device;
use veloxel_motion::{Footprint, TilePlan, Tiling, VoxelAffine, voxel_map};
use veloxel_report::number::size;

/// The program, its threads, and the buffers of files.
const PROGRAM_BYTES: u64 = 24 << 20;
/// What the processor's pool keeps at most for the next request.
const MOST_KEPT_BYTES: u64 = 48 << 20;
/// Bytes of a sample.
const SAMPLE: u64 = 4;
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
    /// Of the process, bytes.
    pub peak_bytes: u64,
    /// What it consists of.
    pub parts: Vec<MemoryPart>,
    /// Of the device, bytes; on the processor a part of the process's.
    pub device_bytes: u64,
    /// How the fixed grid is split; one tile is all of it.
    pub tiles: TilePlan,
}

/// What a run holds beside its method.
pub(super) struct Holdings<'a> {
    pub fixed: &'a Grid,
    pub moving: &'a Grid,
    /// Frames beside these two, on the fixed grid.
    pub more_frames: usize,
    /// Masks given.
    pub masks: usize,
    /// Weight images given.
    pub weights: usize,
    /// Fields given: a start, a truth.
    pub fields: usize,
    /// Whether one of the fields is a start.
    pub starts: bool,
    /// Whether nothing is known before the first step.
    pub from_rest: bool,
    /// The memory of a run that begins from matches, where it does.
    pub matched: Option<Footprint>,
    /// Whether the warped image is kept.
    pub warped: bool,
}

impl Holdings<'_> {
    /// On the host from the beginning to the end.
    fn parts(&self) -> Vec<MemoryPart> {
        let (n, m) = (self.fixed.len() as u64, self.moving.len() as u64);
        let fields = self.fields as u64 * SAMPLE * n * self.components();
        let parts = [
            ("program", PROGRAM_BYTES),
            ("images", SAMPLE * (n + m + n * self.more_frames as u64)),
            ("masks", n * self.masks as u64),
            ("weights", SAMPLE * n * self.weights as u64),
            ("start and truth", fields),
        ];
        parts
            .into_iter()
            .filter(|(_, bytes)| *bytes > 0)
            .map(|(what, bytes)| MemoryPart { what, bytes })
            .collect()
    }

    fn components(&self) -> u64 {
        self.fixed.dimension().count() as u64
    }

    /// The flow and its confidence.
    fn result(&self) -> MemoryPart {
        let bytes = SAMPLE * self.fixed.len() as u64 * (self.components() + 1);
        MemoryPart { what: "flow and confidence", bytes }
    }

    /// What is made of the flow once it is there.
    fn measures(&self) -> MemoryPart {
        let volumes = 1 + u64::from(self.warped);
        MemoryPart { what: "determinant and warped image", bytes: SAMPLE * self.fixed.len() as u64 * volumes }
    }

    /// The method's memory with masks, a start, and a moving image that may be larger than the fixed one.
    fn footprint(&self, method: Footprint) -> Footprint {
        let larger = self.moving.len().saturating_sub(self.fixed.len()) as f64 / self.fixed.len() as f64;
        let one_grid = voxel_map(self.fixed, self.moving) == VoxelAffine::IDENTITY;
        let method = if one_grid && self.from_rest { method } else { method.overlapping() };
        method.with_masks(self.masks + self.weights).with_more(3.0 * larger)
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
                (1.0 / (factor * factor), fields + 2 + self.more_frames as u64)
            }
            _ => return None,
        };
        let bytes = (share * (SAMPLE * self.fixed.len() as u64 * volumes) as f64) as u64;
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

fn sum(parts: &[MemoryPart]) -> u64 {
    parts.iter().map(|part| part.bytes).sum()
}

/// The fuller one of two moments.
fn fuller(first: Vec<MemoryPart>, second: Vec<MemoryPart>) -> Vec<MemoryPart> {
    if sum(&second) > sum(&first) { second } else { first }
}

impl FlowPlan {
    /// The plan of a run on a device.
    ///
    /// # Errors
    /// [`VeloxelError::Memory`] if the budget is too small, or the method does not run in tiles.
    pub(super) fn new(
        holdings: &Holdings<'_>,
        method: Footprint,
        device: &Device,
        budget_bytes: Option<u64>,
    ) -> Result<Self, VeloxelError> {
        let footprint = holdings.footprint(method);
        let (held, measures) = (holdings.parts(), holdings.measures());
        let after = [held.clone(), vec![holdings.result(), measures.clone()]].concat();
        let components = holdings.components() as f64;
        // The whole grid at once holds a start that is given, and samples the warped image on the device.
        let more = if holdings.starts { components } else { 0.0 } + if holdings.warped { 3.0 } else { 0.0 };
        let whole = self::whole(holdings, footprint).with_more(more);
        let one_tile =
            |tiles: TilePlan| TilePlan { device_bytes: whole.bytes(holdings.fixed.len()), ..tiles };
        // Buffers of coarse levels stay in the pool.
        let kept = |bytes: u64| (bytes / if components > 2.0 { 20 } else { 7 }).min(MOST_KEPT_BYTES);
        let on_device = |bytes: u64| MemoryPart { what: "method", bytes: bytes + kept(bytes) };
        if device.is_gpu() {
            let free = device.free_bytes().map(|free| (OF_FREE * free as f64) as u64);
            let most = [free, budget_bytes].into_iter().flatten().min();
            let room = most.unwrap_or(u64::MAX);
            let fits = whole.bytes(holdings.fixed.len()) <= room;
            let limits = Limits { room, always: 0, budget: room, what: "on the device" };
            let tiles = tiles(holdings, &footprint, if fits { Limits::NONE } else { limits })?;
            let tiles = if fits { one_tile(tiles) } else { tiles };
            let (peak_bytes, device_bytes) = (sum(&after), tiles.device_bytes);
            return Ok(Self { budget_bytes: most, peak_bytes, parts: after, device_bytes, tiles });
        }
        let while_solving = |result: Option<MemoryPart>, bytes: u64| {
            held.iter().cloned().chain(result).chain([on_device(bytes)]).collect::<Vec<_>>()
        };
        let at_once = while_solving(None, whole.bytes(holdings.fixed.len()));
        let parts = fuller(at_once, after.clone());
        if budget_bytes.is_none_or(|budget| sum(&parts) <= budget) {
            let tiles = one_tile(tiles(holdings, &footprint, Limits::NONE)?);
            let device_bytes = tiles.device_bytes;
            return Ok(Self { budget_bytes, peak_bytes: sum(&parts), parts, device_bytes, tiles });
        }
        let budget = budget_bytes.unwrap_or(u64::MAX);
        let coarser = holdings.coarser_level(&footprint, None);
        let always = sum(&held) + holdings.result().bytes + coarser.as_ref().map_or(0, |part| part.bytes);
        let room = budget.saturating_sub(always);
        let room = room - kept(room);
        let limits = Limits { room, always, budget, what: "in all" };
        let tiles = tiles(holdings, &footprint, limits)?;
        let device_bytes = tiles.device_bytes;
        let measuring = [after, vec![MemoryPart { what: "slabs", bytes: device_bytes / 4 }]].concat();
        let mut solving = while_solving(Some(holdings.result()), device_bytes);
        let shrinking = tiles.coarse.as_ref().map(|coarse| coarse.shrinking[0]);
        solving.extend(holdings.coarser_level(&footprint, shrinking).filter(|_| tiles.exact));
        let parts = fuller(solving, measuring);
        let needed_bytes = sum(&parts);
        if needed_bytes > budget {
            return Err(VeloxelError::Memory { needed_bytes, budget_bytes: budget, what: "in all" });
        }
        Ok(Self { budget_bytes, peak_bytes: needed_bytes, parts, device_bytes, tiles })
    }

    /// The tiles where there is more than one, and a sentence that says why.
    pub(super) fn split(self) -> Option<(TilePlan, String)> {
        let (count, room) = (self.tiles.count(), size(self.budget_bytes.unwrap_or(self.peak_bytes)));
        (count > 1).then(|| (self.tiles, format!("estimated in {count} tiles: {room} of memory are there")))
    }
}

/// What tiles must keep within.
#[derive(Clone, Copy)]
struct Limits {
    /// For one tile, bytes.
    room: u64,
    /// What there is beside it, bytes.
    always: u64,
    /// Of both.
    budget: u64,
    what: &'static str,
}

impl Limits {
    const NONE: Self = Self { room: u64::MAX, always: 0, budget: u64::MAX, what: "" };
}

/// What a run over the whole grid takes.
fn whole(holdings: &Holdings<'_>, footprint: Footprint) -> Footprint {
    holdings.matched.map_or(footprint, |matched| holdings.footprint(matched))
}

/// The tiles of a grid.
fn tiles(holdings: &Holdings<'_>, footprint: &Footprint, limits: Limits) -> Result<TilePlan, VeloxelError> {
    holdings.split(footprint, limits.room).map_err(|least| VeloxelError::Memory {
        needed_bytes: limits.always
            + least.unwrap_or(whole(holdings, *footprint).bytes(holdings.fixed.len())),
        budget_bytes: limits.budget,
        what: limits.what,
    })
}
