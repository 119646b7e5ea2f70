//! Sixteen samples in registers of one instruction set, and the choice of the widest one that a processor has.
//!
//! [`Lanes`] become vector instructions where the compiler finds them in loops over samples. It takes sums that run from row to
//! row apart into samples again, which costs two to four times as much: a loop that this slows down is written over [`Sixteen`]
//! and run by [`widest`]. Every operation is rounded as for a single sample, so the bits are the same.

use super::lanes::{LANES, Lanes, Pack};

/// A pack of sixteen samples, whatever holds it.
pub(crate) trait Sixteen: Pack {
    fn of(samples: [f32; LANES]) -> Self;
    fn samples(self) -> [f32; LANES];
    fn abs(self) -> Self;
}

impl Sixteen for Lanes {
    #[inline(always)]
    fn of(samples: [f32; LANES]) -> Self {
        Self(samples)
    }
    #[inline(always)]
    fn samples(self) -> [f32; LANES] {
        self.0
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }
}

/// Work that is written over packs of sixteen. Every function that it calls is `#[inline(always)]`, and no closure of it is
/// called by another function: such a function would be compiled for any processor.
pub(crate) trait Work {
    fn run<P: Sixteen>(self);
}

/// Does the work with the widest registers of this processor.
pub(crate) fn widest<W: Work>(work: W) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512vl") && has!("avx512bw") && has!("avx512dq") {
            // SAFETY: the processor has these instructions.
            return unsafe { x86::with_avx512(work) };
        }
        if has!("avx2") {
            // SAFETY: likewise.
            return unsafe { x86::with_avx2(work) };
        }
    }
    work.run::<Lanes>();
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{LANES, Pack, Sixteen, Work};
    use std::arch::x86_64::*;
    use std::ops::{Add, Div, Mul, Neg, Sub};

    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
    pub(crate) fn with_avx512<W: Work>(work: W) {
        work.run::<Avx512>();
    }

    #[target_feature(enable = "avx2")]
    pub(crate) fn with_avx2<W: Work>(work: W) {
        work.run::<Avx2>();
    }

    macro_rules! operator {
        ($name:ident, [$($k:literal),*], $trait:ident, $method:ident, $intrinsic:ident) => {
            impl $trait for $name {
                type Output = Self;
                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: see `registers`.
                    Self([$(unsafe { $intrinsic(self.0[$k], other.0[$k]) }),*])
                }
            }
        };
    }

    /// A type of several registers, each with the place of its first sample. Its functions are written out, because a closure
    /// would be a function of its own. SAFETY: values are made inside [`super::widest`] alone, which has checked that the
    /// processor has the instructions.
    macro_rules! registers {
        (
            $(#[$page:meta])* $name:ident: $register:ty, $count:literal, [$($k:literal at $first:literal),*],
            $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $max:ident
        ) => {
            $(#[$page])*
            #[derive(Clone, Copy)]
            pub struct $name([$register; $count]);

            operator!($name, [$($k),*], Add, add, $add);
            operator!($name, [$($k),*], Sub, sub, $sub);
            operator!($name, [$($k),*], Mul, mul, $mul);
            operator!($name, [$($k),*], Div, div, $div);

            impl $name {
                /// The greater of each two samples; the other one in place of NaN.
                #[inline(always)]
                fn or_greater(self, other: Self) -> Self {
                    // SAFETY: see `registers`.
                    Self([$(unsafe { $max(self.0[$k], other.0[$k]) }),*])
                }
            }

            impl Neg for $name {
                type Output = Self;
                #[inline(always)]
                fn neg(self) -> Self {
                    Self::splat(-0.0) - self
                }
            }

            impl Pack for $name {
                const LEN: usize = LANES;
                #[inline(always)]
                fn splat(value: f32) -> Self {
                    // SAFETY: see `registers`.
                    Self([unsafe { $splat(value) }; $count])
                }
                #[inline(always)]
                fn alternate(even: f32, odd: f32) -> Self {
                    Self::of(std::array::from_fn(|k| if k % 2 == 0 { even } else { odd }))
                }
                #[inline(always)]
                unsafe fn load(row: &[f32], at: usize) -> Self {
                    debug_assert!(at + LANES <= row.len(), "lanes should lie inside their row");
                    // SAFETY: forwarded.
                    Self([$(unsafe { $load(row.as_ptr().add(at + $first)) }),*])
                }
                #[inline(always)]
                unsafe fn store(self, row: &mut [f32], at: usize) {
                    debug_assert!(at + LANES <= row.len(), "lanes should lie inside their row");
                    // SAFETY: forwarded.
                    $(unsafe { $store(row.as_mut_ptr().add(at + $first), self.0[$k]) };)*
                }
                #[inline(always)]
                fn max(self, least: f32) -> Self {
                    self.or_greater(Self::splat(least))
                }
            }

            impl Sixteen for $name {
                #[inline(always)]
                fn of(samples: [f32; LANES]) -> Self {
                    // SAFETY: there are sixteen.
                    unsafe { Self::load(&samples, 0) }
                }
                #[inline(always)]
                fn samples(self) -> [f32; LANES] {
                    let mut samples = [0.0; LANES];
                    // SAFETY: there is room for sixteen.
                    unsafe { self.store(&mut samples, 0) };
                    samples
                }
                #[inline(always)]
                fn abs(self) -> Self {
                    // 0 for both zeros.
                    self.or_greater(Self::splat(0.0) - self)
                }
            }
        };
    }

    registers! {
        /// One register of AVX-512.
        Avx512: __m512, 1, [0 at 0],
        _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps, _mm512_div_ps,
        _mm512_max_ps
    }
    registers! {
        /// Two registers of AVX2.
        Avx2: __m256, 2, [0 at 0, 1 at 8],
        _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_div_ps,
        _mm256_max_ps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation on the samples of two rows.
    struct Operations<'a>([&'a [f32; LANES]; 2], &'a mut Vec<[u32; LANES]>);

    impl Work for Operations<'_> {
        #[inline(always)]
        fn run<P: Sixteen>(self) {
            let Self([a, b], out) = self;
            let (x, y) = (P::of(*a), P::of(*b));
            let results = [
                x + y,
                x - y,
                x * y,
                x / y,
                -x,
                x.max(0.25),
                x.abs(),
                P::splat(3.0),
                P::alternate(1.0, -1.0),
            ];
            out.extend(results.map(|pack| pack.samples().map(f32::to_bits)));
        }
    }

    #[test]
    fn registers_give_the_bits_of_samples() {
        let a: [f32; LANES] = std::array::from_fn(|k| (k as f32 - 7.0) * 0.37);
        let b: [f32; LANES] = std::array::from_fn(|k| 1.0 / (k as f32 + 1.3));
        let (mut wide, mut plain) = (Vec::new(), Vec::new());
        widest(Operations([&a, &b], &mut wide));
        Operations([&a, &b], &mut plain).run::<Lanes>();
        assert_eq!(wide, plain);
    }
}
