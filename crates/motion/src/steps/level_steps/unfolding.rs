//! Changes of a displacement, kept as far as no cell of the interpolated map folds.
//!
//! Each cell's determinant is bounded from below by its Bernstein coefficients (`kernels/variational/cell_bounds`). Where a change takes
//! a cell below what it should keep, the change is shortened around it by shares: where it is cut off instead, its edge folds next. The
//! shortened change is tried again, each time with less asked of cells and with a wider surrounding, and is not taken at all if the last
//! attempt still folds.
//! *Cost*: a pass over the field and its bounds, and some 30 more for each attempt where cells do fold.

use crate::steps::level_steps::TRUNCATE;
use crate::steps::pyramid::LevelGeometry;
use serde::Serialize;
use std::mem::swap;
use veloxel_gpu::{Buffer, ComputeError, Device, Field, Later};
use veloxel_kernels::image::convolve::{Convolve, isotropic};
use veloxel_kernels::image::pointwise::{CopyBuffer, MixByVoxel, Operation};
use veloxel_kernels::variational::cell_bounds::CellBounds;
use veloxel_kernels::variational::step_share::StepShare;
use veloxel_kernels::{Kernel, Taps};

/// An attempt to take a change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt {
    /// Share of the determinant that cells should keep, below which the change is shortened.
    pub floor: f32,
    /// How far from such a cell it is shortened, voxels.
    pub reach: usize,
}

const fn attempt(floor: f32, reach: usize) -> Attempt {
    Attempt { floor, reach }
}

/// The attempts, in their order.
pub(crate) const ATTEMPTS: [Attempt; 9] = [
    attempt(0.3, 1),
    attempt(0.3, 2),
    attempt(0.2, 3),
    attempt(0.1, 4),
    attempt(0.05, 5),
    attempt(0.02, 6),
    attempt(0.02, 9),
    attempt(0.02, 14),
    attempt(0.02, 20),
];
/// Share of the determinant that cells should keep, which a finer level leaves them.
pub(crate) const LEAST_KEPT: f32 = 0.02;
/// What is taken of a share: determinants are not quite linear in the change.
pub(crate) const SAFETY: f32 = 0.9;
/// How often a field on a finer level is smoothed where a cell would fold, at most.
pub(crate) const SMOOTHED: usize = 16;

/// What cells of a level should keep.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cells<'a> {
    pub device: &'a Device,
    pub geometry: &'a LevelGeometry,
    /// The determinant that cells should keep.
    pub target: f32,
}

/// Memory of a level's size for attempts.
#[derive(Debug)]
pub(crate) struct ShareMemory<'a> {
    /// The bounds of what is tried.
    pub tried: &'a mut Buffer,
    pub share: &'a mut Buffer,
    pub spread: [&'a mut Buffer; 2],
}

/// How much of a change was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Taken {
    /// All of it.
    Whole,
    /// It was shortened around cells that would have folded.
    Shortened,
    /// Nothing: cells folded all the same.
    Refused,
}

impl Cells<'_> {
    /// Bounds the determinants of the cells of a displacement that a level begins with; how many fold.
    pub fn bound_start(&self, displacement: &[Buffer], out: &mut Buffer) -> Result<Later<f64>, ComputeError> {
        self.bound(displacement, LEAST_KEPT * self.target, None, out)
    }

    /// Bounds the determinants of the cells after a change; how many fold that did not, or fold more than before, by the first attempt's
    /// measure. Their number may stay on the device while other work that does not write `tried` goes on.
    pub fn bound_change(
        &self,
        after: &[Buffer],
        held: &Buffer,
        tried: &mut Buffer,
    ) -> Result<Later<f64>, ComputeError> {
        self.bound(after, ATTEMPTS[0].floor * self.target, Some(held), tried)
    }

    /// Bounds the determinants of a displacement's cells; how many are at most `fold`, and smaller than before.
    pub fn bound(
        &self,
        displacement: &[Buffer],
        fold: f32,
        before: Option<&Buffer>,
        out: &mut Buffer,
    ) -> Result<Later<f64>, ComputeError> {
        self.bound_anew(displacement, fold, [before, None], out)
    }

    /// [`Self::bound`], of the cells alone whose corners kept less than their whole change since, if shares are given after the bounds
    /// before.
    fn bound_anew(
        &self,
        displacement: &[Buffer],
        fold: f32,
        [before, kept]: [Option<&Buffer>; 2],
        out: &mut Buffer,
    ) -> Result<Later<f64>, ComputeError> {
        let LevelGeometry { shape, spacing_edges, .. } = *self.geometry;
        let least = self.target;
        CellBounds { shape, spacing_edges, displacement, least, fold, before, kept, out }.run(self.device)
    }

    /// Smooths a displacement by half a voxel, in the memory of a second field, until none of its cells folds, of which `folds` do at
    /// first ([`Self::bound_start`]); writes their bounds.
    pub fn smooth(
        &self,
        displacement: &mut Field,
        other: &mut Field,
        bounds: &mut Buffer,
        mut folds: f64,
    ) -> Result<(), ComputeError> {
        let (shape, taps) = (self.geometry.shape, isotropic(&Taps::gaussian(0.5, TRUNCATE)));
        for _ in 0..SMOOTHED {
            if folds == 0.0 {
                break;
            }
            for (input, output) in displacement.iter().zip(other.iter_mut()) {
                Convolve { shape, taps: &taps, input, output }.run(self.device)?;
            }
            swap(displacement, other);
            folds = self.bound_start(displacement, bounds)?.get(self.device)?;
        }
        Ok(())
    }

    /// Takes the change from `before` to `after` as far as no cell folds, of which `folds` do where all of it is taken
    /// ([`Self::bound_change`], whose bounds are those tried); `held` are the bounds of what there is, before and then after.
    pub fn take(
        &self,
        before: &[Buffer],
        after: &mut [Buffer],
        held: &mut Buffer,
        memory: ShareMemory<'_>,
        mut folds: f64,
    ) -> Result<Taken, ComputeError> {
        let LevelGeometry { shape, spacing_edges, .. } = *self.geometry;
        let ShareMemory { tried, share, spread: [first, second] } = memory;
        for (round, Attempt { floor, reach }) in ATTEMPTS.into_iter().enumerate() {
            if round > 0 {
                let bounds = [Some(&*held), Some(&*share)];
                folds = self.bound_anew(after, floor * self.target, bounds, tried)?.get(self.device)?;
            }
            if folds == 0.0 {
                swap(held, tried);
                return Ok(if round == 0 { Taken::Whole } else { Taken::Shortened });
            }
            Operation::Fill(1.0).on(share).run(self.device)?;
            let (target, safety, memory) = (self.target, SAFETY, [&mut *first, &mut *second]);
            StepShare {
                shape,
                spacing_edges,
                map: &[],
                before: held,
                after: tried,
                target,
                safety,
                reach,
                memory,
                share,
            }
            .run(self.device)?;
            for (with, out) in before.iter().zip(after.iter_mut()) {
                MixByVoxel { with, kept: share, out }.run(self.device)?;
            }
        }
        before.iter().zip(after).try_for_each(|(from, to)| CopyBuffer { from, to }.run(self.device))?;
        Ok(Taken::Refused)
    }
}
