//! Fields and labels of files, measured against truths; they need not fit into memory.

use crate::error::InputError;
use crate::fields::flow::told;
use crate::running::run;
use crate::session::Session;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use veloxel::Warnings;
use veloxel::jobs::{ClaimFiles, EvaluateJob, MaskFile};

/// A result and the truth.
struct Files<'a, 'py> {
    session: &'a Bound<'py, Session>,
    job: EvaluateJob,
}

impl Files<'_, '_> {
    /// Measures by a job; its report as JSON, with warnings.
    fn measure<R: Send>(
        self,
        measure: impl Fn(&EvaluateJob, &mut Warnings, &veloxel::Session) -> veloxel::Result<R> + Sync + Send,
        json: fn(&R) -> serde_json::Result<String>,
    ) -> PyResult<(String, Py<PyList>)> {
        let Self { session, job } = self;
        let py = session.py();
        let mut warnings = Warnings::new();
        let found = session
            .get()
            .lend(|library| run(py, library, None, |library| measure(&job, &mut warnings, library)))?;
        Ok((json(&found).unwrap_or_default(), told(py, warnings.urgent())?.unbind()))
    }
}

/// Measures a field of a file against the truth of another one, where a mask is if there is one; as JSON, with warnings.
#[pyfunction]
pub fn evaluate_flow_files(
    session: &Bound<'_, Session>,
    result: PathBuf,
    truth: PathBuf,
    mask: Option<&str>,
) -> PyResult<(String, Py<PyList>)> {
    let mask = mask.map(MaskFile::parse).transpose().map_err(InputError::new_err)?;
    Files { session, job: EvaluateJob { result, truth, mask, ..EvaluateJob::default() } }.measure(
        |job, warnings, library| veloxel::jobs::evaluate_flow(job, &ClaimFiles::default(), warnings, library),
        serde_json::to_string,
    )
}

/// Measures labels of a file against the truth of another one, where a mask is if there is one; as JSON, with warnings.
#[pyfunction]
pub fn evaluate_label_files(
    session: &Bound<'_, Session>,
    result: PathBuf,
    truth: PathBuf,
    mask: Option<&str>,
) -> PyResult<(String, Py<PyList>)> {
    let mask = mask.map(MaskFile::parse).transpose().map_err(InputError::new_err)?;
    Files { session, job: EvaluateJob { result, truth, mask, ..EvaluateJob::default() } }
        .measure(veloxel::jobs::evaluate_labels, serde_json::to_string)
}
