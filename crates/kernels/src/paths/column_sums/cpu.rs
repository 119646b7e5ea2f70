//! Processor text: it holds sixteen columns in a register, and takes four columns of the table at a time.

use super::{ColumnSums, GROUP, PART};
use crate::shared::lanes::{LANES, each};
use multiversion::multiversion;
use std::sync::Mutex;
use veloxel_gpu::Cpu;

/// Sums of some columns.
#[derive(Debug, Clone, PartialEq)]
pub struct SummedColumns {
    /// The sums: `sums[j · width + column]`.
    pub sums: Vec<f32>,
    /// Number of infinite distances of each column.
    pub infinite: Vec<u32>,
}

pub(super) fn column_sums(cpu: &Cpu, args: ColumnSums<'_>) {
    let ColumnSums { columns, width, table, count, sums, infinite } = args;
    let (columns, table) = (columns.host(), table.host());
    let blocks = Mutex::new(Vec::new());
    cpu.split(width / LANES, columns.len() * count, |range| {
        for first in range.map(|block| block * LANES) {
            let own = columns.chunks_exact(width).flat_map(|row| &row[first..][..LANES]);
            let own: Vec<f32> = own.copied().collect();
            let found = sums_of_columns(&own, LANES, table, count);
            blocks.lock().expect("no thread should have failed").push((first, found));
        }
    });
    for (first, found) in blocks.into_inner().expect("no thread should have failed") {
        for (sums, own) in sums.host_mut().chunks_exact_mut(width).zip(found.sums.chunks_exact(LANES)) {
            sums[first..][..LANES].copy_from_slice(own);
        }
        infinite.host_mut()[first..][..LANES].copy_from_slice(&found.infinite);
    }
}

/// Adds up `width` columns side by side, a multiple of sixteen, on the calling thread; `table` holds `count` numbers for each
/// place.
///
/// # Panics
/// If the table does not have a row for each place.
pub fn sums_of_columns(columns: &[f32], width: usize, table: &[f32], count: usize) -> SummedColumns {
    assert!(width.is_multiple_of(LANES) && width > 0, "columns should come in whole lanes");
    assert_eq!(columns.len() / width * count, table.len(), "every place should have a row");
    let mut found = SummedColumns { sums: vec![0.0; width * count], infinite: vec![0; width] };
    let mut group = vec![0.0; width * count];
    // Places outside: a part of all columns stays in the cache while it is read for every four columns of the table.
    for (columns, table) in columns.chunks(GROUP * PART * width).zip(table.chunks(GROUP * PART * count)) {
        group.fill(0.0);
        for (columns, table) in columns.chunks(PART * width).zip(table.chunks(PART * count)) {
            add_part(columns, width, table, count, &mut group, &mut found.infinite);
        }
        found.sums.iter_mut().zip(&group).for_each(|(total, some)| *total += some);
    }
    found
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn add_part(
    columns: &[f32],
    width: usize,
    table: &[f32],
    count: usize,
    sums: &mut [f32],
    infinite: &mut [u32],
) {
    for first in (0..width).step_by(LANES) {
        count_infinite(columns, width, first, &mut infinite[first..first + LANES]);
        let fours = count - count % 4;
        for j in (0..fours).step_by(4) {
            add_lanes::<4>(columns, width, first, table, count, j, sums);
        }
        for j in fours..count {
            add_lanes::<1>(columns, width, first, table, count, j, sums);
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
fn add_lanes<const J: usize>(
    columns: &[f32],
    width: usize,
    first: usize,
    table: &[f32],
    count: usize,
    j: usize,
    sums: &mut [f32],
) {
    let mut part = [[0.0f32; LANES]; J];
    for (row, weights) in columns.chunks_exact(width).zip(table.chunks_exact(count)) {
        let row = &row[first..first + LANES];
        let distances: [f32; LANES] = each(|l| if row[l] == f32::INFINITY { 0.0 } else { row[l] });
        for (part, weight) in part.iter_mut().zip(&weights[j..j + J]) {
            for l in 0..LANES {
                part[l] += distances[l] * weight;
            }
        }
    }
    for (i, part) in part.iter().enumerate() {
        for (l, sum) in part.iter().enumerate() {
            sums[(j + i) * width + first + l] += *sum;
        }
    }
}
