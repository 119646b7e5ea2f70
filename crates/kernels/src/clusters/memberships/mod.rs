//! The nearest medoid of each node, and how much of the node belongs to each: `w_j = a P_j`, `P_j = D_j^−p / Σ_l D_l^−p`.
//!
//! *Paper*: S. Katz, A. Tal, ACM TOG 22(3), 2003, doi:10.1145/882262.882369, section 3.2, where p is 1.
//! *In*: parts × nodes distances from the medoids; the area a of each node; p. *Out*: parts × nodes weights, and the number of the
//! nearest medoid, the lower one of two. A medoid that no path leads to gets nothing, and a distance counts as 1e-9 at least.
//! *Halo*: none.

mod cpu;
#[cfg(test)]
mod parity;

use crate::kernel::{Kernel, Launcher, Lengths};
use crate::shared::{EXPONENTIAL, LINE};
use veloxel_gpu::{Buffer, ComputeError, Cpu, ShaderSource, Uniform, line};

static SOURCE: ShaderSource =
    ShaderSource::wgsl("memberships", &[LINE, EXPONENTIAL, include_str!("memberships.wgsl")]);

/// Finds labels and weights.
#[derive(Debug)]
pub struct Memberships<'a> {
    /// Parts × nodes.
    pub distances: &'a Buffer,
    /// Of each node.
    pub areas: &'a Buffer,
    /// p, above 0.
    pub sharpness: f32,
    /// Parts × nodes.
    pub weights: &'a mut Buffer,
    /// Of each node.
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
        cpu::memberships(cpu, self);
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<(), ComputeError> {
        let nodes = self.areas.len();
        let parts = self.distances.len() / nodes;
        gpu.launch(&SOURCE, "memberships")
            .uniform(Uniform::new().u(nodes).u(parts).f(self.sharpness).f(f32::INFINITY))
            .reads([self.distances, self.areas])
            .writes([self.weights, self.labels])
            .run(line(nodes, 256))
    }
}
