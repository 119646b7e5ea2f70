//! Parts in one piece: whatever lies apart from the rest of its part, or is too small, joins the neighbour with the longest border.

use crate::dual_graph::DualGraph;
use crate::neighbours::neighbours;
use crate::numbered::numbered;
use std::collections::BTreeMap;
use veloxel_core::{Control, Stopped};

/// Faces between two questions whether to go on: some milliseconds.
const FACES_AT_ONCE: usize = 1 << 16;
/// Pieces between two questions whether to go on: those that are too small have few faces each.
const PIECES_AT_ONCE: usize = 1 << 8;

/// Labels whose parts are connected, numbered from 0 in the order of the faces.
///
/// Of each label the piece with the most area stays; other pieces, and those with less than `least_area` of the mesh's area, join
/// the neighbour with which they share the longest border, the smallest first. A piece without neighbours stays as it is.
///
/// # Errors
/// [`Stopped`].
pub(crate) fn connected_parts(
    graph: &DualGraph,
    labels: &[u32],
    least_area: f64,
    control: &Control,
) -> Result<Vec<u32>, Stopped> {
    let around = neighbours(graph.faces(), graph.arcs.iter().map(|arc| (arc.faces, arc.length)));
    let (mut piece_of, mut pieces) = pieces(graph, labels, &around, control)?;
    let mut largest: BTreeMap<u32, usize> = BTreeMap::new();
    for (nth, piece) in pieces.iter().enumerate() {
        let best = largest.entry(piece.label).or_insert(nth);
        if piece.area > pieces[*best].area {
            *best = nth;
        }
    }
    let stays = |nth: usize| largest[&pieces[nth].label] == nth && pieces[nth].area >= least_area;
    let mut small: Vec<usize> = (0..pieces.len()).filter(|&nth| !stays(nth)).collect();
    small.sort_by(|&a, &b| pieces[a].area.total_cmp(&pieces[b].area).then(a.cmp(&b)));
    let mut pace = control.once_in(PIECES_AT_ONCE);
    for piece in small {
        let mut borders: BTreeMap<u32, f64> = BTreeMap::new();
        pace.step()?;
        for &face in &pieces[piece].faces {
            for &(other, length) in &around[face as usize] {
                let beside = piece_of[other as usize];
                if beside != piece as u32 {
                    *borders.entry(beside).or_default() += length;
                }
            }
        }
        let longest = borders.into_iter().reduce(|best, other| if other.1 > best.1 { other } else { best });
        if let Some((into, _)) = longest {
            let moved = std::mem::take(&mut pieces[piece].faces);
            moved.iter().for_each(|&face| piece_of[face as usize] = into);
            pieces[into as usize].faces.extend(moved);
        }
    }
    Ok(numbered(&piece_of))
}

/// Connected faces of one label.
struct Piece {
    label: u32,
    /// Ascending.
    faces: Vec<u32>,
    area: f64,
}

/// The number of each face's piece, and the pieces in the order of their first faces.
fn pieces(
    graph: &DualGraph,
    labels: &[u32],
    around: &[Vec<(u32, f64)>],
    control: &Control,
) -> Result<(Vec<u32>, Vec<Piece>), Stopped> {
    let mut pace = control.once_in(FACES_AT_ONCE);
    let (mut piece_of, mut pieces) = (vec![u32::MAX; labels.len()], Vec::new());
    for start in 0..labels.len() {
        if piece_of[start] != u32::MAX {
            continue;
        }
        let mut piece = Piece { label: labels[start], faces: Vec::new(), area: 0.0 };
        let mut stack = vec![start as u32];
        piece_of[start] = pieces.len() as u32;
        while let Some(face) = stack.pop() {
            pace.step()?;
            piece.faces.push(face);
            piece.area += graph.areas[face as usize];
            for &(other, _) in &around[face as usize] {
                if labels[other as usize] == piece.label && piece_of[other as usize] == u32::MAX {
                    piece_of[other as usize] = pieces.len() as u32;
                    stack.push(other);
                }
            }
        }
        piece.faces.sort_unstable();
        pieces.push(piece);
    }
    Ok((piece_of, pieces))
}
