//! Fields in memory: applied to images and labels, and measured.

mod deformation;
mod image;
mod in_parts;
mod labels;

use super::account::Account;
pub use deformation::{DeformationResult, jacobian, jacobian_and_folding, strain};
pub use image::{WarpImageRequest, WarpNames, warp_image};
pub use in_parts::{
    WarpPartsRequest, label_ends, warp_image_in_parts, warp_labels_in_parts, warp_plan, warp_room,
};
pub use labels::{LabelChoice, WarpLabelsRequest, warp_labels};
use veloxel_core::Volume;
pub use veloxel_kernels::image::warp::Interpolation;
pub use veloxel_motion::FinerImage;

/// An image or labels on a field's grid.
#[derive(Debug, Clone, PartialEq)]
pub struct WarpResult<T> {
    /// The image or the labels.
    pub warped: Volume<T>,
    /// Device, times and warnings.
    pub account: Account,
}
