//! Any image or volume under a budget of memory: two images of the host in; their flow with its confidence out, estimated tile by
//! tile.
//!
//! *Method*: where a run over the whole grid needs more device memory than the budget has ([`Footprint`](crate::Footprint)), a coarse pass
//! finds the flow of both images shrunk by whole factors, in tiles itself where that is needed. Its flow is the start of
//! every tile. A tile is a box of the fixed image, and a box of the moving one of the same size, shifted by the mean of its
//! start in whole voxels: the overlap need only cover how far motion differs within a tile. Where motion differs by
//! more, a tile contributes half as much, of the same memory, and so on. On two grids, a tile's moving image is whatever
//! its voxels can reach.
//! Neighbours overlap, and fade into each other over 16 voxels in the middle.
//! The intensity map is decided once, for the whole images.
//!
//! Methods whose vectors depend on their surroundings alone run another way (`local`): the bits of the whole grid.
//!
//! Neither the images nor the flow need fit into memory: boxes of images are read from an [`ImageBoxes`], and tiles that overlap are
//! kept in a [`TileStore`] as they are found, of which boxes of the flow are put together ([`FinalBoxes`]), with the same bits.
//!
//! *Bound and evidence*: docs/design/tiles.md; `tests/motion/tiles/pairs.rs`.
//!
//! *Limits*: methods say by [`Tiling`](crate::Tiling) whether they run in tiles. An affine start begins the coarse pass, and tiles smooth the
//! total motion. The way back of an inverse-consistent method begins anew in each tile.

mod account;
mod beginning;
mod coarse;
mod cut;
mod field;
mod final_boxes;
mod intensities;
mod kept;
mod local;
mod mosaic;
mod moving_part;
mod plan;
mod shrunk_levels;
mod source;
mod store;
mod tile_run;
mod walk;
mod warped_part;
mod windows;

pub use account::TileAccount;
pub use field::{DeterminantSums, warp_in_slabs};
pub use final_boxes::{FinalBoxes, TileFollower};
pub use mosaic::{FlowPart, TileSeams};
pub use plan::{CoarsePlan, TilePlan};
pub use source::{BoxedPair, ImageBoxes};
pub use store::{FlowInTiles, FoundTile, KeptBeginning, KeptTile, TileStore};
pub use warped_part::PartWarp;
pub use windows::TiledWindows;

use crate::error::Result;
use crate::method::footprint::coarse_width_mm;
use crate::method::pair::{ImagePair, Pair, PairMethod};
use crate::method::pending_flow::{DenseFlow, FlowExtras};
use crate::method::resident::ResidentRegion;
use crate::method::shared_scalars::SharedScalars;
use crate::method::start::Start;
use crate::steps::frame::{Frame, with_contrast};
use crate::steps::intensity::IntensityMap;
use crate::steps::linear::aligned_brightness::note_brightness;
use crate::steps::moving_image::{require_sampled, voxel_map};
use crate::steps::pyramid::rescaled;
use account::{Account, TileProgress};
use cut::grid_of;
use intensities::intensities;
use mosaic::Mosaic;
use source::InBrightness;
use std::borrow::Cow;
use tile_run::{TileImages, TileRun, no_content};
use veloxel_core::{Axes, Flow, Grid, GridBox, LinearBrightness, Mask, Volume};
use veloxel_gpu::Device;
use veloxel_kernels::image::warp::{Interpolation, VoxelAffine};
use walk::tile_cores;

/// Opens a method for the grid of a tile.
pub type OpenTile<'a> = dyn Fn(&Grid) -> Result<Box<dyn PairMethod>> + Send + Sync + 'a;

/// A method that runs tile by tile.
pub struct Tiled<'a> {
    /// Opens it.
    pub open: &'a OpenTile<'a>,
    /// Opens what a coarse pass over the whole grid is run with, where that is something else: a method that begins from
    /// matches, say. Hidden voxels are then those that it finds.
    pub open_coarse: Option<&'a OpenTile<'a>>,
    /// Where it runs.
    pub device: &'a Device,
    /// How the fixed grid is split.
    pub plan: &'a TilePlan,
}

/// Where the starts of tiles come from.
enum Starts<'a> {
    /// A field on the fixed grid.
    Whole(&'a Flow),
    /// The coarse pass.
    Coarse(Flow, Axes<usize>),
}

/// The starts of tiles, and where the coarse pass says that voxels are hidden.
struct Begun<'a> {
    starts: Starts<'a>,
    /// What the moving image is compared as.
    brightness: Option<LinearBrightness>,
    occlusion: Option<Volume<f32>>,
    /// The linear map that the coarse pass began from, on the pair's own grid.
    linear_start: Option<VoxelAffine>,
}

/// Most tiles run first to measure shared decisions.
const MOST_ASKED: usize = 4;

/// Voxels that an image must have around a position to be sampled there: the reach of a spline and of a derivative.
const SAMPLING_VOX: usize = 4;

impl Tiled<'_> {
    /// Estimates the flow of a pair; the determinant is always given.
    ///
    /// # Errors
    /// As [`PairMethod::run_with`].
    pub fn run(&self, pair: &Pair<'_>, extras: FlowExtras) -> Result<DenseFlow> {
        let mut found = self.find(pair)?;
        let (measured, room) = (pair.volume_mask.or(pair.mask), self.plan.slab_samples());
        let moving = extras.warped.then_some((pair.moving, Interpolation::CubicSpline));
        field::measure(self.device, &mut found, measured, moving, room)?;
        Ok(found)
    }

    fn find(&self, pair: &Pair<'_>) -> Result<DenseFlow> {
        let (grid, boxed) = (pair.fixed.grid(), BoxedPair::from(pair));
        require_one_grid(&boxed)?;
        let solve = || {
            let maps = match with_contrast(intensities(self.device, &boxed, grid.len())?) {
                Ok(maps) => maps,
                Err(why) => return no_content(grid, why),
            };
            let progress = TileProgress::new(self.plan.worked_voxels());
            let is_exact = self.plan.exact && self.plan.coarse.is_some();
            if is_exact {
                self.solve_exactly(pair, maps, &progress)
            } else {
                self.solve(&boxed, maps[0], &progress)
            }
        };
        self.device.scope(|| self.device.serialised(solve))
    }

    /// The flow of a pair by this plan: of the whole at once, or in tiles that start from a coarse pass.
    fn solve(&self, pair: &BoxedPair<'_>, map: IntensityMap, progress: &TileProgress) -> Result<DenseFlow> {
        let Some(coarse) = &self.plan.coarse else { return self.solve_whole(pair, map, progress) };
        let grid = pair.fixed.grid();
        let Begun { starts, brightness, occlusion, linear_start } =
            self.begin(pair, coarse, map, progress)?;
        let mut mosaic = Mosaic::new(grid);
        let moving = InBrightness { image: pair.moving, brightness };
        let mut account = self.solve_tiles(&moving.of(pair), &starts, map, progress, &mut mosaic)?;
        account.brightness = brightness;
        let (flow, confidence, seams) = mosaic.finish(grid)?;
        let mut tiled = DenseFlow::bare(flow, confidence, account.finish(self.plan, seams));
        tiled.linear_start = linear_start;
        if let Starts::Coarse(_, shrinking) = starts {
            tiled.occlusion = occlusion.map(|small| coarse::repeated(&small, shrinking, grid));
        }
        Ok(tiled)
    }

    /// What tiles start from: a field that is given, or that of a coarse pass.
    fn begin<'p>(
        &self,
        pair: &BoxedPair<'p>,
        coarse: &CoarsePlan,
        map: IntensityMap,
        progress: &TileProgress,
    ) -> Result<Begun<'p>> {
        if let Start::Flow(start) = pair.start {
            pair.fixed.grid().require_same(start.grid(), "fixed image and start field")?;
            let starts = Starts::Whole(start);
            return Ok(Begun { starts, brightness: None, occlusion: None, linear_start: None });
        }
        let shrinking = coarse.shrinking;
        let mut found = {
            let [grid, moving_grid] = [pair.fixed.grid(), pair.moving.grid()];
            let is_on_one_grid = voxel_map(grid, moving_grid) == VoxelAffine::IDENTITY;
            let width_mm = coarse_width_mm(grid, shrinking.into_iter().max().unwrap_or(1));
            let of_moving = if is_on_one_grid {
                shrinking
            } else {
                crate::method::footprint::shrinking(moving_grid, width_mm)
            };
            let fill = 0.5 * (map.lower + map.upper);
            let room = (self.plan.device_bytes / 4) as usize;
            let fixed = coarse::shrink(self.device, pair.fixed, shrinking, fill, room)?;
            let moving = coarse::shrink(self.device, pair.moving, of_moving, fill, room)?;
            let mask = |mask: Option<&Mask>| mask.map(|mask| coarse::shrink_mask(mask, shrinking));
            let (mask, volume_mask) = (mask(pair.mask), mask(pair.volume_mask));
            let start = match pair.start {
                Start::Affine(start) => {
                    let factors = shrinking.map(|factor| factor as f64);
                    Start::Affine(rescaled(&start, [factors; 2]))
                }
                other => other,
            };
            let weight = pair.weight.map(|weight| coarse::shrink(self.device, weight, shrinking, 0.0, room));
            // Means of weights are weights, but for rounding.
            let weight = weight.transpose()?.map(|weight| weight.map(|w| w.clamp(0.0, 1.0)));
            let (mask, volume_mask, weight) = (mask.as_ref(), volume_mask.as_ref(), weight.as_ref());
            let small = BoxedPair { fixed: &fixed, moving: &moving, mask, volume_mask, weight, start };
            let Self { device, open_coarse, .. } = *self;
            let open =
                if coarse.plan.coarse.is_none() { open_coarse.unwrap_or(self.open) } else { self.open };
            Tiled { open, open_coarse, device, plan: &coarse.plan }.solve(&small, map, progress)?
        };
        // Its pieces have other sizes than those of tiles.
        self.device.release_kept();
        let occlusion = found.occlusion.take();
        let finer = shrinking.map(|factor| 1.0 / factor as f64);
        let linear_start = match pair.start {
            Start::Affine(given) => Some(given),
            _ => found.linear_start.map(|start| rescaled(&start, [finer; 2])),
        };
        let brightness = found.statistics.brightness.moving;
        Ok(Begun { starts: Starts::Coarse(found.flow, shrinking), brightness, occlusion, linear_start })
    }

    fn solve_whole(
        &self,
        pair: &BoxedPair<'_>,
        map: IntensityMap,
        progress: &TileProgress,
    ) -> Result<DenseFlow> {
        let device = self.device;
        let mut method = (self.open)(pair.fixed.grid())?;
        let frame = |image: &dyn ImageBoxes| -> Result<Frame> {
            let grid = image.grid();
            let samples = match image.samples(GridBox::all(grid.size()))? {
                Cow::Borrowed(samples) => device.upload_copy(samples)?,
                Cow::Owned(samples) => device.upload(samples)?,
            };
            Ok(Frame::of_part(device, grid, samples, map))
        };
        let (fixed, moving) = (frame(pair.fixed)?, frame(pair.moving)?);
        let region = ResidentRegion::upload(device, [pair.mask, pair.volume_mask], pair.weight)?;
        let region = region.lend();
        let mut start_flow = None;
        let start = pair.start.find([&fixed, &moving], region.mask, &mut start_flow)?;
        let linear_start = start.linear();
        let images = ImagePair { fixed: fixed.into(), moving: moving.into(), region, start };
        let portion = progress.of(pair.fixed.grid().len());
        let (images, brightness) = images.in_one_brightness(&*method)?;
        let found = device.control().portion(portion, || method.estimate(images))?;
        let mut found = DenseFlow { linear_start, ..found.finish(FlowExtras::default())? };
        note_brightness(brightness, &mut found.statistics);
        Ok(found)
    }

    /// Every tile into a mosaic; the account of all.
    fn solve_tiles(
        &self,
        pair: &BoxedPair<'_>,
        starts: &Starts<'_>,
        map: IntensityMap,
        progress: &TileProgress,
        mosaic: &mut Mosaic,
    ) -> Result<Account> {
        let (images, mut run) = self.begin_tiles(pair, starts, map, progress)?;
        self.walk(
            0..self.plan.count(),
            &images,
            starts,
            |_| None,
            |next| {
                run.take(next, |core, estimated, found, shift| {
                    mosaic.add_found(core, estimated, &found, shift);
                    Ok(())
                })
            },
        )?;
        Ok(run.account)
    }

    /// What tiles see, and what estimates them.
    fn begin_tiles<'r>(
        &'r self,
        pair: &'r BoxedPair<'r>,
        starts: &'r Starts<'r>,
        map: IntensityMap,
        progress: &'r TileProgress,
    ) -> Result<(TileImages<'r>, TileRun<'r>)> {
        let grid = pair.fixed.grid();
        let local = grid_of(GridBox::all(self.plan.tile_size), grid, grid.origin_mm())?;
        let run = TileRun {
            device: self.device,
            method: (self.open)(&local)?,
            pair,
            map,
            local: local.clone(),
            starts,
            progress,
            account: Account::default(),
        };
        Ok((TileImages::new(pair, local), run))
    }

    /// What the method decides by numbers of the whole image is decided once, by the mean of a few tiles all over it.
    fn settle_shared_scalars(&self, run: &mut TileRun<'_>, images: &TileImages<'_>) -> Result<()> {
        let Some(shared) = run.method.shared_scalars() else { return Ok(()) };
        shared.note();
        let count = self.plan.count();
        let asked = count.div_ceil(2).min(MOST_ASKED);
        for nth in 0..asked {
            // In the middle of each of so many equal parts of all tiles.
            let core = tile_cores(self.plan).nth((2 * nth + 1) * count / (2 * asked));
            let core = core.expect("a tile should lie among all");
            let tile = self.tile_of(&core);
            let start = |axis: usize| run.starts.component(tile, axis);
            let shift = images.moving.shift(core.inside(tile), tile, start).unwrap_or([0; 3]);
            let seen = images.seen(tile, shift, start)?;
            let portion = run.progress.of(0);
            self.device.control().portion(portion, || run.estimate(seen))?;
        }
        run.method.shared_scalars().into_iter().for_each(SharedScalars::settle);
        Ok(())
    }
}

impl Starts<'_> {
    /// The start of a tile, voxels; a start may have holes, where nothing is known.
    fn of(&self, tile: GridBox) -> Vec<Vec<f32>> {
        let grid = match self {
            Self::Coarse(flow, _) => flow.grid(),
            Self::Whole(flow) => flow.grid(),
        };
        (0..grid.dimension().count()).map(|axis| self.component(tile, axis)).collect()
    }

    /// One component of it.
    fn component(&self, tile: GridBox, axis: usize) -> Vec<f32> {
        let mut start = match self {
            Self::Coarse(flow, shrinking) => coarse::enlarge(flow, *shrinking, tile, axis),
            Self::Whole(flow) => tile.of(flow.component_vox(axis), flow.grid().size()),
        };
        start.iter_mut().filter(|v| !v.is_finite()).for_each(|v| *v = 0.0);
        start
    }
}

/// Checks that the moving image can be sampled from the fixed grid, on which the masks lie.
fn require_one_grid(pair: &BoxedPair<'_>) -> Result<()> {
    let grid = pair.fixed.grid();
    require_sampled(grid, pair.moving.grid())?;
    for (mask, what) in
        [(pair.mask, "fixed image and mask"), (pair.volume_mask, "fixed image and volume mask")]
    {
        mask.map_or(Ok(()), |mask| grid.require_same(mask.grid(), what))?;
    }
    Ok(())
}
