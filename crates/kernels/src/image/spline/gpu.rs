//! Launches for [`super::spline_coefficients`]: those of the convolution, on mirrored borders.

use super::response;
use crate::gpu::Gpu;
use crate::kernels::convolve::gpu::{Border, pass};
use crate::{Buffer, ComputeError, Device, Shape};
use std::mem::swap;

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
