//! The page: one HTML file with everything inside.

use super::cards::{Card, cards};
use super::charts;
use super::film::Thumbnail;
use super::number::nice_ceiling;
use super::panel::Panel;
use super::panels::panels;
use super::svg_plot::{Format, LinePlot};
use super::tables::{self, Table, TimeShare};
use super::{PairReport, PairView, RunHeader, RunReport};
use crate::ReportError;
use crate::metrics::{LabelOverlapReport, quantile};
use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;
use serde::Serialize;
use veloxel_core::{SolveStatus, WarningKind, Warnings};

const PAGE: &str = include_str!("report.html");
/// What every page has: its style, and its templates of tables and plots.
pub(super) const STYLE: &str = include_str!("report.css");
const PARTS: &str = include_str!("parts.html");

#[derive(Serialize)]
struct Page<'a> {
    style: &'static str,
    run: &'a RunHeader,
    label_overlap: Option<&'a LabelOverlapReport>,
    method: String,
    pair_title: &'a str,
    status: Status,
    warnings: Vec<(&'static str, &'a str)>,
    cards: Vec<Card>,
    card_columns: usize,
    dimension: usize,
    panels: Vec<Panel>,
    film: Vec<Frame<'a>>,
    sequence: Plots,
    pairs: Option<Table>,
    convergence: Plots,
    error_plots: Plots,
    errors: Option<Table>,
    error_shares: Vec<(&'static str, String)>,
    levels: Option<Table>,
    parameters: Vec<(String, String)>,
    inputs: Table,
    times: Vec<TimeShare>,
}

#[derive(Serialize)]
struct Status {
    class: &'static str,
    text: &'static str,
}

#[derive(Serialize, Default)]
pub(super) struct Plots {
    columns: usize,
    list: Vec<Plot>,
}

#[derive(Serialize)]
struct Plot {
    title: String,
    svg: String,
    legend: Vec<(String, bool, String)>,
}

#[derive(Serialize)]
struct Frame<'a> {
    title: &'a str,
    aspect: f64,
    uri: String,
    shown: bool,
}

/// The page of a run over one pair.
///
/// # Errors
/// [`ReportError::NothingToMeasure`] if the run reports no pair; [`ReportError::Core`] if something of the view lies
/// on another grid; [`ReportError::Page`] should not occur.
pub fn html(run: &RunReport, view: &PairView) -> Result<String, ReportError> {
    sequence_html(run, view, 0, &[])
}

/// The page of a run over a sequence: pair `shown` in full, all as curves, a table and a filmstrip.
///
/// # Errors
/// As [`html`]; also if the run has no pair `shown`.
pub fn sequence_html(
    run: &RunReport,
    view: &PairView,
    shown: usize,
    thumbnails: &[Thumbnail],
) -> Result<String, ReportError> {
    view.require_one_grid()?;
    let reason = "the run reports no such pair";
    let missing = || ReportError::NothingToMeasure { what: "report page", reason };
    let pair = run.pairs.get(shown).ok_or_else(missing)?;
    let unit = view.length_unit();
    let dimension = view.grid().dimension();
    let is_sequence = run.pairs.len() > 1;
    let error_plots = match &pair.error {
        Some(error) => charts::errors(view, error, pair.sparsification.as_ref())?,
        None => Vec::new(),
    };
    let (header, cards) = (&run.header, cards(run, pair, unit));
    let page = Page {
        style: STYLE,
        run: header,
        label_overlap: run.label_overlap.as_ref(),
        method: method_title(&header.method),
        pair_title: &pair.title,
        status: status(pair),
        warnings: warnings(&header.warnings),
        card_columns: card_columns(cards.len()),
        cards,
        dimension: dimension.count(),
        panels: panels(view)?,
        film: film(thumbnails, shown)?,
        sequence: if is_sequence { plots(charts::over_time(&run.pairs, unit)) } else { Plots::default() },
        pairs: is_sequence.then(|| tables::pairs(&run.pairs, unit)),
        convergence: plots(charts::diagnostics(&pair.statistics.method.curves, dimension)),
        error_plots: plots(error_plots),
        errors: pair.error.as_ref().map(|e| tables::errors(e, unit)),
        error_shares: pair.error.as_ref().map(tables::error_shares).unwrap_or_default(),
        levels: pair.statistics.method.table.as_ref().map(|table| tables::diagnostics(table, dimension)),
        parameters: tables::parameters(&header.parameters),
        inputs: tables::inputs(&header.inputs),
        times: tables::times(&header.stage_times),
    };
    render(PAGE, &page)
}

/// Warnings as kind and message.
pub(super) fn warnings(warnings: &Warnings) -> Vec<(&'static str, &str)> {
    warnings.iter().map(|w| (kind_text(w.kind), w.message.as_str())).collect()
}

/// One row of cards, or two that differ by one card at most.
pub(super) fn card_columns(cards: usize) -> usize {
    if cards <= 5 { cards } else { cards.div_ceil(2) }
}

/// A template filled in.
pub(super) fn render(template: &str, page: &impl Serialize) -> Result<String, ReportError> {
    let template = format!("{PARTS}{template}");
    let mut environment = Environment::new();
    let whitespace = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?;
    environment.set_syntax(whitespace);
    environment.add_template("page.html", &template)?;
    Ok(environment.get_template("page.html")?.render(minijinja::value::Serde(page))?)
}

fn film<'a>(thumbnails: &'a [Thumbnail], shown: usize) -> Result<Vec<Frame<'a>>, ReportError> {
    let mut lengths: Vec<f32> = thumbnails.iter().flat_map(Thumbnail::lengths_mm).collect();
    let scale = if lengths.is_empty() { 1.0 } else { nice_ceiling(quantile(&mut lengths, 0.99)) };
    let frame = |(i, thumbnail): (usize, &'a Thumbnail)| {
        let uri = thumbnail.to_data_uri(scale as f32)?;
        Ok(Frame { title: thumbnail.title(), aspect: thumbnail.aspect(), uri, shown: i == shown })
    };
    thumbnails.iter().enumerate().map(frame).collect()
}

/// Rows of three where that leaves no hole, else rows of two.
pub(super) fn plots(plots: Vec<LinePlot>) -> Plots {
    let (columns, format) =
        if plots.len().is_multiple_of(3) { (3, Format::Third) } else { (2, Format::Half) };
    let rendered = |plot: LinePlot| Plot {
        svg: plot.to_svg(format),
        legend: plot.legend().into_iter().map(|(ink, dashed, name)| (ink, dashed, name.to_owned())).collect(),
        title: plot.title,
    };
    Plots { columns, list: plots.into_iter().map(rendered).collect() }
}

fn status(pair: &PairReport) -> Status {
    let (class, text) = match pair.statistics.status {
        SolveStatus::Done => ("done", "done"),
        SolveStatus::LimitReached => ("limit", "stopped at a limit"),
        SolveStatus::NoContent => ("limit", "no contrast to follow"),
    };
    Status { class, text }
}

fn kind_text(kind: WarningKind) -> &'static str {
    match kind {
        WarningKind::Header => "header",
        WarningKind::Samples => "samples",
        WarningKind::Content => "content",
        WarningKind::Convergence => "convergence",
        WarningKind::Field => "field",
        _ => "note",
    }
}

/// The method's name for people.
fn method_title(method: &str) -> String {
    match method {
        "clg" => "Combined local-global flow".to_owned(),
        "lucas-kanade" => "Lucas-Kanade flow".to_owned(),
        "block-matching" => "Block matching".to_owned(),
        "phase" => "Phase-based flow".to_owned(),
        "fe" => "Finite-element registration".to_owned(),
        other => other.to_owned(),
    }
}
