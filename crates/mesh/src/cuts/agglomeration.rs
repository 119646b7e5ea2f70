//! Parts that are joined pair by pair, always the pair that raises the sum of cut over area least.
//!
//! Neighbours are lists of half arcs; the pairs wait in a heap, where an entry is stale once one of its parts has changed.
//! Entries at one cost come by the numbers of their faces, so that the order is the same on every machine.

use super::hierarchy::{Hierarchy, Merge};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What is joined, and what makes a merge dear.
pub(super) struct Criteria<'a> {
    /// Of each face.
    pub areas: &'a [f64],
    /// The faces of each arc, the lower first.
    pub arcs: &'a [[u32; 2]],
    /// Of cutting each arc.
    pub cut_costs: &'a [f64],
    /// A value of each face; parts of unlike means are dear to join.
    pub feature: &'a [f64],
    /// What a squared difference of means costs, by the harmonic area of both.
    pub feature_weight: f64,
}

const NONE: u32 = u32::MAX;

/// An arc as one of its faces sees it; that of the other face has the number with the last bit turned.
#[derive(Clone, Copy)]
struct HalfArc {
    to: u32,
    next: u32,
    previous: u32,
    cost: f64,
}

#[derive(Clone, Copy)]
struct Part {
    area: f64,
    cut: f64,
    /// The feature times area.
    feature: f64,
    /// The first of its half arcs.
    first: u32,
    /// How often it has taken in another; [`NONE`] once it was taken in itself.
    version: u32,
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
    /// The cheapest is the largest, as the heap wants it.
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.parts.cmp(&self.parts))
    }
}

/// Joins until one part is left of each component.
pub(super) fn agglomerate(criteria: &Criteria<'_>) -> Hierarchy {
    let mut parts = Parts::new(criteria);
    let pairs = criteria.arcs.iter().enumerate().map(|(arc, &faces)| {
        let cost = parts.cost(faces, parts.half_arcs[2 * arc].cost);
        Pair { cost, parts: faces, versions: [0; 2] }
    });
    let mut heap: BinaryHeap<Pair> = pairs.collect();
    let mut merges = Vec::with_capacity(criteria.areas.len());
    while let Some(Pair { cost, parts: [a, b], versions }) = heap.pop() {
        if [a, b].map(|part| parts.list[part as usize].version) != versions {
            continue;
        }
        parts.join(a, b);
        merges.push(Merge { kept: a, joined: b, cost });
        let mut at = parts.list[a as usize].first;
        while at != NONE {
            let HalfArc { to, next, cost, .. } = parts.half_arcs[at as usize];
            let pair = [a.min(to), a.max(to)];
            let versions = pair.map(|part| parts.list[part as usize].version);
            heap.push(Pair { cost: parts.cost(pair, cost), parts: pair, versions });
            at = next;
        }
    }
    Hierarchy { faces: criteria.areas.len(), merges }
}

/// By how much each of these merges raises the sum, one after the other; each of a part that stays and a part beside it.
pub(super) fn merge_costs(criteria: &Criteria<'_>, merges: &[[u32; 2]]) -> Vec<f64> {
    let mut parts = Parts::new(criteria);
    let cost = |&[kept, joined]: &[u32; 2]| {
        let cost = parts.cost([kept, joined], parts.between(kept, joined));
        parts.join(kept, joined);
        cost
    };
    merges.iter().map(cost).collect()
}

struct Parts {
    list: Vec<Part>,
    half_arcs: Vec<HalfArc>,
    /// While two parts are joined: the half arc by which the one that stays reaches a part.
    reached_by: Vec<u32>,
    feature_weight: f64,
}

impl Parts {
    fn new(criteria: &Criteria<'_>) -> Self {
        let part = |(&area, &feature): (&f64, &f64)| Part {
            area,
            cut: 0.0,
            feature: feature * area,
            first: NONE,
            version: 0,
        };
        let list = criteria.areas.iter().zip(criteria.feature).map(part).collect();
        let feature_weight = criteria.feature_weight;
        let (half_arcs, reached_by) = (Vec::new(), vec![NONE; criteria.areas.len()]);
        let mut parts = Self { list, half_arcs, reached_by, feature_weight };
        for (&[a, b], &cost) in criteria.arcs.iter().zip(criteria.cut_costs) {
            for (from, to) in [(a, b), (b, a)] {
                let at = parts.half_arcs.len() as u32;
                parts.half_arcs.push(HalfArc { to, next: NONE, previous: NONE, cost });
                parts.put_first(from, at);
                parts.list[from as usize].cut += cost;
            }
        }
        parts
    }

    /// By how much joining a pair with this cut between them raises the sum of cut over area.
    fn cost(&self, pair: [u32; 2], between: f64) -> f64 {
        let [a, b] = pair.map(|part| &self.list[part as usize]);
        let area = a.area + b.area;
        let cut = (a.cut + b.cut - 2.0 * between) / area - a.cut / a.area - b.cut / b.area;
        let unlike = a.feature / a.area - b.feature / b.area;
        cut + self.feature_weight * unlike * unlike * a.area * b.area / area
    }

    /// What it costs to cut two parts from each other.
    fn between(&self, a: u32, b: u32) -> f64 {
        let (mut at, mut sum) = (self.list[a as usize].first, 0.0);
        while at != NONE {
            let arc = self.half_arcs[at as usize];
            sum += if arc.to == b { arc.cost } else { 0.0 };
            at = arc.next;
        }
        sum
    }

    fn put_first(&mut self, part: u32, at: u32) {
        let first = std::mem::replace(&mut self.list[part as usize].first, at);
        if first != NONE {
            self.half_arcs[first as usize].previous = at;
        }
        let arc = &mut self.half_arcs[at as usize];
        (arc.next, arc.previous) = (first, NONE);
    }

    fn take_out(&mut self, part: u32, at: u32) {
        let HalfArc { next, previous, .. } = self.half_arcs[at as usize];
        match previous {
            NONE => self.list[part as usize].first = next,
            before => self.half_arcs[before as usize].next = next,
        }
        if next != NONE {
            self.half_arcs[next as usize].previous = previous;
        }
    }

    /// Part `a` takes in part `b`.
    fn join(&mut self, a: u32, b: u32) {
        let mut at = self.list[a as usize].first;
        while at != NONE {
            let arc = self.half_arcs[at as usize];
            self.reached_by[arc.to as usize] = at;
            at = arc.next;
        }
        let mut between = 0.0;
        let mut at = self.list[b as usize].first;
        while at != NONE {
            let HalfArc { to, next, cost, .. } = self.half_arcs[at as usize];
            let back = at ^ 1;
            let known = self.reached_by[to as usize];
            if to == a {
                between += cost;
                self.take_out(a, back);
            } else if known == NONE {
                self.half_arcs[back as usize].to = a;
                self.put_first(a, at);
                self.reached_by[to as usize] = at;
            } else {
                self.half_arcs[known as usize].cost += cost;
                self.half_arcs[(known ^ 1) as usize].cost += cost;
                self.take_out(to, back);
            }
            at = next;
        }
        let taken = self.list[b as usize];
        self.list[b as usize].version = NONE;
        let part = &mut self.list[a as usize];
        part.area += taken.area;
        part.cut += taken.cut - 2.0 * between;
        part.feature += taken.feature;
        part.version += 1;
        self.reached_by[b as usize] = NONE;
        let mut at = part.first;
        while at != NONE {
            let arc = self.half_arcs[at as usize];
            self.reached_by[arc.to as usize] = NONE;
            at = arc.next;
        }
    }
}
