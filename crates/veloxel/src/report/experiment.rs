//! The page of an experiment: headline numbers, plots and tables, in one file.

use super::html::{Plots, STYLE, plots, render};
use super::svg_plot::LinePlot;
use crate::VeloxelError;
use crate::bench::ExperimentTable;
use serde::Serialize;

/// What the page shows.
pub(crate) struct Experiment {
    pub title: String,
    /// What it repeats, or where it was made.
    pub subtitle: String,
    pub cards: Vec<Headline>,
    /// What was measured on: role and description.
    pub machines: Vec<(String, String)>,
    pub sections: Vec<Section>,
    /// How it was measured.
    pub notes: Vec<String>,
}

/// A number above everything.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Headline {
    pub label: String,
    pub value: String,
    pub unit: String,
    pub note: String,
}

/// A table with what is drawn of it; the table's title is the section's.
pub(crate) struct Section {
    pub table: ExperimentTable,
    pub plots: Vec<LinePlot>,
    pub bars: Vec<TimeBar>,
}

/// What a time goes into.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TimeBar {
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
/// [`VeloxelError::Page`] should not occur.
pub(crate) fn experiment_html(experiment: &Experiment) -> Result<String, VeloxelError> {
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
