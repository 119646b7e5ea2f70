//! The equations of one row, solved for its own unknowns or applied to them, a pack of voxels at a time.

use super::Operator;
use super::along_x::{Along, AlongX, Springs};
use crate::shared::lanes::{LANES, Lanes, Pack, prefetch, starts};
use multiversion::multiversion;

/// The use that a row's equations are gathered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// They are solved for the row's own unknowns.
    Update,
    /// They are applied to the row's own unknowns.
    Residual,
}

/// The inputs of the work on a row's terms.
pub(super) struct Task<'a> {
    /// The tensor's entries; empty without a tensor.
    pub tensor: [&'a [f32]; 6],
    /// Distance in samples to the next row's samples, for prefetching.
    pub ahead: usize,
    pub purpose: Purpose,
}

/// The terms of a row's equations that do not depend on its own unknowns.
pub(super) trait Terms<const D: usize> {
    /// The type of the springs along x that belong to these terms.
    type Along: Springs;
    /// Requires that every row holds `n` samples.
    fn require(&self, n: usize);
    /// The sum of each component's springs, for the voxels from `at` on.
    ///
    /// # Safety
    /// The row has as many samples as [`Self::require`] was called with, and holds the pack.
    unsafe fn diag<P: Pack>(&self, at: usize) -> [P; D];
    /// The right-hand side of a component plus the terms of other rows.
    ///
    /// # Safety
    /// As [`Self::diag`].
    unsafe fn base<P: Pack>(&self, component: usize, at: usize) -> P;
    /// Prefetches the terms that the next row needs for a component.
    fn prefetch(&self, component: usize, at: usize);
}

/// Terms that are stored, because a volume term adds to them.
pub(super) struct Gathered<'s, const D: usize> {
    pub base: [&'s mut [f32]; D],
    pub diag: [&'s mut [f32]; D],
}

/// The results of the terms, and the unknowns.
pub(super) struct Solved<'s> {
    /// The right-hand side plus the terms of other rows, component after component.
    base: &'s mut [f32],
    /// Entries of each block's inverse, one after the other.
    inverse: &'s mut [f32],
    /// The unknowns, component after component, each between two zeros: springs beyond the border pull at 0.
    padded: &'s mut [f32],
    /// The unknowns after the first half of an update.
    half_way: &'s mut [f32],
    /// The residual of the equations, component after component.
    pub residual: &'s mut [f32],
}

/// A row's equations in scratch that is cut up once for many rows.
pub(super) struct Row<'s, const D: usize> {
    pub along_x: AlongX<'s>,
    pub gathered: Gathered<'s, D>,
    pub solved: Solved<'s>,
    /// Memory of three rows.
    pub work: &'s mut [f32],
}

/// The voxels of a row to update, by the parity of x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voxels {
    All,
    /// Voxels of one parity: 0 for even x, 1 for odd x.
    OfParity(usize),
    /// Voxels of even x, then those of odd x.
    EvenThenOdd,
}

/// Number of entries of a symmetric block.
const fn entries(components: usize) -> usize {
    components * (components + 1) / 2
}

/// Index of entry `(r, c)` of a symmetric block.
const fn entry<const D: usize>(r: usize, c: usize) -> usize {
    let (low, high) = if r < c { (r, c) } else { (c, r) };
    low * (2 * D + 1 - low) / 2 + high - low
}

impl<'s, const D: usize> Row<'s, D> {
    /// Number of samples of scratch for rows of `n` voxels.
    pub const fn scratch(n: usize) -> usize {
        2 * (n + 1) + (4 * D + entries(D) + 4) * n + 2 * D * (n + 2)
    }

    /// Cuts up scratch for the rows of an operator, with springs along x that are the same everywhere.
    pub fn new(scratch: &'s mut [f32], operator: &Operator<'_>) -> Self {
        let n = operator.shape.size[0];
        let mut rest = scratch;
        let mut take = |len: usize| rest.split_off_mut(..len).expect("scratch should hold the row");
        // Whole rows come first: where n is a multiple of a vector's length, no vector straddles two cache lines.
        let (base, inverse, residual) = (take(D * n), take(entries(D) * n), take(D * n));
        let gathered =
            Gathered { base: std::array::from_fn(|_| take(n)), diag: std::array::from_fn(|_| take(n)) };
        let (work, totals) = (take(3 * n), take(n));
        let (padded, half_way) = (take(D * (n + 2)), take(D * (n + 2)));
        for half in half_way.chunks_exact_mut(n + 2) {
            (half[0], half[n + 1]) = (0.0, 0.0);
        }
        let spring = operator.springs()[0];
        let (links, volume_links) = (take(n + 1), take(n + 1));
        // Where ψ or w vary these are found row by row, but for those at the ends.
        links.fill(spring);
        (links[0], links[n]) = (0.0, 0.0);
        (volume_links[0], volume_links[n]) = (0.0, 0.0);
        totals.iter_mut().zip(links.windows(2)).for_each(|(total, pair)| *total = pair[0] + pair[1]);
        Self {
            along_x: AlongX {
                spring,
                links,
                has_diffusivity: operator.diffusivity.is_some(),
                totals,
                volume_links,
                has_volume: operator.volume_weight.is_some(),
            },
            gathered,
            work,
            solved: Solved { base, inverse, padded, half_way, residual },
        }
    }

    /// Copies each component of the unknowns between two zeros.
    pub fn pad(&mut self, x: [&[f32]; D]) {
        for (x, out) in x.iter().zip(self.solved.padded.chunks_exact_mut(x[0].len() + 2)) {
            out[0] = 0.0;
            out[1..=x.len()].copy_from_slice(x);
            out[x.len() + 1] = 0.0;
        }
    }

    /// Updates some voxels, `out = x + ω (inverse · (base + x neighbours) − x)`, and copies x at the others.
    pub fn update(&mut self, voxels: Voxels, omega: f32, out: [&mut [f32]; D]) {
        let steps = |parity: usize| std::array::from_fn(|p| if p == parity { omega } else { 0.0 });
        let Solved { base, inverse, padded, half_way, .. } = &mut self.solved;
        let system = System::<D> { along_x: &self.along_x, base, inverse };
        match voxels {
            Voxels::All => system.step(padded, [omega; 2], out),
            Voxels::OfParity(parity) => system.step(padded, steps(parity), out),
            Voxels::EvenThenOdd => {
                let n = out[0].len();
                let mut halves = half_way.chunks_exact_mut(n + 2);
                let inner = std::array::from_fn(|_| {
                    let half = halves.next().expect("scratch should hold every component");
                    &mut half[1..=n]
                });
                system.step(padded, steps(0), inner);
                system.step(half_way, steps(1), out);
            }
        }
    }
}

impl Solved<'_> {
    /// Inverts the blocks or applies the equations.
    pub fn take<const D: usize, P: Pack, T: Terms<D>>(
        &mut self,
        terms: &T,
        along_x: &AlongX<'_>,
        task: &Task<'_>,
    ) {
        let Self { base, inverse, padded, residual: left, .. } = self;
        match (task.purpose, task.tensor[0].is_empty()) {
            (Purpose::Update, false) => invert::<D, true, P, T>(terms, task, base, inverse),
            (Purpose::Update, true) => invert::<D, false, P, T>(terms, task, base, inverse),
            (Purpose::Residual, false) => residual::<D, true, P, T>(terms, along_x, task, padded, left),
            (Purpose::Residual, true) => residual::<D, false, P, T>(terms, along_x, task, padded, left),
        }
    }
}

impl Task<'_> {
    fn require<const D: usize>(&self, n: usize) {
        let len = if self.tensor[0].is_empty() { 0 } else { n };
        assert!(self.tensor[..entries(D)].iter().all(|row| row.len() == len), "rows should be equally long");
    }
}

impl<const D: usize> Gathered<'_, D> {
    fn require(&self, n: usize) {
        assert!(self.base.iter().chain(&self.diag).all(|row| row.len() == n), "scratch should hold the row");
    }
}

/// Stored terms of a row whose springs vary or do not.
pub(super) struct Stored<'a, 's, const D: usize, const VARYING: bool>(pub &'a Gathered<'s, D>);

impl<const D: usize, const VARYING: bool> Terms<D> for Stored<'_, '_, D, VARYING> {
    type Along = Along<VARYING, true>;

    fn require(&self, n: usize) {
        self.0.require(n);
    }
    #[inline(always)]
    unsafe fn diag<P: Pack>(&self, at: usize) -> [P; D] {
        let mut diag = [P::splat(0.0); D];
        for c in 0..D {
            // SAFETY: forwarded.
            diag[c] = unsafe { P::load(self.0.diag[c], at) };
        }
        diag
    }
    #[inline(always)]
    unsafe fn base<P: Pack>(&self, component: usize, at: usize) -> P {
        // SAFETY: forwarded.
        unsafe { P::load(self.0.base[component], at) }
    }
    #[inline(always)]
    fn prefetch(&self, _: usize, _: usize) {}
}

/// Stores a row's terms.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
pub(super) fn store<const D: usize, P: Pack, T: Terms<D>>(terms: &T, out: &mut Gathered<'_, D>) {
    let n = out.base[0].len();
    terms.require(n);
    out.require(n);
    for at in starts::<P>(n) {
        // SAFETY: every row holds n samples, and the packs end at n.
        unsafe {
            let diag = terms.diag::<P>(at);
            for c in 0..D {
                diag[c].store(out.diag[c], at);
                terms.base::<P>(c, at).store(out.base[c], at);
            }
        }
    }
}

/// Stores a row's bases and inverts `J + diag` of every voxel.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn invert<const D: usize, const TENSOR: bool, P: Pack, T: Terms<D>>(
    terms: &T,
    task: &Task<'_>,
    bases: &mut [f32],
    inverses: &mut [f32],
) {
    let n = bases.len() / D;
    terms.require(n);
    task.require::<D>(n);
    assert!(inverses.len() == entries(D) * n, "scratch should hold the row");
    for at in starts::<P>(n) {
        // SAFETY: every row holds n samples, and the packs end at n.
        unsafe {
            let diag = terms.diag::<P>(at);
            let inverse = if TENSOR {
                let mut block = [P::splat(0.0); 6];
                for (block, tensor) in block.iter_mut().zip(&task.tensor).take(entries(D)) {
                    *block = P::load(tensor, at);
                    prefetch(tensor, at + task.ahead);
                }
                inverse_of(block, diag)
            } else {
                inverse_of_diagonal(diag)
            };
            for e in 0..entries(D) {
                inverse[e].store(inverses, e * n + at);
            }
            for c in 0..D {
                terms.base::<P>(c, at).store(bases, c * n + at);
                terms.prefetch(c, at + task.ahead);
            }
        }
    }
}

/// The inverse of a diagonal block, entries as in the tensor.
#[inline(always)]
fn inverse_of_diagonal<const D: usize, P: Pack>(diag: [P; D]) -> [P; 6] {
    let mut out = [P::splat(0.0); 6];
    for c in 0..D {
        out[entry::<D>(c, c)] = P::splat(1.0) / diag[c].max(f32::MIN_POSITIVE);
    }
    out
}

/// The inverse of `block + diag`, entries as in the tensor.
#[inline(always)]
pub(super) fn inverse_of<const D: usize, P: Pack>(block: [P; 6], diag: [P; D]) -> [P; 6] {
    let one = P::splat(1.0);
    let mut out = [one; 6];
    if D == 2 {
        let (a, b, c) = (block[0] + diag[0], block[1], block[2] + diag[1]);
        let scale = one / (a * c - b * b).max(f32::MIN_POSITIVE);
        out[0] = c * scale;
        out[1] = -b * scale;
        out[2] = a * scale;
    } else {
        let (a, b, c) = (block[0] + diag[0], block[1], block[2]);
        let (d, e, f) = (block[3] + diag[1], block[4], block[5] + diag[D - 1]);
        let (c00, c01, c02) = (d * f - e * e, c * e - b * f, b * e - c * d);
        let scale = one / (a * c00 + b * c01 + c * c02).max(f32::MIN_POSITIVE);
        out[0] = c00 * scale;
        out[1] = c01 * scale;
        out[2] = c02 * scale;
        out[3] = (a * f - c * c) * scale;
        out[4] = (b * c - a * e) * scale;
        out[5] = (a * d - b * b) * scale;
    }
    out
}

/// Equations whose blocks are inverted.
struct System<'a, const D: usize> {
    along_x: &'a AlongX<'a>,
    base: &'a [f32],
    inverse: &'a [f32],
}

impl<const D: usize> System<'_, D> {
    fn step(&self, x: &[f32], steps: [f32; 2], out: [&mut [f32]; D]) {
        match (self.along_x.has_diffusivity, self.along_x.has_volume) {
            (false, false) => self.step_along::<Along<false, false>>(x, steps, out),
            (false, true) => self.step_along::<Along<false, true>>(x, steps, out),
            (true, false) => self.step_along::<Along<true, false>>(x, steps, out),
            (true, true) => self.step_along::<Along<true, true>>(x, steps, out),
        }
    }

    fn step_along<A: Springs>(&self, x: &[f32], steps: [f32; 2], out: [&mut [f32]; D]) {
        if out[0].len() < LANES {
            update::<D, f32, A>(self, x, steps, out);
        } else {
            update::<D, Lanes, A>(self, x, steps, out);
        }
    }
}

/// Updates `out = x + step (inverse · (base + x neighbours) − x)`, with one step at even x and another one at odd x; `x` is
/// padded.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn update<const D: usize, P: Pack, A: Springs>(
    system: &System<'_, D>,
    x: &[f32],
    [even, odd]: [f32; 2],
    out: [&mut [f32]; D],
) {
    let n = out[0].len();
    let System { along_x, base, inverse } = *system;
    let pull = along_x.pull(n);
    assert!(base.len() == D * n && out.iter().all(|o| o.len() == n), "rows should be equally long");
    assert!(inverse.len() == entries(D) * n && x.len() == D * (n + 2), "scratch should hold the row");
    let steps = [P::alternate(even, odd), P::alternate(odd, even)];
    for at in starts::<P>(n) {
        let step = steps[at % 2];
        // SAFETY: every row holds n samples, and the packs end at n.
        unsafe {
            let mut own = [P::splat(0.0); D];
            let mut sums = own;
            for c in 0..D {
                own[c] = P::load(x, c * (n + 2) + 1 + at);
                sums[c] = pull.add::<P, A>(P::load(base, c * n + at), x, c, at);
            }
            for c in 0..D {
                let mut change = P::load(inverse, entry::<D>(c, 0) * n + at) * sums[0] - own[c];
                for e in 1..D {
                    change = change + P::load(inverse, entry::<D>(c, e) * n + at) * sums[e];
                }
                (own[c] + step * change).store(out[c], at);
            }
        }
    }
}

/// Writes `rhs − A x`, component after component.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn residual<const D: usize, const TENSOR: bool, P: Pack, T: Terms<D>>(
    terms: &T,
    along_x: &AlongX<'_>,
    task: &Task<'_>,
    x: &[f32],
    out: &mut [f32],
) {
    let n = out.len() / D;
    terms.require(n);
    task.require::<D>(n);
    let pull = along_x.pull(n);
    assert!(x.len() == D * (n + 2), "scratch should hold the row");
    for at in starts::<P>(n) {
        // SAFETY: every row holds n samples, and the packs end at n.
        unsafe {
            let diag = terms.diag::<P>(at);
            let (mut own, mut rest) = (diag, diag);
            for c in 0..D {
                let base = terms.base::<P>(c, at);
                own[c] = P::load(x, c * (n + 2) + 1 + at);
                rest[c] = pull.add::<P, T::Along>(base, x, c, at) - diag[c] * own[c];
                terms.prefetch(c, at + task.ahead);
            }
            if TENSOR {
                for r in 0..D {
                    for c in 0..D {
                        rest[r] = rest[r] - P::load(task.tensor[entry::<D>(r, c)], at) * own[c];
                    }
                }
                task.tensor[..entries(D)].iter().for_each(|tensor| prefetch(tensor, at + task.ahead));
            }
            for c in 0..D {
                rest[c].store(out, c * n + at);
            }
        }
    }
}
