//! The stencil of a row: the terms of its neighbours along y and z, and their springs.
//!
//! For a row the operator splits into `A x = (J + diag) x − (x neighbours) − base`: `base` holds everything that comes from
//! other rows, `diag` is the sum of the springs.

use super::along_x::Along;
use super::row::{Purpose, Row, Stored, Task, Terms, store};
use super::system::{System, link, spring};
use crate::shared::lanes::{LANES, Lanes, Pack, prefetch};
use crate::shared::rows::beside;

/// A row and its neighbours.
struct Around<'a, const D: usize> {
    rhs: [&'a [f32]; D],
    /// For each component the rows y − 1, y + 1, z − 1, z + 1; beyond a border the row itself takes their place, with weight 0.
    near: [[&'a [f32]; 4]; D],
    weights: [f32; 4],
    psi: Psi<'a>,
}

/// ψ of a row, and of the rows that are near; empty where springs do not vary.
#[derive(Clone, Copy, Default)]
struct Psi<'a> {
    own: &'a [f32],
    near: [&'a [f32]; 4],
}

impl<const D: usize> System<'_, D> {
    /// Copies a row's unknowns and prepares its equations for a purpose; the next row's samples lie `ahead` samples further.
    ///
    /// # Safety
    /// Meanwhile no other thread writes what the row's stencil reads.
    pub unsafe fn gather(&self, row: usize, ahead: usize, purpose: Purpose, out: &mut Row<'_, D>) {
        let task = Task { tensor: self.tensor(row), ahead, purpose };
        // SAFETY: forwarded.
        unsafe {
            out.pad(std::array::from_fn(|c| self.x(c, row)));
            match (self.operator.shape.size[0] < LANES, self.operator.diffusivity.is_some()) {
                (true, false) => self.gather_packs::<f32, false>(row, &task, out),
                (true, true) => self.gather_packs::<f32, true>(row, &task, out),
                (false, false) => self.gather_packs::<Lanes, false>(row, &task, out),
                (false, true) => self.gather_packs::<Lanes, true>(row, &task, out),
            }
        }
    }

    /// # Safety
    /// As [`Self::gather`].
    unsafe fn gather_packs<P: Pack, const VARYING: bool>(
        &self,
        row: usize,
        task: &Task<'_>,
        out: &mut Row<'_, D>,
    ) {
        // SAFETY: forwarded.
        let around = unsafe { self.around(row) };
        if VARYING {
            link(around.psi.own, self.operator.springs()[0], out.along_x.links);
        }
        let Row { along_x, gathered, solved, .. } = out;
        let stencil = Stencil::<D, VARYING> { around, links: along_x.links, totals: along_x.totals };
        let Some(weight) = self.operator.volume_weight else {
            return solved.take::<D, P, _>(&stencil, along_x, task);
        };
        store::<D, P, _>(&stencil, gathered);
        // SAFETY: forwarded.
        unsafe { self.add_volume(row, weight.host(), out) };
        out.solved.take::<D, P, _>(&Stored::<D, VARYING>(&out.gathered), &out.along_x, task);
    }

    /// # Safety
    /// While the rows live, no other thread writes what their stencils read.
    unsafe fn around(&self, row: usize) -> Around<'_, D> {
        let springs = self.operator.springs();
        let [y, z] = [1, 2].map(|axis| {
            beside(self.operator.shape, row, axis).map(|to| to.map_or((row, 0.0), |to| (to, springs[axis])))
        });
        let steps = [y[0], y[1], z[0], z[1]];
        let rows = steps.map(|(to, _)| to);
        Around {
            // SAFETY: forwarded.
            rhs: std::array::from_fn(|c| unsafe { self.rhs[c].get(self.span(row)) }),
            // SAFETY: forwarded.
            near: std::array::from_fn(|c| rows.map(|to| unsafe { self.x(c, to) })),
            weights: steps.map(|(_, weight)| weight),
            psi: self.operator.diffusivity.map_or_else(Psi::default, |psi| {
                let of = |row| &psi.host()[self.span(row)];
                Psi { own: of(row), near: rows.map(of) }
            }),
        }
    }
}

/// A row whose springs along y and z vary, or are those of the axes.
struct Stencil<'a, const D: usize, const VARYING: bool> {
    around: Around<'a, D>,
    /// Springs along x: see [`AlongX`](super::along_x::AlongX).
    links: &'a [f32],
    totals: &'a [f32],
}

impl<const D: usize, const VARYING: bool> Terms<D> for Stencil<'_, D, VARYING> {
    type Along = Along<VARYING, false>;

    fn require(&self, n: usize) {
        let Around { rhs, near, psi, .. } = &self.around;
        let psi = [psi.own].into_iter().chain(psi.near).filter(|_| VARYING);
        let rows = rhs.iter().chain(near.iter().flatten()).copied().chain(psi);
        assert!(rows.into_iter().all(|row| row.len() == n), "rows should be equally long");
        assert!([self.links.len(), self.totals.len()] == [n + 1, n], "scratch should hold the row");
    }
    /// The sum of the springs, the same for every component.
    #[inline(always)]
    unsafe fn diag<P: Pack>(&self, at: usize) -> [P; D] {
        if !VARYING {
            let across = P::splat(self.around.weights[..2 * (D - 1)].iter().sum());
            // SAFETY: forwarded.
            return [unsafe { P::load(self.totals, at) } + across; D];
        }
        // SAFETY: forwarded.
        let mut total = unsafe { P::load(self.links, at) + P::load(self.links, at + 1) };
        for k in 0..2 * (D - 1) {
            // SAFETY: forwarded.
            total = total + unsafe { self.spring(k, at) };
        }
        [total; D]
    }
    /// The sum `rhs + Σ spring · neighbour` along y and z.
    #[inline(always)]
    unsafe fn base<P: Pack>(&self, c: usize, at: usize) -> P {
        // SAFETY: forwarded.
        unsafe {
            let mut sum = P::load(self.around.rhs[c], at);
            for k in 0..2 * (D - 1) {
                sum = sum + self.spring::<P>(k, at) * P::load(self.around.near[c][k], at);
            }
            sum
        }
    }
    #[inline(always)]
    fn prefetch(&self, c: usize, at: usize) {
        prefetch(self.around.rhs[c], at);
        prefetch(self.around.near[c][3], at);
    }
}

impl<const D: usize, const VARYING: bool> Stencil<'_, D, VARYING> {
    /// The springs to the `k`-th neighbours along y and z.
    ///
    /// # Safety
    /// The row holds the pack at `at`.
    #[inline(always)]
    unsafe fn spring<P: Pack>(&self, k: usize, at: usize) -> P {
        let weight = self.around.weights[k];
        if !VARYING {
            return P::splat(weight);
        }
        // SAFETY: forwarded.
        unsafe { spring(weight, P::load(self.around.psi.own, at), P::load(self.around.psi.near[k], at)) }
    }
}
