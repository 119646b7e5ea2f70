//! Processor text of the sweeps: each thread takes some columns at a time, which fit its cache.

use super::{SupernodeEntry, SupernodeSweep, Supernodes};
use crate::paths::tile::{Operand, tile};
use crate::shared::lanes::LANES;
use multiversion::multiversion;
use std::ops::Range;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

/// Memory of one thread for sweeps of a fixed number of columns.
#[derive(Debug)]
pub struct SweepScratch {
    up: Vec<f32>,
    down: Vec<f32>,
}

impl SweepScratch {
    /// Number of columns that are solved together: whole lanes.
    pub const COLUMNS: usize = 64;

    /// Scratch for a factor.
    pub fn new(supernodes: &Supernodes) -> Self {
        let len = supernodes.nodes * Self::COLUMNS;
        Self { up: vec![0.0; len], down: vec![0.0; len] }
    }

    /// Number of bytes that [`Self::new`] takes.
    pub fn bytes(nodes: usize) -> u64 {
        8 * (nodes * Self::COLUMNS) as u64
    }

    /// Distances from the nodes at `sources`, ascending and at most [`Self::COLUMNS`], to all: a row of [`Self::COLUMNS`]
    /// distances for each place; columns beyond the last source are infinite.
    ///
    /// # Panics
    /// If there are more sources, or they do not ascend.
    pub fn solve(&mut self, supernodes: &Supernodes, sources: &[usize]) -> &[f32] {
        assert!(sources.len() <= Self::COLUMNS, "there should be a column for each source");
        assert!(sources.is_sorted(), "sources should ascend");
        sweep(supernodes, sources, &mut self.up, &mut self.down);
        &self.down
    }
}

/// Solves blocks of columns one after the other on each thread, each in memory of its own.
pub(super) fn sweep_blocks(cpu: &Cpu, args: SupernodeSweep<'_>) {
    const COLUMNS: usize = SweepScratch::COLUMNS;
    let SupernodeSweep { supernodes, sources, width, down, .. } = args;
    let supernodes = supernodes.host();
    let out = Shared::new(down.host_mut());
    cpu.split(width / COLUMNS, Cpu::HEAVY_ITEMS, |blocks| {
        let mut scratch = SweepScratch::new(supernodes);
        for block in blocks {
            let sources = &sources[(block * COLUMNS).min(sources.len())..];
            let columns = scratch.solve(supernodes, &sources[..sources.len().min(COLUMNS)]);
            for (place, row) in columns.chunks_exact(COLUMNS).enumerate() {
                let begin = place * width + block * COLUMNS;
                // SAFETY: every block of columns is one thread's.
                unsafe { out.get_mut(begin..begin + COLUMNS) }.copy_from_slice(row);
            }
        }
    });
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn sweep(supernodes: &Supernodes, sources: &[usize], up: &mut [f32], down: &mut [f32]) {
    const COLUMNS: usize = SweepScratch::COLUMNS;
    let columns_of = |entry: &SupernodeEntry| {
        let subtree = entry.subtree();
        let [begin, end] = [subtree.start, subtree.end].map(|place| sources.partition_point(|&s| s < place));
        if begin == end { 0..0 } else { begin / LANES * LANES..end.next_multiple_of(LANES) }
    };
    let touched: Vec<Range<usize>> = supernodes.entries.iter().map(columns_of).collect();
    let climbing = || supernodes.entries.iter().zip(&touched).filter(|(_, columns)| !columns.is_empty());
    for (entry, _) in climbing() {
        up[entry.places.start * COLUMNS..entry.places.end * COLUMNS].fill(f32::INFINITY);
    }
    for (column, place) in sources.iter().enumerate() {
        up[place * COLUMNS + column] = 0.0;
    }
    for (entry, columns) in climbing() {
        climb(supernodes, entry, columns.clone(), up);
    }
    for (entry, columns) in supernodes.entries.iter().zip(&touched).rev() {
        descend(supernodes, entry, columns.clone(), up, down);
    }
}

/// Updates a supernode's boundary from the supernode.
#[inline(always)]
fn climb(supernodes: &Supernodes, entry: &SupernodeEntry, columns: Range<usize>, up: &mut [f32]) {
    let boundary = &supernodes.boundary[entry.boundary.clone()];
    // Terms are the own places, rows the boundary: the coupling is read by columns.
    let (below, above) = up.split_at_mut(entry.places.end * SweepScratch::COLUMNS);
    let (whole, rest) = boundary.as_chunks::<4>();
    for (i, places) in whole.iter().enumerate() {
        climb_rows(supernodes, entry, 4 * i, places, columns.clone(), below, above);
    }
    for (i, place) in rest.iter().enumerate() {
        climb_rows(supernodes, entry, 4 * whole.len() + i, &[*place], columns.clone(), below, above);
    }
}

#[inline(always)]
fn climb_rows<const M: usize>(
    supernodes: &Supernodes,
    entry: &SupernodeEntry,
    row: usize,
    places: &[u32; M],
    columns: Range<usize>,
    below: &[f32],
    above: &mut [f32],
) {
    const COLUMNS: usize = SweepScratch::COLUMNS;
    let (own, begin) = (entry.own(), entry.places.start * COLUMNS);
    let a = Operand {
        samples: &supernodes.coupling,
        first: entry.coupling + row,
        row_stride: 1,
        step: entry.boundary.len(),
    };
    for column in columns.step_by(LANES) {
        let slot = |i: usize| (places[i] as usize - entry.places.end) * COLUMNS + column;
        let mut best = [[0.0; LANES]; M];
        for (i, best) in best.iter_mut().enumerate() {
            best.copy_from_slice(&above[slot(i)..][..LANES]);
        }
        // SAFETY: the coupling holds own × boundary lengths, and `below` every own place.
        unsafe { tile(&mut best, own, a, below, |k| begin + k * COLUMNS + column) };
        for (i, best) in best.iter().enumerate() {
            above[slot(i)..][..LANES].copy_from_slice(best);
        }
    }
}

/// Updates a supernode from its boundary.
#[inline(always)]
fn descend(
    supernodes: &Supernodes,
    entry: &SupernodeEntry,
    touched: Range<usize>,
    up: &[f32],
    down: &mut [f32],
) {
    let (own, fours) = (entry.own(), entry.own() - entry.own() % 4);
    let (below, above) = down.split_at_mut(entry.places.end * SweepScratch::COLUMNS);
    for row in (0..fours).step_by(4) {
        descend_rows::<4>(supernodes, entry, row, touched.clone(), up, below, above);
    }
    for row in fours..own {
        descend_rows::<1>(supernodes, entry, row, touched.clone(), up, below, above);
    }
}

#[inline(always)]
fn descend_rows<const M: usize>(
    supernodes: &Supernodes,
    entry: &SupernodeEntry,
    row: usize,
    touched: Range<usize>,
    up: &[f32],
    below: &mut [f32],
    above: &[f32],
) {
    const COLUMNS: usize = SweepScratch::COLUMNS;
    let boundary = &supernodes.boundary[entry.boundary.clone()];
    let (own, begin) = (entry.own(), entry.places.start * COLUMNS);
    let within =
        Operand { samples: &supernodes.closure, first: entry.closure + row * own, row_stride: own, step: 1 };
    let outside = Operand {
        samples: supernodes.downwards(),
        first: entry.coupling + row * boundary.len(),
        row_stride: boundary.len(),
        step: 1,
    };
    for column in (0..COLUMNS).step_by(LANES) {
        let mut best = [[f32::INFINITY; LANES]; M];
        // SAFETY: the closure holds own × own lengths, the coupling own × boundary; `up` holds all places, `above` those of
        // every boundary.
        unsafe {
            if touched.contains(&column) {
                tile(&mut best, own, within, up, |k| begin + k * COLUMNS + column);
            }
            let at = |k: usize| (*boundary.get_unchecked(k) as usize - entry.places.end) * COLUMNS + column;
            tile(&mut best, boundary.len(), outside, above, at);
        }
        for (i, best) in best.iter().enumerate() {
            below[begin + (row + i) * COLUMNS + column..][..LANES].copy_from_slice(best);
        }
    }
}
