//! Pairs of pictures that are worked on together: a stack whose slices stand alone ([`ElementCover::Slices`]), in the same launches.
//!
//! Every picture is mapped to its own pair's range before it is laid into the stack, where nothing is mapped again: flows and
//! confidences are those of the pairs one by one, bit by bit. What is said of the lattices is left out.

use super::FiniteElements;
use super::parameters::{ElementCover, FiniteElementsParams};
use crate::error::Result;
use crate::method::pair::ImagePair;
use crate::method::pending_account::MethodAccount;
use crate::method::pending_flow::{FoundFlow, PendingFlow};
use crate::method::resident::{DataRegion, ResidentFlow, ResidentMask, ResidentStart};
use crate::steps::buffers::{copied_run, stacked};
use crate::steps::choices::IntensityMapping;
use crate::steps::frame::{Frame, FrameSource};
use crate::steps::intensity::IntensityMap;
use crate::steps::moving_image::voxel_map;
use veloxel_core::{Dimension, Grid};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::image::warp::VoxelAffine;

/// Pixels of a batch on a GPU, which one picture does not fill; and on a processor, whose caches it should not leave.
const BATCH_PIXELS: [usize; 2] = [1 << 22, 1 << 16];

/// The method opened for so many pictures at once.
#[derive(Debug)]
pub(super) struct Batch {
    count: usize,
    stack: FiniteElements,
}

impl FiniteElements {
    /// How many pictures fill the device.
    pub(super) fn batch_size(&self) -> usize {
        match self.grid.dimension() {
            // Local normalisation measures the contrast of all that it is given.
            Dimension::Two if self.params.lcc_sigma == 0.0 => {
                (BATCH_PIXELS[usize::from(!self.device.is_gpu())] / self.grid.len()).max(1)
            }
            _ => 1,
        }
    }

    /// The flows of pairs that [`are_alike`]; those without content are told so each for itself.
    pub(super) fn together(&mut self, pairs: Vec<ImagePair<'_>>) -> Result<Vec<PendingFlow>> {
        let (device, grid) = (self.device.clone(), self.grid.clone());
        let maps = pairs.iter().map(|pair| self.intensity_map(pair)).collect::<Result<Vec<_>, _>>()?;
        let regions: Vec<DataRegion<'_>> = pairs.iter().map(|pair| pair.region).collect();
        let mut seen = Vec::with_capacity(pairs.len());
        for (pair, map) in pairs.into_iter().zip(&maps) {
            seen.extend(map.as_ref().ok().map(|&map| (pair, map)));
        }
        let mut found = match seen.len() {
            0 => Vec::new(),
            count => {
                let mut batch = match self.batch.take() {
                    Some(batch) if batch.count == count => batch,
                    _ => Box::new(Batch::new(self, count)?),
                };
                let found = batch.find(&device, seen)?;
                self.batch = Some(batch);
                split(&device, &grid, found, count)?
            }
        }
        .into_iter();
        let mut out = Vec::with_capacity(maps.len());
        for (map, region) in maps.into_iter().zip(regions) {
            out.push(match map {
                Ok(_) => {
                    let own = found.next().expect("every pair with content should have a flow");
                    PendingFlow::new(&device, own, region.measured())?
                }
                Err(why) => PendingFlow::no_content(&device, &grid, why)?,
            });
        }
        Ok(out)
    }
}

/// Whether pairs can be laid above each other: images on one grid, starts of one kind, regions with the same parts.
pub(super) fn are_alike(pairs: &[ImagePair<'_>]) -> bool {
    let kind = |pair: &ImagePair<'_>| {
        let DataRegion { mask, weight, .. } = pair.region;
        (pair.start.flow().is_some(), mask.is_some(), weight.is_some())
    };
    let Some(first) = pairs.first() else { return false };
    pairs.iter().all(|pair| {
        let grids = [&pair.fixed, &pair.moving].map(|image| image.frame().grid());
        let is_plain = pair.start.affine() == VoxelAffine::IDENTITY && kind(pair) == kind(first);
        is_plain && voxel_map(grids[0], grids[1]) == VoxelAffine::IDENTITY
    })
}

impl Batch {
    fn new(one: &FiniteElements, count: usize) -> Result<Self> {
        let [nx, ny, _] = one.grid.size();
        let grid = Grid::volume(nx, ny, count)?.with_spacing_mm(one.grid.spacing_mm())?;
        let params = FiniteElementsParams {
            cover: ElementCover::Slices,
            intensity: IntensityMapping::Raw,
            ..one.params.clone()
        };
        Ok(Self { count, stack: FiniteElements::new(&grid, params, &one.device)? })
    }

    fn find(&mut self, device: &Device, pairs: Vec<(ImagePair<'_>, IntensityMap)>) -> Result<FoundFlow> {
        let grid = self.stack.grid.clone();
        let (mut images, mut weights, mut starts) = ([Vec::new(), Vec::new()], Vec::new(), Vec::new());
        for (pair, map) in pairs {
            let ImagePair { fixed, moving, region, start } = pair;
            for (all, image) in images.iter_mut().zip([fixed, moving]) {
                all.push(image.mapped(map)?);
            }
            weights.extend(region.counting(device)?);
            starts.extend(start.flow());
        }
        let [fixed, moving] = images;
        let frame = |all: &[Buffer]| -> Result<FrameSource<'_>> {
            let samples = stacked(device, all)?;
            Ok(FrameSource::Owned(Frame::of_part(device, &grid, samples, IntensityMap::IDENTITY)))
        };
        let weight = (!weights.is_empty()).then(|| stacked(device, &weights)).transpose()?;
        let weight = weight.map(|weight| ResidentMask { grid: grid.clone(), weight });
        let start = stacked_start(device, &grid, &starts)?;
        let pair = ImagePair {
            fixed: frame(&fixed)?,
            moving: frame(&moving)?,
            region: DataRegion { weight: weight.as_ref(), ..DataRegion::default() },
            start: start.as_ref().map_or(ResidentStart::Zero, ResidentStart::Flow),
        };
        drop((fixed, moving));
        self.stack.find(pair, IntensityMap::IDENTITY)
    }
}

/// The fields above each other, with a component across that is zero.
fn stacked_start(device: &Device, grid: &Grid, starts: &[&ResidentFlow]) -> Result<Option<ResidentFlow>> {
    if starts.is_empty() {
        return Ok(None);
    }
    let component = |c: usize| {
        let all: Vec<&Buffer> = starts.iter().map(|flow| &flow.components_vox[c]).collect();
        stacked(device, &all)
    };
    let components_vox = vec![component(0)?, component(1)?, device.zeros(grid.len())?];
    Ok(Some(ResidentFlow { grid: grid.clone(), components_vox }))
}

/// What was found of every picture of a stack.
fn split(device: &Device, grid: &Grid, found: FoundFlow, count: usize) -> Result<Vec<FoundFlow>> {
    let part = |from: &Buffer, nth: usize| copied_run(device, from, nth, grid.len());
    let one = |nth: usize| -> Result<FoundFlow> {
        let components = &found.flow.components_vox[..grid.dimension().count()];
        let components_vox = components.iter().map(|c| part(c, nth)).collect::<Result<_, _>>()?;
        Ok(FoundFlow::new(grid, components_vox, part(&found.confidence, nth)?, MethodAccount::default()))
    };
    (0..count).map(one).collect()
}
