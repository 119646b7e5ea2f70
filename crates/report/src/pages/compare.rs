//! Several methods on one pair of images: the JSON and the page, laid out as a paper's figures are.

use crate::error::ReportError;
use crate::number::{duration, percent, text};
use crate::pages::page::{Page, Section};
use crate::pages::tables::{self, Table};
use crate::pages::words::{Word, words};
use crate::pictures::fields::comparison::Columns;
use crate::pictures::view::ComparedView;
use crate::run::flow_report::PairReport;
use crate::run::header::RunHeader;
use serde::Serialize;
use veloxel_core::Control;

/// The runs of several methods over one pair.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CompareReport {
    /// The run.
    #[serde(flatten)]
    pub header: RunHeader,
    /// Each method that ran, in the order asked for.
    pub runs: Vec<ComparedRun>,
    /// The methods that could not run.
    pub left_out: Vec<LeftOut>,
}

/// One method, with one preset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRun {
    /// The method's name.
    pub method: String,
    /// The preset that its parameters started from.
    pub preset: String,
    /// Every parameter as used.
    pub parameters: serde_json::Value,
    /// Wall-clock time from two images in memory to the field in memory: the shorter of two runs, the first of which may
    /// compile kernels; a run that takes seconds is timed once.
    pub time_ms: f64,
    /// Share of voxels that the moving image does not show, if the backward field was estimated too.
    pub occluded_share: Option<f64>,
    /// The numbers measured on its field.
    pub pair: PairReport,
}

/// A method that could not run, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The method's name.
    pub method: String,
    /// The error of the method.
    pub reason: String,
}

impl ComparedRun {
    /// Method and preset: `clg, fast`.
    pub fn name(&self) -> String {
        format!("{}, {}", self.method, self.preset)
    }
}

/// The table of all runs, for people: names of the columns and a row a run. It has columns of errors if there is a truth.
pub fn comparison_table(report: &CompareReport, voxels: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let has_truth = report.runs.iter().any(|run| run.pair.error.is_some());
    let mut head = vec!["method, preset".to_owned()];
    if has_truth {
        let columns = [&format!("end-point error, {voxels}"), "angular error, °", "density", "AUSE / random"];
        head.extend(columns.map(str::to_owned));
    }
    let columns = ["time", "mean |Iₜ| after / before", "mean confidence", "occluded"];
    head.extend(columns.map(str::to_owned));
    let row = |run: &ComparedRun| {
        let (pair, brightness) = (&run.pair, run.pair.statistics.brightness);
        let mut row = vec![run.name()];
        if let Some(error) = &pair.error {
            let ause = pair.sparsification.as_ref().and_then(|s| s.ause.zip(s.ause_uninformed));
            row.extend([
                text(error.end_point_vox.mean),
                text(error.angular_deg.mean),
                percent(error.density),
                ause.map_or("–".to_owned(), |(ause, random)| text(ause / random)),
            ]);
        }
        row.extend([
            duration(run.time_ms),
            text(brightness.mean_abs_after / brightness.mean_abs_before),
            text(pair.motion.mean_confidence),
            run.occluded_share.map_or("–".to_owned(), percent),
        ]);
        row
    };
    (head, report.runs.iter().map(row).collect())
}

/// The page: both images, the table, then a column for each method on the same planes and scales: its field, with a truth its
/// error, its difference from the first field and of the images, its confidence, and what is hidden; at the end the parameters side
/// by side. `views` are those of the report's runs, in their order.
///
/// # Errors
/// [`ReportError::Core`] if something of a view lies on another grid; [`ReportError::NothingToShow`] without a run;
/// [`ReportError::Stopped`].
pub fn comparison_html(
    report: &CompareReport,
    views: &[ComparedView<'_>],
    control: &Control,
) -> Result<String, ReportError> {
    let first = views.first().ok_or(ReportError::nothing("comparison page", "no method could run"))?;
    let first = &first.pair;
    views.iter().try_for_each(|view| view.pair.require_one_grid())?;
    let dimension = first.grid().dimension().count();
    let (head, rows) = comparison_table(report, first.voxels());
    let columns = Columns::of(views, report.runs.iter().map(ComparedRun::name).collect(), control)?;
    let mut pair = Section { dimension, panels: columns.frames()?, ..Section::new("The pair") };
    pair.notes = report.left_out.iter().map(|out| format!("{}: {}", out.method, out.reason)).collect();
    let table = Table { head, rows, text_columns: 1, ..Table::default() };
    let all = Section { table: Some(table), ..Section::new("All methods") };
    let side_by_side = Section {
        dimension: 1,
        panels: columns.panels()?,
        confidence_slider: include_str!("compare_live.js"),
        ..Section::new("Side by side")
    };
    let used = if first.truth.is_some() {
        &[Word::Ause, Word::Brightness, Word::Rim][..]
    } else {
        &[Word::Brightness, Word::Rim]
    };
    let sections = vec![pair, all, side_by_side, parameters_section(report), words(used)];
    let page =
        Page { sections, run: Some(&report.header), ..Page::new("Flow methods side by side", first.title) };
    page.to_html()
}

/// The parameters of all runs in columns; a dash where a method has no parameter of that name.
fn parameters_section(report: &CompareReport) -> Section {
    let of_runs: Vec<Vec<(String, String)>> =
        report.runs.iter().map(|run| tables::parameters(&run.parameters)).collect();
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in of_runs.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let value = |run: &Vec<(String, String)>, name: &String| {
        let own = run.iter().find(|(own, _)| own == name);
        own.map_or_else(|| "–".to_owned(), |(_, value)| value.clone())
    };
    let row = |name: &&String| {
        std::iter::once((*name).clone()).chain(of_runs.iter().map(|run| value(run, name))).collect()
    };
    let head = std::iter::once("parameter".to_owned()).chain(report.runs.iter().map(ComparedRun::name));
    let rows = names.iter().map(row).collect();
    let table = Table { head: head.collect(), rows, text_columns: 1, ..Table::default() };
    let folded = "All parameters, side by side".to_owned();
    Section { table: Some(table), folded, ..Section::new("Parameters") }
}
