//! How well a level's images match at a displacement: what its warps begin with, and what decides whether there is a next one.
//!
//! *Order*: each number that the host decides by stops a GPU until it has come. All that a warp asks therefore comes in one transfer, and
//! the images are warped before it is known whether cells of the displacement fold, which is rare: where some do, the displacement changes
//! and the images are warped again.

use super::diagnostics::{Compared, WarpRun};
use super::level::ClgLevel;
use super::weights::Weights;
use crate::steps::image_pyramids::LevelImages;
use crate::steps::level_steps::unfolding::Taken;
use veloxel_gpu::{Buffer, ComputeError, Field, Later, Pending, fetch};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::warp::Border;
use veloxel_kernels::variational::motion_tensor::Mismatch;

/// A number as one of several that are read in one transfer.
fn pending<T>(number: &mut Later<T>) -> &mut dyn Pending {
    number
}

impl ClgLevel<'_> {
    /// Compares the images at the displacement that the level begins with, smoothed where it folds.
    pub(super) fn compare_first(
        &mut self,
        images: &LevelImages,
        displacement: &mut Field,
    ) -> Result<Compared, ComputeError> {
        let mut folds = self.bound_start(displacement)?;
        if folds.as_ref().is_some_and(|folds| folds.peek().is_some()) {
            self.unfold_start(displacement, folds.take())?;
        }
        let mut compared = self.compare(images, displacement)?;
        let numbers = [folds.as_mut().map(pending), compared.mismatch2.as_mut().map(pending)];
        fetch(self.device, None, numbers.into_iter().flatten().collect())?;
        if self.unfold_start(displacement, folds)? {
            compared = self.compare(images, displacement)?;
        }
        Ok(compared)
    }

    /// Takes the last warp's change as far as no cell folds, and compares the images there, unless the level is over. What is asked of
    /// the device then comes in one transfer: cells that fold, whether there is a next warp, and what that one needs to know.
    pub(super) fn compare_next(
        &mut self,
        images: &LevelImages,
        displacement: &mut Field,
        report: &mut WarpRun,
        over: bool,
    ) -> Result<Option<Compared>, ComputeError> {
        let mut folds = self.bound_change(displacement)?;
        if folds.as_ref().is_some_and(|folds| folds.peek().is_some()) {
            report.taken = self.keep_cells(displacement, folds.take())?;
        }
        let mut next = (!over).then(|| self.compare(images, displacement)).transpose()?;
        let mut numbers: Vec<&mut dyn Pending> = folds.as_mut().map(pending).into_iter().collect();
        if self.params.warp_tol > 0.0 {
            numbers.push(&mut report.mean_increment_vox);
        }
        if let Some(next) = &mut next {
            numbers.extend(next.mismatch2.as_mut().map(pending));
            if self.asks_gain() {
                numbers.extend([pending(&mut report.difference), pending(&mut next.difference)]);
            }
        }
        fetch(self.device, None, numbers)?;
        let Some(folds) = folds else { return Ok(next) };
        report.taken = self.keep_cells(displacement, Some(folds))?;
        if next.is_some() && report.taken != Some(Taken::Whole) {
            next = Some(self.compare(images, displacement)?);
        }
        Ok(next)
    }

    /// Whether a warp must lower the difference of the images; what it does for the volume does not show in them.
    fn asks_gain(&self) -> bool {
        self.params.least_gain > 0.0 && self.memory.volume_weight.is_empty()
    }

    /// Whether a warp has lowered the difference of the images as much as a next one needs.
    pub(super) fn gains(
        &mut self,
        warp: &mut WarpRun,
        next: Option<&mut Compared>,
    ) -> Result<bool, ComputeError> {
        let Some(next) = next.filter(|_| self.asks_gain()) else { return Ok(true) };
        fetch(self.device, None, vec![&mut warp.difference, &mut next.difference])?;
        let mean = |number: &Later<(f64, f64)>| {
            let (sum, voxels) = number.peek().expect("a number that was fetched should be known");
            sum / voxels.max(1.0)
        };
        let [before, after] = [mean(&warp.difference), mean(&next.difference)].map(|m| self.number(m));
        Ok(after <= before * (1.0 - self.params.least_gain))
    }

    /// Warps, and asks how well the images match.
    fn compare(&mut self, images: &LevelImages, displacement: &[Buffer]) -> Result<Compared, ComputeError> {
        self.warp(images, displacement)?;
        let follows = self.params.alpha_mismatch > 0.0;
        Ok(Compared {
            difference: self.difference(images)?,
            mismatch2: follows.then(|| self.mismatch2(images)).transpose()?,
        })
    }

    /// Samples the moving image at the present displacement into `self.memory.warped`.
    pub fn warp(&mut self, images: &LevelImages, displacement: &[Buffer]) -> Result<(), ComputeError> {
        images.warp(self.device, self.geometry, Border::Centres, displacement, &mut self.memory.warped[0])
    }

    /// Σ |I_t| of the images last warped, and number of voxels.
    pub fn difference(&self, images: &LevelImages) -> Result<Later<(f64, f64)>, ComputeError> {
        images.difference(self.device, &self.memory.warped[0])
    }

    /// Mean squared distance, edges², by which the images last warped still miss each other.
    pub(crate) fn mismatch2(&self, images: &LevelImages) -> Result<Later<f64>, ComputeError> {
        let (zeta, warped) = (Weights::fixed(self.params).zeta, &self.memory.warped[0]);
        let brightness = [(&images.fixed, warped)];
        let term = self.params.data_term(self.geometry, zeta, &brightness, images.mask.as_ref());
        Mismatch { term }.run(self.device)
    }
}
