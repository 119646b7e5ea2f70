//! The flow of tensors in the memory of a session's device, which stays there.

use crate::error::exception;
use crate::fields::flow::{Begin, FlowFound, Found, Init, Options, Outside, told};
use crate::fields::maps::Transform;
use crate::fields::warp::interpolation_of;
use crate::image::shape;
use crate::session::Session;
use crate::tensors::{
    Beside, DeviceTensor, Inputs, Ran, Source, TensorGiven, copied_bytes, run_with_tensors, tensor_of,
};
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::json;
use veloxel::io::Strictness;
use veloxel::pipelines::{
    FinerImage, ResidentPair, ResidentRequest, ResidentWarpRequest, WarpNames, resident_pair,
    warp_resident_image,
};
use veloxel::unstable::gpu::Cpu;
use veloxel::unstable::motion::steps::maps::inverted;
use veloxel::unstable::motion::{OnDevice, ResidentFlow};
use veloxel::unstable::{ThreadPool, Threads};
use veloxel::{Control, DenseFlow, Device, Flow, Grid, Volume};

/// What was found for a pair, in the memory of a device.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct ResidentFound {
    #[pyo3(get)]
    field: Py<DeviceTensor>,
    #[pyo3(get)]
    confidence: Py<DeviceTensor>,
    /// The field back, of a method that finds both together.
    #[pyo3(get)]
    inverse: Option<Py<DeviceTensor>>,
    #[pyo3(get)]
    transform: Option<Py<Transform>>,
    /// JSON.
    #[pyo3(get)]
    report: String,
    #[pyo3(get)]
    warnings: Py<PyList>,
    grids: [Grid; 2],
    /// Whether the method finds both fields: what it did not bring onto the moving grid is made of the field on the host.
    finds_inverse: bool,
    account: veloxel::pipelines::Account,
    statistics: veloxel::FlowStatistics,
    map: Option<veloxel::LinearTransform>,
}

/// What is known of a pair beside its images, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct KnownBeside<'py> {
    mask: Option<Beside<'py>>,
    moving_mask: Option<Beside<'py>>,
    volume_mask: Option<Beside<'py>>,
    weight: Option<Beside<'py>>,
    init: Option<Init<'py>>,
}

/// The flow from the first tensor to the second, both on the session's device.
#[pyfunction]
pub fn resident_flow(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    images: [TensorGiven<'_>; 2],
    options: Options<'_>,
    known: KnownBeside<'_>,
) -> PyResult<ResidentFound> {
    let method = options.method()?;
    let KnownBeside { mask, moving_mask, volume_mask, weight, init } = known;
    let take = |inputs: &mut Inputs| {
        let [(grid, fixed), (_, moving)] = [inputs.tensor(&images[0])?, inputs.tensor(&images[1])?];
        let beside = [
            inputs.beside(mask, true)?,
            inputs.beside(moving_mask, true)?,
            inputs.beside(volume_mask, true)?,
            inputs.beside(weight, false)?,
        ];
        Ok((fixed, moving, beside, Begin::of(init.as_ref(), Some(&grid))?))
    };
    let Ran { found: (found, grids), device, .. } =
        run_with_tensors(py, session.get(), options.progress(), take, |taken, library| {
            let device = library.device()?;
            // SAFETY: the tensors are kept while this runs, and until the device has done all that it was asked for.
            let resident = |source: Source| unsafe { source.resident(device) };
            let beside = |source: Option<Source>| source.map(resident).transpose();
            let (fixed, moving, [mask, moving_mask, volume_mask, weight], begin) = taken;
            let (fixed, moving) = (resident(fixed)?, resident(moving)?);
            let grids = [fixed.grid.clone(), moving.grid.clone()];
            let request = ResidentRequest {
                mask: beside(mask)?,
                moving_mask: beside(moving_mask)?,
                volume_mask: beside(volume_mask)?,
                weight: beside(weight)?,
                start: begin.start(),
                ..ResidentRequest::new(fixed, moving, &method)
            };
            Ok((resident_pair(request, library)?, grids))
        })?;
    ResidentFound::of(py, &device, found, grids, method.draft.method().uses.finds_inverse)
}

impl ResidentFound {
    /// What was found on a device, which is done with it.
    pub fn of(
        py: Python<'_>,
        device: &Device,
        found: ResidentPair,
        grids: [Grid; 2],
        finds_inverse: bool,
    ) -> PyResult<Self> {
        let ResidentPair { found, transform, traffic, mut account } = found;
        let OnDevice { flow, confidence, inverse, mut statistics, .. } = found;
        account.warnings.extend(std::mem::take(&mut statistics.warnings));
        let report = json!({
            "veloxel_version": env!("CARGO_PKG_VERSION"),
            "device": account.device,
            "stages": account.stages.0,
            "parameters": account.parameters,
            "warnings": account.warnings,
            "statistics": statistics,
            "copied_bytes": copied_bytes(traffic),
        });
        let field = |flow: ResidentFlow| {
            let voxels = shape(&flow.grid);
            let planar = flow.into_planar_vox(device).map_err(|error| exception(&error))?;
            let tensor =
                DeviceTensor::of(device, planar, &voxels, true).map_err(|error| exception(&error))?;
            Py::new(py, tensor)
        };
        let confidence = tensor_of(py, device, confidence, &grids[0])?;
        let (own, inverse) = (field(flow)?, inverse.map(field).transpose()?);
        // The components of a field were brought together just now.
        py.detach(|| device.synchronise()).map_err(|error| exception(&error))?;
        Ok(Self {
            field: own,
            confidence,
            inverse,
            transform: transform.map(|map| Py::new(py, Transform { map })).transpose()?,
            report: report.to_string(),
            warnings: told(py, account.warnings.urgent())?.unbind(),
            grids,
            finds_inverse,
            account,
            statistics,
            map: transform,
        })
    }
}

#[pymethods]
impl ResidentFound {
    /// The method and the preset whose curve says what the confidence means.
    #[getter]
    fn errors(&self) -> Option<(&'static str, &'static str)> {
        self.account.errors.map(|errors| errors.source().into())
    }

    /// Spacing, origin and direction of the fixed image.
    #[getter]
    fn place(&self) -> crate::image::PlaceOut {
        crate::image::place(&self.grids[0])
    }

    /// An image as seen from the fixed one, a tensor on the same device; with warnings.
    fn warp(
        &self,
        py: Python<'_>,
        session: &Bound<'_, Session>,
        image: TensorGiven<'_>,
        interpolation: &str,
        smooth: bool,
        outside: Outside,
    ) -> PyResult<(Py<DeviceTensor>, Py<PyList>)> {
        let (interpolation, outside) = (interpolation_of(interpolation)?, outside.fill()?);
        let finer = if smooth { FinerImage::Smoothed } else { FinerImage::Sampled };
        let (field, grid) = (self.field.get(), &self.grids[0]);
        let take = |inputs: &mut Inputs| Ok(inputs.tensor(&image)?.1);
        let Ran { found, device, .. } = run_with_tensors(py, session.get(), None, take, |image, library| {
            let device = library.device()?;
            // SAFETY: the tensor is kept while this runs, and until the device has done all that it was asked for.
            let image = unsafe { image.resident(device) }?;
            let flow = &ResidentFlow { grid: grid.clone(), components_vox: field.components(device)? };
            let (strictness, names) = (Strictness::Lenient, WarpNames::default());
            let request =
                ResidentWarpRequest { flow, image, interpolation, finer, outside, strictness, names };
            warp_resident_image(request, library)
        })?;
        let warnings = told(py, found.account.warnings.urgent())?.unbind();
        Ok((tensor_of(py, &device, found.warped.samples, grid)?, warnings))
    }

    /// Everything in the memory of the host.
    fn host(&self, py: Python<'_>) -> PyResult<FlowFound> {
        let downloaded = |tensor: &Py<DeviceTensor>| {
            let tensor = tensor.get();
            py.detach(|| tensor.downloaded()).map_err(|error| exception(&error))
        };
        let flow = |tensor: &Py<DeviceTensor>, grid: &Grid| {
            Flow::from_planar_vox(grid.clone(), downloaded(tensor)?).map_err(|error| exception(&error))
        };
        let confidence = Volume::new(self.grids[0].clone(), downloaded(&self.confidence)?);
        let found = flow(&self.field, &self.grids[0])?;
        let inverse = match &self.inverse {
            Some(tensor) => Some(flow(tensor, &self.grids[1])?),
            None if self.finds_inverse => {
                let (cpu, control) = (Cpu::new(0).ok(), &Control::default());
                let threads = Threads::of(cpu.as_ref().map(|cpu| cpu as &dyn ThreadPool), control);
                let back = py.detach(|| inverted(&found, &self.grids[1], threads));
                Some(back.map_err(|stopped| exception(&veloxel::VeloxelError::from(stopped)))?.flow)
            }
            None => None,
        };
        let dense = DenseFlow {
            flow: found,
            confidence: confidence.map_err(|error| exception(&error))?,
            warped: None,
            jacobian: None,
            inverse,
            occlusion: None,
            linear_start: None,
            statistics: self.statistics.clone(),
        };
        let account = self.account.clone();
        FlowFound::of(py, Found { dense, warped: None, transform: self.map, fixed: None, account })
    }
}
