//! How far a vector can be trusted: `c = determinacy · fit`, in [0, 1].
//!
//! *Determinacy* `1 − (α'/D) tr (J + α' I)⁻¹`: the mean over directions of `λ / (λ + α')`, the share of the estimate that
//! comes from the data rather than from the neighbours. *Fit* `1 / (1 + J_tt / σ²)`: with a normalised constraint J_tt is
//! the squared distance, in edges, by which the warped images still miss each other.
//! *In*: a tensor with tt from [`super::motion_tensor`], taken at the final field. *Halo*: none.

use crate::buffer::require_field;
use crate::rows::Shared;
use crate::{Buffer, ComputeError, Device, Shape};

/// The two scales a confidence is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// α': tensor eigenvalues well above it are data, well below it are interpolation.
    pub determinacy: f32,
    /// σ: the mismatch at which the fit counts half, in the square root of the tensor's unit.
    pub mismatch: f32,
}

/// Writes the confidence.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn confidence(
    device: &Device,
    (shape, scales): (Shape, Scales),
    tensor: &[Buffer],
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    let (n, d) = (shape.len(), shape.components());
    require_field(tensor, (shape.tensor_entries() + d + 1, n), "confidence", "tensor")?;
    out.require(n, "confidence", "out")?;
    let j: Vec<&[f32]> = tensor.iter().map(Buffer::host).collect();
    let tt = j[j.len() - 1];
    let shared = Shared::new(out.host_mut());
    let a = scales.determinacy;
    device.as_cpu().split(n, n, |range| {
        // SAFETY: ranges are disjoint.
        let out = unsafe { shared.get_mut(range.clone()) };
        for (out, i) in out.iter_mut().zip(range) {
            let trace = if d == 2 {
                let (p, q, r) = (j[0][i] + a, j[1][i], j[2][i] + a);
                (p + r) / (p * r - q * q)
            } else {
                let (p, q, r) = (j[0][i] + a, j[1][i], j[2][i]);
                let (s, t, u) = (j[3][i] + a, j[4][i], j[5][i] + a);
                let (m0, m1, m2) = (s * u - t * t, p * u - r * r, p * s - q * q);
                (m0 + m1 + m2) / (p * m0 + q * (r * t - q * u) + r * (q * t - r * s))
            };
            let determinacy = (1.0 - a * trace / d as f32).clamp(0.0, 1.0);
            *out = determinacy / (1.0 + tt[i] / (scales.mismatch * scales.mismatch));
        }
    });
    Ok(())
}
