//! The number types of lengths: floats, or whole numbers of 16 bits.

use super::texts::{F32, Texts, U16};
use super::{TILE, TILE_LEN};
use crate::paths::min_plus::{Product, ProductSize, Rows, accumulate_product};
use multiversion::multiversion;
use veloxel_gpu::Element;

/// A length: a number of 0 or more, or [`Self::INFINITE`].
pub trait Length: Element + PartialOrd + Copy {
    /// The length where no path leads. The sum of two does not overflow below it.
    const INFINITE: Self;
    /// The length of the empty path.
    const ZERO: Self;
    /// The texts for GPUs.
    #[doc(hidden)]
    const TEXTS: &'static Texts;
    /// Takes the minimum with a product of tiles: `out = min(out, a ⊗ b)`.
    #[doc(hidden)]
    fn multiply(a: &[Self], b: &[Self], out: &mut [Self]);
    /// Finds the shortest lengths through the tile's own nodes, one node after the other.
    #[doc(hidden)]
    fn close(tile: &mut [Self]);
}

impl Length for f32 {
    const INFINITE: Self = f32::INFINITY;
    const ZERO: Self = 0.0;
    const TEXTS: &'static Texts = &F32;

    fn multiply(a: &[Self], b: &[Self], out: &mut [Self]) {
        let size = ProductSize { rows: TILE, depth: TILE, columns: TILE };
        let whole = |samples| Rows { samples, stride: TILE };
        accumulate_product(Product { size, a: whole(a), b: whole(b) }, out, TILE);
    }
    fn close(tile: &mut [Self]) {
        close_floats(tile);
    }
}

/// Lengths of 16 bits: at most 32766, so that the sum of two fits.
impl Length for u16 {
    const INFINITE: Self = 32_767;
    const ZERO: Self = 0;
    const TEXTS: &'static Texts = &U16;

    fn multiply(a: &[Self], b: &[Self], out: &mut [Self]) {
        multiply_whole(a, b, out);
    }
    fn close(tile: &mut [Self]) {
        close_whole(tile);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn close_floats(tile: &mut [f32]) {
    for k in 0..TILE {
        let mut through = [0.0; TILE];
        through.copy_from_slice(&tile[k * TILE..(k + 1) * TILE]);
        for row in tile.chunks_exact_mut(TILE) {
            let first = row[k];
            for (slot, rest) in row.iter_mut().zip(&through) {
                let length = first + rest;
                *slot = if length < *slot { length } else { *slot };
            }
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn close_whole(tile: &mut [u16]) {
    for k in 0..TILE {
        let mut through = [0; TILE];
        through.copy_from_slice(&tile[k * TILE..(k + 1) * TILE]);
        for row in tile.chunks_exact_mut(TILE) {
            let first = row[k];
            for (slot, &rest) in row.iter_mut().zip(&through) {
                *slot = first.wrapping_add(rest).min(*slot);
            }
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn multiply_whole(a: &[u16], b: &[u16], out: &mut [u16]) {
    let (a, b) = (&a[..TILE_LEN], &b[..TILE_LEN]);
    for (a, out) in a.chunks_exact(TILE).zip(out.chunks_exact_mut(TILE)) {
        let mut best = [0; TILE];
        best.copy_from_slice(out);
        for (&first, rest) in a.iter().zip(b.chunks_exact(TILE)) {
            for (slot, &rest) in best.iter_mut().zip(rest) {
                *slot = first.wrapping_add(rest).min(*slot);
            }
        }
        out.copy_from_slice(&best);
    }
}
