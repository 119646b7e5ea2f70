//! The flow of tensors in the memory of a session's device, which stays there.

use crate::error::exception;
use crate::fields::flow::{Begin, FlowFound, Found, Init, Options, told};
use crate::fields::maps::Transform;
use crate::image::{Image, shape};
use crate::running::run;
use crate::session::Session;
use crate::tensors::{DeviceTensor, Samples, Taken, TensorGiven, place_of};
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::json;
use veloxel::pipelines::{ResidentImage, ResidentPair, ResidentRequest, resident_pair};
use veloxel::unstable::gpu::{Cpu, PointerPlace};
use veloxel::unstable::motion::steps::maps::inverted;
use veloxel::unstable::motion::{OnDevice, ResidentFlow};
use veloxel::unstable::{ThreadPool, Threads};
use veloxel::{Control, DenseFlow, Device, Flow, Grid, Mask, Volume};

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

/// A mask or weights: a tensor on the device, or an image in memory, which is sent there.
#[derive(FromPyObject)]
pub enum Beside<'py> {
    Tensor(TensorGiven<'py>),
    Image(Bound<'py, Image>),
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

/// Samples that a run brings into memory of its own on the device.
enum Source {
    Device(Samples),
    Host(Volume<f32>),
}

impl Source {
    /// # Safety
    /// Tensors live until the device is done with what was copied of them.
    unsafe fn resident(self, device: &Device) -> veloxel::Result<ResidentImage> {
        match self {
            // SAFETY: forwarded.
            Self::Device(samples) => unsafe { samples.copied(device) },
            Self::Host(volume) => {
                let samples = device.upload_copy(volume.data())?;
                Ok(ResidentImage { grid: volume.grid().clone(), samples })
            }
        }
    }
}

/// Takes tensors, and keeps them.
struct Inputs {
    place: PointerPlace,
    kept: Vec<Taken>,
}

impl Inputs {
    fn tensor(&mut self, given: &TensorGiven<'_>) -> PyResult<Source> {
        let taken = Taken::of(given, self.place)?;
        let samples = taken.samples();
        self.kept.push(taken);
        Ok(Source::Device(samples))
    }

    /// What lies beside the images; masks are 1 and 0.
    fn beside(&mut self, given: Option<Beside<'_>>, is_mask: bool) -> PyResult<Option<Source>> {
        let of_mask = |mask: Mask| mask.map(|inside| f32::from(u8::from(*inside)));
        Ok(match given {
            None => None,
            Some(Beside::Tensor(tensor)) => Some(self.tensor(&tensor)?),
            Some(Beside::Image(image)) if is_mask => Some(Source::Host(of_mask(image.get().mask()))),
            Some(Beside::Image(image)) => Some(Source::Host(image.get().volume.clone())),
        })
    }
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
    session.get().lend(|library| {
        let device = library.device().map_err(|error| exception(&error))?.clone();
        let mut inputs = Inputs { place: place_of(&device)?, kept: Vec::new() };
        let [fixed, moving] = [inputs.tensor(&images[0])?, inputs.tensor(&images[1])?];
        let grids = [0, 1].map(|nth| inputs.kept[nth].grid().clone());
        let [mask, moving_mask, volume_mask, weight] = [
            inputs.beside(mask, true)?,
            inputs.beside(moving_mask, true)?,
            inputs.beside(volume_mask, true)?,
            inputs.beside(weight, false)?,
        ];
        let begin = Begin::of(init.as_ref(), Some(&grids[0]))?;
        let found = run(py, library, options.progress(), |library| {
            let device = library.device()?;
            // SAFETY: `inputs` keeps the tensors until the device has done all that it was asked for.
            let resident = |source: Source| unsafe { source.resident(device) };
            let beside = |source: Option<Source>| source.map(resident).transpose();
            let request = ResidentRequest {
                mask: beside(mask)?,
                moving_mask: beside(moving_mask)?,
                volume_mask: beside(volume_mask)?,
                weight: beside(weight)?,
                start: begin.start(),
                ..ResidentRequest::new(resident(fixed)?, resident(moving)?, &method)
            };
            resident_pair(request, library)
        });
        // Copies of a run that was stopped may still be under way.
        let is_done = py.detach(|| device.synchronise());
        drop(inputs);
        let found = found?;
        is_done.map_err(|error| exception(&error))?;
        let finds_inverse = method.draft.method().uses.finds_inverse;
        Ok(ResidentFound { finds_inverse, ..ResidentFound::of(py, &device, found, grids)? })
    })
}

impl ResidentFound {
    fn of(py: Python<'_>, device: &Device, found: ResidentPair, grids: [Grid; 2]) -> PyResult<Self> {
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
            "copied_bytes": { "to_device": traffic.to_device_bytes, "to_host": traffic.to_host_bytes },
        });
        let field = |flow: ResidentFlow| {
            let voxels = shape(&flow.grid);
            let planar = flow.into_planar_vox(device).map_err(|error| exception(&error))?;
            let tensor =
                DeviceTensor::of(device, planar, &voxels, true).map_err(|error| exception(&error))?;
            Py::new(py, tensor)
        };
        let certain = DeviceTensor::of(device, confidence, &shape(&grids[0]), false);
        let (own, inverse) = (field(flow)?, inverse.map(field).transpose()?);
        // Whoever reads them on a stream of its own finds them complete.
        py.detach(|| device.synchronise()).map_err(|error| exception(&error))?;
        Ok(Self {
            field: own,
            confidence: Py::new(py, certain.map_err(|error| exception(&error))?)?,
            inverse,
            transform: transform.map(|map| Py::new(py, Transform { map })).transpose()?,
            report: report.to_string(),
            warnings: told(py, account.warnings.urgent())?.unbind(),
            grids,
            finds_inverse: false,
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
