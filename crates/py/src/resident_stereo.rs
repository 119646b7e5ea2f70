//! Disparity of a stereo pair, and features of an image, of tensors in the memory of a session's device, which stay there.

use crate::error::exception;
use crate::fields::flow::told;
use crate::image::{PlaceOut, place};
use crate::session::Session;
use crate::settings::Settings;
use crate::stereo::StereoFound;
use crate::tensors::{DeviceTensor, Inputs, Ran, TensorGiven, copied_bytes, run_with_tensors, tensor_of};
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::json;
use veloxel::pipelines::{DenseDraft, ResidentDisparity, ResidentStereoRequest};
use veloxel::unstable::motion::{LengthErrors, ResidentFeatures};
use veloxel::{Grid, Volume};

/// What was found of a stereo pair, in the memory of a device.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct ResidentStereo {
    #[pyo3(get)]
    disparity: Py<DeviceTensor>,
    #[pyo3(get)]
    confidence: Py<DeviceTensor>,
    /// JSON.
    #[pyo3(get)]
    report: String,
    #[pyo3(get)]
    warnings: Py<PyList>,
    /// Copies of the pictures, for who wants everything on the host.
    views: [Py<DeviceTensor>; 2],
    grid: Grid,
    errors: LengthErrors,
}

/// The disparity of the left tensor, both on the session's device: `x_right = x_left − d`.
#[pyfunction]
#[pyo3(signature = (session, views, settings, progress=None))]
pub fn resident_stereo(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    views: [TensorGiven<'_>; 2],
    settings: Settings,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<ResidentStereo> {
    let draft: DenseDraft = settings.draft()?;
    let take = |inputs: &mut Inputs| Ok([inputs.tensor(&views[0])?.1, inputs.tensor(&views[1])?.1]);
    let Ran { found, device, .. } = run_with_tensors(py, session.get(), progress, take, |views, library| {
        let device = library.device()?;
        let [left, right] = views;
        // SAFETY: the tensors are kept while this runs, and until the device has done all that it was asked for.
        let (left, right) = unsafe { (left.resident(device)?, right.resident(device)?) };
        let request = ResidentStereoRequest { left, right, method: &draft };
        veloxel::pipelines::resident_stereo(request, library)
    })?;
    let ResidentDisparity {
        disparity_px,
        confidence,
        views: [left, right],
        report,
        errors,
        traffic,
        account,
    } = found;
    let grid = left.grid;
    let report = json!({
        "device": account.device, "stages": account.stages.0, "parameters": account.parameters,
        "warnings": account.warnings, "statistics": report, "cameras": null,
        "copied_bytes": copied_bytes(traffic),
    });
    let tensor = |samples| tensor_of(py, &device, samples, &grid);
    Ok(ResidentStereo {
        disparity: tensor(disparity_px)?,
        confidence: tensor(confidence)?,
        report: report.to_string(),
        warnings: told(py, account.warnings.urgent())?.unbind(),
        views: [tensor(left.samples)?, tensor(right.samples)?],
        grid,
        errors,
    })
}

#[pymethods]
impl ResidentStereo {
    /// Spacing, origin and direction of the left picture.
    #[getter]
    fn place(&self) -> PlaceOut {
        place(&self.grid)
    }

    /// Everything in the memory of the host, with the expected errors.
    fn host(&self, py: Python<'_>) -> PyResult<StereoFound> {
        let downloaded = |tensor: &Py<DeviceTensor>| {
            let tensor = tensor.get();
            let samples = py.detach(|| tensor.downloaded()).map_err(|error| exception(&error))?;
            Volume::new(self.grid.clone(), samples).map_err(|error| exception(&error))
        };
        let (disparity_px, confidence) = (downloaded(&self.disparity)?, downloaded(&self.confidence)?);
        let expected_px = self.errors.of_each_px(&disparity_px, &confidence);
        let [left, right] = &self.views;
        let views = [downloaded(left)?, downloaded(right)?];
        let warnings = PyList::empty(py).unbind();
        StereoFound::of_maps(
            py,
            [disparity_px, confidence, expected_px],
            views,
            self.report.clone(),
            warnings,
        )
    }
}

/// Energy, orientation and phase of a scale.
type Maps = (Py<DeviceTensor>, Py<DeviceTensor>, Py<DeviceTensor>);

/// Features of every scale of a tensor on the session's device, finest first, with warnings.
#[pyfunction]
#[pyo3(signature = (session, image, settings, progress=None))]
pub fn resident_features(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    image: TensorGiven<'_>,
    settings: Settings,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Vec<Maps>, Py<PyList>)> {
    let draft: DenseDraft = settings.draft()?;
    let take = |inputs: &mut Inputs| Ok(inputs.tensor(&image)?.1);
    let Ran { found, device, .. } = run_with_tensors(py, session.get(), progress, take, |image, library| {
        // SAFETY: the tensor is kept while this runs, and until the device has done all that it was asked for.
        let image = unsafe { image.resident(library.device()?) }?;
        veloxel::pipelines::resident_features(image, &draft, library)
    })?;
    let warnings = told(py, found.account.warnings.urgent())?.unbind();
    let maps = |maps: ResidentFeatures| {
        let tensor = |samples| tensor_of(py, &device, samples, &maps.grid);
        Ok((tensor(maps.energy)?, tensor(maps.orientation_rad)?, tensor(maps.phase_rad)?))
    };
    Ok((found.levels.into_iter().map(maps).collect::<PyResult<_>>()?, warnings))
}
