//! Medians of a flow component between warps.
//!
//! *Plain*: the median of the `(2r+1)^D` window. *Weighted* (2-D; Sun, Roth, Black 2010): the value that minimises
//! `Σ w_j |v − v_j|` over the window, with weights that fall with distance and with the difference of the guiding image, so
//! that each side of a motion boundary votes for itself; applied where the flow varies, plain elsewhere.
//! *Border*: the window is cut. *Halo*: r voxels. *Units*: as the input.

mod cpu;

use crate::buffer::require_field;
use crate::{Buffer, ComputeError, Device, Shape};

/// Which median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Median {
    /// The same vote for every voxel of the window.
    Plain {
        /// Window radius, voxels.
        radius: usize,
    },
    /// Votes by similarity in the guiding image near motion edges; plain of radius 2 elsewhere.
    Weighted {
        /// Window radius, voxels.
        radius: usize,
        /// Standard deviation of the spatial weight, voxels.
        sigma_vox: f32,
        /// Standard deviation of the intensity weight, mapped intensities.
        sigma_intensity: f32,
        /// A voxel is near a motion edge if the flow varies by more than this, edges, within the 3 × 3 window.
        edge_vox: f32,
    },
}

/// Filters every component of `field` into `out`; `guide` is the fixed image, `vote` scales each voxel's weight (none: 1).
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn median(
    device: &Device,
    (shape, kind): (Shape, Median),
    (field, guide, vote): (&[Buffer], &Buffer, Option<&Buffer>),
    out: &mut [Buffer],
) -> Result<(), ComputeError> {
    let count = (shape.components(), shape.len());
    require_field(field, count, "median", "field")?;
    require_field(out, count, "median", "out")?;
    guide.require(shape.len(), "median", "guide")?;
    if let Some(vote) = vote {
        vote.require(shape.len(), "median", "vote")?;
    }
    cpu::median(device.as_cpu(), (shape, kind), (field, guide.host(), vote.map(Buffer::host)), out);
    Ok(())
}
