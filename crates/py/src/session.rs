//! A device that is opened once, as a class.

use crate::error::{DeviceError, exception};
use crate::tensors;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use veloxel::{DeviceOptions, Session as Library};

/// A device, its threads, its memory and its compiled kernels.
///
/// One run at a time takes the session itself; runs of other threads take sessions beside it, on the same device.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct Session {
    /// The library's session; none once this one is closed.
    library: Mutex<Option<Arc<Library>>>,
    busy: Mutex<()>,
    /// The threads of a session are those of the process that opened it: a child has none of them.
    process: u32,
}

#[pymethods]
impl Session {
    /// Opens a device: `auto`, `cpu`, or the name of another one; `threads` of the processor, 0: all; memory in bytes that a run may
    /// take.
    #[new]
    #[pyo3(signature = (device=None, threads=0, max_memory=None))]
    fn new(
        py: Python<'_>,
        device: Option<String>,
        threads: usize,
        max_memory: Option<u64>,
    ) -> PyResult<Self> {
        let options = DeviceOptions { name: device, threads };
        let opened = py.detach(|| Library::open(&options)).map_err(|error| exception(&error))?;
        let library = Mutex::new(Some(Arc::new(opened.with_max_memory(max_memory))));
        Ok(Self { library, busy: Mutex::new(()), process: std::process::id() })
    }

    /// What the device is, and why it was chosen: `(name, reason)`.
    fn device(&self) -> PyResult<(String, String)> {
        let library = self.library()?;
        let report = library.device_report().map_err(|error| exception(&error))?;
        Ok((report.name.clone(), report.chosen_because.clone()))
    }

    /// How many bytes were copied between the host and the device since it was opened: to the device, and to the host.
    fn copied_bytes(&self) -> PyResult<(u64, u64)> {
        let library = self.library()?;
        let traffic = library.device().map_err(|error| exception(&error))?.traffic();
        Ok((traffic.to_device_bytes, traffic.to_host_bytes))
    }

    /// Where tensors of other libraries lie that the session takes: the kind and the number of a device, as DLPack has them, and the
    /// stream that they are to be complete on; none on a processor.
    fn tensor_place(&self) -> PyResult<(i32, i32, Option<u64>)> {
        let library = self.library()?;
        let place = tensors::place_of(library.device().map_err(|error| exception(&error))?)?;
        Ok(tensors::words_of(place))
    }

    /// Gives device memory and opened methods back; what is under way ends first, and later calls are refused.
    fn close(&self, py: Python<'_>) {
        py.detach(|| {
            let _under_way = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
            drop(self.library.lock().unwrap_or_else(PoisonError::into_inner).take());
        });
    }
}

impl Session {
    /// The library's session.
    ///
    /// # Errors
    /// [`DeviceError`] for a session of another process, or one that is closed.
    pub fn library(&self) -> PyResult<Arc<Library>> {
        if self.process != std::process::id() {
            let text =
                "the session belongs to the process that opened it: open another one in this one (session=)";
            return Err(DeviceError::new_err(text));
        }
        let library = self.library.lock().unwrap_or_else(PoisonError::into_inner);
        library
            .clone()
            .ok_or_else(|| DeviceError::new_err("the session is closed: open another one (session=)"))
    }

    /// Lends the session to a run: itself if no other run has it, else another one on the same device.
    pub fn lend<R>(&self, run: impl FnOnce(&Library) -> PyResult<R>) -> PyResult<R> {
        let library = self.library()?;
        match self.busy.try_lock() {
            Ok(_own) => run(&library),
            Err(TryLockError::Poisoned(own)) => {
                let _own = own.into_inner();
                run(&library)
            }
            Err(TryLockError::WouldBlock) => run(&library.beside().map_err(|error| exception(&error))?),
        }
    }
}
