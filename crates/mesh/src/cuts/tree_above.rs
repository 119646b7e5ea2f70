//! The tree above the parts of any segmentation: the order in which agglomeration would join them.

use super::agglomeration::agglomerate;
use super::coarse_parts::CoarseParts;
use super::{Cuts, CutsParams, TreeTop, feature};
use crate::DualGraph;

impl Cuts {
    /// The parts that `labels` name, numbered from 0, and their merges, always of the pair that raises the sum of cut over area
    /// least.
    pub fn tree_above(&self, graph: &DualGraph, labels: &[u32], params: &CutsParams) -> TreeTop {
        let feature = feature(graph, &self.shape_diameter, params);
        let parts = CoarseParts::new(graph, labels, &self.cut_costs, &feature);
        let tree = agglomerate(&parts.criteria(params.thickness_weight));
        let merges = tree.merges().iter().map(|merge| [merge.kept, merge.joined]).collect();
        TreeTop { labels: labels.to_vec(), faces: parts.faces, merges }
    }
}
