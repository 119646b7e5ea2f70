//! The flow of two files into a file, which need not fit into memory.

use crate::error::ParameterError;
use crate::fields::flow::{MODES, Options, told};
use crate::running::run;
use crate::session::Session;
use crate::settings::chosen;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use veloxel::io::{FrameSelection, is_named_transform};
use veloxel::jobs::{FlowJob, FlowOutputs, FlowRun, OutsideFill, SequenceJob, StartFrom};
use veloxel::report::to_json;

/// The files of a flow, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct FlowFiles {
    fixed: PathBuf,
    moving: PathBuf,
    out: PathBuf,
    confidence: Option<PathBuf>,
    /// A word, or the file of a transform or a field.
    init: Option<PathBuf>,
}

impl FlowFiles {
    fn job(self, options: &Options<'_>) -> PyResult<FlowJob> {
        let Self { fixed, moving, out, confidence, init } = self;
        let outputs = FlowOutputs { flow: out, confidence, ..FlowOutputs::default() };
        let (inputs, start) = (vec![fixed, moving], init.map_or(StartFrom::None, start));
        Ok(FlowJob { inputs, start, truth: None, options: options.of_files()?, outputs })
    }
}

/// The tiles of a flow that is found in parts, one by one.
#[pyclass(frozen, module = "veloxel._veloxel")]
pub struct FlowTiles(veloxel::jobs::FlowTiles);

#[pymethods]
impl FlowTiles {
    #[new]
    fn new(files: FlowFiles, options: Options<'_>) -> PyResult<Self> {
        Ok(Self(veloxel::jobs::FlowTiles::of(files.job(&options)?)))
    }

    /// Finds what all tiles begin from; how many tiles there are, or 0 where the run fits into memory.
    fn begin(&self, py: Python<'_>, session: &Bound<'_, Session>) -> PyResult<usize> {
        session.get().lend(|library| run(py, library, None, |library| self.0.begin(library)))
    }

    /// Refuses outputs at addresses that cannot be written there.
    fn check_addresses(&self, py: Python<'_>, session: &Bound<'_, Session>) -> PyResult<()> {
        session.get().lend(|library| run(py, library, None, |library| self.0.check_addresses(library)))
    }

    /// Estimates a tile, unless it is kept already.
    fn estimate(&self, py: Python<'_>, session: &Bound<'_, Session>, nth: usize) -> PyResult<()> {
        session.get().lend(|library| run(py, library, None, |library| self.0.estimate(nth, library)))
    }

    /// Puts the field together; gives the report as JSON, and warnings.
    fn finish(&self, py: Python<'_>, session: &Bound<'_, Session>) -> PyResult<(String, Py<PyList>)> {
        run_job(py, session, None, |library| self.0.finish(library))
    }
}

/// Writes the flow of two files; gives the report as JSON, and warnings.
#[pyfunction]
pub fn flow_files(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    files: FlowFiles,
    options: Options<'_>,
) -> PyResult<(String, Py<PyList>)> {
    let job = files.job(&options)?;
    run_job(py, session, options.progress(), |library| veloxel::jobs::flow(&job, library))
}

/// The files of a sequence, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SequenceFiles {
    inputs: Vec<PathBuf>,
    out: PathBuf,
    mode: String,
    reference: Option<usize>,
    field_format: Option<String>,
    confidence: Option<PathBuf>,
}

impl SequenceFiles {
    fn job(self, options: &Options<'_>) -> PyResult<SequenceJob> {
        let Self { inputs, out, mode, reference, field_format, confidence } = self;
        let wrong = |text: String| ParameterError::new_err(format!("field_format: {text}"));
        Ok(SequenceJob {
            inputs,
            frames: FrameSelection::default(),
            mode: chosen("mode", &mode, MODES)?,
            reference,
            truth: None,
            options: options.of_files()?,
            folder: out,
            field_format: field_format.map(|name| name.parse()).transpose().map_err(wrong)?,
            confidence,
            warped: None,
            outside: OutsideFill::default(),
            report: None,
            html: None,
        })
    }
}

/// Writes the flows between the frames of a sequence in files; gives the report as JSON, and warnings.
#[pyfunction]
pub fn sequence_files(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    files: SequenceFiles,
    options: Options<'_>,
) -> PyResult<(String, Py<PyList>)> {
    let job = files.job(&options)?;
    run_job(py, session, options.progress(), |library| veloxel::jobs::sequence(&job, library))
}

/// Runs a job over files; gives its report as JSON, and warnings.
fn run_job(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    progress: Option<&Bound<'_, PyAny>>,
    job: impl FnOnce(&veloxel::Session) -> veloxel::Result<FlowRun> + Send,
) -> PyResult<(String, Py<PyList>)> {
    let (report, warnings) = session.get().lend(|library| {
        run(py, library, progress, |library| {
            let done = job(library)?;
            let warnings = done.report.header.warnings.clone();
            Ok::<_, veloxel::VeloxelError>((to_json(&done.report)?, warnings))
        })
    })?;
    Ok((report, told(py, warnings.urgent())?.unbind()))
}

fn start(init: PathBuf) -> StartFrom {
    match init.to_str() {
        Some("none") => StartFrom::None,
        Some("centre-of-mass") => StartFrom::CentreOfMass,
        Some("rigid") => StartFrom::Rigid,
        Some("similarity") => StartFrom::Similarity,
        Some("affine") => StartFrom::Affine,
        Some("matches") => StartFrom::Matches,
        _ if is_named_transform(&init) => StartFrom::Transform(init),
        _ => StartFrom::Flow(init),
    }
}
