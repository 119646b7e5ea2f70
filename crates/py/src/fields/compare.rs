//! Several methods on one pair, side by side.

use crate::fields::field::Field;
use crate::fields::flow::{FlowFound, Found, told};
use crate::image::Image;
use crate::running::run;
use crate::session::Session;
use crate::settings::Settings;
use pyo3::prelude::*;
use pyo3::types::PyList;
use veloxel::pipelines::{Account, CompareRequest, CompareResult, ComparedMethod, MethodChoice, PairNames};
use veloxel::report::{CompareReport, RunHeader, comparison_html};
use veloxel::{Result, Session as Library, Warnings};

/// What is known of the pair, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Known<'py> {
    mask: Option<Bound<'py, Image>>,
    truth: Option<Bound<'py, Field>>,
    /// What the page is called.
    title: String,
}

/// What each method found, everything measured as JSON, the page, and warnings.
type Compared = (Vec<FlowFound>, String, String, Py<PyList>);

/// A comparison, with the texts made of it.
struct Told {
    runs: Vec<ComparedMethod>,
    account: Account,
    json: String,
    page: String,
}

/// Runs every method on the pair.
#[pyfunction]
#[pyo3(signature = (session, fixed, moving, methods, known, progress=None))]
pub fn compare(
    py: Python<'_>,
    session: &Bound<'_, Session>,
    fixed: &Bound<'_, Image>,
    moving: &Bound<'_, Image>,
    methods: Vec<Settings>,
    known: Known<'_>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Compared> {
    let choice = |own: &Settings| Ok(MethodChoice::new(own.draft()?));
    let methods = methods.iter().map(choice).collect::<PyResult<Vec<_>>>()?;
    let [fixed, moving] = [fixed, moving].map(|image| &image.get().volume);
    let Known { mask, truth, title } = known;
    let (mask, truth) = (mask.map(|mask| mask.get().mask()), truth.as_ref().map(|truth| &truth.get().flow));
    let Told { runs, account, json, page } = session.get().lend(|library| {
        run(py, library, progress, |library| {
            let request = CompareRequest {
                names: PairNames { title: &title, ..PairNames::default() },
                mask: mask.as_ref(),
                truth,
                ..CompareRequest::new(fixed, moving, &methods)
            };
            texts(veloxel::pipelines::compare(&request, library)?, &request, library)
        })
    })?;
    let found = runs.into_iter().map(|run| {
        let ComparedMethod { found: mut dense, occlusion, parameters, .. } = run;
        dense.occlusion = occlusion;
        let own = Account { warnings: Warnings::new(), parameters, ..account.clone() };
        FlowFound::of(py, Found { dense, warped: None, transform: None, fixed: None, account: own })
    });
    let found = found.collect::<PyResult<Vec<_>>>()?;
    Ok((found, json, page, told(py, account.warnings.urgent())?.unbind()))
}

/// The report and the page of a comparison.
fn texts(mut result: CompareResult, request: &CompareRequest<'_>, library: &Library) -> Result<Told> {
    let account = std::mem::take(&mut result.account);
    let header = RunHeader {
        veloxel_version: env!("CARGO_PKG_VERSION").to_owned(),
        command_line: "veloxel.compare(…)".to_owned(),
        method: "compare".to_owned(),
        preset: None,
        device: account.device.clone(),
        parameters: account.parameters.clone().into(),
        inputs: Vec::new(),
        stage_times: account.stages.0.clone(),
        warnings: account.warnings.clone(),
    };
    let (runs, left_out) = (std::mem::take(&mut result.measured), std::mem::take(&mut result.left_out));
    let report = CompareReport { header, runs, left_out };
    let views = result.views(request.names.title, request.truth);
    let page = comparison_html(&report, &views, library.control())?;
    let json = serde_json::to_string(&report).unwrap_or_default();
    Ok(Told { runs: result.runs, account, json, page })
}
