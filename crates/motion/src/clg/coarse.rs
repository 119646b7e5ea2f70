//! Runs that end on a coarse level: nothing is done on the full grid that the coarse one can say.
//!
//! Both images shrink to the level that the run ends on before anything is asked of them: percentiles are those of that level,
//! and unknown samples show there, as every sample of the full grid is part of one. The step from the full grid to the next
//! level is the mean of what each of its voxels covers, unless the run ends there; smoothing, as between the other levels, would
//! take longer than the rest. The determinant is that of the level that the run ends on.

use super::{Clg, Stage};
use crate::error::Result;
use crate::method::pair::ImagePair;
use crate::method::pending_flow::{Determinant, PendingFlow};
use crate::method::resident::ResidentStart;
use crate::method::start::levels_used;
use crate::steps::buffers::resampled;
use crate::steps::choices::IntensityMapping;
use crate::steps::frame::{Frame, with_contrast};
use crate::steps::image_pyramids::ImagePyramids;
use crate::steps::intensity::IntensityMap;
use crate::steps::moving_image::voxel_map;
use crate::steps::pyramid::{LevelGeometry, shrink};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::Operation;
use veloxel_kernels::image::quantiles::FirstUnknown;
use veloxel_kernels::image::warp::VoxelAffine;

impl Stage {
    /// Whether the full grid need not be looked at.
    pub(super) fn begins_coarse(&self, pair: &ImagePair<'_>) -> bool {
        let on_one_grid =
            || voxel_map(pair.fixed.frame().grid(), pair.moving.frame().grid()) == VoxelAffine::IDENTITY;
        self.finest > 0
            && self.params.presmooth == 0.0
            && self.params.intensity == IntensityMapping::Percentiles
            && pair.region.mask.is_none()
            && pair.region.volume_mask.is_none()
            && matches!(pair.start, ResidentStart::Zero)
            && on_one_grid()
    }
}

impl Clg {
    /// The estimate of a pair that [begins coarse](Stage::begins_coarse).
    pub(super) fn estimate_coarse(&mut self, pair: &ImagePair<'_>) -> Result<PendingFlow> {
        let (stage, start) = (&mut self.first, pair.start);
        let (device, grid) = (stage.device.clone(), stage.grid.clone());
        pair.check_grids(&grid)?;
        let used = levels_used(start, stage.levels.len(), stage.finest);
        let levels = &stage.levels[..=stage.finest];
        let coarse = |frame: &Frame| CoarseImage::of(frame, levels);
        let (fixed, moving) = (pair.fixed.frame(), pair.moving.frame());
        let (fixed, moving) = device.join(|| coarse(fixed), || coarse(moving));
        let (mut fixed, mut moving) = (fixed?, moving?);
        if fixed.has_unknown || moving.has_unknown {
            // Says which voxel it is.
            pair.check(&grid)?;
        }
        let map = match with_contrast([fixed.map, moving.map]) {
            Ok([map, _]) => map,
            Err(why) => return PendingFlow::no_content(&device, &grid, why),
        };
        let (gain, offset) = map.gain_and_offset();
        for image in [&mut fixed, &mut moving] {
            Operation::MapAffine { gain, offset }.on(&mut image.samples).run(&device)?;
        }
        let images = [fixed.samples, moving.samples];
        let levels = &stage.levels[stage.finest..used];
        let preparation = stage.params.preparation();
        let pyramids = ImagePyramids::from_level(&device, preparation, images, levels, start.affine())?;
        let estimate = stage.estimate_on(pyramids, start)?;
        let LevelGeometry { shape, spacing_edges, .. } = stage.levels[stage.finest];
        let determinant = Determinant::of(&device, shape, spacing_edges, &estimate.displacement, None)?;
        let found = stage.conclude(estimate, start)?;
        PendingFlow::with_determinant(&device, found, determinant)
    }
}

/// An image on the level that the run ends on.
struct CoarseImage {
    samples: Buffer,
    has_unknown: bool,
    /// The map of intensities; none for an image of one value.
    map: Option<IntensityMap>,
}

impl CoarseImage {
    /// On the last of these levels.
    fn of(frame: &Frame, levels: &[LevelGeometry]) -> Result<Self> {
        let device = frame.device();
        let samples = mean_level(device, frame.samples(), levels)?;
        let unknown = FirstUnknown { image: &samples, weight: None }.run(device)?;
        let map = IntensityMap::percentiles(device, &samples, None)?;
        Ok(Self { has_unknown: unknown.get(device)?.is_some(), map, samples })
    }
}

/// An image on the last of these levels.
fn mean_level(device: &Device, image: &Buffer, levels: &[LevelGeometry]) -> Result<Buffer> {
    let [first, second] = [0, 1].map(|nth| levels[nth].shape);
    if levels.len() == 2 {
        // What is not smoothed shows on the level next to it.
        return Ok(shrink(device, image, first, second)?);
    }
    let mut out = resampled(device, image, [first, second])?;
    for pair in levels[1..].windows(2) {
        out = shrink(device, &out, pair[0].shape, pair[1].shape)?;
    }
    Ok(out)
}
