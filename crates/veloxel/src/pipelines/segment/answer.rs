//! Trees of parts: what every number of parts looks like, and which parts of two trees are alike.

use super::method::{Answer, Found};
use std::collections::BTreeMap;
use veloxel_mesh::{CleanMesh, DualGraph};
use veloxel_report::AnswerRole;

/// The top of a tree of parts: the most parts that it shows, and which of them become one as their number falls.
#[derive(Debug, Clone, PartialEq)]
pub struct PartsTree {
    /// What it is to the run.
    pub role: AnswerRole,
    /// What a reader calls the method.
    pub name: &'static str,
    /// The number of parts that was found, to which `certainty` belongs.
    pub parts: usize,
    /// The part of each triangle, of the most parts.
    pub finest: Vec<u32>,
    /// How many those are.
    pub finest_parts: usize,
    /// The pairs of them that become one, in order, each the part that stays and the part that joins it.
    pub merges: Vec<[u32; 2]>,
    /// For each of the finest parts a number, which parts of two trees share where they are alike. Those of the first tree that
    /// were found have their own.
    pub numbers: Vec<u32>,
    /// How certain each triangle's part is, 0 to 1.
    pub certainty: Vec<f32>,
    /// Mean thickness of each of the finest parts, as a share of the square root of the mesh's area.
    pub thickness: Vec<f64>,
    /// The least share of the mesh's area that a part has, where its component is that large.
    pub least_area: f64,
    /// The parts that were found, where the tree shows others at their number: small ones joined their neighbours.
    pub own: Option<TreelessParts>,
}

/// Parts that a tree of merges does not show.
#[derive(Debug, Clone, PartialEq)]
pub struct TreelessParts {
    /// The part of each triangle.
    pub labels: Vec<u32>,
    /// For each part its number, as in [`PartsTree::numbers`].
    pub numbers: Vec<u32>,
}

/// The tree of the answer, and that of cuts beside it.
pub(super) fn trees(clean: &CleanMesh, graph: &DualGraph, found: &Found) -> Vec<PartsTree> {
    let own: Vec<u32> = (0..found.answer.count as u32).collect();
    let beside = found.beside.as_ref().map(|beside| {
        Surface { clean, graph, thickness: &found.thickness }
            .tree(beside, &alike(graph, beside, &found.answer))
    });
    [Surface { clean, graph, thickness: &found.thickness }.tree(&found.answer, &own)]
        .into_iter()
        .chain(beside)
        .collect()
}

/// A cleaned mesh with the thickness of each face.
struct Surface<'a> {
    clean: &'a CleanMesh,
    graph: &'a DualGraph,
    thickness: &'a [f64],
}

impl Surface<'_> {
    /// The tree of an answer for the triangles of the mesh; `names` are the numbers of the parts.
    fn tree(&self, answer: &Answer, names: &[u32]) -> PartsTree {
        let top = &answer.top;
        let finest_parts = top.faces.len();
        let number = |&face: &u32| names[answer.labels[face as usize] as usize];
        let mut numbers: Vec<u32> = top.faces.iter().map(number).collect();
        // Parts that come with further cuts get numbers of their own, in the order in which they come.
        let further = finest_parts.saturating_sub(answer.count).min(top.merges.len());
        for (nth, merge) in top.merges[..further].iter().rev().enumerate() {
            numbers[merge[1] as usize] = (answer.count + nth) as u32;
        }
        let faces = || self.clean.face_of.iter().map(|&face| face as usize);
        PartsTree {
            role: answer.role,
            name: answer.name,
            parts: answer.count,
            finest: faces().map(|face| top.labels[face]).collect(),
            finest_parts,
            merges: top.merges.clone(),
            certainty: faces().map(|face| answer.certainty[face]).collect(),
            thickness: self.thickness_of(&top.labels, finest_parts),
            least_area: answer.least_area,
            own: (!shows(answer, further, names, &numbers)).then(|| TreelessParts {
                labels: faces().map(|face| answer.labels[face]).collect(),
                numbers: names.to_vec(),
            }),
            numbers,
        }
    }

    /// Mean thickness of so many parts.
    fn thickness_of(&self, labels: &[u32], parts: usize) -> Vec<f64> {
        let mut sums = vec![[0.0; 2]; parts];
        for ((&label, &area), &thickness) in labels.iter().zip(&self.graph.areas).zip(self.thickness) {
            let [weighted, whole] = &mut sums[label as usize];
            *weighted += area * thickness;
            *whole += area;
        }
        sums.iter().map(|[weighted, whole]| if *whole > 0.0 { weighted / whole } else { 0.0 }).collect()
    }
}

/// Whether a tree shows the answer's own parts once `further` of its merges are made.
fn shows(answer: &Answer, further: usize, names: &[u32], numbers: &[u32]) -> bool {
    let mut at: Vec<usize> = (0..numbers.len()).collect();
    for merge in answer.top.merges[..further].iter().rev() {
        at[merge[1] as usize] = at[merge[0] as usize];
    }
    let mut both = answer.top.labels.iter().zip(&answer.labels);
    both.all(|(&finest, &label)| numbers[at[finest as usize]] == names[label as usize])
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
