//! Parts that are joined pair by pair, always the pair that raises the sum of cut over area least.
//!
//! Each part knows its neighbours; the pairs wait in a heap, where an entry is stale once one of its parts has changed.
//! Entries at one cost come by the numbers of their faces, so that the order is the same on every machine.

use super::hierarchy::{Hierarchy, PartMerge};
use crate::dual_graph::DualGraph;
use crate::numbered::count_of;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use veloxel_core::{Control, Stopped};

/// Pairs that are looked at between two questions whether to go on: some milliseconds.
const PAIRS_AT_ONCE: usize = 1 << 12;

/// Parts, and the costs of joining two of them.
pub(super) struct Agglomeration {
    parts: Vec<Part>,
    /// Cost of a squared difference of mean features, by the harmonic area of both parts.
    feature_weight: f64,
}

#[derive(Default)]
struct Part {
    area: f64,
    cut: f64,
    /// The feature times area.
    feature: f64,
    /// Number of parts that it has taken in; [`NONE`] once it was taken in itself.
    version: u32,
    /// The parts beside it, with the cost of cutting each of them off.
    beside: Vec<(u32, f64)>,
}

const NONE: u32 = u32::MAX;

impl Part {
    fn put_beside(&mut self, other: u32, cost: f64) {
        match self.beside.iter_mut().find(|(known, _)| *known == other) {
            Some((_, sum)) => *sum += cost,
            None => self.beside.push((other, cost)),
        }
    }
}

/// A pair that may be joined.
#[derive(Clone, Copy, PartialEq)]
struct Pair {
    cost: f64,
    parts: [u32; 2],
    versions: [u32; 2],
}

impl Eq for Pair {}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pair {
    /// Orders pairs so that the cheapest one is the largest, which the heap needs.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.parts.cmp(&self.parts))
    }
}

impl Agglomeration {
    /// Parts of these areas and features; `cuts` are pairs of them, and what it costs to cut them apart.
    fn new(
        areas: &[f64],
        features: &[f64],
        cuts: impl IntoIterator<Item = ([u32; 2], f64)>,
        feature_weight: f64,
    ) -> Self {
        let part = |(&area, feature): (&f64, &f64)| Part { area, feature: feature * area, ..Part::default() };
        let mut parts: Vec<Part> = areas.iter().zip(features).map(part).collect();
        for ([a, b], cost) in cuts {
            for (part, other) in [(a, b), (b, a)] {
                let part = &mut parts[part as usize];
                part.put_beside(other, cost);
                part.cut += cost;
            }
        }
        Self { parts, feature_weight }
    }

    /// Begins with every face as a part; `cut_costs` are the costs of cutting arcs.
    pub fn of_faces(graph: &DualGraph, cut_costs: &[f64], feature: &[f64], feature_weight: f64) -> Self {
        let cuts = graph.arcs.iter().map(|arc| arc.faces).zip(cut_costs.iter().copied());
        Self::new(&graph.areas, feature, cuts, feature_weight)
    }

    /// The parts that `labels` name, numbered from 0, with the mean feature of each.
    pub fn of_labels(
        graph: &DualGraph,
        labels: &[u32],
        cut_costs: &[f64],
        feature: &[f64],
        feature_weight: f64,
    ) -> Self {
        let count = count_of(labels);
        let (mut areas, mut means) = (vec![0.0; count], vec![0.0; count]);
        for (face, (&label, of_face)) in labels.iter().zip(feature).enumerate().rev() {
            areas[label as usize] += graph.areas[face];
            means[label as usize] += graph.areas[face] * of_face;
        }
        means.iter_mut().zip(&areas).for_each(|(mean, area)| *mean /= area);
        let mut borders: BTreeMap<[u32; 2], f64> = BTreeMap::new();
        for (arc, cost) in graph.arcs.iter().zip(cut_costs) {
            let [a, b] = arc.faces.map(|face| labels[face as usize]);
            if a != b {
                *borders.entry([a.min(b), a.max(b)]).or_default() += cost;
            }
        }
        Self::new(&areas, &means, borders, feature_weight)
    }

    /// Joins until one part is left of each component.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn run(mut self, control: &Control) -> Result<Hierarchy, Stopped> {
        let count = self.parts.len();
        let pairs =
            (0..count as u32).flat_map(|part| self.pairs_of(part).filter(move |p| p.parts[0] == part));
        let mut heap: BinaryHeap<Pair> = pairs.collect();
        let mut merges = Vec::with_capacity(count);
        let mut pace = control.once_in(PAIRS_AT_ONCE);
        while let Some(Pair { cost, parts: [kept, joined], versions }) = heap.pop() {
            pace.step()?;
            if [kept, joined].map(|part| self.parts[part as usize].version) == versions {
                self.join(kept, joined);
                merges.push(PartMerge { kept, joined, cost });
                heap.extend(self.pairs_of(kept));
            }
        }
        Ok(Hierarchy { faces: count, merges })
    }

    /// By how much each of these merges raises the sum, one after the other; each of a part that stays and a part beside it.
    pub(crate) fn merge_costs(mut self, merges: &[[u32; 2]]) -> Vec<f64> {
        let cost = |&[kept, joined]: &[u32; 2]| {
            let mut beside = self.parts[kept as usize].beside.iter();
            let between = beside.find(|(other, _)| *other == joined).map_or(0.0, |(_, cost)| *cost);
            let cost = self.cost([kept, joined], between);
            self.join(kept, joined);
            cost
        };
        merges.iter().map(cost).collect()
    }

    /// A part with each of its neighbours.
    fn pairs_of(&self, part: u32) -> impl Iterator<Item = Pair> + '_ {
        self.parts[part as usize].beside.iter().map(move |&(other, between)| {
            let parts = [part.min(other), part.max(other)];
            let versions = parts.map(|part| self.parts[part as usize].version);
            Pair { cost: self.cost(parts, between), parts, versions }
        })
    }

    /// By how much joining a pair with this cut between them raises the sum of cut over area.
    fn cost(&self, pair: [u32; 2], between: f64) -> f64 {
        let [a, b] = pair.map(|part| &self.parts[part as usize]);
        let area = a.area + b.area;
        let cut = (a.cut + b.cut - 2.0 * between) / area - a.cut / a.area - b.cut / b.area;
        let unlike = a.feature / a.area - b.feature / b.area;
        cut + self.feature_weight * unlike * unlike * a.area * b.area / area
    }

    /// Makes part `kept` take in part `joined`.
    fn join(&mut self, kept: u32, joined: u32) {
        let gone = Part { version: NONE, ..Part::default() };
        let taken = std::mem::replace(&mut self.parts[joined as usize], gone);
        let mut between = 0.0;
        for (other, cost) in taken.beside {
            self.parts[other as usize].beside.retain(|(beside, _)| *beside != joined);
            if other == kept {
                between = cost;
                continue;
            }
            for (part, beside) in [(kept, other), (other, kept)] {
                self.parts[part as usize].put_beside(beside, cost);
            }
        }
        let part = &mut self.parts[kept as usize];
        part.area += taken.area;
        part.cut += taken.cut - 2.0 * between;
        part.feature += taken.feature;
        part.version += 1;
    }
}
