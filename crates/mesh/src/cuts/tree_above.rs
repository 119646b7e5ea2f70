//! The tree above the parts of any segmentation: the order in which agglomeration would join them.

use super::agglomeration::{Criteria, agglomerate};
use super::{Cuts, CutsParams, TreeTop, feature};
use crate::DualGraph;
use std::collections::BTreeMap;

impl Cuts {
    /// The parts that `labels` name, numbered from 0, and their merges, always of the pair that raises the sum of cut over area
    /// least.
    pub fn tree_above(&self, graph: &DualGraph, labels: &[u32], params: &CutsParams) -> TreeTop {
        let count = labels.iter().max().map_or(0, |most| *most as usize + 1);
        let (mut areas, mut means, mut faces) = (vec![0.0; count], vec![0.0; count], vec![0; count]);
        let of_faces = feature(graph, &self.shape_diameter, params);
        for (face, (&label, of_face)) in labels.iter().zip(of_faces).enumerate().rev() {
            areas[label as usize] += graph.areas[face];
            means[label as usize] += graph.areas[face] * of_face;
            faces[label as usize] = face as u32;
        }
        means.iter_mut().zip(&areas).for_each(|(mean, area)| *mean /= area);
        let mut borders: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        for (arc, cost) in graph.arcs.iter().zip(&self.cut_costs) {
            let [a, b] = arc.faces.map(|face| labels[face as usize]);
            if a != b {
                *borders.entry([a.min(b), a.max(b)]).or_default() += cost;
            }
        }
        let (arcs, cut_costs): (Vec<_>, Vec<_>) = borders.into_iter().unzip();
        let feature_weight = params.thickness_weight;
        let (areas, arcs, cut_costs, feature) = (&areas, &arcs, &cut_costs, &means);
        let tree = agglomerate(&Criteria { areas, arcs, cut_costs, feature, feature_weight });
        let merges = tree.merges().iter().map(|merge| [merge.kept, merge.joined]).collect();
        TreeTop { labels: labels.to_vec(), faces, merges }
    }
}
