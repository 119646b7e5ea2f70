//! One step towards the inverse of a map: `v ← v − λ (v + d ∘ (id + v))`, whose fixed point is `(id + v) = (id + d)⁻¹`.
//!
//! *In*: the displacement d of the map, and an approximate displacement v of its inverse, edges. *Out*, in place: v.
//! The whole step, λ = 1, converges where no difference of d along an axis reaches 1 (M. Chen et al., "A simple fixed-point approach
//! to invert a deformation field", Med. Phys. 35, 2008); smaller ones converge for stronger compression as well.
//! Between voxels d is linear. *Border*: replicate. *Halo*: the longest v.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::gather::Lattice;
use crate::shared::lanes::{LANES, Lanes, Pack as _};
use crate::shared::{LATTICE, NAN};
use multiversion::multiversion;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::{components, components_mut};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("inverse step", Bindings, [NAN, LATTICE], "inverse_step.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Voxels along x, y, z.
            size: vec4<u32>,
            per_edge: vec4<f32>,
            /// The share of the step that is taken.
            relaxation: f32,
        },
        displacement[displacement_x, displacement_y, displacement_z]: read f32,
        inverse[inverse_x, inverse_y, inverse_z]: write f32,
    }
}

/// Takes one step.
#[derive(Debug)]
pub struct InverseStep<'a> {
    /// Shape of both fields.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The displacement d of the map, edges.
    pub displacement: &'a [Buffer],
    /// The share λ of the step that is taken: 1 for a whole one.
    pub relaxation: f32,
    /// The displacement v of the inverse, edges.
    pub inverse: &'a mut [Buffer],
}

impl Kernel for InverseStep<'_> {
    const NAME: &'static str = "inverse_step";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("displacement", self.displacement, d, n).field("inverse", self.inverse, d, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, step_in(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, displacement, relaxation, inverse, .. } = self;
        let per_edge = self.spacing_edges.map(|s| 1.0 / s).into();
        let block = Block { size: shape.size.into(), per_edge, relaxation };
        gpu.launch_in(shape.components(), &SOURCE, "inverse_step")
            .bind(&Bindings { block, displacement, inverse })
            .run_over(shape.size, [64, 2])
    }
}

fn step_in<const D: usize>(cpu: &Cpu, args: InverseStep<'_>) {
    let InverseStep { shape, spacing_edges, displacement, relaxation, inverse } = args;
    let d = components::<D>(displacement);
    let lattice = Lattice::new(shape);
    let per_edge = spacing_edges.map(|s| 1.0 / s);
    let [nx, ny, _] = shape.size;
    cpu.split_rows(components_mut(inverse), nx, 2 * shape.len(), |row, lines| {
        step_row(&lattice, d, per_edge, [0.0, (row % ny) as f32, (row / ny) as f32], relaxation, lines);
    });
}

#[multiversion(targets("x86_64+avx", "aarch64+neon"))]
fn step_row<const D: usize>(
    lattice: &Lattice<D>,
    d: [&[f32]; D],
    per_edge: Axes<f32>,
    start: Axes<f32>,
    relaxation: f32,
    lines: [&mut [f32]; D],
) {
    let n = lines[0].len();
    for x in (0..n).step_by(LANES) {
        let mut own = [Lanes::splat(0.0); D];
        let mut at = own;
        for c in 0..D {
            let voxel = if c == 0 { Lanes::splat(x as f32) + Lanes::count() } else { Lanes::splat(start[c]) };
            own[c] = Lanes::load_or_zero(lines[c], x);
            at[c] = voxel + own[c] * Lanes::splat(per_edge[c]);
        }
        let cells = lattice.cells(at);
        for c in 0..D {
            let residual = lattice.add_linear(own[c], &cells, d[c]);
            (own[c] - Lanes::splat(relaxation) * residual).store_what_fits(lines[c], x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;
    use veloxel_gpu::Device;

    #[test]
    fn steps_lead_to_the_inverse_of_a_stretch() {
        let device = Device::cpu(1).unwrap();
        let shape = Shape { size: [40, 6, 5], dimension: Dimension::Three };
        // x + 0.25 (x − 10) has the inverse (y + 2.5) / 1.25.
        let ramp: Vec<f32> = (0..shape.len()).map(|i| 0.25 * ((i % 40) as f32 - 10.0)).collect();
        let zero = || device.zeros(shape.len()).unwrap();
        let d = [device.upload(ramp).unwrap(), zero(), zero()];
        for (relaxation, steps) in [(1.0, 12), (0.5, 40)] {
            let mut inverse = [zero(), zero(), zero()];
            for _ in 0..steps {
                let (spacing_edges, inverse) = ([1.0; 3], &mut inverse[..]);
                InverseStep { shape, spacing_edges, displacement: &d, relaxation, inverse }
                    .run(&device)
                    .unwrap();
            }
            for y in [3.0f32, 17.0] {
                let (got, expected) = (inverse[0].host()[y as usize], (y + 2.5) / 1.25 - y);
                assert!((got - expected).abs() < 1e-4, "inverse at {y}: {got} in place of {expected}");
            }
        }
    }
}
