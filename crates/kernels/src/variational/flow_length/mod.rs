//! The length of the vectors of a flow: Σ |d| and the number of voxels where d is known.
//!
//! *In*: a planar displacement, voxels. Voxels count within `weight > 0` where one is given. *Halo*: none.

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::{LINE, NAN, SUM};
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource};

static SOURCE: ShaderSource = wgsl!("flow length", Bindings, [LINE, NAN, SUM], "flow_length.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { count: u32, },
        flow[flow_x, flow_y, flow_z]: read f32,
        weight: may_read f32,
    } -> sums: f32
}

/// Adds up the lengths and counts the voxels: returns both.
#[derive(Debug, Clone, Copy)]
pub struct FlowLength<'a> {
    /// Planar displacement, voxels; NaN where it is unknown.
    pub flow: &'a [Buffer],
    /// Only voxels where this is above 0 count; none if all count.
    pub weight: Option<&'a Buffer>,
}

impl FlowLength<'_> {
    fn voxels(&self) -> usize {
        self.flow.first().map_or(0, Buffer::len)
    }
}

impl Kernel for FlowLength<'_> {
    const NAME: &'static str = "flow_length";
    type Output = Later<(f64, f64)>;

    fn check(&self, lengths: &mut Lengths) {
        let n = self.voxels();
        lengths.field("flow", self.flow, self.flow.len(), n).optional("weight", self.weight, n);
    }
    fn on_cpu(self, cpu: &Cpu) -> Self::Output {
        let n = self.voxels();
        let flow: Vec<&[f32]> = self.flow.iter().map(Buffer::host).collect();
        let weight = self.weight.map(Buffer::host);
        let sums: [f64; 2] = cpu.sum(n, 2 * n, |range| {
            let (mut sum, mut count) = (0.0, 0.0);
            for i in range.filter(|&i| weight.is_none_or(|w| w[i] > 0.0)) {
                let length2: f32 = flow.iter().map(|c| c[i] * c[i]).sum();
                if length2.is_finite() {
                    sum += f64::from(length2.sqrt());
                    count += 1.0;
                }
            }
            [sum, count]
        });
        Later::known(sums.into())
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Self::Output, ComputeError> {
        let n = self.voxels();
        gpu.launch_in(self.flow.len(), &SOURCE, "flow_length")
            .constant("WEIGHTED", self.weight.is_some())
            .bind(&Bindings { block: Block { count: n }, flow: self.flow, weight: self.weight })
            .sums(n, <(f64, f64)>::from)
    }
}
