//! What is said about a pyramid level of [`Clg`](crate::Clg) and its warps, while the device may still be at them.

use crate::multigrid::Solving;
use veloxel_core::{LevelReport, StopReason, WarpReport};
use veloxel_gpu::{ComputeError, Device, Later, Pending, Stamp};

/// How well the images match that a warp begins with.
pub(crate) struct Compared {
    /// Σ |I_t| and number of voxels.
    pub difference: Later<(f64, f64)>,
    /// Mean squared distance, edges², where weights follow it.
    pub mismatch2: Option<Later<f64>>,
}

/// A warp that is asked for; what is said about it may still be on the way.
pub(crate) struct Warping {
    pub solving: Solving,
    pub mean_increment_vox: Later<f64>,
    /// Σ |I_t| and number of voxels.
    pub difference: Later<(f64, f64)>,
}

impl Warping {
    fn pending(&mut self) -> impl Iterator<Item = &mut dyn Pending> {
        let own: [&mut dyn Pending; 2] = [&mut self.mean_increment_vox, &mut self.difference];
        self.solving.pending().chain(own)
    }

    fn settle(self, device: &Device, mark: Option<&Stamp>) -> Result<WarpReport, ComputeError> {
        let solved = self.solving.settle_after(device, mark)?;
        let (sum, count) = self.difference.get_after(device, mark)?;
        Ok(WarpReport {
            relative_residuals: solved.relative_residuals,
            mean_increment_vox: self.mean_increment_vox.get_after(device, mark)?,
            mean_abs_difference: if count > 0.0 { sum / count } else { 0.0 },
            stop: solved.stop,
        })
    }
}

/// A level that is asked for.
pub(crate) struct LevelRun {
    pub size: [usize; 3],
    pub spacing_vox: [f64; 3],
    pub warps: Vec<Warping>,
    pub stop: StopReason,
    /// When the device began and ended it.
    pub span: [Stamp; 2],
}

impl LevelRun {
    /// The numbers that settling waits for.
    pub fn pending(&mut self) -> impl Iterator<Item = &mut dyn Pending> {
        self.warps.iter_mut().flat_map(Warping::pending)
    }

    pub fn settle(self, device: &Device, mark: Option<&Stamp>) -> Result<LevelReport, ComputeError> {
        let warps =
            self.warps.into_iter().map(|warp| warp.settle(device, mark)).collect::<Result<Vec<_>, _>>()?;
        let trivial = warps.last().is_some_and(|w| w.stop == StopReason::Trivial);
        Ok(LevelReport {
            size: self.size,
            spacing_vox: self.spacing_vox,
            stop: if trivial { StopReason::Trivial } else { self.stop },
            warps,
            time_ms: self.span[1].ms_after(&self.span[0])?,
        })
    }
}
