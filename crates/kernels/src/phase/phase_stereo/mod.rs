//! Disparity of one level from the phase differences of two rectified images.
//!
//! (Pauwels et al. 2012, section 4, eq. 8-11.) `δ_q = [φ_R(x − d) − φ_L(x)] / (ω₀ cos θ_q)` around the coarser estimate `d`, for
//! every orientation but the one that sees no horizontal shift, and the median over those with a phase on both sides. With both
//! views the right image's disparity is found as well, for the check of one against the other. A phase between pixels lies on the
//! line through the nearest one's and that of the next one on that side; it counts where the former has one.
//!
//! *Units*: pixels of the level; positive for `x_right = x_left − d`. *Out*: one plane, or two in one buffer, of `d` and the
//! increment: NaN where the coarser estimate is unknown, where too few orientations have a phase, and where the match lies
//! outside the other image; confidence `Σ_q 1/(1 + 4 (δ_q − δ)²) / 7`. *Border*: samples outside are those of the border.
//! *Halo*: `|d|` + 1.

mod cpu;
mod gpu;

use crate::phase::gabor::ORIENTATIONS;
use crate::phase::phase_flow::{Place, Sampling};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind};

/// Whose disparity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Views {
    /// The left image's.
    Left,
    /// The left image's, then the right image's.
    Both,
}

impl Views {
    /// Planes of an estimate.
    pub fn count(self) -> usize {
        match self {
            Self::Left => 1,
            Self::Both => 2,
        }
    }
}

/// Which phase differences count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Votes {
    /// Orientations that must have one, seven at most.
    pub min_orientations: usize,
    /// Whose disparity.
    pub views: Views,
}

/// An orientation counts for 1/(1 + this · distance² from the median), distance in pixels.
pub(crate) const SPREAD_SCALE: f32 = 4.0;

/// Writes the estimates and their confidence, a plane a view; `coarser` are those of the next coarser level. Where phases
/// are sampled in place the right ones belong to an image that was warped onto the left one, and only that view can be asked for.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the level.
pub fn phase_stereo(
    device: &Device,
    (place, votes): (Place<'_>, Votes),
    (left, right, coarser): (&Buffer<u16>, &Buffer<u16>, Option<&Buffer>),
    (out, confidence): (&mut Buffer, &mut Buffer),
) -> Result<(), ComputeError> {
    let (levels, views) = (place.levels, votes.views.count());
    let n = levels.pixels(place.level);
    assert!(views == 1 || place.sampling == Sampling::Displaced, "a warped image has one view");
    for phases in [left, right] {
        phases.require(ORIENTATIONS * levels.len(), "phase_stereo", "phases")?;
    }
    let [cx, cy] = levels.size(place.level).map(|n| n.div_ceil(2));
    if let Some(coarser) = coarser {
        coarser.require(views * cx * cy, "phase_stereo", "coarser")?;
    }
    out.require(views * n, "phase_stereo", "out")?;
    confidence.require(views * n, "phase_stereo", "confidence")?;
    match device.kind() {
        Kind::Cpu(cpu) => {
            let inputs = (left.host(), right.host(), coarser.map(Buffer::host));
            cpu::phase_stereo(cpu, (place, votes), inputs, (out.host_mut(), confidence.host_mut()));
            Ok(())
        }
        Kind::Gpu(gpu) => {
            gpu::phase_stereo(&**gpu, (place, votes), (left, right, coarser), (out, confidence))
        }
    }
}
