//! Parts by agglomeration: the dual graph of a surface in, a tree of merges out, which gives the parts for every number of parts.
//!
//! *Paper*: A. Golovinskiy, T. Funkhouser, "Randomized Cuts for 3D Mesh Analysis", ACM TOG 27(5), 2008,
//! doi:10.1145/1409060.1409098, sections 3.2 (area-normalised cuts, the cost of an edge) and 4 (votes of many segmentations).
//! *Energy*: `Σ_S cut(S) / area(S) + λ Σ (difference of means)² · harmonic area` over the parts S; a pair of neighbours is joined
//! where that raises it least. `cut(S)` sums, over the edges around S, length (in √area) × `exp(−b θ − κ s)` where the surface is
//! concave, × `exp(−b θ / 10 − κ s)` where it is convex; s is the share of lines of sight across the edge that leave the body
//! (`lines_of_sight.rs`).
//! *Notation*: b `steepness`, θ `angle_rad`, κ `sight_weight`, λ `thickness_weight`, β `vote_weight`.
//! *Where we differ*: four agglomerations with two values of b and of λ vote on every edge instead of random ones: an edge that
//! is a border from l parts on gets `1/l` of a vote, and the final agglomeration multiplies its cost by `exp(−β votes)`. The
//! feature of a face is the logarithm of its shape diameter, smoothed over the dual graph. Angles belong to single edges, and
//! on a fine or noisy mesh a valley is spread over many small ones: lines of sight measure it over a length of the surface.
//! *Cost*: O(n log n); about a second for 20 000 faces, five agglomerations on two threads.
//! *Evidence*: `tests.rs`; the Princeton segmentation benchmark in `veloxel bench segmentation`.
//! *Limits*: a part never spans two components of the mesh.

mod agglomeration;
mod hierarchy;
mod parameters;
mod parts;
#[cfg(test)]
mod tests;

pub use hierarchy::{Hierarchy, PartMerge, TreeTop};
pub use parameters::{CutsParams, CutsPreset};
pub use parts::{PartCount, Parts};

use crate::dual_graph::{DualArc, DualGraph, EdgeBend};
use crate::error::MeshError;
use crate::lines_of_sight::blocked_sight;
use crate::shape_diameter::shape_diameter;
use agglomeration::Agglomeration;
use veloxel_core::{Control, Stopped};
use veloxel_gpu::Cpu;

/// Factor of angles where the surface is convex.
const CONVEX_SHARE: f64 = 0.1;
/// Factors of b and λ in the agglomerations that vote.
const VOTERS: [(f64, f64); 4] = [(1.0, 1.0), (1.0, 3.0), (1.4, 1.0), (1.4, 3.0)];
/// Work beside copying a number, for the split over threads: each voter is a part of its own.
const COST: usize = 1 << 20;

/// What the agglomeration found.
#[derive(Debug, Clone, PartialEq)]
pub struct Cuts {
    /// The tree of merges.
    pub hierarchy: Hierarchy,
    /// The trees that voted.
    pub voters: Vec<Hierarchy>,
    /// Votes for each arc, 0 to 1: 1/l if it is a border from l parts on, as a mean over the trees that voted.
    pub votes: Vec<f64>,
    /// Cost of cutting each arc, by bends, lines of sight and votes.
    pub cut_costs: Vec<f64>,
    /// Cost of cutting each arc, by bends and votes alone.
    pub bend_costs: Vec<f64>,
    /// Shape diameter of each face, in √area, as rays measured it.
    pub shape_diameter: Vec<f64>,
    /// Rays that were given up ([`RayFindings`](crate::RayFindings)): where there are many, thickness and lines of sight say
    /// little.
    pub rays_given_up: usize,
}

/// Finds the tree of merges.
///
/// # Errors
/// [`MeshError::Stopped`].
pub fn cuts(graph: &DualGraph, params: &CutsParams, cpu: &Cpu) -> Result<Cuts, MeshError> {
    let thickness = shape_diameter(graph, cpu)?;
    let (shape_diameter, mut rays_given_up) = (thickness.values, thickness.given_up);
    let feature = feature(graph, &shape_diameter, params, cpu.control())?;
    let sight = match params.sight_weight {
        0.0 => vec![0.0; graph.arcs.len()],
        _ => {
            let found = blocked_sight(graph, &shape_diameter, params.sight_reach, cpu)?;
            rays_given_up += found.given_up;
            found.values
        }
    };
    let run = |cut_costs: &[f64], feature_weight: f64| {
        Agglomeration::of_faces(graph, cut_costs, &feature, feature_weight).run(cpu.control())
    };
    let mut voters = vec![Hierarchy::default(); if params.vote_weight > 0.0 { VOTERS.len() } else { 0 }];
    cpu.split_samples(&mut voters, COST, |which, voters| {
        for (voter, (steeper, more)) in voters.iter_mut().zip(&VOTERS[which]) {
            let steepness = steeper * params.steepness;
            let cut_costs = cut_costs(graph, steepness, |arc| params.sight_weight * sight[arc]);
            // A stop is told to all by `check`.
            let Ok(tree) = run(&cut_costs, more * params.thickness_weight) else { return };
            *voter = tree;
        }
    });
    cpu.check()?;
    let (mut votes, mut weighted) = (vec![0.0; graph.arcs.len()], vec![0.0; graph.arcs.len()]);
    for voter in &voters {
        cpu.check()?;
        for ((vote, weighted), level) in votes.iter_mut().zip(&mut weighted).zip(voter.levels(&graph.arcs)) {
            let share = f64::from(level) * voters.len() as f64;
            *vote += 1.0 / share;
            *weighted += params.vote_weight / share;
        }
    }
    let bend_costs = cut_costs(graph, params.steepness, |arc| weighted[arc]);
    let cut_costs =
        cut_costs(graph, params.steepness, |arc| params.sight_weight * sight[arc] + weighted[arc]);
    let hierarchy = run(&cut_costs, params.thickness_weight)?;
    Ok(Cuts { hierarchy, voters, votes, cut_costs, bend_costs, shape_diameter, rays_given_up })
}

/// The feature that parts should share: the logarithm of the thickness, which never counts as less than a millionth of the
/// mesh.
fn feature(
    graph: &DualGraph,
    shape_diameter: &[f64],
    params: &CutsParams,
    control: &Control,
) -> Result<Vec<f64>, Stopped> {
    let smooth = graph.smoothed(shape_diameter.to_vec(), params.smoothing, control)?;
    Ok(smooth.iter().map(|d| d.max(1e-6).ln()).collect())
}

/// What it costs to cut each arc: the length of its edge, less where it is concave and where `more` speaks for a cut.
fn cut_costs(graph: &DualGraph, steepness: f64, more: impl Fn(usize) -> f64) -> Vec<f64> {
    let cost = |(nth, arc): (usize, &DualArc)| {
        let share = if arc.bend == EdgeBend::Concave { 1.0 } else { CONVEX_SHARE };
        arc.length * (-(steepness * share * arc.angle_rad + more(nth))).exp()
    };
    graph.arcs.iter().enumerate().map(cost).collect()
}
