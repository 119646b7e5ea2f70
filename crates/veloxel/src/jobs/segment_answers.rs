//! The answers of a page, in colours of which alike parts share one.

use super::segment_solve::{Answer, Solved};
use std::collections::BTreeMap;
use veloxel_mesh::{CleanMesh, DualGraph};
use veloxel_report::AnswerView;

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
