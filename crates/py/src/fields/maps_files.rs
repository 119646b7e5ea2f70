//! Fields of files, composed and inverted; they need not fit into memory.

use crate::fields::flow::told;
use crate::running::run;
use crate::session::Session;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use veloxel::Warnings;
use veloxel::io::ReadOptions;
use veloxel::jobs::MapsJob;

/// The files of maps, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct MapsFiles {
    maps: Vec<PathBuf>,
    grid: Option<PathBuf>,
    out: PathBuf,
}

impl MapsFiles {
    fn done(
        self,
        py: Python<'_>,
        session: &Bound<'_, Session>,
        work: fn(&MapsJob, &veloxel::Session) -> veloxel::Result<Warnings>,
    ) -> PyResult<Py<PyList>> {
        let Self { maps, grid, out: output } = self;
        let job = MapsJob { maps, grid, output, reading: ReadOptions::default() };
        let warnings = session.get().lend(|library| run(py, library, None, |library| work(&job, library)))?;
        // What is unknown has no other place to be told in: a field has no report.
        Ok(told(py, warnings.iter())?.unbind())
    }
}

/// Writes several maps as one, the first one first; gives warnings.
#[pyfunction]
pub fn compose_files(py: Python<'_>, session: &Bound<'_, Session>, files: MapsFiles) -> PyResult<Py<PyList>> {
    files.done(py, session, veloxel::jobs::compose)
}

/// Writes the way back of a map; gives warnings.
#[pyfunction]
pub fn invert_files(py: Python<'_>, session: &Bound<'_, Session>, files: MapsFiles) -> PyResult<Py<PyList>> {
    files.done(py, session, veloxel::jobs::invert)
}
