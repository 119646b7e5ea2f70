//! One tensor from several constraints, each under a robust penaliser:
//! `J = Σ_g γ_g ψ'(e_g) J_g` with `e_g = (δ, 1)ᵀ J_g (δ, 1)` and `ψ'(e) = (1 + e/ε²)^{−½}` (Charbonnier, lagged,
//! scaled to 1 for small residuals; Bruhn et al. 2005, section 4).
//!
//! *In*: groups as [`super::motion_tensor`] writes them, with tt; the present increment δ, edges.
//! *Out*: spatial entries, then the right-hand side. *Halo*: none.
//! On a GPU each constraint is a launch: all together would need more buffers than some devices bind.

mod cpu;

use crate::kernel::{Kernel, Launcher, Lengths, packed};
use crate::shared::{LINE, PACK1, PACK4};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, line};

const BODY: &str = include_str!("robust_tensor.wgsl");
static SOURCES: [ShaderSource; 2] = [
    ShaderSource::wgsl("robust_tensor", &[LINE, PACK1, BODY]),
    ShaderSource::wgsl("robust_tensor", &[LINE, PACK4, BODY]),
];

/// One constraint.
#[derive(Debug, Clone, Copy)]
pub struct Group<'a> {
    /// Spatial entries, minus mixed entries, tt.
    pub tensor: &'a [Buffer],
    /// γ: its share in the data term.
    pub gain: f32,
}

/// Combines the groups.
#[derive(Debug)]
pub struct RobustTensor<'a> {
    /// Of every buffer.
    pub shape: Shape,
    /// ε of the penaliser, in the square root of the tensor's unit.
    pub epsilon: f32,
    /// The constraints.
    pub groups: &'a [Group<'a>],
    /// δ, edges.
    pub increment: &'a [Buffer],
    /// Spatial entries, then the right-hand side.
    pub out: &'a mut [Buffer],
}

impl Kernel for RobustTensor<'_> {
    const NAME: &'static str = "robust_tensor";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        let entries = self.shape.tensor_entries() + d;
        for group in self.groups {
            lengths.field("group", group.tensor, entries + 1, n);
        }
        lengths.field("increment", self.increment, d, n).field("out", self.out, entries, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        match self.shape.components() {
            2 => cpu::robust_tensor::<2, 5>(cpu, self),
            _ => cpu::robust_tensor::<3, 9>(cpu, self),
        }
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let (source, pack) = packed(&SOURCES, self.shape.len());
        let items = self.shape.len() / pack;
        self.groups.iter().enumerate().try_for_each(|(nth, group)| {
            gpu.launch(source, "robust_tensor")
                .constant("COMPONENTS", self.shape.components())
                .constant("FIRST", nth == 0)
                .uniform(Uniform::new().u(items).f(1.0 / (self.epsilon * self.epsilon)).f(group.gain))
                .inputs(self.increment, 3)
                .inputs(group.tensor, 10)
                .outputs(self.out, 9)
                .run(line(items, 256))
        })
    }
}
