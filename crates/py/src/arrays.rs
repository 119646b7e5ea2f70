//! Arrays of NumPy in and out: strided samples of every type that images come in, and views of results without a copy.

use crate::error::InputError;
use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyAny;

/// Copies an array of at most three axes, the last one fastest in the result, through a conversion of its samples.
fn copied<T: Element + Copy, U>(
    array: &Bound<'_, PyArrayDyn<T>>,
    convert: impl Fn(T) -> U,
) -> PyResult<Vec<U>> {
    let read =
        array.try_readonly().map_err(|_| InputError::new_err("the array is being written elsewhere"))?;
    // Arrays in the order of Fortran are slices as well, of another order.
    Ok(match read.as_slice() {
        Ok(samples) if read.is_c_contiguous() => samples.iter().map(|&sample| convert(sample)).collect(),
        _ => read.as_array().iter().map(|&sample| convert(sample)).collect(),
    })
}

/// The samples of an array in C order, as `f32`.
///
/// # Errors
/// [`InputError`] for samples that are no real numbers.
pub fn samples_f32(array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<f32>> {
    macro_rules! of {
        ($($from:ty => $convert:expr;)+) => {
            $(if let Ok(array) = array.cast::<PyArrayDyn<$from>>() {
                return copied(array, $convert);
            })+
        };
    }
    of! {
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

/// Whole numbers of an array in C order.
///
/// # Errors
/// [`InputError`] for samples that are no whole numbers.
pub fn labels_i32(array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<i32>> {
    macro_rules! of {
        ($($from:ty)+) => {
            $(if let Ok(array) = array.cast::<PyArrayDyn<$from>>() {
                let labels = copied(array, |v| i32::try_from(v).ok())?;
                let wrong = || InputError::new_err("a label lies beyond ±2³¹");
                return labels.into_iter().map(|label| label.ok_or_else(wrong)).collect();
            })+
        };
    }
    of!(u8 i8 u16 i16 i32 u32 i64 u64);
    if let Ok(array) = array.cast::<PyArrayDyn<bool>>() {
        return copied(array, i32::from);
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
