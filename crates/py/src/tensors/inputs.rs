//! Tensors of a call on their way into a pipeline, and the one way in which pipelines run with them.

use super::given::DeviceTensor;
use super::taken::{Samples, Taken, TensorGiven, place_of};
use crate::error::exception;
use crate::image::{Image, shape};
use crate::running::run;
use crate::session::Session;
use pyo3::prelude::*;
use serde_json::{Value, json};
use veloxel::pipelines::ResidentImage;
use veloxel::unstable::gpu::{Buffer, PointerPlace, Traffic};
use veloxel::{Device, Grid, Mask, Session as Library, Volume};

/// A mask or weights: a tensor on the device, or an image in memory, which is sent there.
#[derive(FromPyObject)]
pub enum Beside<'py> {
    Tensor(TensorGiven<'py>),
    Image(Bound<'py, Image>),
}

/// Samples that a run brings into memory of its own on the device.
pub enum Source {
    Device(Samples),
    Host(Volume<f32>),
}

impl Source {
    /// # Safety
    /// Tensors live until the device is done with what was copied of them: in the work of [`run_with_tensors`] they do.
    pub unsafe fn resident(self, device: &Device) -> veloxel::Result<ResidentImage> {
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
pub struct Inputs {
    place: PointerPlace,
    kept: Vec<Taken>,
}

impl Inputs {
    /// Takes tensors that lie on a device.
    ///
    /// # Errors
    /// As [`place_of`].
    pub fn on(device: &Device) -> PyResult<Self> {
        Ok(Self { place: place_of(device)?, kept: Vec::new() })
    }

    /// Takes a tensor: where it lies in space, and its samples.
    pub fn tensor(&mut self, given: &TensorGiven<'_>) -> PyResult<(Grid, Source)> {
        let samples = self.samples(given)?;
        Ok((samples.grid().clone(), Source::Device(samples)))
    }

    /// Takes a tensor that is copied later, perhaps several times.
    pub fn samples(&mut self, given: &TensorGiven<'_>) -> PyResult<Samples> {
        let taken = Taken::of(given, self.place)?;
        let samples = taken.samples();
        self.kept.push(taken);
        Ok(samples)
    }

    /// What lies beside the images; masks are 1 and 0.
    pub fn beside(&mut self, given: Option<Beside<'_>>, is_mask: bool) -> PyResult<Option<Source>> {
        let of_mask = |mask: Mask| mask.map(|inside| f32::from(u8::from(*inside)));
        Ok(match given {
            None => None,
            Some(Beside::Tensor(tensor)) => Some(self.tensor(&tensor)?.1),
            Some(Beside::Image(image)) if is_mask => Some(Source::Host(of_mask(image.get().mask()))),
            Some(Beside::Image(image)) => Some(Source::Host(image.get().volume.clone())),
        })
    }

    /// The tensors themselves, for who needs them longer than one run.
    pub fn into_kept(self) -> Vec<Taken> {
        self.kept
    }
}

/// Runs a pipeline with tensors on the session's device: takes them, lets the pipeline work beside the interpreter, and gives them back
/// once the device is done with everything that it was asked for, however the run ended. What was found is complete then, also for
/// readers on streams of their own.
///
/// Gives what `work` gives, the device, and the inputs where `keep` asks for them.
pub fn run_with_tensors<I: Send, R: Send>(
    py: Python<'_>,
    session: &Session,
    progress: Option<&Bound<'_, PyAny>>,
    take: impl FnOnce(&mut Inputs) -> PyResult<I>,
    work: impl FnOnce(I, &Library) -> veloxel::Result<R> + Send,
) -> PyResult<Ran<R>> {
    session.lend(|library| {
        let device = library.device().map_err(|error| exception(&error))?.clone();
        let mut inputs = Inputs::on(&device)?;
        let taken = take(&mut inputs)?;
        let found = run(py, library, progress, |library| work(taken, library));
        // Copies of a run that was stopped may still be under way.
        let is_done = py.detach(|| device.synchronise());
        let found = found?;
        is_done.map_err(|error| exception(&error))?;
        Ok(Ran { found, device, inputs })
    })
}

/// What came of [`run_with_tensors`].
pub struct Ran<R> {
    pub found: R,
    pub device: Device,
    pub inputs: Inputs,
}

/// Samples on a grid as a tensor for other libraries: the work of the device must be done.
pub fn tensor_of(
    py: Python<'_>,
    device: &Device,
    samples: Buffer,
    grid: &Grid,
) -> PyResult<Py<DeviceTensor>> {
    let tensor = DeviceTensor::of(device, samples, &shape(grid), false);
    Py::new(py, tensor.map_err(|error| exception(&error))?)
}

/// How many bytes went over the bus, as reports say it.
pub fn copied_bytes(traffic: Traffic) -> Value {
    json!({ "to_device": traffic.to_device_bytes, "to_host": traffic.to_host_bytes })
}
