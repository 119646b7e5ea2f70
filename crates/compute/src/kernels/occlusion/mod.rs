//! How likely a pixel is seen in both images: `o = exp(−min(div d, 0)² / 2σ_d² − I_t² / 2σ_i²)`.
//!
//! (Sun, Roth, Black 2010, after Sand & Teller 2008.) Pixels that others move onto, or whose intensity is not found again,
//! get little say in the weighted median. *In*: displacement in edges, fixed and warped image. *Out*: [0, 1].
//! *Outside* (warped is NaN): [`OUTSIDE`]. *Border*: one-sided differences. *Halo*: 1 voxel.

use crate::buffer::require_field;
use crate::rows::Shared;
use crate::{Axes, Buffer, ComputeError, Device, Shape};

/// Say of a pixel that is not in the moving image at all.
pub const OUTSIDE: f32 = 0.05;

/// The scales of the two signs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// σ_d, edges per edge.
    pub divergence: f32,
    /// σ_i, mapped intensities.
    pub intensity: f32,
}

/// Writes the visibility.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn visibility(
    device: &Device,
    (shape, spacing_edges, scales): (Shape, Axes<f32>, Scales),
    (displacement, fixed, warped): (&[Buffer], &Buffer, &Buffer),
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    let n = shape.len();
    require_field(displacement, (shape.components(), n), "visibility", "displacement")?;
    fixed.require(n, "visibility", "fixed")?;
    warped.require(n, "visibility", "warped")?;
    out.require(n, "visibility", "out")?;
    let [nx, ny, nz] = shape.size;
    let shared = Shared::new(out.host_mut());
    let (fixed, warped) = (fixed.host(), warped.host());
    let (per_d2, per_i2) = (0.5 / scales.divergence.powi(2), 0.5 / scales.intensity.powi(2));
    device.as_cpu().split(shape.rows(), 4 * n, |rows| {
        for row in rows {
            // SAFETY: every row is written by one thread.
            let out = unsafe { shared.get_mut(row * nx..(row + 1) * nx) };
            for (x, out) in out.iter_mut().enumerate() {
                let i = row * nx + x;
                if warped[i].is_nan() {
                    *out = OUTSIDE;
                    continue;
                }
                let axes = [(x, nx, 1), (row % ny, ny, nx), (row / ny, nz, nx * ny)];
                let mut divergence = 0.0;
                for ((component, (at, count, stride)), spacing) in
                    displacement.iter().zip(axes).zip(spacing_edges)
                {
                    let d = component.host();
                    let (low, high) =
                        (if at > 0 { i - stride } else { i }, if at + 1 < count { i + stride } else { i });
                    let steps = ((high - low) / stride).max(1) as f32;
                    divergence += (d[high] - d[low]) / (steps * spacing);
                }
                let (closing, difference) = (divergence.min(0.0), warped[i] - fixed[i]);
                *out = (-closing * closing * per_d2 - difference * difference * per_i2).exp();
            }
        }
    });
    Ok(())
}
