//! Cameras: what a lens does to a ray, two cameras of a rig, and how a pair of their pictures is rectified.
//!
//! *Frames* are those of OpenCV, ROS and Kalibr: x to the right, y down, z forward. *Pixels*: the centre of the first pixel is
//! `(0, 0)`. *Lengths* are metres.

mod lens;
mod pinhole;
mod rectification;
mod rectified_view;
mod rig;
mod tilt;
mod turn;

pub use lens::Lens;
pub use pinhole::Camera;
pub use rectification::Rectification;
pub use rectified_view::RectifiedView;
pub use rig::StereoRig;
pub use tilt::Tilt;
