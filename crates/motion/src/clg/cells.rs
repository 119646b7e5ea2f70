//! What keeps the cells of a level's displacement from folding (`steps/level_steps/unfolding.rs`), where `least_determinant` is above 0.

use super::level::ClgLevel;
use super::workspace::Workspace;
use crate::steps::level_steps::unfolding::{Cells, ShareMemory, Taken};
use veloxel_gpu::{ComputeError, Field};

impl<'a> ClgLevel<'a> {
    /// What cells of the displacement should keep, if anything.
    fn cells(&self) -> Option<Cells<'a>> {
        let (device, geometry, target) = (self.device, self.geometry, self.params.least_determinant);
        (target > 0.0).then_some(Cells { device, geometry, target })
    }

    /// Smooths the displacement that the level begins with where it folds, and bounds its cells.
    pub(super) fn unfold_start(&mut self, displacement: &mut Field) -> Result<(), ComputeError> {
        let Some(cells) = self.cells() else { return Ok(()) };
        let Workspace { increment, cell_bounds, .. } = &mut *self.memory;
        cells.smooth(displacement, increment, &mut cell_bounds[0])
    }

    /// Takes the last warp's change as far as no cell folds; the displacement before it is in the memory of increments, and the memory of
    /// the system is free.
    pub(super) fn keep_cells(&mut self, displacement: &mut Field) -> Result<Option<Taken>, ComputeError> {
        let Some(cells) = self.cells() else { return Ok(None) };
        let Workspace { increment, cell_bounds, system, .. } = &mut *self.memory;
        let [tried, share, first, second] =
            system.get_disjoint_mut([0, 1, 2, 3]).expect("a system should have entries");
        let memory = ShareMemory { tried, share, spread: [first, second] };
        cells.take(increment, displacement, &mut cell_bounds[0], memory).map(Some)
    }
}
