//! One supernode while it is eliminated: lengths between its own nodes and its boundary.
//!
//! *Notation*: a front holds the supernode's own nodes (s of them) before its boundary (r of them), and lengths from each row's
//! node to each column's.

use super::arcs::Arcs;
use std::ops::Range;
use veloxel_gpu::rows::with_scratch;
use veloxel_kernels::paths::min_plus::{Product, ProductSize, Rows, accumulate_product};

/// Own nodes that are eliminated together; columns of a front come in whole lanes of as many.
const PIVOTS: usize = 16;

/// Lengths between a supernode's own nodes and its boundary.
pub(super) struct Front<'a> {
    /// The first own place.
    begin: usize,
    own: usize,
    boundary: &'a [u32],
    /// Samples from one row to the next.
    stride: usize,
    lengths: &'a mut [f32],
    /// Lengths among a block of pivots; their rows; their columns.
    square: &'a mut [f32],
    panel: &'a mut [f32],
    columns: &'a mut [f32],
    old_columns: &'a mut [f32],
}

impl Front<'_> {
    /// A front without arcs, in this thread's memory.
    pub fn with<R>(places: Range<usize>, boundary: &[u32], work: impl FnOnce(&mut Front<'_>) -> R) -> R {
        let own = places.len();
        let side = own + boundary.len();
        let stride = side.next_multiple_of(PIVOTS);
        let parts = [PIVOTS * PIVOTS, PIVOTS * stride, PIVOTS * side, PIVOTS * side, side * stride];
        with_scratch(parts.iter().sum(), |memory| {
            let (square, memory) = memory.split_at_mut(parts[0]);
            let (panel, memory) = memory.split_at_mut(parts[1]);
            let (columns, memory) = memory.split_at_mut(parts[2]);
            let (old_columns, lengths) = memory.split_at_mut(parts[3]);
            lengths.fill(f32::INFINITY);
            for k in 0..side {
                lengths[k * stride + k] = 0.0;
            }
            let begin = places.start;
            work(&mut Front { begin, own, boundary, stride, lengths, square, panel, columns, old_columns })
        })
    }

    fn side(&self) -> usize {
        self.own + self.boundary.len()
    }

    /// The row of a place.
    fn row(&self, place: u32) -> usize {
        match (place as usize).checked_sub(self.begin).filter(|&row| row < self.own) {
            Some(row) => row,
            None => {
                self.own
                    + self.boundary.binary_search(&place).expect("the boundary should hold every neighbour")
            }
        }
    }

    fn shorten(&mut self, row: usize, column: usize, length: f32) {
        let slot = &mut self.lengths[row * self.stride + column];
        *slot = slot.min(length);
    }

    /// Arcs of own nodes to each other, and to and from the boundary; those of places below are in the children's updates.
    pub(crate) fn take_arcs(&mut self, arcs: &Arcs<'_>, node_at: &[u32], place_of: &[u32]) {
        for row in 0..self.own {
            let node = node_at[self.begin + row];
            for (to, length) in arcs.from(node) {
                if place_of[to as usize] as usize >= self.begin {
                    self.shorten(row, self.row(place_of[to as usize]), length);
                }
            }
            for (from, length) in arcs.to(node) {
                if place_of[from as usize] as usize >= self.begin {
                    self.shorten(self.row(place_of[from as usize]), row, length);
                }
            }
        }
    }

    /// Lengths between a child's boundary, all of which is in this front.
    pub(crate) fn take_update(&mut self, boundary: &[u32], update: &[f32]) {
        // Neighbours there are mostly neighbours here: whole runs are taken at once.
        let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
        for (i, &place) in boundary.iter().enumerate() {
            let row = self.row(place);
            match runs.last_mut() {
                Some((run, begin)) if *begin + run.len() == row => run.end += 1,
                _ => runs.push((i..i + 1, row)),
            }
        }
        for (rows, begin) in &runs {
            for (row, lengths) in
                (*begin..).zip(update.chunks_exact(boundary.len()).skip(rows.start)).take(rows.len())
            {
                let own = &mut self.lengths[row * self.stride..][..self.stride];
                for (run, begin) in &runs {
                    for (slot, &length) in own[*begin..].iter_mut().zip(&lengths[run.clone()]) {
                        *slot = if length < *slot { length } else { *slot };
                    }
                }
            }
        }
    }

    /// Floyd–Warshall over the own nodes, by blocks of pivots.
    pub(crate) fn eliminate(&mut self) {
        let (side, stride) = (self.side(), self.stride);
        for begin in (0..self.own).step_by(PIVOTS) {
            let count = PIVOTS.min(self.own - begin);
            self.close(begin, count);
            let whole = ProductSize { rows: count, depth: count, columns: stride };
            let rows = &mut self.lengths[begin * stride..(begin + count) * stride];
            self.panel[..count * stride].copy_from_slice(rows);
            let square = Rows { samples: self.square, stride: PIVOTS };
            let b = Rows { samples: self.panel, stride };
            accumulate_product(Product { size: whole, a: square, b }, rows, stride);
            self.panel[..count * stride].copy_from_slice(rows);
            self.close_columns(begin, count);
            for range in [0..begin, begin + count..side] {
                let size = ProductSize { rows: range.len(), depth: count, columns: stride };
                let a = Rows { samples: &self.columns[range.start * PIVOTS..], stride: PIVOTS };
                let c = &mut self.lengths[range.start * stride..range.end * stride];
                let b = Rows { samples: self.panel, stride };
                accumulate_product(Product { size, a, b }, c, stride);
            }
        }
    }

    /// Lengths from all nodes to some own ones, through these; infinite beside them.
    fn close_columns(&mut self, begin: usize, count: usize) {
        let (side, stride) = (self.side(), self.stride);
        for (out, lengths) in self.old_columns.chunks_exact_mut(PIVOTS).zip(self.lengths.chunks_exact(stride))
        {
            out[..count].copy_from_slice(&lengths[begin..begin + count]);
            out[count..].fill(f32::INFINITY);
        }
        self.columns.copy_from_slice(self.old_columns);
        let size = ProductSize { rows: side, depth: count, columns: PIVOTS };
        let a = Rows { samples: self.old_columns, stride: PIVOTS };
        let b = Rows { samples: self.square, stride: PIVOTS };
        accumulate_product(Product { size, a, b }, self.columns, PIVOTS);
    }

    /// Shortest lengths between some own nodes, through each other; infinite beside them.
    fn close(&mut self, begin: usize, count: usize) {
        self.square.fill(f32::INFINITY);
        for (k, out) in self.square.chunks_exact_mut(PIVOTS).enumerate().take(count) {
            out[..count].copy_from_slice(&self.lengths[(begin + k) * self.stride + begin..][..count]);
        }
        for k in 0..count {
            let mut through = [0.0; PIVOTS];
            through.copy_from_slice(&self.square[k * PIVOTS..][..PIVOTS]);
            for row in self.square.chunks_exact_mut(PIVOTS) {
                let first = row[k];
                for (slot, rest) in row.iter_mut().zip(through) {
                    let length = first + rest;
                    *slot = if length < *slot { length } else { *slot };
                }
            }
        }
        for (k, closed) in self.square.chunks_exact(PIVOTS).enumerate().take(count) {
            self.lengths[(begin + k) * self.stride + begin..][..count].copy_from_slice(&closed[..count]);
        }
    }

    /// Lengths from the nodes of some rows to those of some columns, row by row.
    pub fn copy(&self, rows: &Range<usize>, columns: &Range<usize>, out: &mut [f32]) {
        for (row, out) in rows.clone().zip(out.chunks_exact_mut(columns.len().max(1))) {
            out.copy_from_slice(&self.lengths[row * self.stride..][columns.clone()]);
        }
    }

    /// Copies lengths from the nodes of some rows to those of some columns, column by column.
    pub(crate) fn copy_turned(&self, rows: &Range<usize>, columns: &Range<usize>, out: &mut [f32]) {
        for (column, out) in columns.clone().zip(out.chunks_exact_mut(rows.len().max(1))) {
            for (row, slot) in rows.clone().zip(out) {
                *slot = self.lengths[row * self.stride + column];
            }
        }
    }
}
