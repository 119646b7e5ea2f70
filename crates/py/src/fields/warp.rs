//! Images and labels pulled back by a field, and the field as a deformation.

use crate::arrays::{labels_i32, shape_of};
use crate::error::{InputError, exception};
use crate::fields::field::Field;
use crate::fields::flow::{Outside, told};
use crate::image::{Image, Place, grid_of};
use crate::running::run;
use crate::session::Session;
use numpy::{PyArray1, PyUntypedArray};
use pyo3::prelude::*;
use pyo3::types::PyList;
use veloxel::io::Strictness;
use veloxel::pipelines::{
    DeformationResult, FinerImage, Interpolation, LabelChoice, WarpImageRequest, WarpLabelsRequest, WarpNames,
};
use veloxel::{Flow, Volume};

/// `warped(x) = image(x + d(x))` on the field's grid, with warnings.
#[pyfunction]
pub fn warp_image(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    field: &Bound<'_, Field>,
    image: &Bound<'_, Image>,
    interpolation: &str,
    smooth: bool,
    outside: Outside,
) -> PyResult<(Image, Py<PyList>)> {
    let (flow, image, outside) = (&field.get().flow, &image.get().volume, outside.fill()?);
    let interpolation = interpolation_of(interpolation)?;
    let finer = if smooth { FinerImage::Smoothed } else { FinerImage::Sampled };
    let result = session.get().lend(|library| {
        run(py, library, None, |library| {
            let (names, strictness) = (WarpNames::default(), Strictness::Lenient);
            let image = image.into();
            let request = WarpImageRequest { flow, image, interpolation, finer, outside, strictness, names };
            veloxel::pipelines::warp_image(&request, library)
        })
    })?;
    Ok((Image::of(result.warped), told(py, result.account.warnings.urgent())?.unbind()))
}

/// Labels pulled back onto the field's grid, as an array of one axis, with warnings.
#[pyfunction]
pub fn warp_labels<'py>(
    py: Python<'py>,
    session: &Bound<'py, Session>,
    field: &Bound<'py, Field>,
    labels: &Bound<'py, PyUntypedArray>,
    place: Place,
    choice: &str,
) -> PyResult<(Bound<'py, PyArray1<i32>>, Bound<'py, PyList>)> {
    let grid = grid_of(&shape_of(labels), &place)?;
    let labels = Volume::new(grid, labels_i32(labels)?).map_err(|error| exception(&error))?;
    let flow = &field.get().flow;
    let choice = label_choice_of(choice)?;
    let result = session.get().lend(|library| {
        run(py, library, None, |library| {
            let strictness = Strictness::Lenient;
            let request = WarpLabelsRequest { flow, labels: &labels, choice, strictness };
            veloxel::pipelines::warp_labels(&request, library)
        })
    })?;
    let warnings = told(py, result.account.warnings.urgent())?;
    Ok((PyArray1::from_vec(py, result.warped.into_data()), warnings))
}

/// How samples between voxels are found, by its name.
pub fn interpolation_of(name: &str) -> PyResult<Interpolation> {
    Ok(match name {
        "nearest" => Interpolation::Nearest,
        "linear" => Interpolation::Linear,
        "cubic" => Interpolation::CubicSpline,
        "cubic-convolution" => Interpolation::CubicConvolution,
        name => {
            let all = "\"nearest\", \"linear\", \"cubic\" or \"cubic-convolution\"";
            return Err(InputError::new_err(format!("interpolation is {all}, not {name:?}")));
        }
    })
}

/// How a label between voxels is chosen, by its name.
pub fn label_choice_of(name: &str) -> PyResult<LabelChoice> {
    match name {
        "nearest" => Ok(LabelChoice::Nearest),
        "most-weight" => Ok(LabelChoice::MostWeight),
        name => Err(InputError::new_err(format!("choice is \"most-weight\" or \"nearest\", not {name:?}"))),
    }
}

/// Maps by name.
type NamedImages = Vec<(&'static str, Image)>;

/// The determinant of the field's Jacobian.
#[pyfunction]
pub fn jacobian(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    field: &Bound<'_, Field>,
) -> PyResult<NamedImages> {
    measured(py, session, field, veloxel::pipelines::jacobian)
}

/// The strain tensor and the principal strains.
#[pyfunction]
pub fn strain(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    field: &Bound<'_, Field>,
) -> PyResult<NamedImages> {
    measured(py, session, field, veloxel::pipelines::strain)
}

fn measured(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    field: &Bound<'_, Field>,
    measure: impl FnOnce(&Flow, &veloxel::Session) -> veloxel::Result<DeformationResult> + Send,
) -> PyResult<NamedImages> {
    let flow = &field.get().flow;
    let result = session.get().lend(|library| run(py, library, None, |library| measure(flow, library)))?;
    Ok(result.maps.into_iter().map(|map| (map.name, Image::of(map.volume))).collect())
}
