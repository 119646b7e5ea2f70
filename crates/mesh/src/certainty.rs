//! How certain it is that a face belongs to its part: the further from the borders of several segmentations, the more.

use crate::DualGraph;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A border reaches so far, in √area: its weight falls by a factor of e within.
const REACH: f64 = 0.02;

/// 0 to 1 for each face: 1 less the mean of `exp(−d / 0.02)`, where d is the way (in √area) to the border of each segmentation.
///
/// At a border on which all agree it is 0, and far from every border 1.
pub fn certainty(graph: &DualGraph, segmentations: &[Vec<u32>]) -> Vec<f32> {
    let mut near = vec![0.0; graph.faces()];
    for labels in segmentations {
        for (near, distance) in near.iter_mut().zip(border_distance(graph, labels)) {
            *near += (-distance / REACH).exp();
        }
    }
    let count = segmentations.len().max(1) as f64;
    near.iter().map(|near| (1.0 - near / count) as f32).collect()
}

/// For each face the way over the surface to the nearest face at a border of its component's parts, in √area; infinite where
/// there is no border.
pub fn border_distance(graph: &DualGraph, labels: &[u32]) -> Vec<f64> {
    let mut around: Vec<Vec<(u32, f64)>> = vec![Vec::new(); graph.faces()];
    let mut distance = vec![f64::INFINITY; graph.faces()];
    for arc in &graph.arcs {
        let [a, b] = arc.faces;
        around[a as usize].push((b, arc.distance));
        around[b as usize].push((a, arc.distance));
        if labels[a as usize] != labels[b as usize] {
            [a, b].iter().for_each(|&face| distance[face as usize] = 0.0);
        }
    }
    // Distances of 0 or more are in the order of their bits.
    let seeds = (0..graph.faces()).filter(|&face| distance[face] == 0.0);
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> = seeds.map(|face| Reverse((0, face as u32))).collect();
    while let Some(Reverse((bits, face))) = heap.pop() {
        let own = f64::from_bits(bits);
        if own > distance[face as usize] {
            continue;
        }
        for &(other, way) in &around[face as usize] {
            let way = own + way;
            if way < distance[other as usize] {
                distance[other as usize] = way;
                heap.push(Reverse((way.to_bits(), other)));
            }
        }
    }
    distance
}
