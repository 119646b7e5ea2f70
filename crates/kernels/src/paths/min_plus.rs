//! The product of two matrices of lengths, joined to a third: `C[i][j] = min(C[i][j], min_k A[i][k] + B[k][j])`.
//!
//! *In*, *out*: row-major matrices with strides of their own. *Halo*: none.

use super::tile::{Operand, tile};
use crate::shared::lanes::LANES;
use multiversion::multiversion;

/// Number of rows and columns of a product, and of terms of each minimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProductSize {
    /// Number of rows of A and C.
    pub rows: usize,
    /// Number of columns of A, and rows of B.
    pub depth: usize,
    /// Number of columns of B and C: a multiple of sixteen.
    pub columns: usize,
}

/// A matrix in a slice: its samples, and the distance of its rows.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The samples, row after row.
    pub samples: &'a [f32],
    /// Number of samples from one row to the next.
    pub stride: usize,
}

/// Both operands of a product.
#[derive(Debug, Clone, Copy)]
pub struct Product<'a> {
    /// Numbers of rows, terms and columns.
    pub size: ProductSize,
    /// The left operand.
    pub a: Rows<'a>,
    /// The right operand.
    pub b: Rows<'a>,
}

/// Computes `C = min(C, A ⊗ B)` on the calling thread; `c` has rows that are `stride` apart.
///
/// # Panics
/// If a slice is too short, or the number of columns is not a multiple of sixteen.
pub fn accumulate_product(product: Product<'_>, c: &mut [f32], stride: usize) {
    let Product { size, a, b } = product;
    assert!(size.columns.is_multiple_of(LANES), "columns should come in whole lanes");
    if size.rows == 0 || size.depth == 0 || size.columns == 0 {
        return;
    }
    let end = |rows: usize, stride: usize, columns: usize| (rows - 1) * stride + columns;
    assert!(a.samples.len() >= end(size.rows, a.stride, size.depth), "A should be whole");
    assert!(b.samples.len() >= end(size.depth, b.stride, size.columns), "B should be whole");
    assert!(c.len() >= end(size.rows, stride, size.columns), "C should be whole");
    accumulate(product, c, stride);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn accumulate(product: Product<'_>, c: &mut [f32], stride: usize) {
    let fours = product.size.rows - product.size.rows % 4;
    for row in (0..fours).step_by(4) {
        accumulate_rows::<4>(row, product, c, stride);
    }
    for row in fours..product.size.rows {
        accumulate_rows::<1>(row, product, c, stride);
    }
}

#[inline(always)]
fn accumulate_rows<const M: usize>(row: usize, product: Product<'_>, c: &mut [f32], stride: usize) {
    let Product { size, a, b } = product;
    for column in (0..size.columns).step_by(LANES) {
        let mut best = [[0.0; LANES]; M];
        for (i, best) in best.iter_mut().enumerate() {
            best.copy_from_slice(&c[(row + i) * stride + column..][..LANES]);
        }
        let operand = Operand { samples: a.samples, first: row * a.stride, row_stride: a.stride, step: 1 };
        // SAFETY: `accumulate_product` has checked both matrices.
        unsafe { tile(&mut best, size.depth, operand, b.samples, |k| k * b.stride + column) };
        for (i, best) in best.iter().enumerate() {
            c[(row + i) * stride + column..][..LANES].copy_from_slice(best);
        }
    }
}
