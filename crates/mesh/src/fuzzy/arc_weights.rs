//! Weights of the arcs of the dual graph for fuzzy clustering: their lengths, and the costs of cutting them.

use super::{BandCosts, FuzzyParams};
use crate::cuts::{Cuts, CutsParams, cuts};
use crate::dual_graph::{DualArc, DualGraph, EdgeBend};
use crate::error::MeshError;
use crate::lines_of_sight::blocked_sight;
use crate::rays::RayFindings;
use crate::shape_diameter::shape_diameter;
use veloxel_core::Stopped;
use veloxel_gpu::Cpu;

/// Weights of the arcs of a dual graph, made by [`Self::new`] or given.
#[derive(Debug, Clone, PartialEq)]
pub struct ArcWeights {
    /// Length of each arc from face to face, 0 or more.
    pub ways: Vec<f32>,
    /// Cost of cutting each arc, 0 or more.
    pub cut_costs: Vec<f64>,
    /// Rays that were given up ([`RayFindings`](crate::RayFindings)), beside those of the cuts.
    pub rays_given_up: usize,
}

/// The length of each arc, 0 or more, and how many of the rays that it was found by were given up
/// ([`RayFindings`](crate::RayFindings)).
#[derive(Debug, Clone, PartialEq)]
pub struct ArcLengths {
    /// Length of each arc from face to face.
    pub ways: Vec<f32>,
    /// Rays that were given up.
    pub rays_given_up: usize,
}

impl ArcWeights {
    /// Makes weights from angles, lengths, shape diameters, the votes of agglomerations, and lines of sight.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn new(graph: &DualGraph, cuts: &Cuts, params: &FuzzyParams, cpu: &Cpu) -> Result<Self, Stopped> {
        let cut_costs = match params.band_costs {
            BandCosts::Angles => costs_by_angles(graph, params),
            BandCosts::Cuts => cuts.cut_costs.clone(),
        };
        let shape = Shape { diameter: &cuts.shape_diameter, votes: &cuts.votes };
        let ArcLengths { ways, rays_given_up } = ways(graph, shape, params, cpu)?;
        Ok(Self { ways, cut_costs, rays_given_up })
    }
}

/// The parameters that change [`arc_lengths`]; the others are those of clusters.
pub const LENGTH_PARAMETERS: [&str; 7] = [
    "angle_share",
    "convex_share",
    "thickness_weight",
    "vote_weight",
    "sight_weight",
    "sight_reach",
    "smoothing",
];

/// The length of each arc from face to face, 0 or more: [`ArcWeights::ways`], without what clusters need besides. Rays and
/// agglomerations run only where the parameters weigh them.
///
/// # Errors
/// [`MeshError::Stopped`].
pub fn arc_lengths(graph: &DualGraph, params: &FuzzyParams, cpu: &Cpu) -> Result<ArcLengths, MeshError> {
    let has_rays = params.thickness_weight > 0.0 || params.sight_weight > 0.0;
    let none = || vec![0.0; graph.arcs.len()];
    let (diameter, votes, given_up) = match (params.vote_weight > 0.0, has_rays) {
        (true, _) => {
            let found = cuts(graph, &CutsParams::default(), cpu)?;
            (found.shape_diameter, found.votes, found.rays_given_up)
        }
        (false, true) => {
            let found = shape_diameter(graph, cpu)?;
            (found.values, none(), found.given_up)
        }
        // One thickness everywhere adds nothing.
        (false, false) => (vec![1.0; graph.faces()], none(), 0),
    };
    let mut lengths = ways(graph, Shape { diameter: &diameter, votes: &votes }, params, cpu)?;
    lengths.rays_given_up += given_up;
    Ok(lengths)
}

/// What rays and agglomerations found.
#[derive(Debug, Clone, Copy)]
struct Shape<'a> {
    /// Shape diameter of each face.
    diameter: &'a [f64],
    /// Votes for each arc.
    votes: &'a [f64],
}

fn ways(graph: &DualGraph, shape: Shape<'_>, params: &FuzzyParams, cpu: &Cpu) -> Result<ArcLengths, Stopped> {
    let smooth = graph.smoothed(shape.diameter.to_vec(), params.smoothing, cpu.control())?;
    let thickness: Vec<f64> = smooth.iter().map(|d| d.max(1e-6).ln()).collect();
    let sight = match params.sight_weight {
        0.0 => RayFindings { values: vec![0.0; graph.arcs.len()], steps: 0, given_up: 0 },
        _ => blocked_sight(graph, shape.diameter, params.sight_reach, cpu)?,
    };
    let terms: Vec<[f64; 5]> = (graph.arcs.iter().zip(shape.votes).zip(&sight.values))
        .map(|((arc, &vote), &sight)| {
            let [a, b] = arc.faces.map(|face| thickness[face as usize]);
            [bend(arc, params), arc.distance, (a - b).abs(), vote, sight]
        })
        .collect();
    let weights = [
        params.angle_share,
        1.0 - params.angle_share,
        params.thickness_weight,
        params.vote_weight,
        params.sight_weight,
    ];
    let mean = |term: usize| terms.iter().map(|terms| terms[term]).sum::<f64>() / terms.len().max(1) as f64;
    // A flat surface has no angles, and a sphere one thickness: such a term counts nothing.
    let scales = [0, 1, 2, 3, 4].map(|term| if mean(term) > 1e-9 { weights[term] / mean(term) } else { 0.0 });
    let weight =
        |terms: &[f64; 5]| (0..5).map(|term| scales[term] * terms[term]).sum::<f64>().max(1e-9) as f32;
    Ok(ArcLengths { ways: terms.iter().map(weight).collect(), rays_given_up: sight.given_up })
}

/// The angular term `Ang = η (1 − cos θ)`.
fn bend(arc: &DualArc, params: &FuzzyParams) -> f64 {
    let share = if arc.bend == EdgeBend::Concave { 1.0 } else { params.convex_share };
    share * (1.0 - arc.angle_rad.cos())
}

/// The length of an edge over `1 + Ang/avg(Ang)`.
fn costs_by_angles(graph: &DualGraph, params: &FuzzyParams) -> Vec<f64> {
    let sum = graph.arcs.iter().map(|arc| bend(arc, params)).sum::<f64>();
    let mean = sum / graph.arcs.len().max(1) as f64;
    graph.arcs.iter().map(|arc| arc.length / (1.0 + bend(arc, params) / mean.max(1e-9))).collect()
}
