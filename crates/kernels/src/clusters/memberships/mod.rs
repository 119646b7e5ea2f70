//! The nearest medoid of each node, and how much of the node belongs to each: `w_j = a P_j`, `P_j = D_j^−p / Σ_l D_l^−p`.
//!
//! *Paper*: S. Katz, A. Tal, ACM TOG 22(3), 2003, doi:10.1145/882262.882369, section 3.2, where p is 1.
//! *In*: parts × nodes distances from the medoids; the area a of each node; p. *Out*: parts × nodes weights, and the number of
//! the nearest medoid, the lower one of two. A medoid that no path leads to gets the weight 0, and a distance counts as at
//! least 1e-9.
//! *Halo*: none.

#[cfg(test)]
mod parity;

use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::exponential::{exponential, logarithm_of_one_plus};
use crate::shared::{EXPONENTIAL, LINE};
use multiversion::multiversion;
use std::ops::Range;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, line};

static SOURCE: ShaderSource = wgsl!("memberships", Bindings, [LINE, EXPONENTIAL], "memberships.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block { nodes: u32, parts: u32, sharpness: f32, infinity: f32, },
        distances: read f32,
        areas: read f32,
        weights: write f32,
        labels: write u32,
    }
}

/// Smallest distance: a smaller one counts as this.
const LEAST: f32 = 1e-9;
/// Number of nodes that the processor takes together.
const AT_ONCE: usize = 64;
/// Cost of a weight on the processor, in units of copying a number.
const COST: usize = 16;

/// Finds labels and weights.
#[derive(Debug)]
pub struct Memberships<'a> {
    /// Distance of every node from each medoid, parts × nodes.
    pub distances: &'a Buffer,
    /// Area of each node.
    pub areas: &'a Buffer,
    /// The exponent p, above 0.
    pub sharpness: f32,
    /// Weight of every node in each part, parts × nodes.
    pub weights: &'a mut Buffer,
    /// Number of the medoid nearest to each node.
    pub labels: &'a mut Buffer<u32>,
}

impl Kernel for Memberships<'_> {
    const NAME: &'static str = "memberships";
    type Output = ();

    fn check(&self, lengths: &mut Lengths) {
        let nodes = self.areas.len();
        let parts = self.distances.len() / nodes;
        lengths.of("distances", self.distances, parts * nodes).of("weights", self.weights, parts * nodes);
        lengths.of("labels", self.labels, nodes);
    }
    fn on_cpu(self, cpu: &Cpu) {
        let (input, sharpness) = ([self.distances, self.areas].map(Buffer::host), self.sharpness);
        let (weights, labels) = (Shared::new(self.weights.host_mut()), Shared::new(self.labels.host_mut()));
        cpu.split(self.areas.len(), COST * self.distances.len(), |range| {
            for begin in range.clone().step_by(AT_ONCE) {
                some(input, sharpness, begin..range.end.min(begin + AT_ONCE), &weights, &labels);
            }
        });
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let nodes = self.areas.len();
        let parts = self.distances.len() / nodes;
        let block = Block { nodes, parts, sharpness: self.sharpness, infinity: f32::INFINITY };
        let Self { distances, areas, weights, labels, .. } = self;
        gpu.launch(&SOURCE, "memberships")
            .bind(&Bindings { block, distances, areas, weights, labels })
            .run(line(nodes, 256))
    }
}

/// Weights and labels of some nodes on the processor.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn some(
    [distances, areas]: [&[f32]; 2],
    sharpness: f32,
    nodes: Range<usize>,
    weights: &Shared<'_>,
    labels: &Shared<'_, u32>,
) {
    let (all, count) = (areas.len(), nodes.len());
    let parts = distances.len() / all;
    let row = |part: usize| &distances[part * all + nodes.start..][..count];
    // SAFETY: ranges of nodes are disjoint.
    let labels = unsafe { labels.get_mut(nodes.clone()) };
    let mut least = [f32::INFINITY; AT_ONCE];
    labels.fill(0);
    for part in 0..parts {
        for ((least, label), &way) in least.iter_mut().zip(labels.iter_mut()).zip(row(part)) {
            let is_nearer = way < *least;
            *least = if is_nearer { way } else { *least };
            *label = if is_nearer { part as u32 } else { *label };
        }
    }
    // SAFETY: as above.
    let own =
        |part: usize| unsafe { weights.get_mut(part * all + nodes.start..part * all + nodes.start + count) };
    let mut sums = [0.0f32; AT_ONCE];
    for part in 0..parts {
        for (((weight, sum), &least), &way) in own(part).iter_mut().zip(&mut sums).zip(&least).zip(row(part))
        {
            let further = way.max(LEAST) / least.max(LEAST) - 1.0;
            let share = exponential(-(sharpness * logarithm_of_one_plus(further)));
            *weight = if way < f32::INFINITY { share } else { 0.0 };
            *sum += *weight;
        }
    }
    for part in 0..parts {
        for ((weight, &sum), &area) in own(part).iter_mut().zip(&sums).zip(&areas[nodes.start..]) {
            let unit = if sum > 0.0 { area / sum } else { 0.0 };
            *weight *= unit;
        }
    }
}
