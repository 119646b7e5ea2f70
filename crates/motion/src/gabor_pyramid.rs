//! The Gabor pyramid of an image in the memory of a device: what features, stereo and flow are all made of.

use crate::MotionError;
use crate::phase_parameters::{PhaseMedian, PhaseParameters};
use crate::phase_twin::round_responses;
use veloxel_compute::kernels::gabor::{self, Filters, Levels, Picture};
use veloxel_compute::kernels::valid_median::Window;
use veloxel_compute::{Buffer, Device};
use veloxel_core::{CoreError, Dimension, Grid, Volume};

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
    pub filters: Filters,
    /// Levels that flow and features go up to.
    pub flow_levels: usize,
    /// Levels that stereo goes up to.
    pub stereo_levels: usize,
}

impl PhasePlan {
    pub fn new(
        size: [usize; 2],
        wanted: PhaseWanted,
        parameters: &PhaseParameters,
        device: &Device,
    ) -> Result<Self, MotionError> {
        parameters.validate()?;
        Grid::image(size[0], size[1])?;
        let count = |least_side_px| Levels::new(size, least_side_px, parameters.max_levels).count();
        let flow_levels = count(parameters.least_side_px);
        let stereo_levels = if wanted.stereo { count(parameters.stereo_least_side_px) } else { 1 };
        let most =
            if wanted.flow || wanted.features { flow_levels.max(stereo_levels) } else { stereo_levels };
        Ok(Self {
            device: device.clone(),
            parameters: parameters.clone(),
            levels: Levels::new(size, 2, most),
            filters: Filters::new(parameters.sigma_px),
            flow_levels,
            stereo_levels,
        })
    }

    /// Planes of every level, finest first.
    pub fn buffers(&self, levels: usize, planes: usize) -> Result<Vec<Buffer>, MotionError> {
        (0..levels).map(|l| Ok(self.device.scratch(planes * self.levels.pixels(l))?)).collect()
    }

    /// The median filter of a level.
    pub fn window(&self, level: usize) -> Window {
        let median = if level == 0 { self.parameters.median } else { self.parameters.coarse_median };
        match median {
            PhaseMedian::Off => Window::One,
            PhaseMedian::Three => Window::Three,
            PhaseMedian::Five => Window::Five,
        }
    }
}

/// An image's pyramid and the responses of every level, lent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pictured<'a> {
    pub images: &'a Buffer,
    pub responses: &'a Buffer,
}

/// An image's pyramid and the responses of every level.
#[derive(Debug)]
pub(crate) struct GaborPyramid {
    pub images: Buffer,
    pub responses: Buffer,
}

impl GaborPyramid {
    pub fn new(plan: &PhasePlan) -> Result<Self, MotionError> {
        let n = plan.levels.len();
        let device = &plan.device;
        Ok(Self { images: device.scratch(n)?, responses: device.scratch(gabor::RESPONSES * n)? })
    }

    /// The pyramid of an image.
    pub fn of(plan: &PhasePlan, image: &Volume<f32>) -> Result<Self, MotionError> {
        let mut pyramid = Self::new(plan)?;
        let picture = Picture::from_samples(&plan.device, image.data())?;
        gabor::pyramid(&plan.device, &plan.levels, &[&picture], &mut [&mut pyramid.images])?;
        pyramid.respond(plan)?;
        Ok(pyramid)
    }

    /// Finds the responses of the images.
    pub fn respond(&mut self, plan: &PhasePlan) -> Result<(), MotionError> {
        respond(plan, &self.images, &mut self.responses)
    }

    pub fn lend(&self) -> Pictured<'_> {
        Pictured { images: &self.images, responses: &self.responses }
    }
}

/// Finds the responses of every level of a pyramid of images.
pub(crate) fn respond(plan: &PhasePlan, images: &Buffer, responses: &mut Buffer) -> Result<(), MotionError> {
    gabor::responses(&plan.device, (&plan.levels, &plan.filters), images, responses)?;
    round_responses(plan, responses)
}

/// Checks that an image is one, and that every sample is finite; gives its size.
pub(crate) fn check_picture(what: &str, image: &Volume<f32>) -> Result<[usize; 2], MotionError> {
    let grid = image.grid();
    if grid.dimension() != Dimension::Two {
        return Err(MotionError::NotAPicture { what: what.to_owned(), got: grid.size_text() });
    }
    // Images have no mask here: what is unknown has to be replaced.
    image.require_finite(what, |_| false)?;
    let [nx, ny, _] = grid.size();
    Ok([nx, ny])
}

/// Checks samples of an image, row by row.
pub(crate) fn check_samples(what: &str, [nx, ny]: [usize; 2], samples: &[f32]) -> Result<(), MotionError> {
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
pub(crate) fn check_count(got: usize, [nx, ny]: [usize; 2]) -> Result<(), MotionError> {
    let expected = nx * ny;
    if got == expected {
        return Ok(());
    }
    Err(CoreError::SampleCount { expected, got, size: format!("{nx} × {ny} pixels") }.into())
}
