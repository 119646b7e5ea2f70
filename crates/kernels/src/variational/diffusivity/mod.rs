//! Relative smoothness weight of each voxel: `ψ = exp(−κ |∇f|) / √(|∇d|² / ε² + 1)` or either factor alone.
//!
//! The penaliser is Charbonnier's on the total displacement, lagged and scaled to 1 for smooth fields; the exponential
//! lets motion break where the fixed image does (Alvarez et al. 1999).
//! `|∇d|²` is the mean of the squared forward and backward differences, summed over axes and components: symmetric
//! under flips. *Units*: displacements in edges, ε edges per edge, κ edges per intensity. *Border*: natural. *Halo*: 1 (2).

mod cpu;
mod gpu;

use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

/// What the weight depends on.
#[derive(Debug, Clone, Copy)]
pub struct Diffusivity<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges.
    pub spacing_edges: Axes<f32>,
    /// ε of the Charbonnier penaliser; none for quadratic smoothness.
    pub epsilon: Option<f32>,
    /// κ and the image whose edges motion may follow.
    pub image: Option<(f32, &'a Buffer)>,
}

/// Computes ψ for the displacement `base + increment`.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn diffusivity(
    device: &Device,
    args: &Diffusivity<'_>,
    (base, increment): (&[Buffer], &[Buffer]),
    out: &mut Buffer,
) -> Result<(), ComputeError> {
    let shape = args.shape;
    let (n, d) = (shape.len(), shape.components());
    require_field(base, (d, n), "diffusivity", "base")?;
    require_field(increment, (d, n), "diffusivity", "increment")?;
    out.require(n, "diffusivity", "out")?;
    if let Some((_, image)) = args.image {
        image.require(n, "diffusivity", "image")?;
    }
    match device.kind() {
        Kind::Cpu(cpu) => cpu::diffusivity(cpu, args, (base, increment), out.host_mut()),
        Kind::Gpu(gpu) => gpu::diffusivity(&**gpu, args, (base, increment), out)?,
    }
    Ok(())
}
