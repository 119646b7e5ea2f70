//! Optical flow of one level from the phases of two, three or five frames.
//!
//! (Pauwels et al. 2012, section 5, eq. 12-16; after Gautama & Van Hulle 2002.) Phases of every frame are sampled where the
//! coarser estimate `d` sees the pixel at that time, `x + d t`: on a plane through the nearest pixel's phase and those of its two
//! neighbours on that side, differences wrapped; an orientation counts where the nearest pixel has a phase. It is unwrapped from
//! frame to frame around the centre and a line fitted to it; slopes ψ_q of fits with an error below τ_l constrain the rest of
//! the motion, `v·ω_q + ψ_q = 0`, and are solved by least squares.
//!
//! *Units*: pixels of the level a frame, radians. *In*: phases of frames in the order of time; the field belongs to the centre
//! one (of two: the first). *Out*: the sum of `d` and the increment, two planes in one buffer, NaN where there are too few
//! constraints; confidence `Σ_q [valid] 1/(1 + 20 e_q) / 8` with e_q the mean squared error of the fit, radians².
//! *Border*: samples outside are those of the border. *Halo*: `|d| t` + 1.

mod cpu;
mod gpu;

use crate::phase::gabor::{Levels, ORIENTATIONS};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind};

/// How component velocities are weighed against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighing {
    /// All that are valid alike (the paper's).
    Alike,
    /// By how well a line fits the phase: `1/(1 + 20 e)`.
    ByFit,
}

/// Where phases are sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// Where the coarser estimate says.
    Displaced,
    /// Where the pixel is: the images were warped before they were filtered.
    InPlace,
}

/// Which velocities count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraints {
    /// τ_l: mean squared error of a fit, radians², below which it counts; of two frames there is no error.
    pub tau_l: f32,
    /// Orientations that must count.
    pub min_orientations: usize,
    /// Their say.
    pub weighing: Weighing,
}

/// A level of phases.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// How the phases lie in memory.
    pub levels: &'a Levels,
    /// Which level.
    pub level: usize,
    /// Where they are sampled.
    pub sampling: Sampling,
}

/// Constraints count for 1/(1 + this · error).
pub(crate) const ERROR_SCALE: f32 = 20.0;
/// Determinant, radians⁴, below which the constraints leave a direction open.
pub(crate) const LEAST_DETERMINANT: f32 = 1e-6;

/// Writes the estimate and its confidence; `coarser` is the estimate of the next coarser level, of the size that [`Levels`]
/// halves to.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the level.
///
/// # Panics
/// Unless there are two, three or five frames.
pub fn phase_flow(
    device: &Device,
    (place, constraints): (Place<'_>, Constraints),
    (frames, coarser): (&[&Buffer<u16>], Option<&Buffer>),
    (out, confidence): (&mut Buffer, &mut Buffer),
) -> Result<(), ComputeError> {
    assert!(matches!(frames.len(), 2 | 3 | 5), "flow needs two, three or five frames");
    let (levels, n) = (place.levels, place.levels.pixels(place.level));
    frames.iter().try_for_each(|f| f.require(ORIENTATIONS * levels.len(), "phase_flow", "phases"))?;
    let halved = levels.size(place.level).map(|n| n.div_ceil(2));
    if let Some(coarser) = coarser {
        coarser.require(2 * halved[0] * halved[1], "phase_flow", "coarser")?;
    }
    out.require(2 * n, "phase_flow", "out")?;
    confidence.require(n, "phase_flow", "confidence")?;
    match device.kind() {
        Kind::Cpu(cpu) => {
            let frames: Vec<&[u16]> = frames.iter().map(|f| f.host()).collect();
            let coarser = coarser.map(Buffer::host);
            cpu::phase_flow(
                cpu,
                (place, constraints),
                (&frames, coarser),
                (out.host_mut(), confidence.host_mut()),
            );
            Ok(())
        }
        Kind::Gpu(gpu) => gpu::phase_flow(&**gpu, (place, constraints), (frames, coarser), (out, confidence)),
    }
}
