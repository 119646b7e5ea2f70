//! An image in, the filtered image out: what methods do to images on their way, by itself.

mod named;

use super::Image;
use super::account::Account;
use crate::{Result, Session};
pub use named::{FILTERS, Filter, FilterError, FilterSettings, NamedFilter};
use veloxel_core::{Axes, Dimension, Grid, Shape, Stage, Volume};
use veloxel_gpu::{Buffer, Device};
use veloxel_kernels::image::convolve::Convolve;
use veloxel_kernels::image::resample::Resample;
use veloxel_kernels::{Kernel, Taps};
use veloxel_motion::steps::pyramid::shrink;

/// Radius at which a Gaussian is cut, in standard deviations.
const TRUNCATE: f64 = 3.0;

/// An image, and what is done to it.
#[derive(Debug, Clone)]
pub struct FilterRequest<'a> {
    /// The image.
    pub image: Image<'a>,
    /// The filter.
    pub filter: &'a Filter,
    /// Name of the image in errors.
    pub name: &'a str,
}

/// A filtered image.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterResult {
    /// The image; on a grid of its own after resampling.
    pub image: Volume<f32>,
    /// Device, times and warnings.
    pub account: Account,
}

/// Filters an image; beyond its border the nearest sample counts.
///
/// ```
/// use veloxel::pipelines::filter::{Filter, FilterRequest, filter};
/// use veloxel::{Device, Grid, Session, Volume};
///
/// let image = Volume::new(Grid::image(3, 1)?, vec![0.0, 4.0, 0.0])?;
/// let smooth = Filter::Convolution { weights: vec![0.5, 0.25] };
/// let session = Session::on(Device::cpu(1)?);
/// let request = FilterRequest { image: (&image).into(), filter: &smooth, name: "the image" };
/// assert_eq!(filter(&request, &session)?.image.data(), [1.0, 2.0, 1.0]);
/// # Ok::<(), veloxel::VeloxelError>(())
/// ```
///
/// # Errors
/// [`VeloxelError::Filter`](crate::VeloxelError::Filter) for numbers that do not fit the image's axes;
/// [`CoreError::NotFinite`](veloxel_core::CoreError::NotFinite) for an image with samples that are no numbers;
/// [`CoreError::Size`](veloxel_core::CoreError::Size) for a size of 0;
/// [`VeloxelError::Compute`](crate::VeloxelError::Compute); [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn filter(request: &FilterRequest<'_>, session: &Session) -> Result<FilterResult> {
    let (device, mut account) = (session.device()?, Account::begin(session)?);
    session.enter(Stage::Solve)?;
    let image = request.image.volume();
    image.require_finite(request.name, |_| false)?;
    let (grid, dimension) = (image.grid(), image.grid().dimension());
    let image = account.stages.time("filter", || match request.filter {
        Filter::Gaussian { sigma_vox } => {
            let taps = Filter::axes(sigma_vox, dimension)?.map(|sigma| Taps::gaussian(sigma, TRUNCATE));
            convolved(device, &image, &taps)
        }
        Filter::Convolution { weights } => {
            let taps = Taps::of_weights(weights.clone());
            convolved(device, &image, &[taps.clone(), taps.clone(), taps])
        }
        Filter::Resample { size } => {
            resampled(device, &image, finer_or_coarser(grid, Filter::size(size, dimension)?)?)
        }
    })?;
    Ok(FilterResult { image, account })
}

fn shape(grid: &Grid) -> Shape {
    Shape { size: grid.size(), dimension: grid.dimension() }
}

fn convolved(device: &Device, image: &Volume<f32>, taps: &Axes<Taps>) -> Result<Volume<f32>> {
    let (input, mut output) = (device.upload_copy(image.data())?, device.scratch(image.data().len())?);
    Convolve { shape: shape(image.grid()), taps, input: &input, output: &mut output }.run(device)?;
    Ok(Volume::new(image.grid().clone(), device.download(output)?)?)
}

/// The same extent in another number of voxels.
fn finer_or_coarser(grid: &Grid, size: [usize; 3]) -> Result<Grid> {
    let [nx, ny, nz] = size;
    let own = match grid.dimension() {
        Dimension::Two => Grid::image(nx, ny)?,
        Dimension::Three => Grid::volume(nx, ny, nz)?,
    };
    // A picture lies nowhere: its pixels are its unit.
    if grid.dimension() == Dimension::Two && grid.is_unplaced() {
        return Ok(own);
    }
    let factor = [0, 1, 2].map(|axis| grid.size()[axis] as f64 / size[axis] as f64);
    let spacing_mm = [0, 1, 2].map(|axis| grid.spacing_mm()[axis] * factor[axis]);
    let origin_mm = grid.world_from_voxel(factor.map(|factor| 0.5 * factor - 0.5));
    Ok(own.with_spacing_mm(spacing_mm)?.with_origin_mm(origin_mm).with_direction(grid.direction())?)
}

/// Linear interpolation; smoothed before along axes that become coarser, as pyramids are.
fn resampled(device: &Device, image: &Volume<f32>, grid: Grid) -> Result<Volume<f32>> {
    let (from, to) = (shape(image.grid()), shape(&grid));
    let input = device.upload_copy(image.data())?;
    let is_coarser = from.size.iter().zip(&to.size).any(|(from, to)| to < from);
    let output: Buffer = match is_coarser {
        true => shrink(device, &input, from, to)?,
        false => {
            let mut output = [device.scratch(to.len())?];
            let input = [input];
            Resample { input: &input, input_shape: from, output: &mut output, output_shape: to, factor: 1.0 }
                .run(device)?;
            let [output] = output;
            output
        }
    };
    Ok(Volume::new(grid, device.download(output)?)?)
}

#[cfg(test)]
mod tests;
