//! Tensors that other libraries hand over.

use super::abi::{CPU, CUDA, FLOAT32, Managed, NAME, Place as TensorPlace, Tensor, USED};
use crate::error::{InputError, exception};
use crate::image::{Place, grid_of};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use veloxel::pipelines::ResidentImage;
use veloxel::unstable::gpu::PointerPlace;
use veloxel::{Device, Grid, VeloxelError};

/// A tensor as Python gives it: a capsule, and where its voxels lie.
#[derive(FromPyObject)]
pub struct TensorGiven<'py>(Bound<'py, PyCapsule>, Place);

/// A tensor whose samples stay where they are as long as this lives. It must be dropped by a thread that has the interpreter's lock.
pub struct Taken {
    managed: *mut Managed,
    grid: Grid,
}

// SAFETY: what it holds is read alone, and freed by a thread that has the interpreter's lock, whichever that is.
unsafe impl Send for Taken {}
// SAFETY: as above.
unsafe impl Sync for Taken {}

impl Drop for Taken {
    fn drop(&mut self) {
        // SAFETY: the capsule gave the tensor away, and this is its only owner.
        unsafe {
            if let Some(deleter) = (*self.managed).deleter {
                deleter(self.managed);
            }
        }
    }
}

/// The address of a tensor's samples, which its owner keeps.
#[derive(Debug, Clone)]
pub struct Samples {
    address: u64,
    grid: Grid,
}

impl Taken {
    /// Takes a capsule's tensor.
    ///
    /// # Errors
    /// [`InputError`] for a capsule that was taken before, or a tensor that is not `float32` in C order on the device of the place.
    pub fn of(given: &TensorGiven<'_>, expected: PointerPlace) -> PyResult<Self> {
        let TensorGiven(capsule, place) = given;
        // SAFETY: the call checks the name, and gives the pointer that the capsule holds.
        let managed = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr()) }.cast::<Managed>();
        if managed.is_null() {
            return Err(PyErr::fetch(capsule.py()));
        }
        // SAFETY: a capsule of that name holds a managed tensor, which lives until its deleter is called.
        let tensor = unsafe { &(*managed).tensor };
        let (shape, strides) = shape_and_strides(tensor);
        let is_here = tensor.place == of_place(expected);
        if !is_here || tensor.of != FLOAT32 || strides.is_some_and(|strides| !is_in_order(&shape, &strides)) {
            let text = "a tensor on a device is taken as float32 in C order, on the device of the session";
            return Err(InputError::new_err(text));
        }
        let grid = grid_of(&shape, place)?;
        // SAFETY: from here on the tensor has one owner, as the capsule's new name says.
        if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), USED.as_ptr()) } != 0 {
            return Err(PyErr::fetch(capsule.py()));
        }
        Ok(Self { managed, grid })
    }

    /// Where its samples are.
    pub fn samples(&self) -> Samples {
        // SAFETY: the tensor lives as long as this.
        let Tensor { data, offset_bytes, .. } = unsafe { &(*self.managed).tensor };
        Samples { address: data.expose_provenance() as u64 + offset_bytes, grid: self.grid.clone() }
    }
}

impl Samples {
    /// Where they lie in space.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Copies the samples to memory of the device's own, on the device.
    ///
    /// # Errors
    /// As [`Device::copy_from`].
    ///
    /// # Safety
    /// What they were taken from lives until the device is done with the copy.
    pub unsafe fn copied(&self, device: &Device) -> Result<ResidentImage, VeloxelError> {
        // SAFETY: forwarded.
        let samples = unsafe { device.copy_from(self.address, self.grid.len()) }?;
        Ok(ResidentImage { grid: self.grid.clone(), samples })
    }
}

/// A device's memory in the words of DLPack.
pub fn of_place(place: PointerPlace) -> TensorPlace {
    match place {
        PointerPlace::Cuda { ordinal, .. } => TensorPlace { kind: CUDA, ordinal: ordinal as i32 },
        _ => TensorPlace { kind: CPU, ordinal: 0 },
    }
}

/// The kind and the number of a device, and the stream on which its tensors are to be complete.
pub fn words_of(place: PointerPlace) -> (i32, i32, Option<u64>) {
    let TensorPlace { kind, ordinal } = of_place(place);
    let stream = match place {
        PointerPlace::Cuda { stream, .. } => Some(stream),
        _ => None,
    };
    (kind, ordinal, stream)
}

/// The device whose memory a session's tensors lie in.
///
/// # Errors
/// [`crate::error::UnsupportedError`] where no other library can use it.
pub fn place_of(device: &Device) -> PyResult<PointerPlace> {
    let place = device.place().map_err(|error| exception(&error))?;
    place.ok_or_else(|| {
        let text = "other libraries hold no tensors in this device's memory: a session on cuda does";
        crate::error::UnsupportedError::new_err(text)
    })
}

fn shape_and_strides(tensor: &Tensor) -> (Vec<usize>, Option<Vec<i64>>) {
    let axes = usize::try_from(tensor.axes).unwrap_or(0);
    // SAFETY: a tensor has as many numbers in its shape as axes, and in its strides where they are not null.
    let numbers = |start: *mut i64| unsafe { std::slice::from_raw_parts(start, axes) }.to_vec();
    let shape = if axes == 0 { Vec::new() } else { numbers(tensor.shape) };
    let strides = (!tensor.strides.is_null() && axes > 0).then(|| numbers(tensor.strides));
    (shape.into_iter().map(|count| usize::try_from(count).unwrap_or(0)).collect(), strides)
}

/// Whether samples lie one after the other, those of the last axis next to each other; an axis of one sample may have any stride.
fn is_in_order(shape: &[usize], strides: &[i64]) -> bool {
    let mut expected = 1i64;
    shape.iter().zip(strides).rev().all(|(count, stride)| {
        let is_expected = *count == 1 || *stride == expected;
        expected *= *count as i64;
        is_expected
    })
}
