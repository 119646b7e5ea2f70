//! The order in which the passes of a sweep visit the rows, on many threads without a data race and with one trip through
//! memory.
//!
//! A pass that updates a row reads the rows beside it along y and z. Rows are grouped into *lines*: the planes along z, or
//! the rows along y. Lines are cut into slabs, and a sweep has two stages:
//!
//! 1. in every slab the passes follow each other, each one line behind the one before, while lines are in the cache.
//!    The last line of a slab is left out, since the next slab reads it; every later pass leaves out one more line at
//!    either end;
//! 2. around every cut, the passes over the lines that the first stage left out.
//!
//! Within a stage no task touches a line that another task writes: that rules out races, whatever parts of a line are
//! read and written. A line gets its passes in the order of the sweep, and so do the two beside it: the result is that of
//! whole passes one after the other, for any number of slabs.

use std::ops::Range;
use veloxel_core::Shape;
use veloxel_gpu::Cpu;

/// Name of the variable that makes the tests' sweeps run in an order that has a data race.
#[cfg(test)]
const PLANTED_RACE: &str = "VELOXEL_PLANTED_RACE";

/// The work of a task on its passes and rows, in order.
///
/// While it updates a row, no other task writes that row or those beside it. A pass may read the rows around its row, diagonal
/// ones too, and write the row.
pub(super) trait PassUpdate<P>: Sync {
    /// Makes the steps of one task.
    fn update(&self, steps: impl Iterator<Item = (P, usize)>);
}

/// Hands passes and rows to `sweep`, in order.
pub(super) fn follow<P: Copy + Sync>(cpu: &Cpu, shape: Shape, passes: &[P], sweep: &impl PassUpdate<P>) {
    #[cfg(test)]
    if std::env::var_os(PLANTED_RACE).is_some() {
        // Whole passes, neighbouring rows on different threads: `cargo xtask sanitize` checks that it finds this.
        for &pass in passes {
            cpu.split(shape.rows(), shape.len(), |rows| sweep.update(rows.map(|row| (pass, row))));
        }
        return;
    }
    let cost = passes.len() * shape.len();
    let slabs = Slabs::of(shape, passes.len(), cpu.useful_parts(cost), cpu.threads());
    for passes in passes.chunks(slabs.together) {
        cpu.split(slabs.count, cost, |range| {
            sweep.update(range.flat_map(|slab| slabs.inside(slab, passes)));
        });
        // Lines that the second stage updates, once a sweep.
        let around_ends = (slabs.count - 1) * slabs.together;
        cpu.split(slabs.count - 1, around_ends * cost / slabs.lines, |range| {
            sweep.update(range.flat_map(|slab| slabs.around_end(slab, passes)));
        });
    }
}

/// Lines, cut into slabs.
#[derive(Debug, Clone, Copy)]
struct Slabs {
    count: usize,
    /// Number of passes that follow each other through a slab.
    together: usize,
    lines: usize,
    /// Number of rows from a line to the next.
    line_step: usize,
    rows_in_line: usize,
    row_step: usize,
}

impl Slabs {
    /// Cuts two slabs a thread if there are enough lines, at most `parts`.
    fn of(shape: Shape, passes: usize, parts: usize, threads: usize) -> Self {
        let wanted = parts.min(2 * threads);
        let [_, ny, nz] = shape.size;
        let planes = nz >= wanted * thinnest(passes) || nz >= ny;
        let (lines, line_step, rows_in_line, row_step) =
            if planes { (nz, ny, ny, 1) } else { (ny, 1, nz, ny) };
        // Single passes need less of a slab: with few lines there are more slabs for them.
        let together = if lines >= wanted.min(threads) * thinnest(passes) { passes } else { 1 };
        let count = (lines / thinnest(together)).clamp(1, wanted);
        Self { count, together, lines, line_step, rows_in_line, row_step }
    }

    /// The line where a slab starts.
    fn start(&self, slab: usize) -> usize {
        self.lines * slab / self.count
    }

    /// The steps of stage 1 in a slab.
    fn inside<P: Copy>(&self, slab: usize, passes: &[P]) -> impl Iterator<Item = (P, usize)> {
        let (start, end) = (self.start(slab), self.start(slab + 1));
        let (is_first, is_last) = (slab == 0, slab + 1 == self.count);
        let lines_of = move |pass: usize| {
            let first = if is_first { 0 } else { start + pass };
            first..if is_last { end } else { end - 1 - pass }
        };
        let fronts = start..end + passes.len() - 1;
        fronts.flat_map(move |front| {
            self.every_pass(passes, move |pass| {
                let line = front.checked_sub(pass).filter(|line| lines_of(pass).contains(line));
                line.map_or(0..0, |line| line..line + 1)
            })
        })
    }

    /// The steps of stage 2 around the end of a slab.
    fn around_end<P: Copy>(&self, slab: usize, passes: &[P]) -> impl Iterator<Item = (P, usize)> {
        let end = self.start(slab + 1);
        self.every_pass(passes, move |pass| end - 1 - pass..end + pass)
    }

    /// The steps of every pass over its own lines.
    fn every_pass<P: Copy>(
        &self,
        passes: &[P],
        lines_of: impl Fn(usize) -> Range<usize>,
    ) -> impl Iterator<Item = (P, usize)> {
        passes.iter().enumerate().flat_map(move |(nth, &pass)| {
            lines_of(nth).flat_map(move |line| {
                (0..self.rows_in_line).map(move |k| (pass, line * self.line_step + k * self.row_step))
            })
        })
    }
}

/// Fewest lines of a slab, so that the lines that stage 2 touches around its two ends do not meet.
const fn thinnest(passes: usize) -> usize {
    2 * passes
}

#[cfg(test)]
mod tests {
    use super::*;
    use veloxel_core::Dimension;

    const SIZES: [[usize; 3]; 6] = [[1, 40, 1], [1, 3, 40], [1, 23, 12], [1, 5, 4], [1, 1, 1], [1, 64, 64]];

    fn plans() -> impl Iterator<Item = (Shape, usize, Slabs)> {
        SIZES.into_iter().flat_map(|size| {
            let dimension = if size[2] == 1 { Dimension::Two } else { Dimension::Three };
            let shape = Shape { size, dimension };
            [1, 2, 4].into_iter().flat_map(move |passes| {
                [1, 2, 5, 64].map(|threads| (shape, passes, Slabs::of(shape, passes, 4 * threads, threads)))
            })
        })
    }

    /// The rows that a stencil reads around a row.
    fn around(shape: Shape, row: usize) -> impl Iterator<Item = usize> {
        let [_, ny, nz] = shape.size;
        let (y, z) = (row % ny, row / ny);
        let beside = |at: usize, count: usize| at.saturating_sub(1)..(at + 2).min(count);
        beside(z, nz).flat_map(move |z| beside(y, ny).map(move |y| z * ny + y))
    }

    #[test]
    fn tasks_of_a_stage_never_touch_what_another_one_writes() {
        for (shape, passes, slabs) in plans() {
            let passes: Vec<usize> = (0..passes).collect();
            for passes in passes.chunks(slabs.together) {
                let tasks = |stage: usize| {
                    let count = if stage == 0 { slabs.count } else { slabs.count - 1 };
                    (0..count).map(move |slab| -> Vec<_> {
                        if stage == 0 {
                            slabs.inside(slab, passes).collect()
                        } else {
                            slabs.around_end(slab, passes).collect()
                        }
                    })
                };
                for stage in [0, 1] {
                    let mut writer = vec![usize::MAX; shape.rows()];
                    for (task, steps) in tasks(stage).enumerate() {
                        for (_, row) in steps {
                            assert!([usize::MAX, task].contains(&writer[row]), "{slabs:?} {row}");
                            writer[row] = task;
                        }
                    }
                    for (task, steps) in tasks(stage).enumerate() {
                        for row in steps.into_iter().flat_map(|(_, row)| around(shape, row)) {
                            assert!([usize::MAX, task].contains(&writer[row]), "{slabs:?} {row}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn rows_are_updated_as_by_whole_passes() {
        for (shape, passes, slabs) in plans() {
            let mut done = vec![0; shape.rows()];
            let passes: Vec<usize> = (0..passes).collect();
            for passes in passes.chunks(slabs.together) {
                let inside = (0..slabs.count).flat_map(|slab| slabs.inside(slab, passes));
                let around_ends = (0..slabs.count - 1).flat_map(|slab| slabs.around_end(slab, passes));
                for (pass, row) in inside.chain(around_ends) {
                    assert_eq!(done[row], pass, "{slabs:?} {row}");
                    for near in around(shape, row).filter(|&near| near != row) {
                        assert!((pass..=pass + 1).contains(&done[near]), "{slabs:?} {row} {near}");
                    }
                    done[row] += 1;
                }
            }
            assert!(done.iter().all(|&done| done == passes.len()), "{slabs:?}");
        }
    }
}
