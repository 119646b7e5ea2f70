//! The precision of stored distances: floats, or multiples of a step in 16 bits.
//!
//! *Where Floyd–Warshall works on 16 bits* every arc is rounded to the nearest multiple of the step, so that a distance over h arcs
//! is wrong by h · step / 2 at most. The number of arcs is bounded by what fits into the longest distance: a path leaves no node
//! twice, so that its arcs are no shorter than the shortest arcs of as many nodes. *Other methods* add floats, and are rounded once.
//! *Notation*: L bounds the longest distance, H the arcs of a shortest path; step = L / (32766 − H / 2), which leaves room for what
//! rounding adds.

use super::dijkstra::NodeSearch;
use crate::error::MeshError;
use crate::graph::Graph;
use veloxel_core::{Control, Stopped};
use veloxel_kernels::paths::floyd_warshall::Length;

/// The numbers that distances are stored as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DistancePrecision {
    /// 32-bit floats.
    #[default]
    F32,
    /// Multiples of a [`DistanceStep`], in 16 bits.
    U16,
}

/// The steps that distances of 16 bits come in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceStep {
    /// The length of a step.
    pub length: f32,
    /// Greatest difference between distances and exact ones.
    pub most_error: f32,
}

/// Steps of the longest distance.
const MOST: f64 = (u16::INFINITE - 1) as f64;
/// What sums of floats may be wrong by, relative.
const FLOATS: f64 = 1e-5;

impl DistanceStep {
    /// The step for arcs that are rounded before they are added.
    ///
    /// # Errors
    /// [`MeshError::TooManyArcs`] of a path for the steps that there are; [`MeshError::Stopped`].
    pub(super) fn of_arcs(graph: &Graph, control: &Control) -> Result<Self, MeshError> {
        let longest = longest(graph, control)?;
        let mut shortest: Vec<f32> = (0..graph.nodes() as u32)
            .filter_map(|node| graph.neighbours(node).map(|(_, weight)| weight).reduce(f32::min))
            .collect();
        shortest.sort_unstable_by(f32::total_cmp);
        let mut length = longest / MOST;
        let mut most_arcs = 0;
        // A longer step rounds more arcs to less: the second round has the last word, and room for it.
        for _ in 0..3 {
            most_arcs = arcs_within(&shortest, longest, length);
            let room = MOST - 0.5 * most_arcs as f64;
            if room < 0.5 * MOST {
                return Err(MeshError::TooManyArcs { most: MOST as usize, arcs: most_arcs });
            }
            length = longest / room;
        }
        let length = if length > 0.0 { length as f32 } else { 1.0 };
        let most_error = 0.5 * most_arcs as f64 * f64::from(length) + FLOATS * longest;
        Ok(Self { length, most_error: most_error as f32 })
    }

    /// The step for distances that are rounded once.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(super) fn of_distances(graph: &Graph, control: &Control) -> Result<Self, Stopped> {
        let longest = longest(graph, control)?;
        let length = if longest > 0.0 { (longest / MOST) as f32 } else { 1.0 };
        Ok(Self { length, most_error: (0.5 * f64::from(length) + FLOATS * longest) as f32 })
    }

    /// The nearest multiple of the step; [`u16::INFINITE`](Length::INFINITE) for a distance that is infinite, and for an arc that is
    /// longer than any distance: no shortest path takes it.
    pub fn steps(self, distance: f32) -> u16 {
        (distance / self.length).round().min(f32::from(u16::INFINITE)) as u16
    }

    /// The distance of a number of steps.
    pub fn distance(self, steps: u16) -> f32 {
        if steps == u16::INFINITE { f32::INFINITY } else { f32::from(steps) * self.length }
    }
}

/// Arcs of a path at most, whose length, exact or rounded, is not above the longest distance with what rounding adds.
fn arcs_within(shortest: &[f32], longest: f64, step: f64) -> usize {
    let exact = count_within(shortest.iter().map(|&weight| f64::from(weight)), longest);
    let rounded = |&weight: &f32| if step > 0.0 { (f64::from(weight) / step).round() * step } else { 0.0 };
    exact.max(count_within(shortest.iter().map(rounded), longest + 0.5 * step * exact as f64))
}

fn count_within(lengths: impl Iterator<Item = f64>, most: f64) -> usize {
    let sums = lengths.scan(0.0, |sum, length| {
        *sum += length;
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= most * (1.0 + FLOATS)).count()
}

/// A length that no finite distance is above.
fn longest(graph: &Graph, control: &Control) -> Result<f64, Stopped> {
    let reverse = graph.reversed(control)?;
    let mut there = NodeSearch::new(graph.nodes());
    let mut back = NodeSearch::new(graph.nodes());
    let mut is_seen = vec![false; graph.nodes()];
    let mut longest = 0.0f64;
    for root in 0..graph.nodes() as u32 {
        if is_seen[root as usize] {
            continue;
        }
        // From the middle between two ends no node is farther than half of the way, or not by much.
        let first = farthest(there.run(graph, root, control)?);
        let second = farthest(there.run(graph, first, control)?);
        let between = there.run(graph, second, control)?.to_vec();
        let other = back.run(&reverse, first, control)?;
        let way = |node: usize| between[node].max(other[node]);
        let nearer = |best, node| if way(node) < way(best) { node } else { best };
        let middle = (0..graph.nodes()).fold(root as usize, nearer) as u32;
        let (from, to) = (there.run(graph, middle, control)?, back.run(&reverse, middle, control)?);
        let mut reach = [0.0f64; 2];
        for node in 0..graph.nodes() {
            if from[node].is_finite() != to[node].is_finite() {
                // Some nodes are reached one way alone: no path leaves a node twice.
                return Ok(most_of_all(graph));
            }
            if from[node].is_finite() {
                is_seen[node] = true;
                reach = [reach[0].max(f64::from(from[node])), reach[1].max(f64::from(to[node]))];
            }
        }
        longest = longest.max(reach[0] + reach[1]);
    }
    Ok(longest * (1.0 + FLOATS))
}

fn farthest(distances: &[f32]) -> u32 {
    let known = (0..).zip(distances).filter(|(_, distance)| distance.is_finite());
    known.reduce(|best, other| if other.1 > best.1 { other } else { best }).map_or(0, |(node, _)| node)
}

/// The longest arc of every node, all of them.
fn most_of_all(graph: &Graph) -> f64 {
    let most = |node| graph.neighbours(node).map(|(_, weight)| f64::from(weight)).fold(0.0, f64::max);
    (0..graph.nodes() as u32).map(most).sum::<f64>() * (1.0 + FLOATS)
}
