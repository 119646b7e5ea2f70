//! The images of a pair: mapped, smoothed, at every size of the pyramid, ready for warping.

use crate::error::Result;
use crate::method::resident::DataRegion;
use crate::steps::buffers::{convolved, written};
use crate::steps::frame::FrameSource;
use crate::steps::intensity::IntensityMap;
use crate::steps::noise::{NoiseLook, NoisyImage};
use crate::steps::pyramid::{
    LevelGeometry, between_levels, mask_pyramid, match_voxel_size, moving_levels, pair_pyramids, pyramid,
};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Later};
use veloxel_kernels::image::brightness::AbsoluteDifference;
use veloxel_kernels::image::convolve::isotropic;
use veloxel_kernels::image::local_normalise::LocalNormalise;
use veloxel_kernels::image::shrink::{self, AffineMap, Shrink};
use veloxel_kernels::image::spline::SplineCoefficients;
use veloxel_kernels::image::warp::{Border, Cut, Interpolation, VoxelAffine, Warp};
use veloxel_kernels::variational::motion_tensor::Constraint;
use veloxel_kernels::{Kernel, Taps};

/// Share of the mean local contrast below which local normalisation sees noise.
const LCC_FLOOR_SHARE: f32 = 0.2;

/// What is done to both images before they are compared.
#[derive(Debug, Clone, Copy)]
pub struct Preparation {
    /// Standard deviation of the smoothing before the pyramid, voxels of the full grid; 0: none.
    pub presmooth: f64,
    /// Standard deviation of the window of local normalisation, voxels of a level; 0: none.
    pub lcc_sigma: f64,
    /// How the moving image is sampled.
    pub interpolation: Interpolation,
    /// How images are compared with themselves and their noise on top; none: noise is not looked at.
    pub noise: Option<Constraint>,
}

/// Two images as they came, each on a grid of its own, and what their intensities are mapped by.
pub(crate) struct RawImages<'a> {
    pub fixed: FrameSource<'a>,
    pub moving: FrameSource<'a>,
    pub region: DataRegion<'a>,
    /// Intensity maps of the fixed image and of the moving one.
    pub maps: [IntensityMap; 2],
    /// From voxel positions of the fixed grid to those of the moving one.
    pub placement: VoxelAffine,
    /// What is known to have moved, before the placement: a map of the fixed grid onto itself.
    pub start: VoxelAffine,
}

impl RawImages<'_> {
    /// The same images, which are needed again.
    pub fn borrowed(&self) -> RawImages<'_> {
        RawImages { fixed: self.fixed.borrowed(), moving: self.moving.borrowed(), ..*self }
    }
}

/// The images of one level.
pub struct LevelImages {
    pub fixed: Buffer,
    /// Samples, or spline coefficients.
    pub moving: Buffer,
    /// 1 where data count.
    pub mask: Option<Buffer>,
    /// 1 where volume is preserved; none: where data count.
    pub volume_mask: Option<Buffer>,
    /// Shape of the moving image.
    pub moving_shape: Shape,
    /// From fixed to moving voxels of this level.
    pub moving_from_fixed: VoxelAffine,
    /// How the moving image is sampled.
    pub interpolation: Interpolation,
    /// Where both lie in the level's whole images; none: they are whole.
    pub cut: Option<Cut>,
}

impl LevelImages {
    /// Ready for warping; both images came smoothed.
    pub(crate) fn new(
        device: &Device,
        interpolation: Interpolation,
        [(mut fixed, shape), (mut moving, moving_shape)]: [(Buffer, Shape); 2],
    ) -> Result<Self> {
        if interpolation == Interpolation::CubicSpline {
            // The spline meets its samples up to rounding: both images pass through it, so that equal ones stay equal.
            let coefficients = SplineCoefficients { shape: moving_shape, samples: &mut moving };
            let (through, done) =
                device.join(|| through_spline(device, shape, fixed), || coefficients.run(device));
            done?;
            fixed = through?;
        }
        let (moving_from_fixed, mask, volume_mask, cut) = (VoxelAffine::IDENTITY, None, None, None);
        Ok(Self { fixed, moving, mask, volume_mask, moving_shape, moving_from_fixed, interpolation, cut })
    }

    /// Samples the moving image at a displacement, edges.
    pub(crate) fn warp(
        &self,
        device: &Device,
        geometry: &LevelGeometry,
        border: Border,
        displacement: &[Buffer],
        out: &mut Buffer,
    ) -> Result<(), ComputeError> {
        let warp = Warp {
            shape: geometry.shape,
            moving_shape: self.moving_shape,
            spacing_edges: geometry.spacing_edges,
            interpolation: self.interpolation,
            border,
            cut: self.cut,
            moving_from_fixed: self.moving_from_fixed,
            moving: &self.moving,
            displacement,
            out,
        };
        warp.run(device)
    }

    /// Σ |I_t| with the moving image as it was warped, and number of voxels.
    pub(crate) fn difference(
        &self,
        device: &Device,
        warped: &Buffer,
    ) -> Result<Later<(f64, f64)>, ComputeError> {
        AbsoluteDifference { fixed: &self.fixed, warped, weight: self.mask.as_ref() }.run(device)
    }
}

/// A copy smoothed as pyramids ask for.
pub(crate) fn presmoothed(device: &Device, sigma_vox: f64, image: Buffer, shape: Shape) -> Result<Buffer> {
    if sigma_vox == 0.0 {
        return Ok(image);
    }
    Ok(convolved(device, &image, shape, &presmoothing(sigma_vox))?)
}

/// Local normalisation, where it is asked for.
pub(crate) fn normalise_locally(
    device: &Device,
    sigma_vox: f64,
    shape: Shape,
    image: &mut Buffer,
) -> Result<(), ComputeError> {
    if sigma_vox > 0.0 {
        LocalNormalise { shape, sigma_vox, floor_share: LCC_FLOOR_SHARE, image }.run(device)?;
    }
    Ok(())
}

/// Both images of one grid, mapped and smoothed: in one launch if they are small pictures.
fn prepared_together(
    device: &Device,
    preparation: Preparation,
    [fixed, moving]: [FrameSource<'_>; 2],
    maps: [IntensityMap; 2],
    shape: Shape,
) -> Result<[Buffer; 2]> {
    let taps = &presmoothing(preparation.presmooth);
    if !shrink::is_supported(shape, shape, taps) {
        let smooth = |image| presmoothed(device, preparation.presmooth, image, shape);
        return Ok([smooth(fixed.mapped(maps[0])?)?, smooth(moving.mapped(maps[1])?)?]);
    }
    let mut out = [device.scratch(shape.len())?, device.scratch(shape.len())?];
    let images = &[fixed.frame().samples(), moving.frame().samples()];
    let maps = &maps.map(|map| {
        let (gain, offset) = map.gain_and_offset();
        AffineMap { gain, offset }
    });
    Shrink { images, maps, taps, from: shape, out: &mut out, to: shape, memory: &mut [] }.run(device)?;
    Ok(out)
}

fn presmoothing(sigma_vox: f64) -> Axes<Taps> {
    isotropic(&Taps::gaussian(sigma_vox, 3.0))
}

/// Voxels that the smoothing reaches.
pub(crate) fn presmoothing_vox(sigma_vox: f64) -> usize {
    if sigma_vox == 0.0 { 0 } else { Taps::gaussian(sigma_vox, 3.0).radius() }
}

/// Voxels of the images as they came that a sample of the prepared ones depends on: the smoothing, and what is interpolated
/// between, of a spline with the coefficients around it.
pub(crate) fn preparation_vox(preparation: Preparation) -> usize {
    let between = match preparation.interpolation {
        Interpolation::CubicSpline => 13 + 2,
        Interpolation::CubicConvolution => 2,
        Interpolation::Linear | Interpolation::Nearest | Interpolation::MostWeight => 1,
    };
    presmoothing_vox(preparation.presmooth) + between
}

/// Both images' pyramids and the masks'; levels are given away as they are used.
pub(crate) struct ImagePyramids {
    device: Device,
    preparation: Preparation,
    /// The fixed image and the moving one.
    images: [Vec<Buffer>; 2],
    /// At which sizes the moving image is sampled, finest first.
    moving_levels: Vec<LevelGeometry>,
    /// Between voxels of the full grids.
    moving_from_fixed: VoxelAffine,
    mask: Vec<Buffer>,
    volume_mask: Vec<Buffer>,
    /// Σ |I_t| of the full images before any warp, and number of voxels.
    pub before: Later<(f64, f64)>,
    /// At the noise of both images before any smoothing, where it is asked for.
    pub noise: Option<NoiseLook>,
}

impl ImagePyramids {
    /// The images at the size of every level from the `finest` used on; the first of `levels` is the full grid.
    pub fn new(
        device: &Device,
        preparation: Preparation,
        images: RawImages<'_>,
        levels: &[LevelGeometry],
        finest: usize,
    ) -> Result<Self> {
        let RawImages { fixed, moving, region, maps, placement, start } = images;
        let moving_grid = moving.frame().grid().clone();
        let mut moving_levels = moving_levels(&moving_grid, &placement, levels);
        let shapes = [levels[0].shape, Shape::of(&moving_grid)];
        let is_alike = shapes[1] == shapes[0] && moving_levels == levels;
        let masks_of = |mask| Option::map_or(mask, Ok(Vec::new()), |mask| mask_pyramid(device, mask, levels));
        let (mask, volume_mask) = (masks_of(region.mask)?, masks_of(region.volume_mask)?);
        let mut noise = None;
        let [fixed, moving] = match is_alike && device.is_gpu() && preparation.noise.is_none() {
            true => prepared_together(device, preparation, [fixed, moving], maps, shapes[0])?,
            false => {
                let smooth = |image, shape| presmoothed(device, preparation.presmooth, image, shape);
                let fixed = fixed.mapped(maps[0])?;
                let finest = moving_levels[0].shape;
                let moving = match_voxel_size(device, moving.mapped(maps[1])?, shapes[1], finest)?;
                if let Some(constraint) = preparation.noise {
                    let sizes = [&levels[0], &moving_levels[0]];
                    noise = Some(look_at_noise(device, constraint, sizes, [&fixed, &moving], mask.first())?);
                }
                [smooth(fixed, shapes[0])?, smooth(moving, finest)?]
            }
        };
        let used = |mut pyramid: Vec<Buffer>| pyramid.split_off(finest.min(pyramid.len()));
        let [fixed, moving] = match is_alike && device.is_gpu() {
            true => pair_pyramids(device, [fixed, moving], levels)?,
            false => [pyramid(device, fixed, levels)?, pyramid(device, moving, &moving_levels)?],
        };
        let [fixed, moving] = [used(fixed), used(moving)];
        let (mask, volume_mask) = (used(mask), used(volume_mask));
        moving_levels.drain(..finest);
        let mut seen = None;
        if placement != VoxelAffine::IDENTITY {
            let pair = [&levels[finest], &moving_levels[0]];
            let (shapes, map) = (pair.map(|level| level.shape), between_levels(&placement, pair));
            seen = Some(at_rest(device, shapes, &moving[0], Interpolation::Linear, map)?);
        }
        let (warped, weight) = (seen.as_ref().unwrap_or(&moving[0]), mask.first());
        let before = AbsoluteDifference { fixed: &fixed[0], warped, weight }.run(device)?;
        let (device, moving_from_fixed) = (device.clone(), placement.after(&start));
        let images = [fixed, moving];
        Ok(Self {
            device,
            preparation,
            images,
            moving_levels,
            moving_from_fixed,
            mask,
            volume_mask,
            before,
            noise,
        })
    }

    /// The images from a level on, the first of `levels`, at which they are already, on one grid and without masks; `start` is
    /// what is known to have moved.
    pub(crate) fn from_level(
        device: &Device,
        preparation: Preparation,
        [fixed, moving]: [Buffer; 2],
        levels: &[LevelGeometry],
        start: VoxelAffine,
    ) -> Result<Self> {
        let before = AbsoluteDifference { fixed: &fixed, warped: &moving, weight: None }.run(device)?;
        let noise = preparation
            .noise
            .map(|constraint| look_at_noise(device, constraint, [&levels[0]; 2], [&fixed, &moving], None));
        let noise = noise.transpose()?;
        let images = if device.is_gpu() {
            pair_pyramids(device, [fixed, moving], levels)?
        } else {
            let (fixed, moving) =
                device.join(|| pyramid(device, fixed, levels), || pyramid(device, moving, levels));
            [fixed?, moving?]
        };
        let (device, moving_levels, moving_from_fixed) = (device.clone(), levels.to_vec(), start);
        let [mask, volume_mask] = [const { Vec::new() }; 2];
        Ok(Self {
            device,
            preparation,
            images,
            moving_levels,
            moving_from_fixed,
            mask,
            volume_mask,
            before,
            noise,
        })
    }

    /// The images of the coarsest level left, ready for warping.
    pub fn take(&mut self, level: &LevelGeometry) -> Result<LevelImages> {
        let (device, preparation, shape) = (&self.device, self.preparation, level.shape);
        let moving_level =
            self.moving_levels.pop().expect("the level should have a size of the moving image");
        let moving_shape = moving_level.shape;
        let [mut fixed, mut moving] =
            self.images.each_mut().map(|images| images.pop().expect("a level should have both images"));
        normalise_locally(device, preparation.lcc_sigma, shape, &mut fixed)?;
        normalise_locally(device, preparation.lcc_sigma, moving_shape, &mut moving)?;
        let pair = [(fixed, shape), (moving, moving_shape)];
        Ok(LevelImages {
            moving_from_fixed: between_levels(&self.moving_from_fixed, [level, &moving_level]),
            mask: self.mask.pop(),
            volume_mask: self.volume_mask.pop(),
            ..LevelImages::new(device, preparation.interpolation, pair)?
        })
    }
}

/// Looks at the noise of the fixed image and the moving one, each at its size; the mask is the fixed one's.
fn look_at_noise(
    device: &Device,
    constraint: Constraint,
    [of_fixed, of_moving]: [&LevelGeometry; 2],
    [fixed, moving]: [&Buffer; 2],
    mask: Option<&Buffer>,
) -> Result<NoiseLook, ComputeError> {
    let fixed = NoisyImage { geometry: of_fixed, samples: fixed, weight: mask };
    let moving = NoisyImage { geometry: of_moving, samples: moving, weight: None };
    NoiseLook::new(device, constraint, [fixed, moving])
}

/// An image as the warp by no displacement samples its spline.
fn through_spline(device: &Device, shape: Shape, mut image: Buffer) -> Result<Buffer, ComputeError> {
    SplineCoefficients { shape, samples: &mut image }.run(device)?;
    at_rest(device, [shape; 2], &image, Interpolation::CubicSpline, VoxelAffine::IDENTITY)
}

/// A moving image on the fixed grid where nothing has moved; the shapes are the fixed grid's and the moving one's.
fn at_rest(
    device: &Device,
    [shape, moving_shape]: [Shape; 2],
    moving: &Buffer,
    interpolation: Interpolation,
    moving_from_fixed: VoxelAffine,
) -> Result<Buffer, ComputeError> {
    let displacement = &device.zeros_field(shape.components(), shape.len())?;
    written(device, shape.len(), |out| {
        let (spacing_edges, border, cut) = ([1.0; 3], Border::Centres, None);
        Warp {
            shape,
            moving_shape,
            spacing_edges,
            interpolation,
            border,
            cut,
            moving_from_fixed,
            moving,
            displacement,
            out,
        }
        .run(device)
    })
}
