//! Fields from files, applied to images and labels of files, which need not fit into memory.

use crate::fields::flow::{Outside, told};
use crate::fields::warp::{interpolation_of, label_choice_of};
use crate::running::run;
use crate::session::Session;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use veloxel::Warnings;
use veloxel::io::ReadOptions;
use veloxel::jobs::{WarpJob, WarpSampling};
use veloxel::pipelines::FinerImage;

/// The files of a warp, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct WarpFiles {
    field: PathBuf,
    input: PathBuf,
    out: PathBuf,
}

impl WarpFiles {
    fn job(self) -> WarpJob {
        let Self { field: flow, input, out: output } = self;
        WarpJob { flow, input, output, reading: ReadOptions::default() }
    }
}

/// Writes an image as a field moves it; gives warnings.
#[pyfunction]
pub fn warp_image_files(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    files: WarpFiles,
    interpolation: &str,
    smooth: bool,
    outside: Outside,
) -> PyResult<Py<PyList>> {
    let finer = if smooth { FinerImage::Smoothed } else { FinerImage::Sampled };
    let sampling =
        WarpSampling { interpolation: interpolation_of(interpolation)?, finer, outside: outside.fill()? };
    let job = files.job();
    done(py, session, |library| veloxel::jobs::warp_image(&job, sampling, library))
}

/// Writes labels as a field moves them; gives warnings.
#[pyfunction]
pub fn warp_labels_files(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    files: WarpFiles,
    choice: &str,
) -> PyResult<Py<PyList>> {
    let (choice, job) = (label_choice_of(choice)?, files.job());
    done(py, session, |library| veloxel::jobs::warp_labels(&job, choice, library))
}

fn done(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    work: impl FnOnce(&veloxel::Session) -> veloxel::Result<Warnings> + Send,
) -> PyResult<Py<PyList>> {
    let warnings = session.get().lend(|library| run(py, library, None, work))?;
    Ok(told(py, warnings.urgent())?.unbind())
}
