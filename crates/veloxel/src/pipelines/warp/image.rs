//! An image in memory, which may lie on a grid of its own, pulled back onto a field's grid.

use super::WarpResult;
use crate::pipelines::Image;
use crate::pipelines::account::Account;
use crate::pipelines::prepare::grids::{self, MovingSampling, OutsideFill, allow_two_grids};
use crate::pipelines::prepare::holes::{blank_sampled_holes, fill_holes, note_holes};
use crate::pipelines::prepare::passes::Passes;
use crate::{Result, Session};
use veloxel_core::{Flow, Stage};
use veloxel_io::Strictness;
use veloxel_kernels::image::warp::Interpolation;
use veloxel_motion::FinerImage;

/// A field, an image that it points into, and how that is looked up.
#[derive(Debug, Clone)]
pub struct WarpImageRequest<'a> {
    /// The field.
    pub flow: &'a Flow,
    /// The image, on a grid of its own.
    pub image: Image<'a>,
    /// How samples between voxels are found.
    pub interpolation: Interpolation,
    /// What becomes of an image that is finer than the field's grid.
    pub finer: FinerImage,
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
/// Where the image holds NaN or infinity the result holds what it holds outside of the image; with [`OutsideFill::Edge`] these holes are
/// filled from the samples around.
///
/// # Errors
/// [`CoreError::NoData`](veloxel_core::CoreError::NoData) for an image without a number;
/// [`CoreError::GridMismatch`](veloxel_core::CoreError::GridMismatch) for pictures of two sizes, a picture against a volume, or
/// any difference of grids if that is refused; [`VeloxelError::Compute`](crate::VeloxelError::Compute);
/// [`VeloxelError::Stopped`](crate::VeloxelError::Stopped).
pub fn warp_image(request: &WarpImageRequest<'_>, session: &Session) -> Result<WarpResult<f32>> {
    let WarpImageRequest { flow, interpolation, finer, outside, strictness, names, .. } = *request;
    let (device, mut account) = (session.device()?, Account::begin(session)?);
    session.enter(Stage::Solve)?;
    let (mut image, passes) = (request.image.volume(), Passes::by(session));
    let known = fill_holes(&mut image, names.image, passes)?;
    allow_two_grids(flow.grid(), image.grid(), strictness, &mut account.warnings)?;
    let sampling = MovingSampling { interpolation, border: outside.border(), finer };
    let mut warped = account.stages.time("warp", || grids::warp_image(device, flow, &image, sampling))?;
    if let Some(known) = known {
        note_holes(&known, None, names.image, &mut account.warnings);
        if outside != OutsideFill::Edge {
            let nearest = interpolation == Interpolation::Nearest;
            blank_sampled_holes(flow, &known, nearest, &mut warped, passes);
        }
    }
    outside.fill(&mut warped, names.warped, passes, &mut account.warnings);
    Ok(WarpResult { warped, account })
}
