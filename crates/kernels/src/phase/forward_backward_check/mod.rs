//! The check of an estimate against the one from the other image back: what does not return is unknown.
//!
//! A pixel's match is looked up in the estimate of the other image (bilinear over what is known there); the two should cancel.
//! *Units*: pixels. *Out*: the estimate, NaN where the way there and back ends further from the pixel than the threshold or
//! where nothing is known; the confidence times `1/(1 + r²)`, r that distance, 0 where unknown. *Halo*: the motion.

mod cpu;
mod gpu;

use veloxel_gpu::{Buffer, ComputeError, Device, Kind};

/// Two estimates of each other's images.
#[derive(Debug, Clone, Copy)]
pub enum Matches<'a> {
    /// Two planes each: motion from the first image to the second, and back.
    Flow {
        /// On the first image.
        forward: &'a Buffer,
        /// On the second.
        backward: &'a Buffer,
    },
    /// Two planes of disparity, the left image's and the right image's.
    Disparity(&'a Buffer),
}

impl<'a> Matches<'a> {
    /// Planes of what is checked.
    fn components(self) -> usize {
        match self {
            Self::Flow { .. } => 2,
            Self::Disparity(_) => 1,
        }
    }
    fn buffers(self) -> [&'a Buffer; 2] {
        match self {
            Self::Flow { forward, backward } => [forward, backward],
            Self::Disparity(both) => [both, both],
        }
    }
}

/// Writes the estimate of the first image where the other one confirms it to `threshold_px`, and its confidence; of the
/// confidence given only the first plane counts.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the size.
pub fn forward_backward_check(
    device: &Device,
    (size, threshold_px): ([usize; 2], f32),
    (matches, confidence): (Matches<'_>, &Buffer),
    (out, confidence_out): (&mut Buffer, &mut Buffer),
) -> Result<(), ComputeError> {
    let n = size[0] * size[1];
    matches.buffers().iter().try_for_each(|b| b.require(2 * n, "forward_backward_check", "estimates"))?;
    if confidence.len() != 2 * n {
        confidence.require(n, "forward_backward_check", "confidence")?;
    }
    out.require(matches.components() * n, "forward_backward_check", "out")?;
    confidence_out.require(n, "forward_backward_check", "confidence")?;
    let check = (size, threshold_px);
    match device.kind() {
        Kind::Cpu(cpu) => {
            let out = (out.host_mut(), confidence_out.host_mut());
            cpu::forward_backward_check(cpu, check, (matches, confidence.host()), out);
            Ok(())
        }
        Kind::Gpu(gpu) => {
            gpu::forward_backward_check(&**gpu, check, (matches, confidence), (out, confidence_out))
        }
    }
}
