//! What every dense method tells once it is opened: its grid, its device, its memory.

use crate::method::footprint::Footprint;
use veloxel_core::Grid;
use veloxel_gpu::Device;
use veloxel_kernels::image::warp::Interpolation;

/// A method that was opened for a grid and a device.
pub trait DenseMethod: Send {
    /// The grid of the images it takes, on which its flow lives.
    fn grid(&self) -> &Grid;
    /// Where it runs.
    fn device(&self) -> &Device;
    /// How images are sampled between voxels.
    fn interpolation(&self) -> Interpolation {
        Interpolation::CubicSpline
    }
    /// Whether images count in the brightness that they have: the method compares the numbers of the files, or brings the images together by
    /// itself. Otherwise a moving image that a linear start has aligned is made as bright as the fixed one first.
    fn takes_brightness_as_it_is(&self) -> bool {
        false
    }
    /// The device memory that a run takes, and how a run may be cut into tiles; none: unknown, so memory and time cannot be
    /// predicted.
    fn footprint(&self) -> Option<Footprint> {
        None
    }
}
