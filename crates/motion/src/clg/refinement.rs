//! The second stage of [`Clg`](crate::Clg) for pictures: where the robust estimate leaves images that match, the quadratic energy of
//! volumes goes on from it on the finest level.
//!
//! Robust penalisers, medians and smoothed images are there for outliers: occlusions, boundaries, changes of light. They
//! cost what they cost on images without: the median and the first-order smoothness flatten bends, and smoothing does not
//! commute with motion. Outliers raise the root of the mean squared mismatch more than anything else does, so one number
//! tells which estimator is the efficient one: 0.01 to 0.15 voxel without noise or occlusion, 0.3 and more on photographs.
//! It is the one number that the second stage waits for before its first warp.

use super::level::Progress;
use super::{Estimate, Stage};
use crate::error::Result;
use crate::steps::image_pyramids::{ImagePyramids, Preparation, RawImages};

impl Stage {
    /// Goes on from an estimate whose images match, and says whether they did; any other stays as it is.
    pub(super) fn refine(
        &mut self,
        estimate: &mut Estimate,
        images: RawImages<'_>,
        most_mismatch: f64,
    ) -> Result<bool> {
        let device = self.device.clone();
        // Noise was looked at by the first stage.
        let preparation = Preparation { noise: None, ..self.params.preparation() };
        let mut pyramids = ImagePyramids::new(&device, preparation, images, &self.levels, 0)?;
        let images = pyramids.take(&self.levels[0])?;
        let before = pyramids.before;
        let limits = self.warp_limits(0);
        let mut level = self.level(0, &images)?;
        level.warp(&images, &estimate.displacement)?;
        let mismatch2 = level.mismatch2(&images)?.get(&device)?;
        if level.number(mismatch2).sqrt() >= most_mismatch {
            return Ok(false);
        }
        // The plan did not know of this level: its work counts as done.
        let nth = estimate.runs.len() + 1;
        let progress = Progress { level: nth, levels: nth, before: 1.0, own: 0.0, all: 1.0 };
        estimate.runs.push(level.run(&images, &mut estimate.displacement, limits, &progress)?);
        (estimate.images, estimate.before) = (images, before);
        Ok(true)
    }
}
