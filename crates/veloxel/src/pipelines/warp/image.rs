//! An image in memory, which may lie on a grid of its own, pulled back onto a field's grid.

use super::WarpResult;
use crate::pipelines::Image;
use crate::pipelines::account::Account;
use crate::pipelines::prepare::grids::{self, MovingSampling, OutsideFill, allow_two_grids};
use crate::{Result, Session};
use veloxel_core::{Flow, Stage};
use veloxel_io::Strictness;
use veloxel_kernels::image::warp::Interpolation;

/// A field, an image that it points into, and how that is looked up.
#[derive(Debug, Clone)]
pub struct WarpImageRequest<'a> {
    /// The field.
    pub flow: &'a Flow,
    /// The image, on a grid of its own.
    pub image: Image<'a>,
    /// How samples between voxels are found.
    pub interpolation: Interpolation,
    /// What the result holds where the image has no sample or the field is unknown.
    pub outside: OutsideFill,
    /// Whether two grids are allowed.
    pub strictness: Strictness,
    /// What the images are called in warnings and errors.
    pub names: WarpNames<'a>,
}

/// What the images of a run are called in its warnings and errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpNames<'a> {
    /// The image.
    pub image: &'a str,
    /// The result.
    pub warped: &'a str,
}

impl Default for WarpNames<'_> {
    fn default() -> Self {
        Self { image: "the image", warped: "the warped image" }
    }
}

/// Pulls an image back onto the field's grid: `warped(x) = image(x + d(x))`.
///
/// # Errors
/// [`CoreError::NotFinite`](veloxel_core::CoreError::NotFinite);
/// [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for pictures of two sizes, a picture against a volume, or
/// any difference of grids if that is refused; [`VeloxelError::Compute`](crate::VeloxelError::Compute);
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn warp_image(request: &WarpImageRequest<'_>, session: &Session) -> Result<WarpResult<f32>> {
    let WarpImageRequest { flow, interpolation, outside, strictness, names, .. } = *request;
    let (device, mut account) = (session.device()?, Account::begin(session)?);
    session.enter(Stage::Solve)?;
    let image = request.image.volume();
    image.require_finite(names.image, |_| false)?;
    allow_two_grids(flow.grid(), image.grid(), strictness, &mut account.warnings)?;
    let sampling = MovingSampling { interpolation, border: outside.border() };
    let mut warped = account.stages.time("warp", || grids::warp_image(device, flow, &image, sampling))?;
    outside.fill(&mut warped, names.warped, &mut account.warnings);
    Ok(WarpResult { warped, account })
}
