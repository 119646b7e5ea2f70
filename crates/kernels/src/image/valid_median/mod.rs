//! Medians of estimates that may be unknown: of 3×3 or 5×5 pixels where the majority is known.
//!
//! (Pauwels et al. 2012, section 4.) *In*: planes of one size in one buffer, NaN where unknown. *Out*: the median of the window's
//! known samples (of an even number the mean of the middle two) where they are more than half of it; elsewhere twice the coarser
//! level's estimate, where one is given and known; else NaN. *Border*: the window is cut, and so is what half of it is.
//! *Halo*: the radius.

mod cpu;
mod gpu;
mod of_five;

use veloxel_gpu::{Buffer, ComputeError, Device, Kind};

/// A window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// The pixel itself: nothing is filtered.
    One,
    /// Radius 1.
    Three,
    /// Radius 2.
    Five,
}

impl Window {
    pub(crate) fn radius(self) -> usize {
        match self {
            Self::One => 0,
            Self::Three => 1,
            Self::Five => 2,
        }
    }
}

/// Planes of a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planes {
    /// `(nx, ny)`.
    pub size: [usize; 2],
    /// How many.
    pub count: usize,
}

impl Planes {
    fn pixels(self) -> usize {
        self.size[0] * self.size[1]
    }
}

/// Filters `estimates` into `out`; `coarser` holds the same planes of the next coarser level, where unknown samples are to be
/// filled from it. `confidence`, of one plane or as many, becomes 0 where what is written is unknown.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the planes.
pub fn valid_median(
    device: &Device,
    (planes, window): (Planes, Window),
    (estimates, coarser): (&Buffer, Option<&Buffer>),
    (out, confidence): (&mut Buffer, Option<&mut Buffer>),
) -> Result<(), ComputeError> {
    let n = planes.count * planes.pixels();
    estimates.require(n, "valid_median", "estimates")?;
    out.require(n, "valid_median", "out")?;
    let [cx, cy] = planes.size.map(|n| n.div_ceil(2));
    if let Some(coarser) = coarser {
        coarser.require(planes.count * cx * cy, "valid_median", "coarser")?;
    }
    if let Some(confidence) = &confidence
        && confidence.len() != planes.pixels()
    {
        confidence.require(n, "valid_median", "confidence")?;
    }
    match device.kind() {
        Kind::Cpu(cpu) => {
            let inputs = (estimates.host(), coarser.map(Buffer::host));
            cpu::valid_median(
                cpu,
                (planes, window),
                inputs,
                (out.host_mut(), confidence.map(Buffer::host_mut)),
            );
            Ok(())
        }
        Kind::Gpu(gpu) => {
            gpu::valid_median(&**gpu, (planes, window), (estimates, coarser), (out, confidence.as_deref()))
        }
    }
}
