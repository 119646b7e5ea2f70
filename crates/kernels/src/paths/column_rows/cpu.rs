//! Processor text: it takes nodes by sixteens, so that whole cache lines are read and written.

use super::ColumnRows;
use multiversion::multiversion;
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

const NODES: usize = 16;

/// Copies every row to its place.
pub(super) fn column_rows(cpu: &Cpu, args: ColumnRows<'_>) {
    let ColumnRows { columns, width, place_of, row_of, rows } = args;
    let (columns, place_of, row_of) = (columns.host(), place_of.host(), row_of.host());
    let nodes = place_of.len();
    let rows = Shared::new(rows.host_mut());
    cpu.split(row_of.len(), nodes * row_of.len(), |range| {
        for column in range {
            let begin = row_of[column] as usize * nodes;
            // SAFETY: every column has a row of its own.
            let row = unsafe { rows.get_mut(begin..begin + nodes) };
            for (slot, place) in row.iter_mut().zip(place_of) {
                *slot = columns[*place as usize * width + column];
            }
        }
    });
}

/// Writes `rows.len() / place_of.len()` rows of distances on the calling thread; `width` columns are side by side.
///
/// # Panics
/// If there are fewer columns than rows, or a place does not exist.
pub fn rows_of_columns(columns: &[f32], width: usize, place_of: &[u32], rows: &mut [f32]) {
    let nodes = place_of.len();
    assert!(rows.len() <= width * nodes, "every row should have a column");
    assert!(place_of.iter().all(|&place| (place as usize) < columns.len() / width), "places should exist");
    gather(columns, width, place_of, rows);
}

#[multiversion(targets("x86_64+avx512f+avx512vl+avx512bw+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn gather(columns: &[f32], width: usize, place_of: &[u32], rows: &mut [f32]) {
    let nodes = place_of.len();
    let count = rows.len() / nodes.max(1);
    let whole = nodes / NODES * NODES;
    for node in (0..whole).step_by(NODES) {
        let places: [usize; NODES] = std::array::from_fn(|i| place_of[node + i] as usize * width);
        for first in (0..count / NODES * NODES).step_by(NODES) {
            let mut square = [[0.0f32; NODES]; NODES];
            for (line, place) in square.iter_mut().zip(places) {
                line.copy_from_slice(&columns[place + first..][..NODES]);
            }
            let square = transposed(square);
            for (i, line) in square.iter().enumerate() {
                rows[(first + i) * nodes + node..][..NODES].copy_from_slice(line);
            }
        }
        for column in count / NODES * NODES..count {
            let row = &mut rows[column * nodes + node..][..NODES];
            for (slot, place) in row.iter_mut().zip(places) {
                *slot = columns[place + column];
            }
        }
    }
    for node in whole..nodes {
        for column in 0..count {
            rows[column * nodes + node] = columns[place_of[node] as usize * width + column];
        }
    }
}

/// Transposes by halves: blocks off the diagonal change places, then those within each block.
#[inline(always)]
fn transposed(mut square: [[f32; NODES]; NODES]) -> [[f32; NODES]; NODES] {
    let mut half = NODES / 2;
    while half > 0 {
        for i in (0..NODES).filter(|i| i & half == 0) {
            let (upper, lower) = (square[i], square[i + half]);
            for j in (0..NODES).filter(|j| j & half == 0) {
                square[i][j + half] = lower[j];
                square[i + half][j] = upper[j + half];
            }
        }
        half /= 2;
    }
    square
}
