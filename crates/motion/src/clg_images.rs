//! The images of [`Clg`](crate::Clg): mapped, smoothed, at every size of the pyramid, ready for warping.

use crate::MotionError;
use crate::clg::Region;
use crate::clg_level::LevelImages;
use crate::clg_parameters::{ClgParams, Interpolation};
use crate::coarse_to_fine::{LevelGeometry, pyramid};
use crate::frame::Source;
use crate::prepare::IntensityMap;
use veloxel_core::{Mask, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::Taps;
use veloxel_kernels::image::brightness::absolute_difference;
use veloxel_kernels::image::convolve::{convolve, isotropic};
use veloxel_kernels::image::local_normalise::local_normalise;
use veloxel_kernels::image::spline::spline_coefficients;
use veloxel_kernels::image::warp::{self, VoxelAffine, Warp};

/// 1 inside, 0 outside.
pub(crate) fn as_weight(device: &Device, mask: &Mask) -> Result<Buffer, ComputeError> {
    device.upload(mask.data().iter().map(|&inside| f32::from(u8::from(inside))).collect())
}

/// Both pyramids and the masks'; levels are given away as they are used.
pub(crate) struct Images {
    fixed: Vec<Buffer>,
    moving: Vec<Buffer>,
    /// Of the data, and of the volume term.
    masks: [Vec<Buffer>; 2],
    /// Σ |I_t| of the full images before any warp, and number of voxels.
    pub before: Later<(f64, f64)>,
}

impl Images {
    pub fn new(
        (device, params): (&Device, &ClgParams),
        ([fixed, moving], region): ([Source<'_>; 2], Region<'_>),
        (map, used): (IntensityMap, &[LevelGeometry]),
    ) -> Result<Self, MotionError> {
        let smooth = |image: Buffer| -> Result<Buffer, MotionError> {
            if params.presmooth == 0.0 {
                return Ok(image);
            }
            let taps = isotropic(&Taps::gaussian(params.presmooth, 3.0));
            let mut out = device.scratch(image.len())?;
            convolve(device, (used[0].shape, &taps), &image, &mut out)?;
            Ok(out)
        };
        let fixed = smooth(fixed.mapped(device, map)?)?;
        let moving = smooth(moving.mapped(device, map)?)?;
        let mask = region.mask.map(|m| as_weight(device, m)).transpose()?;
        let before = absolute_difference(device, (&fixed, &moving), mask.as_ref())?;
        Ok(Self {
            fixed: pyramid(device, fixed, used)?,
            moving: pyramid(device, moving, used)?,
            masks: {
                let levels_of =
                    |m: Option<Buffer>| m.map_or_else(|| Ok(Vec::new()), |m| pyramid(device, m, used));
                let volume_mask = region.volume_mask.map(|m| as_weight(device, m)).transpose()?;
                [levels_of(mask)?, levels_of(volume_mask)?]
            },
            before,
        })
    }

    /// The images of level `nth`, the coarsest left; ready for warping.
    pub fn take(
        &mut self,
        nth: usize,
        (device, shape, params): (&Device, Shape, &ClgParams),
        moving_from_fixed: VoxelAffine,
    ) -> Result<LevelImages, MotionError> {
        self.fixed.truncate(nth + 1);
        self.moving.truncate(nth + 1);
        self.masks.iter_mut().for_each(|m| m.truncate(nth + 1));
        let mut fixed = self.fixed.pop().expect("the level should have a fixed image");
        let mut moving = self.moving.pop().expect("the level should have a moving image");
        if params.lcc_sigma > 0.0 {
            for image in [&mut fixed, &mut moving] {
                local_normalise(device, (shape, params.lcc_sigma, LCC_FLOOR_SHARE), image)?;
            }
        }
        if params.interpolation == Interpolation::CubicSpline {
            // The spline meets its samples up to rounding: both images pass through it, so that equal ones stay equal.
            fixed = through_spline(device, shape, fixed)?;
            spline_coefficients(device, shape, &mut moving)?;
        }
        let [mask, volume_mask] = self.masks.each_mut().map(Vec::pop);
        Ok(LevelImages { fixed, moving, mask, volume_mask, moving_from_fixed })
    }
}

/// An image as the warp by no displacement samples its spline.
fn through_spline(device: &Device, shape: Shape, mut image: Buffer) -> Result<Buffer, MotionError> {
    spline_coefficients(device, shape, &mut image)?;
    let mut out = device.scratch(shape.len())?;
    let warp = Warp {
        shape,
        spacing_edges: [1.0; 3],
        interpolation: warp::Interpolation::CubicSpline,
        moving_from_fixed: VoxelAffine::IDENTITY,
        moving: &image,
        displacement: &device.zeros_field(shape.components(), shape.len())?,
        out: &mut out,
    };
    warp.run(device)?;
    Ok(out)
}

/// Share of the mean local contrast below which local normalisation sees noise.
const LCC_FLOOR_SHARE: f32 = 0.2;
