//! One flow after another: `out(x) = d1(x) + d2(x + d1(x))`, the motion of both together.
//!
//! *In*: two planar displacements on one shape, voxels. *Out*: a displacement of the same form.
//! Between voxels `d2` is linear; vectors that have no weight at a position may be unknown.
//! *Outside*: where `d1` is unknown or leaves the grid, or `d2` is unknown around, see [`Outside`]. *Halo*: unbounded (gathers).

mod cpu;

use crate::kernel::{Kernel, Launcher, Lengths, by_dimension};
use crate::shared::{LATTICE, NAN};
use veloxel_core::Shape;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, cover};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("flow composition", &[NAN, LATTICE, include_str!("flow_composition.wgsl")]);

/// What stands where the second flow is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outside {
    /// NaN.
    Unknown,
    /// The first flow, as a start for whoever goes on from it.
    KeepFirst,
}

/// Writes the motion of the first flow followed by the second.
#[derive(Debug)]
pub struct FlowComposition<'a> {
    /// Of both flows.
    pub shape: Shape,
    /// d1, voxels.
    pub first: &'a [Buffer],
    /// d2, voxels.
    pub second: &'a [Buffer],
    /// What stands where the second flow is unknown.
    pub outside: Outside,
    /// The composed flow, voxels.
    pub out: &'a mut [Buffer],
}

impl Kernel for FlowComposition<'_> {
    const NAME: &'static str = "compose_flows";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (components, voxels) = (self.shape.components(), self.shape.len());
        lengths.field("first", self.first, components, voxels).field(
            "second",
            self.second,
            components,
            voxels,
        );
        lengths.field("out", self.out, components, voxels);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, cpu::compose_flows(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let [nx, ny, nz] = self.shape.size;
        gpu.launch(&SOURCE, "compose_flows")
            .constant("COMPONENTS", self.shape.components())
            .constant("KEEP_FIRST", self.outside == Outside::KeepFirst)
            .uniform(Uniform::new().u4(self.shape.size))
            .inputs(self.first, 3)
            .inputs(self.second, 3)
            .outputs(self.out, 3)
            .run([cover(nx, 64), cover(ny, 4), nz as u32])
    }
}
