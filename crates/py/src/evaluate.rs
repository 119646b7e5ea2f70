//! Results against the truth, as JSON.

use crate::field::Field;
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use pyo3::prelude::*;
use veloxel::pipelines::EvaluateRequest;

fn measured<T: Send>(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    measure: impl FnOnce(&veloxel::Session) -> veloxel::Result<T> + Send,
    json: impl FnOnce(&T) -> serde_json::Result<String>,
) -> PyResult<String> {
    let found = session.get().lend(|library| run(py, library, None, measure))?;
    Ok(json(&found).unwrap_or_default())
}

/// End-point and angular error of a field.
#[pyfunction]
#[pyo3(signature = (session, result, truth, mask=None))]
pub fn evaluate_flow(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    result: &Bound<'_, Field>,
    truth: &Bound<'_, Field>,
    mask: Option<&Bound<'_, Image>>,
) -> PyResult<String> {
    let mask = mask.map(|mask| mask.get().mask());
    let [result, truth] = [result, truth].map(|field| &field.get().flow);
    let measure = |library: &veloxel::Session| {
        let request = EvaluateRequest { mask: mask.as_ref(), ..EvaluateRequest::new(result, truth) };
        veloxel::pipelines::evaluate_flow(&request, library)
    };
    measured(py, session, measure, serde_json::to_string)
}

/// Absolute error, bad pixels and density of a disparity.
#[pyfunction]
#[pyo3(signature = (session, result, truth, mask=None))]
pub fn evaluate_disparity(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    result: &Bound<'_, Image>,
    truth: &Bound<'_, Image>,
    mask: Option<&Bound<'_, Image>>,
) -> PyResult<String> {
    let mask = mask.map(|mask| mask.get().mask());
    let [result, truth] = [result, truth].map(|image| &image.get().volume);
    let measure = |library: &veloxel::Session| {
        let request = EvaluateRequest { mask: mask.as_ref(), ..EvaluateRequest::new(result, truth) };
        veloxel::pipelines::evaluate_disparity(&request, library)
    };
    measured(py, session, measure, serde_json::to_string)
}

/// Dice, Jaccard and Hausdorff 95 of every label.
#[pyfunction]
#[pyo3(signature = (session, result, truth, mask=None))]
pub fn evaluate_labels(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    result: &Bound<'_, Image>,
    truth: &Bound<'_, Image>,
    mask: Option<&Bound<'_, Image>>,
) -> PyResult<String> {
    let mask = mask.map(|mask| mask.get().mask());
    let [result, truth] = [result, truth].map(|image| &image.get().volume);
    let measure = |library: &veloxel::Session| {
        let request = EvaluateRequest { mask: mask.as_ref(), ..EvaluateRequest::new(result, truth) };
        veloxel::pipelines::evaluate_labels(&request, library)
    };
    measured(py, session, measure, serde_json::to_string)
}
