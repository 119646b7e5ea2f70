//! Processor text: 64 nodes at a time.

use super::Memberships;
use crate::shared::exponential::{exponential, logarithm_of_one_plus};
use multiversion::multiversion;
use std::ops::Range;
use veloxel_gpu::rows::Shared;
use veloxel_gpu::{Buffer, Cpu};

/// A distance counts as this at least.
const LEAST: f32 = 1e-9;
/// Nodes at a time.
const AT_ONCE: usize = 64;
/// What a weight costs, in units of copying one.
const COST: usize = 16;

pub(super) fn memberships(cpu: &Cpu, args: Memberships<'_>) {
    let Memberships { distances, areas, sharpness, weights, labels } = args;
    let input = [distances, areas].map(Buffer::host);
    let (weights, labels) = (Shared::new(weights.host_mut()), Shared::new(labels.host_mut()));
    cpu.split(areas.len(), COST * distances.len(), |range| {
        for begin in range.clone().step_by(AT_ONCE) {
            some(input, sharpness, begin..range.end.min(begin + AT_ONCE), &weights, &labels);
        }
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn some(
    [distances, areas]: [&[f32]; 2],
    sharpness: f32,
    nodes: Range<usize>,
    weights: &Shared<'_>,
    labels: &Shared<'_, u32>,
) {
    let (all, count) = (areas.len(), nodes.len());
    let parts = distances.len() / all;
    let row = |part: usize| &distances[part * all + nodes.start..][..count];
    // SAFETY: ranges of nodes are disjoint.
    let labels = unsafe { labels.get_mut(nodes.clone()) };
    let mut least = [f32::INFINITY; AT_ONCE];
    labels.fill(0);
    for part in 0..parts {
        for ((least, label), &way) in least.iter_mut().zip(labels.iter_mut()).zip(row(part)) {
            let is_nearer = way < *least;
            *least = if is_nearer { way } else { *least };
            *label = if is_nearer { part as u32 } else { *label };
        }
    }
    // SAFETY: as above.
    let own =
        |part: usize| unsafe { weights.get_mut(part * all + nodes.start..part * all + nodes.start + count) };
    let mut sums = [0.0f32; AT_ONCE];
    for part in 0..parts {
        for (((weight, sum), &least), &way) in own(part).iter_mut().zip(&mut sums).zip(&least).zip(row(part))
        {
            let further = way.max(LEAST) / least.max(LEAST) - 1.0;
            let share = exponential(-(sharpness * logarithm_of_one_plus(further)));
            *weight = if way < f32::INFINITY { share } else { 0.0 };
            *sum += *weight;
        }
    }
    for part in 0..parts {
        for ((weight, &sum), &area) in own(part).iter_mut().zip(&sums).zip(&areas[nodes.start..]) {
            let unit = if sum > 0.0 { area / sum } else { 0.0 };
            *weight *= unit;
        }
    }
}
