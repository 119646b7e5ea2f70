//! The equations of one row, solved for its own unknowns or applied to them, a pack of voxels at a time.

use super::Operator;
use crate::shared::lanes::{LANES, Lanes, Pack, prefetch, starts};
use multiversion::multiversion;

/// What a row's equations are gathered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// They are solved for the row's own unknowns.
    Update,
    /// They are applied to them.
    Residual,
}

/// What is made of a row's terms.
pub(super) struct Task<'a> {
    /// The tensor's entries; empty without a tensor.
    pub tensor: [&'a [f32]; 6],
    /// How many samples on what the next row brings in lies.
    pub ahead: usize,
    pub purpose: Purpose,
}

/// The terms of a row's equations that do not depend on its own unknowns.
pub(super) trait Terms<const D: usize> {
    /// Whether springs along x are the same everywhere and there is no volume term.
    const IS_PLAIN: bool;
    /// Every row has to hold `n` samples.
    fn require(&self, n: usize);
    /// The springs' total of each component, of the voxels from `at` on.
    ///
    /// # Safety
    /// The row, of as many samples as [`Self::require`] was asked for, holds the pack.
    unsafe fn diag<P: Pack>(&self, at: usize) -> [P; D];
    /// The right-hand side of a component with what other rows bring.
    ///
    /// # Safety
    /// As [`Self::diag`].
    unsafe fn base<P: Pack>(&self, component: usize, at: usize) -> P;
    /// Asks for what the next row brings in for a component.
    fn prefetch(&self, component: usize, at: usize);
}

/// Springs to neighbours along x, one more than voxels: before the first, between any two, after the last.
pub(super) struct AlongX<'s> {
    /// α / s_x².
    spring: f32,
    /// The smoothness's.
    pub links: &'s mut [f32],
    /// Whether `links` differ from `spring` inside the row.
    has_diffusivity: bool,
    /// The volume term's, of the first component; 0 without that term.
    pub volume_links: &'s mut [f32],
    has_volume: bool,
}

/// Terms that are stored, because a volume term adds to them.
pub(super) struct Gathered<'s, const D: usize> {
    pub base: [&'s mut [f32]; D],
    pub diag: [&'s mut [f32]; D],
}

/// What terms become, and the unknowns.
pub(super) struct Solved<'s> {
    /// The right-hand side with what other rows bring, component after component.
    base: &'s mut [f32],
    /// Entries of each block's inverse, one after the other.
    inverse: &'s mut [f32],
    /// The unknowns, component after component, each between two zeros: springs beyond the border pull at nothing.
    padded: &'s mut [f32],
    /// The same, half updated.
    half_way: &'s mut [f32],
    /// What is left of the equations, component after component.
    pub residual: &'s mut [f32],
}

/// A row's equations in scratch that is cut up once for many rows.
pub(super) struct Row<'s, const D: usize> {
    pub along_x: AlongX<'s>,
    pub gathered: Gathered<'s, D>,
    pub solved: Solved<'s>,
    /// Three rows to work in.
    pub work: &'s mut [f32],
}

/// The voxels of a row to update, by the parity of x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voxels {
    All,
    /// Even x is 0, odd x is 1.
    OfParity(usize),
    /// Even x, then odd x.
    EvenThenOdd,
}

/// Entries of a symmetric block.
const fn entries(components: usize) -> usize {
    components * (components + 1) / 2
}

/// Where entry `(r, c)` of a symmetric block stands.
const fn entry<const D: usize>(r: usize, c: usize) -> usize {
    let (low, high) = if r < c { (r, c) } else { (c, r) };
    low * (2 * D + 1 - low) / 2 + high - low
}

impl<'s, const D: usize> Row<'s, D> {
    /// Samples of scratch for rows of `n` voxels.
    pub const fn scratch(n: usize) -> usize {
        2 * (n + 1) + (4 * D + entries(D) + 3) * n + 2 * D * (n + 2)
    }

    /// Cuts up scratch for the rows of an operator, with springs along x that are the same everywhere.
    pub fn new(scratch: &'s mut [f32], operator: &Operator<'_>) -> Self {
        let n = operator.shape.size[0];
        let mut rest = scratch;
        let mut take = |len: usize| rest.split_off_mut(..len).expect("scratch should hold the row");
        let spring = operator.springs()[0];
        let (links, volume_links) = (take(n + 1), take(n + 1));
        links.fill(spring);
        (links[0], links[n]) = (0.0, 0.0);
        volume_links.fill(0.0);
        let (base, inverse) = (take(D * n), take(entries(D) * n));
        let (padded, half_way, residual) = (take(D * (n + 2)), take(D * (n + 2)), take(D * n));
        half_way.fill(0.0);
        Self {
            along_x: AlongX {
                spring,
                links,
                has_diffusivity: operator.diffusivity.is_some(),
                volume_links,
                has_volume: operator.volume_weight.is_some(),
            },
            work: take(3 * n),
            gathered: Gathered {
                base: std::array::from_fn(|_| take(n)),
                diag: std::array::from_fn(|_| take(n)),
            },
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

    /// `out = x + ω (inverse · (base + x neighbours) − x)` at some voxels, x at the others.
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
        match task.purpose {
            Purpose::Update => invert::<D, P, T>(terms, task, self.base, self.inverse),
            Purpose::Residual => residual::<D, P, T>(terms, along_x, task, self.padded, self.residual),
        }
    }
}

impl Task<'_> {
    fn require<const D: usize>(&self, n: usize) {
        let len = if self.tensor[0].is_empty() { 0 } else { n };
        assert!(self.tensor[..entries(D)].iter().all(|row| row.len() == len), "rows should be equally long");
    }
}

impl<const D: usize> Terms<D> for Gathered<'_, D> {
    const IS_PLAIN: bool = false;

    fn require(&self, n: usize) {
        assert!(self.base.iter().chain(&self.diag).all(|row| row.len() == n), "scratch should hold the row");
    }
    #[inline(always)]
    unsafe fn diag<P: Pack>(&self, at: usize) -> [P; D] {
        let mut diag = [P::splat(0.0); D];
        for c in 0..D {
            // SAFETY: forwarded.
            diag[c] = unsafe { P::load(self.diag[c], at) };
        }
        diag
    }
    #[inline(always)]
    unsafe fn base<P: Pack>(&self, component: usize, at: usize) -> P {
        // SAFETY: forwarded.
        unsafe { P::load(self.base[component], at) }
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
fn invert<const D: usize, P: Pack, T: Terms<D>>(
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
            let inverse = if task.tensor[0].is_empty() {
                inverse_of_diagonal(diag)
            } else {
                let mut block = [P::splat(0.0); 6];
                for (block, tensor) in block.iter_mut().zip(&task.tensor).take(entries(D)) {
                    *block = P::load(tensor, at);
                    prefetch(tensor, at + task.ahead);
                }
                inverse_of(block, diag)
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
fn inverse_of<const D: usize, P: Pack>(block: [P; 6], diag: [P; D]) -> [P; 6] {
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

impl AlongX<'_> {
    fn is_plain(&self) -> bool {
        !self.has_diffusivity && !self.has_volume
    }
    fn require(&self, n: usize) {
        assert!([self.links.len(), self.volume_links.len()] == [n + 1; 2], "scratch should hold the row");
    }

    /// `base` of component `c` with what its voxels' neighbours along x bring.
    ///
    /// # Safety
    /// The row, and `x` which is padded, hold the pack at `at`.
    #[inline(always)]
    unsafe fn pull<P: Pack, const PLAIN: bool>(&self, base: P, x: &[f32], (c, at): (usize, usize)) -> P {
        let here = c * (self.links.len() + 1) + 1 + at;
        // SAFETY: forwarded.
        unsafe {
            let (before, after) = (P::load(x, here - 1), P::load(x, here + 1));
            if PLAIN {
                return base + P::splat(self.spring) * (before + after);
            }
            let mut sum = base;
            if self.has_diffusivity {
                sum = sum + P::load(self.links, at) * before + P::load(self.links, at + 1) * after;
            } else {
                sum = sum + P::splat(self.spring) * (before + after);
            }
            if c == 0 && self.has_volume {
                sum = sum
                    + P::load(self.volume_links, at) * before
                    + P::load(self.volume_links, at + 1) * after;
            }
            sum
        }
    }
}

/// Equations whose blocks are inverted.
struct System<'a, const D: usize> {
    along_x: &'a AlongX<'a>,
    base: &'a [f32],
    inverse: &'a [f32],
}

impl<const D: usize> System<'_, D> {
    fn step(&self, x: &[f32], steps: [f32; 2], out: [&mut [f32]; D]) {
        match (out[0].len() < LANES, self.along_x.is_plain()) {
            (true, true) => update::<D, f32, true>(self, x, steps, out),
            (true, false) => update::<D, f32, false>(self, x, steps, out),
            (false, true) => update::<D, Lanes, true>(self, x, steps, out),
            (false, false) => update::<D, Lanes, false>(self, x, steps, out),
        }
    }
}

/// `out = x + step (inverse · (base + x neighbours) − x)`, one step at even x and another one at odd x; `x` is padded.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn update<const D: usize, P: Pack, const PLAIN: bool>(
    system: &System<'_, D>,
    x: &[f32],
    [even, odd]: [f32; 2],
    out: [&mut [f32]; D],
) {
    let n = out[0].len();
    let System { along_x, base, inverse } = *system;
    along_x.require(n);
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
                sums[c] = along_x.pull::<P, PLAIN>(P::load(base, c * n + at), x, (c, at));
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
fn residual<const D: usize, P: Pack, T: Terms<D>>(
    terms: &T,
    along_x: &AlongX<'_>,
    task: &Task<'_>,
    x: &[f32],
    out: &mut [f32],
) {
    let n = out.len() / D;
    terms.require(n);
    task.require::<D>(n);
    along_x.require(n);
    assert!(x.len() == D * (n + 2), "scratch should hold the row");
    for at in starts::<P>(n) {
        // SAFETY: every row holds n samples, and the packs end at n.
        unsafe {
            let diag = terms.diag::<P>(at);
            let (mut own, mut rest) = (diag, diag);
            for c in 0..D {
                let base = terms.base::<P>(c, at);
                own[c] = P::load(x, c * (n + 2) + 1 + at);
                rest[c] = if T::IS_PLAIN {
                    along_x.pull::<P, true>(base, x, (c, at))
                } else {
                    along_x.pull::<P, false>(base, x, (c, at))
                };
                rest[c] = rest[c] - diag[c] * own[c];
                terms.prefetch(c, at + task.ahead);
            }
            if !task.tensor[0].is_empty() {
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
