//! Arrays of NumPy in and out: strided samples of every type that images come in, and views of results without a copy.
//!
//! An array is read once, while this call has the interpreter's lock, by threads that end with it: nothing that a caller's other
//! thread writes into it afterwards changes what was read. Large arrays come into large pages, and their extremes are found while
//! their samples are in the caches.

use crate::error::{InputError, exception};
use numpy::ndarray::{ArrayView1, ArrayViewD, Axis, Ix1};
use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyAny;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use veloxel::unstable::gpu::filled;
use veloxel::{Extremes, Flow, Grid, Volume};

/// Fewer samples are read by the calling thread: it is done before another one has started.
const FEWEST_FOR_THREADS: usize = 1 << 20;

/// How many threads fill so many samples; 0: as many as the machine has.
fn threads(samples: usize) -> usize {
    usize::from(samples < FEWEST_FOR_THREADS)
}

/// Copies an array, the last axis fastest in the result, through a conversion of its samples; `seen` is told each range of the
/// result, on several threads.
fn copied<T: Element + Copy + Sync, U: Copy + Send + Sync>(
    array: &Bound<'_, PyArrayDyn<T>>,
    convert: impl Fn(T) -> U + Sync,
    seen: impl Fn(&[U]) + Sync,
) -> PyResult<Vec<U>> {
    let read =
        array.try_readonly().map_err(|_| InputError::new_err("the array is being written elsewhere"))?;
    // Arrays in the order of Fortran are slices as well, of another order.
    let slice = read.as_slice().ok().filter(|_| read.is_c_contiguous());
    let (view, len) = (read.as_array(), read.len());
    let row = view.shape().last().copied().unwrap_or(1).max(1);
    let fill = |range: Range<usize>, slots: &mut [MaybeUninit<U>]| {
        match slice {
            Some(samples) => {
                write_each(slots, samples[range].iter().map(|&v| convert(v)));
            }
            None => {
                for (slots, nth) in slots.chunks_mut(row).zip(range.start / row..) {
                    write_each(slots, row_of(&view, nth).iter().map(|&v| convert(v)));
                }
            }
        }
        // SAFETY: each of them was written: a row has as many samples as its slots, a range of a slice too.
        seen(unsafe { written(slots) });
    };
    // SAFETY: as above.
    unsafe { filled(len, row, threads(len), fill) }.map_err(|error| exception(&error))
}

/// Writes a value into each slot, as long as there are values.
fn write_each<U>(slots: &mut [MaybeUninit<U>], values: impl Iterator<Item = U>) {
    for (slot, value) in slots.iter_mut().zip(values) {
        slot.write(value);
    }
}

/// Slots as what was written into them.
///
/// # Safety
/// Each was written.
unsafe fn written<U>(slots: &mut [MaybeUninit<U>]) -> &mut [U] {
    // SAFETY: a slot has the layout of its value, and by the caller's promise holds one.
    unsafe { &mut *(std::ptr::from_mut(slots) as *mut [U]) }
}

/// The `nth` row of an array, along its last axis.
fn row_of<'a, T>(view: &ArrayViewD<'a, T>, mut nth: usize) -> ArrayView1<'a, T> {
    let mut row = view.clone();
    while row.ndim() > 1 {
        let rows: usize = row.shape()[1..row.ndim() - 1].iter().product();
        row = row.index_axis_move(Axis(0), nth / rows);
        nth %= rows;
    }
    // An array without an axis has one sample.
    if row.ndim() == 0 {
        row = row.insert_axis(Axis(0));
    }
    row.into_dimensionality::<Ix1>().expect("a row should have one axis")
}

/// Calls an expression with the array as one of the first type that fits; no value where none does.
macro_rules! of_type {
    ($array:expr, $read:ident, $seen:expr; $($from:ty => $convert:expr;)+) => {
        $(if let Ok(array) = $array.cast::<PyArrayDyn<$from>>() {
            return $read(array, $convert, $seen);
        })+
    };
}

/// The samples of an array in C order, as `f32`.
///
/// # Errors
/// [`InputError`] for samples that are no real numbers.
pub fn samples_f32(array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<f32>> {
    read_f32(array, |_| ())
}

fn read_f32(array: &Bound<'_, PyUntypedArray>, seen: impl Fn(&[f32]) + Sync) -> PyResult<Vec<f32>> {
    of_type! { array, copied, seen;
        f32 => |v| v;
        u8 => f32::from;
        bool => |v| f32::from(u8::from(v));
        i8 => f32::from;
        u16 => f32::from;
        i16 => f32::from;
        i32 => |v| v as f32;
        u32 => |v| v as f32;
        f64 => |v| v as f32;
        i64 => |v| v as f32;
        u64 => |v| v as f32;
    }
    let text = format!("samples are whole numbers, float32 or float64, not {}", array.dtype());
    Err(InputError::new_err(text))
}

/// The samples of an array on a grid; of a large one with their extremes, for which small ones are looked through when they are needed.
///
/// # Errors
/// As [`samples_f32`]; another number of samples.
pub fn volume_f32(grid: Grid, array: &Bound<'_, PyUntypedArray>) -> PyResult<Volume<f32>> {
    if grid.len() < FEWEST_FOR_THREADS {
        return Volume::new(grid, samples_f32(array)?).map_err(|error| exception(&error));
    }
    let extremes = Mutex::new(Extremes::NONE);
    let samples = read_f32(array, |samples| {
        let own = Extremes::of(samples);
        let mut all = extremes.lock().unwrap_or_else(PoisonError::into_inner);
        *all = all.joined(own);
    })?;
    let volume = Volume::new(grid, samples).map_err(|error| exception(&error))?;
    Ok(volume.with_extremes(extremes.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// A volume on the same grid with what `into` makes of each sample.
///
/// # Errors
/// [`OutOfMemoryError`](crate::error::OutOfMemoryError).
pub fn mapped<U: Copy + Send + Sync>(
    volume: &Volume<f32>,
    into: impl Fn(f32) -> U + Sync,
) -> PyResult<Volume<U>> {
    let samples = volume.data();
    let fill = |range: Range<usize>, slots: &mut [MaybeUninit<U>]| {
        write_each(slots, samples[range].iter().map(|&v| into(v)));
    };
    // SAFETY: each slot is written.
    let samples = unsafe { filled(samples.len(), 1, threads(samples.len()), fill) }
        .map_err(|error| exception(&error))?;
    Volume::new(volume.grid().clone(), samples).map_err(|error| exception(&error))
}

/// A field in world coordinates, LPS millimetres: all samples along x, then along y, then along z.
///
/// # Errors
/// [`OutOfMemoryError`](crate::error::OutOfMemoryError).
pub fn planar_mm(flow: &Flow) -> PyResult<Vec<f32>> {
    let len = flow.grid().len();
    let fill = |range: Range<usize>, slots: &mut [MaybeUninit<f32>]| {
        write_each(slots, std::iter::repeat(0.0));
        // SAFETY: each of them was written.
        let mut slots = unsafe { written(slots) };
        let mut begin = range.start;
        while begin < range.end {
            let (own, rest) = slots.split_at_mut((range.end - begin).min(len - begin % len));
            flow.component_mm(begin / len, begin % len, own);
            (begin, slots) = (begin + own.len(), rest);
        }
    };
    // SAFETY: as above.
    unsafe { filled(3 * len, 1, threads(3 * len), fill) }.map_err(|error| exception(&error))
}

/// Whole numbers of an array in C order.
///
/// # Errors
/// [`InputError`] for samples that are no whole numbers.
pub fn labels_i32(array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<i32>> {
    let is_beyond = AtomicBool::new(false);
    let labels = read_i32(array, &is_beyond)?;
    if is_beyond.into_inner() {
        return Err(InputError::new_err("a label lies beyond ±2³¹"));
    }
    Ok(labels)
}

fn read_i32(array: &Bound<'_, PyUntypedArray>, is_beyond: &AtomicBool) -> PyResult<Vec<i32>> {
    macro_rules! of {
        ($($from:ty)+) => {
            of_type! { array, copied, |_| ();
                $($from => |v| i32::try_from(v).unwrap_or_else(|_| {
                    is_beyond.store(true, Ordering::Relaxed);
                    0
                });)+
                bool => i32::from;
            }
        };
    }
    of!(u8 i8 u16 i16 i32 u32 i64 u64);
    Err(InputError::new_err(format!("labels are whole numbers, not {}", array.dtype())))
}

/// The shape of an array.
pub fn shape_of(array: &Bound<'_, PyUntypedArray>) -> Vec<usize> {
    array.shape().to_vec()
}

/// Samples that an object of Python holds, as an array of one axis that cannot be written; no copy is made, and the object lives as
/// long as the array.
///
/// # Safety
/// The samples belong to `owner`, which never changes nor moves them.
pub unsafe fn view<'py, T: Element>(samples: &[T], owner: Bound<'py, PyAny>) -> Bound<'py, PyArray1<T>> {
    // SAFETY: the caller promises what is asked for.
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(samples), owner) };
    array.readwrite().make_nonwriteable();
    array
}
