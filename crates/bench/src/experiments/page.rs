//! Sections that the pages of several papers have.

use super::{Comparison, Machine, NotMeasured};
use veloxel_report::page::{Plots, Section, Table};
use veloxel_report::svg_plot::LinePlot;

/// The machines.
pub(crate) fn machines_section(machines: &[Machine]) -> Section {
    let mut section = Section::new("Measured on");
    section.facts = machines.iter().map(|m| (m.role.name().to_owned(), m.name.clone())).collect();
    section
}

/// A table of the paper beside ours, with its plots.
pub(crate) fn comparison_section(comparison: &Comparison, plots: Vec<LinePlot>) -> Section {
    let table = comparison.table();
    let mut section = Section::new(table.title.clone());
    (section.lead, section.plots) = (table.note.clone(), Plots::of(plots));
    section.table = Some(table.into());
    section
}

/// What cannot be measured, and why.
pub(crate) fn not_measured_section(all: &[NotMeasured]) -> Section {
    let mut section = Section::new("Not measured here");
    let rows = all.iter().map(|one| vec![one.what.clone(), one.because.clone()]);
    section.table = Some(Table { text_columns: 2, ..Table::new(&["in the paper", "because"], rows) });
    section
}
