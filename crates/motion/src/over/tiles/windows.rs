//! Windows of large pictures under a budget of memory: coarse levels over the whole pictures, the finest ones in tiles, with the
//! bits of a run over the whole grid.
//!
//! A tile's part holds all that its core's vectors depend on ([`Tiling::Halves`](crate::Tiling)) and as much more as
//! vectors reach at the time of the farthest frame. That is known afterwards for certain: where a vector on the way was longer
//! than there was room for, the tile is done again with more. A part larger than memory allows has its core halved.

use super::account::{Account, TileAccount, TileProgress};
use super::cut::slabs;
use super::intensities::intensities;
use super::mosaic::{Core, TileSeams};
use super::plan::{MOTION_PX, SHORTEST_CORE, TilePlan};
use super::source::BoxedPair;
use super::{field, tile_cores};
use crate::error::Result;
use crate::method::local_window::{LocalWindow, PartFlow, WindowPart};
use crate::method::pending_flow::{DenseFlow, FlowExtras};
use crate::method::window::{WindowMethod, known_within};
use veloxel_core::{BrightnessReport, Flow, FlowStatistics, GridBox, Mask, Volume};
use veloxel_gpu::Device;

/// Windows of frames that are estimated tile by tile.
#[derive(Debug, Clone, Copy)]
pub struct TiledWindows<'a> {
    /// Where the method runs.
    pub device: &'a Device,
    /// How the pictures are split: of a method's footprint.
    pub plan: &'a TilePlan,
}

/// How often a tile is done again with more room, at most.
const MOST_TRIES: usize = 4;
/// Pixels of room beyond the longest vector.
const SPARE_PX: usize = 4;

impl TiledWindows<'_> {
    /// The flow of the centre frame towards the next one; the determinant is always given.
    ///
    /// # Errors
    /// As [`WindowMethod::run`].
    ///
    /// # Panics
    /// If the method does not run in parts.
    pub fn run(
        &self,
        method: &mut dyn WindowMethod,
        frames: &[&Volume<f32>],
        mask: Option<&Mask>,
        extras: FlowExtras,
    ) -> Result<DenseFlow> {
        let (window, interpolation, grid) = (method.window(), method.interpolation(), method.grid().clone());
        window.require(frames.len())?;
        for (t, frame) in frames.iter().enumerate() {
            grid.require_same(frame.grid(), &format!("frames 0 and {t}"))?;
        }
        let centre = frames[window.centre];
        let filled =
            mask.map(|mask| crate::steps::masking::without_unknown(centre, mask)).transpose()?.flatten();
        let mut frames = frames.to_vec();
        frames[window.centre] = filled.as_ref().unwrap_or(centre);
        for (t, frame) in frames.iter().enumerate() {
            frame.require_finite(&format!("frame {t}"), |_| false)?;
        }
        let local = method.local().expect("a method of windows with tiles should run in parts");
        let (found, statistics) = self.find(local, &frames)?;
        let flow = Flow::from_planar_vox(grid.clone(), found.planar_px)?;
        let mut found = DenseFlow::bare(flow, Volume::new(grid, found.confidence)?, statistics);
        let next = frames.get(window.centre + 1).filter(|_| extras.warped);
        let moving = next.map(|next| (*next, interpolation));
        field::measure(self.device, &mut found, None, moving, self.plan.slab_samples())?;
        if let (Some(next), Some(warped)) = (next, &found.warped) {
            found.statistics.brightness = self.brightness([frames[window.centre], next, warped])?;
        }
        known_within(found, mask)
    }

    /// How well two frames agree, before and after.
    fn brightness(&self, [fixed, next, warped]: [&Volume<f32>; 3]) -> Result<BrightnessReport> {
        let (pair, room) = (BoxedPair::new(fixed, next), fixed.data().len());
        let [map, _] = self.device.scope(|| intensities(self.device, &pair, room))?;
        let gain = map.map_or(1.0, |map| f64::from(map.gain_and_offset().0));
        let mean = |other: &Volume<f32>| {
            let apart = fixed.data().iter().zip(other.data()).map(|(&a, &b)| f64::from(a - b).abs());
            let (sum, count) =
                apart.filter(|v| v.is_finite()).fold((0.0, 0usize), |(sum, n), v| (sum + v, n + 1));
            gain * sum / count.max(1) as f64
        };
        Ok(BrightnessReport { mean_abs_before: mean(next), mean_abs_after: mean(warped), moving: None })
    }

    /// Flow, confidence and account.
    fn find(&self, local: &dyn LocalWindow, frames: &[&Volume<f32>]) -> Result<FoundInParts> {
        let (plan, n) = (self.plan, frames[0].data().len());
        let coarse = plan.coarse.as_ref().expect("tiles should have a coarse pass");
        let levels = coarse.shrinking[0].trailing_zeros() as usize;
        let shrunk = frames.iter().map(|frame| self.shrunk(local, frame, levels));
        let starts = local.coarse(shrunk.collect::<Result<_, _>>()?, levels)?;
        self.device.release_kept();
        let run = WindowRun { plan, local, frames, levels, coarse_size: coarse.plan.grid_size, starts };
        let mut found =
            PartFlow { planar_px: vec![0.0; 2 * n], confidence: vec![0.0; n], on_the_way: Vec::new() };
        let (mut account, progress) = (Account::default(), TileProgress::new(plan.worked_voxels()));
        for whole in tile_cores(plan) {
            whole.in_pieces(|core| {
                let (part, flow) = match run.tile(&core)? {
                    TileResult::TooLarge(axis) => return Ok(Some(axis)),
                    TileResult::Found(part, flow) => (part, flow),
                };
                let inner = core.inside(part);
                let control = self.device.control();
                control.portion(progress.of(part.len()), || control.step(1.0, [None; 2]))?;
                account.add(&TileAccount::default(), inner.len());
                keep(core, plan.grid_size, inner, part.size, &flow, &mut found);
                Ok(None)
            })?;
        }
        Ok((found, account.finish(plan, TileSeams::default())))
    }

    /// A frame so many levels up, made of strips.
    fn shrunk(&self, local: &dyn LocalWindow, frame: &Volume<f32>, levels: usize) -> Result<Vec<f32>> {
        let (step, [nx, ny, _]) = (1 << levels, frame.grid().size());
        // The filter reaches two pixels of every level.
        let margin = 2 * step;
        let rows = (self.plan.slab_samples() / nx).saturating_sub(2 * margin).max(step) / step * step;
        let width = nx.div_ceil(step);
        let mut out = Vec::with_capacity(width * ny.div_ceil(step));
        for (own, seen) in slabs(frame.grid().size(), 1, rows, margin) {
            let (first, end) = (seen.begin[1], own.begin[1] + own.size[1]);
            let shrunk =
                local.shrunk(seen.of(frame.data(), frame.grid().size()), [nx, seen.size[1]], levels)?;
            let [from, to] = [(own.begin[1] - first) / step, (end - first).div_ceil(step)];
            out.extend_from_slice(&shrunk[from * width..to * width]);
        }
        Ok(out)
    }
}

/// Flow and confidence of the whole, and the account.
type FoundInParts = (PartFlow, FlowStatistics);

/// Everything that the tiles of a run share.
struct WindowRun<'a> {
    plan: &'a TilePlan,
    local: &'a dyn LocalWindow,
    frames: &'a [&'a Volume<f32>],
    /// Levels in tiles.
    levels: usize,
    coarse_size: [usize; 3],
    /// Estimates of the next coarser level, a direction each.
    starts: Vec<Vec<f32>>,
}

/// What becomes of a core.
enum TileResult {
    /// The part around it, and what was found there.
    Found(GridBox, PartFlow),
    /// The part is too large: the axis to halve the core along.
    TooLarge(usize),
}

impl WindowRun<'_> {
    fn tile(&self, core: &Core) -> Result<TileResult> {
        let mut reach_px = self.reach_px(self.longest_start(core));
        let mut tries = 0;
        loop {
            tries += 1;
            let part = self.part(core, reach_px);
            let most: usize = self.plan.tile_size.iter().product();
            if let (true, Some(axis)) = (part.len() > most, core.longest_axis(2 * SHORTEST_CORE)) {
                return Ok(TileResult::TooLarge(axis));
            }
            let flow = self.local.finest(self.window_part(part))?;
            let needed_px = self.reach_px(self.longest_on_the_way(core, part, &flow));
            if needed_px <= reach_px || tries == MOST_TRIES || part.size == self.plan.grid_size {
                return Ok(TileResult::Found(part, flow));
            }
            reach_px = needed_px;
        }
    }

    /// Room for vectors of such a length: there and, where the field back is looked up, back.
    fn reach_px(&self, longest_px: f32) -> usize {
        let most = self.plan.grid_size.into_iter().max().unwrap_or(0);
        let ways = self.local.farthest_frame() * self.starts.len();
        (ways * (longest_px.min(most as f32).ceil() as usize) + SPARE_PX).min(most)
    }

    /// A core and what its vectors depend on, from multiples of the coarsest pixels to such.
    fn part(&self, core: &Core, reach_px: usize) -> GridBox {
        let (step, whole) = (1 << self.levels, self.plan.grid_size);
        let halo = self.plan.overlap_vox - MOTION_PX + reach_px;
        let mut part = GridBox { begin: [0; 3], size: [1; 3] };
        for a in 0..2 {
            let begin = core.begin[a].saturating_sub(halo) / step * step;
            let end = ((core.end[a] + halo).div_ceil(step) * step).min(whole[a]);
            (part.begin[a], part.size[a]) = (begin, end - begin);
        }
        part
    }

    /// The part's pixels of a level so many levels up.
    fn above(&self, part: GridBox, levels: usize) -> GridBox {
        let step = 1 << levels;
        GridBox {
            begin: [part.begin[0] / step, part.begin[1] / step, 0],
            size: [part.size[0].div_ceil(step), part.size[1].div_ceil(step), 1],
        }
    }

    fn window_part(&self, part: GridBox) -> WindowPart {
        let (seen, coarse) = (self.above(part, self.levels), self.coarse_size);
        let planes = |start: &Vec<f32>| {
            let planes = start.chunks_exact(coarse[0] * coarse[1]);
            planes.flat_map(|plane| seen.of(plane, coarse)).collect()
        };
        WindowPart {
            size: [part.size[0], part.size[1]],
            frames: self.frames.iter().map(|frame| part.of(frame.data(), self.plan.grid_size)).collect(),
            levels: self.levels,
            starts: self.starts.iter().map(planes).collect(),
        }
    }

    /// The longest start around a core along an axis, pixels of the finest level.
    fn longest_start(&self, core: &Core) -> f32 {
        let seen = self.above(self.part(core, SPARE_PX), self.levels);
        let (step, coarse) = ((1 << self.levels) as f32, self.coarse_size);
        step * self.starts.iter().map(|start| longest(start, seen, coarse)).fold(0.0, f32::max)
    }

    /// The longest vector that a position around a core was displaced by on any level, pixels of the finest level.
    fn longest_on_the_way(&self, core: &Core, part: GridBox, flow: &PartFlow) -> f32 {
        let around = self.part(core, SPARE_PX);
        let inner =
            GridBox { begin: [0, 1, 2].map(|a| around.begin[a].saturating_sub(part.begin[a])), ..around };
        let of_level = |(nth, directions): (usize, &Vec<Vec<f32>>)| {
            let level = nth + 1;
            let (whole, seen) = (self.above(part, level).size, self.above(inner, level));
            let seen =
                GridBox { size: [0, 1, 2].map(|a| seen.size[a].min(whole[a] - seen.begin[a])), ..seen };
            let longest = directions.iter().map(|d| longest(d, seen, whole)).fold(0.0, f32::max);
            (1 << level) as f32 * longest
        };
        let longest = flow.on_the_way.iter().enumerate().map(of_level).fold(0.0, f32::max);
        longest.max(self.longest_start(core))
    }
}

/// The largest component in a part of two planes.
fn longest(planes: &[f32], part: GridBox, whole: [usize; 3]) -> f32 {
    let planes = planes.chunks_exact(whole[0] * whole[1]);
    let samples = planes.flat_map(|plane| part.rows(whole).flat_map(move |row| &plane[row]));
    // The larger one of a number and NaN is the number.
    samples.fold(0.0, |most, v| most.max(v.abs()))
}

/// Copies what a part's flow says of its core.
fn keep(
    core: Core,
    whole: [usize; 3],
    inner: GridBox,
    size: [usize; 3],
    flow: &PartFlow,
    out: &mut PartFlow,
) {
    let own = GridBox { begin: core.begin, size: inner.size };
    let planes = flow.planar_px.chunks_exact(flow.confidence.len()).chain([&flow.confidence[..]]);
    let outs = out.planar_px.chunks_exact_mut(out.confidence.len()).chain([&mut out.confidence[..]]);
    for (out, samples) in outs.zip(planes) {
        own.copy_from(whole, out, inner, size, samples);
    }
}
