//! What is known before a method's first step: given, or found from the images that are on the device already.

use crate::MotionError;
use crate::affine_registration::{AffineModel, affine_registration};
use crate::frame::Frame;
use crate::resident::{ResidentFlow, ResidentMask, ResidentStart};
use veloxel_core::Flow;
use veloxel_gpu::Device;
use veloxel_kernels::image::warp::VoxelAffine;

/// What a pair starts from.
#[derive(Debug, Clone, Copy, Default)]
pub enum Start<'a> {
    /// Nothing.
    #[default]
    Zero,
    /// A map that is found from the images.
    Registration(AffineModel),
    /// An affine map of the fixed grid onto itself, voxel positions.
    Affine(VoxelAffine),
    /// A field.
    Flow(&'a Flow),
}

impl Start<'_> {
    /// The field on the device, where the start is one.
    pub(crate) fn upload_flow(&self, device: &Device) -> Result<Option<ResidentFlow>, MotionError> {
        match self {
            Self::Flow(flow) => ResidentFlow::upload(device, flow).map(Some),
            _ => Ok(None),
        }
    }

    /// The start as methods take it; `flow` is what [`Self::upload_flow`] gave.
    pub(crate) fn find<'a>(
        &self,
        images: [&Frame; 2],
        mask: Option<&ResidentMask>,
        flow: Option<&'a ResidentFlow>,
    ) -> Result<ResidentStart<'a>, MotionError> {
        Ok(match (self, flow) {
            (Self::Affine(map), _) => ResidentStart::Affine(*map),
            (Self::Registration(model), _) => {
                // Images without contrast have a defined result, which needs no start.
                let [fixed, moving] = images;
                match (fixed.map()?, moving.map()?) {
                    (Some(_), Some(_)) => ResidentStart::Affine(affine_registration(images, mask, *model)?),
                    _ => ResidentStart::Zero,
                }
            }
            (_, Some(flow)) => ResidentStart::Flow(flow),
            (_, None) => ResidentStart::Zero,
        })
    }
}
