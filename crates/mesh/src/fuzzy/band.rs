//! The fuzzy band between two parts, cut where it is cheapest (Katz and Tal, section 3.3).

use super::{FuzzyClusters, FuzzyParams};
use crate::dual_graph::DualGraph;
use crate::min_cut::MinCut;
use std::collections::BTreeSet;
use veloxel_core::{Control, Stopped};

/// Moves the border of every pair of neighbouring parts to the cheapest cut through the faces that may belong to either.
pub(super) fn cut_bands(
    graph: &DualGraph,
    clusters: &mut FuzzyClusters,
    costs: &[f64],
    params: &FuzzyParams,
    control: &Control,
) -> Result<(), Stopped> {
    if params.band == 0.0 {
        return Ok(());
    }
    let neighbours: BTreeSet<[u32; 2]> = (graph.arcs.iter())
        .map(|arc| arc.faces.map(|face| clusters.labels[face as usize]))
        .filter(|[a, b]| a != b)
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    // Nodes of a band: which, or none.
    let mut node = vec![u32::MAX; graph.faces()];
    for pair in neighbours {
        control.check()?;
        let faces: Vec<u32> = (0..graph.faces() as u32)
            .filter(|&face| is_fuzzy(clusters, face as usize, pair, params.band))
            .collect();
        for (nth, &face) in faces.iter().enumerate() {
            node[face as usize] = nth as u32;
        }
        let mut cut = MinCut::new(faces.len());
        for (arc, &cost) in graph.arcs.iter().zip(costs) {
            let nodes = arc.faces.map(|face| node[face as usize]);
            let labels = arc.faces.map(|face| clusters.labels[face as usize]);
            match nodes {
                [u32::MAX, u32::MAX] => {}
                [a, u32::MAX] => tie(&mut cut, a, labels[1], pair, cost),
                [u32::MAX, b] => tie(&mut cut, b, labels[0], pair, cost),
                [a, b] => cut.join(a as usize, b as usize, cost),
            }
        }
        let side = cut.sides(control)?;
        for (nth, &face) in faces.iter().enumerate() {
            node[face as usize] = u32::MAX;
            // Where nothing ties a face to the second part, it stays with the first.
            clusters.labels[face as usize] = if side[nth] { pair[0] } else { pair[1] };
        }
    }
    Ok(())
}

/// Ties a face at the border of the band to the part beyond it.
fn tie(cut: &mut MinCut, node: u32, label: u32, pair: [u32; 2], cost: f64) {
    if label == pair[0] {
        cut.tie_to_first(node as usize, cost);
    } else if label == pair[1] {
        cut.tie_to_second(node as usize, cost);
    }
}

/// Whether a face lies in one of two parts and about as near to the other.
fn is_fuzzy(clusters: &FuzzyClusters, face: usize, [a, b]: [u32; 2], band: f64) -> bool {
    let label = clusters.labels[face];
    if label != a && label != b {
        return false;
    }
    let [to_a, to_b] = [a, b].map(|part| f64::from(clusters.distance(part as usize, face)));
    let share = to_b / (to_a + to_b);
    (share - 0.5).abs() < band
}
