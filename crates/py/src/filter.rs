//! Images smoothed, convolved, or given another number of voxels.

use crate::error::exception;
use crate::fields::flow::told;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use pyo3::prelude::*;
use pyo3::types::PyList;
use veloxel::pipelines::filter::{Filter, FilterRequest, FilterSettings};

/// The settings of all filters, as a dictionary; numbers for axes are in the order x, y, z.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Chosen {
    sigma: Option<Vec<f64>>,
    size: Option<Vec<usize>>,
    taps: Option<Vec<f64>>,
}

/// The filtered image with warnings.
#[pyfunction]
#[pyo3(signature = (session, image, name, settings, progress=None))]
pub fn filter(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    image: &Bound<'_, Image>,
    name: &str,
    settings: Chosen,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Image, Py<PyList>)> {
    let Chosen { sigma: sigma_vox, size, taps } = settings;
    let settings = FilterSettings { sigma_vox, size, taps };
    let filter = Filter::of(name, &settings).map_err(|error| exception(&error))?;
    let image = &image.get().volume;
    let result = session.get().lend(|library| {
        run(py, library, progress, |library| {
            let request = FilterRequest { image: image.into(), filter: &filter, name: "the image" };
            veloxel::pipelines::filter::filter(&request, library)
        })
    })?;
    let warnings = told(py, result.account.warnings.urgent())?.unbind();
    Ok((Image::of(result.image), warnings))
}
