//! Linear maps between two images, from coarse to fine: by brightness, and by mutual information where intensities mean different things.

pub mod affine_registration;
pub(crate) mod aligned_brightness;
mod information;
mod joint_histogram;
mod levels;
pub(crate) mod motion_group;
mod search;
