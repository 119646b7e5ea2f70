//! The determinant of `I + ∇d`, voxel by voxel, and its statistics.
//!
//! *In*: a planar displacement in edges. *Out*: det − 1 (exact for small changes in `f32`), and sums over the grid.
//! Derivatives are central, one-sided at the border. *Halo*: 1 voxel.

mod cpu;
mod gpu;

use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use veloxel_core::{Axes, JacobianReport, Shape};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later};

/// Writes det(I + ∇d) − 1 and returns the statistics of det.
///
/// Voxels whose stencil holds a NaN count for nothing and give NaN.
#[derive(Debug)]
pub struct Jacobian<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// d, edges.
    pub displacement: &'a [Buffer],
    /// Only voxels where it is above 0 count in the statistics; none means all.
    pub weight: Option<&'a Buffer>,
    /// det − 1.
    pub out: &'a mut Buffer,
}

impl Kernel for Jacobian<'_> {
    const NAME: &'static str = "jacobian";
    type Output = Later<JacobianReport>;

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("displacement", self.displacement, d, n);
        lengths.of("out", self.out, n).optional("weight", self.weight, n);
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        Later::known(by_dimension!(self.shape, cpu::jacobian(cpu, self)).report())
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        gpu::jacobian(gpu, self)
    }
}

/// Sums over the voxels that count, and the extremes of det.
struct Statistics {
    /// Number of voxels, that of folded ones, Σ |det − 1|, Σ div².
    sums: [f64; 4],
    min: f32,
    max: f32,
}

impl Statistics {
    /// Of no voxel.
    const NONE: Self = Self { sums: [0.0; 4], min: f32::INFINITY, max: f32::NEG_INFINITY };

    fn report(self) -> JacobianReport {
        let [count, folded, absolute, divergence2] = self.sums;
        if count == 0.0 {
            return JacobianReport { min: 1.0, max: 1.0, ..Default::default() };
        }
        JacobianReport {
            min: self.min.into(),
            max: self.max.into(),
            share_folded: folded / count,
            mean_abs_minus_one: absolute / count,
            divergence_rms: (divergence2 / count).sqrt(),
        }
    }
}
