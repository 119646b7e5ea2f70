//! Local methods in tiles: coarse levels over the whole grid, finer ones part by part, the bits of a run over the whole grid.
//!
//! A part holds all that its core's vectors depend on ([`Tiling::Local`](crate::Tiling)); positions count from the whole grid's
//! first voxel ([`Cut`]), and levels of pyramids and starts of finer levels are cut out of what the whole grid would have.

use super::account::{Account, TileAccount, TileProgress};
use super::mosaic::{Core, TileSeams};
use super::plan::{MOST_MOVING, SHORTEST_CORE, TilePlan};
use super::shrunk_levels::{Open, Samples, shrunk};
use super::{Tiled, tile_cores};
use crate::error::Result;
use crate::method::local_method::LocalMethod;
use crate::method::pair::Pair;
use crate::method::pending_flow::DenseFlow;
use crate::steps::buffers::written;
use crate::steps::image_pyramids::{LevelImages, Preparation, preparation_vox};
use crate::steps::intensity::IntensityMap;
use crate::steps::pyramid::{LevelGeometry, pyramid, transferred};
use veloxel_core::{BrightnessReport, Flow, FlowStatistics, GridBox, Mask, Shape, Volume};
use veloxel_gpu::{Buffer, Device, Field};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::brightness::AbsoluteDifference;
use veloxel_kernels::image::resample::{PartOf, resample_part};
use veloxel_kernels::image::warp::{Border, Cut};

/// Both images and the mask of a level, on the host.
struct HostLevel<'a> {
    images: [Samples<'a>; 2],
    mask: Option<Samples<'a>>,
}

/// What is found on a level: the displacement, and on the finest level the confidence.
struct HostField {
    displacement: Vec<Vec<f32>>,
    confidence: Vec<f32>,
    /// Σ |I_t| of the finest level's warped images, and number of voxels.
    after: (f64, f64),
}

/// One run.
struct LocalRun<'a> {
    device: &'a Device,
    method: &'a mut dyn LocalMethod,
    levels: Vec<LevelGeometry>,
    preparation: Preparation,
    progress: &'a TileProgress,
}

impl Tiled<'_> {
    /// The flow of a pair, of a plan whose tiles are exact.
    pub(super) fn solve_exactly(
        &self,
        pair: &Pair<'_>,
        intensities: [IntensityMap; 2],
        progress: &TileProgress,
    ) -> Result<DenseFlow> {
        let grid = pair.fixed.grid();
        let mut opened = (self.open)(grid)?;
        let method = opened.local().expect("a method with exact tiles should run level by level");
        let maps = method.maps(intensities);
        let (levels, preparation) = (method.levels().to_vec(), method.preparation());
        let images = [(pair.fixed, maps[0]), (pair.moving, maps[1])].map(|(image, map)| Samples {
            open: Some(Open { map, presmooth: preparation.presmooth }),
            ..Samples::new(image.data(), image.grid().size())
        });
        let weight = counting(pair.mask, pair.weight.filter(|_| method.weighs()));
        let finest = HostLevel { images, mask: weight.map(|weight| Samples::new(weight, grid.size())) };
        let mut run = LocalRun { device: self.device, method, levels, preparation, progress };
        let room = (self.plan.device_bytes / 4) as usize;
        let start = {
            let plans: Vec<&TilePlan> = self.plan.passes().collect();
            let mut coarser: Vec<HostLevel<'_>> = Vec::new();
            for nth in 1..plans.len() {
                let next = run.shrunk(nth, coarser.last().unwrap_or(&finest), room)?;
                coarser.push(next);
            }
            let coarsest = coarser.pop().expect("a plan in tiles should have a coarse pass");
            let mut found = run.whole(plans.len() - 1, coarsest)?;
            for nth in (1..plans.len() - 1).rev() {
                let level = coarser.pop().expect("a level in tiles should have its images");
                found = run.tiles(nth, plans[nth], &level, &found)?.displacement;
            }
            found
        };
        self.device.release_kept();
        let before = before(pair, finest.mask.as_ref(), maps);
        let found = run.tiles(0, self.plan, &finest, &start)?;
        let HostField { displacement, confidence, after } = found;
        let mean = |(sum, count): (f64, f64)| if count > 0.0 { sum / count } else { 0.0 };
        let brightness =
            BrightnessReport { mean_abs_before: mean(before), mean_abs_after: mean(after), moving: None };
        let mut account = Account::default();
        account
            .add(&TileAccount::of(&FlowStatistics { brightness, ..FlowStatistics::default() }), grid.len());
        let (flow, confidence) =
            (Flow::new(grid.clone(), displacement)?, Volume::new(grid.clone(), confidence)?);
        Ok(DenseFlow::bare(flow, confidence, account.finish(self.plan, TileSeams::default())))
    }
}

/// How much data count: the weight image within the mask; none: all alike.
fn counting(mask: Option<&Mask>, weight: Option<&Volume<f32>>) -> Option<Vec<f32>> {
    let Some(mask) = mask else { return weight.map(|weight| weight.data().to_vec()) };
    let of_mask = mask.data().iter().map(|&counts| f32::from(u8::from(counts)));
    Some(match weight {
        Some(weight) => weight.data().iter().zip(of_mask).map(|(weight, mask)| weight * mask).collect(),
        None => of_mask.collect(),
    })
}

/// Σ |moving − fixed| of mapped intensities where data count, and number of voxels.
fn before(pair: &Pair<'_>, weight: Option<&Samples<'_>>, maps: [IntensityMap; 2]) -> (f64, f64) {
    let [fixed, moving] = maps.map(|map| map.gain_and_offset());
    let counts = |i: usize| weight.is_none_or(|weight| weight.data[i] > 0.0);
    let samples = pair.fixed.data().iter().zip(pair.moving.data()).enumerate();
    samples.filter(|(i, _)| counts(*i)).fold((0.0, 0.0), |(sum, count), (_, (f, m))| {
        let difference = (moving.0 * m + moving.1) - (fixed.0 * f + fixed.1);
        (sum + f64::from(difference.abs()), count + 1.0)
    })
}

impl LocalRun<'_> {
    /// Level `nth` from the next finer one.
    fn shrunk(&self, nth: usize, finer: &HostLevel<'_>, room: usize) -> Result<HostLevel<'static>> {
        let levels = [&self.levels[nth - 1], &self.levels[nth]];
        let shrink = |image: &Samples<'_>| -> Result<Samples<'static>> {
            Ok(Samples::new(shrunk(self.device, image, levels, room)?, levels[1].shape.size))
        };
        let [fixed, moving] = &finer.images;
        let mask = finer.mask.as_ref().map(shrink).transpose()?;
        Ok(HostLevel { images: [shrink(fixed)?, shrink(moving)?], mask })
    }

    /// From the coarsest level to level `last`, over the whole grid.
    fn whole(&mut self, last: usize, images: HostLevel<'_>) -> Result<Vec<Vec<f32>>> {
        let (device, levels) = (self.device, &self.levels[last..]);
        let pyramid_of =
            |samples: Samples<'_>| pyramid(device, device.upload(samples.data.into_owned())?, levels);
        let [fixed, moving] = images.images.map(pyramid_of);
        let (mut fixed, mut moving) = (fixed?, moving?);
        let mut mask = images.mask.map(pyramid_of).transpose()?.unwrap_or_default();
        let coarsest = levels[levels.len() - 1].shape;
        let mut displacement = device.zeros_field(coarsest.components(), coarsest.len())?;
        for (nth, level) in levels.iter().enumerate().rev() {
            let shape = level.shape;
            if nth + 1 < levels.len() {
                displacement = transferred(device, &displacement, &levels[nth + 1], level)?;
            }
            let image = |pyramid: &mut Vec<Buffer>| pyramid.pop().expect("a level should have its images");
            let pair = [(image(&mut fixed), shape), (image(&mut moving), shape)];
            let images = LevelImages {
                mask: mask.pop(),
                ..LevelImages::new(device, self.preparation.interpolation, pair)?
            };
            self.method.run_level(last + nth, level, &images, &mut displacement)?;
        }
        self.step(levels[0].shape.len())?;
        displacement.into_iter().map(|component| Ok(device.download(component)?)).collect()
    }

    fn step(&self, voxels: usize) -> Result<()> {
        let control = self.device.control();
        Ok(control.portion(self.progress.of(voxels), || control.step(1.0, [None; 2]))?)
    }

    /// A level in tiles, from the displacement of the next coarser one.
    fn tiles(
        &mut self,
        nth: usize,
        plan: &TilePlan,
        images: &HostLevel<'_>,
        coarser: &[Vec<f32>],
    ) -> Result<HostField> {
        let shape = self.levels[nth].shape;
        let volume = || vec![0.0; shape.len()];
        let mut found = HostField {
            displacement: (0..shape.components()).map(|_| volume()).collect(),
            confidence: if nth == 0 { volume() } else { Vec::new() },
            after: (0.0, 0.0),
        };
        for core in tile_cores(plan) {
            core.in_pieces(|core| {
                let tile = tile_of(&core, plan);
                let start = self.start(nth, tile, coarser);
                let moving = self.reached(nth, tile, &start);
                let is_large =
                    moving.len() as f64 > MOST_MOVING * plan.tile_size.iter().product::<usize>() as f64;
                if let (true, Some(axis)) = (is_large, core.longest_axis(2 * SHORTEST_CORE)) {
                    return Ok(Some(axis));
                }
                self.tile(nth, core, [tile, moving], images, start, &mut found)?;
                self.step(tile.len())?;
                Ok(None)
            })?;
        }
        Ok(found)
    }

    /// What a tile starts with, edges.
    fn start(&self, nth: usize, tile: GridBox, coarser: &[Vec<f32>]) -> Vec<Vec<f32>> {
        let [to, from] = [nth, nth + 1].map(|nth| &self.levels[nth]);
        let factor = (from.edge_mm / to.edge_mm) as f32;
        let part = PartOf { whole: to.shape.size, begin: tile.begin, size: tile.size };
        let source = part.source(from.shape.size);
        let seen = GridBox { begin: source.begin, size: source.size };
        let component = |c: &Vec<f32>| resample_part(&seen.of(c, from.shape.size), source, part, factor);
        coarser.iter().map(component).collect()
    }

    /// The part of the moving image that a tile may sample.
    fn reached(&self, nth: usize, tile: GridBox, start: &[Vec<f32>]) -> GridBox {
        let (level, drift) = (&self.levels[nth], self.method.drift_edges(nth));
        let pad = preparation_vox(self.preparation) as isize + 1;
        let mut out = tile;
        for (a, component) in start.iter().enumerate() {
            let (least, most) = component.iter().fold((0.0f32, 0.0f32), |(l, m), &v| (l.min(v), m.max(v)));
            let spacing = level.spacing_edges[a];
            let low = ((least - drift) / spacing).floor() as isize;
            let high = ((most + drift) / spacing).ceil() as isize;
            let n = level.shape.size[a] as isize;
            let [begin, end] = [tile.begin[a], tile.begin[a] + tile.size[a]].map(|x| x as isize);
            let first = ((begin + low).clamp(0, n - 1) - pad).max(0);
            let last = ((end - 1 + high).clamp(0, n - 1) + pad).min(n - 1);
            (out.begin[a], out.size[a]) = (first as usize, (last + 1 - first) as usize);
        }
        out
    }

    /// Estimates in one tile, and keeps what its core holds.
    fn tile(
        &mut self,
        nth: usize,
        core: Core,
        [tile, seen]: [GridBox; 2],
        images: &HostLevel<'_>,
        start: Vec<Vec<f32>>,
        found: &mut HostField,
    ) -> Result<()> {
        let (device, whole) = (self.device, &self.levels[nth]);
        let like = whole.shape;
        let geometry = LevelGeometry { shape: Shape { size: tile.size, ..like }, ..whole.clone() };
        let part = |nth: usize, part: GridBox| -> Result<(Buffer, Shape)> {
            Ok((images.images[nth].part(device, part, like)?, Shape { size: part.size, ..like }))
        };
        let pair = [part(0, tile)?, part(1, seen)?];
        let mask = images.mask.as_ref().map(|mask| mask.part(device, tile, like)).transpose()?;
        let cut = Cut { fixed_begin: tile.begin, moving_begin: seen.begin, moving_whole: like.size };
        let images = LevelImages {
            mask,
            cut: Some(cut),
            ..LevelImages::new(device, self.preparation.interpolation, pair)?
        };
        let mut displacement: Field =
            start.into_iter().map(|c| device.upload(c)).collect::<Result<_, _>>()?;
        let confidence = self.method.run_level(nth, &geometry, &images, &mut displacement)?;
        let inner = core.inside(tile);
        let own = GridBox { begin: core.begin, size: inner.size };
        if nth == 0 {
            let (sum, count) = self.after(&geometry, inner, &images, &displacement)?;
            found.after = (found.after.0 + sum, found.after.1 + count);
        }
        let keep =
            |samples: &[f32], out: &mut [f32]| own.copy_from(like.size, out, inner, tile.size, samples);
        for (component, out) in displacement.into_iter().zip(&mut found.displacement) {
            keep(&device.download(component)?, out);
        }
        if let Some(confidence) = confidence {
            keep(&device.download(confidence)?, &mut found.confidence);
        }
        Ok(())
    }

    /// Σ |I_t| of a tile's core at a displacement in voxels, and number of voxels.
    fn after(
        &self,
        geometry: &LevelGeometry,
        inner: GridBox,
        images: &LevelImages,
        displacement: &[Buffer],
    ) -> Result<(f64, f64)> {
        let (device, shape) = (self.device, geometry.shape);
        let in_voxels = LevelGeometry { spacing_edges: [1.0; 3], ..geometry.clone() };
        let warped = written(device, shape.len(), |out| {
            images.warp(device, &in_voxels, Border::Centres, displacement, out)
        })?;
        let mut weight = vec![0.0; shape.len()];
        let mask = images.mask.as_ref().map(|mask| device.read(mask)).transpose()?;
        for i in inner.rows(shape.size).flatten() {
            weight[i] = mask.as_ref().map_or(1.0, |mask| mask[i]);
        }
        let weight = device.upload(weight)?;
        let difference = AbsoluteDifference { fixed: &images.fixed, warped: &warped, weight: Some(&weight) };
        Ok(difference.run(device)?.get(device)?)
    }
}

/// A core and all that its vectors depend on; whole tiles have one size.
fn tile_of(core: &Core, plan: &TilePlan) -> GridBox {
    let mut tile = GridBox { begin: [0; 3], size: plan.tile_size };
    for a in 0..3 {
        let (n, halo) = (plan.grid_size[a], plan.overlap_vox);
        let [first, end] = [core.begin[a].saturating_sub(halo), (core.end[a] + halo).min(n)];
        let is_half = core.end[a] - core.begin[a] < n / plan.tiles[a];
        let size = if is_half { end - first } else { plan.tile_size[a].max(end - first) };
        (tile.begin[a], tile.size[a]) = (first.min(n - size), size);
    }
    tile
}
