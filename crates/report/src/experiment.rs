//! The page of an experiment: headline numbers, plots and tables, in one file.

use super::html::{Plots, STYLE, plots, render};
use super::svg_plot::LinePlot;
use crate::ReportError;
use serde::Serialize;

/// A table of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExperimentTable {
    /// Which of the paper's tables or figures it stands beside.
    pub title: String,
    /// What is to be known to read it.
    pub note: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// As many cells in each as there are columns.
    pub rows: Vec<Vec<String>>,
    /// How many columns from the left are text; the others hold numbers.
    pub text_columns: usize,
}

/// What the page shows.
pub struct Experiment {
    /// Its name.
    pub title: String,
    /// What it repeats, or where it was made.
    pub subtitle: String,
    /// Headline numbers, side by side.
    pub cards: Vec<Headline>,
    /// What was measured on: role and description.
    pub machines: Vec<(String, String)>,
    /// Tables with their plots, in the order of the page.
    pub sections: Vec<Section>,
    /// How it was measured.
    pub notes: Vec<String>,
}

/// A number above everything.
#[derive(Debug, Clone, Serialize)]
pub struct Headline {
    /// What it is.
    pub label: String,
    /// The number as text.
    pub value: String,
    /// Its unit, or nothing.
    pub unit: String,
    /// What it was measured on, or compares with.
    pub note: String,
}

/// A table with what is drawn of it; the table's title is the section's.
pub struct Section {
    /// The numbers.
    pub table: ExperimentTable,
    /// Curves over them.
    pub plots: Vec<LinePlot>,
    /// What times go into.
    pub bars: Vec<TimeBar>,
}

/// What a time goes into.
#[derive(Debug, Clone, Serialize)]
pub struct TimeBar {
    /// Whose time it is.
    pub title: String,
    /// Name, share as text, share in percent.
    pub parts: Vec<(String, String, f64)>,
}

/// Tables of more rows are folded.
const ROWS_SHOWN: usize = 16;

#[derive(Serialize)]
struct Page<'a> {
    style: &'static str,
    version: &'static str,
    title: &'a str,
    subtitle: &'a str,
    cards: &'a [Headline],
    machines: &'a [(String, String)],
    sections: Vec<Shown<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Shown<'a> {
    table: &'a ExperimentTable,
    folded: bool,
    plots: Plots,
    bars: &'a [TimeBar],
}

/// The page.
///
/// # Errors
/// [`ReportError::Page`] should not occur.
pub fn experiment_html(experiment: &Experiment) -> Result<String, ReportError> {
    let drawn = |list: &[LinePlot]| plots(list.iter().filter(|plot| !plot.is_empty()).cloned().collect());
    let sections = experiment.sections.iter().map(|section| Shown {
        table: &section.table,
        folded: section.table.rows.len() > ROWS_SHOWN,
        plots: drawn(&section.plots),
        bars: &section.bars,
    });
    let page = Page {
        style: STYLE,
        version: env!("CARGO_PKG_VERSION"),
        title: &experiment.title,
        subtitle: &experiment.subtitle,
        cards: &experiment.cards,
        machines: &experiment.machines,
        sections: sections.collect(),
        notes: &experiment.notes,
    };
    render(include_str!("experiment.html"), &page)
}
