//! Results in the memory of a device, as tensors for other libraries.

use super::abi::{FLOAT32, Managed, NAME, Tensor};
use super::taken::of_place;
use crate::error::{InternalError, exception};
use numpy::PyArray1;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_void;
use veloxel::unstable::gpu::{Buffer, DevicePointer};
use veloxel::{ComputeError, Device};

/// Samples in the memory of a device, with a shape; they are there as long as this or a tensor made of it is.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct DeviceTensor {
    device: Device,
    pointer: DevicePointer,
    shape: Vec<i64>,
    strides: Vec<i64>,
    is_field: bool,
}

/// What a tensor keeps: the memory, and the stream of those who read it.
struct Kept {
    device: Device,
    /// Given up once the device waits for the reader's stream.
    _pointer: DevicePointer,
    stream: Option<u64>,
    shape: Vec<i64>,
    strides: Vec<i64>,
    managed: Managed,
}

impl Drop for Kept {
    fn drop(&mut self) {
        // The memory goes to later work of the device, which must come after what its reader still does. A driver that was shut
        // down has no such work.
        if let Some(stream) = self.stream {
            let _ = self.device.wait_for_stream(stream);
        }
    }
}

impl DeviceTensor {
    /// The samples of a buffer, whose work is done, as `shape`; components that lie one after the other become the last axis.
    ///
    /// # Errors
    /// As [`Device::pointer_to`].
    pub fn of(
        device: &Device,
        buffer: Buffer,
        voxels: &[usize],
        is_field: bool,
    ) -> Result<Self, ComputeError> {
        let mut stride = 1;
        let mut strides: Vec<i64> = Vec::new();
        for count in voxels.iter().rev() {
            strides.insert(0, stride);
            stride *= *count as i64;
        }
        let mut shape: Vec<i64> = voxels.iter().map(|count| *count as i64).collect();
        if is_field {
            shape.push(voxels.len() as i64);
            strides.push(stride);
        }
        Ok(Self { device: device.clone(), pointer: device.pointer_to(buffer)?, shape, strides, is_field })
    }

    /// Copies of a field's components on a device of this memory, each in a buffer of its own.
    ///
    /// # Errors
    /// As [`Device::copy_from`].
    pub fn components(&self, device: &Device) -> Result<Vec<Buffer>, ComputeError> {
        let count = self.shape.last().map_or(0, |count| *count as usize);
        let each = self.pointer.bytes() / size_of::<f32>() / count.max(1);
        let begin = |nth: usize| self.pointer.address() + (nth * each * size_of::<f32>()) as u64;
        // SAFETY: the memory is this tensor's, complete, and lives until its device is done with what was submitted.
        (0..count).map(|nth| unsafe { device.copy_from(begin(nth), each) }).collect()
    }

    /// The samples on the host, in the order of memory.
    pub fn downloaded(&self) -> Result<Vec<f32>, ComputeError> {
        let count = self.pointer.bytes() / size_of::<f32>();
        // SAFETY: the memory is this tensor's, and the download waits for the copy.
        let copy = unsafe { self.device.copy_from(self.pointer.address(), count) }?;
        self.device.download(copy)
    }
}

#[pymethods]
impl DeviceTensor {
    /// Number of samples along the axes.
    #[getter]
    fn shape(&self) -> Vec<i64> {
        self.shape.clone()
    }

    /// Whether the last axis is that of a field's components.
    #[getter]
    fn is_field(&self) -> bool {
        self.is_field
    }

    /// A copy of the samples on the host, as an array of one axis in the order of memory: of a field one component after the other.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let samples = py.detach(|| self.downloaded()).map_err(|error| exception(&error))?;
        Ok(PyArray1::from_vec(py, samples))
    }

    /// The kind and the number of the device, as DLPack has them.
    fn __dlpack_device__(&self) -> (i32, i32) {
        let place = of_place(self.pointer.place());
        (place.kind, place.ordinal)
    }

    /// A capsule with a view of the samples; `stream` is that of the reader, whose work memory waits for before it is used again.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__(
        &self,
        py: Python<'_>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Py<PyAny>> {
        let _ = max_version;
        if copy == Some(true) || dl_device.is_some_and(|device| device != self.__dlpack_device__()) {
            let text = "a result on a device is seen where it lies: copy it there, or take .cpu()";
            return Err(PyBufferError::new_err(text));
        }
        let kept = Box::new(Kept {
            device: self.device.clone(),
            _pointer: self.pointer.clone(),
            // −1: the reader needs no order; none: the default stream of old, which is 1.
            stream: match stream {
                Some(-1) => None,
                Some(stream) => u64::try_from(stream).ok(),
                None => Some(1),
            },
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            managed: Managed {
                tensor: Tensor {
                    data: std::ptr::with_exposed_provenance_mut(self.pointer.address() as usize),
                    place: of_place(self.pointer.place()),
                    axes: self.shape.len() as i32,
                    of: FLOAT32,
                    shape: std::ptr::null_mut(),
                    strides: std::ptr::null_mut(),
                    offset_bytes: 0,
                },
                owner: std::ptr::null_mut(),
                deleter: Some(deleted),
            },
        });
        capsule(py, kept)
    }
}

/// A capsule that owns what is kept, until a library takes its tensor.
fn capsule(py: Python<'_>, kept: Box<Kept>) -> PyResult<Py<PyAny>> {
    let kept = Box::into_raw(kept);
    // SAFETY: nothing else knows of the box yet; its vectors and itself stay where they are until the deleter is called.
    let managed = unsafe {
        (*kept).managed.tensor.shape = (*kept).shape.as_mut_ptr();
        (*kept).managed.tensor.strides = (*kept).strides.as_mut_ptr();
        (*kept).managed.owner = kept.cast();
        &raw mut (*kept).managed
    };
    // SAFETY: the pointer is not null, and the destructor belongs to capsules of this name.
    let made = unsafe { ffi::PyCapsule_New(managed.cast::<c_void>(), NAME.as_ptr(), Some(left)) };
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_opt(py, made) }.map(Bound::unbind).ok_or_else(|| {
        // SAFETY: no capsule knows of it.
        unsafe { deleted(managed) };
        PyErr::take(py).unwrap_or_else(|| InternalError::new_err("no capsule could be made"))
    })
}

/// Frees what is kept: called once by the library that took the tensor.
unsafe extern "C" fn deleted(managed: *mut Managed) {
    // SAFETY: the owner is the box that holds the tensor.
    drop(unsafe { Box::from_raw((*managed).owner.cast::<Kept>()) });
}

/// Frees what is kept of a capsule whose tensor was not taken.
unsafe extern "C" fn left(capsule: *mut ffi::PyObject) {
    // SAFETY: the calls check the name; a capsule that keeps it still owns its tensor.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) == 1 {
            deleted(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast());
        }
    }
}
