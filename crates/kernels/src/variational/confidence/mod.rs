//! How far a vector can be trusted: `c = determinacy · fit`, in [0, 1].
//!
//! *Determinacy* `1 − (α'/D) tr (J + α' I)⁻¹`: the mean over directions of `λ / (λ + α')`, the share of the estimate that
//! comes from the data rather than from the neighbours. *Fit* `1 / (1 + J_tt / σ²)`: with a normalised constraint J_tt is
//! the squared distance, in edges, by which the warped images still miss each other.
//! *In*: a tensor with tt from [`super::motion_tensor`], taken at the final field. *Halo*: none.

mod cpu;

use crate::kernel::{Kernel, Launcher, Lengths, packed};
use crate::shared::{LINE, PACK1, PACK4};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, line};

const BODY: &str = include_str!("confidence.wgsl");
static SOURCES: [ShaderSource; 2] = [
    ShaderSource::wgsl("confidence", &[LINE, PACK1, BODY]),
    ShaderSource::wgsl("confidence", &[LINE, PACK4, BODY]),
];

/// Writes the confidence of every voxel.
#[derive(Debug)]
pub struct Confidence<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// α': tensor eigenvalues well above it are data, well below it are interpolation.
    pub determinacy: f32,
    /// σ: the mismatch at which the fit counts half, in the square root of the tensor's unit.
    pub mismatch: f32,
    /// Spatial entries, mixed entries, which are not read, and tt.
    pub tensor: &'a [Buffer],
    /// c.
    pub out: &'a mut Buffer,
}

impl Kernel for Confidence<'_> {
    const NAME: &'static str = "confidence";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        let entries = self.shape.tensor_entries() + d + 1;
        lengths.field("tensor", self.tensor, (entries, n)).of("out", self.out, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        cpu::confidence(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (shape, a) = (self.shape, self.determinacy);
        let (source, pack) = packed(&SOURCES, shape.len());
        let (items, d, entries) = (shape.len() / pack, shape.components(), shape.tensor_entries());
        let per_mismatch2 = 1.0 / (self.mismatch * self.mismatch);
        gpu.launch(source, "confidence")
            .constant("COMPONENTS", d)
            .uniform(Uniform::new().u(items).f(a).f(a / d as f32).f(per_mismatch2))
            .output(self.out)
            .inputs(&self.tensor[..entries], entries)
            .input(&self.tensor[entries + d])
            .absent(6 - entries)
            .run(line(items, 256))
    }
}
