//! How certain it is that a face belongs to its part: the further from the borders of several segmentations, the more.

use crate::dual_graph::DualGraph;
use crate::neighbours::{nearest_ways, neighbours};
use veloxel_core::{Control, Stopped};

/// Reach of a border, in √area: its weight falls by a factor of e within it.
const REACH: f64 = 0.02;

/// Certainty of each face, 0 to 1: 1 less the mean of `exp(−d / 0.02)`, where d is the distance (in √area) to the border of
/// each segmentation.
///
/// At a border on which all agree it is 0, and far from every border 1.
///
/// # Errors
/// [`Stopped`].
pub fn certainty(
    graph: &DualGraph,
    segmentations: &[Vec<u32>],
    control: &Control,
) -> Result<Vec<f32>, Stopped> {
    let mut near = vec![0.0; graph.faces()];
    for labels in segmentations {
        for (near, distance) in near.iter_mut().zip(border_distance(graph, labels, control)?) {
            *near += (-distance / REACH).exp();
        }
    }
    let count = segmentations.len().max(1) as f64;
    Ok(near.iter().map(|near| (1.0 - near / count) as f32).collect())
}

/// For each face the distance over the surface to the nearest face at a border of its component's parts, in √area; infinite
/// where there is no border.
///
/// # Errors
/// [`Stopped`].
pub(crate) fn border_distance(
    graph: &DualGraph,
    labels: &[u32],
    control: &Control,
) -> Result<Vec<f64>, Stopped> {
    let around = neighbours(graph.faces(), graph.arcs.iter().map(|arc| (arc.faces, arc.distance)));
    let mut at_border = vec![false; graph.faces()];
    for arc in &graph.arcs {
        let [a, b] = arc.faces.map(|face| face as usize);
        if labels[a] != labels[b] {
            (at_border[a], at_border[b]) = (true, true);
        }
    }
    nearest_ways(&around, &at_border, control)
}
