//! Processor text: tiles on all threads, three of them at a time in each cache.

use super::{FloydWarshall, Length, MatrixHalf, TILE, TILE_LEN, TileLayout};
use veloxel_gpu::Cpu;
use veloxel_gpu::rows::Shared;

/// Number of samples for the split over threads: more than any real one, because every tile is worth a thread.
const MUCH: usize = Cpu::HEAVY_ITEMS;

pub(super) fn floyd_warshall<T: Length>(cpu: &Cpu, args: FloydWarshall<'_, T>) {
    let FloydWarshall { layout, lengths } = args;
    let side = layout.side();
    let lengths = Shared::new(lengths.host_mut());
    let (mut rows, mut columns) = (vec![T::ZERO; side * TILE_LEN], vec![T::ZERO; side * TILE_LEN]);
    let tasks = layout.tasks();
    for pivot in 0..side {
        let begin = layout.begin(pivot, pivot);
        // SAFETY: no other thread runs.
        let closed = unsafe { lengths.get_mut(begin..begin + TILE_LEN) };
        T::close(closed);
        let closed = closed.to_vec();
        {
            let (rows, columns) = (Shared::new(&mut rows), Shared::new(&mut columns));
            cpu.split(side, MUCH, |range| {
                for other in range.filter(|&other| other != pivot) {
                    let own = other * TILE_LEN..(other + 1) * TILE_LEN;
                    // SAFETY: every tile of a panel is one thread's.
                    let copies = unsafe { [rows.get_mut(own.clone()), columns.get_mut(own)] };
                    update_panels(layout, [pivot, other], &lengths, &closed, copies);
                }
            });
        }
        cpu.split(tasks.len(), MUCH, |range| {
            for pair in &tasks[range] {
                let [row, column] = pair.map(|tile| tile + usize::from(tile >= pivot));
                let begin = layout.begin(row, column);
                // SAFETY: every tile is one task.
                let out = unsafe { lengths.get_mut(begin..begin + TILE_LEN) };
                let [column, row] = [&columns[row * TILE_LEN..], &rows[column * TILE_LEN..]];
                T::multiply(&column[..TILE_LEN], &row[..TILE_LEN], out);
            }
        });
    }
}

/// Updates the tiles in the pivots' row and column that belong to one other block, and copies them; a tile that the layout
/// leaves out is the other one's transpose.
fn update_panels<T: Length>(
    layout: &TileLayout,
    [pivot, other]: [usize; 2],
    lengths: &Shared<'_, T>,
    closed: &[T],
    [row, column]: [&mut [T]; 2],
) {
    let has_row = layout.half() == MatrixHalf::Both || other < pivot;
    let has_column = layout.half() == MatrixHalf::Both || other > pivot;
    let tile = |row: usize, column: usize| {
        let begin = layout.begin(row, column);
        // SAFETY: a tile beside the pivots belongs to the one thread that has the other block.
        unsafe { lengths.get_mut(begin..begin + TILE_LEN) }
    };
    if has_row {
        let own = tile(pivot, other);
        row.copy_from_slice(own);
        T::multiply(closed, row, own);
        row.copy_from_slice(own);
    }
    if has_column {
        let own = tile(other, pivot);
        column.copy_from_slice(own);
        T::multiply(column, closed, own);
        column.copy_from_slice(own);
    }
    match [has_row, has_column] {
        [false, _] => transpose(column, row),
        [_, false] => transpose(row, column),
        _ => {}
    }
}

fn transpose<T: Copy>(from: &[T], to: &mut [T]) {
    for (i, to) in to.chunks_exact_mut(TILE).enumerate() {
        to.iter_mut().enumerate().for_each(|(j, slot)| *slot = from[j * TILE + i]);
    }
}
