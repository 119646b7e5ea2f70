//! The neighbours of each node of a graph, and shortest paths over them in 64 bits.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use veloxel_core::{Control, Stopped};

/// Nodes between two questions whether to go on: some milliseconds.
const NODES_AT_ONCE: usize = 1 << 14;

/// For each of so many nodes those that a pair joins with it, each with what belongs to the pair; in the order of the pairs.
pub(crate) fn neighbours<T: Copy>(
    nodes: usize,
    pairs: impl IntoIterator<Item = ([u32; 2], T)>,
) -> Vec<Vec<(u32, T)>> {
    let mut neighbours = vec![Vec::new(); nodes];
    for ([a, b], value) in pairs {
        neighbours[a as usize].push((b, value));
        neighbours[b as usize].push((a, value));
    }
    neighbours
}

/// The distance from each node to the nearest one that `is_end`; infinite where none can be reached. `neighbours` are each
/// node's, with lengths of 0 or more.
pub(crate) fn nearest_ways(
    neighbours: &[Vec<(u32, f64)>],
    is_end: &[bool],
    control: &Control,
) -> Result<Vec<f64>, Stopped> {
    let mut pace = control.once_in(NODES_AT_ONCE);
    let mut ways: Vec<f64> = is_end.iter().map(|&is| if is { 0.0 } else { f64::INFINITY }).collect();
    // Ways of 0 or more are in the order of their bits.
    let ends = (0..is_end.len()).filter(|&node| is_end[node]);
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> = ends.map(|node| Reverse((0, node as u32))).collect();
    while let Some(Reverse((bits, node))) = heap.pop() {
        pace.step()?;
        let own = f64::from_bits(bits);
        if own > ways[node as usize] {
            continue;
        }
        for &(other, way) in &neighbours[node as usize] {
            let way = own + way;
            if way < ways[other as usize] {
                ways[other as usize] = way;
                heap.push(Reverse((way.to_bits(), other)));
            }
        }
    }
    Ok(ways)
}
