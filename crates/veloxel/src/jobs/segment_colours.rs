//! Colours of parts: those of a page, in which alike parts share one, and those of parts as meshes of their own.

use super::segment_solve::{Answer, Solved};
use crate::Result;
use std::collections::BTreeMap;
use std::path::Path;
use veloxel_core::TriangleMesh;
use veloxel_io::{self as io, PaintedMesh};
use veloxel_mesh::{CleanMesh, DualGraph};
use veloxel_report::AnswerView;

/// The colour of a part: hues a golden section of the circle apart, in three lightnesses.
pub(super) fn part_rgb(part: u32) -> [u8; 3] {
    const GOLDEN_TURN: f64 = 0.618_033_988_749_894_9;
    let hue = 6.0 * (0.58 + f64::from(part) * GOLDEN_TURN).fract();
    let (value, chroma) = [(0.95, 0.62), (0.75, 0.6), (0.88, 0.42)][part as usize % 3];
    let channel = |shift: f64| {
        let around = (hue + shift).rem_euclid(6.0);
        let share = around.min(4.0 - around).clamp(0.0, 1.0);
        (255.0 * (value - chroma * share)).round() as u8
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

/// A colour blended to white where it is uncertain (gpgpu2011, section 5.2).
pub(super) fn whitened(rgb: [u8; 3], certainty: f32) -> [u8; 3] {
    rgb.map(|c| (255.0 - certainty.clamp(0.0, 1.0) * (255.0 - f32::from(c))).round() as u8)
}

/// Writes the triangles of one part, with the points that they use.
pub(super) fn part_mesh(painted: &PaintedMesh<'_>, part: u32, path: &Path) -> Result<()> {
    let triangles: Vec<usize> = (0..painted.segment.len()).filter(|&t| painted.segment[t] == part).collect();
    let mut number = vec![u32::MAX; painted.mesh.points().len()];
    let mut points = Vec::new();
    let mut own = |corner: u32| {
        let number = &mut number[corner as usize];
        if *number == u32::MAX {
            *number = points.len() as u32;
            points.push(painted.mesh.points()[corner as usize]);
        }
        *number
    };
    let corners =
        triangles.iter().map(|&triangle| painted.mesh.triangles()[triangle].map(&mut own)).collect();
    let mesh = TriangleMesh::new(points, corners)?;
    let rgb: Vec<_> = triangles.iter().map(|&triangle| painted.rgb[triangle]).collect();
    let certainty: Vec<_> = triangles.iter().map(|&triangle| painted.certainty[triangle]).collect();
    let segment = vec![part; triangles.len()];
    let painted = PaintedMesh { mesh: &mesh, rgb: &rgb, certainty: &certainty, segment: &segment };
    Ok(io::write_painted_mesh(path, &painted)?)
}

/// Colours of a page, by the numbers of parts.
pub(super) const COLOURS: u32 = 256;

/// The run's answer, and that of cuts beside it.
pub(super) fn answers<'a>(clean: &CleanMesh, graph: &DualGraph, found: &'a Solved) -> Vec<AnswerView<'a>> {
    let own: Vec<u32> = (0..found.answer.count as u32).collect();
    let beside =
        found.beside.as_ref().map(|beside| view(clean, beside, &alike(graph, beside, &found.answer)));
    [view(clean, &found.answer, &own)].into_iter().chain(beside).collect()
}

/// `names` are the colours of the parts.
fn view<'a>(clean: &CleanMesh, answer: &'a Answer, names: &[u32]) -> AnswerView<'a> {
    let top = &answer.top;
    let finest_parts = top.faces.len();
    let ink = |&face: &u32| names[answer.labels[face as usize] as usize] % COLOURS;
    let mut inks: Vec<u32> = top.faces.iter().map(ink).collect();
    // Parts that come with further cuts get colours of their own, in the order in which they come.
    let further = finest_parts.saturating_sub(answer.count).min(top.merges.len());
    for (nth, merge) in top.merges[..further].iter().rev().enumerate() {
        inks[merge[1] as usize] = ((answer.count + nth) as u32) % COLOURS;
    }
    let faces = || clean.face_of.iter().map(|&face| face as usize);
    AnswerView {
        name: answer.name,
        parts: answer.count,
        finest: faces().map(|face| top.labels[face]).collect(),
        finest_parts,
        merges: &top.merges,
        inks,
        certainty: faces().map(|face| answer.certainty[face]).collect(),
    }
}

/// For each part of `answer` the part of `other` with which it shares most, each once; those that find none come behind.
fn alike(graph: &DualGraph, answer: &Answer, other: &Answer) -> Vec<u32> {
    let mut shared: BTreeMap<(u32, u32), f64> = BTreeMap::new();
    for ((&own, &theirs), area) in answer.labels.iter().zip(&other.labels).zip(&graph.areas) {
        *shared.entry((own, theirs)).or_default() += area;
    }
    let mut pairs: Vec<((u32, u32), f64)> = shared.into_iter().collect();
    pairs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut names: Vec<Option<u32>> = vec![None; answer.count];
    for ((own, theirs), _) in pairs {
        if names[own as usize].is_none() && !names.contains(&Some(theirs)) {
            names[own as usize] = Some(theirs);
        }
    }
    let mut next = other.count as u32..;
    names.into_iter().map(|name| name.or_else(|| next.next()).unwrap_or(0)).collect()
}
