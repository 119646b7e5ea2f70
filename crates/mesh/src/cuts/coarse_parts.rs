//! Parts as the nodes of a graph of their own: what agglomeration asks of them, without their faces.

use super::agglomeration::Criteria;
use crate::DualGraph;
use std::collections::BTreeMap;

/// Parts that `labels` name, numbered from 0.
pub(super) struct CoarseParts {
    /// A face of each.
    pub faces: Vec<u32>,
    areas: Vec<f64>,
    /// Pairs that touch, the lower first.
    arcs: Vec<[u32; 2]>,
    cut_costs: Vec<f64>,
    /// The mean feature of each.
    means: Vec<f64>,
}

impl CoarseParts {
    /// `cut_costs` are those of the arcs between faces, `feature` is that of the faces.
    pub fn new(graph: &DualGraph, labels: &[u32], cut_costs: &[f64], feature: &[f64]) -> Self {
        let count = labels.iter().max().map_or(0, |most| *most as usize + 1);
        let (mut areas, mut means, mut faces) = (vec![0.0; count], vec![0.0; count], vec![0; count]);
        for (face, (&label, of_face)) in labels.iter().zip(feature).enumerate().rev() {
            areas[label as usize] += graph.areas[face];
            means[label as usize] += graph.areas[face] * of_face;
            faces[label as usize] = face as u32;
        }
        means.iter_mut().zip(&areas).for_each(|(mean, area)| *mean /= area);
        let mut borders: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        for (arc, cost) in graph.arcs.iter().zip(cut_costs) {
            let [a, b] = arc.faces.map(|face| labels[face as usize]);
            if a != b {
                *borders.entry([a.min(b), a.max(b)]).or_default() += cost;
            }
        }
        let (arcs, cut_costs) = borders.into_iter().unzip();
        Self { faces, areas, arcs, cut_costs, means }
    }

    /// What is joined.
    pub fn criteria(&self, feature_weight: f64) -> Criteria<'_> {
        let Self { areas, arcs, cut_costs, means: feature, .. } = self;
        Criteria { areas, arcs, cut_costs, feature, feature_weight }
    }
}
