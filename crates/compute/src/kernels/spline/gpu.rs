//! Launches for [`super::spline_coefficients`]: those of the convolution, on mirrored borders.

use super::POLE;
use crate::gpu::Gpu;
use crate::kernels::convolve::gpu::{Border, pass};
use crate::{Buffer, ComputeError, Device, Shape};
use std::mem::swap;

/// The response is cut where the pole's powers vanish in `f32`.
const RADIUS: i32 = 13;

pub(super) fn spline_coefficients(
    (device, gpu): (&Device, &dyn Gpu),
    shape: Shape,
    samples: &mut Buffer,
) -> Result<(), ComputeError> {
    // The response of both recursions together: 6 z / (z² − 1) · z^|k|.
    let gain = 6.0 * POLE / (POLE * POLE - 1.0);
    let weights: Vec<f32> = (0..=RADIUS).map(|k| gain * POLE.powi(k)).collect();
    if shape.size.iter().all(|&n| n <= 1) {
        return Ok(());
    }
    let mut out = device.zeros(shape.len())?;
    for axis in (0..3).filter(|&axis| shape.size[axis] > 1) {
        pass((device, gpu), (shape, (axis, &weights), Border::Mirror), samples, &out)?;
        swap(samples, &mut out);
    }
    Ok(())
}
