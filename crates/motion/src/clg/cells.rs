//! What keeps the cells of a level's displacement from folding (`steps/level_steps/unfolding.rs`), where `least_determinant` is above 0.

use super::level::ClgLevel;
use super::workspace::Workspace;
use crate::steps::level_steps::unfolding::{Cells, ShareMemory, Taken};
use veloxel_gpu::{Buffer, ComputeError, Field, Later};

impl<'a> ClgLevel<'a> {
    /// What cells of the displacement should keep, if anything.
    fn cells(&self) -> Option<Cells<'a>> {
        let (device, geometry, target) = (self.device, self.geometry, self.params.least_determinant);
        (target > 0.0).then_some(Cells { device, geometry, target })
    }

    /// Bounds the cells of the displacement that the level begins with: how many fold.
    pub(super) fn bound_start(
        &mut self,
        displacement: &[Buffer],
    ) -> Result<Option<Later<f64>>, ComputeError> {
        let Some(cells) = self.cells() else { return Ok(None) };
        cells.bound_start(displacement, &mut self.memory.cell_bounds[0]).map(Some)
    }

    /// Smooths the displacement that the level begins with where it folds; returns whether it did.
    pub(super) fn unfold_start(
        &mut self,
        displacement: &mut Field,
        folds: Option<Later<f64>>,
    ) -> Result<bool, ComputeError> {
        let Some((cells, folds)) = self.cells().zip(folds) else { return Ok(false) };
        let folds = folds.get(self.device)?;
        let Workspace { increment, cell_bounds, .. } = &mut *self.memory;
        cells.smooth(displacement, increment, &mut cell_bounds[0], folds)?;
        Ok(folds > 0.0)
    }

    /// Bounds the cells after the last warp's change, in the memory of the system, which is free: how many would fold.
    pub(super) fn bound_change(
        &mut self,
        displacement: &[Buffer],
    ) -> Result<Option<Later<f64>>, ComputeError> {
        let Some(cells) = self.cells() else { return Ok(None) };
        let Workspace { cell_bounds, system, .. } = &mut *self.memory;
        cells.bound_change(displacement, &cell_bounds[0], &mut system[0]).map(Some)
    }

    /// Takes the last warp's change as far as no cell folds, where cells were bounded; the displacement before it is in the memory of
    /// increments, and the memory of the system is as [`Self::bound_change`] left it.
    pub(super) fn keep_cells(
        &mut self,
        displacement: &mut Field,
        folds: Option<Later<f64>>,
    ) -> Result<Option<Taken>, ComputeError> {
        let Some((cells, folds)) = self.cells().zip(folds) else { return Ok(None) };
        let folds = folds.get(self.device)?;
        let Workspace { increment, cell_bounds, system, .. } = &mut *self.memory;
        let [tried, share, first, second] =
            system.get_disjoint_mut([0, 1, 2, 3]).expect("a system should have entries");
        let memory = ShareMemory { tried, share, spread: [first, second] };
        cells.take(increment, displacement, &mut cell_bounds[0], memory, folds).map(Some)
    }
}
