//! Arrays of NumPy in and out: strided samples of every type that images come in, and views of results without a copy.
//!
//! An array is read once, while this call has the interpreter's lock, by threads that end with it: nothing that a caller's other
//! thread writes into it afterwards changes what was read. Large arrays come into large pages, and their extremes are found while
//! their samples are in the caches.

mod bits;
mod copied;

use crate::error::{InputError, exception};
use bits::{Bits, Number};
use copied::copied;
use numpy::ndarray::ArrayView1;
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
    if let Some(bits) = Bits::of(array)? {
        let kind = bits.kind;
        return match bits.size {
            2 => bits.copied(|v: u16| kind.real_of_16(v), seen),
            4 => bits.copied(|v: u32| kind.real_of_32(v), seen),
            _ => bits.copied(|v: u64| kind.real_of_64(v), seen),
        };
    }
    let text = format!("samples are whole numbers, float16, float32 or float64, not {}", array.dtype());
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

/// Whole numbers of an array in C order; floats that hold such ones, below 2²⁴ either way, are taken as well.
///
/// # Errors
/// [`InputError`] for samples that are no whole numbers, with the first one.
pub fn labels_i32(array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<i32>> {
    let odd = Odd::default();
    let labels = read_i32(array, &odd)?;
    if odd.is_beyond.into_inner() {
        return Err(InputError::new_err("a label lies beyond ±2³¹"));
    }
    if odd.is_no_label.into_inner() {
        let array = array.call_method1("astype", ("float64",))?;
        let samples = copied(array.cast::<PyArrayDyn<f64>>()?, |v| v, |_| ())?;
        let odd = samples.into_iter().find(|v| !is_label(*v)).unwrap_or_default();
        let shown = if odd.is_nan() { "nan".to_owned() } else { odd.to_string() };
        let text = format!("labels are whole numbers, the label image holds {shown}");
        return Err(InputError::new_err(text));
    }
    Ok(labels)
}

/// Whether there was a sample that is no label.
#[derive(Default)]
struct Odd {
    /// A whole number beyond those of labels.
    is_beyond: AtomicBool,
    /// No whole number, or one that floats do not hold beside its neighbours.
    is_no_label: AtomicBool,
}

fn is_label(v: f64) -> bool {
    v.fract() == 0.0 && v.abs() < 16_777_216.0
}

impl Odd {
    fn whole(&self, v: impl TryInto<i32>) -> i32 {
        v.try_into().unwrap_or_else(|_| {
            self.is_beyond.store(true, Ordering::Relaxed);
            0
        })
    }

    fn real(&self, v: f64) -> i32 {
        if !is_label(v) {
            self.is_no_label.store(true, Ordering::Relaxed);
        }
        v as i32
    }

    fn of(&self, number: Number) -> i32 {
        match number {
            Number::Real(v) => self.real(v),
            Number::Signed(v) => self.whole(v),
            Number::Unsigned(v) => self.whole(v),
        }
    }
}

fn read_i32(array: &Bound<'_, PyUntypedArray>, odd: &Odd) -> PyResult<Vec<i32>> {
    of_type! { array, copied, |_| ();
        u8 => i32::from;
        i8 => i32::from;
        u16 => i32::from;
        i16 => i32::from;
        i32 => |v| v;
        u32 => |v| odd.whole(v);
        i64 => |v| odd.whole(v);
        u64 => |v| odd.whole(v);
        f32 => |v| odd.real(f64::from(v));
        f64 => |v| odd.real(v);
        bool => i32::from;
    }
    if let Some(bits) = Bits::of(array)? {
        let kind = bits.kind;
        return match bits.size {
            2 => bits.copied(|v: u16| odd.of(kind.number_of_16(v)), |_| ()),
            4 => bits.copied(|v: u32| odd.of(kind.number_of_32(v)), |_| ()),
            _ => bits.copied(|v: u64| odd.of(kind.number_of_64(v)), |_| ()),
        };
    }
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
