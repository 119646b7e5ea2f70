//! Copies of arrays in any order, by threads, the last axis fastest in the result.
//!
//! Rows along the last axis are read one after the other where samples lie close to each other along it. Where another axis is the
//! fastest in memory (the order of Fortran), tiles of that axis and the last one are: each line of memory is read once, and written once.

use super::{threads, write_each, written};
use crate::error::{InputError, exception};
use numpy::ndarray::{ArrayView1, ArrayView2, ArrayViewD, Axis, Ix1, Ix2, s};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::mem::MaybeUninit;
use std::ops::Range;
use veloxel::unstable::gpu::filled;

/// Sides of a tile, samples.
const TILE: usize = 16;
/// Bytes of a line of memory: samples farther apart have one each.
const LINE: usize = 64;

/// Copies an array, the last axis fastest in the result, through a conversion of its samples; `seen` is told each range of the
/// result, on several threads.
///
/// # Errors
/// [`InputError`] for an array that is being written; [`OutOfMemoryError`](crate::error::OutOfMemoryError).
pub fn copied<T: Element + Copy + Sync, U: Copy + Send + Sync>(
    array: &Bound<'_, PyArrayDyn<T>>,
    convert: impl Fn(T) -> U + Sync,
    seen: impl Fn(&[U]) + Sync,
) -> PyResult<Vec<U>> {
    let read =
        array.try_readonly().map_err(|_| InputError::new_err("the array is being written elsewhere"))?;
    // Arrays in the order of Fortran are slices as well, of another order.
    let slice = read.as_slice().ok().filter(|_| read.is_c_contiguous());
    let (view, len) = (read.as_array(), read.len());
    let tiles = Tiles::of(&view).filter(|_| slice.is_none());
    let row = view.shape().last().copied().unwrap_or(1).max(1);
    let grain = tiles.map_or(row, |tiles| tiles.grain());
    let fill = |range: Range<usize>, slots: &mut [MaybeUninit<U>]| {
        match (slice, tiles) {
            (Some(samples), _) => write_each(slots, samples[range].iter().map(|&v| convert(v))),
            (None, Some(tiles)) => tiles.fill(&view, range, slots, &convert),
            (None, None) => {
                for (slots, nth) in slots.chunks_mut(row).zip(range.start / row..) {
                    write_each(slots, row_of(&view, nth).iter().map(|&v| convert(v)));
                }
            }
        }
        // SAFETY: each of them was written: a row has as many samples as its slots, a range of a slice and of tiles too.
        seen(unsafe { written(slots) });
    };
    // SAFETY: as above.
    unsafe { filled(len, grain, threads(len), fill) }.map_err(|error| exception(&error))
}

/// The `nth` row of an array, along its last axis.
fn row_of<'a, T>(view: &ArrayViewD<'a, T>, nth: usize) -> ArrayView1<'a, T> {
    let mut row = leading(view, view.ndim().saturating_sub(1), nth);
    // An array without an axis has one sample.
    if row.ndim() == 0 {
        row = row.insert_axis(Axis(0));
    }
    row.into_dimensionality::<Ix1>().expect("a row should have one axis")
}

/// The `nth` part of an array at one place of each of its first `axes` axes.
fn leading<'a, T>(view: &ArrayViewD<'a, T>, axes: usize, mut nth: usize) -> ArrayViewD<'a, T> {
    let mut part = view.clone();
    for left in (0..axes).rev() {
        let parts: usize = part.shape()[1..=left].iter().product();
        part = part.index_axis_move(Axis(0), nth / parts);
        nth %= parts;
    }
    part
}

/// An array of which an axis before the last one is the fastest in memory.
#[derive(Debug, Clone, Copy)]
struct Tiles {
    /// That axis, and its length.
    axis: usize,
    length: usize,
    /// Samples of the result at one place of it: the product of the lengths of the axes behind it.
    behind: usize,
}

impl Tiles {
    /// Tiles of an array, unless rows along its last axis share lines of memory, or no other axis has samples that do.
    fn of<T>(view: &ArrayViewD<'_, T>) -> Option<Self> {
        let bytes = |axis: usize| view.strides()[axis].unsigned_abs() * size_of::<T>();
        let last = view.ndim().checked_sub(1)?;
        let axis = (0..last).filter(|axis| view.shape()[*axis] > 1).min_by_key(|axis| bytes(*axis))?;
        let is_faster =
            bytes(axis) < LINE && bytes(last) >= LINE && view.shape()[last] > 1 && !view.is_empty();
        let behind = view.shape()[axis + 1..].iter().product();
        is_faster.then(|| Self { axis, length: view.shape()[axis], behind })
    }

    /// Samples that a thread takes at least.
    fn grain(&self) -> usize {
        TILE * self.behind
    }

    /// Fills a range of the result that begins at a place of the axis and ends at one.
    fn fill<T: Copy, U: Copy>(
        &self,
        view: &ArrayViewD<'_, T>,
        range: Range<usize>,
        slots: &mut [MaybeUninit<U>],
        convert: &impl Fn(T) -> U,
    ) {
        let (mut place, mut slots) = (range.start / self.behind, slots);
        while !slots.is_empty() {
            let begin = place % self.length;
            let count = (self.length - begin).min(slots.len() / self.behind).min(TILE);
            let (own, rest) = slots.split_at_mut(count * self.behind);
            let part = leading(view, self.axis, place / self.length);
            self.fill_places(&part, begin, own, convert);
            (place, slots) = (place + count, rest);
        }
    }

    /// Fills a few places of the axis, which is the first one of a part of the array.
    fn fill_places<T: Copy, U: Copy>(
        &self,
        part: &ArrayViewD<'_, T>,
        begin: usize,
        slots: &mut [MaybeUninit<U>],
        convert: &impl Fn(T) -> U,
    ) {
        let count = slots.len() / self.behind;
        let width = part.shape()[part.ndim() - 1];
        for row in 0..self.behind / width {
            let plane = middle(part, row);
            for x in (0..width).step_by(TILE) {
                let end = width.min(x + TILE);
                let tile = plane.slice(s![begin..begin + count, x..end]);
                let mut turned = [[MaybeUninit::uninit(); TILE]; TILE];
                for (nth, column) in tile.columns().into_iter().enumerate() {
                    let values = column.iter().map(|v| convert(*v));
                    turned.iter_mut().zip(values).for_each(|(row, value)| row[nth] = MaybeUninit::new(value));
                }
                for (nth, turned) in turned[..count].iter().enumerate() {
                    let first = nth * self.behind + row * width + x;
                    slots[first..first + end - x].copy_from_slice(&turned[..end - x]);
                }
            }
        }
    }
}

/// The plane of the first and the last axis at the `nth` place of those between them.
fn middle<'a, T>(part: &ArrayViewD<'a, T>, mut nth: usize) -> ArrayView2<'a, T> {
    let mut plane = part.clone();
    while plane.ndim() > 2 {
        let rows: usize = plane.shape()[2..plane.ndim() - 1].iter().product();
        plane = plane.index_axis_move(Axis(1), nth / rows);
        nth %= rows;
    }
    plane.into_dimensionality::<Ix2>().expect("a plane should have two axes")
}
