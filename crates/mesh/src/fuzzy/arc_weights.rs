//! What arcs of the dual graph are to fuzzy clustering: how long ways over them are, and what it costs to cut them.

use super::{BandCosts, FuzzyParams};
use crate::{Bend, Cuts, DualArc, DualGraph};

/// Weights of the arcs of a dual graph: these, or others.
#[derive(Debug, Clone, PartialEq)]
pub struct ArcWeights {
    /// The way from face to face, 0 or more.
    pub ways: Vec<f32>,
    /// What it costs to cut them apart, 0 or more.
    pub cut_costs: Vec<f64>,
}

impl ArcWeights {
    /// From angles, lengths, shape diameters, and the votes of agglomerations.
    pub fn new(graph: &DualGraph, cuts: &Cuts, params: &FuzzyParams) -> Self {
        let cut_costs = match params.band_costs {
            BandCosts::Angles => costs_by_angles(graph, params),
            BandCosts::Cuts => cuts.cut_costs.clone(),
        };
        Self { ways: ways(graph, cuts, params), cut_costs }
    }
}

fn ways(graph: &DualGraph, cuts: &Cuts, params: &FuzzyParams) -> Vec<f32> {
    let smooth = graph.smoothed(cuts.shape_diameter.clone(), params.smoothing);
    let thickness: Vec<f64> = smooth.iter().map(|d| d.max(1e-6).ln()).collect();
    let terms: Vec<[f64; 4]> = (graph.arcs.iter().zip(&cuts.votes))
        .map(|(arc, &vote)| {
            let [a, b] = arc.faces.map(|face| thickness[face as usize]);
            [bend(arc, params), arc.distance, (a - b).abs(), vote]
        })
        .collect();
    let mean = |term: usize| terms.iter().map(|terms| terms[term]).sum::<f64>() / terms.len().max(1) as f64;
    let weights = [params.angle_share, 1.0 - params.angle_share, params.thickness_weight, params.vote_weight];
    // A flat surface has no angles, and a sphere one thickness: such a term counts nothing.
    let scales = [0, 1, 2, 3].map(|term| if mean(term) > 1e-9 { weights[term] / mean(term) } else { 0.0 });
    let weight =
        |terms: &[f64; 4]| (0..4).map(|term| scales[term] * terms[term]).sum::<f64>().max(1e-9) as f32;
    terms.iter().map(weight).collect()
}

/// `Ang = η (1 − cos θ)`.
fn bend(arc: &DualArc, params: &FuzzyParams) -> f64 {
    let share = if arc.bend == Bend::Concave { 1.0 } else { params.convex_share };
    share * (1.0 - arc.angle_rad.cos())
}

/// The length of an edge over `1 + Ang/avg(Ang)`.
fn costs_by_angles(graph: &DualGraph, params: &FuzzyParams) -> Vec<f64> {
    let sum = graph.arcs.iter().map(|arc| bend(arc, params)).sum::<f64>();
    let mean = sum / graph.arcs.len().max(1) as f64;
    graph.arcs.iter().map(|arc| arc.length / (1.0 + bend(arc, params) / mean.max(1e-9))).collect()
}
