//! How far two images are apart: Σ |warped − fixed| where the warped one has data.
//!
//! *Units*: the images'. NaN samples of the warped image (outside) are left out. *Halo*: none.

mod cpu;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::{LINE, NAN, SUM};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource, Uniform};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("brightness", &[LINE, NAN, SUM, include_str!("brightness.wgsl")]);

/// Sum of |warped − fixed| and number of voxels that count.
#[derive(Debug)]
pub struct AbsoluteDifference<'a> {
    /// One image.
    pub fixed: &'a Buffer,
    /// The other one, of the same length.
    pub warped: &'a Buffer,
    /// Voxels count where it is above 0; none: all do.
    pub weight: Option<&'a Buffer>,
}

impl Kernel for AbsoluteDifference<'_> {
    const NAME: &'static str = "absolute_difference";
    type Output = Later<(f64, f64)>;

    fn check(&self, lengths: &mut Lengths) {
        let n = self.fixed.len();
        lengths.of("warped", self.warped, n).optional("weight", self.weight, n);
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        Later::known(cpu::absolute_difference(cpu, &self).into())
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        gpu.launch(&SOURCE, "absolute_difference")
            .constant("WEIGHTED", self.weight.is_some())
            .uniform(Uniform::new().u(self.fixed.len()))
            .input(self.fixed)
            .input(self.warped)
            .optional(self.weight)
            .sums(self.fixed.len(), <(f64, f64)>::from)
    }
}
