//! The Gabor pyramid of an image in the memory of a device: phases, which stereo and flow are made of, and features.

use super::parameters::{FeatureSums, PhaseArithmetic, PhaseMedian, PhaseParameters};
use crate::error::{MotionError, Result};
use crate::method::footprint::{Footprint, Tiling};
use crate::steps::buffers::copied;
use crate::steps::frame::Frame;
use std::ops::Range;
use veloxel_core::parameters::Parameters;
use veloxel_core::{CoreError, Dimension, Grid, Volume};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::Kernel;
use veloxel_kernels::image::quantise::FixedPoint;
use veloxel_kernels::image::valid_median::MedianWindow;
use veloxel_kernels::phase::flow_roughness::FLOW_ROUGHNESS_PX;
use veloxel_kernels::phase::gabor::{
    self, Bank, Filters, Levels, LocalPhase, LocalPhaseOutputs, Picture, Pyramid, Sums,
};

/// Fractional bits of a response, where white is 255; the paper says that they are limited, not how many there are.
const RESPONSE_BITS: i32 = 1;

/// Fewest levels, where the picture has so many with sides of 2 pixels: a velocity is its phase's slope over the filters' own frequency,
/// too small where a picture is smoother than that, and one level after the other finds what is left.
const LEAST_LEVELS: usize = 3;

/// Pixels of a level that a vector depends on: filters reach 5, the phases between pixels 1, the median 2, the enlarged
/// coarser estimate 2; and the level's picture on 2 of every finer one, 2 in all.
const HALO_PX: usize = 12;
/// Samples of a level's sixteen bytes of phases and of its picture, over all levels.
const PYRAMID: f64 = 5.0 * 4.0 / 3.0;
/// Samples of an estimate, of the estimate after its median, and of its confidence, over all levels.
const DIRECTION: f64 = 5.0 * 4.0 / 3.0;

/// Which results are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseWanted {
    /// Optical flow of the left images.
    pub flow: bool,
    /// Disparity of the left images.
    pub stereo: bool,
    /// Energy, orientation and phase of the left images.
    pub features: bool,
}

/// Levels and filters for images of one size.
#[derive(Debug)]
pub(crate) struct PhasePlan {
    pub device: Device,
    pub parameters: PhaseParameters,
    pub levels: Levels,
    pub bank: Bank,
    /// Levels that flow goes up to.
    pub flow_levels: usize,
    /// Levels that features go up to.
    pub feature_levels: usize,
    /// Levels that stereo goes up to.
    pub stereo_levels: usize,
    /// Number of levels that are finer than these, and are found elsewhere.
    pub below: usize,
}

impl PhasePlan {
    pub fn new(
        size: [usize; 2],
        wanted: PhaseWanted,
        parameters: &PhaseParameters,
        device: &Device,
    ) -> Result<Self> {
        parameters.validate()?;
        Grid::image(size[0], size[1])?;
        let count = |least_side_px| level_count(size, least_side_px, parameters.max_levels);
        let flow_levels = count(parameters.least_side_px);
        let feature_levels = Levels::new(size, parameters.least_side_px, parameters.max_levels).count();
        let stereo_levels = if wanted.stereo { count(parameters.stereo_least_side_px) } else { 1 };
        let most = match wanted {
            PhaseWanted { flow: true, .. } => flow_levels.max(stereo_levels),
            PhaseWanted { features: true, .. } => feature_levels.max(stereo_levels),
            _ => stereo_levels,
        };
        Ok(Self {
            device: device.clone(),
            parameters: parameters.clone(),
            levels: Levels::new(size, 2, most),
            bank: Bank {
                filters: Filters::new(parameters.sigma_px),
                rounding: rounding(parameters),
                // Magnitude that a response must exceed to have a phase, intensities.
                least_magnitude: parameters.least_magnitude * parameters.full_scale,
                sums: match parameters.feature_sums {
                    FeatureSums::Weighted => Sums::Weighted,
                    FeatureSums::Plain => Sums::Plain,
                },
            },
            flow_levels,
            feature_levels,
            stereo_levels,
            below: 0,
        })
    }

    /// The plan of so many levels of a part of the pictures' level `below`, for flow.
    pub fn part(&self, size: [usize; 2], levels: usize, below: usize) -> Self {
        let levels = Levels::new(size, 2, levels);
        let flow_levels = levels.count();
        let (device, parameters, bank) = (self.device.clone(), self.parameters.clone(), self.bank.clone());
        Self {
            device,
            parameters,
            levels,
            bank,
            flow_levels,
            feature_levels: flow_levels,
            stereo_levels: 1,
            below,
        }
    }

    /// Whether a level is that of the pictures themselves.
    pub fn is_finest(&self, level: usize) -> bool {
        level + self.below == 0
    }

    /// Planes of every level, finest first.
    pub fn buffers(&self, levels: usize, planes: usize) -> Result<Vec<Buffer>> {
        (0..levels).map(|l| Ok(self.device.scratch(planes * self.levels.pixels(l))?)).collect()
    }

    /// The footprint of a run with pyramids of these levels: frames and their pyramids, fields, the flow with its confidence,
    /// the determinant.
    pub fn footprint(&self) -> Footprint {
        let parameters = &self.parameters;
        let frames = parameters.frames.count() as f64;
        let back = match parameters.is_checked() {
            true => DIRECTION + if parameters.checked_median == PhaseMedian::Off { 3.0 } else { 5.0 },
            false => 0.0,
        };
        Footprint {
            samples_per_voxel: frames * (1.0 + PYRAMID) + DIRECTION + back + 4.0,
            tiling: Tiling::Halves {
                halo_px: HALO_PX,
                confidence_px: FLOW_ROUGHNESS_PX,
                levels: self.flow_levels,
            },
        }
    }

    /// Makes the levels of pictures.
    pub fn pyramids(&self, pictures: &[&Picture], out: &mut [&mut Buffer]) -> Result<()> {
        Ok(Pyramid { levels: &self.levels, pictures, out }.run(&self.device)?)
    }

    /// Filters an image pyramid.
    pub fn filter(&self, image: &Buffer, out: LocalPhaseOutputs<'_>) -> Result<()> {
        Ok(LocalPhase { levels: &self.levels, bank: &self.bank, image, out }.run(&self.device)?)
    }

    /// Parts of buffers on the host.
    pub fn fetch<const N: usize>(&self, parts: [(&Buffer, Range<usize>); N]) -> Result<[Vec<f32>; N]> {
        let fetched = self.device.read_parts(&parts)?;
        Ok(fetched.try_into().expect("as many parts should come as were asked for"))
    }

    /// The median filter of a level.
    pub fn window(&self, level: usize) -> MedianWindow {
        let median =
            if self.is_finest(level) { self.parameters.median } else { self.parameters.coarse_median };
        median.window()
    }
}

/// An image's pyramid and the phases of every level.
#[derive(Debug)]
pub(crate) struct GaborPyramid {
    pub images: Buffer,
    pub phases: Buffer<u16>,
}

impl GaborPyramid {
    pub fn new(plan: &PhasePlan) -> Result<Self> {
        let n = plan.levels.len();
        let device = &plan.device;
        Ok(Self { images: device.scratch(n)?, phases: device.scratch(gabor::ORIENTATIONS * n)? })
    }

    /// The pyramid of an image.
    pub fn of(plan: &PhasePlan, image: &Volume<f32>) -> Result<Self> {
        Self::of_picture(plan, &Picture::from_samples(&plan.device, image.data())?)
    }

    /// The pyramid of a frame on the device.
    pub fn of_frame(plan: &PhasePlan, frame: &Frame) -> Result<Self> {
        Self::of_picture(plan, &Picture::of(copied(&plan.device, frame.samples())?))
    }

    pub fn of_picture(plan: &PhasePlan, picture: &Picture) -> Result<Self> {
        let mut pyramid = Self::new(plan)?;
        plan.pyramids(&[picture], &mut [&mut pyramid.images])?;
        pyramid.find(plan, None)?;
        Ok(pyramid)
    }

    /// Finds the phases of the images, and their features if there is memory for them.
    pub fn find(&mut self, plan: &PhasePlan, features: Option<&mut [Buffer; 3]>) -> Result<()> {
        plan.filter(&self.images, LocalPhaseOutputs { phases: Some(&mut self.phases), features })
    }
}

/// Levels down to a least short side of the coarsest one, but [`LEAST_LEVELS`] at least: narrow pictures move as far as others do.
fn level_count(size: [usize; 2], least_side_px: usize, most: usize) -> usize {
    let fewest = Levels::new(size, 2, most.min(LEAST_LEVELS)).count();
    Levels::new(size, least_side_px, most).count().max(fewest)
}

/// How responses are rounded, where numbers have a fixed point.
fn rounding(parameters: &PhaseParameters) -> Option<FixedPoint> {
    let grey = parameters.full_scale / 255.0;
    let form = FixedPoint { step: grey * 2f32.powi(-RESPONSE_BITS), most: 512.0 * grey };
    (parameters.arithmetic == PhaseArithmetic::Fixed).then_some(form)
}

/// Checks that an image is one, and that every sample is finite; gives its size.
pub(crate) fn check_picture(what: &str, image: &Volume<f32>) -> Result<[usize; 2]> {
    let size = picture_size(what, image.grid())?;
    // Images have no mask here: what is unknown has to be replaced.
    image.require_finite(what, |_| false)?;
    Ok(size)
}

/// The size of a picture; a volume is refused.
pub(crate) fn picture_size(what: &str, grid: &Grid) -> Result<[usize; 2]> {
    if grid.dimension() != Dimension::Two {
        return Err(MotionError::NotAPicture { what: what.to_owned(), got: grid.size_text() });
    }
    let [nx, ny, _] = grid.size();
    Ok([nx, ny])
}

/// Checks samples of an image, row by row.
pub(crate) fn check_samples(what: &str, [nx, ny]: [usize; 2], samples: &[f32]) -> Result<()> {
    check_count(samples.len(), [nx, ny])?;
    // Sums of what should be finite are tested a row at a time: one look a sample would cost more than the transfer.
    let is_finite = |row: &[f32]| row.iter().fold(0.0, |sum, &v| sum + v * 0.0) == 0.0;
    for (y, row) in samples.chunks_exact(nx).enumerate().filter(|(_, row)| !is_finite(row)) {
        if let Some((x, &value)) = row.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            return Err(CoreError::NotFinite { what: what.to_owned(), value, position: [x, y, 0] }.into());
        }
    }
    Ok(())
}

/// Checks the number of samples of an image.
pub(crate) fn check_count(got: usize, [nx, ny]: [usize; 2]) -> Result<()> {
    let expected = nx * ny;
    if got == expected {
        return Ok(());
    }
    Err(CoreError::SampleCount { expected, got, size: format!("{nx} × {ny} pixels") }.into())
}
