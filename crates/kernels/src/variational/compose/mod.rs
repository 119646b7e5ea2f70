//! A small step after a displacement: `d ← d + δ`, or `d ← δ + d ∘ (id + δ)`.
//!
//! The composed form keeps `id + d` invertible as long as every step is (its Jacobians multiply), and its linearisation
//! is exact where the image derivatives are those of the warped image.
//! *Units*: edges. *Border*: replicate. *Halo*: the longest step.

mod cpu;
mod gpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu};

/// How an increment joins the displacement so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Update {
    /// `d + δ` (the paper's).
    Add,
    /// `δ + d ∘ (id + δ)`: diffeomorphic for small steps (Vercauteren et al. 2009).
    Compose,
}

/// Writes the updated displacement where δ stood; the caller swaps the two fields.
#[derive(Debug)]
pub struct Compose<'a> {
    /// Of the grid.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// How δ joins d.
    pub update: Update,
    /// d, edges.
    pub displacement: &'a [Buffer],
    /// δ, edges; the result afterwards.
    pub increment: &'a mut [Buffer],
}

impl Kernel for Compose<'_> {
    const NAME: &'static str = "compose";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (components, voxels) = (self.shape.components(), self.shape.len());
        lengths.field("displacement", self.displacement, components, voxels).field(
            "increment",
            self.increment,
            components,
            voxels,
        );
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::compose_in(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        gpu::compose(gpu, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;
    use veloxel_gpu::Device;

    #[test]
    fn composing_a_ramp_follows_the_step() {
        let device = Device::cpu(1).unwrap();
        let shape = Shape { size: [20, 6, 5], dimension: Dimension::Three };
        let ramp: Vec<f32> = (0..shape.len()).map(|i| 0.1 * (i % 20) as f32).collect();
        let zero = || device.zeros(shape.len()).unwrap();
        let d = [device.upload(ramp).unwrap(), zero(), zero()];
        let mut step = [device.upload(vec![0.5; shape.len()]).unwrap(), zero(), zero()];
        let (spacing_edges, update) = ([1.0; 3], Update::Compose);
        Compose { shape, spacing_edges, update, displacement: &d, increment: &mut step }
            .run(&device)
            .unwrap();
        for x in [3, 17] {
            let (got, expected) = (step[0].host()[x], 0.5 + 0.1 * (x as f32 + 0.5));
            assert!((got - expected).abs() < 1e-6, "d(x + 0.5) + δ at {x}, got {got}");
        }
    }
}
