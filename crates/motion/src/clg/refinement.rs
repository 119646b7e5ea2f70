//! The second stage of [`Clg`] for pictures: where the robust estimate leaves images that match, the quadratic energy of
//! volumes goes on from it on the finest level.
//!
//! Robust penalisers, medians and smoothed images are there for outliers: occlusions, boundaries, changes of light. They
//! cost what they cost on images without: the median and the first-order smoothness flatten bends, and smoothing does not
//! commute with motion. Outliers raise the root of the mean squared mismatch more than anything else does, so one number
//! tells which estimator is the efficient one: 0.01 to 0.15 voxel without noise or occlusion, 0.3 and more on photographs.
//! It is the one number that the second stage waits for before its first warp.

use super::images::{ImagePyramids, RawImages};
use super::level::{Level, Progress};
use super::parameters::ClgParams;
use super::{Clg, Estimate};
use crate::{MotionError, Observer};

impl Clg {
    /// Goes on from an estimate whose images match; any other stays as it is.
    pub(super) fn refine<'a>(
        &'a self,
        robust: Estimate<'a>,
        params: &'a ClgParams,
        images: RawImages<'_>,
        observer: &dyn Observer,
    ) -> Result<Estimate<'a>, MotionError> {
        let (device, geometry) = (&self.device, &self.levels[0]);
        let mut pyramids = ImagePyramids::new(device, params, images, &self.levels[..1])?;
        let images = pyramids.take(geometry.shape, robust.images.moving_from_fixed)?;
        let mut level = Level::new(device, params, geometry, &images)?;
        level.warp(&images, &robust.displacement)?;
        let mismatch = level.mismatch2(&images)?.get(device)?.sqrt();
        if mismatch >= self.params.refine_mismatch {
            return Ok(robust);
        }
        let Estimate { mut displacement, mut runs, .. } = robust;
        // The plan did not know of this level: its work counts as done.
        let nth = runs.len() + 1;
        let limits = params.finest_limits();
        let progress = Progress { observer, level: nth, levels: nth, before: 1.0, own: 0.0, all: 1.0 };
        runs.push(level.run(&images, &mut displacement, limits, &progress)?);
        Ok(Estimate { level, images, displacement, before: pyramids.before, runs })
    }
}
