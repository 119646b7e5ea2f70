//! The best of the candidates that [`super::window_scores`] scored, found between voxels; and how far its score is ahead of its
//! rivals.
//!
//! *In*: scores `S_c(x)` of the candidates c around the displacement so far, d(x). *Out*: d + δ with the increment δ, in edges,
//! Σ |δ|, and the distinctness if it is wanted.
//!
//! ```text
//! O_c = ½ (S_c(x) + S_c(x − c)) − λ₀ |h c|² − λ |h c − p(x)|²        p = towards − d
//! ```
//!
//! with the spacing h of the grid's voxels in edges, the smallest voxel edge.
//!
//! *Symmetry*: S_c(x) scores where the window around x went, S_c(x − c) where the window now at x came from. Their mean makes
//! equal images match exactly without motion: the contrast of one window alone draws the peak to its brighter side. This needs
//! a block at every voxel; other grids are one-sided. Outside the grid S_c(x) is repeated.
//! *Sub-voxel*: the parabola through the best and its neighbours along each axis, at most half a voxel away; none along an
//! axis where a neighbour is no candidate or, with symmetry, comes from outside the grid.
//! *Ties*: no motion first, then the order of the candidates.
//! *Distinctness*: `1 − r/b` of the best score b > 0 and the largest r ≥ 0 at a candidate that is not beside it; `1 − b/r` where
//! scores are negative; 1 without such a candidate. *Halo*: the reach.

mod cpu;
#[cfg(test)]
mod parity;

use super::window_scores::BlockSearch;
use crate::bindings::bindings;
use crate::kernel::{Kernel, Launcher, Lengths, wgsl};
use crate::shared::TILE_SUM;
use veloxel_core::{Axes, Shape};
use veloxel_gpu::wgsl::vec4;
use veloxel_gpu::{Buffer, ComputeError, Cpu, Later, ShaderSource, cover};

static SOURCE: ShaderSource = wgsl!("best candidate", Bindings, [TILE_SUM], "best_candidate.wgsl");

bindings! {
    /// What a launch binds.
    struct Bindings<'a> {
        block: Block {
            /// Blocks along x, y, z.
            nodes: vec4<u32>,
            /// Voxel spacing, edges.
            spacing: vec4<f32>,
            rest: f32,
            pull: f32,
        },
        scores: read f32,
        towards[towards_x, towards_y, towards_z]: read f32,
        before[before_x, before_y, before_z]: read f32,
        out[out_x, out_y, out_z]: write f32,
        distinctness: may_write f32,
    } -> sums: f32
}

/// The windows that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetry {
    /// Windows around the fixed image's voxels.
    OneSided,
    /// Windows around both ends of a candidate.
    BothEnds,
}

/// Where the maximum lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubVoxel {
    /// The maximum lies at a candidate.
    Off,
    /// The maximum lies at the peak of a parabola along each axis.
    Parabola,
}

/// The displacement that increments are drawn to.
#[derive(Debug, Clone, Copy)]
pub struct Pull<'a> {
    /// Weight λ, per edge².
    pub weight: f32,
    /// The displacement that the increment should lead to, edges.
    pub towards: &'a [Buffer],
}

/// Finds the increment of every block, and adds it up.
#[derive(Debug)]
pub struct BestCandidate<'a> {
    /// Shape of the grid of blocks.
    pub nodes: Shape,
    /// Voxel spacing in edges, per axis.
    pub spacing_edges: Axes<f32>,
    /// The candidates.
    pub search: BlockSearch,
    /// The scores of every candidate.
    pub scores: &'a Buffer,
    /// The windows that are compared.
    pub symmetry: Symmetry,
    /// Where the maximum lies.
    pub sub_voxel: SubVoxel,
    /// λ₀, what a long increment costs, per edge²; it decides where scores do not.
    pub increment_cost: f32,
    /// The displacement that increments are drawn to; none for no pull.
    pub pull: Option<Pull<'a>>,
    /// The displacement so far, edges.
    pub displacement: &'a [Buffer],
    /// The displacement with the increment, edges.
    pub out: &'a mut [Buffer],
    /// The distinctness, 0 to 1, if it is wanted.
    pub distinctness: Option<&'a mut Buffer>,
}

impl Kernel for BestCandidate<'_> {
    const NAME: &'static str = "best_candidate";
    /// The sum Σ |δ|, edges.
    type Output = Later<f64>;

    fn check(&self, lengths: &mut Lengths) {
        let (n, d) = (self.nodes.len(), self.nodes.components());
        lengths.of("scores", self.scores, self.search.candidates() * n);
        lengths.field("displacement", self.displacement, d, n).field("out", self.out, d, n);
        lengths.optional("distinctness", self.distinctness.as_deref(), n);
        if let Some(pull) = &self.pull {
            lengths.field("towards", pull.towards, d, n);
        }
    }
    fn on_cpu(self, cpu: &Cpu) -> Later<f64> {
        cpu::best_candidate(cpu, self)
    }
    fn on_gpu(self, gpu: &Launcher<'_>) -> Result<Later<f64>, ComputeError> {
        let ([nx, ny, nz], [rx, ry, rz]) = (self.nodes.size, self.search.reach);
        let (pull, towards) = self.pull.map_or((0.0, &[][..]), |pull| (pull.weight, pull.towards));
        let distinctness = self.distinctness.as_deref();
        let (nodes, spacing) = (self.nodes.size.into(), self.spacing_edges.into());
        let block = Block { nodes, spacing, rest: self.increment_cost, pull };
        let Self { scores, displacement: before, out, .. } = self;
        gpu.launch_in(self.nodes.components(), &SOURCE, "best_candidate")
            .constant("BOTH_ENDS", self.symmetry == Symmetry::BothEnds)
            .constant("PARABOLA", self.sub_voxel == SubVoxel::Parabola)
            .constants([("PULLED", self.pull.is_some()), ("DISTINCT", distinctness.is_some())])
            .constants([("REACH_X", rx), ("REACH_Y", ry), ("REACH_Z", rz)])
            .bind(&Bindings { block, scores, towards, before, out, distinctness })
            .sums_of_groups([cover(nx, 32), cover(ny, 4), nz as u32], |[sum]| sum)
    }
}
