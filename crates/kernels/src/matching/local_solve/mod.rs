//! The displacement that a window's constraints agree on: `δ = (J + λ I)⁻¹ b` (Lucas & Kanade 1981), of every voxel for itself.
//!
//! *In*: the window's spatial entries (11, 12, 22 or 11, 12, 13, 22, 23, 33), then b, as
//! [`crate::variational::motion_tensor`] writes them. *Out*: δ, in the unit that derivatives are per (edges).
//! Across the window's only edge λ decides: nothing moves along it. Where there is no contrast δ is 0.
//! *Where the determinant is not above 0*, as rounding may have it without λ: δ is 0. *Halo*: none.

mod cpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use crate::shared::LINE;
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, line};

static SOURCE: ShaderSource = ShaderSource::wgsl("local solve", &[LINE, include_str!("local_solve.wgsl")]);

/// Solves every voxel's own equations.
#[derive(Debug)]
pub struct LocalSolve<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// λ, in the unit of the entries.
    pub ridge: f32,
    /// Spatial entries, then the right-hand side; what follows is not read.
    pub tensor: &'a [Buffer],
    /// δ.
    pub increment: &'a mut [Buffer],
}

impl Kernel for LocalSolve<'_> {
    const NAME: &'static str = "local_solve";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        let entries = self.shape.tensor_entries() + d;
        lengths.count("tensor", self.tensor.len(), entries..=usize::MAX);
        lengths.field("tensor", self.tensor, self.tensor.len(), n).field("increment", self.increment, d, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::local_solve(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (n, d) = (self.shape.len(), self.shape.components());
        gpu.launch(&SOURCE, "local_solve")
            .constant("COMPONENTS", d)
            .uniform(Uniform::new().u(n).f(self.ridge))
            .inputs(&self.tensor[..self.shape.tensor_entries() + d], 9)
            .outputs(self.increment, 3)
            .run(line(n, 256))
    }
}
