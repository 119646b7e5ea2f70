//! The determinant of `I + ∇d`, voxel by voxel, and its statistics.
//!
//! *In*: a planar displacement in edges. *Out*: det − 1 (exact for small changes in `f32`), and sums over the grid.
//! Derivatives are central, one-sided at the border. *Halo*: 1 voxel.

mod cpu;
mod gpu;

use veloxel_core::{Axes, JacobianReport, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, Later, require_field};

/// Writes det(I + ∇d) − 1 and returns the statistics of det, within `weight > 0` where one is given.
///
/// Voxels whose stencil holds a NaN count for nothing and give NaN.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn jacobian(
    device: &Device,
    (shape, spacing_edges): (Shape, Axes<f32>),
    (displacement, weight): (&[Buffer], Option<&Buffer>),
    out: &mut Buffer,
) -> Result<Later<JacobianReport>, ComputeError> {
    let (n, d) = (shape.len(), shape.components());
    require_field(displacement, (d, n), "jacobian", "displacement")?;
    out.require(n, "jacobian", "out")?;
    if let Some(weight) = weight {
        weight.require(n, "jacobian", "weight")?;
    }
    match device.kind() {
        Kind::Cpu(cpu) => {
            let found = cpu::jacobian(cpu, (shape, spacing_edges), (displacement, weight), out.host_mut());
            Ok(Later::known(report(found.0, found.1)))
        }
        Kind::Gpu(gpu) => {
            gpu::jacobian((device, &**gpu), (shape, spacing_edges), (displacement, weight), out)
        }
    }
}

/// Of the number of voxels that count, that of folded ones, Σ |det − 1|, Σ div², and the extremes of det.
fn report([count, folded, absolute, divergence2]: [f64; 4], [min, max]: [f32; 2]) -> JacobianReport {
    if count == 0.0 {
        return JacobianReport { min: 1.0, max: 1.0, ..Default::default() };
    }
    JacobianReport {
        min: min.into(),
        max: max.into(),
        share_folded: folded / count,
        mean_abs_minus_one: absolute / count,
        divergence_rms: (divergence2 / count).sqrt(),
    }
}
