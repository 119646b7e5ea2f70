//! Image derivatives along one axis, per voxel.
//!
//! *In*: an image. *Out*: its derivative, intensity per voxel. *Border*: see [`Scheme`]. *Halo*: 2 voxels.

pub(crate) mod cpu;

use crate::{Buffer, ComputeError, Device, Shape};

/// How derivatives are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// `I(x+1) − I(x)`, 0 at the last voxel (thiyagalingam2011, section 4.1).
    Forward,
    /// `(1, −8, 0, 8, −1)/12`, fourth order, on replicated borders (Bruhn et al. 2005).
    Central4,
}

/// Writes the derivative of `image` along `axis` (0 is x).
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn gradient(
    device: &Device,
    (shape, axis, scheme): (Shape, usize, Scheme),
    image: &Buffer,
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    image.require(shape.len(), "gradient", "image")?;
    out.require(shape.len(), "gradient", "out")?;
    let [nx, _, _] = shape.size;
    let (image, shared) = (image.host(), crate::rows::Shared::new(out.host_mut()));
    device.as_cpu().split(shape.rows(), shape.len(), |rows| {
        for row in rows {
            // SAFETY: every row is written by one thread.
            let out = unsafe { shared.get_mut(row * nx..(row + 1) * nx) };
            cpu::derivative_row(image, (shape, axis, scheme), row, out);
        }
    });
    Ok(())
}
