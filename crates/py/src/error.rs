//! The library's errors as exceptions: one class for each [`ErrorKind`], with the library's sentence, and the argument that would
//! mend it.

use pyo3::create_exception;
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyMemoryError, PyNotImplementedError, PyOSError,
    PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use std::io;
use veloxel::{Diagnosis, ErrorKind, Hint, Warning};

create_exception!(
    veloxel,
    InputError,
    PyValueError,
    "Images, meshes or tables that cannot be used, alone or together."
);
create_exception!(
    veloxel,
    ParameterError,
    PyValueError,
    "A parameter out of its range, or one that the method does not use."
);
create_exception!(
    veloxel,
    OutOfMemoryError,
    PyMemoryError,
    "Too little memory, or a budget of memory that is too small."
);
create_exception!(veloxel, DeviceError, PyRuntimeError, "A device that is not there, or that failed.");
create_exception!(
    veloxel,
    UnsupportedError,
    PyNotImplementedError,
    "Something that this build or this format cannot do."
);
create_exception!(veloxel, FileError, PyOSError, "A file could not be read or written.");
create_exception!(veloxel, InternalError, PyRuntimeError, "A broken promise of Veloxel: worth a bug report.");

/// Makes the class of files that are not there: a [`FileError`] that is a `FileNotFoundError` of Python's as well.
fn file_missing_error(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let about = PyDict::new(py);
    about.set_item("__module__", "veloxel")?;
    about.set_item("__doc__", "A file that is not there.")?;
    let bases = (py.get_type::<FileError>(), py.get_type::<PyFileNotFoundError>());
    py.get_type::<PyType>().call1(("FileMissingError", bases, about))
}

/// The exception for an error of files.
fn of_files(text: String, error: &(dyn std::error::Error + 'static)) -> PyErr {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    let is_missing = causes
        .find_map(|cause| cause.downcast_ref::<io::Error>())
        .is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound);
    if !is_missing {
        return FileError::new_err(text);
    }
    Python::attach(|py| {
        let class = py.import("veloxel._veloxel").and_then(|module| module.getattr("FileMissingError"));
        match class.map(|class| class.cast_into::<PyType>()) {
            Ok(Ok(class)) => PyErr::from_type(class, text),
            _ => FileError::new_err(text),
        }
    })
}

/// Names the classes in the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("ParameterError", py.get_type::<ParameterError>())?;
    module.add("OutOfMemoryError", py.get_type::<OutOfMemoryError>())?;
    module.add("DeviceError", py.get_type::<DeviceError>())?;
    module.add("UnsupportedError", py.get_type::<UnsupportedError>())?;
    module.add("FileError", py.get_type::<FileError>())?;
    module.add("FileMissingError", file_missing_error(py)?)?;
    module.add("InternalError", py.get_type::<InternalError>())
}

/// The exception for an error of the library. `kind` and `hint` are its attributes: words, and the argument that would mend it.
pub fn exception<E: Diagnosis + std::error::Error + 'static>(error: &E) -> PyErr {
    let hint = error.hint().map(argument).filter(|hint| !hint.is_empty());
    let text = match hint {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    };
    let (made, kind) = match error.kind() {
        ErrorKind::Parameter => (ParameterError::new_err(text), "parameter"),
        ErrorKind::Memory => (OutOfMemoryError::new_err(text), "memory"),
        ErrorKind::Device => (DeviceError::new_err(text), "device"),
        ErrorKind::Unsupported => (UnsupportedError::new_err(text), "unsupported"),
        ErrorKind::Stopped => (PyKeyboardInterrupt::new_err(text), "stopped"),
        ErrorKind::Io => (of_files(text, error), "io"),
        ErrorKind::Internal => (InternalError::new_err(text), "internal"),
        _ => (InputError::new_err(text), "input"),
    };
    Python::attach(|py| {
        let value = made.value(py);
        // An exception without attributes still says what is wrong.
        let _ = value.setattr("kind", kind);
        let _ = value.setattr("hint", hint);
    });
    made
}

/// A warning as `(kind, message)`.
pub fn warning<'py>(py: Python<'py>, warning: &Warning) -> PyResult<Bound<'py, PyTuple>> {
    let kind = serde_json::to_value(warning.kind).ok();
    let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or("note").to_owned();
    let message = match warning.hint.map(argument) {
        Some(hint) if !hint.is_empty() => format!("{} ({hint})", warning.message),
        _ => warning.message.clone(),
    };
    (kind, message).into_pyobject(py)
}

/// How an input or an option is spelt in Python.
fn argument(hint: Hint) -> &'static str {
    match hint {
        Hint::Mask => "mask=",
        Hint::Start => {
            "init=\"centre-of-mass\", \"affine\" or None; `veloxel.info(path)` shows where an image lies"
        }
        Hint::LinearStart => "init=\"rigid\", \"similarity\", \"affine\", \"centre-of-mass\" or a transform",
        Hint::Matches => "init=\"matches\"",
        Hint::MaxMemory => "Session(max_memory=…)",
        Hint::Sequence => "veloxel.sequence",
        Hint::Device => {
            "device=\"cpu\" is always there, device=\"auto\" takes the fastest that is; veloxel.devices() lists all"
        }
        Hint::Method => "method=",
        Hint::Preset => "preset=",
        Hint::Parameters => "veloxel.parameters(METHOD) lists all",
        Hint::Weight => "weight=",
        Hint::VolumeMask => "volume_mask=",
        Hint::Reference => "reference=",
        Hint::Outside => "outside=",
        Hint::Precision => "precision=",
        Hint::ShortestPaths => "algorithm=",
        Hint::Refinement => "refine=",
        Hint::Directions => "inverse_consistency=",
        Hint::Series => "series=",
        Hint::Orientation => "veloxel.read(path, orient=True)",
        _ => "",
    }
}
