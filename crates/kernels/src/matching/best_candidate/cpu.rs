//! Processor text of [`super::BestCandidate`]: a row of blocks at a time, all candidates of it in the cache; the sum of lengths
//! and the addition are those of [`ClipLength`] and [`Compose`].

use super::{BestCandidate, SubVoxel, Symmetry};
use crate::image::pointwise::ClipLength;
use crate::kernel::Kernel;
use crate::shared::rows::row_loops;
use crate::variational::compose::{Compose, UpdateRule};
use multiversion::multiversion;
use std::ops::Range;
use veloxel_core::Axes;
use veloxel_gpu::rows::{Shared, with_scratch};
use veloxel_gpu::{Buffer, Cpu, Later};

pub(super) fn best_candidate(cpu: &Cpu, mut args: BestCandidate<'_>) -> Later<f64> {
    let (increment, distinctness) = (std::mem::take(&mut args.out), args.distinctness.take());
    let ([nx, ny, _], candidates) = (args.nodes.size, args.search.candidates());
    let rows_of: Vec<Shared<'_>> = increment.iter_mut().map(|c| Shared::new(c.host_mut())).collect();
    let distinctness = distinctness.map(|d| Shared::new(d.host_mut()));
    cpu.split(args.nodes.rows(), 4 * candidates * args.nodes.len(), |rows| {
        with_scratch((candidates + 2) * nx, |scratch| {
            for row in rows {
                let (objective, best) = scratch.split_at_mut(candidates * nx);
                let (most, which) = best.split_at_mut(nx);
                let at = [0, row % ny, row / ny];
                args.fill(at, objective);
                largest(objective, args.index([0; 3]), most, which);
                let range = row * nx..(row + 1) * nx;
                let found = Found { of: &args, objective, which, at };
                for (axis, component) in rows_of.iter().enumerate() {
                    // SAFETY: every row is written by one thread.
                    found.increment(axis, unsafe { component.get_mut(range.clone()) });
                }
                if let Some(distinctness) = &distinctness {
                    // SAFETY: as above.
                    found.distinctness(unsafe { distinctness.get_mut(range) });
                }
            }
        });
    });
    let BestCandidate { nodes: shape, spacing_edges, displacement, .. } = args;
    let length = ClipLength { limit: f32::MAX, field: &mut *increment }.on_cpu(cpu);
    Compose { shape, spacing_edges, update: UpdateRule::Add, displacement, increment }.on_cpu(cpu);
    length
}

impl BestCandidate<'_> {
    /// The shift of a candidate.
    fn shift(&self, candidate: usize) -> Axes<isize> {
        let at = self.search.place(candidate);
        [0, 1, 2].map(|a| at[a] as isize - self.search.reach[a] as isize)
    }

    /// The number of a candidate.
    fn index(&self, shift: Axes<isize>) -> usize {
        let ([wx, wy, _], reach) = (self.search.widths(), self.search.reach);
        let at = [0, 1, 2].map(|a| (shift[a] + reach[a] as isize) as usize);
        (at[2] * wy + at[1]) * wx + at[0]
    }

    /// Writes O_c of every block of a row, candidate by candidate.
    fn fill(&self, at: Axes<usize>, out: &mut [f32]) {
        let ([nx, ny, _], n) = (self.nodes.size, self.nodes.len());
        let row = (at[2] * ny + at[1]) * nx;
        for (candidate, out) in out.chunks_exact_mut(nx).enumerate() {
            let (scores, c) = (&self.scores.host()[candidate * n..][..n], self.shift(candidate));
            let here = &scores[row..row + nx];
            out.copy_from_slice(here);
            if self.symmetry == Symmetry::BothEnds {
                self.add_other_end(scores, here, at, c, out);
            }
            let [x, y, z] = [0, 1, 2].map(|a| c[a] as f32 * self.spacing_edges[a]);
            subtract(self.increment_cost * (x * x + y * y + z * z), out);
            if let Some(pull) = &self.pull {
                let fields = [pull.towards, self.displacement].map(|field| rows_of(field, row..row + nx));
                subtract_pull(pull.weight, fields, [x, y, z], out);
            }
        }
    }

    /// Takes the mean with the scores that end at the blocks of a row, where these lie inside.
    fn add_other_end(&self, scores: &[f32], here: &[f32], at: Axes<usize>, c: Axes<isize>, out: &mut [f32]) {
        let [nx, ny, nz] = self.nodes.size;
        let (y, z) = (at[1] as isize - c[1], at[2] as isize - c[2]);
        let is_inside = (0..ny as isize).contains(&y) && (0..nz as isize).contains(&z);
        let from = c[0].clamp(0, nx as isize) as usize;
        let to = (nx as isize + c[0]).clamp(0, nx as isize) as usize;
        let inside = if is_inside && from < to { from..to } else { 0..0 };
        mean(&here[..inside.start], &mut out[..inside.start]);
        mean(&here[inside.end..], &mut out[inside.end..]);
        if !inside.is_empty() {
            let line = &scores[(z as usize * ny + y as usize) * nx..][..nx];
            let first = (inside.start as isize - c[0]) as usize;
            mean(&line[first..first + inside.len()], &mut out[inside]);
        }
    }
}

/// A row of each component; empty for a component that the field does not have.
fn rows_of(field: &[Buffer], row: Range<usize>) -> Axes<&[f32]> {
    [0, 1, 2].map(|axis| field.get(axis).map_or(&[][..], |component| &component.host()[row.clone()]))
}

row_loops! {
    fn mean([other]; out) |i| out[i] = 0.5 * (out[i] + other[i]);
    fn subtract([], cost: f32; out) |i| out[i] -= cost;
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn subtract_pull(weight: f32, [towards, from]: [Axes<&[f32]>; 2], [x, y, z]: Axes<f32>, out: &mut [f32]) {
    let n = out.len();
    let (tx, fx, ty, fy) = (&towards[0][..n], &from[0][..n], &towards[1][..n], &from[1][..n]);
    if towards[2].is_empty() {
        for i in 0..n {
            let (a, b) = (x - (tx[i] - fx[i]), y - (ty[i] - fy[i]));
            out[i] -= weight * (a * a + b * b);
        }
        return;
    }
    let (tz, fz) = (&towards[2][..n], &from[2][..n]);
    for i in 0..n {
        let (a, b, c) = (x - (tx[i] - fx[i]), y - (ty[i] - fy[i]), z - (tz[i] - fz[i]));
        out[i] -= weight * (a * a + b * b + c * c);
    }
}

/// The largest value of each block, and its candidate, which is the one without motion unless another value is larger.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn largest(objective: &[f32], still: usize, most: &mut [f32], which: &mut [f32]) {
    let nx = most.len();
    most.copy_from_slice(&objective[still * nx..][..nx]);
    which.fill(still as f32);
    for (candidate, row) in objective.chunks_exact(nx).enumerate() {
        let candidate = candidate as f32;
        for i in 0..nx {
            let is_larger = row[i] > most[i];
            most[i] = if is_larger { row[i] } else { most[i] };
            which[i] = if is_larger { candidate } else { which[i] };
        }
    }
}

/// The best candidates of a row.
struct Found<'a> {
    of: &'a BestCandidate<'a>,
    objective: &'a [f32],
    /// Numbers of candidates, which are small enough to be exact.
    which: &'a [f32],
    at: Axes<usize>,
}

impl Found<'_> {
    /// The increment along an axis.
    fn increment(&self, axis: usize, out: &mut [f32]) {
        let (nx, reach) = (out.len(), self.of.search.reach[axis] as isize);
        let [wx, wy, _] = self.of.search.widths();
        let stride = [1, wx, wx * wy][axis] * nx;
        for (x, out) in out.iter_mut().enumerate() {
            let candidate = self.which[x] as usize;
            let best = self.of.shift(candidate)[axis];
            let spacing = self.of.spacing_edges[axis];
            *out = spacing * best as f32;
            let is_inside = || self.of.symmetry == Symmetry::OneSided || self.is_inside(x, candidate, axis);
            if self.of.sub_voxel == SubVoxel::Parabola && best.abs() < reach && is_inside() {
                let here = candidate * nx + x;
                let [low, middle, high] = [here - stride, here, here + stride].map(|i| self.objective[i]);
                *out = spacing * (best as f32 + peak(low, middle, high));
            }
        }
    }

    /// Whether a block's match, and its neighbours along an axis, came from inside the grid.
    fn is_inside(&self, x: usize, candidate: usize, axis: usize) -> bool {
        let (c, at) = (self.of.shift(candidate), [x, self.at[1], self.at[2]]);
        (0..3).all(|a| {
            let beside = isize::from(a == axis);
            (beside..self.of.nodes.size[a] as isize - beside).contains(&(at[a] as isize - c[a]))
        })
    }

    fn distinctness(&self, out: &mut [f32]) {
        let nx = out.len();
        for (x, out) in out.iter_mut().enumerate() {
            let best = self.which[x] as usize;
            let (shift, most) = (self.of.shift(best), self.objective[best * nx + x]);
            let is_apart = |candidate: &usize| {
                let other = self.of.shift(*candidate);
                (0..3).any(|a| (other[a] - shift[a]).abs() > 1)
            };
            let apart = (0..self.of.search.candidates()).filter(is_apart);
            let rival = apart.map(|c| self.objective[c * nx + x]).reduce(|a, b| if b > a { b } else { a });
            *out = match rival {
                None => 1.0,
                Some(rival) if most > 0.0 => (1.0 - rival.max(0.0) / most).clamp(0.0, 1.0),
                Some(rival) if rival < 0.0 => (1.0 - most / rival).clamp(0.0, 1.0),
                Some(_) => 0.0,
            };
        }
    }
}

/// The peak of the parabola through three values, from the middle one, which is the largest.
fn peak(low: f32, middle: f32, high: f32) -> f32 {
    let bend = 2.0 * middle - low - high;
    if bend > 0.0 { (0.5 * (high - low) / bend).clamp(-0.5, 0.5) } else { 0.0 }
}
