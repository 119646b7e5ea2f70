//! Shortens a step where it would fold a map that it changes elsewhere: in cells around the place that each vector acts on.
//!
//! *In*: the step u on a grid of its own (the middle of two images); the displacement h from there to the grid of the map, edges; the
//! bounds of the map's cells before the step and after ([`super::cell_bounds`]). *Out*, in place: u, shortened.
//! *Share*: between both the bound is taken as linear in the step, so a cell whose bound falls from `b` to `a < target` can take
//! `safety · (b − target) / (b − a)` of it, or nothing where b is at most the target and a is smaller. A voxel takes the least share of the
//! cells at most `reach` away from the one that h leads to. *Halo*: unbounded (gathers).

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, by_dimension, wgsl};
use crate::shared::NAN;
use std::array::from_fn;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::rows::{components, components_mut};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource};

static SOURCE: ShaderSource = wgsl!("step share", Bindings, [NAN], "step_share.wgsl");

/// The bound of a map that changes nothing; larger ones are taken for it.
const AT_REST: f32 = 1.0;

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Voxels along x, y, z, and the reach.
            size: vec4<u32>,
            per_edge: vec4<f32>,
            /// The target, what is left of a share, and the bound at rest.
            shares: vec4<f32>,
        },
        map[map_x, map_y, map_z]: read f32,
        before: read f32,
        after: read f32,
        step[step_x, step_y, step_z]: write f32,
    }
}

/// Shortens the step.
#[derive(Debug)]
pub struct StepShare<'a> {
    /// Shape of every buffer.
    pub shape: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The displacement h from the step's grid to the map's, edges.
    pub map: &'a [Buffer],
    /// Bounds of the map's cells before the step.
    pub before: &'a Buffer,
    /// Bounds of the map's cells after the whole step.
    pub after: &'a Buffer,
    /// The bound that cells should keep.
    pub target: f32,
    /// What a cell that falls below is given of the share that it could take: 1 at most.
    pub safety: f32,
    /// How far away cells count, voxels.
    pub reach: usize,
    /// The step u, shortened in place.
    pub step: &'a mut [Buffer],
}

impl Kernel for StepShare<'_> {
    const NAME: &'static str = "step_share";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.shape.len(), self.shape.components());
        lengths.field("map", self.map, d, n).field("step", self.step, d, n);
        lengths.of("before", self.before, n).of("after", self.after, n);
    }
    fn on_cpu(self, cpu: &Cpu) {
        by_dimension!(self.shape, shorten_in(cpu, self));
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let Self { shape, map, before, after, target, safety, reach, step, .. } = self;
        let [nx, ny, nz] = shape.size;
        let per_edge = self.spacing_edges.map(|s| 1.0 / s).into();
        let shares = [target, safety, AT_REST].into();
        let block = Block { size: [nx, ny, nz, reach].into(), per_edge, shares };
        gpu.launch_in(shape.components(), &SOURCE, "step_share")
            .bind(&Bindings { block, map, before, after, step })
            .run_over(shape.size, [64, 2])
    }
}

fn shorten_in<const D: usize>(cpu: &Cpu, args: StepShare<'_>) {
    let StepShare { shape, spacing_edges, map, before, after, target, safety, reach, step } = args;
    let (map, per_edge) = (components::<D>(map), spacing_edges.map(|s| 1.0 / s));
    let ([nx, ny, _], before, after) = (shape.size, before.host(), after.host());
    cpu.split_rows(components_mut::<D>(step), nx, 8 * shape.len(), |row, mut lines| {
        for x in 0..nx {
            let (own, voxel) = (row * nx + x, [x, row % ny, row / ny]);
            let cells: [(usize, usize); D] = from_fn(|a| {
                let at = voxel[a] as f32 + map[a][own] * per_edge[a];
                let last = shape.size[a] - 1;
                // A NaN is no position: 0.
                let low = at.max(0.0).min(last as f32) as usize;
                (low.saturating_sub(reach), (low + reach).min(last))
            });
            let planes = cells.get(2).map_or(0..=0, |&(first, last)| first..=last);
            let mut least = 1.0f32;
            for z in planes {
                for y in cells[1].0..=cells[1].1 {
                    for i in (cells[0].0..=cells[0].1).map(|x| (z * ny + y) * nx + x) {
                        least = least.min(share(before[i], after[i], [target, safety]));
                    }
                }
            }
            for line in lines.iter_mut() {
                line[x] *= least;
            }
        }
    });
}

/// The share of a step that a cell can take.
fn share(before: f32, after: f32, [target, safety]: [f32; 2]) -> f32 {
    if after >= target {
        return 1.0;
    }
    let begin = if before > AT_REST { AT_REST } else { before };
    if begin <= target {
        return if after >= begin { 1.0 } else { 0.0 };
    }
    // A NaN is a fold that no share mends.
    let share = safety * (begin - target) / (begin - after);
    if share > 0.0 { share } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_takes_what_its_bound_allows() {
        assert_eq!(share(3e38, 3e38, [0.1, 0.9]), 1.0);
        assert_eq!(share(0.5, 0.2, [0.1, 0.9]), 1.0);
        assert!((share(0.5, -0.3, [0.1, 0.9]) - 0.45).abs() < 1e-6);
        assert!((share(3e38, -0.8, [0.1, 0.9]) - 0.45).abs() < 1e-6);
        assert_eq!([share(0.05, 0.04, [0.1, 0.9]), share(0.05, 0.06, [0.1, 0.9])], [0.0, 1.0]);
        assert_eq!(share(0.5, -0.3, [0.1, 0.0]), 0.0);
        assert_eq!(share(0.5, f32::NAN, [0.1, 0.9]), 0.0);
    }
}
