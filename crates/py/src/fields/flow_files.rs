//! The flow of two files into a file, which need not fit into memory.

use crate::fields::flow::{Options, told};
use crate::running::run;
use crate::session::Session;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::path::PathBuf;
use veloxel::io::is_named_transform;
use veloxel::jobs::{FlowJob, FlowOutputs, StartFrom};
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

/// Writes the flow of two files; gives the report as JSON, and warnings.
#[pyfunction]
pub fn flow_files(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    files: FlowFiles,
    options: Options<'_>,
) -> PyResult<(String, Py<PyList>)> {
    let FlowFiles { fixed, moving, out, confidence, init } = files;
    let outputs = FlowOutputs { flow: out, confidence, ..FlowOutputs::default() };
    let (inputs, start) = (vec![fixed, moving], init.map_or(StartFrom::None, start));
    let job = FlowJob { inputs, start, truth: None, options: options.of_files()?, outputs };
    let (report, warnings) = session.get().lend(|library| {
        run(py, library, options.progress(), |library| {
            let done = veloxel::jobs::flow(&job, library)?;
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
