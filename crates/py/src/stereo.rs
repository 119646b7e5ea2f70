//! Disparity of a stereo pair, and features of an image.

use crate::fields::flow::told;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use crate::settings::Settings;
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::json;
use veloxel::pipelines::{DenseDraft, FeaturesRequest, StereoRequest};

/// Disparity, its confidence, the report as JSON, and warnings.
type StereoFound = (Image, Image, String, Py<PyList>);

/// The disparity of the left image: `x_right = x_left − d`.
#[pyfunction]
#[pyo3(signature = (session, left, right, settings, mask=None, progress=None))]
pub fn stereo(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    left: &Bound<'_, Image>,
    right: &Bound<'_, Image>,
    settings: Settings,
    mask: Option<&Bound<'_, Image>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<StereoFound> {
    let draft: DenseDraft = settings.draft()?;
    let [left, right] = [left, right].map(|image| image.get().volume.clone());
    let mask = mask.map(|mask| mask.get().mask());
    let result = session.get().lend(|library| {
        run(py, library, progress, |library| {
            let request = StereoRequest { mask: mask.as_ref(), ..StereoRequest::new(&left, &right, &draft) };
            veloxel::pipelines::stereo(&request, library)
        })
    })?;
    let (found, account) = (result.found, result.account);
    let report = json!({
        "device": account.device, "stages": account.stages.0, "parameters": account.parameters,
        "warnings": account.warnings, "statistics": found.report,
    });
    let warnings = told(py, account.warnings.urgent())?.unbind();
    Ok((Image::of(found.disparity_px), Image::of(found.confidence), report.to_string(), warnings))
}

/// Energy, orientation and phase of a scale.
type Maps = (Image, Image, Image);

/// Features of every scale, finest first, with warnings.
#[pyfunction]
#[pyo3(signature = (session, image, settings, progress=None))]
pub fn features(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    image: &Bound<'_, Image>,
    settings: Settings,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Vec<Maps>, Py<PyList>)> {
    let draft: DenseDraft = settings.draft()?;
    let image = image.get().volume.clone();
    let result = session.get().lend(|library| {
        run(py, library, progress, |library| {
            veloxel::pipelines::features(&FeaturesRequest::new(&image, &draft), library)
        })
    })?;
    let warnings = told(py, result.account.warnings.urgent())?.unbind();
    let maps = |maps: veloxel::FeatureMaps| {
        (Image::of(maps.energy), Image::of(maps.orientation_rad), Image::of(maps.phase_rad))
    };
    Ok((result.levels.into_iter().map(maps).collect(), warnings))
}
