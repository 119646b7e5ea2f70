//! Pictures of two cameras in memory: rectified, and depths and points of a disparity.

mod cloud;
mod rectify;

pub use cloud::{CloudRequest, depth, point_cloud};
pub use rectify::{RectifiedPicture, RectifyRequest, RectifyResult, rectify};
