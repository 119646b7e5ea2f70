//! The second stage of [`Clg`] for pictures: where the robust estimate leaves images that match, the quadratic energy of
//! volumes goes on from it on the finest level.
//!
//! Robust penalisers, medians and smoothed images are there for outliers: occlusions, boundaries, changes of light. They
//! cost what they cost on images without: the median and the first-order smoothness flatten bends, and smoothing does not
//! commute with motion. Outliers raise the root of the mean squared mismatch more than anything else does, so one number
//! tells which estimator is the efficient one: 0.01 to 0.15 voxel without noise or occlusion, 0.3 and more on photographs.

use crate::clg::{Clg, FlowOutput, Pair, Start};
use crate::clg_images::Images;
use crate::clg_level::{Level, LevelImages};
use crate::prepare::IntensityMap;
use crate::{MotionError, Observer, Step};
use veloxel_compute::Field;
use veloxel_compute::kernels::total_displacement::from_voxels;
use veloxel_compute::kernels::warp::VoxelAffine;
use veloxel_core::{Flow, Warnings};

impl Clg {
    /// The estimate, refined if its images match; the warnings are those known before the first stage.
    pub(crate) fn refine(
        &self,
        pair: &Pair<'_>,
        (map, warnings): (IntensityMap, Warnings),
        observer: &dyn Observer,
        estimate: FlowOutput,
    ) -> Result<FlowOutput, MotionError> {
        let Some(params) = self.params.refinement() else { return Ok(estimate) };
        let second = Self {
            device: self.device.clone(),
            params,
            grid: self.grid.clone(),
            levels: self.levels[..1].to_vec(),
        };
        if second.mismatch_vox(pair, map, &estimate.flow)? >= self.params.refine_mismatch {
            return Ok(estimate);
        }
        let pair = Pair { start: Start::Flow(&estimate.flow), ..*pair };
        let observer = AfterAll { observer, levels: estimate.statistics.levels.len() };
        let mut output = second.run_one_way(&pair, (map, warnings), &observer)?;
        let statistics = &mut output.statistics;
        statistics.brightness.mean_abs_before = estimate.statistics.brightness.mean_abs_before;
        statistics.levels.splice(..0, estimate.statistics.levels);
        Ok(output)
    }

    /// Root of the mean squared distance by which the images warped by a flow still miss each other.
    fn mismatch_vox(&self, pair: &Pair<'_>, map: IntensityMap, flow: &Flow) -> Result<f64, MotionError> {
        let (device, finest) = (&self.device, &self.levels[0]);
        let mut images = Images::new((device, &self.params), pair, (map, &self.levels))?;
        let (fixed, moving, [mask, _]) = images.take(0, (device, finest.shape, &self.params))?;
        let images = LevelImages {
            fixed: &fixed,
            moving: &moving,
            mask: mask.as_ref(),
            moving_from_fixed: VoxelAffine::IDENTITY,
        };
        let mut field: Field = flow.components_vox().iter().map(|c| device.upload(c.clone())).collect();
        from_voxels(device, (finest.shape, finest.spacing_edges), &mut field)?;
        let mut level = Level::new(device, &self.params, finest, None)?;
        level.warp(&images, &field)?;
        Ok(level.mismatch(&images)?.sqrt())
    }
}

/// Tells of a level after those that the plan knew.
struct AfterAll<'a> {
    observer: &'a dyn Observer,
    levels: usize,
}

impl Observer for AfterAll<'_> {
    fn step(&self, step: Step) {
        self.observer.step(Step { level: self.levels + 1, levels: self.levels + 1, done: 1.0, ..step });
    }
}
