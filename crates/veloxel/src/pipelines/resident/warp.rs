//! An image that lies in the memory of the device, pulled back onto the grid of a field that does.

use super::look::extremes_of;
use super::{ResidentImage, in_memory, through_the_host};
use crate::pipelines::account::Account;
use crate::pipelines::prepare::grids::{OutsideFill, allow_two_grids};
use crate::pipelines::warp::{WarpImageRequest, WarpNames, warp_image};
use crate::{Result, Session};
use veloxel_core::Stage;
use veloxel_gpu::Traffic;
use veloxel_io::Strictness;
use veloxel_kernels::Kernel;
use veloxel_kernels::image::pointwise::{CountKnown, Operation};
use veloxel_kernels::image::warp::Interpolation;
use veloxel_motion::{FinerImage, MovingImage, ResidentFlow};

/// A field and an image that it points into, both in the memory of the session's device, and how that is looked up.
#[derive(Debug)]
pub struct ResidentWarpRequest<'a> {
    /// The field.
    pub flow: &'a ResidentFlow,
    /// The image, on a grid of its own.
    pub image: ResidentImage,
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

/// An image on a field's grid, left on the device.
#[derive(Debug)]
pub struct ResidentWarp {
    /// The image.
    pub warped: ResidentImage,
    /// What went over the bus.
    pub traffic: Traffic,
    /// Device, times and warnings.
    pub account: Account,
}

/// [`warp_image`] for a field and an image that lie in the memory of the device, where the result stays: the same bits.
///
/// An image with holes (NaN, infinity) goes through the memory of the host, which a warning says.
///
/// # Errors
/// As [`warp_image`].
pub fn warp_resident_image(request: ResidentWarpRequest<'_>, session: &Session) -> Result<ResidentWarp> {
    let (device, mut account) = (session.device()?, Account::begin(session)?);
    session.enter(Stage::Solve)?;
    let before = device.traffic();
    let grid = request.flow.grid.clone();
    let warped = if extremes_of(device, &request.image)?.are_finite {
        let ResidentWarpRequest { flow, image, interpolation, finer, outside, strictness, names } = request;
        allow_two_grids(&grid, &image.grid, strictness, &mut account.warnings)?;
        let mut warped = account.stages.time("warp", || {
            device.scope(|| {
                let seen =
                    MovingImage::new(device, &image.samples, &image.grid, &grid, interpolation, finer)?;
                seen.warp(&flow.components_vox, outside.border())
            })
        })?;
        let known = CountKnown { samples: &warped, count: grid.len() }.run(device)?.get(device)?;
        let missing = grid.len() - known as usize;
        if missing > 0 {
            outside.replacing().on(&mut warped).run(device)?;
        }
        outside.note([missing, grid.len()], names.warped, &mut account.warnings);
        warped
    } else {
        let name = request.names.image;
        through_the_host(&format!("{name} has samples that are no numbers"), &mut account.warnings);
        let ResidentWarpRequest { flow, image, interpolation, finer, outside, strictness, names } = request;
        let (flow, image) = (flow.duplicate(device)?.download(device)?, in_memory(device, image)?);
        let image = (&image).into();
        let request =
            WarpImageRequest { flow: &flow, image, interpolation, finer, outside, strictness, names };
        let found = warp_image(&request, session)?;
        account.absorb(found.account);
        device.upload(found.warped.into_data())?
    };
    let traffic = device.traffic().since(before);
    Ok(ResidentWarp { warped: ResidentImage { grid, samples: warped }, traffic, account })
}

impl OutsideFill {
    /// What makes its value of NaN.
    fn replacing(self) -> Operation {
        Operation::ReplaceUnknown(match self {
            Self::Value(value) => value,
            Self::Edge => 0.0,
        })
    }
}
