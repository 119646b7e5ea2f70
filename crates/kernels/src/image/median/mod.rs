//! Medians of a flow component between warps.
//!
//! *Plain*: the median of the `(2r+1)^D` window. *Weighted* (2-D; Sun, Roth, Black 2010): the value that minimises
//! `Σ w_j |v − v_j|` over the window, with weights that fall with distance and with the difference of the guiding image, so
//! that each side of a motion boundary votes for itself; applied near motion edges, plain elsewhere.
//!
//! The weighted median is blended in with the square of the flow's bend, the largest second difference within reach:
//! nothing below 0.9 of an edge's square, half at an edge, all of it from 1.1 on. It lies within one weighted standard
//! deviation of the weighted mean, and is found by sixteen halvings of that bracket.
//! *Border*: the window is cut. *Halo*: r voxels. *Units*: as the input.

mod cpu;
mod gpu;
mod weighted;

use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

/// Which median.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Median {
    /// The same vote for every voxel of the window.
    Plain {
        /// Window radius, voxels.
        radius: usize,
    },
    /// Plain of radius 2 everywhere; then, near motion edges, votes by distance, likeness in the guide and visibility.
    Weighted(WeightedMedian),
}

/// The weighted median's window and votes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedMedian {
    /// Window radius, pixels.
    pub radius: usize,
    /// Every how many pixels of the window one votes.
    pub stride: usize,
    /// Standard deviation of the spatial weight, pixels.
    pub sigma_vox: f32,
    /// Standard deviation of the intensity weight, units of the guide.
    pub sigma_intensity: f32,
    /// Second difference of the flow along an axis that is a motion edge, unit of the field.
    pub edge: f32,
    /// How far from a motion edge the votes are weighed, pixels.
    pub reach: usize,
}

impl WeightedMedian {
    /// The squared second difference where an edge begins to count, and the share of an edge for each one more.
    fn ramp(&self) -> [f32; 2] {
        let square = (self.edge * self.edge).max(f32::MIN_POSITIVE);
        [0.9 * square, 5.0 / square]
    }
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
    match device.kind() {
        Kind::Cpu(cpu) => {
            cpu::median(cpu, (shape, kind), (field, guide.host(), vote.map(Buffer::host)), out);
        }
        Kind::Gpu(gpu) => gpu::median((device, &**gpu), (shape, kind), (field, guide, vote), out)?,
    }
    Ok(())
}
