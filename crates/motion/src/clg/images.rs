//! The images of [`Clg`](crate::Clg): mapped, smoothed, at every size of the pyramid, ready for warping.

use super::parameters::{ClgParams, Interpolation};
use crate::MotionError;
use crate::frame::FrameSource;
use crate::intensity::IntensityMap;
use crate::method::Region;
use crate::pyramid::{LevelGeometry, mask_pyramid, pyramid};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, Device, Later};
use veloxel_kernels::Kernel;
use veloxel_kernels::Taps;
use veloxel_kernels::image::brightness::absolute_difference;
use veloxel_kernels::image::convolve::{convolve, isotropic};
use veloxel_kernels::image::local_normalise::local_normalise;
use veloxel_kernels::image::spline::spline_coefficients;
use veloxel_kernels::image::warp::{self, VoxelAffine, Warp};

/// Share of the mean local contrast below which local normalisation sees noise.
const LCC_FLOOR_SHARE: f32 = 0.2;

/// Two images as they came, and what their intensities are mapped by.
pub(super) struct RawImages<'a> {
    pub fixed: FrameSource<'a>,
    pub moving: FrameSource<'a>,
    pub region: Region<'a>,
    pub map: IntensityMap,
}

impl RawImages<'_> {
    /// The same images, which are needed again.
    pub fn borrowed(&self) -> RawImages<'_> {
        let Self { fixed, moving, region, map } = self;
        RawImages { fixed: fixed.borrowed(), moving: moving.borrowed(), region: *region, map: *map }
    }
}

/// The images of one level.
pub(super) struct LevelImages {
    pub fixed: Buffer,
    /// Samples, or spline coefficients.
    pub moving: Buffer,
    /// 1 where data count.
    pub mask: Option<Buffer>,
    /// 1 where volume is preserved; none: where data count.
    pub volume_mask: Option<Buffer>,
    /// From fixed to moving voxels of this level.
    pub moving_from_fixed: VoxelAffine,
}

/// Both images' pyramids and the masks'; levels are given away as they are used.
pub(super) struct ImagePyramids {
    device: Device,
    params: ClgParams,
    fixed: Vec<Buffer>,
    moving: Vec<Buffer>,
    mask: Vec<Buffer>,
    volume_mask: Vec<Buffer>,
    /// Σ |I_t| of the full images before any warp, and number of voxels.
    pub before: Later<(f64, f64)>,
}

impl ImagePyramids {
    /// The images at the size of every level, the finest first.
    pub fn new(
        device: &Device,
        params: &ClgParams,
        images: RawImages<'_>,
        levels: &[LevelGeometry],
    ) -> Result<Self, MotionError> {
        let smooth = |image: Buffer| -> Result<Buffer, MotionError> {
            if params.presmooth == 0.0 {
                return Ok(image);
            }
            let taps = isotropic(&Taps::gaussian(params.presmooth, 3.0));
            let mut out = device.scratch(image.len())?;
            convolve(device, (levels[0].shape, &taps), &image, &mut out)?;
            Ok(out)
        };
        let RawImages { fixed, moving, region, map } = images;
        let (fixed, moving) = (smooth(fixed.mapped(map)?)?, smooth(moving.mapped(map)?)?);
        let before = absolute_difference(device, (&fixed, &moving), region.mask.map(|mask| &mask.weight))?;
        let masks_of = |mask| Option::map_or(mask, Ok(Vec::new()), |mask| mask_pyramid(device, mask, levels));
        Ok(Self {
            device: device.clone(),
            params: params.clone(),
            fixed: pyramid(device, fixed, levels)?,
            moving: pyramid(device, moving, levels)?,
            mask: masks_of(region.mask)?,
            volume_mask: masks_of(region.volume_mask)?,
            before,
        })
    }

    /// The images of the coarsest level left, ready for warping.
    pub fn take(&mut self, shape: Shape, moving_from_fixed: VoxelAffine) -> Result<LevelImages, MotionError> {
        let (device, params) = (&self.device, &self.params);
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
        let (mask, volume_mask) = (self.mask.pop(), self.volume_mask.pop());
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
