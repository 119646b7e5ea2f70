//! Files of every format that the command reads and writes.

use crate::arrays::{labels_i32, shape_of};
use crate::error::exception;
use crate::fields::field::Field;
use crate::fields::flow::told;
use crate::fields::maps::Transform;
use crate::image::{Image, Place, grid_of};
use crate::running::run;
use crate::session::Session;
use numpy::{PyArray1, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use veloxel::io::{self, ReadOptions};
use veloxel::{VeloxelError, Volume, Warnings};

/// An image with warnings; `orient` turns pictures as their EXIF data say.
#[pyfunction]
pub fn read_image(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    path: PathBuf,
    orient: bool,
) -> PyResult<(Image, Py<PyList>)> {
    let (volume, warnings) = reading(py, session, |reading, warnings| {
        let options = ReadOptions { orient, ..reading.options };
        io::read_image(&path, io::Reading { options, ..reading }, warnings)
    })?;
    Ok((Image::of(volume), warnings))
}

/// A displacement field with warnings.
#[pyfunction]
pub fn read_field(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    path: PathBuf,
) -> PyResult<(Field, Py<PyList>)> {
    let (flow, warnings) = reading(py, session, |reading, warnings| io::read_flow(&path, reading, warnings))?;
    Ok((Field { flow }, warnings))
}

/// The frames of a sequence, the time between them in milliseconds where the file says so, and warnings.
#[pyfunction]
pub fn read_sequence(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    path: PathBuf,
) -> PyResult<(Vec<Image>, Option<f64>, Py<PyList>)> {
    let (sequence, warnings) =
        reading(py, session, |reading, warnings| io::read_sequence(&path, reading, warnings))?;
    let interval_ms = sequence.frame_interval_ms();
    let frames = sequence.frames().iter().cloned().map(Image::of).collect();
    Ok((frames, interval_ms, warnings))
}

/// Labels as an array of one axis, the image that says where they lie, and warnings.
#[pyfunction]
pub fn read_labels<'py>(
    py: Python<'py>,
    session: &Bound<'py, Session>,
    path: PathBuf,
) -> PyResult<(Bound<'py, PyArray1<i32>>, Image, Py<PyList>)> {
    let (labels, warnings) =
        reading(py, session, |reading, warnings| io::read_labels(&path, reading, warnings))?;
    let place = Image::of(labels.map(|&label| label as f32));
    Ok((PyArray1::from_vec(py, labels.into_data()), place, warnings))
}

fn reading<T: Send>(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    read: impl FnOnce(io::Reading, &mut Warnings) -> io::Result<T> + Send,
) -> PyResult<(T, Py<PyList>)> {
    let (found, warnings) = session.get().lend(|library| {
        run(py, library, None, |library| {
            let mut warnings = Warnings::new();
            let found = read(library.reading(ReadOptions::default()), &mut warnings)?;
            Ok::<_, VeloxelError>((found, warnings))
        })
    })?;
    Ok((found, told(py, warnings.urgent())?.unbind()))
}

/// What is written.
#[derive(FromPyObject)]
pub enum Written<'py> {
    Field(Bound<'py, Field>),
    Image(Bound<'py, Image>),
    Linear(Bound<'py, Transform>),
    Labels(Bound<'py, PyUntypedArray>, Place),
}

/// Writes a field, an image, a linear transform, or an array of labels with its place, in the format of the path's ending; warnings.
#[pyfunction]
pub fn write(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    path: PathBuf,
    content: Written<'_>,
) -> PyResult<Py<PyList>> {
    let mut warnings = Warnings::new();
    let written = session.get().lend(|library| match &content {
        Written::Field(field) => {
            let flow = &field.get().flow;
            run(py, library, None, |library| Ok(io::write_flow(library.files().target(&path), flow)?))
        }
        Written::Linear(transform) => {
            let map = &transform.get().map;
            run(py, library, None, |library| Ok(io::write_transform(library.files().target(&path), map)?))
        }
        Written::Image(image) => {
            let volume = &image.get().volume;
            let warnings = &mut warnings;
            run(py, library, None, move |library| {
                Ok(io::write_image(library.files().target(&path), volume, warnings)?)
            })
        }
        Written::Labels(labels, place) => {
            let grid = grid_of(&shape_of(labels), place)?;
            let labels = Volume::new(grid, labels_i32(labels)?).map_err(|error| exception(&error))?;
            run(py, library, None, |library| Ok(io::write_labels(library.files().target(&path), &labels)?))
        }
    });
    written?;
    Ok(told(py, warnings.urgent())?.unbind())
}

/// The header of a file as JSON.
#[pyfunction]
pub fn info(py: Python<'_>, session: &Bound<'_, Session>, path: PathBuf) -> PyResult<String> {
    let info = session.get().lend(|library| {
        run(py, library, None, |library| Ok(io::inspect(&path, library.reading(ReadOptions::default()))?))
    })?;
    Ok(serde_json::to_string(&info).unwrap_or_default())
}
