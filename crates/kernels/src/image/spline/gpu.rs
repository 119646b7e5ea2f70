//! Launches for [`super::spline_coefficients`]: those of the convolution, on mirrored borders.

use super::response;
use crate::image::convolve::gpu::{Border, pass};
use std::mem::swap;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Gpu};

pub(super) fn spline_coefficients(
    (device, gpu): (&Device, &dyn Gpu),
    shape: Shape,
    samples: &mut Buffer,
) -> Result<(), ComputeError> {
    let weights = response();
    if shape.size.iter().all(|&n| n <= 1) {
        return Ok(());
    }
    let mut out = device.scratch(shape.len())?;
    for axis in (0..3).filter(|&axis| shape.size[axis] > 1) {
        pass((device, gpu), (shape, (axis, &weights), Border::Mirror), samples, &out)?;
        swap(samples, &mut out);
    }
    Ok(())
}
