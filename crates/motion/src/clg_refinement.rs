//! The second stage of [`Clg`] for pictures: where the robust estimate leaves images that match, the quadratic energy of
//! volumes goes on from it on the finest level.
//!
//! Robust penalisers, medians and smoothed images are there for outliers: occlusions, boundaries, changes of light. They
//! cost what they cost on images without: the median and the first-order smoothness flatten bends, and smoothing does not
//! commute with motion. Outliers raise the root of the mean squared mismatch more than anything else does, so one number
//! tells which estimator is the efficient one: 0.01 to 0.15 voxel without noise or occlusion, 0.3 and more on photographs.
//! It is the one number that the second stage waits for before its first warp.

use crate::clg::{Clg, Estimate, Region};
use crate::clg_images::Images;
use crate::clg_level::{Level, Progress};
use crate::clg_parameters::ClgParams;
use crate::frame::Source;
use crate::prepare::IntensityMap;
use crate::{MotionError, Observer};

impl Clg {
    /// Goes on from an estimate whose images match; any other stays as it is.
    pub(crate) fn refine<'a>(
        &'a self,
        (robust, params): (Estimate<'a>, &'a ClgParams),
        (sources, region): ([Source<'_>; 2], Region<'_>),
        (map, observer): (IntensityMap, &dyn Observer),
    ) -> Result<Estimate<'a>, MotionError> {
        let (device, finest) = (&self.device, &self.levels[..1]);
        let geometry = &finest[0];
        let mut pyramid = Images::new((device, params), (sources, region), (map, finest))?;
        let affine = robust.images.moving_from_fixed;
        let images = pyramid.take(0, (device, geometry.shape, params), affine)?;
        let mut level = Level::new(device, params, geometry, &images)?;
        level.warp(&images, &robust.displacement)?;
        let mismatch = level.mismatch2(&images)?.get(device)?.sqrt();
        if mismatch >= self.params.refine_mismatch {
            return Ok(robust);
        }
        let Estimate { mut displacement, mut runs, .. } = robust;
        // The plan did not know of this level: its work counts as done.
        let nth = runs.len() + 1;
        let progress = Progress { observer, level: nth, levels: nth, work: (1.0, 0.0, 1.0) };
        runs.push(level.run(&images, &mut displacement, (params.finest_limits(), &progress))?);
        Ok(Estimate { level, images, displacement, before: pyramid.before, runs })
    }
}
