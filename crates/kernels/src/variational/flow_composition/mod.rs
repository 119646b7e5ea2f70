//! One flow after another: `out(x) = d1(x) + d2(x + d1(x))`, the motion of both together.
//!
//! *In*: two planar displacements on one shape, voxels. *Out*: a displacement of the same form.
//! Between voxels `d2` is linear; vectors that have no weight at a position may be unknown.
//! *Outside*: where `d1` is unknown or leaves the grid, or `d2` is unknown around, see [`OutsideVector`]. *Halo*: unbounded (gathers).

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::rows::cell;
use crate::shared::{LATTICE, NAN};
use std::array::from_fn;
use veloxel_core::Shape;
use veloxel_gpu::rows::{components, components_mut};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("flow composition", Bindings, [NAN, LATTICE], "flow_composition.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Voxels along x, y, z.
            size: vec4<u32>,
        },
        first[first_x, first_y, first_z]: read f32,
        second[second_x, second_y, second_z]: read f32,
        out[out_x, out_y, out_z]: write f32,
    }
}

/// The vector where the second flow is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideVector {
    /// The vector is NaN.
    Unknown,
    /// The vector is that of the first flow, as a start for another estimate.
    KeepFirst,
}

/// Writes the motion of the first flow followed by the second.
#[derive(Debug)]
pub struct FlowComposition<'a> {
    /// Shape of both flows.
    pub shape: Shape,
    /// The first flow d1, voxels.
    pub first: &'a [Buffer],
    /// The second flow d2, voxels.
    pub second: &'a [Buffer],
    /// The vector where the second flow is unknown.
    pub outside: OutsideVector,
    /// The composed flow, voxels.
    pub out: &'a mut [Buffer],
}

impl Kernel for FlowComposition<'_> {
    const NAME: &'static str = "compose_flows";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("first", self.first, d, n).field("second", self.second, d, n);
        lengths.field("out", self.out, d, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, compose_flows(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, outside, first, second, out } = self;
        let block = Block { size: shape.size.into() };
        gpu.launch_in(shape.components(), &SOURCE, "compose_flows")
            .constant("KEEP_FIRST", outside == OutsideVector::KeepFirst)
            .bind(&Bindings { block, first, second, out })
            .run_over(shape.size, [64, 4])
    }
}

fn compose_flows<const D: usize>(cpu: &Cpu, args: FlowComposition<'_>) {
    let FlowComposition { shape, first, second, outside, out } = args;
    let [nx, ny, _] = shape.size;
    let second = components::<D>(second);
    cpu.split_rows(components_mut::<D>(out), nx, 8 * D * shape.len(), |row, out| {
        let first: [&[f32]; D] = from_fn(|c| &first[c].host()[row * nx..][..nx]);
        for x in 0..nx {
            let (own, voxel) = (first.map(|line| line[x]), [x, row % ny, row / ny]);
            let found = sample(second, shape.size, from_fn(|c| voxel[c] as f32 + own[c]));
            for c in 0..D {
                let composed = own[c] + found[c];
                let kept = outside == OutsideVector::KeepFirst && !composed.is_finite();
                out[c][x] = if kept { own[c] } else { composed };
            }
        }
    });
}

/// The flow at a position, linear between voxels; NaN outside the grid.
fn sample<const D: usize>(flow: [&[f32]; D], size: [usize; 3], position: [f32; D]) -> [f32; D] {
    let mut base = 0;
    let mut shares = [[0.0; 2]; D];
    for a in (0..D).rev() {
        // NaN fails the comparison: an unknown position has no vector.
        if !(position[a] >= 0.0 && position[a] <= (size[a] - 1) as f32) {
            return [f32::NAN; D];
        }
        let (low, share) = cell(position[a], size[a]);
        shares[a] = [1.0 - share, share];
        base = base * size[a] + low;
    }
    let strides = [1, size[0], size[0] * size[1]];
    let mut sum = [0.0; D];
    for corner in 0..1usize << D {
        let (mut weight, mut index) = (1.0, base);
        for a in (0..D).rev() {
            let up = corner >> a & 1;
            weight *= shares[a][up];
            index += up * strides[a];
        }
        if weight > 0.0 {
            (0..D).for_each(|c| sum[c] += weight * flow[c][index]);
        }
    }
    sum
}
