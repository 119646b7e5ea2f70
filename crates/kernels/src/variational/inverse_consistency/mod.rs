//! The confidence that is left where the way there and back does not end where it began.
//!
//! *In*: the residual r of the composed flows, voxels; a confidence. *Out*, in place: `c ← c / (1 + |r|² / h²)`, 0 where r is
//! unknown; and Σ |r| with the number of voxels where it is known. *Halo*: none.

mod cpu;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::{LINE, NAN, SUM};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource, Uniform};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("inverse consistency", &[LINE, NAN, SUM, include_str!("inverse_consistency.wgsl")]);

/// Lowers the confidence by the residual; returns Σ |r| and the number of voxels where r is known.
#[derive(Debug)]
pub struct WeighByResidual<'a> {
    /// r, voxels.
    pub residual: &'a [Buffer],
    /// h: |r| at which the confidence halves, voxels.
    pub half_vox: f32,
    /// c, lowered in place.
    pub confidence: &'a mut Buffer,
}

impl Kernel for WeighByResidual<'_> {
    const NAME: &'static str = "weigh_by_residual";
    type Output = Later<(f64, f64)>;

    fn check(&self, lengths: &mut Lengths) {
        lengths.field("residual", self.residual, self.residual.len(), self.confidence.len());
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        Later::known(cpu::weigh_by_residual(cpu, self).into())
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let n = self.confidence.len();
        gpu.launch(&SOURCE, "weigh_by_residual")
            .constant("COMPONENTS", self.residual.len())
            .uniform(Uniform::new().u(n).f(1.0 / (self.half_vox * self.half_vox)))
            .inputs(self.residual, 3)
            .output(self.confidence)
            .sums(n, <(f64, f64)>::from)
    }
}
