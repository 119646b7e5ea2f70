//! Processor text: sixteen columns in a register, four columns of the table at a time.

use crate::paths::min_plus::LANES;
use multiversion::multiversion;

/// Places that are added up in single precision.
const PART: usize = 256;

/// Sums of some columns.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSums {
    /// `sums[j · width + column]`.
    pub sums: Vec<f64>,
    /// Infinite distances of each column.
    pub infinite: Vec<u32>,
}

/// Adds up columns on the calling thread: `width` of them side by side, a multiple of sixteen; `table` holds `count` numbers for
/// each place.
///
/// # Panics
/// If the table does not have a row for each place.
pub fn sums_of_columns(columns: &[f32], width: usize, table: &[f32], count: usize) -> ColumnSums {
    assert!(width.is_multiple_of(LANES) && width > 0, "columns should come in whole lanes");
    assert_eq!(columns.len() / width * count, table.len(), "every place should have a row");
    let mut found = ColumnSums { sums: vec![0.0; width * count], infinite: vec![0; width] };
    add(columns, width, table, count, &mut found);
    found
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add(columns: &[f32], width: usize, table: &[f32], count: usize, found: &mut ColumnSums) {
    // Places outside: a part of all columns stays in the cache while it is read for every four columns of the table.
    for (columns, table) in columns.chunks(PART * width).zip(table.chunks(PART * count)) {
        for first in (0..width).step_by(LANES) {
            count_infinite(columns, width, first, &mut found.infinite[first..first + LANES]);
            let mut j = 0;
            while j + 4 <= count {
                add_part::<4>((columns, width, first), (table, count, j), &mut found.sums);
                j += 4;
            }
            while j < count {
                add_part::<1>((columns, width, first), (table, count, j), &mut found.sums);
                j += 1;
            }
        }
    }
}

#[inline(always)]
fn count_infinite(columns: &[f32], width: usize, first: usize, infinite: &mut [u32]) {
    let mut far = [0u32; LANES];
    for row in columns.chunks_exact(width) {
        for (far, distance) in far.iter_mut().zip(&row[first..first + LANES]) {
            *far += u32::from(*distance == f32::INFINITY);
        }
    }
    infinite.iter_mut().zip(far).for_each(|(total, far)| *total += far);
}

#[inline(always)]
fn add_part<const J: usize>(
    (columns, width, first): (&[f32], usize, usize),
    (table, count, j): (&[f32], usize, usize),
    sums: &mut [f64],
) {
    let mut part = [[0.0f32; LANES]; J];
    for (row, weights) in columns.chunks_exact(width).zip(table.chunks_exact(count)) {
        let mut distances = [0.0f32; LANES];
        for (to, &distance) in distances.iter_mut().zip(&row[first..first + LANES]) {
            *to = if distance == f32::INFINITY { 0.0 } else { distance };
        }
        for (part, weight) in part.iter_mut().zip(&weights[j..j + J]) {
            for l in 0..LANES {
                part[l] += distances[l] * weight;
            }
        }
    }
    for (i, part) in part.iter().enumerate() {
        for (l, sum) in part.iter().enumerate() {
            sums[(j + i) * width + first + l] += f64::from(*sum);
        }
    }
}
