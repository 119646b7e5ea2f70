//! Voxel by voxel, without neighbours: copies, scalings, affine maps of intensity, clipped increments.
//!
//! *Halo*: none.

use crate::buffer::require_field;
use crate::rows::Shared;
use crate::{Buffer, ComputeError, Device};

/// Calls `work(out part, in part)` in parallel.
fn each(device: &Device, input: &[f32], out: &mut [f32], work: impl Fn(&mut [f32], &[f32]) + Sync) {
    let n = out.len();
    let out = Shared::new(out);
    device.as_cpu().split(n, n, |range| {
        // SAFETY: ranges are disjoint.
        let part = unsafe { out.get_mut(range.clone()) };
        work(part, &input[range]);
    });
}

/// `out = in`.
///
/// # Errors
/// [`ComputeError::Length`] if the lengths differ.
pub fn copy(device: &Device, input: &Buffer, out: &mut Buffer) -> Result<(), ComputeError> {
    out.require(input.len(), "copy", "out")?;
    each(device, input.host(), out.host_mut(), |out, input| out.copy_from_slice(input));
    Ok(())
}

/// `v ← gain · v + offset`, and NaN or infinity becomes 0.
pub fn map_affine(device: &Device, (gain, offset): (f32, f32), samples: &mut Buffer) {
    let n = samples.len();
    let shared = Shared::new(samples.host_mut());
    device.as_cpu().split(n, n, |range| {
        // SAFETY: ranges are disjoint.
        for v in unsafe { shared.get_mut(range) } {
            let mapped = gain * *v + offset;
            *v = if mapped.is_finite() { mapped } else { 0.0 };
        }
    });
}

/// `v ← gain · v`.
pub fn scale(device: &Device, gain: f32, samples: &mut Buffer) {
    map_affine(device, (gain, 0.0), samples);
}

/// Every sample becomes `value`.
pub fn fill(device: &Device, value: f32, out: &mut Buffer) {
    let n = out.len();
    let shared = Shared::new(out.host_mut());
    // SAFETY: ranges are disjoint.
    device.as_cpu().split(n, n, |range| unsafe { shared.get_mut(range) }.fill(value));
}

/// Shortens every vector of a field to at most `limit` (same unit); returns the sum of the lengths after that.
///
/// # Errors
/// [`ComputeError::Length`] if the components differ in length.
pub fn clip_length(device: &Device, limit: f32, field: &mut [Buffer]) -> Result<f64, ComputeError> {
    let n = field.first().map_or(0, Buffer::len);
    require_field(field, (field.len(), n), "clip_length", "field")?;
    let parts: Vec<Shared<'_>> = field.iter_mut().map(|b| Shared::new(b.host_mut())).collect();
    let [total] = device.as_cpu().sum(n, n, |range| {
        let mut sum = 0.0;
        // SAFETY: ranges are disjoint.
        let mut rows: Vec<&mut [f32]> = parts.iter().map(|p| unsafe { p.get_mut(range.clone()) }).collect();
        for i in 0..range.len() {
            let length = rows.iter().map(|r| r[i] * r[i]).sum::<f32>().sqrt();
            let scale = if length > limit { limit / length } else { 1.0 };
            if scale < 1.0 {
                rows.iter_mut().for_each(|r| r[i] *= scale);
            }
            sum += f64::from(length * scale);
        }
        [sum]
    });
    Ok(total)
}

/// `v ← ln(1 + max(v, −0.95))`: a determinant minus one becomes the volume change that composition adds up.
pub fn log_change(device: &Device, change: &mut Buffer) {
    let n = change.len();
    let shared = Shared::new(change.host_mut());
    device.as_cpu().split(n, 4 * n, |range| {
        // SAFETY: ranges are disjoint.
        unsafe { shared.get_mut(range) }.iter_mut().for_each(|v| *v = v.max(-0.95).ln_1p());
    });
}

/// `out ← out · factor`.
///
/// # Errors
/// [`ComputeError::Length`] if the lengths differ.
pub fn multiply(device: &Device, factor: &Buffer, out: &mut Buffer) -> Result<(), ComputeError> {
    out.require(factor.len(), "multiply", "out")?;
    each(device, factor.host(), out.host_mut(), |out, factor| {
        out.iter_mut().zip(factor).for_each(|(o, &f)| *o *= f);
    });
    Ok(())
}
