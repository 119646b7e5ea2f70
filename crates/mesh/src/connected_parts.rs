//! Parts in one piece: whatever lies apart from the rest of its part, or is too small, joins the neighbour with the longest border.

use crate::DualGraph;
use crate::neighbours::neighbours;
use crate::numbered::numbered;
use std::collections::BTreeMap;

/// Labels whose parts are connected, numbered from 0 in the order of the faces.
///
/// Of each label the piece with the most area stays; other pieces, and those with less than `least_area` of the mesh's area, join
/// the neighbour with which they share the longest border, the smallest first. A piece without neighbours stays as it is.
pub fn connected_parts(graph: &DualGraph, labels: &[u32], least_area: f64) -> Vec<u32> {
    let around = neighbours(graph.faces(), graph.arcs.iter().map(|arc| (arc.faces, arc.length)));
    let (mut piece_of, areas) = pieces(graph, labels, &around);
    let mut largest: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
    for (face, &label) in labels.iter().enumerate() {
        let piece = piece_of[face];
        let best = largest.entry(label).or_insert((areas[piece as usize], piece));
        if areas[piece as usize] > best.0 {
            *best = (areas[piece as usize], piece);
        }
    }
    let is_main = |face: usize, piece: u32| largest.get(&labels[face]).is_some_and(|best| best.1 == piece);
    let mut stays = vec![false; areas.len()];
    for (face, &piece) in piece_of.iter().enumerate() {
        stays[piece as usize] |= is_main(face, piece) && areas[piece as usize] >= least_area;
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); areas.len()];
    for (face, &piece) in piece_of.iter().enumerate() {
        members[piece as usize].push(face as u32);
    }
    let mut small: Vec<usize> = (0..areas.len()).filter(|&piece| !stays[piece]).collect();
    small.sort_by(|&a, &b| areas[a].total_cmp(&areas[b]).then(a.cmp(&b)));
    for piece in small {
        let mut borders: BTreeMap<u32, f64> = BTreeMap::new();
        for &face in &members[piece] {
            for &(other, length) in &around[face as usize] {
                let beside = piece_of[other as usize];
                if beside != piece as u32 {
                    *borders.entry(beside).or_default() += length;
                }
            }
        }
        let longest = borders.into_iter().reduce(|best, other| if other.1 > best.1 { other } else { best });
        if let Some((into, _)) = longest {
            let moved = std::mem::take(&mut members[piece]);
            moved.iter().for_each(|&face| piece_of[face as usize] = into);
            members[into as usize].extend(moved);
        }
    }
    numbered(&piece_of)
}

/// The connected piece of each face, and the area of each piece.
fn pieces(graph: &DualGraph, labels: &[u32], around: &[Vec<(u32, f64)>]) -> (Vec<u32>, Vec<f64>) {
    let (mut piece_of, mut areas) = (vec![u32::MAX; labels.len()], Vec::new());
    for start in 0..labels.len() {
        if piece_of[start] != u32::MAX {
            continue;
        }
        let piece = areas.len() as u32;
        let mut area = 0.0;
        let mut stack = vec![start];
        piece_of[start] = piece;
        while let Some(face) = stack.pop() {
            area += graph.areas[face];
            for &(other, _) in &around[face] {
                let other = other as usize;
                if labels[other] == labels[face] && piece_of[other] == u32::MAX {
                    piece_of[other] = piece;
                    stack.push(other);
                }
            }
        }
        areas.push(area);
    }
    (piece_of, areas)
}
