//! A row of a picture as two halves, its pixels of even x and of odd x: a pass of red-black sweeps updates one of them, and
//! reads only samples that lie side by side.
//!
//! A block holds for a half the unknowns, `rhs`, the entries of the inverse, springs to the rows before and after, and springs
//! to the pixels before along x. Halves are filled up with zeros to whole packs, and begin on cache lines.

use crate::shared::lanes::{LANES, Lanes, Pack};
use multiversion::multiversion;
use std::ops::Range;

/// Number of unknowns of a pixel.
const COMPONENTS: usize = 2;
/// Number of lines of a block beside the unknowns and the springs along x: two of rhs, three of the inverse, two of springs
/// across.
const LINES: usize = 7;
/// The first line of rhs.
pub(super) const RHS: usize = 0;
/// The first line of the inverse.
pub(super) const INVERSE: usize = 2;
/// The first line of springs to the rows before and after.
pub(super) const ACROSS: usize = 5;

/// The layout of the two blocks of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Number of samples of a half with the zeros that fill it up.
    half: usize,
}

impl Layout {
    /// The layout of rows of `n` pixels.
    pub fn of(n: usize) -> Self {
        Self { half: n.div_ceil(2).next_multiple_of(LANES) }
    }

    /// Number of samples of a block.
    pub fn block(self) -> usize {
        self.unknowns() + LINES * self.half + self.links()
    }

    /// Number of samples of the unknowns, with a pack of zeros before and after each component.
    fn unknowns(self) -> usize {
        COMPONENTS * (self.half + 2 * LANES)
    }

    /// Number of springs to the pixels before along x; those beyond the end are 0.
    fn links(self) -> usize {
        self.half + LANES
    }

    fn unknown(self, component: usize) -> Range<usize> {
        let start = component * (self.half + 2 * LANES) + LANES;
        start..start + self.half
    }

    /// The range of one of the lines.
    pub fn line(self, nth: usize) -> Range<usize> {
        let start = self.unknowns() + nth * self.half;
        start..start + self.half
    }

    /// The range of the springs along x, one more than pixels.
    pub fn link(self) -> Range<usize> {
        self.block() - self.links()..self.block()
    }

    /// Writes the unknowns of a row.
    pub(crate) fn load_unknowns(self, [even, odd]: [&mut [f32]; 2], x: [&[f32]; COMPONENTS]) {
        for (component, x) in x.into_iter().enumerate() {
            let Range { start, end } = self.unknown(component);
            [&mut *even, &mut *odd].into_iter().for_each(|half| half[start - LANES..start].fill(0.0));
            load([even, odd], start..end + LANES, x);
        }
    }

    /// Reads the unknowns of a row back.
    pub(crate) fn store_unknowns(self, [even, odd]: [&[f32]; 2], x: [&mut [f32]; COMPONENTS]) {
        for (component, x) in x.into_iter().enumerate() {
            merge(&even[self.unknown(component)], &odd[self.unknown(component)], x);
        }
    }
}

/// Writes a row's even and odd samples to a span of both blocks, and 0 behind them. Each half of the row must reach the span's
/// last two packs, because only these are zeroed.
pub(super) fn load(halves: [&mut [f32]; 2], span: Range<usize>, row: &[f32]) {
    let [even, odd] = halves.map(|half| &mut half[span.clone()]);
    let rest = span.len().saturating_sub(2 * LANES);
    [&mut *even, &mut *odd].into_iter().for_each(|half| half[rest..].fill(0.0));
    split(row, even, odd);
}

/// Splits a row into its even samples and its odd ones.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn split(row: &[f32], even: &mut [f32], odd: &mut [f32]) {
    let (pairs, rest) = row.as_chunks::<2>();
    for ((pair, even), odd) in pairs.iter().zip(even.iter_mut()).zip(odd) {
        (*even, *odd) = (pair[0], pair[1]);
    }
    if let &[last] = rest {
        even[pairs.len()] = last;
    }
}

/// Merges even and odd samples into a row.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn merge(even: &[f32], odd: &[f32], row: &mut [f32]) {
    let (pairs, rest) = row.as_chunks_mut::<2>();
    let count = pairs.len();
    for ((pair, even), odd) in pairs.iter_mut().zip(even).zip(odd) {
        *pair = [*even, *odd];
    }
    if let [last] = rest {
        *last = even[count];
    }
}

impl Layout {
    /// Updates a half's pixels, those of even x (parity 0) or odd x, in its block: `x += ω (inverse · (rhs + neighbours) − x)`.
    /// `other` is the block of the other half, and `near` are the blocks of the rows before and after with the same parity;
    /// none beyond the border, where no spring leads.
    pub fn update(
        self,
        parity: usize,
        own: &mut [f32],
        other: &[f32],
        near: [Option<&[f32]>; 2],
        omega: f32,
    ) {
        let (x, rest) = own.split_at_mut(self.unknowns());
        let line = |nth: usize| &rest[nth * self.half..][..self.half];
        let (own_links, other_links) = (&rest[LINES * self.half..], &other[self.link()]);
        let [before, after] = if parity == 0 { [1, 0] } else { [0, 1] };
        let terms = Terms {
            rhs: [line(RHS), line(RHS + 1)],
            inverse: [line(INVERSE), line(INVERSE + 1), line(INVERSE + 2)],
            across: [line(ACROSS), line(ACROSS + 1)],
            links: [own_links, &other_links[after..]],
            before: [0, 1].map(|c| &other[self.unknown(c).start - before..]),
            after: [0, 1].map(|c| &other[self.unknown(c).start + after..]),
            near: near.map(|near| match near {
                Some(near) => [0, 1].map(|c| &near[self.unknown(c)]),
                None => [line(RHS), line(RHS + 1)],
            }),
        };
        let (first, second) = x.split_at_mut(self.half + 2 * LANES);
        let x = [first, second].map(|x| &mut x[LANES..][..self.half]);
        update(&terms, omega, x);
    }
}

/// The terms of a half's equations, pixel by pixel.
struct Terms<'a> {
    rhs: [&'a [f32]; 2],
    inverse: [&'a [f32]; 3],
    /// Springs to the rows before and after.
    across: [&'a [f32]; 2],
    /// Springs to the pixels before and after.
    links: [&'a [f32]; 2],
    /// Unknowns of the pixels before and after.
    before: [&'a [f32]; 2],
    after: [&'a [f32]; 2],
    /// Unknowns of the rows before and after, component after component.
    near: [[&'a [f32]; 2]; 2],
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn update(terms: &Terms<'_>, omega: f32, [first, second]: [&mut [f32]; 2]) {
    let Terms { rhs, inverse, across, links, before, after, near } = *terms;
    let n = first.len();
    let lines = [&inverse[..], &rhs, &across, &links, &before, &after, &near[0], &near[1]];
    for line in lines.into_iter().flatten() {
        assert!(line.len() >= n, "every line should hold the half");
    }
    assert!(second.len() == n && n.is_multiple_of(LANES), "a half should consist of whole packs");
    for at in (0..n).step_by(LANES) {
        // SAFETY: every line holds n samples.
        unsafe {
            let own = [Lanes::load(first, at), Lanes::load(second, at)];
            let mut sums = own;
            for c in 0..2 {
                let base = Lanes::load(rhs[c], at)
                    + Lanes::load(across[0], at) * Lanes::load(near[0][c], at)
                    + Lanes::load(across[1], at) * Lanes::load(near[1][c], at);
                sums[c] = base
                    + Lanes::load(links[0], at) * Lanes::load(before[c], at)
                    + Lanes::load(links[1], at) * Lanes::load(after[c], at);
            }
            let mut updated = own;
            for c in 0..2 {
                let change = Lanes::load(inverse[c], at) * sums[0] - own[c]
                    + Lanes::load(inverse[c + 1], at) * sums[1];
                updated[c] = own[c] + Lanes::splat(omega) * change;
            }
            updated[0].store(first, at);
            updated[1].store(second, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_make_the_row_again() {
        for n in [1, 2, 15, 32, 33, 63] {
            let layout = Layout::of(n);
            let row = |start: usize| -> Vec<f32> { (0..n).map(|x| (start + x) as f32).collect() };
            let (x, y) = (row(1), row(100));
            let (mut even, mut odd) = (vec![f32::NAN; layout.block()], vec![f32::NAN; layout.block()]);
            layout.load_unknowns([&mut even, &mut odd], [&x, &y]);
            let evens: Vec<f32> = y.iter().copied().step_by(2).collect();
            let span = layout.unknown(1);
            assert_eq!(even[span.clone()][..evens.len()], evens);
            assert!(even[span][evens.len()..].iter().all(|v| *v == 0.0), "{n}");
            let (mut x_again, mut y_again) = (vec![0.0; n], vec![0.0; n]);
            layout.store_unknowns([&even, &odd], [&mut x_again, &mut y_again]);
            assert_eq!((x_again, y_again), (x, y), "{n}");
        }
    }
}
