//! Pairs that begin several times: at rest, and from affine maps of what lies within outlines; the flow that fits best there out.
//!
//! *Why*: between frames far apart in a beat a thin wall of a right ventricle moves by several times its thickness, and a
//! method that begins at rest takes what is as bright beside it, fat or lung, for its blood. Two maps come nearer to what a
//! heart does: the one that lines up both images within the outlines, where blood and wall alone are compared, and a
//! contraction of every slice to half of its area, as in a healthy ventricle.
//!
//! *Method*: [`affine_registration`](mod@crate::steps::linear::affine_registration) within the outlines of the start frame; every flow
//! is judged by `Σ |I₀(x) − I_t(x + d)|` there. Motion from rest is the smallest: it is kept unless another one differs less by
//! a fiftieth, since less than that is noise. A map that moves farther than the search range is rejected.
//! *Evidence*: `tests` of the cycle; docs/algorithms/track.md.
//! *Limits*: one map for all outlines of a slice; a start at end-systole has no contraction to come.

use crate::error::{MotionError, Result};
use crate::method::resident::{ResidentFlow, ResidentMask};
use crate::steps::frame::Frame;
use crate::steps::linear::affine_registration::affine_registration_of_frames;
use crate::steps::linear::motion_group::AffineModel;
use crate::steps::moving_image::{FinerImage, MovingImage};
use veloxel_core::Mask;
use veloxel_gpu::{Device, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::brightness::AbsoluteDifference;
use veloxel_kernels::image::warp::{Border, Interpolation, VoxelAffine};

/// The share of the difference that another start must take away.
const LEAST_GAIN: f64 = 0.02;
/// The area of a slice of a healthy ventricle at end-systole, over that at end-diastole.
const CONTRACTED: f64 = 0.5;

/// What lies within the outlines of a start frame.
#[derive(Debug, Clone, Copy)]
pub struct Outlined<'a> {
    /// Cavities and walls, on the frames' grid.
    pub within: &'a Mask,
    /// The farthest that anything there moves, voxels.
    pub farthest_vox: f64,
}

/// The content of the outlines of a start frame, in the memory of a device.
pub(super) struct ResidentOutlined {
    within: ResidentMask,
    inside_vox: Vec<[f64; 3]>,
    farthest_vox: f64,
}

impl ResidentOutlined {
    pub fn upload(device: &Device, outlined: Outlined<'_>) -> Result<Self> {
        let Outlined { within, farthest_vox } = outlined;
        let position = |(index, _)| within.grid().position(index).map(|p| p as f64);
        let inside_vox =
            within.data().iter().enumerate().filter(|(_, inside)| **inside).map(position).collect();
        Ok(Self { within: ResidentMask::upload(device, within)?, inside_vox, farthest_vox })
    }

    /// The maps that a pair of frames begins from beside rest.
    pub fn maps(&self, images: [&Frame; 2]) -> Result<Vec<VoxelAffine>> {
        if self.inside_vox.is_empty() {
            return Ok(Vec::new());
        }
        let mut maps = vec![self.contraction()];
        match affine_registration_of_frames(images, Some(&self.within), AffineModel::Affine) {
            Ok(map) if self.is_near(&map) => maps.push(map),
            // Too little lies within, or the map degenerates.
            Ok(_) | Err(MotionError::Affine { .. }) => {}
            Err(other) => return Err(other),
        }
        Ok(maps)
    }

    /// Towards the middle in every slice.
    fn contraction(&self) -> VoxelAffine {
        let count = self.inside_vox.len() as f64;
        let middle = [0, 1].map(|a: usize| self.inside_vox.iter().map(|p| p[a]).sum::<f64>() / count);
        let share = CONTRACTED.sqrt();
        let mut map = VoxelAffine::IDENTITY;
        for (a, middle) in middle.into_iter().enumerate() {
            map.matrix[a][a] = share;
            map.offset[a] = (1.0 - share) * middle;
        }
        map
    }

    fn is_near(&self, map: &VoxelAffine) -> bool {
        self.inside_vox.iter().all(|&p| {
            let to = map.apply(p);
            (0..3).map(|a| (to[a] - p[a]).powi(2)).sum::<f64>() <= self.farthest_vox.powi(2)
        })
    }

    /// The number of the flow that fits best; the first is that from rest.
    pub fn best(
        &self,
        device: &Device,
        [fixed, moving]: [&Frame; 2],
        flows: &[&ResidentFlow],
    ) -> Result<usize> {
        let (grid, spline) = (fixed.grid(), Interpolation::CubicSpline);
        let seen =
            MovingImage::new(device, moving.samples(), moving.grid(), grid, spline, FinerImage::Smoothed)?;
        let difference = |flow: &&ResidentFlow| -> Result<Later<(f64, f64)>> {
            // What leaves the image counts by the nearest sample: a flow is no better for comparing less.
            let warped = seen.warp(&flow.components_vox, Border::Unbounded)?;
            let weight = Some(&self.within.weight);
            Ok(AbsoluteDifference { fixed: fixed.samples(), warped: &warped, weight }.run(device)?)
        };
        let sums = flows.iter().map(difference).collect::<Result<Vec<_>, _>>()?;
        let (mut best, mut least) = (0, f64::INFINITY);
        for (nth, sum) in sums.into_iter().enumerate() {
            let (sum, _) = sum.get(device)?;
            if sum < least {
                // To leave rest takes more than noise.
                (best, least) = (nth, if nth == 0 { (1.0 - LEAST_GAIN) * sum } else { sum });
            }
        }
        Ok(best)
    }
}
