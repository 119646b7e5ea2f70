//! Processor text of over-relaxed sweeps over a picture whose springs vary.
//!
//! The terms of a pixel's equations beside the unknowns (its springs and the inverse of its block) are computed once for all
//! sweeps that run through the cache together, not once a pass; and a pass computes only the pixels of its own colour
//! ([`super::half_rows`]). The operations are those of [`super::row`], so the bits are the same.

use super::Relax;
use super::half_rows::{ACROSS, INVERSE, Layout, RHS, load};
use super::row::inverse_of;
use super::system::{link, spring};
use super::wavefront::{PassUpdate, follow};
use crate::shared::lanes::{LANES, Lanes, Pack, starts};
use crate::shared::rows::beside;
use multiversion::multiversion;
use std::ops::Range;
use veloxel_core::{Axes, Dimension, Shape};
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::{Shared, components, components_mut, ranges_mut, with_scratch};

/// Number of bytes of rows that a thread holds: they should stay in its cache.
const MOST_BYTES: usize = 1 << 20;
/// Number of passes of a sweep: pixels with even x + y, then the others.
const COLOURS: usize = 2;
/// Number of rows on both sides of a slab's end that a pass leaves out or adds.
const SIDES: usize = 2;

/// Whether the sweeps are of this kind.
pub(super) fn is_supported(args: &Relax<'_>) -> bool {
    let operator = &args.operator;
    let is_picture = operator.shape.dimension == Dimension::Two && operator.shape.size[2] == 1;
    let has_both = operator.tensor.is_some() && operator.diffusivity.is_some();
    is_picture && has_both && operator.volume_weight.is_none() && args.omega > 1.0
}

pub(super) fn relax(cpu: &Cpu, args: Relax<'_>) {
    let Relax { operator, x, rhs, omega, sweeps } = args;
    let (Some(tensor), Some(psi)) = (operator.tensor, operator.diffusivity) else { return };
    let [nx, ny, _] = operator.shape.size;
    let picture = Picture {
        shape: operator.shape,
        layout: Layout::of(nx),
        springs: operator.springs(),
        tensor: components(tensor),
        psi: psi.host(),
        rhs: components(rhs),
        x: components_mut(x).map(Shared::new),
        omega,
    };
    let passes: Vec<usize> = (0..COLOURS * sweeps).map(|pass| pass % COLOURS).collect();
    for passes in passes.chunks(COLOURS * picture.sweeps_together(cpu, sweeps)) {
        // Rows that passes come back to, and one beside them on either side.
        let slots = (SIDES * (passes.len() + 1)).min(ny);
        follow(cpu, operator.shape, passes, &Sweeps { picture: &picture, slots });
    }
}

/// The system, row by row.
struct Picture<'a> {
    shape: Shape,
    layout: Layout,
    /// Springs where ψ is 1.
    springs: Axes<f32>,
    tensor: [&'a [f32]; 3],
    psi: &'a [f32],
    rhs: [&'a [f32]; 2],
    x: [Shared<'a>; 2],
    omega: f32,
}

impl Picture<'_> {
    /// Number of samples of both halves of a row.
    fn slot(&self) -> usize {
        2 * self.layout.block()
    }

    /// Number of sweeps that follow each other through the picture: as many as the cache holds rows for, and as leave slabs for
    /// all threads.
    fn sweeps_together(&self, cpu: &Cpu, sweeps: usize) -> usize {
        let threads = cpu.useful_parts(COLOURS * sweeps * self.shape.len()).min(cpu.threads());
        let rows = MOST_BYTES / (self.slot() * size_of::<f32>());
        (rows.saturating_sub(SIDES).min(self.shape.rows() / threads) / (SIDES * COLOURS)).max(1)
    }

    fn span(&self, row: usize) -> Range<usize> {
        let nx = self.shape.size[0];
        row * nx..(row + 1) * nx
    }

    /// Writes the terms of a row's equations; `work` holds six rows and a sample.
    fn prepare(&self, row: usize, work: &mut [f32], slot: &mut [f32]) {
        let n = self.shape.size[0];
        let (rows, links) = work.split_at_mut(5 * n);
        let beside = beside(self.shape, row, 1);
        let psi = [Some(row), beside[0], beside[1]].map(|to| &self.psi[self.span(to.unwrap_or(row))]);
        let weights = beside.map(|beside| if beside.is_some() { self.springs[1] } else { 0.0 });
        (links[0], links[n]) = (0.0, 0.0);
        link(psi[0], self.springs[0], links);
        let tensor = self.tensor.map(|entry| &entry[self.span(row)]);
        match n < LANES {
            true => invert::<f32>(psi, weights, tensor, links, rows),
            false => invert::<Lanes>(psi, weights, tensor, links, rows),
        }
        let (even, odd) = slot.split_at_mut(self.layout.block());
        for (nth, rhs) in self.rhs.iter().enumerate() {
            load([even, odd], self.layout.line(RHS + nth), &rhs[self.span(row)]);
        }
        for (nth, line) in rows.chunks_exact(n).enumerate() {
            let to = if nth < 3 { INVERSE + nth } else { ACROSS + nth - 3 };
            load([even, odd], self.layout.line(to), line);
        }
        load([even, odd], self.layout.link(), links);
    }
}

/// Sweeps whose tasks hold a number of rows.
struct Sweeps<'a> {
    picture: &'a Picture<'a>,
    slots: usize,
}

impl PassUpdate<usize> for Sweeps<'_> {
    fn update(&self, steps: impl Iterator<Item = (usize, usize)>) {
        let Self { picture, slots } = *self;
        with_scratch(slots * picture.slot() + 6 * picture.shape.size[0] + 1, |scratch| {
            let (samples, work) = scratch.split_at_mut(slots * picture.slot());
            let mut held = HeldRows { picture, rows: vec![Held::default(); slots], samples, work };
            // SAFETY: `follow` hands this thread the row and lets no other thread write the rows beside it.
            steps.for_each(|(colour, row)| unsafe { held.update(colour, row) });
            // SAFETY: as above.
            (0..slots).for_each(|slot| unsafe { held.give_back(slot) });
        });
    }
}

/// The row that a slot holds.
#[derive(Clone, Copy, Default)]
struct Held {
    row: Option<usize>,
    /// Whether the terms of its equations are stored, and its unknowns changed.
    is_updated: bool,
}

/// Rows that passes come back to, in halves.
struct HeldRows<'a, 's> {
    picture: &'a Picture<'a>,
    rows: Vec<Held>,
    samples: &'s mut [f32],
    work: &'s mut [f32],
}

impl HeldRows<'_, '_> {
    /// Updates the pixels of a colour in a row.
    ///
    /// # Safety
    /// Until all rows are given back no other thread writes the row, or the rows beside it.
    unsafe fn update(&mut self, colour: usize, row: usize) {
        let beside = beside(self.picture.shape, row, 1);
        for row in beside.into_iter().flatten().chain([row]) {
            // SAFETY: by the caller's promise.
            unsafe { self.hold(row) };
        }
        let (picture, slots, len) = (self.picture, self.rows.len(), self.picture.slot());
        let (layout, parity) = (picture.layout, (colour + row) % COLOURS);
        let place = |row: usize| row % slots * len..(row % slots + 1) * len;
        let held = &mut self.rows[row % slots];
        if !std::mem::replace(&mut held.is_updated, true) {
            picture.prepare(row, self.work, &mut self.samples[place(row)]);
        }
        let places = [Some(row), beside[0], beside[1]].map(|row| row.map_or(0..0, place));
        let [own, below, above] =
            self.samples.get_disjoint_mut(places).expect("every row should have a slot of its own");
        let (even, odd) = own.split_at_mut(layout.block());
        let (own, other) = if parity == 0 { (even, &*odd) } else { (odd, &*even) };
        let half = parity * layout.block()..(parity + 1) * layout.block();
        let near = [&*below, &*above].map(|row| row.get(half.clone()));
        layout.update(parity, own, other, near, picture.omega);
    }

    /// Brings a row's unknowns into its slot.
    ///
    /// # Safety
    /// As [`Self::update`].
    unsafe fn hold(&mut self, row: usize) {
        let slot = row % self.rows.len();
        if self.rows[slot].row == Some(row) {
            return;
        }
        // SAFETY: forwarded.
        unsafe { self.give_back(slot) };
        self.rows[slot] = Held { row: Some(row), is_updated: false };
        let (picture, len) = (self.picture, self.picture.slot());
        let (even, odd) = self.samples[slot * len..][..len].split_at_mut(picture.layout.block());
        // SAFETY: forwarded.
        let x = picture.x.each_ref().map(|x| unsafe { x.get(picture.span(row)) });
        picture.layout.load_unknowns([even, odd], x);
    }

    /// Brings unknowns that changed back from their slot.
    ///
    /// # Safety
    /// As [`Self::update`].
    unsafe fn give_back(&mut self, slot: usize) {
        let Held { row: Some(row), is_updated: true } = self.rows[slot] else { return };
        let (picture, len) = (self.picture, self.picture.slot());
        let (even, odd) = self.samples[slot * len..][..len].split_at(picture.layout.block());
        // SAFETY: forwarded.
        let x = unsafe { ranges_mut(&picture.x, picture.span(row)) };
        picture.layout.store_unknowns([even, odd], x);
    }
}

/// Writes three lines of inverses, then the springs to the rows before and after; `psi` is that of the row, and of these.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn invert<P: Pack>(psi: [&[f32]; 3], weights: [f32; 2], tensor: [&[f32]; 3], links: &[f32], out: &mut [f32]) {
    let n = psi[0].len();
    assert!(psi.iter().chain(&tensor).all(|row| row.len() == n), "rows should be equally long");
    assert!([links.len(), out.len()] == [n + 1, 5 * n], "scratch should hold the row");
    for at in starts::<P>(n) {
        // SAFETY: every row holds n samples, and the packs end at n.
        unsafe {
            let own = P::load(psi[0], at);
            let across =
                [spring(weights[0], own, P::load(psi[1], at)), spring(weights[1], own, P::load(psi[2], at))];
            let diag = P::load(links, at) + P::load(links, at + 1) + across[0] + across[1];
            let mut block = [diag; 6];
            for e in 0..3 {
                block[e] = P::load(tensor[e], at);
            }
            let inverse = inverse_of(block, [diag; 2]);
            for e in 0..3 {
                inverse[e].store(out, e * n + at);
            }
            for k in 0..2 {
                across[k].store(out, (3 + k) * n + at);
            }
        }
    }
}
