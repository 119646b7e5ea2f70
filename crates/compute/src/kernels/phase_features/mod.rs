//! Local features: energy, orientation and phase of every pixel on every level, from one image's Gabor responses.
//!
//! (Pauwels et al. 2012, eq. 3-7.) `E = Σ ρ²`, `θ = ½ arg Σ ρ e^{2jθ_q}` in [0, π), `φ = atan2(S, C)` in (−π, π] with
//! `S = Σ S_q ρ² cos(θ_q − θ)` and `C = Σ C_q ρ² |cos(θ_q − θ)|`: 0 on a bright line, ±π/2 on edges, π on a dark line.
//! *Units*: intensity², radians. *Invalid*: orientation and phase are NaN where no response reaches the least magnitude.
//! *Halo*: none.

mod cpu;
mod gpu;

use crate::device::Kind;
use crate::kernels::gabor::{Levels, RESPONSES};
use crate::{Buffer, ComputeError, Device};

/// How the responses across orientations become one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sums {
    /// Weighted by energy and by orientation (eq. 6-7).
    Weighted,
    /// `S = Σ S_q`, `C = Σ C_q` (section 3.2: the hardware's). Odd responses of opposite directions cancel as they come.
    Plain,
}

/// Writes energy, orientation and phase, level after level as the pyramid is.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the levels.
pub fn phase_features(
    device: &Device,
    (levels, sums, least_magnitude): (&Levels, Sums, f32),
    responses: &Buffer,
    out: &mut [Buffer; 3],
) -> Result<(), ComputeError> {
    responses.require(RESPONSES * levels.len(), "phase_features", "responses")?;
    out.iter().try_for_each(|b| b.require(levels.len(), "phase_features", "out"))?;
    let least2 = least_magnitude * least_magnitude;
    match device.kind() {
        Kind::Cpu(cpu) => {
            cpu::phase_features(cpu, (levels, sums, least2), responses.host(), out);
            Ok(())
        }
        Kind::Gpu(gpu) => gpu::phase_features(&**gpu, (levels, sums, least2), responses, out),
    }
}
