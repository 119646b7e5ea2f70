//! The parts of a mesh out of its tree of merges: as many as asked for, or as many as pay.

use super::agglomeration::Agglomeration;
use super::{Cuts, CutsParams, TreeTop, feature};
use crate::certainty::certainty;
use crate::connected_parts::connected_parts;
use crate::dual_graph::DualGraph;
use crate::error::MeshError;
use crate::numbered::count_of;
use veloxel_core::{Control, Stopped};

/// How many parts there shall be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartCount {
    /// The number of parts that lowers the energy.
    #[default]
    Chosen,
    /// A given number of parts.
    Given(usize),
}

/// Most parts that are chosen.
const MOST_CHOSEN: usize = 64;
/// How many further merges are undone for parts that are too small.
const MOST_FURTHER: usize = 256;

/// A segmentation.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// The number of each face's part; parts are numbered from 0 in the order of the faces.
    pub labels: Vec<u32>,
    /// Number of parts.
    pub count: usize,
    /// Certainty of each face: 0 at a border on which all agglomerations agree, 1 far from all borders.
    pub certainty: Vec<f32>,
}

impl Cuts {
    /// The parts, each connected and no smaller than the least area.
    ///
    /// There are fewer than asked for where the mesh does not have as many of that size, and more where it has more components.
    ///
    /// # Errors
    /// [`MeshError::Parts`] for no part, or for more than there are faces; [`MeshError::Stopped`].
    pub fn parts(
        &self,
        graph: &DualGraph,
        count: PartCount,
        params: &CutsParams,
        control: &Control,
    ) -> Result<Parts, MeshError> {
        let faces = graph.faces();
        let asked = match count {
            PartCount::Given(asked) if asked == 0 || asked > faces => {
                return Err(MeshError::Parts { asked, faces });
            }
            PartCount::Given(asked) => asked,
            PartCount::Chosen => self.chosen_count(graph, params, control)?,
        };
        let (merges, labels) = self.large_parts(graph, asked, params.least_area, control)?;
        let count = count_of(&labels);
        let mut opinions: Vec<Vec<u32>> = self.voters.iter().map(|voter| voter.labels(merges)).collect();
        opinions.push(labels.clone());
        Ok(Parts { certainty: certainty(graph, &opinions, control)?, labels, count })
    }

    /// The number of parts at which the sum of all parts' cut over area is least, where each part is worth so much.
    ///
    /// Cuts cost by bends and votes alone: on a rough surface lines of sight are blocked everywhere, which says where a cut is
    /// best, not that there should be more of them.
    fn chosen_count(
        &self,
        graph: &DualGraph,
        params: &CutsParams,
        control: &Control,
    ) -> Result<usize, Stopped> {
        let top = self.hierarchy.top(MOST_CHOSEN);
        let parts = self.agglomeration(graph, &top.labels, &self.bend_costs, params, control)?;
        let costs = parts.merge_costs(&top.merges);
        let fewest = self.hierarchy.fewest_parts();
        let (mut best, mut sum) = ((0.0, fewest), 0.0);
        for (parts, cost) in (fewest + 1..).zip(costs.iter().rev()) {
            sum -= cost + params.part_worth;
            if sum < best.0 {
                best = (sum, parts);
            }
        }
        Ok(best.1)
    }

    /// The parts that `labels` name, numbered from 0, and their merges, always of the pair that raises the sum of cut over area
    /// least.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn tree_above(
        &self,
        graph: &DualGraph,
        labels: &[u32],
        params: &CutsParams,
        control: &Control,
    ) -> Result<TreeTop, Stopped> {
        let tree = self.agglomeration(graph, labels, &self.cut_costs, params, control)?.run(control)?;
        let merges = tree.merges.iter().map(|merge| [merge.kept, merge.joined]).collect();
        let mut faces = vec![0; tree.faces];
        (0..labels.len()).rev().for_each(|face| faces[labels[face] as usize] = face as u32);
        Ok(TreeTop { labels: labels.to_vec(), faces, merges })
    }

    /// The parts that `labels` name, with these costs of cutting arcs.
    pub(super) fn agglomeration(
        &self,
        graph: &DualGraph,
        labels: &[u32],
        cut_costs: &[f64],
        params: &CutsParams,
        control: &Control,
    ) -> Result<Agglomeration, Stopped> {
        let feature = feature(graph, &self.shape_diameter, params, control)?;
        Ok(Agglomeration::of_labels(graph, labels, cut_costs, &feature, params.thickness_weight))
    }

    /// The labels of `asked` parts of at least this area, and the number of parts before small ones joined their neighbours.
    fn large_parts(
        &self,
        graph: &DualGraph,
        asked: usize,
        least_area: f64,
        control: &Control,
    ) -> Result<(usize, Vec<u32>), Stopped> {
        let most = (asked + MOST_FURTHER).min(graph.faces());
        let mut found = (asked, self.hierarchy.labels(asked));
        for undone in asked..=most {
            let labels = connected_parts(graph, &self.hierarchy.labels(undone), least_area, control)?;
            let count = count_of(&labels);
            if count > asked && undone > asked {
                break;
            }
            found = (undone, labels);
            if count >= asked {
                break;
            }
        }
        Ok(found)
    }
}
