//! The page of an experiment: headline numbers, plots and tables, in one file.

use super::page;
pub use super::page::{Headline, TimeBar};
use super::page::{Page, Plots};
use super::svg_plot::LinePlot;
use super::tables::Table;
use crate::ReportError;

/// A table of text.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// A table with what is drawn of it; the table's title is the section's.
pub struct Section {
    /// The numbers.
    pub table: ExperimentTable,
    /// Curves over them.
    pub plots: Vec<LinePlot>,
    /// What times go into.
    pub bars: Vec<TimeBar>,
}

/// Tables of more rows are folded.
const ROWS_SHOWN: usize = 16;

/// The page.
///
/// # Errors
/// [`ReportError::Page`] should not occur.
pub fn experiment_html(experiment: Experiment) -> Result<String, ReportError> {
    let Experiment { title, subtitle, cards, machines, sections, notes } = experiment;
    let section = |Section { table, plots, bars }: Section| {
        let ExperimentTable { title, note, head, rows, text_columns } = table;
        let folded = if rows.len() > ROWS_SHOWN {
            format!("All {} rows in numbers", rows.len())
        } else {
            String::new()
        };
        let table = Some(Table { head, rows, text_columns });
        let plots = Plots::of(plots);
        page::Section { heading: title, lead: note, plots, bars, table, folded, ..page::Section::default() }
    };
    let mut all = vec![page::Section {
        heading: "Measured on".to_owned(),
        facts: machines,
        ..page::Section::default()
    }];
    all.extend(sections.into_iter().map(section));
    all.push(page::Section { heading: "How it was measured".to_owned(), notes, ..page::Section::default() });
    Page { title, subtitle, cards, sections: all, ..Page::default() }.to_html()
}
