//! A small step after a displacement: `d ← d + δ`, or `d ← δ + d ∘ (id + δ)`; and, from the same gather, a step of δ towards the
//! displacement of the inverse of `id + d`: `δ ← δ − λ (δ + d ∘ (id + δ))`.
//!
//! The composed form keeps `id + d` invertible as long as every step is (its Jacobians multiply), and its linearisation
//! is exact where the image derivatives are those of the warped image.
//! Steps to the inverse: M. Chen et al., "A simple fixed-point approach to invert a deformation field", Med. Phys. 35, 2008. The whole
//! step, λ = 1, converges where no difference of d along an axis reaches 1; smaller ones converge for stronger compression as well.
//! *Units*: edges. *Border*: replicate. *Halo*: the longest step.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, packed, wgsl};
use crate::shared::Pack;
use crate::shared::gather::Lattice;
use crate::shared::lanes::{LANES, Lanes, Pack as _};
use crate::shared::{LATTICE, LINE, NAN, PACK1, PACK4};
use multiversion::multiversion;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::{components, components_mut};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static COMPOSE: ShaderSource = wgsl!("compose", ComposeBindings, [NAN, LATTICE], "compose.wgsl");
static ADD: [ShaderSource; 2] = [
    wgsl!("compose", AddBindings, [LINE, PACK1], "add.wgsl"),
    wgsl!("compose", AddBindings, [LINE, PACK4], "add.wgsl"),
];

bindings! {
    /// What a launch of the composition binds.
    struct ComposeBindings<'a> {
        block: ComposeBlock {
            /// Voxels along x, y, z.
            size: vec4<u32>,
            per_edge: vec4<f32>,
            /// The share of a step to the inverse that is taken.
            relaxation: f32,
        },
        displacement[displacement_x, displacement_y, displacement_z]: read f32,
        increment[increment_x, increment_y, increment_z]: write f32,
    }
}

bindings! {
    /// What a launch of the addition binds.
    struct AddBindings<'a> {
        block: AddBlock {
            /// Number of packs.
            items: u32,
        },
        displacement[displacement_x, displacement_y, displacement_z]: read Pack,
        increment[increment_x, increment_y, increment_z]: write Pack,
    }
}

/// How an increment joins the displacement so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UpdateRule {
    /// The sum `d + δ` (the paper's).
    Add,
    /// The composition `δ + d ∘ (id + δ)`: diffeomorphic for small steps (Vercauteren et al. 2009).
    Compose,
    /// The increment itself, drawn towards the inverse of `id + d` by this share λ of a fixed-point step: 1 for a whole one.
    TowardsInverse(f32),
}

impl UpdateRule {
    /// The share of a step to the inverse.
    fn relaxation(self) -> Option<f32> {
        match self {
            Self::TowardsInverse(share) => Some(share),
            Self::Add | Self::Compose => None,
        }
    }
}

/// Writes the updated displacement where δ stood; the caller swaps the two fields.
#[derive(Debug)]
pub struct Compose<'a> {
    /// Shape of the grid.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// How δ joins d.
    pub update: UpdateRule,
    /// The displacement d, edges.
    pub displacement: &'a [Buffer],
    /// The increment δ, edges; the result afterwards.
    pub increment: &'a mut [Buffer],
}

impl Kernel for Compose<'_> {
    const NAME: &'static str = "compose";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("displacement", self.displacement, d, n).field("increment", self.increment, d, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, compose_in(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, displacement, increment, .. } = self;
        match self.update {
            UpdateRule::Add => {
                let (source, pack) = packed(&ADD, shape.len());
                let block = AddBlock { items: shape.len() / pack };
                gpu.launch_in(shape.components(), source, "add")
                    .bind(&AddBindings { block, displacement, increment })
                    .run(line(block.items, 256))
            }
            UpdateRule::Compose | UpdateRule::TowardsInverse(_) => {
                let per_edge = self.spacing_edges.map(|s| 1.0 / s).into();
                let relaxation = self.update.relaxation();
                let block = ComposeBlock {
                    size: shape.size.into(),
                    per_edge,
                    relaxation: relaxation.unwrap_or_default(),
                };
                gpu.launch_in(shape.components(), &COMPOSE, "compose")
                    .constant("TOWARDS_INVERSE", relaxation.is_some())
                    .bind(&ComposeBindings { block, displacement, increment })
                    .run_over(shape.size, [64, 2])
            }
        }
    }
}

fn compose_in<const D: usize>(cpu: &Cpu, args: Compose<'_>) {
    let Compose { shape, spacing_edges, update, displacement, increment } = args;
    let d = components::<D>(displacement);
    let lattice = Lattice::new(shape);
    let per_edge = spacing_edges.map(|s| 1.0 / s);
    let [nx, ny, _] = shape.size;
    cpu.split_rows(components_mut(increment), nx, 2 * shape.len(), |row, delta| match update {
        UpdateRule::Add => {
            for (delta, d) in delta.into_iter().zip(&d) {
                delta.iter_mut().zip(&d[row * nx..]).for_each(|(o, &d)| *o += d);
            }
        }
        UpdateRule::Compose | UpdateRule::TowardsInverse(_) => {
            let start = [0.0, (row % ny) as f32, (row / ny) as f32];
            compose_row(&lattice, d, per_edge, start, update.relaxation(), delta);
        }
    });
}

#[multiversion(targets("x86_64+avx", "aarch64+neon"))]
fn compose_row<const D: usize>(
    lattice: &Lattice<D>,
    d: [&[f32]; D],
    per_edge: Axes<f32>,
    start: Axes<f32>,
    relaxation: Option<f32>,
    delta: [&mut [f32]; D],
) {
    let n = delta[0].len();
    for x in (0..n).step_by(LANES) {
        let mut step = [Lanes::splat(0.0); D];
        let mut at = step;
        for c in 0..D {
            let voxel = if c == 0 { Lanes::splat(x as f32) + Lanes::count() } else { Lanes::splat(start[c]) };
            step[c] = Lanes::load_or_zero(delta[c], x);
            at[c] = voxel + step[c] * Lanes::splat(per_edge[c]);
        }
        let cells = lattice.cells(at);
        for c in 0..D {
            let sum = lattice.add_linear(step[c], &cells, d[c]);
            let joined = relaxation.map_or(sum, |share| step[c] - Lanes::splat(share) * sum);
            joined.store_what_fits(delta[c], x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;
    use veloxel_gpu::Device;

    #[test]
    fn composing_a_ramp_follows_the_step() {
        let device = Device::cpu(1).unwrap();
        let shape = Shape { size: [20, 6, 5], dimension: Dimension::Three };
        let ramp: Vec<f32> = (0..shape.len()).map(|i| 0.1 * (i % 20) as f32).collect();
        let zero = || device.zeros(shape.len()).unwrap();
        let d = [device.upload(ramp).unwrap(), zero(), zero()];
        let mut step = [device.upload(vec![0.5; shape.len()]).unwrap(), zero(), zero()];
        let (spacing_edges, update) = ([1.0; 3], UpdateRule::Compose);
        Compose { shape, spacing_edges, update, displacement: &d, increment: &mut step }
            .run(&device)
            .unwrap();
        for x in [3, 17] {
            let (got, expected) = (step[0].host()[x], 0.5 + 0.1 * (x as f32 + 0.5));
            assert!((got - expected).abs() < 1e-6, "d(x + 0.5) + δ at {x}, got {got}");
        }
    }

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
                let (spacing_edges, update) = ([1.0; 3], UpdateRule::TowardsInverse(relaxation));
                let increment = &mut inverse[..];
                Compose { shape, spacing_edges, update, displacement: &d, increment }.run(&device).unwrap();
            }
            for y in [3.0f32, 17.0] {
                let (got, expected) = (inverse[0].host()[y as usize], (y + 2.5) / 1.25 - y);
                assert!((got - expected).abs() < 1e-4, "inverse at {y}: {got} in place of {expected}");
            }
        }
    }
}
