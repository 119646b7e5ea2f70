//! A small step after a displacement: `d ← d + δ`, or `d ← δ + d ∘ (id + δ)`.
//!
//! The composed form keeps `id + d` invertible as long as every step is (its Jacobians multiply), and its linearisation
//! is exact where the image derivatives are those of the warped image.
//! *Units*: edges. *Border*: replicate. *Halo*: the longest step.

mod cpu;
mod gpu;

use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Kind, require_field};

/// How an increment joins the displacement so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// `d + δ` (the paper's).
    Add,
    /// `δ + d ∘ (id + δ)`: diffeomorphic for small steps (Vercauteren et al. 2009).
    Compose,
}

/// Writes the updated displacement into `increment`, where δ stood; the caller swaps the two fields.
///
/// # Errors
/// [`ComputeError::Length`] if a buffer does not belong to the shape.
pub fn compose(
    device: &Device,
    (shape, spacing_edges): (Shape, Axes<f32>),
    (update, displacement): (Update, &[Buffer]),
    increment: &mut [Buffer],
) -> Result<(), ComputeError> {
    let count = (shape.components(), shape.len());
    require_field(displacement, count, "compose", "displacement")?;
    require_field(increment, count, "compose", "increment")?;
    let (grid, from) = ((shape, spacing_edges), (update, displacement));
    match device.kind() {
        Kind::Cpu(cpu) if shape.components() == 2 => cpu::compose_in::<2>(cpu, grid, from, increment),
        Kind::Cpu(cpu) => cpu::compose_in::<3>(cpu, grid, from, increment),
        Kind::Gpu(gpu) => gpu::compose(&**gpu, grid, from, increment)?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;

    #[test]
    fn composing_a_ramp_follows_the_step() {
        let device = Device::cpu(1).unwrap();
        let shape = Shape { size: [20, 6, 5], dimension: Dimension::Three };
        let ramp: Vec<f32> = (0..shape.len()).map(|i| 0.1 * (i % 20) as f32).collect();
        let zero = || device.zeros(shape.len()).unwrap();
        let d = [device.upload(ramp).unwrap(), zero(), zero()];
        let mut step = [device.upload(vec![0.5; shape.len()]).unwrap(), zero(), zero()];
        compose(&device, (shape, [1.0; 3]), (Update::Compose, &d), &mut step).unwrap();
        for x in [3, 17] {
            let (got, expected) = (step[0].host()[x], 0.5 + 0.1 * (x as f32 + 0.5));
            assert!((got - expected).abs() < 1e-6, "d(x + 0.5) + δ at {x}, got {got}");
        }
    }
}
