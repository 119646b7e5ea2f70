//! How much the data of a window determine every component of its displacement: the confidence `c` becomes
//! `c · λ_min / (λ_min + λ_0)`, with λ_min the least eigenvalue of the window's spatial entries.
//!
//! In 2-D λ_min has a formula; in 3-D Newton's method finds it on the characteristic polynomial from 0 on, from which it climbs
//! to the least root without leaving it behind. *Where data have no weight* λ_min and the confidence are 0; with the weights
//! of a mask the displacement there becomes NaN. *Halo*: none.

mod cpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use crate::shared::{LINE, NAN};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, line};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("least eigenvalue", &[LINE, NAN, include_str!("least_eigenvalue.wgsl")]);

/// Steps of Newton's method: from a threefold root on, whose approach is the slowest, 2 % of it are left.
const STEPS: usize = 10;

/// Weighs confidences by what the data determine.
#[derive(Debug)]
pub struct LeastEigenvalue<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// λ_0: the eigenvalue at which the confidence halves; above 0.
    pub half: f32,
    /// Spatial entries: 11, 12, 22 or 11, 12, 13, 22, 23, 33; what follows is not read.
    pub tensor: &'a [Buffer],
    /// Sum of the mask's weights in each window; none: it is above 0 everywhere.
    pub weight_sum: Option<&'a Buffer>,
    /// The displacement, NaN afterwards where the weight sum is 0.
    pub displacement: &'a mut [Buffer],
    /// c, in [0, 1].
    pub confidence: &'a mut Buffer,
}

impl Kernel for LeastEigenvalue<'_> {
    const NAME: &'static str = "least_eigenvalue";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d, entries) = (self.shape.len(), self.shape.components(), self.shape.tensor_entries());
        lengths.count("tensor", self.tensor.len(), entries..=usize::MAX);
        lengths.field("tensor", self.tensor, self.tensor.len(), n).optional("weight_sum", self.weight_sum, n);
        lengths.field("displacement", self.displacement, d, n).of("confidence", self.confidence, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::least_eigenvalue(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let n = self.shape.len();
        gpu.launch(&SOURCE, "least_eigenvalue")
            .constant("COMPONENTS", self.shape.components())
            .constant("WEIGHTED", self.weight_sum.is_some())
            .constant("STEPS", STEPS)
            .uniform(Uniform::new().u(n).f(self.half))
            .inputs(&self.tensor[..self.shape.tensor_entries()], 6)
            .optional(self.weight_sum)
            .outputs(self.displacement, 3)
            .output(self.confidence)
            .run(line(n, 256))
    }
}
