//! Sixteen samples at a time, in registers: one register of the widest instruction set, and several whole registers of the
//! others.
//!
//! Loops over lanes have a fixed length, so that inside a `#[multiversion]` function they become vector instructions. Kernels
//! load everything into lanes first and store last, so that nothing is overwritten before it is loaded.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// Number of samples in [`Lanes`].
pub(crate) const LANES: usize = 16;

/// Sixteen consecutive samples.
#[derive(Clone, Copy)]
pub(crate) struct Lanes(pub [f32; LANES]);

/// Samples of a row that are taken together: one, or [`Lanes`] where the row is long enough.
pub(crate) trait Pack:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Number of samples in a pack.
    const LEN: usize;
    fn splat(value: f32) -> Self;
    /// A pack with one value for the even samples and another for the odd ones.
    fn alternate(even: f32, odd: f32) -> Self;
    /// The samples from `at`.
    ///
    /// # Safety
    /// `row` holds these samples.
    unsafe fn load(row: &[f32], at: usize) -> Self;
    /// Overwrites the samples from `at`.
    ///
    /// # Safety
    /// `row` holds these samples.
    unsafe fn store(self, row: &mut [f32], at: usize);
    /// The greater of each sample and `least`; `least` in place of NaN.
    fn max(self, least: f32) -> Self;
}

impl Pack for f32 {
    const LEN: usize = 1;
    #[inline(always)]
    fn splat(value: f32) -> Self {
        value
    }
    #[inline(always)]
    fn alternate(even: f32, _: f32) -> Self {
        even
    }
    #[inline(always)]
    unsafe fn load(row: &[f32], at: usize) -> Self {
        row[at]
    }
    #[inline(always)]
    unsafe fn store(self, row: &mut [f32], at: usize) {
        row[at] = self;
    }
    #[inline(always)]
    fn max(self, least: f32) -> Self {
        if self > least { self } else { least }
    }
}

impl Pack for Lanes {
    const LEN: usize = LANES;
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }
    #[inline(always)]
    fn alternate(even: f32, odd: f32) -> Self {
        Self(each(|k| if k % 2 == 0 { even } else { odd }))
    }
    #[inline(always)]
    unsafe fn load(row: &[f32], at: usize) -> Self {
        debug_assert!(at + LANES <= row.len(), "lanes should lie inside their row");
        // SAFETY: forwarded.
        Self(unsafe { row.as_ptr().add(at).cast::<[f32; LANES]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, row: &mut [f32], at: usize) {
        debug_assert!(at + LANES <= row.len(), "lanes should lie inside their row");
        // SAFETY: forwarded.
        unsafe { row.as_mut_ptr().add(at).cast::<[f32; LANES]>().write(self.0) };
    }
    #[inline(always)]
    fn max(self, least: f32) -> Self {
        Self(each(|k| if self.0[k] > least { self.0[k] } else { least }))
    }
}

impl Lanes {
    /// The samples from `at`, 0 beyond the end of the row.
    #[inline(always)]
    pub(crate) fn load_or_zero(row: &[f32], at: usize) -> Self {
        let rest = &row[at..];
        if rest.len() >= LANES {
            // SAFETY: there are enough.
            return unsafe { Self::load(rest, 0) };
        }
        let mut lanes = [0.0; LANES];
        lanes[..rest.len()].copy_from_slice(rest);
        Self(lanes)
    }
    /// Overwrites the samples from `at`, as many as there are.
    #[inline(always)]
    pub(crate) fn store_what_fits(self, row: &mut [f32], at: usize) {
        let rest = &mut row[at..];
        if rest.len() >= LANES {
            // SAFETY: there are enough.
            return unsafe { self.store(rest, 0) };
        }
        rest.copy_from_slice(&self.0[..rest.len()]);
    }
    /// The numbers `0, 1, 2, …`.
    #[inline(always)]
    pub fn count() -> Self {
        Self(each(|k| k as f32))
    }
    /// The whole part of each sample, without the fraction.
    ///
    /// # Safety
    /// Every lane is finite and fits an `i32`.
    #[inline(always)]
    pub unsafe fn whole(self) -> [i32; LANES] {
        let mut whole = [0; LANES];
        for k in 0..LANES {
            // SAFETY: forwarded.
            whole[k] = unsafe { self.0[k].to_int_unchecked() };
        }
        whole
    }
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self(each(|k| self.0[k].sqrt()))
    }
    #[inline(always)]
    pub(crate) fn from_whole(whole: [i32; LANES]) -> Self {
        Self(each(|k| whole[k] as f32))
    }
    #[inline(always)]
    pub fn min(self, most: f32) -> Self {
        Self(each(|k| if self.0[k] < most { self.0[k] } else { most }))
    }
}

/// An array made number by number; unlike the standard library's function it is always inlined into its caller, with the
/// instructions that the caller was compiled for.
#[inline(always)]
pub(crate) fn each<T: Copy + Default, const N: usize>(mut of: impl FnMut(usize) -> T) -> [T; N] {
    let mut out = [T::default(); N];
    for (k, out) in out.iter_mut().enumerate() {
        *out = of(k);
    }
    out
}

/// Indices where packs start in a row of `n` samples, which holds at least one pack: the last one overlaps the one before if it
/// must.
#[inline(always)]
pub(crate) fn starts<P: Pack>(n: usize) -> impl Iterator<Item = usize> {
    let last = n - P::LEN;
    (0..n.div_ceil(P::LEN)).map(move |k| (k * P::LEN).min(last))
}

/// The smaller value of each sample, and the greater.
#[inline(always)]
pub(crate) fn ordered<const N: usize>(a: [f32; N], b: [f32; N]) -> ([f32; N], [f32; N]) {
    let (mut least, mut most) = (a, b);
    for k in 0..N {
        least[k] = if b[k] < a[k] { b[k] } else { a[k] };
        most[k] = if b[k] < a[k] { a[k] } else { b[k] };
    }
    (least, most)
}

/// Prefetches the samples from `at`, which need not exist; a hint that changes no result.
#[inline(always)]
pub(crate) fn prefetch(row: &[f32], at: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching reads nothing and may point anywhere.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(row.as_ptr().wrapping_add(at).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (row, at);
}

macro_rules! lane_by_lane {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(each(|k| self.0[k] $operator other.0[k]))
            }
        }
    };
}
lane_by_lane!(Add, add, +);
lane_by_lane!(Sub, sub, -);
lane_by_lane!(Mul, mul, *);
lane_by_lane!(Div, div, /);

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(each(|k| -self.0[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_cover_every_sample() {
        for n in [16, 17, 31, 32, 50] {
            let mut covered = vec![false; n];
            starts::<Lanes>(n).for_each(|at| covered[at..at + LANES].fill(true));
            assert!(covered.into_iter().all(|c| c), "{n}");
        }
    }
}
