//! New buffers, what kernels write into them, and numbers that kernels find.

use std::borrow::Borrow;
use std::slice::{from_mut, from_ref};
use veloxel_core::{Axes, Shape};
use veloxel_gpu::{Buffer, ComputeError, Device, Element, Field, Later, Pending, Timestamp, fetch};
use veloxel_kernels::image::convolve::Convolve;
use veloxel_kernels::image::pointwise::{CopyBuffer, CopyPart, Paste};
use veloxel_kernels::image::resample::Resample;
use veloxel_kernels::{Kernel, Taps};

/// A buffer of so many samples, all of which `write` writes.
pub(crate) fn written<T: Element>(
    device: &Device,
    len: usize,
    write: impl FnOnce(&mut Buffer<T>) -> Result<(), ComputeError>,
) -> Result<Buffer<T>, ComputeError> {
    let mut out = device.scratch(len)?;
    write(&mut out)?;
    Ok(out)
}

/// A field with a component along every axis of a grid, all of which `write` writes.
pub(crate) fn written_field(
    device: &Device,
    shape: Shape,
    write: impl FnOnce(&mut Field) -> Result<(), ComputeError>,
) -> Result<Field, ComputeError> {
    let mut out = device.scratch_field(shape.components(), shape.len())?;
    write(&mut out)?;
    Ok(out)
}

/// A copy.
pub(crate) fn copied(device: &Device, from: &Buffer) -> Result<Buffer, ComputeError> {
    written(device, from.len(), |to| CopyBuffer { from, to }.run(device))
}

/// Copies of all components.
pub(crate) fn copied_field(device: &Device, field: &[Buffer]) -> Result<Field, ComputeError> {
    field.iter().map(|component| copied(device, component)).collect()
}

/// A copy of `len` samples, the `nth` run of so many.
pub(crate) fn copied_run(
    device: &Device,
    from: &Buffer,
    nth: usize,
    len: usize,
) -> Result<Buffer, ComputeError> {
    copied_part(device, from, nth * len, len)
}

/// A copy of `len` samples, from the one of index `first` on.
pub(crate) fn copied_part(
    device: &Device,
    from: &Buffer,
    first: usize,
    len: usize,
) -> Result<Buffer, ComputeError> {
    written(device, len, |to| CopyPart { from, first, to }.run(device))
}

/// One buffer that holds others of one length, one after the other.
pub(crate) fn stacked<B: Borrow<Buffer>>(device: &Device, all: &[B]) -> Result<Buffer, ComputeError> {
    let each = all.first().map_or(0, |buffer| buffer.borrow().len());
    written(device, each * all.len(), |to| {
        let mut all = all.iter().enumerate();
        all.try_for_each(|(nth, from)| Paste { from: from.borrow(), to, first: nth * each }.run(device))
    })
}

/// An image, convolved with windows along its axes.
pub(crate) fn convolved(
    device: &Device,
    input: &Buffer,
    shape: Shape,
    taps: &Axes<Taps>,
) -> Result<Buffer, ComputeError> {
    written(device, shape.len(), |output| Convolve { shape, taps, input, output }.run(device))
}

/// An image at another size over the same extent, linearly interpolated.
pub(crate) fn resampled(
    device: &Device,
    image: &Buffer,
    [input_shape, output_shape]: [Shape; 2],
) -> Result<Buffer, ComputeError> {
    written(device, output_shape.len(), |out| {
        let (input, output) = (from_ref(image), from_mut(out));
        Resample { input, input_shape, output, output_shape, factor: 1.0 }.run(device)
    })
}

/// Numbers that were asked for, fetched together as they were at a mark.
pub(crate) fn settled<T>(
    device: &Device,
    mark: Option<&Timestamp>,
    mut numbers: Vec<Later<T>>,
) -> Result<Vec<T>, ComputeError> {
    fetch(device, mark, numbers.iter_mut().map(|number| number as &mut dyn Pending).collect())?;
    numbers.into_iter().map(|number| number.get_after(device, mark)).collect()
}

/// Gives a field so many components of so many samples of undefined content, in its own memory as far as that has room.
pub(crate) fn fit(device: &Device, field: &mut Field, count: usize, len: usize) -> Result<(), ComputeError> {
    field.truncate(count);
    field.iter_mut().try_for_each(|component| device.fit(component, len))?;
    while field.len() < count {
        field.push(device.scratch(len)?);
    }
    Ok(())
}

/// A field on another grid over the same extent, linearly interpolated.
pub(crate) fn resampled_field(
    device: &Device,
    input: &[Buffer],
    [input_shape, output_shape]: [Shape; 2],
) -> Result<Field, ComputeError> {
    written_field(device, output_shape, |output| {
        Resample { input, input_shape, output, output_shape, factor: 1.0 }.run(device)
    })
}

/// A field on another grid, as [`resampled_field`] makes it; a field that lies on that grid already is returned unchanged.
pub(crate) fn on_grid(device: &Device, field: Field, shapes: [Shape; 2]) -> Result<Field, ComputeError> {
    if shapes[0] == shapes[1] { Ok(field) } else { resampled_field(device, &field, shapes) }
}
