//! Sixteen samples at a time, in registers: the widest vector of any instruction set, and whole ones of the others.
//!
//! Loops over lanes have a fixed length, so that inside a `#[multiversion]` function they become vector instructions.
//! Kernels load all they need into lanes first and store last: what is loaded cannot be overwritten in between.

use std::ops::{Add, Div, Mul, Sub};

/// Samples in [`Lanes`].
pub(crate) const LANES: usize = 16;

/// Sixteen consecutive samples.
#[derive(Clone, Copy)]
pub(crate) struct Lanes(pub [f32; LANES]);

impl Lanes {
    #[inline(always)]
    pub fn splat(value: f32) -> Self {
        Self([value; LANES])
    }
    /// One value for the even lanes, another for the odd ones.
    #[inline(always)]
    pub fn alternate(even: f32, odd: f32) -> Self {
        Self(std::array::from_fn(|k| if k % 2 == 0 { even } else { odd }))
    }
    /// The samples from `at`.
    ///
    /// # Safety
    /// `row` holds them.
    #[inline(always)]
    pub unsafe fn load(row: &[f32], at: usize) -> Self {
        debug_assert!(at + LANES <= row.len(), "lanes should lie inside their row");
        // SAFETY: forwarded.
        Self(unsafe { row.as_ptr().add(at).cast::<[f32; LANES]>().read() })
    }
    /// Overwrites the samples from `at`.
    ///
    /// # Safety
    /// `row` holds them.
    #[inline(always)]
    pub unsafe fn store(self, row: &mut [f32], at: usize) {
        debug_assert!(at + LANES <= row.len(), "lanes should lie inside their row");
        // SAFETY: forwarded.
        unsafe { row.as_mut_ptr().add(at).cast::<[f32; LANES]>().write(self.0) };
    }
    /// The samples from `at`, 0 beyond the end of the row.
    #[inline(always)]
    pub fn load_or_zero(row: &[f32], at: usize) -> Self {
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
    pub fn store_what_fits(self, row: &mut [f32], at: usize) {
        let rest = &mut row[at..];
        if rest.len() >= LANES {
            // SAFETY: there are enough.
            return unsafe { self.store(rest, 0) };
        }
        rest.copy_from_slice(&self.0[..rest.len()]);
    }
    /// `0, 1, 2, …`
    #[inline(always)]
    pub fn count() -> Self {
        Self(std::array::from_fn(|k| k as f32))
    }
    /// What is left without the fraction.
    ///
    /// # Safety
    /// Every lane is finite and fits.
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
    pub fn from_whole(whole: [i32; LANES]) -> Self {
        Self(std::array::from_fn(|k| whole[k] as f32))
    }
    /// `least` in place of NaN.
    #[inline(always)]
    pub fn max(self, least: f32) -> Self {
        Self(std::array::from_fn(|k| if self.0[k] > least { self.0[k] } else { least }))
    }
    #[inline(always)]
    pub fn min(self, most: f32) -> Self {
        Self(std::array::from_fn(|k| if self.0[k] < most { self.0[k] } else { most }))
    }
}

/// Where lanes start in a row of `n` samples, [`LANES`] at least: the last ones overlap those before if they must.
#[inline(always)]
pub(crate) fn starts(n: usize) -> impl Iterator<Item = usize> {
    let last = n - LANES;
    (0..n.div_ceil(LANES)).map(move |k| (k * LANES).min(last))
}

macro_rules! lane_by_lane {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(std::array::from_fn(|k| self.0[k] $operator other.0[k]))
            }
        }
    };
}
lane_by_lane!(Add, add, +);
lane_by_lane!(Sub, sub, -);
lane_by_lane!(Mul, mul, *);
lane_by_lane!(Div, div, /);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_cover_every_sample() {
        for n in [16, 17, 31, 32, 50] {
            let mut covered = vec![false; n];
            starts(n).for_each(|at| covered[at..at + LANES].fill(true));
            assert!(covered.into_iter().all(|c| c), "{n}");
        }
    }
}
