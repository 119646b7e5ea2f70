//! A stream of frames that are tensors in the memory of a session's device, as a class.

use super::engine::Stream;
use crate::error::{InputError, InternalError, exception};
use crate::fields::flow::told;
use crate::session::Session;
use crate::tensors::{
    DeviceTensor, Inputs, Ran, Source, TensorGiven, copied_bytes, run_with_tensors, tensor_of,
};
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde_json::json;
use std::sync::{Mutex, MutexGuard, TryLockError};
use veloxel::Device;
use veloxel::pipelines::{ResidentEngine, ResidentStreamFrame};
use veloxel::unstable::motion::{ResidentFeatures, ResidentPhase};

/// Flow, disparity and features of a stream of frames of one size, in the memory of a device.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct ResidentStream {
    /// The engine; it is `None` once the stream has ended.
    engine: Mutex<Option<ResidentEngine>>,
    session: Py<Session>,
}

/// What was found for a frame, in the memory of a device.
#[pyclass(frozen, module = "veloxel._veloxel", get_all)]
pub struct ResidentStreamFound {
    /// The number of the frame, from 0 on.
    frame: u64,
    flow: Option<Py<DeviceTensor>>,
    flow_confidence: Option<Py<DeviceTensor>>,
    disparity: Option<Py<DeviceTensor>>,
    disparity_confidence: Option<Py<DeviceTensor>>,
    /// Energy, orientation and phase of each scale, finest first.
    features: Vec<(Py<DeviceTensor>, Py<DeviceTensor>, Py<DeviceTensor>)>,
    /// JSON.
    report: String,
    /// `(kind, message)` each.
    warnings: Py<PyList>,
}

#[pymethods]
impl ResidentStream {
    #[new]
    fn new(session: &Bound<'_, Session>, stream: Stream) -> PyResult<Self> {
        let request = stream.request()?;
        request.check().map_err(|error| exception(&error))?;
        let engine = ResidentEngine::new(request).map_err(|error| exception(&error))?;
        Ok(Self { engine: Mutex::new(Some(engine)), session: session.clone().unbind() })
    }

    /// Takes the next frame, and the right camera's with it.
    #[pyo3(signature = (left, right=None))]
    fn push(
        &self,
        py: Python<'_>,
        left: TensorGiven<'_>,
        right: Option<TensorGiven<'_>>,
    ) -> PyResult<Option<ResidentStreamFound>> {
        let take = |inputs: &mut Inputs| {
            let left = inputs.tensor(&left)?.1;
            Ok((left, right.map(|right| Ok::<_, PyErr>(inputs.tensor(&right)?.1)).transpose()?))
        };
        self.ask(py, take, |engine, (left, right), library| {
            let device = library.device()?;
            // SAFETY: the tensors are kept while this runs, and until the device has done all that it was asked for.
            let resident = |source: Source| unsafe { source.resident(device) };
            engine.push(resident(left)?, right.map(resident).transpose()?, library)
        })
    }

    /// The results of the next of the last frames.
    fn drain(&self, py: Python<'_>) -> PyResult<Option<ResidentStreamFound>> {
        self.ask(py, |_| Ok(()), |engine, (), library| engine.drain(library))
    }

    /// Ends the stream.
    fn finish(&self) -> PyResult<()> {
        let engine = self.held()?.take().ok_or_else(ended)?;
        engine.finish().map_err(|error| exception(&error))
    }

    /// Drops the stream.
    fn close(&self) -> PyResult<()> {
        self.held()?.take();
        Ok(())
    }
}

impl ResidentStream {
    fn held(&self) -> PyResult<MutexGuard<'_, Option<ResidentEngine>>> {
        match self.engine.try_lock() {
            Ok(held) => Ok(held),
            Err(TryLockError::WouldBlock) => {
                let text = "another thread waits for a frame of this stream: frames come one after the other";
                Err(InputError::new_err(text))
            }
            Err(TryLockError::Poisoned(_)) => {
                Err(InternalError::new_err("the stream panicked: please report it"))
            }
        }
    }

    /// Asks the engine for the results of a frame.
    fn ask<I: Send>(
        &self,
        py: Python<'_>,
        take: impl FnOnce(&mut Inputs) -> PyResult<I>,
        work: impl FnOnce(
            &mut ResidentEngine,
            I,
            &veloxel::Session,
        ) -> veloxel::Result<Option<ResidentStreamFrame>>
        + Send,
    ) -> PyResult<Option<ResidentStreamFound>> {
        let mut held = self.held()?;
        let engine = held.as_mut().ok_or_else(ended)?;
        let Ran { found, device, .. } =
            run_with_tensors(py, self.session.get(), None, take, |taken, library| {
                work(engine, taken, library)
            })?;
        found.map(|found| of_frame(py, &device, found)).transpose()
    }
}

fn ended() -> PyErr {
    InputError::new_err("the stream has ended")
}

fn of_frame(py: Python<'_>, device: &Device, found: ResidentStreamFrame) -> PyResult<ResidentStreamFound> {
    let ResidentStreamFrame { frame, fields, shares, warnings, traffic } = found;
    let ResidentPhase { grid, flow, flow_confidence, disparity_px, disparity_confidence, features } = fields;
    let image = |samples| tensor_of(py, device, samples, &grid);
    let field = |planar| {
        let voxels = crate::image::shape(&grid);
        let tensor = DeviceTensor::of(device, planar, &voxels, true);
        Py::new(py, tensor.map_err(|error| exception(&error))?)
    };
    let maps = |maps: ResidentFeatures| {
        let tensor = |samples| tensor_of(py, device, samples, &maps.grid);
        Ok((tensor(maps.energy)?, tensor(maps.orientation_rad)?, tensor(maps.phase_rad)?))
    };
    let report = json!({
        "flow_valid_share": shares.flow,
        "stereo_valid_share": shares.stereo,
        "features_valid_share": shares.features,
        "copied_bytes": copied_bytes(traffic),
    });
    Ok(ResidentStreamFound {
        frame,
        flow: flow.map(field).transpose()?,
        flow_confidence: flow_confidence.map(image).transpose()?,
        disparity: disparity_px.map(image).transpose()?,
        disparity_confidence: disparity_confidence.map(image).transpose()?,
        features: features.into_iter().map(maps).collect::<PyResult<_>>()?,
        report: report.to_string(),
        warnings: told(py, warnings.urgent())?.unbind(),
    })
}
